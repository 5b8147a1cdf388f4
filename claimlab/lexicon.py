"""Reading what a text asserts, with lexicons: one TOML file a language in ``data/lexicons/``.

A clause asserts an action when one of the lexicon's claim expressions matches in it and nothing in
the clause takes it back: no negation, no future or condition, no question, no report of somebody
else's words. What is a claim and what takes it back is data: :mod:`claimlab.lexicon_file` reads
it, :mod:`claimlab.forms` makes patterns of it, :mod:`claimlab.sentences` cuts a text into clauses,
:mod:`claimlab.languages` says which lexicon reads what. This module looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from claimlab.errors import InputError
from claimlab.languages import Languages
from claimlab.lexicon_entries import CANCELLERS, SECTIONS, Entry, Lexicon
from claimlab.lexicon_file import LEXICONS, lexicons, read_lexicon
from claimlab.lexicon_patterns import Compiled, compile_lexicon, word_parts
from claimlab.sentences import TOKEN, Clause, cut_clauses, first_word, words_in
from claimlab.spans import Span
from claimlab.spelling import Normal, normalise

__all__ = [
    "CANCELLERS",
    "LEXICONS",
    "SECTIONS",
    "Cancelled",
    "Entry",
    "Lexicon",
    "Mention",
    "Reader",
    "Reading",
    "futures",
    "lexicons",
    "marked",
    "negations",
    "not_covered",
    "read_lexicon",
    "reader",
]

_LOOK_BACK = 6
"""How many clauses of its sentence before a claim may hold the condition that governs it."""


@dataclass(frozen=True)
class Cancelled:
    """What took a claim back: the lexicon's section, the words that matched, what they mean."""

    section: str
    words: str
    gloss: str = ""


@dataclass(frozen=True)
class Mention:
    """A claim expression in a text: the kind of action, its place, what took it back.

    ``number`` is the number of its clause. ``past``: it is told of a dated past.
    """

    kind: str
    span: Span
    clause: Span
    number: int
    cancelled: Cancelled | None = None
    past: bool = False


@dataclass(frozen=True)
class Reading:
    """What a text says. ``mentions`` holds every claim expression, asserted or taken back.

    ``clauses`` are all clauses of a text with a claim expression; ``acting`` tells, by kind, the
    numbers of those that have a verb of such a claim or that ask. ``not_covered`` are the stretches
    in a language that no lexicon reads.
    """

    mentions: tuple[Mention, ...] = ()
    clauses: tuple[tuple[int, int], ...] = ()
    acting: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    not_covered: tuple[Span, ...] = ()

    @property
    def asserted(self) -> tuple[Mention, ...]:
        """The mentions that nothing takes back."""
        return tuple(m for m in self.mentions if m.cancelled is None)


NOTHING = Reading()


