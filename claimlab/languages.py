"""Which lexicon reads which stretch of a text, and what no lexicon reads.

Language and script are guessed a sentence, and a run of words of one script. A text in a language
that no lexicon reads is ``not_covered``: absence is not a no.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from claimlab.late import late
from claimlab.lexicon_file import foreign_words
from claimlab.lexicon_patterns import MOST_WORDS, Compiled, closing_parts, word_parts
from claimlab.morphology import CLOSED, PLAIN, is_number
from claimlab.sentences import TOKEN, WORDS
from claimlab.spans import Span
from claimlab.spelling import Normal

_SENTENCE = late(r"[^\n.!?…؟。！？;:]+")
_SAID = late(r"[^\W_]+(?:'[^\W_]+)*")


class Languages:
    """Tells, with all lexicons at once, which of them reads a stretch of text."""

    def __init__(self, compiled: Sequence[Compiled]) -> None:
        self.compiled = compiled
        self.plain = [one for one in compiled if one.lexicon.affixes == PLAIN]
        self.scripts = frozenset(one.lexicon.script for one in compiled)
        self.all_known = frozenset().union(*(one.known for one in self.plain))
        self.shared = frozenset(
            word for one in self.plain for word in one.lexicon.words.get("shared", ())
        )
        self.foreign = foreign_words() - self.all_known - self.shared
        self.french = foreign_words("fr") & self.foreign
        self.dialect: dict[str, bool] = {}

    def pieces(
        self, text: str, normal: Normal, said: Sequence[str], language: str | None = None
    ) -> list[tuple[int, int, Compiled]]:
        """Return the stretches of a text with the lexicon that reads each, in order.

        Language and script are guessed a sentence, and a run of words of one script.
        """
        if language is None and len(self.plain) == len(self.compiled) == 1:
            return [(0, len(normal.text), self.plain[0])]
        if language is None and self.plain and text.isascii():
            known = sum(map(self.all_known.__contains__, said))
            if known * 2 >= len(said):
                return [(0, len(normal.text), self.plain[0])]
        found: list[tuple[int, int, Compiled]] = []
        for line in _SENTENCE.finditer(normal.text):
            for script, start, words in _runs(normal.text, line.start(), line.end()):
                before = found[-1][2] if found else None
                one = self._guess(words, script, before, language)
                if one is None:
                    continue
                if found and found[-1][2] is one:
                    start = found.pop()[0]
                elif found:
                    found[-1] = (found[-1][0], start, found[-1][2])
                found.append((start if found else 0, len(normal.text), one))
        return found

    def _guess(
        self, words: Sequence[str], script: str, before: Compiled | None, language: str | None
    ) -> Compiled | None:
        """The lexicon that knows most of these words; of equals, the one that read so far."""
        best, most = None, -1
        for one in self.compiled:
            if one.lexicon.script != script or language not in (None, one.lexicon.language):
                continue
            stays = 1 if one is before else 0
            if _most_of(words, one) + stays <= most:
                continue
            score = _score(words, one) + stays
            if score > most:
                best, most = one, score
        return best

    def not_covered(self, text: str, normal: Normal, said: Sequence[str]) -> tuple[Span, ...]:
        """The stretches of a text that no lexicon reads; () for most texts, at little cost."""
        known = sum(map(self.all_known.__contains__, said))
        if known * 5 >= len(said) and text.isascii() and self.foreign.isdisjoint(said):
            return ()
        tokens = _SAID.findall(normal.text)
        own = sum(map(self._knows, tokens))
        foreign = sum(map(self.foreign.__contains__, said))
        if own >= 2:  # dialect mixed with French, as it is written
            foreign -= sum(map(self.french.__contains__, said)) * 2 // 3
        shared = sum(map(self.shared.__contains__, said))
        if shared == len(said):
            return ()  # "OK": says nothing in any language
        known += own
        if not known or known + shared / 2 < max(len(tokens) / 7, foreign):
            return (Span(text, 0, len(text)),)
        found = []
        for line in _SENTENCE.finditer(normal.text):
            words = list(WORDS.finditer(normal.text, line.start(), line.end()))
            if words and self._is_foreign(text, normal, words):
                start, end = normal.original(words[0].start(), words[-1].end())
                found.append(Span(text[start:end], start, end))
        return tuple(found)

    def _is_foreign(self, text: str, normal: Normal, words: Sequence[re.Match[str]]) -> bool:
        """A sentence without a known word, and with signs of another language or script."""
        said = [match.group() for match in words]
        other = sum(_script(word) not in self.scripts for word in said)
        if other * 2 > len(said):
            return True
        if any(word in self.all_known for word in said):
            return False
        stretch = normal.text[words[0].start() : words[-1].end()]
        if any(map(self._knows, _SAID.findall(stretch))):
            return False
        marks = 0
        for match in words:
            if match.group() in self.foreign:
                start, _ = normal.original(match.start(), match.end())
                marks += text[start].islower() or start == 0
        return marks >= 2 or (marks == 1 and len(said) >= 3)

    def _knows(self, word: str) -> bool:
        """Whether a word shows that a text is in one of the dialects."""
        known = self.dialect.get(word)
        if known is None:
            known = any(_is_own(word, one) for one in self.compiled if one not in self.plain)
            known = known and word not in self.foreign | self.shared and any(map(str.isalpha, word))
            if len(self.dialect) < MOST_WORDS:
                self.dialect[word] = known
        return known


def _runs(text: str, start: int, end: int) -> Iterator[tuple[str, int, list[str]]]:
    """The runs of words of one script in a stretch of text, each with its first place."""
    script, first = "", start
    words: list[str] = []
    for match in TOKEN.finditer(text, start, end):
        token = match.group()
        letter = next(filter(str.isalpha, token), None)
        if letter is None:
            continue
        written = _script(letter)
        if written != script and words:
            yield script, first, words
            first, words = match.start(), []
        script = written
        words.append(token)
    if words:
        yield script, first, words


_MOST: Final = 14
"""The highest score of a word; see :func:`_score_of`."""


def _most_of(words: Sequence[str], one: Compiled) -> int:
    """What the score of these words is at most: a word that was not met yet may have the most."""
    return sum([one.scores.get(word, _MOST) for word in words])


def _score(words: Sequence[str], one: Compiled) -> int:
    """How well a lexicon knows these words: its own, the shared ones, the habits of its writers."""
    score = 0
    for word in words:
        known = one.scores.get(word)
        if known is None:
            known = _score_of(word, one)
            if len(one.scores) < MOST_WORDS:
                one.scores[word] = known
        score += known
    return score


def _score_of(word: str, one: Compiled) -> int:
    parts, score = word_parts(word, one), 0
    if parts[-1] in one.known or word in one.known:
        score = 10
    elif parts[-1] in one.frozen:
        score = 10 if len(parts[-1]) > 2 else 3
    elif len(parts) > 1:
        score = 7
    elif parts[-1] in one.lexicon.words.get("shared", ()):
        score = 3
    elif (parts := closing_parts(word, parts, one))[0] == CLOSED and parts[-1] in one.known:
        score = 10
    if any(habit in word for habit in one.lexicon.words.get("habits", ())) and not is_number(word):
        score += 4
    return score


def _script(word: str) -> str:
    """The script of a word, by its first letter: only the ones that a lexicon may have."""
    code = ord(word[0])
    if code < 0x250 or 0x1E00 <= code < 0x1F00:
        return "Latin"
    return "Arabic" if 0x600 <= code < 0x700 else "other"


def _is_own(word: str, one: Compiled) -> bool:
    """Whether a word is one of a dialect's own, not one that it shares with French or English."""
    if not word or (_script(word[0]) != one.lexicon.script and not word[0].isdigit()):
        return False
    parts = word_parts(word, one)
    words = one.lexicon.words
    if parts[0] in words.get("loan", ()) or parts[0] in words.get("shared", ()):
        return False
    if one.lexicon.affixes.spelling == "arabizi" and not is_number(word):
        letters = sum(map(str.isalpha, word))
        if letters >= 2 and not {"3", "5", "7", "9"}.isdisjoint(word):
            return True  # a digit that is a letter: 3lach, l7al
    return len(parts) > 1 or parts[0] in one.known or (len(parts[0]) > 2 and parts[0] in one.frozen)
