"""How the judges `field` and `closed` read a claim against a row.

The claim is cut into pieces (``pieces.py``), a piece into tokens (``tokens.py``). Each piece yields
:class:`Outcome` objects: a field that agrees, one that differs, or something that the row does not
answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from claimlab.mentions import Mention, clean
from claimlab.pieces import Piece, is_fragment, pieces
from claimlab.tokens import Token, World
from claimlab.values import NOTHING_SAYS, Value, compare, value_of, words_of
from claimlab.vocabulary import Cues, cues, vocabulary

MAX_ADJECTIVES = 12
"""How many words before a noun are looked at, to see whether one decorates it."""
MAX_BACK = 40
"""How many pieces back the field may be named that a value is of."""
_FILLERS = frozenset("is are was be the a an as to of not it for course".split())
"""Words between a field's name and its value: ``the title of the course is``."""
OutcomeKind = Literal["supported", "contradicted", "unsupported"]


class Outcome(NamedTuple):
    """What one value or predicate of a claim came to."""

    kind: OutcomeKind
    field: str | None
    reason: str


def outcomes(claim: str, world: World) -> list[Outcome]:
    """Return what each value and predicate of the claim comes to against the row.

    ``world.context`` is the clause before it, for "It meets on Wednesday".
    """
    before = pieces(world.context, world) if world.context else []
    read = before + pieces(claim, world)
    found: list[Outcome] = []
    for index in range(len(before), len(read)):
        if not read[index].neutral:
            found.extend(_Reader(read, index, world).outcomes())
    return found