class Reader:
    """Reads texts for some kinds of action, with all lexicons at once.

    >>> reader = Reader(("create",))
    >>> [m.span.text for m in reader.read("I did not cancel 1001; I placed 1002.").asserted]
    ['I placed 1002']
    """

    def __init__(self, kinds: Sequence[str], given: Sequence[Lexicon] | None = None) -> None:
        self.kinds = tuple(kinds)
        self.compiled = [compile_lexicon(one, self.kinds) for one in given or lexicons()]
        self.languages = Languages(self.compiled)
        self.heads = frozenset(word for one in self.compiled for word in one.heads)
        self.labels = frozenset(word for one in self.compiled for word in _labels(one.lexicon))

    def has_act(self, text: str) -> bool:
        """Whether a text holds a word of a claim, asserted or not: what version one looks for."""
        words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
        if any(not one.joined.isdisjoint(words) for one in self.languages.plain):
            return True
        normal = normalise(text)
        return any(
            not one.joined.isdisjoint(word_parts(match.group(), one))
            for start, end, one in self.languages.pieces(text, normal, words_in(normal.text))
            if one not in self.languages.plain
            for match in TOKEN.finditer(normal.text, start, end)
        )

    def read(self, text: str) -> Reading:
        """Return what a text asserts. Takes time linear in the text's length."""
        normal = normalise(text)
        said = words_in(normal.text)
        if not said:
            return NOTHING
        not_covered = self.languages.not_covered(text, normal, said)
        mentions: list[Mention] = []
        clauses: list[Clause] = []
        pieces: list[tuple[Compiled, int, list[Clause]]] = []
        for start, end, one in self.languages.pieces(text, normal, said):
            if one in self.languages.plain and one.head_words.isdisjoint(said):
                continue
            cut = cut_clauses(normal, one, start, end)
            mentions += self._mentions(text, normal, one, cut, len(clauses))
            pieces.append((one, len(clauses), cut))
            clauses += cut
        if not mentions:
            return Reading(not_covered=not_covered) if not_covered else NOTHING
        acting: dict[str, tuple[int, ...]] = {}
        for one, before, cut in pieces:
            for kind, numbers in _acting(cut, one, before).items():
                acting[kind] = acting.get(kind, ()) + numbers
        places = tuple([normal.original(c.places[0][0], c.places[-1][1]) for c in clauses])
        return Reading(tuple(mentions), places, acting, not_covered)

    def _mentions(
        self,
        text: str,
        normal: Normal,
        one: Compiled,
        clauses: Sequence[Clause],
        before: int,
    ) -> list[Mention]:
        """The mentions in clauses that one lexicon reads; ``before`` clauses came before them."""
        found: list[Mention] = []
        fronts: dict[int, tuple[Entry, str] | None] = {}
        for number, clause in enumerate(clauses):
            if one.head_words.isdisjoint(clause.words):
                continue
            kinds = dict.fromkeys(k for w in clause.words for k in one.heads.get(w, ()))
            masked = _masked(clause, one)
            for kind in kinds:
                for match in one.claims[kind].found(masked, len(masked)):
                    first = masked.count(" ", 0, match.start())
                    last = masked.count(" ", 0, match.end()) - 1
                    cancelled = self._cancelled(clauses, number, masked, match, one, fronts)
                    span = _span(text, normal, clause.places[first - 1 : last])
                    whole = _span(text, normal, clause.places)
                    past = self._is_past(match.group(), clause.words, one)
                    found.append(Mention(kind, span, whole, number + before, cancelled, past))
        return _one_a_verb(found, one.joins) if len(found) > 1 else found

    def _cancelled(
        self,
        clauses: Sequence[Clause],
        number: int,
        stream: str,
        match: re.Match[str],
        one: Compiled,
        fronts: dict[int, tuple[Entry, str] | None],
    ) -> Cancelled | None:
        clause = clauses[number]
        if clause.asks:
            return Cancelled("question", "?")
        first = first_word(clause, one)
        if first in one.inverted and _inverted(clause, first, one):
            return Cancelled("question", first)
        present = self._is_present(match.group(), one)
        words = stream.split()
        after = one.after.may_match(words)
        if not one.takes_back.isdisjoint(words):
            for hit in one.before.found(stream, match.end() + 1):
                entry = one.before.owners[(hit.lastindex or 1) - 1]
                if entry.tense != "present" or present:
                    return Cancelled(entry.section, hit.group().strip(" |"), entry.gloss)
        for hit in one.after.pattern.finditer(stream, match.end()) if after else ():
            entry = one.after.owners[(hit.lastindex or 1) - 1]
            if entry.tense != "present" or present:
                return Cancelled(entry.section, hit.group().strip(" |"), entry.gloss)
        nearest = max(0, number - _LOOK_BACK)
        for earlier in range(number - 1, nearest - 1, -1):
            if clauses[earlier].sentence != clause.sentence:
                break
            if earlier not in fronts:
                fronts[earlier] = _front(clauses[earlier], one)
            found = fronts[earlier]
            if found is not None and (found[0].tense != "present" or present):
                return Cancelled(found[0].section, found[1], found[0].gloss)
        return None

    @staticmethod
    def _is_present(matched: str, one: Compiled) -> bool:
        words = matched.split()
        return not one.present.isdisjoint(words) and one.been.isdisjoint(words)

    @staticmethod
    def _is_past(matched: str, words: Sequence[str], one: Compiled) -> bool:
        said = matched.split()
        told = one.been.isdisjoint(said) and not one.past.isdisjoint(said)
        return told and not one.dated.isdisjoint(words)


def _labels(lexicon: Lexicon) -> Iterator[str]:
    """The words that may stand beside an id which is only named: "order number", "under"."""
    for name in ("label", "det", "opener", "beside"):
        yield from (part for word in lexicon.words.get(name, ()) for part in word.split())
    for kind in lexicon.kinds.values():
        yield from (word for name in ("N", "Ns") for word in kind[name])


def _acting(clauses: Sequence[Clause], one: Compiled, before: int) -> dict[str, tuple[int, ...]]:
    """By kind, the numbers of the clauses with a verb of its claims, and of those that ask."""
    return {
        kind: tuple(
            [
                number
                for number, clause in enumerate(clauses, before)
                if clause.asks or not verbs.isdisjoint(clause.words)
            ]
        )
        for kind, verbs in one.verbs.items()
    }


