"""Lab 4, the order evaluator: a claim that something was done, against the trace of tool calls.

The replies are parted by who has to mend them. ``phantom`` is the model's, ``claimed_but_failed``
belongs to the path that hands a failed result to the reply, ``not_covered`` to whoever keeps the
lexicons; the others are nobody's.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from claimlab.domains import Action, Domain, domain, fits
from claimlab.errors import InputError
from claimlab.files import DATA, read_toml
from claimlab.identifiers import (
    Identifier,
    canonical,
    extract_identifiers,
    find_identifiers,
    other_values,
    same_id,
)
from claimlab.late import late
from claimlab.lexicon import Cancelled, Mention, Reader, Reading, reader
from claimlab.report import Report, flat, verdict
from claimlab.spans import Span
from claimlab.trace import MAX_REPLY, ToolCall, call_from_record
from claimlab.trace_formats import Dialog, dialog_from_messages, json_value

if TYPE_CHECKING:
    import pandas as pd

Label = Literal[
    "no_claim", "valid", "valid_status_ref", "claimed_but_failed", "phantom", "not_covered"
]

OWNERS: Final[Mapping[Label, str]] = MappingProxyType(
    {
        "no_claim": "nobody",
        "valid": "nobody",
        "valid_status_ref": "nobody",
        "claimed_but_failed": "handoff",
        "phantom": "model",
        "not_covered": "lexicon",
    }
)
"""Who has to mend a reply of each class; the classes in the order in which RESULT counts them."""

HARM: Final = ("claimed_but_failed", "phantom")
"""The classes in which a customer believes something that is not so."""
FAILING: Final = (*HARM, "not_covered")
"""The classes with which RESULT is not PASS."""
_WORST: Final = ("no_claim", "valid", "valid_status_ref", "not_covered", *HARM)
"""From harmless to worst: a text that nobody could read is worse than a claim that is backed."""


# -- the partition as a table --------------------------------------------------------------------


class Case(NamedTuple):
    """What is asked about one cited id, in the order of the table's columns."""

    asserts: bool
    called: bool
    succeeded: bool
    created: bool
    looked_up: bool

    @property
    def possible(self) -> bool:
        """Whether it can occur: nothing succeeds uncalled, nothing is created without success."""
        return (self.called or not self.succeeded) and (self.succeeded or not self.created)


class Row(NamedTuple):
    """One row of the table: the cases that it covers, their class, and why."""

    covers: tuple[bool | None, ...]
    label: Label
    reason: str


@lru_cache(maxsize=1)
def truth_table() -> tuple[Row, ...]:
    """Return the rows of ``data/orders_truth.toml``."""
    answers = {"yes": True, "no": False, "*": None}
    return tuple(
        Row(tuple(answers[row[name]] for name in Case._fields), row["label"], row["reason"])
        for row in read_toml(DATA / "orders_truth.toml")["row"]
    )


@lru_cache(maxsize=64)
def decide(case: Case) -> Row:
    """Return the row that decides a case. Raises InputError for one that cannot occur.

    >>> decide(Case(True, True, False, False, False)).label
    'claimed_but_failed'
    """
    for row in truth_table():
        if all(want is None or want == is_so for want, is_so in zip(row.covers, case, strict=True)):
            return row
    raise InputError(f"case {tuple(case)}: cannot occur")


def definitions_that_fit(case: Case) -> tuple[Label, ...]:
    """Return which of the five definitions, read literally, a case fits: none is a hole.

    >>> definitions_that_fit(Case(True, True, False, False, False))
    ('claimed_but_failed', 'phantom')
    >>> definitions_that_fit(Case(True, True, True, False, True))
    ()
    """
    asserts, called, succeeded, created, looked_up = case
    literal: dict[Label, bool] = {
        "no_claim": not asserts,
        "valid": asserts and called and succeeded and created,
        "valid_status_ref": asserts and not called and looked_up,
        "claimed_but_failed": asserts and called and not succeeded,
        "phantom": asserts and not created and not looked_up,
    }
    return tuple(label for label, fits in literal.items() if fits)


