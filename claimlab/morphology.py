"""What a word of a dialect is made of: one spelling for many, and the parts of a verb's form.

Arabic in Latin letters has no spelling, only habits: ``machi``, ``mashi`` and ``mechi`` are one
word. And one written word holds what English says in four: ``mangoulhach`` is "I do not say it".
Both are rules here; which letters and affixes they work with is data, in the ``[morphology]`` of a
lexicon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any, Final

from claimlab.errors import InputError

NEGATED: Final = "+neg"
"""Stands in a clause before a word that holds its negation in itself, closed by the second half."""
BARE: Final = "+bare"
"""Stands in a clause before a word that is negated by its first half alone."""
FUTURE: Final = "+fut"
"""Stands in a clause before a verb that holds its future in itself."""
CLOSED: Final = "+sh"
"""Stands in a clause before a word that closes what a ``ma`` before it opened."""
MAX_WORD: Final = 40
"""A longer word is no verb's form."""
SPELLINGS: Final = ("plain", "arabizi")

# Letters that several habits write in several ways; longer ones first.
_HABITS: Final = (
    ("sch", "š"), ("ch", "š"), ("sh", "š"), ("kh", "x"), ("gh", "ğ"), ("ph", "f"), ("th", "t"),
    ("dh", "d"), ("ou", "u"), ("oo", "u"), ("ee", "i"), ("3'", "ğ"), ("7'", "x"), ("qu", "k"),
)  # fmt: skip
_LETTERS: Final = str.maketrans(
    {"5": "x", "9": "q", "7": "ħ", "3": "ʕ", "6": "t", "2": "", "'": "", "8": "h"}
    | {"o": "u", "c": "k", "y": "i", "-": ""}
)
_VOWELS: Final = frozenset("aeiu")
_THROAT: Final = frozenset("ʕħqxğ")
"""Sounds that French and English do not have: a word that holds one is Arabic."""


@dataclass(frozen=True)
class Morphology:
    """The letters and affixes of one lexicon, in the one spelling of :func:`spell`.

    ``open`` and ``close`` are the halves of the circumfix; ``short`` is the first half as one
    letter, which is believed only with more evidence, and ``bare`` may do without the second half.
    ``person`` and ``aspect`` are what a verb begins with, ``suffix`` what it ends with; ``pseudo``
    are words that are negated like verbs without being one, ``alone`` those that need no second
    half; ``perfect`` are frequent verbs of the past. ``article`` and ``owner`` go with nouns.
    """

    spelling: str = "plain"
    conjunction: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    short: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    close: tuple[str, ...] = ()
    person: tuple[str, ...] = ()
    aspect: tuple[str, ...] = ()
    future: tuple[str, ...] = ()
    suffix: tuple[str, ...] = ()
    pseudo: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    perfect: tuple[str, ...] = ()
    article: tuple[str, ...] = ()
    owner: tuple[str, ...] = ()


PLAIN: Final = Morphology()


def morphology(given: Mapping[str, Any], place: str, clean: Callable[[str], str]) -> Morphology:
    """Return the ``[morphology]`` of a lexicon; InputError names the field that is wrong."""
    names = [field.name for field in fields(Morphology)]
    if extra := sorted(set(given) - set(names)):
        raise InputError(f"{place}: {extra[0]!r} is not one of {', '.join(names)}")
    spelling = given.get("spelling", "plain")
    if spelling not in SPELLINGS:
        expected = ", ".join(SPELLINGS)
        raise InputError(f"{place}: field 'spelling': expected one of {expected}")
    lists = {}
    for name in names[1:]:
        words = given.get(name, [])
        if not isinstance(words, list) or not all(isinstance(w, str) and w for w in words):
            raise InputError(f"{place}: field {name!r}: expected a list of affixes")
        spelt = dict.fromkeys(_spelt(clean(word), spelling) for word in words)
        lists[name] = tuple(sorted(spelt, key=len, reverse=True))
    return Morphology(spelling, **lists)


# -- one spelling --------------------------------------------------------------------------------


def _spelt(word: str, spelling: str) -> str:
    return spell(word) if spelling == "arabizi" else word