def _front(clause: Clause, one: Compiled) -> tuple[Entry, str] | None:
    """The entry by which a clause governs those after it in its sentence, and its words."""
    masked = _masked(clause, one)
    begins = next(one.front.found(masked, len(masked)), None)
    if begins is None:
        return None
    return one.front.owners[(begins.lastindex or 1) - 1], begins.group().strip(" |")


def _one_a_verb(found: Sequence[Mention], joins: frozenset[str]) -> list[Mention]:
    """Keep one mention a verb, in the text's order.

    In "the changes to your booking were made" it is the changes that were made: the longest of
    those that end at one verb. In "I processed the cancellation of the booking" it is the
    cancellation: the shortest of those that begin with one. "The upgrade and the cancellation were
    completed" says both.
    """
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda m: (m.span.end, m.span.start)):
        if not any(_same_verb(other, mention, joins) for other in kept[-3:]):
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.span.start)


def _same_verb(one: Mention, other: Mention, joins: frozenset[str]) -> bool:
    """Whether two mentions share an edge, with no "and" in what one has beyond the other."""
    if one.kind == other.kind:
        return False
    if one.span.end == other.span.end:
        beyond = one.span.text[: other.span.start - one.span.start]
    elif one.span.start == other.span.start:
        beyond = other.span.text[len(one.span.text) :]
    else:
        return False
    return joins.isdisjoint(beyond.lower().split())


def _masked(clause: Clause, one: Compiled) -> str:
    """A clause as forms are matched with it, its look-alikes hidden."""
    stream = clause.stream()
    if not one.masks.may_match(clause.words):
        return stream
    return one.masks.pattern.sub(_mask, stream)


def _mask(match: re.Match[str]) -> str:
    """As many words that mean nothing."""
    return " ~" * match.group().count(" ")


def _inverted(clause: Clause, first: str, one: Compiled) -> bool:
    """Whether verb and subject have changed places: "is your order placed"."""
    words = clause.words
    after = words.index(first) + 1
    while after < len(words) and words[after] == "not":
        after += 1
    return after < len(words) and words[after] in one.subject


# -- negation and future by themselves -----------------------------------------------------------


def negations(text: str, language: str | None = None) -> list[Span]:
    """Return every negation of a text, in order: the negated word, or from ``ma`` to its ``sh``.

    ``language`` is ``en``, ``arz`` (Egyptian) or ``ary`` (Moroccan, Maghrebi); without it the
    language is guessed, a sentence at a time. What :func:`not_covered` returns was read by nobody.
    Raises InputError for a language without a lexicon.

    >>> [span.text for span in negations("ma3rafch 3lach, machi mouchkil. الطلب متسجلش")]
    ['ma3rafch', 'machi', 'متسجلش']
    """
    return marked(reader(), text, language, "negators")


def futures(text: str, language: str | None = None) -> list[Span]:
    """Return every future of a text, in order: the marker, or the verb that holds it in itself.

    >>> [span.text for span in futures("ghadi nchoufou, ghanjawbek. الطلب هيتسجل بكرة")]
    ['ghadi', 'ghanjawbek', 'هيتسجل']
    """
    return marked(reader(), text, language, "futures")


def not_covered(text: str) -> list[Span]:
    """Return the stretches of a text in a language that no lexicon reads.

    >>> [span.text for span in not_covered("Der Auftrag wurde nicht erteilt.")]
    ['Der Auftrag wurde nicht erteilt.']
    """
    return list(reader().read(text).not_covered)


def marked(read: Reader, text: str, language: str | None, marks: str) -> list[Span]:
    """Return what a reader finds: ``marks`` is ``negators`` or ``futures``."""
    languages = {one.lexicon.language for one in read.compiled}
    if language is not None and language not in languages:
        expected = ", ".join(sorted(languages))
        raise InputError(f"language: expected one of {expected}, got {language!r:.60}")
    normal = normalise(text)
    found = []
    for start, end, one in read.languages.pieces(text, normal, words_in(normal.text), language):
        pattern: re.Pattern[str] = getattr(one, marks)
        for clause in cut_clauses(normal, one, start, end):
            masked = _masked(clause, one)
            first = at = 0
            for match in pattern.finditer(masked):
                first += masked.count(" ", at, match.start())
                at = match.start()
                count = match.group().count(" ")
                found.append(_span(text, normal, clause.places[max(0, first - 1) :][:count]))
    return found


def _span(text: str, normal: Normal, places: Sequence[tuple[int, int]]) -> Span:
    start, end = normal.original(places[0][0], places[-1][1])
    return Span(text[start:end], start, end)


@lru_cache(maxsize=16)
def reader(kinds: tuple[str, ...] = ("create",)) -> Reader:
    """Return the reader for some kinds of action, with the course's own lexicons."""
    return Reader(kinds)