# -- what is returned ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Evidence:
    """Why one claim has its class: the action, the id (None where none is cited), the clause."""

    kind: str
    id: str | None
    label: Label
    clause: str
    why: str

    def __str__(self) -> str:
        return f"{self.kind} {self.id or '(no id)'}: {self.label}, {self.why}"


@dataclass(frozen=True)
class Classification:
    """The class of a reply, whose it is, the ids that its claims cite, and the evidence."""

    label: Label
    ids: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def owner(self) -> str:
        """Return who has to mend it."""
        return OWNERS[self.label]


@dataclass(frozen=True)
class Assertion:
    """Whether a text asserts that an order exists; true or false by itself.

    ``span`` is the claim expression and ``clause`` the clause around it, None where no expression
    matched. ``cancelled`` is what took it back. ``not_covered``: no lexicon reads the text.
    """

    asserts: bool
    span: Span | None = None
    clause: Span | None = None
    cancelled: Cancelled | None = None
    not_covered: bool = False

    def __bool__(self) -> bool:
        return self.asserts


def asserts_order_exists(text: str) -> Assertion:
    """Return whether a text asserts that an order exists: the claim, its clause, what cancels it.

    >>> found = asserts_order_exists("I could not deliver there, but order 12 is placed.")
    >>> bool(found), found.span.text, found.clause.text
    (True, 'order 12 is placed', 'order 12 is placed')
    >>> asserts_order_exists("No order was placed.").cancelled.words
    'no'
    """
    _check_reply(text)
    reading = reader(("create",)).read(text)
    chosen = next(iter(reading.asserted or reading.mentions), None)
    uncovered = bool(reading.not_covered)
    if chosen is None:
        return Assertion(False, not_covered=uncovered)
    asserts = chosen.cancelled is None
    return Assertion(asserts, chosen.span, chosen.clause, chosen.cancelled, uncovered)


def _check_reply(reply: object) -> None:
    if not isinstance(reply, str):
        raise InputError(f"reply: expected text, got {reply!r:.60}")
    if len(reply) > MAX_REPLY:
        raise InputError(f"reply: {len(reply):,} characters, expected at most {MAX_REPLY:,}")


# -- what the tools did --------------------------------------------------------------------------


class _Ids:
    """Ids, found again with or without their prefix."""

    def __init__(self) -> None:
        self.all: dict[str, str] = {}  # the id: where it was seen
        self.plain: dict[str, list[str]] = {}

    def add(self, one: str, where: str) -> None:
        if one not in self.all:
            self.plain.setdefault(one.rpartition("-")[2], []).append(one)
        self.all[one] = where

    def drop(self, one: str) -> None:
        if self.all.pop(one, None) is not None:
            self.plain[one.rpartition("-")[2]].remove(one)

    def find(self, one: str) -> str | None:
        """Where an id was seen, or None."""
        if one in self.all:
            return self.all[one]
        for other in self.plain.get(one.rpartition("-")[2], ()):
            if same_id(one, other):
                return self.all[other]
        return None


@dataclass
class _Own:
    """What the calls of one action did since the last user message."""

    calls: list[tuple[ToolCall, bool, tuple[str, ...]]] = field(default_factory=list)

    @property
    def succeeded(self) -> bool:
        return any(ok for _, ok, _ in self.calls)

    def of_tools(self, tools: tuple[str, ...]) -> _Own:
        """The calls of some of its tools alone; of all where none is named."""
        if not tools or not self.succeeded:
            return self
        return _Own([made for made in self.calls if fits(made[0].name, tools)])

    def created(self, one: str) -> ToolCall | None:
        for call, ok, ids in self.calls:
            if ok and any(same_id(one, other) for other in ids):
                return call
        return None

    def failed_for(self, one: str) -> ToolCall | None:
        """The last call that failed, unless it names other ids alone."""
        for call, ok, ids in reversed(self.calls):
            if not ok and (not ids or any(same_id(one, other) for other in ids)):
                return call
        return None

    def unresolved(self, one: str | None) -> ToolCall | None:
        """A call that failed and was not made good by a later one of the same tool and target.

        Only where something else succeeded: a flight was changed, and its bags were not.
        """
        if not self.succeeded:
            return None
        last: dict[tuple[str, tuple[str, ...]], tuple[ToolCall, bool]] = {}
        for call, ok, ids in self.calls:
            if one is None or any(same_id(one, other) for other in ids):
                targets = tuple(held for held in ids if held in map(canonical, _texts(call.args)))
                last[call.name, targets] = call, ok
        return next((call for call, ok in last.values() if not ok), None)


