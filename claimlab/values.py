"""What a row's value says: its days and times, terms, number, words, or which kind of nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from claimlab.late import late
from claimlab.mentions import PARTS, Clock, Mention, clean, seasons, times, weekdays

Nothing = Literal["null", "blank", "TBA", "zero", "none", ""]

_TBA = late(
    r"(?:tb[acd]|to be (?:announced|determined|confirmed|decided|arranged)|arranged?)\.?", re.I
)
_NONE = late(r"(?:none|no|n/a|nil|nothing)\.?", re.I)
_NUMERIC = late(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?")
_WORDS = late(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+|[^\w\s]")
MAX_TEXT = 4_000
"""How many characters of a row's text are read."""
MAX_WORDS = 400
"""Longer texts of a row are cut here: a value to compare is a phrase, no essay."""


class Slot(NamedTuple):
    """One meeting: its days and its times (start, end or None)."""

    days: frozenset[int]
    times: tuple[tuple[Clock, Clock | None], ...]


class Value(NamedTuple):
    """A row's value, read once. ``nothing`` names the kind of nothing, if it is one."""

    nothing: Nothing = ""
    number: float | None = None
    yes_no: bool | None = None
    slots: tuple[Slot, ...] = ()
    seasons: tuple[tuple[str, int | None], ...] = ()
    words: tuple[str, ...] = ()
    text: str = ""

    @property
    def days(self) -> frozenset[int]:
        """All weekdays of all slots."""
        return frozenset().union(*(slot.days for slot in self.slots))

    @property
    def times(self) -> tuple[tuple[Clock, Clock | None], ...]:
        """All times of all slots."""
        return tuple(time for slot in self.slots for time in slot.times)


NOTHING_SAYS: Mapping[str, str] = {
    "null": "is null, which means not listed",
    "blank": "is empty text",
    "TBA": "is still to be announced",
    "zero": "is 0",
    "none": "says none",
}
"""In words, for the reasons."""


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case; ``&`` is ``and``, other punctuation is left out."""
    return tuple(word for _, _, word in word_spans(text))


def word_spans(text: str) -> list[tuple[int, int, str]]:
    """Return the words of a text with their places; a possessive ``'s`` is left out."""
    found = []
    for match in _WORDS.finditer(text):
        word = match.group().lower()
        if word == "&" or word[0].isalnum():
            plain = "and" if word == "&" else word.removesuffix("'s")
            found.append((match.start(), match.start() + len(plain), plain))
    return found


def value_of(raw: Any) -> Value:
    """Return what a raw value says. Lists are read as their parts; other objects say nothing."""
    if raw is None:
        return Value("null")
    if isinstance(raw, bool):
        return Value(yes_no=raw)
    if isinstance(raw, int | float):
        return Value("zero" if raw == 0 else "", number=float(raw) if abs(raw) < 1e15 else None)
    if isinstance(raw, list | tuple):
        return _text_value(", ".join(map(str, raw[:50])))
    return _text_value(str(raw))


@lru_cache(maxsize=4096)
def _text_value(raw: str) -> Value:
    text = clean(raw[:MAX_TEXT])
    if not text:
        return Value("blank")
    if _TBA.fullmatch(text):
        return Value("TBA")
    if _NONE.fullmatch(text):
        return Value("none", yes_no=False if text.lower() == "no" else None)
    number = float(text) if _NUMERIC.fullmatch(text) else None
    yes_no = {"yes": True, "true": True, "false": False}.get(text.lower())
    found_seasons = tuple(m.value for m in seasons(text))
    return Value(
        "zero" if number == 0 else "",
        number,
        yes_no,
        _slots(text),
        found_seasons,
        words_of(text)[:MAX_WORDS],
        text.lower(),
    )


def _slots(text: str) -> tuple[Slot, ...]:
    """A new slot begins at each day that follows a time: ``Mon 9:00, Wed 14:00`` is two."""
    found = sorted(
        [*weekdays(text), *(m for m in times(text) if m.kind == "time")], key=lambda m: m.start
    )
    slots: list[tuple[set[int], list[tuple[Clock, Clock | None]]]] = []
    for mention in found:
        if not slots or (mention.kind == "day" and slots[-1][1]):
            slots.append((set(), []))
        if mention.kind == "day":
            slots[-1][0].update(mention.value)
        else:
            slots[-1][1].append(mention.value)
    return tuple(Slot(frozenset(days), tuple(clocks)) for days, clocks in slots)


Verdict = Literal["agrees", "differs", "silent"]


def compare(mention: Mention, value: Value, row: Mapping[str, Any]) -> Verdict:
    """Return whether a mentioned value agrees with a row's value, differs, or meets silence."""
    if mention.kind == "day":
        if not value.days:
            return "silent"
        return "agrees" if mention.value <= value.days else "differs"
    if mention.kind in ("time", "part"):
        return _compare_time(mention, value)
    if mention.kind == "season":
        return _compare_season(mention, value, row)
    if value.number is None:
        return _compare_digits(mention, value)
    return "agrees" if mention.value == value.number else "differs"


def _compare_digits(mention: Mention, value: Value) -> Verdict:
    if not value.words:
        return "silent"
    parts = [part.strip(".,;:()") for part in value.text.split()]
    return "agrees" if mention.text.lower() in parts else "differs"


def _compare_time(mention: Mention, value: Value) -> Verdict:
    if not value.times:
        return "silent"
    if mention.kind == "part":
        low, high = PARTS[mention.value]
        return "agrees" if all(low <= s.minute < high for s, _ in value.times) else "differs"
    start, end = mention.value
    for row_start, row_end in value.times:
        if start.agrees(row_start) and (
            end is None or (row_end is not None and end.agrees(row_end))
        ):
            return "agrees"
    return "differs"


def _compare_season(mention: Mention, value: Value, row: Mapping[str, Any]) -> Verdict:
    if not value.seasons:
        return "silent"
    season, year = mention.value
    for row_season, row_year in value.seasons:
        if season == row_season and year in (None, row_year):
            return "agrees"
    if year and any(s == season and y is None for s, y in value.seasons):
        said = {str(v) for v in row.values() if isinstance(v, int | str)}
        return "agrees" if str(year) in said else "silent"
    return "differs"
