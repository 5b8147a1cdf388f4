"""Lab 1, the claim ledger: for each claim of a reply, where does it come from?

"A tool was called" is not evidence. "This sentence matches the row that the tool returned" is.
Four judges, from polite to strict: ``called``, ``weekday``, ``field``, ``closed``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from claimlab.catalog import NOT_FOUND, Catalog, Evidence, Missed, Row, normalise_code
from claimlab.clauses import assertions, split_claims
from claimlab.errors import InputError
from claimlab.late import late
from claimlab.mentions import DAYS, clean, weekdays
from claimlab.pieces import pieces
from claimlab.reading import Outcome, content, outcomes
from claimlab.report import Report, one_line, verdict
from claimlab.spans import Span
from claimlab.tokens import World, codes, tokens, without_codes
from claimlab.trace import Reply, ToolCall, Turn, code_sent
from claimlab.vocabulary import vocabulary

MAX_CLAIM = 2_000
"""The longest text that `field` and `closed` read as one claim, in characters."""

Source = Literal["TOOL", "GUESSED"]
Kind = Literal["supported", "contradicted", "unsupported", "missed", "no_call"]


@dataclass(frozen=True)
class Finding:
    """Where a claim comes from, and why a judge says so.

    ``field`` is the field of the row that decided, where one did. ``unaccounted`` are the words
    that nothing explains (judge ``closed`` only).
    """

    source: Source
    kind: Kind
    field: str | None
    reason: str
    unaccounted: tuple[str, ...] = ()


def _tool(field: str | None, reason: str) -> Finding:
    return Finding("TOOL", "supported", field, reason)


def _guessed(kind: Kind, field: str | None, reason: str) -> Finding:
    return Finding("GUESSED", kind, field, reason)


NO_CALL = _guessed("no_call", None, "no lookup was made: there is no row to compare with")


# -- the four judges -----------------------------------------------------------------------------


def called(claim: str, row: Evidence, world: World | None) -> Finding:
    """Judge 0: a tool was called, so it is backed. The camera that records the door opening."""
    if row is None:
        return NO_CALL
    return _tool(None, "a tool was called")


def weekday(claim: str, row: Evidence, world: World | None) -> Finding:
    """Judge 1, the first ledger: guessed without a row, or with a weekday that the lab lacks."""
    if row is None:
        return NO_CALL
    if isinstance(row, Missed):
        return _guessed("missed", None, "the lookup found no row, and no row backs nothing")
    has: set[int] = set()
    for value in [row["lab"]] if "lab" in row else row.values():
        if isinstance(value, str):
            has |= {day for m in weekdays(clean(value)) for day in m.value}
    said = {day for m in weekdays(clean(claim)) for day in m.value}
    wrong = sorted(said - has)
    if wrong:
        return _guessed("contradicted", "lab", f"the row's lab has no {DAYS[wrong[0]]}")
    return _tool(None, "names no weekday that the row's lab does not have")


def field(claim: str, row: Evidence, world: World | None) -> Finding:
    """Judge 2, the default: every value must agree with the field that the claim says it is of."""
    if row is None:
        return NO_CALL
    if isinstance(row, Missed):
        return _judge_missed(claim)
    assert world is not None
    if _too_long(claim):
        return _guessed("unsupported", None, f"{len(claim):,} characters are no single claim")
    asserted = assertions(claim)
    if not asserted:
        return _guessed("unsupported", None, "asserts nothing: a question or a courtesy")
    if claim.rstrip().endswith("?"):
        return _guessed("unsupported", None, "a question, even a leading one, is no statement")
    if sign := _REFUSED_SIGNS.search(claim):
        return _guessed("unsupported", None, f"the sign {sign.group()!r} takes something back")
    found = outcomes(asserted, world)
    for kind in ("contradicted", "unsupported"):
        for outcome in found:
            if outcome.kind == kind:
                return _guessed(outcome.kind, outcome.field, outcome.reason)
    if not found:
        return _guessed("unsupported", None, "says nothing that a field of the row could back")
    return _tool(_fields(found), found[0].reason if len(found) == 1 else _reasons(found))


def closed(claim: str, row: Evidence, world: World | None) -> Finding:
    """Judge 3: on top of `field`, every content word must come from the row or a short list."""
    finding = field(claim, row, world)
    if not isinstance(row, Mapping) or _too_long(claim):
        return finding
    assert world is not None
    left = tuple(content(assertions(claim), world))
    if not left:
        return finding
    named = "unaccounted: " + ", ".join(left)
    if finding.source == "TOOL":
        return Finding("GUESSED", "unsupported", finding.field, named, left)
    return Finding(finding.source, finding.kind, finding.field, f"{finding.reason}; {named}", left)


Judge = Callable[[str, Evidence, "World | None"], Finding]

JUDGES: Final[Mapping[str, Judge]] = MappingProxyType(
    {"called": called, "weekday": weekday, "field": field, "closed": closed}
)
"""The judges by name, from polite to strict."""


def _too_long(claim: str) -> bool:
    """Whether a text is too long for one claim, as written or in its one form (`clean`)."""
    return len(claim) > MAX_CLAIM or len(clean(claim)) > MAX_CLAIM


def _fields(found: list[Outcome]) -> str | None:
    names = list(dict.fromkeys(o.field for o in found if o.field))
    return ", ".join(names) or None


def _reasons(found: list[Outcome]) -> str:
    return "; ".join(dict.fromkeys(o.reason for o in found))


def _judge_missed(claim: str) -> Finding:
    """A miss backs one kind of claim: no row for this code. Everything else is guessed."""
    words = vocabulary()
    asserted = assertions(claim)
    read = pieces(without_codes(asserted), World({}, None, normalise_code))
    allowed = words.frame | words.found | words.course | words.denials | words.catalog
    said = {t.low for p in read for t in p.tokens if t.kind == "word"}
    other = said - allowed or said & _MORE_THAN_A_MISS
    values = [t.text for p in read for t in p.tokens if t.mention and t.kind != "number"]
    text = f" {' '.join(w for p in read for w in p.words)} "
    says_so = any(f" {phrase} " in text for phrase in words.no_row)
    undone = _UNDONE.search(text)
    weak = any(p.has_phrase(words.conditions) for p in read if "sure" not in p.words)
    one_code = len(set(map(normalise_code, codes(asserted)))) <= 1
    if says_so and one_code and not (other or values or weak or undone):
        return Finding("TOOL", "supported", None, "the lookup found no row, and the claim says so")
    return _guessed(
        "missed", None, "the lookup found no row; a miss backs only 'no row for this code'"
    )


_UNDONE = late(
    r" (?:not|isn't|wasn't) (?:missing|absent|unable) | failed (?!to )"
    r"|(?<! no)(?<! such)(?<! matching) (?:row|record|course|entry|match) (?:was|is|were) found "
)
_MORE_THAN_A_MISS = frozenset({"exists", "exist", "any", "none", "only"})
_REFUSED_SIGNS = late(r"!=|≠|<>|~~|¬|<!--|[❌✗✘🚫⛔]")


# -- one claim -----------------------------------------------------------------------------------

_USUAL_KEYS = ("code", "course_id", "course_code", "course", "crn", "course_number", "id", "key")


def judge_claim(
    claim: str,
    row: Evidence,
    judge: str = "field",
    catalog: Catalog | None = None,
) -> Finding:
    """Return where a claim comes from: ``TOOL`` when the row backs it, else ``GUESSED``.

    ``row`` is the mapping that the lookup returned, ``NOT_FOUND`` (looked up, no row) or ``None``
    (no lookup). ``judge`` is one of ``called``, ``weekday``, ``field``, ``closed``. ``catalog``
    tells the key and the words for its fields; without it the usual names of a key are tried.

    Raises InputError for a claim that is no text, a row that is no mapping, an unknown judge.

    >>> row = {"code": "COMP 4081", "term": "Fall", "title": "NLP", "lab": "Wednesday 10:00"}
    >>> judge_claim("COMP 4081 has a Wednesday lab", row).source
    'TOOL'
    >>> judge_claim("The final exam is Wednesday 10:00", row).reason
    "no field of the row answers 'final exam'"
    """
    if not isinstance(claim, str):
        raise InputError(f"claim: expected text, got {claim!r:.60}")
    _check_judge(judge)
    return JUDGES[judge](claim, row, _world(row, catalog))


def _check_judge(judge: str) -> None:
    if judge not in JUDGES:
        raise InputError(f"judge: expected one of {', '.join(JUDGES)}, got {judge!r:.60}")


def _world(row: Evidence, catalog: Catalog | None) -> World | None:
    if row is None or isinstance(row, Missed):
        return None
    if not isinstance(row, Mapping) or not all(isinstance(name, str) for name in row):
        raise InputError(f"row: expected a mapping of fields, got {row!r:.60}")
    if catalog is not None:
        words = tuple((name, tuple(given)) for name, given in catalog.synonyms.items())
        return World(row, catalog.key, catalog.normalise, words)
    key = next((name for name in _USUAL_KEYS if name in row), None)
    return World(row, key, normalise_code)


# -- a whole reply -------------------------------------------------------------------------------

Origin = Literal["declared", "text", "undeclared"]
CLAIMS: Final = ("declared", "text", "both")


@dataclass(frozen=True)
class Entry:
    """One line of a ledger: a claim, where it stands, what it was compared with, what came of it.

    ``span`` is the claim's place in the reply's text; a declared claim has none. ``row`` is the
    row that decided, NOT_FOUND, or None without a lookup.
    """

    claim: str
    origin: Origin
    finding: Finding
    row: Evidence
    span: Span | None = None


@dataclass(frozen=True)
class Ledger(Report):
    """Where each claim of one reply comes from. Passes when none is guessed.

    A reply that asserts nothing passes too; its RESULT says ``nothing claimed``.
    """

    reply: Reply
    entries: tuple[Entry, ...]
    judge: str
    question: str | None = None

    @property
    def passed(self) -> bool:
        """Whether every claim is backed by what a tool returned."""
        return all(entry.finding.source == "TOOL" for entry in self.entries)

    @property
    def guessed(self) -> tuple[Entry, ...]:
        """The entries that nothing backs."""
        return tuple(entry for entry in self.entries if entry.finding.source == "GUESSED")

    def result(self) -> str:
        """Return the RESULT line."""
        guessed = len(self.guessed)
        if guessed:
            claims = "unbacked claim" if guessed == 1 else f"{guessed} unbacked claims"
            return f"RESULT: {verdict(False)} ({claims})"
        return f"RESULT: {verdict(True)}" + ("" if self.entries else " (nothing claimed)")

    def text(self, reasons: bool = False) -> str:
        """Return the documented block; with ``reasons``, a line more a claim."""
        lines = [] if self.question is None else [f"Q: {one_line(self.question)}"]
        lines += [f"A: {one_line(self.reply.text)}", "LEDGER"]
        for entry in self.entries:
            label = "undeclared" if entry.origin == "undeclared" else "claim"
            row = dict(entry.row) if isinstance(entry.row, Mapping) else None
            lines.append(
                f"- {label}: {entry.claim!r} source={entry.finding.source} tool_row={row!r}"
            )
            if reasons:
                field = f" ({one_line(entry.finding.field)})" if entry.finding.field else ""
                lines.append(f"  {entry.finding.kind}{field}: {one_line(entry.finding.reason)}")
        return "\n".join([*lines, self.result()])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a claim."""
        return [
            {
                "question": self.question,
                "claim": entry.claim,
                "origin": entry.origin,
                "start": entry.span.start if entry.span else None,
                "end": entry.span.end if entry.span else None,
                "source": entry.finding.source,
                "kind": entry.finding.kind,
                "field": entry.finding.field,
                "reason": entry.finding.reason,
                "tool_row": dict(entry.row) if isinstance(entry.row, Mapping) else None,
            }
            for entry in self.entries
        ]