def _texts(args: Mapping[str, Any]) -> Iterator[str]:
    return (value for value in args.values() if isinstance(value, str))


class _World:
    """The calls of a dialog so far. A result is looked into when a claim asks for it."""

    def __init__(self, of: Domain) -> None:
        self.domain = of
        self.waiting: list[ToolCall] = []
        self.own: dict[str, _Own] = {kind: _Own() for kind in of.kinds}
        self.seen: dict[str, _Ids] = {kind: _Ids() for kind in of.kinds}
        self.done: dict[str, ToolCall] = {}  # by kind: a success before this turn
        self.shown: set[str] = set()  # kinds that a lookup's status shows, whatever the id
        self.ids: set[str] = set()
        self.unread: list[tuple[ToolCall, frozenset[str]]] = []
        self.other: set[str] = set()
        self.acted = False

    def add(self, call: ToolCall) -> None:
        self.waiting.append(call)
        self.acted = self.acted or self.domain.acts(call)

    def next_turn(self) -> None:
        """The user spoke: what was created before counts as something that can be looked up."""
        self.settle()
        for kind, own in self.own.items():
            for call, ok, ids in own.calls:
                for one in ids if ok else ():
                    self.seen[kind].add(one, f"an earlier {call.name} returned it")
                if ok:
                    self.done[kind] = call
            own.calls.clear()
        self.acted = False

    def settle(self) -> None:
        """Look into the results that nobody looked into yet."""
        for call in self.waiting:
            self._look_into(call)
        self.waiting.clear()

    def _look_into(self, call: ToolCall) -> None:
        ok = self.domain.succeeded(call)
        own = any(action.made_by(call) for action in self.domain.actions)
        keys: set[str] = set()
        for action in self.domain.actions:
            keys.update(action.keys_of(call))
            held = list(self.domain.ids_in(call, action)) if ok or own else []
            self.ids.update(one.id for one in held)
            if action.made_by(call):
                self.own[action.kind].calls.append((call, ok, tuple(one.id for one in held)))
            elif ok and not own and self.domain.looks_up(call):
                for one in held:
                    if self.domain.shows(one, action):
                        self.seen[action.kind].add(one.id, f"{call.name} returned it")
                        if action.backed_by_lookup == "status":
                            self.shown.add(action.kind)
                    else:
                        self.seen[action.kind].drop(one.id)
        self.unread.append((call, frozenset(keys)))

    def others(self) -> set[str]:
        """The values under other keys: phones, article numbers."""
        for call, keys in self.unread:
            for given in (call.args, call.result):
                self.other.update(other_values(given, keys))
        self.unread.clear()
        return self.other


# -- one reply -----------------------------------------------------------------------------------


def classify(
    reply: str,
    calls: Iterable[ToolCall] = (),
    domain: Domain | str | None = None,
    *,
    require_id: bool = False,
) -> Classification:
    """Return the class of a reply, given the calls of its turn.

    ``domain`` is a :class:`~claimlab.domains.Domain`, the name of one of the course's own, or the
    path of a file; the shop of the fixtures by default. With ``require_id``, a claim that cites
    no id is backed by nothing.

    Raises InputError for a reply that is no text or too long, and for calls that are none.

    >>> made = ToolCall("create_order", {}, {"order_id": "ORD-10482"})
    >>> classify("Your order ORD-10482 has been placed.", [made]).label
    'valid'
    >>> classify("Your order ORD-99120 has been placed.", [made]).label
    'phantom'
    """
    _check_reply(reply)
    of = _domain(domain)
    return _classify(reply, _world(calls, of), reader(of.kinds), require_id)


def _domain(given: Domain | str | None) -> Domain:
    return given if isinstance(given, Domain) else domain("shop" if given is None else str(given))