class _Reader:
    """Reads one piece in the light of those before and after it."""

    def __init__(self, read: list[Piece], index: int, world: World) -> None:
        self.read, self.index, self.world = read, index, world
        self.piece = read[index]
        self.bound: set[str] = set()
        self.answered: set[str] = set()
        self.denied: list[tuple[Token, Outcome]] = []

    def outcomes(self) -> Iterator[Outcome]:
        piece = self.piece
        words = vocabulary()
        weak = piece.has_phrase((*words.hedges, *words.conditions))
        first = piece.words[0] if piece.words else ""
        weak = weak or (first if first in words.opening else "")
        if weak and not piece.has_phrase(words.firm):
            yield Outcome("unsupported", None, f"'{weak}': the row says it is so or it does not")
        sweeping = piece.has_phrase(words.sweeping)
        if _only_course().search(piece.padded):
            yield Outcome("unsupported", None, "'only': the row says nothing of other rows")
        if piece.has_phrase(words.whole_phrases):
            if self.index == 0 or not is_fragment(piece):
                yield from self.value_claims(denials=False)
            return
        if sweeping and not (sweeping in ("any", "all") and piece.denied_from is not None):
            yield Outcome("unsupported", None, f"the row says nothing of '{sweeping}'")
        for token in piece.tokens:
            if token.kind == "code":
                yield Outcome("unsupported", None, f"the row is not about {token.text}")
        found = list(self.nothing_claims())
        heads = self.unanswered()
        if heads:
            yield Outcome("unsupported", None, f"no field of the row answers '{' '.join(heads)}'")
        if not found:
            found += self.value_claims()
            found += self.named_text_claims()
            found += self.existence_claims()
        yield from found
        yield from self.leftovers(found)

    def leftovers(self, found: list[Outcome]) -> Iterator[Outcome]:
        """What a piece says beside its values: bare or double denials, a field without a value."""
        piece = self.piece
        said = set(piece.words)
        if piece.denied_twice:
            yield Outcome("unsupported", None, "two denials in one clause")
        if not found and (piece.denied_from is not None or said & {"exist", "exists"}):
            # "No," and "Not yet," open an answer; elsewhere a bare denial takes something back
            opens = self.index == 0 and said <= {"no", "not", "yet", "nope", "at", "all"}
            if not opens:
                yield Outcome("unsupported", None, "a denial that names nothing of the row")
        events = [c for c in piece.strong if c.concept.event]
        others = [c for c in piece.strong if c.concept.subject and c.column not in self.bound]
        if found and events and not any(c.column in self.bound for c in events):
            others += events
        if found and others and self.bound:
            column = others[0].column
            yield Outcome("unsupported", column, f"nothing here is a value of '{column}'")
        if "or" in said and piece.denied_from is None:
            kinds = [t.kind for t in piece.tokens if t.mention is not None and t.kind != "key"]
            if len(kinds) > len(set(kinds)):
                yield Outcome("unsupported", None, "'or' leaves open which")

    # which fields this piece speaks of

    def before(self) -> list[Piece]:
        """The pieces before this one, the nearest first, as far back as a reader remembers."""
        return self.read[max(0, self.index - MAX_BACK) : self.index][::-1]

    def names_another(self, kind: str, index: int) -> bool:
        """Whether the piece names fields, and none that holds this: ``the term is MWF``."""
        strong = self.piece.strong
        if all(c.concept.generic for c in strong) or any(self.holds(c, kind) for c in strong):
            return False
        after = self.piece.tokens[index + 1 : index + 2]
        return not after or after[0].low not in vocabulary().course  # "a Fall course with a lab"

    def cued(self, kind: str, index: int) -> list[Cues]:
        """The fields that hold values of this kind and are spoken of, the nearest words first."""
        here = [self.piece, *self.before()]
        if self.index == 0 or is_fragment(self.piece):
            here += self.read[self.index + 1 : self.index + 4]
        event = self.event()
        other = self.names_another(kind, index)
        if other:
            here = [self.piece]  # "the term is MWF": the field that is named holds no days
        for piece in here:
            for tier in (piece.strong, piece.weak):
                fitting = [c for c in tier if self.holds(c, kind)]
                if event:
                    fitting = [c for c in fitting if not c.concept.generic]
                if fitting:
                    return fitting
        if other:
            return []
        return [
            c
            for c in cues(self.world.columns, self.world.synonyms)
            if c.column and c.concept.bare and self.holds(c, kind) and self.is_bare(kind)
        ]

    def event(self) -> bool:
        """Whether the piece speaks of something with times of its own, by name or going on."""
        piece = self.piece
        if any(c.concept.event for c in piece.strong):
            return True
        if self.index == 0 or any(t.kind in ("key", "text") for t in piece.tokens):
            return False
        if set(piece.words) & (vocabulary().course | {"lecture", "lectures"}):
            return False
        return any(c.concept.event for c in self.read[self.index - 1].strong)

    def holds(self, cue: Cues, kind: str) -> bool:
        value = value_of(self.world.row.get(cue.column or ""))
        if kind in ("time", "part"):
            if value.words and not value.times and not value.nothing and value.days:
                return False  # a column of days only says nothing of times
            return "time" in cue.concept.holds
        if kind == "day":
            if value.times and not value.days:
                return False
            return "day" in cue.concept.holds
        return kind in cue.concept.holds

    def is_bare(self, kind: str) -> bool:
        """Whether a value may stand beside the course without its field's name."""
        return not self.piece.topics and not (kind in ("day", "time", "part") and self.event())

    # content that no field answers

    def unanswered(self) -> list[str]:
        """Content words that are the point of the piece, not mere decoration before a noun."""
        toks = self.piece.tokens
        licensed = self.licensed()
        found = []
        for index, token in enumerate(toks):
            if token.kind != "word" or token.low in licensed:
                continue
            if token.low in self.piece.topics or not self.decorates(index, licensed):
                found.append(token.text)
        return found[:4]

    def licensed(self) -> set[str]:
        words = vocabulary()
        allowed = (
            set(words.frame)
            | self.answered
            | words.null
            | words.blank
            | words.denials
            | words.whole
        )
        allowed.update(
            w for t in self.piece.tokens if t.mention for w in t.mention.hedge.lower().split()
        )
        padded, said = self.piece.padded, set(self.piece.words)
        for phrase in (*words.tba, *words.hedges, *words.conditions, *words.sweeping):
            if phrase in padded:
                allowed.update(phrase.split())
        for cue in (*self.piece.strong, *self.piece.weak):
            for noun in (*cue.concept.nouns, *cue.concept.verbs):
                if noun <= said:
                    allowed |= noun
            for phrase in cue.concept.opposite:
                if phrase.replace("-", " ") in padded:
                    allowed.update(phrase.replace("-", " ").split())
            if cue in self.piece.strong:
                allowed.update(value_of(self.world.row[str(cue.column)]).words)
        allowed.update(w for _, _, run in self.raw_texts for w in run)
        return allowed - self.piece.topics

    def decorates(self, index: int, licensed: set[str]) -> bool:
        """Whether a word only decorates: a plain adverb, or an adjective before a noun."""
        words = vocabulary()
        toks = self.piece.tokens
        if any(t.kind == "text" for t in toks[max(0, index - 1) : index + 2]):
            return False  # "Advanced Analysis of Algorithms" is another title
        low = toks[index].low
        if low in words.adverbs:
            return True
        if low in words.undoing or low.endswith("ly") or (index and toks[index].text[0].isupper()):
            return False  # "rarely", "the cancelled lab", "the Databases course"
        after = index + 1
        while after < min(len(toks), index + MAX_ADJECTIVES) and (
            toks[after].text == "-"
            or (toks[after].kind == "word" and toks[after].low not in licensed)
        ):
            after += 1
        before = index - 1
        while before >= max(0, index - MAX_ADJECTIVES) and (
            toks[before].text == "-"
            or (toks[before].kind == "word" and toks[before].low not in licensed)
        ):
            before -= 1
        opens = before < 0 or toks[before].low in (
            words.determiners | words.prepositions | {"has", "have", "is", "are", "also"}
        )
        if after >= len(toks) or not opens:
            return False
        noun = toks[after]
        nouns = {w for c in self.piece.strong for n in c.concept.nouns for w in n}
        return noun.kind in ("day", "season", "time", "key") or noun.low in nouns | words.course

    # the kinds of nothing

    def nothing_claims(self) -> Iterator[Outcome]:
        piece, words, row = self.piece, vocabulary(), self.world.row
        said = set(piece.words)
        if not any(t.mention for t in piece.tokens):
            denied_field = piece.denied_from is not None and "none" not in said
            if said & words.key_words and (denied_field or said & words.missing):
                yield from self.missing_claim()
                return
            if said & words.missing and piece.topics and "row" in said:
                yield from self.missing_claim()
                return
        columns = [c.column for c in self.nothing_cues() if c.column]
        kind = self.nothing_said()
        if not kind or not columns:
            return
        denied = kind != "null" and piece.denied_from is not None
        for column in columns:
            value = value_of(row[column])
            self.bound.add(column)
            if (value.nothing == kind) != denied:
                yield Outcome(
                    "supported", column, f"'{column}' {NOTHING_SAYS.get(value.nothing, 'is given')}"
                )
            elif value.nothing and not denied:
                says = NOTHING_SAYS[value.nothing]
                yield Outcome("contradicted", column, f"'{column}' {says}, not {_said_as(kind)}")
            else:
                yield Outcome("contradicted", column, self.given(column))
        yield from self.value_claims(denials=False)

    def nothing_cues(self) -> list[Cues]:
        if self.piece.strong:
            return self.piece.strong
        for piece in self.before():
            if piece.strong:
                return piece.strong
        return []

    def nothing_said(self) -> str:
        """Which kind of nothing the piece claims: null, blank, TBA, or none of them."""
        piece, words = self.piece, vocabulary()
        said = set(piece.words)
        if tba := piece.has_phrase(words.tba):
            if any(w in words.denials or w.endswith("n't") for w in tba.split()):
                piece.denied_from = None  # the denial is part of the phrase
            return "TBA"
        if said & words.blank and "seats" not in said and "seat" not in said:
            return "blank"
        if said & words.null or any(t.text == "None" for t in piece.tokens if t.kind == "word"):
            return "null"
        if "none" in said and (said & words.lists or said & words.key_words or "value" in said):
            return "null"
        about = said & {"information", "info", "details", "detail", "mention"}
        if piece.denied_from is None or piece.denied_from < 0 or not (said & words.lists or about):
            return ""
        if said & {"needed", "offered", "exists", "exist", "held", "scheduled", "required", "runs"}:
            return ""
        deny = piece.tokens[piece.denied_from].low
        after = piece.tokens[piece.denied_from + 1 :]
        if any(t.mention for t in after) and not (deny == "no" and self.noun_follows(after)):
            return ""
        if deny == "no" and after and after[0].kind in ("day", "time", "season"):
            return ""
        return "null" if piece.strong or not any(t.mention for t in piece.tokens) else ""

    def noun_follows(self, after: list[Token]) -> bool:
        nouns = {w for c in self.piece.strong for n in c.concept.nouns for w in n}
        return bool(after) and after[0].kind == "word" and after[0].low in nouns

    def missing_claim(self) -> Iterator[Outcome]:
        for cue in self.piece.strong:
            column = str(cue.column)
            yield Outcome("contradicted", column, f"the row has a field '{column}'")
        if not self.piece.strong and self.piece.topics:
            yield Outcome("supported", None, f"the row has no field {min(self.piece.topics)!r}")
            self.answered = set(self.piece.topics)
            self.piece.topics.clear()

    # values

    def value_claims(self, denials: bool = True) -> Iterator[Outcome]:
        for index, token in enumerate(self.piece.tokens):
            if token.kind == "text":
                yield from self.text_claim(index, token)
            elif token.mention is not None and token.kind != "key":
                denied = denials and self.is_denied(index)
                yield from self.value_claim(index, token, denied)
        yield from self.denied_claims()

    def is_denied(self, index: int) -> bool:
        piece = self.piece
        if piece.denied_from is None:
            return False
        if piece.denies(index):
            return True
        later = any(
            (t.mention is not None and t.kind != "key") or t.kind == "text"
            for t in piece.tokens[piece.denied_from + 1 :]
        )
        return not later  # "Tuesday is not the lab day", "the lab on Tuesday does not run"

    def value_claim(self, index: int, token: Token, denied: bool) -> Iterator[Outcome]:
        mention = token.mention
        assert mention is not None
        if mention.hedge:
            yield Outcome(
                "unsupported", None, f"'{mention.hedge}' makes '{mention.text}' another value"
            )
            return
        if mention.kind == "time" and mention.text.isdigit() and self.counts():
            mention = Mention(
                "number", mention.start, mention.end, float(mention.text), mention.text
            )
        candidates = self.nearest(self.cued(mention.kind, index), index)
        if self.piece.whole and self.is_total(index):
            candidates = self.piece.whole
        if not candidates:
            yield Outcome("unsupported", None, f"no field is named for '{mention.text}'")
            return
        best: tuple[int, Outcome] | None = None
        for cue in candidates:
            column = str(cue.column)
            outcome = self.judge_value(column, cue, mention, denied, index)
            rank = {"supported": 0, "contradicted": 1, "unsupported": 2}[outcome.kind]
            if best is None or rank < best[0]:
                best = (rank, outcome)
            self.bound.add(column)
        assert best is not None
        if denied:
            self.denied.append((token, best[1]))
        else:
            yield best[1]

    def is_total(self, index: int) -> bool:
        """Whether a number is the whole of which another is a part: ``7 of its 120 seats``."""
        toks = self.piece.tokens
        before = [t for t in toks[max(0, index - 3) : index] if t.low not in ("its", "the", "out")]
        return len(before) >= 2 and before[-1].low == "of" and before[-2].kind == "number"

    def counts(self) -> bool:
        """Whether the piece names a field of numbers and none of times: ``stands at 7``."""
        strong = self.piece.strong
        return any(self.holds(c, "number") for c in strong) and not any(
            self.holds(c, "time") for c in strong
        )

    def nearest(self, found: list[Cues], index: int) -> list[Cues]:
        """Of several fields with numbers, the one whose word stands nearest to the number."""
        if len(found) < 2 or self.piece.tokens[index].kind != "number":
            return found
        toks = self.piece.tokens

        def distance(cue: Cues) -> float:
            words = {w for n in cue.concept.nouns for w in n}
            places = [i for i, t in enumerate(toks) if t.kind == "word" and t.low in words]
            return min((abs(i - index) - 0.5 * (i > index) for i in places), default=99)

        least = min(distance(c) for c in found)
        return [c for c in found if distance(c) == least]

    def judge_value(
        self, column: str, cue: Cues, mention: Mention, denied: bool, index: int
    ) -> Outcome:
        row = self.world.row
        value = value_of(row[column])
        given = self.given(column)
        if value.nothing and not (mention.kind == "number" and value.nothing == "zero"):
            return Outcome(
                "unsupported",
                column,
                f"'{column}' {NOTHING_SAYS[value.nothing]}; it backs no '{mention.text}'",
            )
        verdict = compare(mention, value, row)
        if mention.kind == "time" and verdict == "differs":
            verdict = self.compare_range(mention, value)
        if mention.kind == "number" and verdict == "differs" and cue.concept.part:
            verdict = "agrees" if is_part(mention.text, row[column]) else verdict
        if mention.kind == "time" and self.says_end(index):
            verdict = self.compare_end(mention, value)
        if verdict == "agrees" and mention.kind in ("day", "time") and len(value.slots) > 1:
            verdict = self.compare_slots(value)
        if mention.kind == "day" and denied and value.days:
            verdict = "agrees" if mention.value & value.days else "differs"
        if verdict == "silent":
            return Outcome(
                "unsupported", column, f"{given}, which says nothing of '{mention.text}'"
            )
        if (
            verdict == "agrees"
            and not denied
            and self.wants_whole()
            and not self.is_whole(mention, value)
        ):
            return Outcome("unsupported", column, f"'only' needs the whole value; {given}")
        agrees = (verdict == "agrees") != denied
        if agrees:
            return Outcome("supported", column, given)
        return Outcome(
            "contradicted", column, f"{given}, not '{mention.text}'" if not denied else given
        )

    def compare_range(self, mention: Mention, value: Value) -> Literal["agrees", "differs"]:
        """A range may be told over two columns, one for its start and one for its end."""
        start, end = mention.value
        if end is None or not any(start.agrees(s) for s, e in value.times if e is None):
            return "differs"
        for cue in cues(self.world.columns, self.world.synonyms):
            if cue.column and cue.concept.name == "end":
                given = value_of(self.world.row[cue.column]).times
                if any(end.agrees(s) for s, _ in given):
                    return "agrees"
        return "differs"

    def says_end(self, index: int) -> bool:
        before = [t.low for t in self.piece.tokens[max(0, index - 3) : index]]
        return any(
            w in ("ends", "end", "ending", "until", "till", "finishes", "finish") for w in before
        )

    def compare_end(self, mention: Mention, value: Value) -> Literal["agrees", "differs", "silent"]:
        ends = [end for _, end in value.times if end is not None]
        if not ends:
            if self.piece.strong and any(c.concept.name == "end" for c in self.piece.strong):
                return compare(mention, value, self.world.row)
            return "silent"
        return "agrees" if any(mention.value[0].agrees(end) for end in ends) else "differs"

    def compare_slots(self, value: Value) -> Literal["agrees", "differs"]:
        """Days and times of one clause must belong to one meeting of the row."""
        said = [t.mention for t in self.piece.tokens if t.mention is not None]
        days = [m for m in said if m.kind == "day"]
        clocks = [m for m in said if m.kind == "time"]
        if not days or not clocks:
            return "agrees"
        for day in days:
            for number in day.value:
                slots = [s for s in value.slots if number in s.days]
                if not any(
                    any(c.value[0].agrees(start) for start, _ in s.times)
                    for s in slots
                    for c in clocks
                ):
                    return "differs"
        return "agrees"

    def wants_whole(self) -> bool:
        words = vocabulary()
        after = self.read[self.index + 1 : self.index + 2]
        if any(p.has_phrase(words.whole_phrases) for p in (self.piece, *after)):
            return True
        return bool(set(self.piece.words) & words.whole)

    def is_whole(self, mention: Mention, value: Value) -> bool:
        if mention.kind == "day":
            said = [
                t.mention.value
                for p in self.read
                for t in p.tokens
                if t.mention and t.kind == "day"
            ]
            return frozenset().union(*said) >= value.days
        if mention.kind == "season":
            names = {
                t.mention.value[0]
                for p in self.read
                for t in p.tokens
                if t.mention and t.kind == "season"
            }
            return names >= {season for season, _ in value.seasons}
        return True

    def denied_claims(self) -> Iterator[Outcome]:
        """A day and a time may be denied together: ``not Wednesday at 14:00``. A list may not."""
        if not self.denied:
            return
        joint = "or" not in self.piece.words and "nor" not in self.piece.words
        kinds = [token.kind for token, _ in self.denied]
        found = [outcome for _, outcome in self.denied]
        if (
            joint
            and len(set(kinds)) == len(kinds)
            and not any(o.kind == "unsupported" for o in found)
        ):
            yield next((o for o in found if o.kind == "supported"), found[-1])
        else:
            yield from found

    def text_claim(self, index: int, token: Token) -> Iterator[Outcome]:
        spoken = [*self.piece.strong, *self.piece.weak]
        for piece in self.before() if is_fragment(self.piece) else []:
            spoken += [*piece.strong, *piece.weak]
        named = [c for c in spoken if c.column in token.columns]
        told = self.piece.strong and index and self.piece.tokens[index - 1].low in ("is", ":", "=")
        if not named and told:
            column = str(self.piece.strong[0].column)
            yield Outcome("contradicted", column, f"{self.given(column)}, not '{token.text}'")
            return
        column = str(named[0].column) if named else token.columns[0]
        self.bound.add(column)
        given = self.given(column)
        if not named and not self.stands_bare(index, column):
            if not self.is_title(column):  # a title may stand for the course, as its code does
                yield Outcome("unsupported", column, f"{given}, but no word here names that field")
        elif self.is_denied(index):
            yield Outcome("contradicted", column, given)
        else:
            yield Outcome("supported", column, given)

    def is_title(self, column: str) -> bool:
        """Whether a column names the whole row."""
        return any(
            c.column == column and c.concept.name == "title"
            for c in cues(self.world.columns, self.world.synonyms)
        )

    def stands_bare(self, index: int, column: str) -> bool:
        cue = next(c for c in cues(self.world.columns, self.world.synonyms) if c.column == column)
        toks, words = self.piece.tokens, vocabulary()
        if token_is_online(toks[index]):
            return True
        if not cue.concept.bare or self.piece.topics:
            return False
        signs = [n for n, t in enumerate(toks) if t.kind != "punct"]  # "COMP 4081 - NLP"
        at = signs.index(index)
        beside = [toks[n] for n in (*signs[max(0, at - 1) : at], *signs[at + 1 : at + 2])]
        if any(t.kind == "key" for t in beside) or len(toks) == 1:
            return True
        if any(t.kind == "key" for t in toks[index + 1 :]) and self.is_title(column):
            return index + 1 < len(toks) and toks[index + 1].low in ("is", "was", "'s", "=")
        before = [t for t in toks[:index] if t.kind != "punct" and t.low not in words.determiners]
        after = [t for t in toks[index + 1 :] if t.kind != "punct"]
        if after and after[0].low in words.course:
            return True
        if before and before[-1].low in ("in", "for", "during") and cue.concept.name == "term":
            return True
        return bool(before) and before[-1].low in ("is", "was", "it's", "are", "as", "=")

    @cached_property
    def raw_texts(self) -> list[tuple[str, Cues, list[str]]]:
        """Runs of words after a field's name that the row does not have: ``called Databases``."""
        toks, found = self.piece.tokens, []
        known = vocabulary().frame
        for cue in self.piece.strong:
            if "text" not in cue.concept.holds or not cue.column:
                continue
            value = value_of(self.world.row[cue.column])
            if value.slots or value.seasons or value.number is not None:
                continue
            nouns = {w for n in cue.concept.nouns for w in n if n <= set(self.piece.words)}
            places = [i for i, t in enumerate(toks) if t.kind == "word" and t.low in nouns]
            if not places:
                continue
            at = places[-1] + 1
            while at < len(toks) and (
                toks[at].kind in ("punct", "key")
                or toks[at].low in _FILLERS
                or toks[at].low.endswith("n't")
            ):
                at += 1
            run: list[Token] = []
            while at < len(toks) and toks[at].kind in ("word", "punct", "number"):
                if toks[at].kind == "word" and not (run or toks[at].low not in known):
                    break
                run.append(toks[at])
                at += 1
            words = [t.low for t in run if t.kind != "punct"]
            if words and at < len(toks) and cue.column in toks[at].columns:
                words += words_of(toks[at].text)  # "Advanced Analysis of Algorithms"
            already = any(cue.column in t.columns for t in toks[: places[0]])
            if words and not already and any(w not in known for w in words):
                found.append((str(cue.column), cue, words))
        return found

    def named_text_claims(self) -> Iterator[Outcome]:
        for column, cue, words in self.raw_texts:
            if column in self.bound and set(words) <= vocabulary().frame:
                continue
            self.bound.add(column)
            value = value_of(self.world.row[column])
            given = self.given(column)
            denied = self.piece.denied_from is not None
            said = " ".join(words)
            if value.nothing:
                says = NOTHING_SAYS[value.nothing]
                yield Outcome("unsupported", column, f"'{column}' {says}; it backs no '{said}'")
            elif cue.concept.part and is_part(said, self.world.row[column]):
                yield Outcome("contradicted" if denied else "supported", column, given)
            else:
                kind: OutcomeKind = "supported" if denied else "contradicted"
                yield Outcome(kind, column, given if denied else f"{given}, not '{said}'")

    # that there is one at all

    def existence_claims(self) -> Iterator[Outcome]:
        piece, words = self.piece, vocabulary()
        said = set(piece.words)
        denied = piece.denied_from is not None
        asserts = bool(said & words.exists) or (denied and "no" in said) or "without" in said
        left = [c for c in piece.strong if c.column not in self.bound]
        told = len(left) < len(piece.strong)
        for cue in left:
            column = str(cue.column)
            value = value_of(self.world.row[column])
            if value.yes_no is not None and (said & words.verbs or denied or len(said) == 1):
                right = value.yes_no != denied
                self.bound.add(column)
                yield Outcome("supported" if right else "contradicted", column, self.given(column))
            elif asserts and not told:
                yield self.existence(column, value, denied)
        values = any(t.mention or t.kind == "text" for t in piece.tokens if t.kind != "key")
        for cue in piece.weak if not (self.bound or values) else []:
            if cue.concept.exists & said:
                column = str(cue.column)
                yield self.existence(column, value_of(self.world.row[column]), denied)

    def given(self, column: str) -> str:
        """What the row says, for a reason."""
        return f"'{column}' is {self.world.row.get(column)!r:.60}"

    def existence(self, column: str, value: Value, denied: bool) -> Outcome:
        given = self.given(column)
        if value.nothing in ("zero", "none"):
            return Outcome("supported" if denied else "contradicted", column, given)
        if value.nothing:
            says = NOTHING_SAYS[value.nothing]
            more = "; it does not say that there is none" if denied else ""
            return Outcome("unsupported", column, f"'{column}' {says}{more}")
        return Outcome("contradicted" if denied else "supported", column, given)


