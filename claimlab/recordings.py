"""Recorded answers of a real model: the file, and the loop that writes it.

A recording is JSON Lines. Its first line is the *experiment card*: which model, runtime,
prompts, settings and sources. Then comes a line a completion. Every number that a lesson
prints about a model can be traced to its lines.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claimlab.errors import InputError
from claimlab.files import DATA, Record, parse_json, read_records

RECORDINGS = DATA / "recordings"
"""The folder of the recordings that come with the course."""


@dataclass(frozen=True)
class Prompt:
    """One thing to ask: the text to continue, how to continue it, and what it is about.

    ``yes_no`` asks for one word, and for its probability. ``schema`` is a JSON Schema that the
    answer must follow, where the endpoint can hold a model to one. ``about`` holds plain values
    that are written beside the answer: the row, the question, the kind.
    """

    id: str
    text: str
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 40
    stop: Sequence[str] = ("\n",)
    yes_no: bool = False
    schema: Mapping[str, Any] | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """The fingerprint of everything that the model was given and told.

        >>> Prompt("a", "Two and two is").sha256 == Prompt("b", "Two and two is").sha256
        True
        """
        asked = (self.text, self.temperature, self.seed, self.max_tokens, list(self.stop))
        plain = json.dumps([*asked, self.yes_no, self.schema], sort_keys=True)
        return hashlib.sha256(plain.encode()).hexdigest()


@dataclass(frozen=True)
class Completion:
    """One line of a recording. ``outcome`` is ``ok``, or the name of what went wrong.

    ``p_yes`` is the probability of "yes" against "no" where one word was asked for, and
    ``p_word`` how probable it was that one of the two came at all.
    """

    id: str
    text: str
    tokens: int
    ms: float
    outcome: str
    temperature: float
    seed: int
    sha256: str
    p_yes: float | None = None
    p_word: float | None = None
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Recording:
    """An experiment card and its completions."""

    name: str
    card: Mapping[str, Any]
    completions: tuple[Completion, ...]

    def __iter__(self) -> Iterator[Completion]:
        return iter(self.completions)

    def __len__(self) -> int:
        return len(self.completions)


_NUMBER = (int, float)
_FIELDS: dict[str, tuple[type, ...]] = {
    "id": (str,),
    "text": (str,),
    "tokens": (int,),
    "ms": _NUMBER,
    "outcome": (str,),
    "temperature": _NUMBER,
    "seed": (int,),
    "sha256": (str,),
    "p_yes": (*_NUMBER, type(None)),
    "p_word": (*_NUMBER, type(None)),
    "about": (dict,),
}
_OPTIONAL: dict[str, Any] = {"p_yes": None, "p_word": None, "about": {}}


def read_recording(source: str | Path) -> Recording:
    """Return a recording: by its name (``"courses"``), or from a file of your own.

    Raises InputError that names the file, the line and the field.

    >>> read_recording("courses").card["model"]["file"]
    'gemma-3-270m-q4_k_m.gguf'
    """
    path = Path(source)
    if isinstance(source, str) and not path.suffix and not path.exists():
        path = RECORDINGS / f"{source}.jsonl"
        if not path.exists():
            known = ", ".join(sorted(p.stem for p in RECORDINGS.glob("*.jsonl")))
            raise InputError(f"{source}: no such recording, expected one of {known}, or a file")
    card, *lines = read_records(path)
    if "claimlab" not in card.fields:
        raise InputError(f"{card.place}: expected the experiment card, with a field 'claimlab'")
    completions = tuple(map(_completion, lines))
    _refuse_doubles(completions, path)
    return Recording(path.stem, card.fields, completions)


def _completion(record: Record) -> Completion:
    values: dict[str, Any] = {}
    for name, types in _FIELDS.items():
        if name not in record.fields and name not in _OPTIONAL:
            raise InputError(f"{record.place}: field {name!r} is missing")
        value = record.fields.get(name, _OPTIONAL.get(name))
        if not isinstance(value, types) or isinstance(value, bool):
            expected = " or ".join(kind.__name__ for kind in types)
            raise InputError(
                f"{record.place}: field {name!r}: expected {expected}, got {value!r:.60}"
            )
        values[name] = value
    return Completion(**values)


def _refuse_doubles(completions: Sequence[Completion], path: Path) -> None:
    seen: set[str] = set()
    for completion in completions:
        if completion.id in seen:
            raise InputError(f"{path}: id {completion.id!r}: expected once, came twice")
        seen.add(completion.id)


def record(
    prompts: Sequence[Prompt],
    ask: Callable[[Prompt], Completion],
    path: str | Path,
    card: Mapping[str, Any],
) -> Iterator[Completion]:
    """Ask each prompt that the file has no answer to, write each answer at once, and yield it.

    An interrupted recording goes on where it stopped; a line that was cut in the middle is asked
    again, and so is one whose outcome was not ``ok``. Raises InputError when the file was made
    with another card: another model, other prompts or other settings belong in a file of their own.
    """
    path = Path(path)
    kept = _kept(path, card)
    done = {completion.id: completion for completion in kept if completion.outcome == "ok"}
    for prompt in prompts:
        if prompt.id in done and done[prompt.id].sha256 != prompt.sha256:
            raise InputError(f"{path}: id {prompt.id!r}: was recorded with another prompt")
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_all(path, card, done.values())
    with path.open("a", encoding="utf-8", newline="\n") as file:
        for prompt in prompts:
            if prompt.id in done:
                continue
            completion = ask(prompt)
            file.write(_line(_plain(completion)))
            file.flush()
            yield completion


def _kept(path: Path, card: Mapping[str, Any]) -> tuple[Completion, ...]:
    """Return what an earlier run left in the file, without a torn last line."""
    if not path.exists() or not path.stat().st_size:
        return ()
    text = path.read_text("utf-8", errors="replace")
    whole = text[: text.rfind("\n") + 1].splitlines()
    if not whole:
        return ()
    first = parse_json(whole[0], f"{path}: line 1")
    if first != json.loads(json.dumps(card)):
        raise InputError(
            f"{path}: was recorded with another card{_difference(first, card)}; "
            "name another file, or move this one away"
        )
    lines = [(number, line) for number, line in enumerate(whole, 1) if number > 1 and line.strip()]
    completions = []
    for number, line in lines:
        place = f"{path}: line {number}"
        fields = parse_json(line, place)
        if not isinstance(fields, dict):
            raise InputError(f"{place}: expected an object, got {fields!r:.60}")
        completions.append(_completion(Record(place, fields, number)))
    _refuse_doubles(completions, path)
    return tuple(completions)


def _difference(first: object, card: Mapping[str, Any]) -> str:
    if not isinstance(first, dict):
        return ""
    names = [name for name in {**first, **card} if first.get(name) != card.get(name)]
    return f" (field {names[0]!r} differs)" if names else ""


def _write_all(path: Path, card: Mapping[str, Any], completions: Any) -> None:
    """Write the card and what is kept in one step: a stop in the middle loses nothing."""
    beside = path.with_name(f"{path.name}.new")
    lines = [_line(dict(card)), *(_line(_plain(completion)) for completion in completions)]
    beside.write_text("".join(lines), "utf-8", newline="\n")
    beside.replace(path)


def _plain(completion: Completion) -> dict[str, Any]:
    fields = {name: getattr(completion, name) for name in _FIELDS}
    return {name: value for name, value in fields.items() if value != _OPTIONAL.get(name, ...)}


def _line(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, allow_nan=False) + "\n"