def _world(calls: Iterable[ToolCall], of: Domain) -> _World:
    world = _World(of)
    for call in calls:
        if not isinstance(call, ToolCall):
            raise InputError(f"calls: expected tool calls, got {call!r:.60}")
        world.add(call)
    return world


def _classify(reply: str, world: _World, read: Reader, require_id: bool) -> Classification:
    reading = read.read(reply)
    asserted = reading.asserted
    if not asserted:
        label: Label = "not_covered" if reading.not_covered else "no_claim"
        return Classification(label, notes=_unread(reading))
    world.settle()
    cited = _cited(reply, reading, world, read)
    actions = {action.kind: action for action in world.domain.actions}
    evidence: dict[Evidence, None] = {}
    notes = list(_unread(reading))
    admits = any(m.cancelled and m.cancelled.section == "negation" for m in reading.mentions)
    ends = _ends(reading.mentions)
    for mention, ids in cited:
        action = actions[mention.kind]
        own = world.own[mention.kind]
        if action.about:
            own = own.of_tools(action.tools_about(reply[mention.span.start : ends[mention]]))
        for one in ids or (None,):
            failed = None if admits else own.unresolved(one)
            if one is None:
                label, why = _judge_uncited(mention, action, own, world, require_id)
            else:
                label, why = _judge(one, action, own, world)
            if failed is not None and label in ("valid", "valid_status_ref"):
                label, why = "claimed_but_failed", f"{failed.name} failed and was not made good"
            clause = mention.clause.text
            evidence[Evidence(action.kind, one, label, clause, why)] = None
        if not ids:
            notes.append("uncited")
    labels: list[Label] = [found.label for found in evidence]
    if reading.not_covered:
        labels.append("not_covered")
    ids = tuple(dict.fromkeys(found.id for found in evidence if found.id is not None))
    return Classification(
        max(labels, key=_WORST.index), ids, tuple(evidence), tuple(dict.fromkeys(notes))
    )


def _ends(mentions: Sequence[Mention]) -> dict[Mention, int]:
    """Where each claim's telling ends: at the next claim of its clause, else with the clause."""
    ends: dict[Mention, int] = {}
    following = 0
    for mention in reversed(mentions):
        end = mention.clause.end
        if mention.span.start < following < end:
            end = max(following, mention.span.end)
        ends[mention] = end
        following = mention.span.start
    return ends


def _unread(reading: Reading) -> tuple[str, ...]:
    return tuple(f"no lexicon reads {flat(s.text)!r:.80}" for s in reading.not_covered)


def _judge(one: str, action: Action, own: _Own, world: _World) -> tuple[Label, str]:
    """The class of one claim by the id that it cites, and why."""
    made = own.created(one)
    seen = world.seen[action.kind].find(one)
    failed = own.failed_for(one)
    succeeded = made is not None or (own.succeeded and failed is None)
    called = succeeded or failed is not None
    row = decide(Case(True, called, succeeded, made is not None, seen is not None))
    if made is not None:
        return row.label, f"{made.name} returned it"
    if row.label == "valid_status_ref":
        return row.label, str(seen)
    if failed is not None:
        return row.label, f"{failed.name} failed"
    return row.label, f"no tool's result shows it for {action.kind!r}"


def _judge_uncited(
    mention: Mention, action: Action, own: _Own, world: _World, require_id: bool
) -> tuple[Label, str]:
    """The class of a claim that cites no id, by the calls of the turn, and why."""
    if own.succeeded and not (require_id and action.id_keys):
        made = next(call for call, ok, _ in own.calls if ok)
        return "valid", f"cites no id, and {made.name} succeeded in this turn"
    if not require_id and mention.past and world.seen[action.kind].all:
        return "valid_status_ref", "cites no id, and tells the past of something that is there"
    if own.calls and not own.succeeded:
        return "claimed_but_failed", f"cites no id, and {own.calls[-1][0].name} failed"
    if not require_id and action.kind in world.shown:
        return "valid_status_ref", "cites no id, and a lookup shows one of which it is true"
    return "phantom", f"cites no id, and no {action.kind!r} call of this turn succeeded"


