"""A text becomes clauses: cut at marks, line breaks, and the boundary words of a lexicon.

:mod:`claimlab.clauses` cuts answers of lab 1 into claims; a clause here is what a negation reaches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from claimlab.late import late
from claimlab.lexicon_entries import Entry, Lexicon
from claimlab.lexicon_patterns import Compiled, closing_parts, word_parts
from claimlab.morphology import PLAIN
from claimlab.spelling import Normal


class Clause(NamedTuple):
    """A clause: its words, where each stands in the normalised text, its sentence, if it asks."""

    words: tuple[str, ...]
    places: tuple[tuple[int, int], ...]
    sentence: int
    asks: bool = False

    def stream(self) -> str:
        """Return the clause as forms are matched with it."""
        return f" | {' '.join(self.words)} |"


Token = tuple[str, tuple[int, int]]

TOKEN = late(
    r"[$€£¥]?[^\W_]+(?:[-'][^\W_]+)*|[.!?…؟۔。！？]+|[\n;؛:,،()\[\]—–|]|(?<=\s)-+(?=\s)",
)
WORDS = late(r"[^\W\d_]+(?:[-'][^\W\d_]+)*(?!\w|-\d)")
# The same for normalised ASCII, where the letters are few enough for one quick table.
_ASCII_TOKEN = late(
    r"[$]?[a-z0-9]+(?:[-'][a-z0-9]+)*|[.!?]+|[\n;:,()\[\]|]|(?<=\s)-+(?=\s)",
)
_ASCII_WORDS = late(r"[a-z]+(?:[-'][a-z]+)*(?![a-z0-9_]|-[0-9])")


def words_in(text: str) -> list[str]:
    """Return the words without a digit of a normalised text."""
    found: list[str] = (_ASCII_WORDS if text.isascii() else WORDS).findall(text)
    return found


_LONGEST = 120
"""A clause of more words is no clause of a language; it is cut, so that time stays linear."""
_SHORT_ASIDE = 80
"""A bracket of at most so many characters is left out: "your order (ORD-5, two mugs) is placed"."""


def cut_clauses(normal: Normal, compiled: Compiled, start: int, end: int) -> list[Clause]:
    """Cut a stretch of text into clauses: at marks, line breaks and boundary words."""
    text = normal.text
    pattern = _ASCII_TOKEN if text.isascii() else TOKEN
    tokens: list[Token] = [(m.group(), m.span()) for m in pattern.finditer(text, start, end)]
    plain = compiled.lexicon.affixes == PLAIN
    if not plain:
        tokens = [part for token in tokens for part in _elisions(*token, compiled.lexicon)]
    rewrite, boundary, special = compiled.lexicon.rewrite, compiled.boundary, compiled.special
    clauses: list[Clause] = []
    words: list[str] = []
    places: list[tuple[int, int]] = []
    sentence = first = 0

    def close() -> None:
        if words:
            clauses.append(Clause(tuple(words), tuple(places), sentence))
            words.clear()
            places.clear()

    aside_until = -1
    for index, (token, place) in enumerate(tokens):
        if place[0] < aside_until:
            continue
        if token[-1].isalnum():
            if len(words) >= _LONGEST:
                close()
            if plain and token not in special and "'" not in token:
                words.append(token)
                places.append(place)
                continue
            parts = word_parts(token, compiled)
            if len(parts) == 1 and words and words[-1] in compiled.lexicon.affixes.open:
                parts = closing_parts(token, parts, compiled)
            key = parts[0]
            if key in boundary and _divides(boundary[key], tokens, index, compiled):
                close()
                if not boundary[key].joins:
                    continue
            if token not in rewrite and "'" in token:
                for part, where in _taken_apart(token, place, compiled.lexicon):
                    words.append(part)
                    places.append(where)
            else:
                parts = rewrite.get(token, parts)
                words.extend(parts)
                places.extend([place] * len(parts))
        elif token[0] in ".!?…؟۔。！？":
            if token == "." and _no_end(text, place[1], words, compiled):
                continue
            close()
            if "?" in token or "؟" in token or "？" in token:
                _mark_questions(clauses, first, compiled)
            sentence, first = sentence + 1, len(clauses)
        elif token in "([":
            limit = min(place[1] + _SHORT_ASIDE, end)
            closing = text.find(")" if token == "(" else "]", place[1], limit)
            inside = WORDS.findall(text, place[1], closing) if closing >= 0 else []
            if words and closing >= 0 and compiled.heads.keys().isdisjoint(inside):
                aside_until = closing
            else:
                close()
        elif token in ")]":
            if place[0] != aside_until:
                close()
        else:
            close()
            if token in "\n;؛":
                sentence, first = sentence + 1, len(clauses)
    close()
    return clauses


def _divides(entry: Entry, tokens: Sequence[Token], index: int, compiled: Compiled) -> bool:
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


def _elisions(token: str, place: tuple[int, int], lexicon: Lexicon) -> Iterator[Token]:
    """A token, without the elided French words before it: "n'est" is "n" and "est"."""
    start, end = place
    first, mark, rest = token.partition("'")
    while mark and rest and first in lexicon.words.get("elided", ()):
        yield first, (start, start + len(first))
        start += len(first) + 1
        token = rest
        first, mark, rest = token.partition("'")
    yield token, (start, end)


def _taken_apart(token: str, place: tuple[int, int], lexicon: Lexicon) -> list[Token]:
    start, end = place
    for ending, stands_for in lexicon.endings:
        if token.endswith(ending) and len(token) > len(ending):
            cut = end - len(ending)
            stem = lexicon.rewrite.get(token[: -len(ending)], (token[: -len(ending)],))
            return [*((w, (start, cut)) for w in stem), (stands_for, (cut, end))]
    return [(token, place)]


def _no_end(text: str, end: int, words: Sequence[str], compiled: Compiled) -> bool:
    """A full stop inside a number or word, or after an abbreviation."""
    if text[end : end + 1].isalnum():
        return True
    last = words[-1] if words else ""
    return last in compiled.abbreviations and text[end : end + 2].strip()[:1].isdigit()


def _mark_questions(clauses: list[Clause], first: int, compiled: Compiled) -> None:
    """Mark what a question mark makes a question: the last clause, and more if the sentence asks.

    "Order 17 is placed, would you like a receipt?" asserts its first clause; "order 17 was
    placed, right?" and "did you mean that, after all, it was placed?" assert nothing.
    """
    if first >= len(clauses):
        return
    last = len(clauses) - 1
    is_tag = " ".join(clauses[last].words) in compiled.tags
    from_here = last
    if is_tag:
        from_here = max(first, last - 1)
    if first_word(clauses[first], compiled) in compiled.asks:
        from_here = first
    for index in range(from_here, last + 1):
        clauses[index] = clauses[index]._replace(asks=True)


def first_word(clause: Clause, compiled: Compiled) -> str:
    """The first word of a clause that is no opening word."""
    for word in clause.words:
        if word not in compiled.opener and word not in compiled.adverbs:
            return word
    return ""