@lru_cache(maxsize=1)
def _only_course() -> re.Pattern[str]:
    """``the only course`` speaks of other rows; ``the only class days`` does not."""
    nouns = "|".join(sorted(vocabulary().course))
    return re.compile(rf" only (?:{nouns}) (?!days?|times?|meeting)")


def is_part(said: str, raw: object) -> bool:
    """Whether words are a part of a text, cut at spaces: ``B12`` of ``Hall B12``, not ``12``."""
    parts = [part.strip(".,;:()") for part in clean(str(raw)).lower().split()]
    return f" {said.replace(' ', '')} " in f" {' '.join(parts)} " or (
        " " in said and f" {said} " in f" {' '.join(parts)} "
    )


def token_is_online(token: Token) -> bool:
    """``ONLINE`` in a room column says by itself what it means."""
    return token.low == "online"


def _said_as(kind: str) -> str:
    return {"null": "not listed", "blank": "blank", "TBA": "to be announced"}[kind]


def content(claim: str, world: World) -> list[str]:
    """Return the words that neither the row, nor a field's name, nor a short list explains."""
    found = []
    read = pieces(claim, world)
    for index, piece in enumerate(read):
        reader = _Reader(read, index, world)
        licensed = reader.licensed()
        found += [t.text for t in piece.tokens if t.kind == "word" and t.low not in licensed]
    return list(dict.fromkeys(found))