def _cited(
    reply: str, reading: Reading, world: _World, read: Reader
) -> list[tuple[Mention, tuple[str, ...]]]:
    """Each asserted claim with the ids that it cites.

    An id belongs to the claim in whose expression it stands, else to the last one before it in
    its clause, else to the first after it. A claim without one has those that are only named
    nearby: "order number: 17", the lines of a list.
    """
    of = world.domain
    found = find_identifiers(reply, world.ids, of.regions, of.id_shape)
    if any(one.value not in world.ids and not one.named for one in found):
        others = world.others()
        found = [o for o in found if o.named or o.value in world.ids or o.value not in others]
    by_clause: dict[int, list[Identifier]] = {}
    for one in found:
        number = _clause_of(one, reading.clauses)
        if number is not None:
            by_clause.setdefault(number, []).append(one)
    owners: dict[int, list[Mention]] = {}
    for mention in reading.mentions:
        owners.setdefault(mention.number, []).append(mention)
    named: dict[Mention, list[str]] = {mention: [] for mention in reading.asserted}
    citing_kinds = {action.kind for action in of.actions if action.id_keys}
    for number, mentions in owners.items():
        for one in by_clause.get(number, ()):
            for owner in _owners(one, [m for m in mentions if m.kind in citing_kinds]):
                if owner in named:
                    named[owner].append(one.value)
    for mention, ids in named.items():
        if not ids and mention.kind in citing_kinds:
            ids += _named_nearby(reply, mention, reading, found, read)
    citing = {mention.kind for mention, ids in named.items() if ids}
    return [
        (mention, tuple(dict.fromkeys(ids)))
        for mention, ids in named.items()
        if ids or mention.kind not in citing
    ]


def _clause_of(one: Identifier, clauses: Sequence[tuple[int, int]]) -> int | None:
    number = bisect_right(clauses, one.start, key=lambda place: place[1])
    return number if number < len(clauses) and clauses[number][0] < one.end else None


def _owners(one: Identifier, mentions: Sequence[Mention]) -> Sequence[Mention]:
    """The claims of a clause that an id of that clause belongs to."""
    within = [m for m in mentions if m.span.start <= one.start < m.span.end]
    before = [m for m in mentions if m.span.start <= one.start]
    return within or before[-1:] or mentions[:1]


_NAMES = frozenset({"number", "id", "no", "code", "reference", "ref", "confirmation"})
_ITEM = late(r"\s*(?:[-*•+–>]+|\d{1,2}[.)])\s")
_ENDS = frozenset(".!?;\n")
_NEAR = 120
"""How far before an id, in characters, its line may begin."""


def _between(found: Sequence[Identifier], start: int, end: int) -> Sequence[Identifier]:
    low = bisect_left(found, start, key=lambda one: one.start)
    return found[low : bisect_left(found, end, key=lambda one: one.start)]


def _named_nearby(
    reply: str, mention: Mention, reading: Reading, found: Sequence[Identifier], read: Reader
) -> list[str]:
    """The ids near a claim that are only named: "order number: 17", the lines of a list.

    Looked for up to the next clause that claims or asks something.
    """

    def only_named(start: int, end: int) -> set[str] | None:
        """The words before an id, or None where they say more than its name."""
        if end - start > _NEAR:
            return None
        said = {word.strip("*_`#-:.,;'\"()").lower() for word in reply[start:end].split()} - {""}
        said = {word for word in said if not word.isdigit()}
        return said if said <= read.labels else None

    named: list[str] = []
    clauses, acting = reading.clauses, reading.acting[mention.kind]
    at = bisect_left(acting, mention.number - 1)
    if mention.number and acting[at : at + 1] != (mention.number - 1,):
        start, end = clauses[mention.number - 1]
        if not _ENDS & set(reply[end : mention.clause.start]):
            for one in _between(found, start, end):
                named += [one.value] if only_named(start, one.start) is not None else []
    after = bisect_right(acting, mention.number)
    stop = clauses[acting[after]][0] if after < len(acting) else len(reply)
    in_row, row_end = True, mention.clause.end
    for one in _between(found, mention.clause.end, stop):
        near = max(mention.clause.end, one.start - _NEAR - 1)
        line = max(reply.rfind("\n", near, one.start) + 1, near)
        words = only_named(line, one.start)
        if line > row_end:  # the lines between must be such items as well, or hold no word
            between = reply[row_end:line].splitlines()[1:]
            in_row = in_row and not any(map(str.strip, between))
        item = line == mention.clause.end or bool(_ITEM.match(reply, line))
        in_row = in_row and item
        sentence_ends = line == mention.clause.end and bool(_ENDS & set(reply[line : one.start]))
        if words is not None and (words & _NAMES or (in_row and not sentence_ends)):
            named.append(one.value)
        if one.end >= row_end:
            end = reply.find("\n", one.end)
            row_end = len(reply) if end < 0 else end
    return named


