"""A text becomes clauses: cut at marks, line breaks, and the boundary words of a lexicon.

:mod:`claimlab.clauses` cuts answers of lab 1 into claims; a clause here is what a negation reaches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from claimlab.late import late
from claimlab.lexicon_entries import Entry, Lexicon
from claimlab.lexicon_patterns import Compiled, closing_parts, word_parts
from claimlab.morphology import PLAIN
from claimlab.spelling import Normal


class Word(NamedTuple):
    """A word in its one spelling, with its place in the normalised text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Clause:
    """A clause: its words, the number of its sentence, and whether it asks."""

    words: tuple[Word, ...]
    sentence: int
    asks: bool = False

    def stream(self) -> str:
        """Return the clause as forms are matched with it."""
        return " | " + " ".join([word.text for word in self.words]) + " |"


TOKEN = late(
    r"[$€£¥]?[^\W_]+(?:[-'][^\W_]+)*|[.!?…؟۔。！？]+|[\n;؛:,،()\[\]—–|]|(?<=\s)-+(?=\s)",
)
WORDS = late(r"[^\W\d_]+(?:[-'][^\W\d_]+)*(?!\w|-\d)")
_LONGEST = 120
"""A clause of more words is no clause of a language; it is cut, so that time stays linear."""
_SHORT_ASIDE = 80
"""A bracket of at most so many characters is left out: "your order (ORD-5, two mugs) is placed"."""


def cut_clauses(normal: Normal, compiled: Compiled, start: int, end: int) -> list[Clause]:
    """Cut a stretch of text into clauses: at marks, line breaks and boundary words."""
    text, stretch_end = normal.text, end
    tokens = [(m.group(), m.start(), m.end()) for m in TOKEN.finditer(text, start, end)]
    if compiled.lexicon.affixes != PLAIN:
        tokens = [part for token in tokens for part in _elisions(*token, compiled.lexicon)]
    rewrite, boundary = compiled.lexicon.rewrite, compiled.boundary
    clauses: list[Clause] = []
    words: list[Word] = []
    sentence = first = 0

    def close() -> None:
        if words:
            clauses.append(Clause(tuple(words), sentence))
            words.clear()

    aside_until = -1
    for index, (token, start, end) in enumerate(tokens):
        if start < aside_until:
            continue
        if token[-1].isalnum():
            if len(words) >= _LONGEST:
                close()
            parts = word_parts(token, compiled)
            if len(parts) == 1 and words and words[-1].text in compiled.lexicon.affixes.open:
                parts = closing_parts(token, parts, compiled)
            key = parts[0]
            if key in boundary and _divides(boundary[key], tokens, index, compiled):
                close()
                if not boundary[key].joins:
                    continue
            if token in rewrite:
                words.extend([Word(w, start, end) for w in rewrite[token]])
            elif "'" in token:
                words.extend(_taken_apart(token, start, end, compiled.lexicon))
            else:
                words.extend([Word(w, start, end) for w in parts])
        elif token[0] in ".!?…؟۔。！？":
            if token == "." and _no_end(text, end, words, compiled):
                continue
            close()
            if "?" in token or "؟" in token or "？" in token:
                _mark_questions(clauses, first, compiled)
            sentence, first = sentence + 1, len(clauses)
        elif token in "([":
            limit = min(end + _SHORT_ASIDE, stretch_end)
            closing = text.find(")" if token == "(" else "]", end, limit)
            inside = WORDS.findall(text, end, closing) if closing >= 0 else []
            if words and closing >= 0 and compiled.heads.keys().isdisjoint(inside):
                aside_until = closing
            else:
                close()
        elif token in ")]":
            if start != aside_until:
                close()
        else:
            close()
            if token in "\n;؛":
                sentence, first = sentence + 1, len(clauses)
    close()
    return clauses


def _divides(
    entry: Entry, tokens: Sequence[tuple[str, int, int]], index: int, compiled: Compiled
) -> bool:
    """Whether a boundary word ends the clause here: "and" does not before a second participle."""
    after = index + 1
    while after < len(tokens) and tokens[after][0] in compiled.adverbs:
        after += 1
    follows = tokens[after][0] if after < len(tokens) else ""
    if follows in entry.not_before:
        return False
    if entry.joins:
        then = tokens[after + 1][0] if after + 1 < len(tokens) else ""
        goes_on = follows in compiled.joined or not compiled.events.isdisjoint((follows, then))
        return not goes_on and not any(c.isdigit() for c in follows)
    return True


def _elisions(token: str, start: int, end: int, lexicon: Lexicon) -> Iterator[tuple[str, int, int]]:
    """A token, without the elided French words before it: "n'est" is "n" and "est"."""
    first, mark, rest = token.partition("'")
    while mark and rest and first in lexicon.words.get("elided", ()):
        yield first, start, start + len(first)
        start += len(first) + 1
        token = rest
        first, mark, rest = token.partition("'")
    yield token, start, end


def _taken_apart(token: str, start: int, end: int, lexicon: Lexicon) -> list[Word]:
    for ending, stands_for in lexicon.endings:
        if token.endswith(ending) and len(token) > len(ending):
            cut = end - len(ending)
            stem = lexicon.rewrite.get(token[: -len(ending)], (token[: -len(ending)],))
            return [*(Word(w, start, cut) for w in stem), Word(stands_for, cut, end)]
    return [Word(token, start, end)]


def _no_end(text: str, end: int, words: Sequence[Word], compiled: Compiled) -> bool:
    """A full stop inside a number or word, or after an abbreviation."""
    if text[end : end + 1].isalnum():
        return True
    last = words[-1].text if words else ""
    return last in compiled.abbreviations and text[end : end + 2].strip()[:1].isdigit()


def _mark_questions(clauses: list[Clause], first: int, compiled: Compiled) -> None:
    """Mark what a question mark makes a question: the last clause, and more if the sentence asks.

    "Order 17 is placed, would you like a receipt?" asserts its first clause; "order 17 was
    placed, right?" and "did you mean that, after all, it was placed?" assert nothing.
    """
    if first >= len(clauses):
        return
    last = len(clauses) - 1
    is_tag = " ".join(word.text for word in clauses[last].words) in compiled.tags
    from_here = last
    if is_tag:
        from_here = max(first, last - 1)
    if first_word(clauses[first], compiled) in compiled.asks:
        from_here = first
    for index in range(from_here, last + 1):
        clauses[index] = Clause(clauses[index].words, clauses[index].sentence, True)


def first_word(clause: Clause, compiled: Compiled) -> str:
    """The first word of a clause that is no opening word."""
    for word in clause.words:
        if word.text not in compiled.opener and word.text not in compiled.adverbs:
            return word.text
    return ""
