"""Cutting a claim into tokens: values, the course's code, texts of the row, words, signs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from claimlab.late import late
from claimlab.mentions import Mention, clean, mentions
from claimlab.values import MAX_TEXT, Value, value_of, word_spans, words_of
from claimlab.vocabulary import vocabulary

TokenKind = Literal[
    "word", "punct", "key", "code", "text", "day", "time", "part", "season", "number"
]


class Token(NamedTuple):
    """One word, sign or value of a claim; ``column`` is the field whose text a ``text`` is."""

    kind: TokenKind
    text: str
    mention: Mention | None = None
    columns: tuple[str, ...] = ()

    @property
    def low(self) -> str:
        """The text in lower case."""
        return self.text.lower()


class World(NamedTuple):
    """What a claim is read against: a row, its key, the words for its columns."""

    row: Mapping[str, Any]
    key: str | None
    normalise: Callable[[str], str]
    synonyms: tuple[tuple[str, tuple[str, ...]], ...] = ()
    context: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The row's fields without its key."""
        return tuple(c for c in self.row if c != self.key)


_WORD = late(r"o'clock|[^\W\d_]+(?:'t)?|'[a-z]{1,2}\b|\d+(?:[.,:]\d+)*|[^\w\s]|_", re.I)
_CODE = late(r"(?<![\w/.])([^\W\d_]{2,6})[ \-_]{0,2}(\d{2,5}[A-Za-z]{0,2})(?!\w|[.,:]\d|-\w)")


def tokens(text: str, world: World) -> list[Token]:
    """Return the tokens of a claim that :func:`~claimlab.mentions.clean` went over.

    The course's code comes first, then texts of the row (a title may contain ``Fall``), then other
    codes, then values, then words.
    """
    taken: list[tuple[int, int, Token]] = []
    free = bytearray(len(text))

    def take(start: int, end: int, token: Token) -> None:
        if not any(free[start:end]):
            free[start:end] = b"\1" * (end - start)
            taken.append((start, end, token))

    for start, end in _codes_of_key(text, world):
        take(start, end, Token("key", text[start:end]))
    for start, end, columns in _texts_of_row(text, world):
        take(start, end, Token("text", text[start:end], columns=columns))
    for match in _CODE.finditer(text):
        if _is_code(match[1], world):
            take(match.start(), match.end(), Token("code", match.group()))
    for mention in mentions(text):
        kind: TokenKind = mention.kind
        if kind == "number" and _is_key_number(mention, world):
            kind = "key"
        take(mention.start, mention.end, Token(kind, mention.text, mention))
    taken.sort(key=lambda item: item[0])
    return list(_with_words(text, taken))


def codes(text: str) -> list[str]:
    """Return the course codes that a text mentions, as written.

    >>> codes("COMP 2130 and comp3170 run in Fall 2025")
    ['COMP 2130', 'comp3170']
    """
    nouns = vocabulary().frame | known_nouns()
    return [
        match.group()
        for match in _CODE.finditer(clean(text))
        if match[1].lower() not in nouns
        and (match[1].isupper() or match.group() in (match[1] + match[2], f"{match[1]}-{match[2]}"))
    ]


def without_codes(text: str) -> str:
    """Return a text without the course codes that it mentions."""
    for code in codes(text):
        text = text.replace(code, " ")
    return text


def _with_words(text: str, taken: list[tuple[int, int, Token]]) -> Iterator[Token]:
    position = 0
    for start, end, token in [*taken, (len(text), len(text), None)]:
        for match in _WORD.finditer(text, position, start):
            word = match.group()
            yield Token("word" if word[-1].isalnum() else "punct", word)
        if token is not None:
            yield token
        position = end


def _key_text(world: World) -> str:
    value = world.row.get(world.key, "") if world.key else ""
    return clean(str(value))


def _codes_of_key(text: str, world: World) -> Iterator[tuple[int, int]]:
    key = _key_text(world)
    if not key:
        return
    wanted = world.normalise(key)
    if _CODE.fullmatch(key):
        for match in _CODE.finditer(text):
            if world.normalise(match.group()) == wanted:
                yield match.start(), match.end()
    else:
        yield from _find_words(words_of(key), text, word_spans(text))


def _is_code(prefix: str, world: World) -> bool:
    words = vocabulary()
    low = prefix.lower()
    if low in words.frame or low in known_nouns():
        return False
    key = _CODE.fullmatch(_key_text(world))
    return prefix.isupper() or (key is not None and key[1].lower() == low)


@lru_cache(maxsize=1)
def known_nouns() -> frozenset[str]:
    """Return all words by which a field can be spoken of."""
    return frozenset(
        word for c in vocabulary().concepts for noun in (*c.nouns, *c.verbs) for word in noun
    )


@lru_cache(maxsize=1)
def single_nouns() -> frozenset[str]:
    """Return the single words that name a field, without those that mean other things as well."""
    nouns = {w for c in vocabulary().concepts for n in c.nouns if len(n) == 1 for w in n}
    return frozenset(nouns - {"in", "to", "over", "under", "where", "text", "place", "until"})


def _is_key_number(mention: Mention, world: World) -> bool:
    key = _CODE.fullmatch(_key_text(world))
    return key is not None and len(key[2]) >= 3 and mention.text == key[2]


def _find_words(
    wanted: tuple[str, ...], text: str, spans: list[tuple[int, int, str]]
) -> Iterator[tuple[int, int]]:
    """Yield where these words stand in the text one after the other, in linear time."""
    if not wanted:
        return
    joined = " " + " ".join(low for _, _, low in spans) + " "
    offsets = {}
    position = 1
    for index, (_, _, low) in enumerate(spans):
        offsets[position] = index
        position += len(low) + 1
    needle = " " + " ".join(wanted) + " "
    found = joined.find(needle)
    while found >= 0:
        first = offsets[found + 1]
        yield spans[first][0], spans[first + len(wanted) - 1][1]
        found = joined.find(needle, found + len(needle) - 1)


def _texts_of_row(text: str, world: World) -> list[tuple[int, int, tuple[str, ...]]]:
    spans = word_spans(text)
    columns_of: dict[tuple[str, ...], list[str]] = {}
    for column in world.columns:
        value = value_of(world.row[column])
        if not value.words or value.nothing or value.number is not None:
            continue
        if value.yes_no is not None or _only_values(value, world.row[column]):
            continue
        columns_of.setdefault(value.words, []).append(column)
    found = [
        (start, end, tuple(columns))
        for words, columns in columns_of.items()
        for start, end in _find_words(words, text, spans)
    ]
    return sorted(found, key=lambda item: (item[0] - item[1], item[0]))  # the longest first


def _only_values(value: Value, raw: Any) -> bool:
    """Whether a row's text is days, times and terms only: those are compared as values."""
    if not (value.slots or value.seasons):
        return False
    text = clean(str(raw)[:MAX_TEXT])
    rest, position = "", 0
    for mention in mentions(text):
        rest += f"{text[position : mention.start]} "
        position = mention.end
    rest += text[position:]
    return all(w in ("and", "to", "at", "or", "from", "of") for w in words_of(rest))