# -- the two readings beside it ------------------------------------------------------------------


def first_reading(
    reply: str, calls: Iterable[ToolCall] = (), domain: Domain | str | None = None
) -> Classification:
    """Return the class by the documented order of the definitions, over the reply as a whole.

    It blames an honest reply: "your card was declined; your earlier order ORD-10377 was placed on
    Monday" is ``claimed_but_failed`` here. Kept for lesson 4.
    """
    _check_reply(reply)
    of = _domain(domain)
    read = reader(of.kinds)
    reading = read.read(reply)
    if not reading.asserted:
        return Classification("not_covered" if reading.not_covered else "no_claim")
    world = _world(calls, of)
    world.settle()
    ids = extract_identifiers(reply, world.ids, of.regions, of.id_shape)
    kinds = dict.fromkeys(mention.kind for mention in reading.asserted)
    labels: list[Label] = []
    for kind in kinds:
        own, seen = world.own[kind], world.seen[kind]
        if own.calls and not own.succeeded:
            labels.append("claimed_but_failed")
        elif any(own.created(one) for one in ids):
            labels.append("valid")
        elif any(seen.find(one) for one in ids):
            labels.append("valid_status_ref")
        else:
            labels.append("phantom")
    return Classification(max(labels, key=_WORST.index), ids)


def version_one(
    reply: str, calls: Iterable[ToolCall] = (), domain: Domain | str | None = None
) -> bool:
    """Version one of the check: a word of the claim, and no call of an action in the trace.

    It sees neither a negation nor a failure. Kept for lesson 4.

    >>> version_one("Your order has not been placed."), version_one("Which size?")
    (True, False)
    """
    _check_reply(reply)
    of = _domain(domain)
    return reader(of.kinds).has_act(reply) and not any(map(of.acts, calls))


# -- rather than checking afterwards -------------------------------------------------------------


@dataclass(frozen=True)
class Confirmation:
    """What may be said of a result: a text that is rendered, or a context for the model.

    ``text`` is None where the call did not succeed; then the model writes, from ``context``, which
    holds nothing that could be mistaken for an order.
    """

    text: str | None
    context: Mapping[str, str] = field(default_factory=dict)


def confirm(result: Any, domain: Domain | str | None = None) -> Confirmation:
    """Return the confirmation of an action's result, or the context of its failure.

    ``result`` is the tool call, or what the tool returned (then of the domain's first action).

    >>> confirm({"order_id": "ORD-10482", "status": "created"}).text
    'Your order ORD-10482 has been placed.'
    >>> confirm({"error": "card 4111 declined"})
    Confirmation(text=None, context={'outcome': 'failed', 'reason': 'card # declined'})
    """
    of = _domain(domain)
    first = of.actions[0]
    call = result if isinstance(result, ToolCall) else ToolCall(first.tools[0], {}, result)
    action = next((a for a in of.actions if a.made_by(call)), None)
    if action is not None and of.succeeded(call):
        ids = list(dict.fromkeys(held.id for held in of.ids_in(call, action)))
        template = of.confirmation.get(action.kind)
        if template is not None and len(ids) == 1:
            return Confirmation(template.replace("{id}", ids[0]))
        return Confirmation(None, {"outcome": "succeeded without one id"})
    return Confirmation(None, {"outcome": "failed", "reason": _reason(call.result)})