@dataclass(frozen=True)
class LedgerRun(Report):
    """The ledgers of several replies, and their SUMMARY."""

    ledgers: tuple[Ledger, ...]

    @property
    def passed(self) -> bool:
        """Whether every reply passes."""
        return all(ledger.passed for ledger in self.ledgers)

    def summary(self) -> str:
        """Return the SUMMARY line: a verdict a reply."""
        return "SUMMARY " + json.dumps([verdict(ledger.passed) for ledger in self.ledgers])

    def text(self, reasons: bool = False) -> str:
        """Return the ledgers one after the other, an empty line after each, and the summary."""
        return "\n\n".join([*(led.text(reasons) for led in self.ledgers), self.summary()])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a claim, with the number of its reply, counted from 1."""
        return [
            {"reply": number, **record}
            for number, ledger in enumerate(self.ledgers, 1)
            for record in ledger.to_records()
        ]


def audit(
    reply: Reply,
    judge: str = "field",
    claims: str = "both",
    catalog: Catalog | None = None,
    question: str | None = None,
) -> Ledger:
    """Return the ledger of one reply.

    ``claims`` says which: ``declared`` (those that the reply declares), ``text`` (those that
    :func:`~claimlab.clauses.split_claims` finds in it), or ``both``: the declared ones, then each
    clause of the text that no declared claim covers, as ``undeclared``. A model's list of its own
    claims is not trusted to be all that it said.

    >>> said = Reply("Yes, lab is Tuesday at 2pm.", (), ("COMP 3170 has a Tuesday lab",))
    >>> [(e.origin, e.finding.kind) for e in audit(said).entries]
    [('declared', 'no_call'), ('undeclared', 'no_call')]
    """
    _check_judge(judge)
    if claims not in CLAIMS:
        raise InputError(f"claims: expected one of {', '.join(CLAIMS)}, got {claims!r:.60}")
    lookups: list[_Lookup] = []
    for call in reply.calls:
        lookups += (found for found in _lookups(call, catalog) if found not in lookups)
    entries = []
    if claims != "text":
        for claim in reply.claims:
            named = _named(claim, lookups, catalog)
            entries.append(_entry(claim, "declared", named, lookups, judge, catalog))
    if claims != "declared":
        origin: Origin = "text" if claims == "text" else "undeclared"
        declared = reply.claims if claims == "both" else ()
        spoken_of: list[_Lookup] = []
        before = ""
        for span in split_claims(reply.text):
            named = _named(span.text, lookups, catalog)
            spoken_of = named or spoken_of
            about = {normalise_code(lookup.sent) for lookup in spoken_of if lookup.sent}
            if not any(_covers(claim, span.text, about) for claim in declared):
                context = before if _GOES_ON.match(span.text) else ""
                others = spoken_of or lookups
                entries.append(
                    _entry(span.text, origin, named, others, judge, catalog, span, context)
                )
            before = span.text
    return Ledger(reply, tuple(entries), judge, question)


def audit_turns(
    turns: Sequence[Turn],
    judge: str = "field",
    claims: str = "both",
    catalog: Catalog | None = None,
) -> LedgerRun:
    """Return the ledgers of a conversation, a ledger a turn. See :func:`audit`."""
    return LedgerRun(
        tuple(audit(turn.reply, judge, claims, catalog, turn.question) for turn in turns)
    )


class _Lookup(NamedTuple):
    """What one call brought: a row, NOT_FOUND, or a failure; and the code that was sent."""

    row: Row | Missed
    sent: str | None
    failed: bool = False


def _lookups(call: ToolCall, catalog: Catalog | None) -> Iterator[_Lookup]:
    key = catalog.key if catalog else "code"
    sent = code_sent(call.args, key)
    if not call.ok:
        yield _Lookup(NOT_FOUND, sent, failed=True)
        return
    found = call.result if isinstance(call.result, list | tuple) else [call.result]
    for row in found or [NOT_FOUND]:
        if row is None or row is NOT_FOUND or row == "NOT_FOUND":
            yield _Lookup(NOT_FOUND, sent)
        elif isinstance(row, Mapping):
            yield _Lookup(row, sent)
        else:
            raise InputError(
                f"call {call.name}: expected a row (a mapping of fields) or NOT_FOUND as its "
                f"result, got {row!r:.60}"
            )


def _named(claim: str, lookups: list[_Lookup], catalog: Catalog | None) -> list[_Lookup]:
    """The lookups whose row, or whose code as sent, the claim names."""
    normalise = catalog.normalise if catalog else normalise_code
    named = []
    for lookup in lookups:
        if isinstance(lookup.row, Mapping):
            world = _world(lookup.row, catalog)
            assert world is not None
            found = tokens(clean(claim[:MAX_CLAIM]), world)
            if any(token.kind == "key" or "title" in token.columns for token in found):
                named.append(lookup)
        elif lookup.sent and normalise(lookup.sent) in map(normalise, codes(claim[:MAX_CLAIM])):
            named.append(lookup)
    return named


_GOES_ON = late(r"(?:it|its|it's|they|that|this|the (?:day|time|start)|on|at)\b", re.I)
_ALL = late(r"\b(?:both|they|all|each)\b", re.I)
_PREFERENCE = ("supported", "contradicted", "unsupported", "missed", "no_call")


def _entry(
    claim: str,
    origin: Origin,
    named: list[_Lookup],
    others: list[_Lookup],
    judge: str,
    catalog: Catalog | None,
    span: Span | None = None,
    context: str = "",
) -> Entry:
    """Judge a claim by the lookups that it may be about.

    Of those that it names, the best finding counts. Where it names none and there are several
    rows among the others, or it speaks of both, the worst does: a claim about "it" must be true of
    each.
    """
    chosen = named or others
    if not chosen:
        return Entry(claim, origin, judge_claim(claim, None, judge, catalog), None, span)
    found = [(_judge_lookup(claim, lookup, judge, catalog, context), lookup) for lookup in chosen]
    rows = [pair for pair in found if isinstance(pair[1].row, Mapping)]

    def rank(pair: tuple[Finding, _Lookup]) -> int:
        return _PREFERENCE.index(pair[0].kind)

    if len(rows) > 1 and (not named or _ALL.search(claim)):
        found = [max(rows, key=rank), *(pair for pair in found if pair not in rows)]
    finding, lookup = min(found, key=rank)
    return Entry(claim, origin, finding, lookup.row, span)


def _judge_lookup(
    claim: str, lookup: _Lookup, judge: str, catalog: Catalog | None, context: str = ""
) -> Finding:
    row = lookup.row
    if judge == "called":
        return judge_claim(claim, row, judge, catalog)
    if isinstance(row, Mapping):
        world = _world(row, catalog)
        assert world is not None
        key = row.get(world.key) if world.key else None
        asked = lookup.sent if lookup.sent and codes(lookup.sent) else None
        if asked and isinstance(key, str) and world.normalise(key) != world.normalise(asked):
            return _guessed("unsupported", world.key, f"{asked!r} was asked, the row is {key!r}")
        return JUDGES[judge](claim, row, world._replace(context=context))
    return _judge_missed_lookup(claim, lookup, judge, catalog)


def _judge_missed_lookup(
    claim: str, lookup: _Lookup, judge: str, catalog: Catalog | None
) -> Finding:
    finding = judge_claim(claim, lookup.row, judge, catalog)
    if lookup.failed:
        return _guessed("missed", None, "the call failed: nothing came back to compare with")
    said = [normalise_code(code) for code in codes(claim)]
    if finding.source == "TOOL" and said and not lookup.sent:
        return _guessed("missed", None, "the lookup that found no row was for no code")
    if finding.source == "TOOL" and lookup.sent:
        otherwise = catalog.spelt_otherwise(lookup.sent) if catalog else None
        if otherwise:
            return _guessed(
                "missed",
                None,
                f"{lookup.sent!r} was not found, but the catalog has {otherwise!r}: "
                "a miss speaks of the key that was sent",
            )
        if any(code != normalise_code(lookup.sent) for code in said):
            return _guessed("missed", None, f"the lookup that found no row was for {lookup.sent!r}")
    return finding


def _said(text: str) -> tuple[frozenset[object], bool]:
    """What a clause asserts, as a set, and whether it denies."""
    read = pieces(text, World({}, None, normalise_code))
    small = vocabulary().frame - vocabulary().denials
    said = frozenset(
        (token.kind, token.mention.value)
        if token.mention is not None
        else normalise_code(token.text)
        if token.kind == "code"
        else token.low
        for piece in read
        for token in piece.tokens
        if token.kind != "punct" and token.low not in small
    )
    return said, any(piece.denied_from is not None for piece in read)


def _covers(claim: str, clause: str, about: set[str]) -> bool:
    """Whether a declared claim asserts all that a clause of the text asserts, denials included.

    ``about`` holds the codes that the text spoke of last: a claim about another one covers nothing.
    """
    if len(clause) > MAX_CLAIM or len(claim) > MAX_CLAIM:
        return False
    named = set(map(normalise_code, codes(claim)))
    if named and about and not named & about:
        return False
    (declared, denies), (said, denied) = _said(claim), _said(clause)
    return said <= declared and denies == denied
