"""Worlds that were changed on purpose, for `claimlab.probe`: rows, facts, sources, traces.

Each generator knows which claim is under test, so it can say for each change whether the claim
still holds: one letter of a source breaks "this is the reviewed text" and leaves "one renewal is
permitted" true. The judges under test are never asked. A seed decides where there is a choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from claimlab.catalog import NOT_FOUND, Evidence, Row
from claimlab.errors import InputError
from claimlab.handbook import Source
from claimlab.jury import Fixture
from claimlab.jury import World as Facts
from claimlab.late import late
from claimlab.mentions import DAYS
from claimlab.predicates import Predicate
from claimlab.probe import Mutant
from claimlab.trace import ToolCall
from claimlab.vacuity import literals

# -- rows ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RowClaim:
    """A claim, the row that backs it, and what of the row the claim states.

    ``about`` names fields, or a part of one: ``lab``, or ``lab/day`` when the hour is left open.
    """

    claim: str
    row: Evidence
    about: frozenset[str]


_DAYS: Final = DAYS[:5]  # on which there are labs
_DAY = late("|".join(_DAYS))
_CLOCK = late(r"\b([0-9]{1,2}):([0-9]{2})\b")
_NUMBER = late(r"[0-9]+")


def row_mutants(
    world: RowClaim, others: Sequence[Row] = (), key: str = "code", seed: int = 0
) -> tuple[Mutant[RowClaim], ...]:
    """Return changed rows for a claim: values changed, nulled, swapped with another row's; no row.

    ``others`` are further rows of the table, ``key`` its key column. A change of a field that the
    claim does not state leaves the claim true, as does another order of the fields or a value in
    capital letters; those are marked healthy. Raises InputError for a world without a row.

    >>> nlp = {"code": "COMP 4081", "term": "Fall", "lab": "Wednesday 10:00"}
    >>> world = RowClaim("COMP 4081 has a Wednesday lab", nlp, frozenset({"lab"}))
    >>> for mutant in row_mutants(world)[:4]: print(mutant.kind, "|", mutant.name)
    no call | no lookup was made
    missed | the lookup found no row
    unstated field | term is null
    unstated field | term is 'Spring'
    """
    if not isinstance(world.row, Mapping):
        raise InputError(f"row: expected a mapping to change, got {world.row!r:.60}")
    return tuple(_row_mutants(world, world.row, others, key, Random(f"row {seed}")))


def _row_mutants(
    world: RowClaim, row: Row, others: Sequence[Row], key: str, random: Random
) -> Iterator[Mutant[RowClaim]]:
    def made(kind: str, name: str, changed: Evidence, healthy: bool = False) -> Mutant[RowClaim]:
        return Mutant(kind, name, replace(world, row=changed), healthy)

    yield made("no call", "no lookup was made", None)
    yield made("missed", "the lookup found no row", NOT_FOUND)
    for name, value in row.items():
        if name == key:
            continue
        if value is not None:
            stated = any(one.partition("/")[0] == name for one in world.about)
            told = "null" if stated else "unstated field"
            yield made(told, f"{name} is null", {**row, name: None}, not stated)
        swaps = [other[name] for other in others if other.get(name) not in (None, value)]
        changes = [*_changes(value, random)]
        if swaps:
            changes.append(("swapped", random.choice(swaps)))
        for kind, changed in changes:
            stated = _states(world.about, name, value, changed)
            told = kind if stated else "unstated field"
            yield made(told, f"{name} is {changed!r}", {**row, name: changed}, not stated)
    for other in others:
        if other.get(key) != row.get(key):
            yield made("another row", f"the row is that of {other.get(key)}", dict(other))
    yield made("same row", "the fields in another order", dict(reversed(list(row.items()))), True)
    loud = {n: v.upper() if isinstance(v, str) and n != key else v for n, v in row.items()}
    yield made("same row", "the values in capital letters", loud, True)


_PARTS: Final = {"day": _DAY, "hour": _CLOCK}


def _states(about: frozenset[str], name: str, value: object, changed: object) -> bool:
    """Whether a claim about these fields and parts states what is changed."""
    if name in about:
        return True
    parts = [part for part in _PARTS if f"{name}/{part}" in about]
    return any(_part(part, value) != _part(part, changed) for part in parts)


def _part(part: str, value: object) -> str | None:
    found = _PARTS[part].search(str(value))
    return found.group() if found else None


def _changes(value: object, random: Random) -> Iterator[tuple[str, object]]:
    """Other values of the same kind: the day, the hour, the number of a value, each by itself."""
    if isinstance(value, bool):
        yield "value", not value
    elif isinstance(value, int | float):
        yield "number", value + random.choice((-1, 1))
    elif isinstance(value, str):
        if day := _DAY.search(value):
            others = [name for name in _DAYS if name != day.group()]
            yield "day", value.replace(day.group(), random.choice(others))
        if clock := _CLOCK.search(value):
            hour = (int(clock[1]) + random.choice((1, 2, 3))) % 24
            yield "hour", value.replace(clock.group(), f"{hour}:{clock[2]}", 1)
        elif number := _NUMBER.search(value):
            yield "number", value.replace(number.group(), str(int(number.group()) + 1), 1)
        if value in ("Fall", "Spring"):
            yield "value", "Spring" if value == "Fall" else "Fall"


# -- facts and predicates ------------------------------------------------------------------------


@dataclass(frozen=True)
class FactClaim:
    """A row of the jury and the facts. ``truth`` is a predicate that says what the claim says."""

    fixture: Fixture
    facts: Facts
    truth: str


def fact_mutants(world: FactClaim) -> tuple[Mutant[FactClaim], ...]:
    """Return the world with one fact changed: flipped, or moved across a literal of ``truth``.

    A change is healthy when ``truth`` still holds: it is of a fact that the claim does not speak
    of, or on the same side of every literal.

    >>> facts = Facts({"epochs": 3, "held_out": False}, {})
    >>> row = Fixture("A", "trained for 3 epochs", True, "epochs == 3")
    >>> for m in fact_mutants(FactClaim(row, facts, "epochs == 3")): print(m.name, m.healthy)
    epochs is 2 False
    epochs is 4 False
    held_out is True True
    """
    return tuple(_fact_mutants(world))


def _fact_mutants(world: FactClaim) -> Iterator[Mutant[FactClaim]]:
    said = list(literals(Predicate.parse(world.truth, world.facts.facts).tree))
    for name, value in world.facts.facts.items():
        for kind, changed in dict.fromkeys(_across(value, said)):
            facts = {**world.facts.facts, name: changed}
            changed_world = replace(world, facts=replace(world.facts, facts=facts))
            holds = Predicate.parse(world.truth, facts).holds(facts)
            kind = "unread fact" if holds else kind
            yield Mutant(kind, f"{name} is {changed!r}", changed_world, holds)


def _across(value: object, said: Sequence[object]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bool):
        yield "fact flipped", not value
    elif isinstance(value, int | float):
        step = 1 if isinstance(value, int) else 0.01
        numbers = [n for n in said if isinstance(n, int | float) and not isinstance(n, bool)]
        near = [n for n in numbers if isinstance(n, int) == isinstance(value, int)]
        for point in near or [value]:
            for moved in (point - step, point + step):
                if moved != value:
                    yield "fact moved", round(moved, 6)
    elif isinstance(value, str):
        yield "fact replaced", f"{value}-2"
        yield from (("fact replaced", t) for t in said if isinstance(t, str) and t != value)


def predicate_mutants(world: FactClaim) -> tuple[Mutant[FactClaim], ...]:
    """Return the row with a predicate that agrees with the claim and does not check it; and twins.

    Mutants: always true, a tautology over a fact, one half of the ``and`` left out. Healthy: the
    same check, written otherwise.

    >>> facts = Facts({"epochs": 3}, {})
    >>> row = Fixture("A", "trained for 3 epochs", True, "epochs == 3")
    >>> for m in predicate_mutants(FactClaim(row, facts, "epochs == 3")): print(m.name)
    epochs == 3 or True
    True or epochs == 3
    epochs == epochs
    not (epochs == 3 and not (epochs == 3))
    epochs == 3 or not (epochs == 3)
    (epochs == 3)
    epochs == 3 and epochs == 3
    epochs == 3 and True
    """
    given = world.fixture.predicate
    name = min(Predicate.parse(given, world.facts.facts).names)
    weak = [
        ("always true", f"{given} or True"),
        ("always true", f"True or {given}"),
        ("tautology", f"{name} == {name}"),
        ("tautology", f"not ({given} and not ({given}))"),
        ("tautology", f"{given} or not ({given})"),
    ]
    halves = given.split(" and ")
    weak += [
        ("half left out", " and ".join(halves[:n] + halves[n + 1 :]))
        for n in range(len(halves))
        if len(halves) > 1
    ]
    same = [f"({given})", f"{given} and {given}", f"{given} and True"]
    changed = [(kind, text, False) for kind, text in weak]
    changed += [("same check", text, True) for text in same]
    return tuple(
        Mutant(kind, text, replace(world, fixture=replace(world.fixture, predicate=text)), healthy)
        for kind, text, healthy in changed
    )


# -- sources -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SourceClaim:
    """A question with its evidence packet; the claim is "the cited source is the reviewed text"."""

    question_id: str
    source_id: str
    packet: tuple[Source, ...]


def source_mutants(
    world: SourceClaim, letters: int = 3, seed: int = 0
) -> tuple[Mutant[SourceClaim], ...]:
    """Return changed packets: letters, a lost sentence, a label, the source missing or twice.

    ``letters`` is how many single letters are changed, each in a packet of its own. Line ends, the
    order of the packet, an equal copy and other sources leave the claim true: healthy. Raises
    InputError when the packet does not hold the source.

    >>> from claimlab.handbook import handbook
    >>> packet = tuple(handbook().values())
    >>> made = source_mutants(SourceClaim("q-renew", "renewals-v1", packet))
    >>> [mutant.kind for mutant in made if mutant.healthy]
    ['line ends', 'line ends', 'order', 'equal copy', 'other source', 'other source']
    """
    own = next((one for one in world.packet if one.id == world.source_id), None)
    if own is None:
        raise InputError(f"packet: holds no source {world.source_id!r:.60}")
    return tuple(_source_mutants(world, own, letters, Random(f"source {seed}")))


def _source_mutants(
    world: SourceClaim, own: Source, letters: int, random: Random
) -> Iterator[Mutant[SourceClaim]]:
    rest = tuple(one for one in world.packet if one is not own)

    def made(kind: str, name: str, *sources: Source, healthy: bool = False) -> Mutant[SourceClaim]:
        return Mutant(kind, name, replace(world, packet=(*sources, *rest)), healthy)

    text = own.text
    places = [n for n, char in enumerate(text) if char.isalpha()]
    for place in sorted(random.sample(places, min(letters, len(places)))):
        other = random.choice([c for c in "abcdefghijklmnopqrstuvwxyz" if c != text[place].lower()])
        changed = text[:place] + other + text[place + 1 :]
        word = _word_at(changed, place)
        yield made("letter", f"one letter: {word!r}", replace(own, text=changed))
    lines = text.strip().split("\n")
    for n in range(len(lines)):
        left = "\n".join(lines[:n] + lines[n + 1 :])
        if left:
            yield made("lost sentence", f"without {lines[n]!r:.40}", replace(own, text=left))
    yield made("space", "a space at the end", replace(own, text=text + " "))
    yield made("label", "the version is another", replace(own, version=own.version + ".1"))
    yield made("label", "the document is another", replace(own, identifier=own.identifier + "-2"))
    yield made("missing", "the source is not in the packet")
    twin = replace(own, text=text + "\nThis does not hold in June.")
    yield made("conflict", "a second, different text under its id", own, twin)
    crlf = replace(own, text=text.replace("\n", "\r\n"))
    cr = replace(own, text=text.replace("\n", "\r"))
    yield made("line ends", "Windows line ends", crlf, healthy=True)
    yield made("line ends", "old Mac line ends", cr, healthy=True)
    turned = replace(world, packet=tuple(reversed(world.packet)))
    yield Mutant("order", "the packet in another order", turned, healthy=True)
    yield made("equal copy", "the same source twice", own, own, healthy=True)
    more = Source("notes-v1", "library/notes", "1", "The plants are watered on Fridays.")
    yield made("other source", "one more source", own, more, healthy=True)
    if rest:
        changed_rest = (replace(rest[0], text=rest[0].text + "\nAnd more."), *rest[1:])
        packet = replace(world, packet=(own, *changed_rest))
        yield Mutant("other source", f"{rest[0].id} is changed", packet, healthy=True)


def _word_at(text: str, place: int) -> str:
    return next(m.group() for m in re.finditer(r"\S+", text) if m.start() <= place < m.end())


# -- traces --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TraceClaim:
    """A reply that says something about an order, and the calls of its turn.

    ``backing`` is the position of the call that backs it, None where the reply claims nothing;
    ``cites`` whether the reply names the id.
    """

    reply: str
    calls: tuple[ToolCall, ...]
    backing: int | None = None
    cites: bool = True


def trace_mutants(world: TraceClaim) -> tuple[Mutant[TraceClaim], ...]:
    """Return changed traces: the call failed, dropped, its id swapped, its result emptied, a phone.

    A reply that cites no id stays true when the id is another. Further calls, a result that is
    nested or text, and a measured latency leave every claim true: healthy.

    >>> made = ToolCall("create_order", {"sku": "TEA-2"}, {"order_id": "ORD-10482"})
    >>> world = TraceClaim("Your order ORD-10482 has been placed.", (made,), 0)
    >>> [mutant.kind for mutant in trace_mutants(world) if not mutant.healthy]
    ['failed', 'failed', 'dropped', 'another id', 'emptied', 'phone']
    """
    return tuple(_trace_mutants(world))


def _trace_mutants(world: TraceClaim) -> Iterator[Mutant[TraceClaim]]:
    def made(kind: str, name: str, calls: Iterable[ToolCall], ok: bool) -> Mutant[TraceClaim]:
        return Mutant(kind, name, replace(world, calls=tuple(calls)), ok)

    asked = ToolCall("get_opening_hours", {"day": "Monday"}, {"opens": "8:00"})
    yield made("further call", "a call about something else", (*world.calls, asked), True)
    at = world.backing
    if at is None:
        return
    call, before, after = world.calls[at], world.calls[:at], world.calls[at + 1 :]

    def put(changed: ToolCall) -> tuple[ToolCall, ...]:
        return (*before, changed, *after)

    failed = replace(call, ok=False, result={"error": "card declined"})
    yield made("failed", f"{call.name} failed", put(failed), False)
    kept = replace(call, ok=False, result={**call.result, "status": "failed"})
    yield made("failed", f"{call.name} failed and names the id", put(kept), False)
    yield made("dropped", f"{call.name} was never called", (*before, *after), False)
    swapped = _with_other_ids(call.result)
    cites = world.cites
    told = "another id" if cites else "uncited id"
    renamed = put(replace(call, args={}, result=swapped))
    yield made(told, f"{call.name} returned another id", renamed, not cites)
    if cites:
        empty = replace(call, args={}, result={})
        yield made("emptied", f"{call.name} returned nothing", put(empty), False)
        digits = "".join(c for c in str(_first_id(call.result)) if c.isdigit())
        phone = ToolCall("get_customer", {}, {"customer": "C-7", "phone": digits})
        name = "the digits came back as a phone number"
        yield made("phone", name, (*before, phone, *after), False)
    nested = replace(call, result={"data": {"items": [call.result]}})
    yield made("same result", "the result is nested", put(nested), True)
    yield made("same result", "it took a second", put(replace(call, latency_ms=1000.0)), True)


def _first_id(result: Any) -> Any:
    return next((v for n, v in result.items() if n.endswith("id")), "")


def _with_other_ids(result: Any) -> Any:
    """A result with every id counted up by 111."""
    return {
        name: _NUMBER.sub(lambda m: str(int(m.group()) + 111), value, count=1)
        if name.endswith("id") and isinstance(value, str)
        else value
        for name, value in result.items()
    }


# -- wordings ------------------------------------------------------------------------------------


def wording_mutants(
    broken: Mapping[str, Sequence[str]], same: Mapping[str, Sequence[str]]
) -> tuple[Mutant[str], ...]:
    """Return texts as worlds: ``broken`` no longer say it, ``same`` still do, by kind of change.

    >>> [m.kind for m in wording_mutants({"negated": ["not placed"]}, {"thanks": ["placed, bye"]})]
    ['negated', 'thanks']
    """
    return tuple(
        Mutant(kind, text, text, healthy)
        for given, healthy in ((broken, False), (same, True))
        for kind, texts in given.items()
        for text in texts
    )