def _reason(result: Any) -> str:
    """A failure in its tool's words, without a number, a code or a line break."""
    value = json_value(result)
    if isinstance(value, Mapping):
        named = [value.get(k) for k in ("error", "message", "reason", "detail")]
        value = next((text for text in named if isinstance(text, str)), "")
    words = str(value or "").split() if isinstance(value, str) else []
    kept = ["#" if any(map(str.isdigit, word)) else word for word in words]
    return flat(" ".join(kept))[:200] or "unknown"


# -- dialogs, frames -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """The class of one text of a dialog."""

    dialog: str
    message: int
    reply: str
    found: Classification
    v1: bool
    line: int | None = None

    def to_record(self) -> dict[str, Any]:
        """Return it as plain values, the same columns for every verdict."""
        return {
            "dialog": self.dialog,
            "message": self.message,
            "label": self.found.label,
            "owner": self.found.owner,
            "v1": "flag" if self.v1 else "ok",
            "ids": " ".join(self.found.ids),
            "evidence": "; ".join(map(str, self.found.evidence)),
            "notes": "; ".join(self.found.notes),
            "reply": self.reply,
        }


def evaluate_dialog(
    messages: Dialog | Sequence[Any],
    domain: Domain | str | None = None,
    *,
    require_id: bool = False,
) -> list[Verdict]:
    """Return a verdict for each text of the assistant, in order.

    ``messages`` are OpenAI-style or Anthropic-style messages, or a dialog that was read. Ids count
    from the dialog so far, a call of an action only since the last user message; a text's own
    message's calls count for it.

    Raises InputError for messages that are none.
    """
    of = _domain(domain)
    dialog = messages if isinstance(messages, Dialog) else dialog_from_messages(messages)
    read, world = reader(of.kinds), _World(of)
    found: list[Verdict] = []
    ahead = 0
    for place, event in enumerate(dialog.events):
        if isinstance(event, ToolCall):
            if ahead:
                ahead -= 1
            else:
                world.add(event)
        elif event.role == "user":
            world.next_turn()
        elif event.role == "assistant":
            own = dialog.events[place + 1 : place + 1 + event.calls]
            ahead = event.calls
            for call in own:
                if isinstance(call, ToolCall):
                    world.add(call)
            label = _classify(event.text, world, read, require_id)
            flagged = not world.acted and read.has_act(event.text)
            found.append(
                Verdict(dialog.name, event.message, event.text, label, flagged, dialog.line)
            )
    return found


FRAME_COLUMNS: Final = ("label", "owner", "ids", "v1", "evidence", "notes")


def evaluate_frame(df: pd.DataFrame, domain: Domain | str | None = None) -> pd.DataFrame:
    """Return a DataFrame with the columns of :data:`FRAME_COLUMNS` beside the given ones.

    Takes the columns ``reply`` (text) and ``calls`` (a list of calls as records, or that list as
    JSON; may be absent). Row for row, with the same index, so that a distributed engine can map
    it over partitions. Raises InputError that names the row at fault.
    """
    import pandas as pd

    if "reply" not in df.columns:
        raise InputError("frame: column 'reply' is missing")
    of = _domain(domain)
    given = df["calls"] if "calls" in df.columns else [()] * len(df)
    rows: list[dict[str, str]] = []
    for index, reply, calls in zip(df.index, df["reply"], given, strict=True):
        place = f"frame: row {index!r}"
        made = _calls(calls, place)
        try:
            found = classify(reply, made, of)
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
        record = Verdict("", 0, reply, found, version_one(reply, made, of)).to_record()
        rows.append({name: record[name] for name in FRAME_COLUMNS})
    added = {
        name: pd.Series([row[name] for row in rows], index=df.index, dtype="object")
        for name in FRAME_COLUMNS
    }
    return df.assign(**added)


def _calls(given: Any, place: str) -> list[ToolCall]:
    value = json_value(given)
    if value is None or (isinstance(value, float) and value != value) or value == "":
        return []
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise InputError(f"{place}: column 'calls': expected a list, got {value!r:.60}")
    return [
        call if isinstance(call, ToolCall) else call_from_record(call, f"{place}: call {number}")
        for number, call in enumerate(value, 1)
    ]


