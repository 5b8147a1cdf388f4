"""What an answer must keep: conditions as lists of wordings, and which of them a draft lost.

A wording is found word by word, so a draft need not repeat the reviewed sentence. It is a list
somebody wrote, not an understanding: a wording that nobody listed counts as lost, which sends the
draft to a reader.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from claimlab.errors import InputError
from claimlab.late import late

MOST_BETWEEN = 10
"""How many words of the same sentence ``...`` stands for at most."""

_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
}
_TENS = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_TOKEN = late(r"\d+(?:[.:,]\d+)*|[^\W\d_]+|[.!?;](?=\s|$)|\.\.\.")
_NOT = late(r"\b(?:can't|cannot)\b|n't\b")
_APOSTROPHES = str.maketrans("’ʼ‘", "'''")
_TENS_AND_ONES = late(
    r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[ -]"
    r"(one|two|three|four|five|six|seven|eight|nine)\b"
)


@dataclass(frozen=True)
class Condition:
    """A part that an answer must keep, and the wordings that keep it; one of them is enough."""

    name: str
    says: tuple[str, ...]


def words(text: str) -> list[str]:
    """Return the words of a text in one form: no case, no plural, numbers in digits.

    The end of a sentence is a word of its own, ``|``.

    >>> " ".join(words("Seven-day renewals aren't refused. Twenty-one days!"))
    '7 day renewal are not refused | 21 day |'
    """
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)
    plain = _NOT.sub(lambda m: "can not" if m.group().startswith("can") else " not", plain)
    plain = _TENS_AND_ONES.sub(lambda m: str(_TENS[m[1]] + int(_NUMBERS[m[2]])), plain)
    return [_word(found) for found in _TOKEN.findall(plain)]


def _word(token: str) -> str:
    if token in ".!?;":
        return "|"
    if token in _NUMBERS:
        return _NUMBERS[token]
    return token[:-1] if len(token) > 3 and token.endswith("s") and token[-2] != "s" else token


def says(wording: str, text: str) -> bool:
    """Return whether a text uses a wording, in which ``...`` stands for up to ten words.

    >>> says("only if no ... hold", "Renewal is possible only if no other member placed a hold.")
    True
    >>> says("only if no ... hold", "Only if no fee is due. A hold does not matter.")
    False

    Right behind a *not* or a *never* it is another wording.

    >>> says("refused when ... hold", "It is not refused when a member has placed a hold.")
    False
    """
    return bool(_pattern(wording).search(f" {' '.join(words(text))} "))


@lru_cache(maxsize=2048)
def _pattern(wording: str) -> re.Pattern[str]:
    gap = rf"(?:[^| ]+ ){{0,{MOST_BETWEEN}}}?"
    parts = [gap if word == "..." else re.escape(word) + " " for word in words(wording)]
    return re.compile("(?<= )(?<! not )(?<! never )" + "".join(parts))


def keeps(condition: Condition, text: str) -> bool:
    """Return whether a text keeps a condition."""
    return any(says(wording, text) for wording in condition.says)


def lost(conditions: Iterable[Condition], text: str) -> tuple[str, ...]:
    """Return the names of the conditions that a text does not keep."""
    return tuple(condition.name for condition in conditions if not keeps(condition, text))


_SMALL = (
    "a an the is are was were be been am it its this that these those of for with to in on at by "
    "from and or as we our you your i my me they their he she his her who which what there here "
    "has have had do doe did can may will would could must shall should so then than if when no "
    "not yes only one into out per up also any each every please allow allowed permit permitted "
    "possible supplied policy handbook 1"
).split()


def new_words(claim: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a claim that none of the texts has.

    Small words do not count, and long words are the same when they begin alike: renew, renewal.

    >>> new_words("Books and laptops are lent for 21 days.", ["Each book is lent for 21 days."])
    ('laptop',)
    """
    known = {_stem(word) for text in texts for word in words(text)} | _small()
    return tuple(dict.fromkeys(word for word in words(claim) if _stem(word) not in known))


def content_words(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a text that are not small."""
    return frozenset(map(_stem, words(text))) - _small()


@lru_cache(maxsize=1)
def _small() -> frozenset[str]:
    return frozenset(map(_stem, (*_SMALL, "|", "...")))


def _stem(word: str) -> str:
    return word[:5] if word.isalpha() else word


def conditions_from(value: object, place: str) -> tuple[Condition, ...]:
    """Return the conditions of a file's list ``[{name, says = [...]}]``.

    Raises InputError that names the condition and the field.
    """
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise InputError(f"{place}: expected a list of conditions, got {value!r:.60}")
    found = tuple(_condition(entry, f"{place}: condition {n}") for n, entry in enumerate(value, 1))
    names = [condition.name for condition in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"{place}: condition {twice[0]!r:.60} is given twice")
    return found


def _condition(entry: Any, place: str) -> Condition:
    if not isinstance(entry, Mapping):
        raise InputError(f"{place}: expected a name and its wordings, got {entry!r:.60}")
    if extra := sorted(set(entry) - {"name", "says"}):
        raise InputError(f"{place}: field {extra[0]!r} is not one of name, says")
    name, wordings = entry.get("name"), entry.get("says")
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"{place}: field 'name': expected text, got {name!r:.60}")
    if (
        not isinstance(wordings, Sequence)
        or isinstance(wordings, str)
        or not wordings
        or not all(isinstance(w, str) and set(words(w)) - {"...", "|"} for w in wordings)
    ):
        raise InputError(
            f"{place}: field 'says': expected a list of wordings, got {wordings!r:.60}"
        )
    return Condition(name, tuple(wordings))