def spell(word: str) -> str:
    """Return a word of Arabizi in one spelling: a sign a sound, no letter doubled.

    What has a run of digits is a number or an id and stays as it is.

    >>> spell("Ma3rafteksh".lower()), spell("ma3raftekch"), spell("walouuu"), spell("9bel")
    ('maʕraftekš', 'maʕraftekš', 'walu', 'qbel')
    >>> spell("ord-10482")
    'ord-10482'
    """
    if is_number(word):
        return word
    first = word[:1]
    word = "".join(c for n, c in enumerate(word) if c in "eo" or c != word[n - 1 : n])
    if word.endswith("sch"):  # makhssch: a stem's last letter, and the second half
        word = word[:-2] + "š"
    for habit, sound in _HABITS:
        if habit in word:
            word = word.replace(habit, sound)
    sounded = list(word.translate(_LETTERS))
    if first == "y":
        sounded[0] = "y"
    once = [c for n, c in enumerate(sounded) if n == 0 or c != sounded[n - 1]]
    if len(once) > 2 and once[-1] == "e" and once[-2] == "š":
        once.pop()
    return "".join(once)


def unstretched(word: str) -> str:
    """Return a word without the letters that somebody held down; two of a kind may be right.

    >>> unstretched("مشششش"), unstretched("اللي")
    ('مش', 'اللي')
    """
    runs = [list(run) for _, run in groupby(word)]
    return "".join("".join(run if len(run) < 3 else run[:1]) for run in runs)


def is_number(word: str) -> bool:
    """Whether a token is a number or an id, not a word that writes sounds with digits.

    >>> [is_number(token) for token in ("10482", "ord-10482", "7aja", "3la9bal", "2014")]
    [True, True, False, False, True]
    """
    if word.isalpha():
        return False
    if not any(c.isalpha() for c in word):
        return True
    if any(char in "01" for char in word) or ("-" in word and word[-1].isdigit()):
        return True
    return len(word) - len(word.rstrip("0123456789")) >= 3


def sounds(word: str) -> str:
    """Return the key under which spellings of one word meet: its consonants, if it has three.

    Short vowels are written or not, and none as another writes it. That a word begins with one
    counts, and a last ``i`` or ``u``.

    >>> sounds("talab"), sounds("tlab"), sounds("mechi"), sounds("confirmi")
    ('tlb', 'tlb', 'meši', 'knfrmi')
    """
    if word[:1] == "+" or is_number(word.strip("~")):
        return word
    spelt = spell(word)
    if "~" in word:  # a part of a word, as a form has it
        return "".join(c for c in spelt if c not in _VOWELS)
    bones = "".join(c for c in spelt if c not in _VOWELS)
    if len(bones) < 3:
        return spelt
    return ("e" if spelt[0] in _VOWELS else "") + bones + (spelt[-1] if spelt[-1] in "iu" else "")


# -- the parts of a word -------------------------------------------------------------------------


def take_apart(
    word: str, affixes: Morphology, is_frozen: Callable[[str], bool] = lambda word: False
) -> tuple[str, ...] | None:
    """Return the marks of what a word holds in itself, and the rest of it; None for other words.

    ``word`` is in the one spelling of ``affixes``; ``is_frozen`` knows the words that only look so.

    >>> halves = {"open": ("ma",), "close": ("š",)}
    >>> of = Morphology("arabizi", ("w",), person=("y", "n", "t"), future=("ğa",), **halves)
    >>> take_apart("manʕrafš", of), take_apart("wmağanmšiš", of), take_apart("ğanmši", of)
    (('+neg', 'nʕraf'), ('+neg', '+fut', 'nmši'), ('+fut', 'nmši'))
    >>> take_apart("marakeš", of, {"marakeš"}.__contains__)
    """
    if not 3 <= len(word) <= MAX_WORD or is_frozen(word):
        return None
    for read in (_negated, _to_come):
        for joined in ("", *affixes.conjunction):
            rest = word[len(joined) :]
            if word.startswith(joined) and not (joined and is_frozen(rest)):
                found = read(rest, affixes)
                if found is not None:
                    return found
    return None