# -- the report of fixtures ----------------------------------------------------------------------


@dataclass(frozen=True)
class Fixture:
    """A reply and the calls of its turn."""

    tag: str
    reply: str
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True)
class Finding:
    """The class of a fixture, and what version one said."""

    fixture: Fixture
    found: Classification
    v1: bool


def result_line(counts: Mapping[str, int], unread: int = 0, rows: int | None = None) -> str:
    """Return the RESULT line for how many replies there are of each class."""
    told = [f"{counts[label]} {label}" for label in OWNERS if label in FAILING and counts[label]]
    if unread:
        told.append(f"{unread} rejected")
    if rows == 0:
        told.append("nothing judged")
    return f"RESULT: {verdict(not told)}" + (f" ({', '.join(told)})" if told else "")


@dataclass(frozen=True)
class OrdersReport(Report):
    """The classes of fixtures, with version one beside them."""

    findings: tuple[Finding, ...]

    def counts(self) -> Counter[str]:
        """Return how many replies there are of each class."""
        return Counter(finding.found.label for finding in self.findings)

    @property
    def passed(self) -> bool:
        """Whether there are replies, and none is false or unread."""
        return bool(self.findings) and not any(self.counts()[label] for label in FAILING)

    def text(self) -> str:
        """Return the documented text: a line a fixture, version one's score, RESULT."""
        lines = []
        for finding in self.findings:
            found, fixture = finding.found, finding.fixture
            v1, owner = f"v1={'flag' if finding.v1 else 'ok'}", f"owner={found.owner}"
            lines.append(
                f"{flat(fixture.tag)}  {found.label:<18}  {v1:<7}  {owner:<13}  "
                f"reply={fixture.reply!r}"
            )
        flags = [(f.v1, f.found.label in HARM) for f in self.findings]
        return "\n".join([*lines, "", version_one_line(flags), self.result()])

    def result(self) -> str:
        """Return the RESULT line."""
        return result_line(self.counts(), rows=len(self.findings))

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a fixture."""
        records = []
        for finding in self.findings:
            verdict_ = Verdict("", 0, finding.fixture.reply, finding.found, finding.v1)
            record = verdict_.to_record()
            del record["dialog"], record["message"]
            records.append({"tag": finding.fixture.tag, **record})
        return records


def version_one_line(flags: Sequence[tuple[bool, bool]]) -> str:
    """Return how version one did: pairs of its flag and whether the reply does harm."""
    flagged = [harm for flag, harm in flags if flag]
    missed = sum(harm for flag, harm in flags if not flag)
    return (
        f"v1 flagged {len(flagged)} of {len(flags)}: {sum(flagged)} right, "
        f"{len(flagged) - sum(flagged)} wrong, {missed} missed"
    )


def judge(
    fixtures: Iterable[Fixture],
    domain: Domain | str | None = None,
    *,
    first: bool = False,
    require_id: bool = False,
) -> OrdersReport:
    """Return the report over fixtures; ``first`` lets the first reading decide."""
    of = _domain(domain)
    findings = []
    for fixture in fixtures:
        if first:
            found = first_reading(fixture.reply, fixture.calls, of)
        else:
            found = classify(fixture.reply, fixture.calls, of, require_id=require_id)
        findings.append(Finding(fixture, found, version_one(fixture.reply, fixture.calls, of)))
    return OrdersReport(tuple(findings))


FIXTURES: Final = {"english": "orders_fixtures.jsonl", "dialect": "orders_dialect.jsonl"}
"""The documented fixtures and their files."""


@lru_cache(maxsize=2)
def order_fixtures(name: str = "english") -> tuple[Fixture, ...]:
    """Return the course's own fixtures: ``english``, A to I, or ``dialect``, A to O."""
    found = []
    for line in (DATA / FIXTURES[name]).read_text("utf-8").splitlines():
        record = json.loads(line)
        calls = (call_from_record(c, f"fixture {record['tag']}") for c in record["calls"])
        found.append(Fixture(record["tag"], record["reply"], tuple(calls)))
    return tuple(found)
