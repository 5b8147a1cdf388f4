"""What the tools of an agent mean: which act, how success is read, under which keys ids stand.

A domain is a TOML file in ``data/domains/``, or your own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, Literal

from claimlab.errors import InputError
from claimlab.files import DATA, read_toml
from claimlab.identifiers import HeldId, extract_identifiers, held_ids
from claimlab.trace import ToolCall
from claimlab.trace_formats import json_value

DOMAINS = DATA / "domains"
Backing = Literal["any", "status", "never"]
_BACKINGS: Final = ("any", "status", "never")
_WRAPPERS = ("data", "result", "response", "body", "payload", "output")


@dataclass(frozen=True)
class Action:
    """A kind of action: its tools, its id keys, and which lookups show that it was done.

    Without id keys, its claims cite no id: only the calls of the turn back them. ``about`` says
    which tool a claim is about, by its words.
    ``backed_by_lookup``: ``any`` (unless the record's status is a failure), ``status`` (the
    record's status is one of ``lookup_status``), ``never``.
    """

    kind: str
    tools: tuple[str, ...]
    id_keys: tuple[str, ...]
    own_keys: tuple[str, ...] = ()
    own_tools: tuple[str, ...] = ()
    backed_by_lookup: Backing = "any"
    lookup_status: frozenset[str] = frozenset()
    about: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def tools_about(self, claim: str) -> tuple[str, ...]:
        """Return the tools that alone can back a claim with these words: bags, not flights."""
        if not self.about:
            return ()
        said = set(claim.lower().replace("*", " ").split())
        return tuple(tool for tool, words in self.about.items() if not said.isdisjoint(words))

    def made_by(self, call: ToolCall) -> bool:
        """Whether a call is one of this action."""
        return fits(call.name, self.tools)

    def keys_of(self, call: ToolCall) -> tuple[str, ...]:
        """Return the keys under which this call's result holds ids of this action."""
        if self.own_keys and fits(call.name, (*self.tools, *self.own_tools)):
            return (*self.id_keys, *self.own_keys)
        return self.id_keys


@dataclass(frozen=True)
class Domain:
    """The tools of one agent. See ``docs/traces.md`` for the file."""

    name: str
    actions: tuple[Action, ...]
    regions: tuple[str, ...] = ()
    id_shape: re.Pattern[str] | None = None
    error_prefixes: tuple[str, ...] = ("error",)
    error_keys: frozenset[str] = frozenset({"error"})
    status_keys: frozenset[str] = frozenset({"status"})
    failed: frozenset[str] = frozenset()
    lookups: tuple[str, ...] = ("*",)
    confirmation: Mapping[str, str] = field(default_factory=dict, hash=False)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of its actions, in the file's order."""
        return tuple(action.kind for action in self.actions)

    def acts(self, call: ToolCall) -> bool:
        """Whether a call is one of any action."""
        return any(action.made_by(call) for action in self.actions)

    def looks_up(self, call: ToolCall) -> bool:
        """Whether a call is a lookup: it does not act, and its name is one of ``lookups``."""
        return not self.acts(call) and fits(call.name, self.lookups)

    def succeeded(self, call: ToolCall) -> bool:
        """Whether a call succeeded, as far as its result says.

        It did not when the log says so, when nothing came back, when the result is an error's
        text, holds an error, or has a status that is a failure.
        """
        if not call.ok or call.result is None or call.result is False:
            return False
        result = json_value(call.result)
        if isinstance(result, str):
            said = result.strip().lower()
            if not said:
                return not self.acts(call)
            return not said.startswith(self.error_prefixes)
        for _ in range(3):
            if not isinstance(result, Mapping):
                return True
            if self._says_failed(result):
                return False
            result = next((json_value(result[w]) for w in _WRAPPERS if w in result), None)
        return True

    def _says_failed(self, result: Mapping[str, Any]) -> bool:
        for key, value in result.items():
            name = key.lower() if isinstance(key, str) else ""
            if name in self.error_keys and value not in (None, False, "", [], {}, 0):
                return True
            if name in ("success", "succeeded", "ok") and value in (False, "false", "no", 0):
                return True
            if name in ("status_code", "http_status", "code", *self.status_keys):
                code = isinstance(value, int) and not isinstance(value, bool) and value >= 400
                if code and (name != "code" or value < 600):
                    return True
        return self.status(result) in self.failed

    def status(self, record: Mapping[str, Any]) -> str:
        """Return a record's status in one spelling, '' without one."""
        for key, value in record.items():
            if isinstance(key, str) and key.lower() in self.status_keys and isinstance(value, str):
                return value.strip().lower().replace(" ", "_").replace("-", "_")
        return ""

    def ids_in(self, call: ToolCall, action: Action) -> Iterator[HeldId]:
        """Yield the ids of an action that a call's result holds.

        A result that is a plain text holds the ids that the text names, if the tool is the
        action's own. A result of the action's own tool that names none speaks of those in the
        call's arguments ("cancelled").
        """
        found = list(held_ids(call.result, action.keys_of(call)))
        if not found and action.made_by(call):
            text = json_value(call.result)
            if isinstance(text, str):
                named = extract_identifiers(text, (), self.regions, self.id_shape)
                found = [HeldId(one, {}) for one in named]
            found = found or list(held_ids(dict(call.args), action.id_keys))
        yield from found

    def shows(self, held: HeldId, action: Action) -> bool:
        """Whether a lookup's record shows that the action was done."""
        if action.backed_by_lookup == "never":
            return False
        status = self.status(held.record)
        if action.backed_by_lookup == "status":
            return status in action.lookup_status
        return status not in self.failed


@lru_cache(maxsize=4096)
def fits(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether a tool's name is one of these, in which ``*`` stands for any letters."""
    return name in patterns or any("*" in p and fnmatchcase(name, p) for p in patterns)


# -- files ---------------------------------------------------------------------------------------

_LISTS = ("regions", "error_prefixes", "error_keys", "status_keys", "failed", "lookups")
_ACTION_LISTS = ("tools", "id_keys", "own_keys", "own_tools", "lookup_status")


def read_domain(path: str | Path) -> Domain:
    """Return the domain of a TOML file.

    Raises InputError that names the file, the action, the field and what was expected.
    """
    document = read_toml(path)
    known = {"name", "id_shape", "action", "confirmation", *_LISTS}
    if extra := sorted(set(document) - known):
        raise InputError(f"{path}: field {extra[0]!r} is not one of {', '.join(sorted(known))}")
    actions = document.get("action")
    if not isinstance(actions, list) or not actions:
        raise InputError(f"{path}: expected at least one [[action]]")
    lists = {name: _texts(document, name, str(path)) for name in _LISTS if name in document}
    confirmation = document.get("confirmation", {})
    if not isinstance(confirmation, dict) or not all(
        isinstance(text, str) and "{id}" in text for text in confirmation.values()
    ):
        raise InputError(f"{path}: confirmation: expected texts with {{id}}")
    frozen = {
        n: frozenset(v) for n, v in lists.items() if n in ("error_keys", "status_keys", "failed")
    }
    return Domain(
        str(document.get("name", Path(path).stem)),
        tuple(_action(a, f"{path}: action {n}") for n, a in enumerate(actions, 1)),
        id_shape=_shape(document.get("id_shape"), str(path)),
        confirmation=confirmation,
        **{**lists, **frozen},  # type: ignore[arg-type]
    )


def _texts(fields: Mapping[str, Any], name: str, place: str) -> tuple[str, ...]:
    given = fields[name]
    if not isinstance(given, list) or not all(isinstance(t, str) and t.strip() for t in given):
        raise InputError(f"{place}: field {name!r}: expected a list of texts, got {given!r:.60}")
    return tuple(given)


def _shape(given: object, path: str) -> re.Pattern[str] | None:
    if given is None:
        return None
    try:
        return re.compile(given if isinstance(given, str) else "(")
    except re.error as error:
        raise InputError(f"{path}: field 'id_shape': expected a pattern ({error})") from None


def _action(fields: object, place: str) -> Action:
    from claimlab.lexicon import lexicons

    if not isinstance(fields, dict):
        raise InputError(f"{place}: expected a table, got {fields!r:.60}")
    known = {"kind", "backed_by_lookup", "about", *_ACTION_LISTS}
    if extra := sorted(set(fields) - known):
        raise InputError(f"{place}: field {extra[0]!r} is not one of {', '.join(sorted(known))}")
    kinds = sorted({kind for lexicon in lexicons() for kind in lexicon.kinds})
    if fields.get("kind") not in kinds:
        raise InputError(
            f"{place}: field 'kind': expected one of {', '.join(kinds)}, "
            f"got {fields.get('kind')!r:.60}"
        )
    for name in ("tools", "id_keys"):
        if name not in fields or (name == "tools" and not fields[name]):
            raise InputError(f"{place}: field {name!r}: expected a list of texts")
    backing = fields.get("backed_by_lookup", "any")
    if backing not in _BACKINGS:
        raise InputError(
            f"{place}: field 'backed_by_lookup': expected one of {', '.join(_BACKINGS)}, "
            f"got {backing!r:.60}"
        )
    lists = {name: _texts(fields, name, place) for name in _ACTION_LISTS if name in fields}
    status = frozenset(lists.pop("lookup_status", ()))
    given = fields.get("about", {})
    if not isinstance(given, dict):
        raise InputError(f"{place}: field 'about': expected a table, got {given!r:.60}")
    about = {tool: _texts(given, tool, f"{place}: about") for tool in given}
    return Action(
        fields["kind"], backed_by_lookup=backing, lookup_status=status, about=about, **lists
    )


def domain_names() -> tuple[str, ...]:
    """Return the names of the course's own domains."""
    return tuple(sorted(path.stem for path in DOMAINS.glob("*.toml")))


@lru_cache(maxsize=16)
def domain(name: str = "shop") -> Domain:
    """Return a domain by the name of the course's own, or by the path of a TOML file."""
    if name in domain_names():
        return read_domain(DOMAINS / f"{name}.toml")
    if Path(name).suffix.lower() != ".toml":
        raise InputError(
            f"domain {name!r:.60}: expected {', '.join(domain_names())} or a .toml file"
        )
    return read_domain(name)
