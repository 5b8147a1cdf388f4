"""One spelling for texts of many: what is matched is normalised, what is shown is the original."""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

_SAME = {
    # Apostrophes and the marks that people type for them.
    **dict.fromkeys("’‘‛ʼʹ′´＇", "'"),
    # Arabic: alef forms, ya forms, ta marbuta, Persian and Urdu letters that look the same.
    **dict.fromkeys("أإآٱ", "ا"),
    **dict.fromkeys("ىیېے", "ي"),
    **dict.fromkeys("ةۀہھە", "ه"),
    **dict.fromkeys("کڪ", "ك"),
    "ـ": "",  # tatweel
    "\u2028": "\n",
    "\u2029": "\n",
    "\x85": "\n",
    "\r": "\n",
    "‐": "-",
    "‑": "-",
    "−": "-",
}


def _one_form(char: str, deep: bool = True) -> str:
    """A character in its one form: '' for what is only a mark, more than one for a ligature."""
    if char in _SAME:
        return _SAME[char]
    kind = unicodedata.category(char)
    if kind in ("Mn", "Me", "Cf", "Cs"):
        return ""  # diacritics, direction marks, zero-width characters, half a character
    if kind == "Nd":
        return str(unicodedata.digit(char))
    if kind in ("Zs", "Cc") and char != "\n":
        return " "
    if not deep:
        return char
    parts = unicodedata.normalize("NFKD", char).lower()
    return "".join(_one_form(part, deep=False) for part in parts)


class _Table(dict[int, str]):
    """The one form of each character, worked out when it is first seen."""

    def __missing__(self, key: int) -> str:
        form = self[key] = _one_form(chr(key))
        return form


_TABLE = _Table()


@dataclass(frozen=True)
class Normal:
    """A text in its one spelling, and where each of its characters stood.

    ``places`` is None where every character stands where it stood.
    """

    text: str
    places: Sequence[int] | None
    length: int

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that ``text[start:end]`` was made from."""
        if self.places is None:
            return start, end
        if start >= end:
            where = self.places[start] if start < len(self.places) else self.length
            return where, where
        return self.places[start], self.places[end - 1] + 1


def normalise(text: str) -> Normal:
    """Return a text in lower case and in one spelling, with the way back to the original.

    Tatweel, diacritics and direction marks go; forms of alef and ya, apostrophes, digits of all
    scripts, presentation forms and full-width letters become one; white space becomes a space.

    >>> found = normalise("طلبـك أُرسِل ١٢")
    >>> found.text
    'طلبك ارسل 12'
    >>> found.original(5, 9)
    (6, 12)
    """
    if text.isascii():
        lower = text.lower()
        if not lower.isprintable():
            lower = lower.translate(_TABLE)
            if len(lower) != len(text):  # pragma: no cover - ASCII holds no mark
                return _placed(text)
        return Normal(lower, None, len(text))
    if all(len(_TABLE[ord(char)]) == 1 for char in set(text)):
        return Normal(text.translate(_TABLE), None, len(text))
    return _placed(text)


def _placed(text: str) -> Normal:
    parts, places = [], array("l")
    for where, char in enumerate(text):
        form = _TABLE[ord(char)]
        parts.append(form)
        places.extend([where] * len(form))
    return Normal("".join(parts), places, len(text))