def closed(word: str, affixes: Morphology) -> str | None:
    """Return a word without the second half of the circumfix, None where it has none.

    >>> closed("tsajlatš", Morphology("arabizi", close=("š",)))
    'tsajlat'
    """
    ends = next((end for end in affixes.close if word.endswith(end)), "")
    return word[: -len(ends)] if ends and 3 <= len(word) <= MAX_WORD else None


def _negated(word: str, of: Morphology) -> tuple[str, ...] | None:
    for mark, body in _bodies(word, of):
        return (mark, *(_to_come(body, of) or (body,)))
    return None


def _bodies(word: str, of: Morphology) -> Iterator[tuple[str, str]]:
    """What stands between the halves, for each way in which the word may be negated."""
    for close in of.close:
        if word.endswith(close):
            for opening in of.open:
                body = word[len(opening) : -len(close)]
                least = 3 if close[-1] in _VOWELS else 2  # matmchi: the verb itself ends in chi
                if word.startswith(opening) and len(body) >= least:
                    yield NEGATED, body
            for opening in of.short:
                body = word[len(opening) : -len(close)]
                if word.startswith(opening) and _like_a_verb(body, of):
                    yield NEGATED, body
            body = word[: -len(close)]
            if _begins(body, of.alone) or (_is_imperfect(body, of, 4) and _ends(body, of.suffix)):
                yield NEGATED, body
    for opening in of.open[:1]:
        body = word[len(opening) :]
        stands = _begins(body, of.alone) or (opening in of.bare and _stands_alone(body, of))
        if word.startswith(opening) and stands:
            yield BARE, body


def _like_a_verb(body: str, of: Morphology) -> bool:
    """Evidence for ``m`` alone: a verb's beginning or ending, or a word negated like a verb."""
    if _begins(body, of.pseudo) or body in of.perfect:
        return True
    if of.spelling == "plain":
        return len(body) >= 3
    bare = len(body) >= 3 and _VOWELS.isdisjoint(body)  # m3rfsh: no participle is written so
    return bare or _is_imperfect(body, of, 3) or (len(body) >= 4 and _ends(body, of.suffix))


def _stands_alone(body: str, of: Morphology) -> bool:
    """Evidence for ``ma`` without its second half."""
    if any(body.startswith(stem) and body[len(stem) :] in _AGREES for stem in of.perfect):
        return True
    for aspect in of.aspect:
        if body.startswith(aspect) and _is_imperfect(body[len(aspect) :], of, 3):
            return True
    arabic = of.spelling == "plain" or not _THROAT.isdisjoint(body)
    if len(body) > 2 and body[0] in "iyي":
        enough = 4 if of.spelling == "plain" or arabic or body[1] not in _VOWELS else 5
        return len(body) >= enough
    if _is_imperfect(body, of, 4):
        return body[-1] in "uwو" or (arabic and of.spelling == "arabizi")
    return arabic and len(body) >= 3 and body[-1] in "tت" and body[-2] not in "aeuاو"


_AGREES: Final = frozenset(
    ("", "t", "it", "ti", "na", "at", "u", "aw", "w", "tu", "ت", "نا", "و", "وا")
)


def _to_come(word: str, of: Morphology) -> tuple[str, ...] | None:
    for prefix in of.future:
        rest = word[len(prefix) :]
        if word.startswith(prefix) and _is_imperfect(rest, of, 3):
            return FUTURE, rest
    return None


def _is_imperfect(body: str, of: Morphology, least: int) -> bool:
    """Whether a word begins as an unfinished verb does: with a person, or an aspect."""
    for aspect in of.aspect:
        if body.startswith(aspect) and _begins(body[len(aspect) :], of.person):
            return len(body) > least
    return len(body) >= least and _begins(body, of.person) and not _all_vowels(body[1:])


def _all_vowels(rest: str) -> bool:
    return all(c in _VOWELS for c in rest)


def _begins(word: str, prefixes: tuple[str, ...]) -> bool:
    return bool(prefixes) and word.startswith(prefixes)


def _ends(word: str, suffixes: tuple[str, ...]) -> bool:
    return bool(suffixes) and word.endswith(suffixes)
