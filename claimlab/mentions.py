"""Values that a sentence mentions: weekdays, clock times, terms, numbers.

Used for claims and for a row's own text alike, so that ``TuTh``, ``Tue/Thu`` and ``Tuesdays and
Thursdays`` are one set (spec of lab 1, "Mentions"). No pattern here can take more than linear time.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from claimlab.late import late

Kind = Literal["day", "time", "part", "season", "number"]


class Clock(NamedTuple):
    """A time of day: minutes after midnight as written, and whether am or pm was said."""

    minute: int
    meridiem: bool

    def agrees(self, row: Clock) -> bool:
        """Whether this time, said of a row that gives ``row``, is right.

        ``10:00`` in a row is the 24-hour clock. A claim may leave out the am or pm that the row
        has (``2:00`` for ``2:00pm``), not the other way round.
        """
        if self.minute == row.minute:
            return True
        return row.meridiem and not self.meridiem and self.minute % 720 == row.minute % 720


class Mention(NamedTuple):
    """A value found in a text.

    ``value`` is a frozenset of weekdays (0 is Monday), a pair of clocks (start, end or None), a
    part of the day, a pair (season, year or None) or a number. ``hedge`` is the word that makes it
    less than that value: ``under``, ``about``, ``before``.
    """

    kind: Kind
    start: int
    end: int
    value: Any
    text: str
    hedge: str = ""


_DASHES = dict.fromkeys(map(ord, "‐‑‒–−"), "-")
_QUOTES = dict.fromkeys(map(ord, "’‘ʼ`´"), "'") | dict.fromkeys(map(ord, "“”„«»*#|•·"), " ")
_SPACES = late(r"\s+")
_DOTTED_MERIDIEM = late(r"(?<![^\W\d_])([ap])\. ?m\b\.?", re.I)


def clean(text: str) -> str:
    """Return text in one form: Unicode forms, dashes, apostrophes, white space, ``p.m.``.

    >>> clean("Tue–Thu, at 2 p.m.")
    'Tue-Thu, at 2 pm'
    """
    folded = unicodedata.normalize("NFKC", text).translate(_DASHES).translate(_QUOTES)
    folded = folded.replace("—", " , ").replace('"', " ")
    return _DOTTED_MERIDIEM.sub(r"\1m", _SPACES.sub(" ", folded).strip())


DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_DAY_NUMBER = {
    **{day.lower(): n for n, day in enumerate(DAYS)},
    "mon": 0,
    "tue": 1,
    "tues": 1,
    "wed": 2,
    "weds": 2,
    "thu": 3,
    "thur": 3,
    "thurs": 3,
    "fri": 4,
    "sat": 5,
    "sun": 6,
    "m": 0,
    "tu": 1,
    "t": 1,
    "w": 2,
    "th": 3,
    "r": 3,
    "f": 4,
    "sa": 5,
    "s": 5,
    "su": 6,
    "u": 6,
}
_DAY_WORD = late(
    r"(?<![^\W_])(?:"
    r"(?P<name>(?:[Mm]on|[Tt]ues|[Ww]ednes|[Tt]hurs|[Ff]ri|[Ss]atur|[Ss]un)day"
    r"|(?:MON|TUES|WEDNES|THURS|FRI|SATUR|SUN)DAY)[Ss]?"
    r"|(?P<slashed>(?:M|Tu|Th|T|W|R|F|Sa|Su)(?: ?[/&] ?(?:M|Tu|Th|T|W|R|F|Sa|Su)){1,6})"
    r"|(?P<short>[Mm]on|[Tt]ues?|[Ww]eds?|[Tt]hurs?|[Tt]hu|[Ff]ri|Sat|Sun|Tu|Th"
    r"|MON|TUES?|WEDS?|THURS?|THU|FRI|SAT|SUN)s?\.?"
    r"|(?P<code>(?:M|Tu|Th|T|W|R|F|Sa|Su|S|U){2,7})"
    r"|(?P<several>[Ww]eekdays?|[Ww]eekends?|[Ee]very day(?! from)|[Ee]ach day(?! from)|[Dd]aily)"
    r")(?![^\W_])"
)
_DAY_LETTERS = late(r"Tu|Th|Sa|Su|[MTWRFSU]")
_ALONE = late(r"M|Tu?|W|Th?|R|F|Sa?|Su?|U")
_DAY_RANGE = late(r" ?- ?| to | through | thru ")


def _letters(code: str) -> list[int]:
    return [_DAY_NUMBER[letter.lower()] for letter in _DAY_LETTERS.findall(code)]


def weekdays(text: str) -> list[Mention]:
    """Return the weekday sets that a text mentions; text as :func:`clean` gives it.

    >>> [sorted(m.value) for m in weekdays("Mon/Wed, TuTh, Fridays, Mon-Fri")]
    [[0], [2], [1, 3], [4], [0, 1, 2, 3, 4]]
    """
    if _ALONE.fullmatch(text):  # a column of day codes may hold one letter
        return [Mention("day", 0, len(text), frozenset(_letters(text)), text)]
    found: list[Mention] = []
    for match in _DAY_WORD.finditer(text):
        days = _days_of(match)
        if days is None:
            continue
        last = found[-1] if found else None
        if (
            last
            and len(last.value) == len(days) == 1
            and _DAY_RANGE.fullmatch(text, last.end, match.start())
        ):
            (first,), (final,) = last.value, days
            days = frozenset((first + step) % 7 for step in range((final - first) % 7 + 1))
            found.pop()
            start = last.start
        else:
            start = match.start()
        hedge = _word_before(text, start, _DAY_HEDGES)
        found.append(Mention("day", start, match.end(), days, text[start : match.end()], hedge))
    return found


_DAY_HEDGES = late(
    r"(?:\b(by|until|till|through|before|after|within|since|except|but|beyond|past|around|about"
    r"|ends on|end on|ends in|ends|ending|due|due on|early|late|near)|(~|<|>|≈|≠|!)) ?(?:the )?$",
    re.I,
)


def _days_of(match: re.Match[str]) -> frozenset[int] | None:
    word = match.group()
    if match["several"]:
        if "end" in word.lower():
            return frozenset({5, 6})
        return frozenset(range(5 if word.lower().startswith("week") else 7))
    if match["code"] and not match["short"]:
        if word in ("MS", "SU"):
            return None  # a degree, a university
        days = _letters(word)  # in the order of the week, or it is some other word: US, WTF
        return frozenset(days) if days == sorted(set(days)) else None
    if match["slashed"]:
        return frozenset(_letters(word))
    key = word.lower().rstrip(".")
    return frozenset({_DAY_NUMBER.get(key, _DAY_NUMBER.get(key.removesuffix("s"), -1))})


_HOURS = "one two three four five six seven eight nine ten eleven twelve".split()
_HOUR = r"(?:\d{1,2}|" + "|".join(_HOURS) + ")"
_CLOCK = rf"({_HOUR})(?::(\d\d)(?::00)?)? ?(am|pm|o'clock)?"
_TIME = late(
    rf"(?<![\w.:/])(?:"
    rf"(?P<range>{_CLOCK} ?(?:-|to|until|till|through) ?{_CLOCK}"
    rf"(?: in the (morning|afternoon|evening))?)"
    rf"|(?P<past>(half|(?:a )?quarter) (past|to) ({_HOUR}) ?(am|pm)?"
    rf"(?: in the (morning|afternoon|evening))?)"
    rf"|(?P<part>{_CLOCK} in the (morning|afternoon|evening))"
    rf"|(?P<at>(?<=\bat ){_CLOCK})"
    rf"|(?P<dotted>(\d{{1,2}})\.(\d\d) ?(am|pm))"
    rf"|(?P<plain>{_CLOCK})"
    rf"|(?P<word>(?:12 )?(?:noon|midday|midnight))"
    r")(?![\w%]|:\d|[.,]\d|/\d| ?credit| ?seat)",
    re.I,
)
_PART = late(r"\b(morning|afternoon|evening)s?\b", re.I)
PARTS = {"morning": (0, 720), "afternoon": (720, 1080), "evening": (1020, 1440)}


def _clock(hour: str, minute: str | None, meridiem: str | None) -> Clock | None:
    h = _HOURS.index(hour.lower()) + 1 if hour.lower() in _HOURS else int(hour)
    m = int(minute or 0)
    half = (meridiem or "").lower()
    if half in ("am", "pm"):
        if not 1 <= h <= 12:
            return None
        h = h % 12 + (12 if half == "pm" else 0)
    return Clock(h * 60 + m, half in ("am", "pm")) if h <= 24 and m < 60 else None


def times(text: str) -> list[Mention]:
    """Return the clock times and ranges that a text mentions; text as :func:`clean` gives it.

    >>> [m.text for m in times("at 2pm, 14:00-15:15, noon, half past nine, not 3 credits")]
    ['2pm', '14:00-15:15', 'noon', 'half past nine']
    """
    found = []
    for match in _TIME.finditer(text):
        value = _time_value(match)
        if value is not None:
            hedge = _word_before(text, match.start(), _TIME_HEDGES)
            found.append(Mention("time", match.start(), match.end(), value, match.group(), hedge))
    taken = [(m.start, m.end) for m in found]
    for match in _PART.finditer(text):
        if not any(start <= match.start() < end for start, end in taken[:50]):
            word = match[1].lower()
            found.append(Mention("part", match.start(), match.end(), word, match.group()))
    return found


_TIME_HEDGES = late(
    r"(?:\b(before|after|around|about|approximately|roughly|by|past|nearly|almost|no later than"
    r"|no earlier than|sometime|as early as|as late as|circa)|(~|<|>|≈)) ?(?:at )?$",
    re.I,
)


def _word_before(text: str, start: int, pattern: re.Pattern[str]) -> str:
    match = pattern.search(text, max(0, start - 24), start)
    return (match.group().strip()) if match else ""


def _time_value(match: re.Match[str]) -> tuple[Clock, Clock | None] | None:
    g = match.groups()
    names = list(match.re.groupindex)
    kind = next(name for name in names if match[name] is not None)
    first = match.re.groupindex[kind]  # the groups of this alternative follow its name
    if kind == "word":
        return Clock(0 if "night" in match["word"].lower() else 720, True), None
    if kind == "range":
        h1, m1, half1, h2, m2, half2, part = g[first : first + 7]
        half2 = half2 or _half_of(part)
        if not (m1 or m2 or half1 or half2):
            return None
        end = _clock(h2, m2, half2)
        start = _clock(h1, m1, half1 or half2)
        if not half1 and start and end and start.minute > end.minute:
            start = _clock(h1, m1, "am" if half2 else None)
        return (start, end) if start and end else None
    if kind == "past":
        fraction, direction, hour, half, part = g[first : first + 5]
        base = _clock(hour, None, half or _half_of(part))
        shift = 30 if fraction.lower() == "half" else 15
        if base is None or (direction.lower() == "to" and shift == 30):
            return None
        minutes = base.minute + (shift if direction.lower() == "past" else -shift)
        return Clock(minutes % 1440, base.meridiem), None
    hour, minute, half = g[first : first + 3]
    if kind == "plain" and not (minute or half):
        return None
    if kind == "part" and half not in ("am", "pm"):
        half = _half_of(g[first + 3])
    clock = _clock(hour, minute, half)
    return (clock, None) if clock else None


def _half_of(part: str | None) -> str | None:
    """In the morning is am, in the afternoon or evening is pm."""
    return None if part is None else "am" if part.lower() == "morning" else "pm"


_SEASON = late(
    r"\b(?:((?:19|20)\d\d) )?(fall|autumn|spring|summer|winter)s?\b"
    r"(?:(?: of)? ?((?:19|20)\d\d)\b| '(\d\d)\b)?",
    re.I,
)


_VERB_FALL = late(r"falls? (?:on|at|into|within|between|under|short)\b")


def seasons(text: str) -> list[Mention]:
    """Return the terms that a text mentions, with their year where it is said.

    >>> [m.value for m in seasons("in Fall, 2026 Spring or autumn of 2025")]
    [('fall', None), ('spring', 2026), ('fall', 2025)]
    """
    found = []
    for match in _SEASON.finditer(text):
        before, name, after, short = match.groups()
        if _VERB_FALL.match(text, match.start(2)):
            continue  # "the lab falls on Friday"
        year = int(before or after or (f"20{short}" if short else 0)) or None
        season = "fall" if name.lower() == "autumn" else name.lower()
        hedge = _word_before(text, match.start(), _DAY_HEDGES)
        found.append(
            Mention("season", match.start(), match.end(), (season, year), match.group(), hedge)
        )
    return found


_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBER = late(
    r"(?<![\w.])(?:(?P<digits>\d{1,15}(?:,\d{3}){0,4}(?:\.\d{1,9})?)"
    r"|(?P<words>(?:" + "|".join(_TENS) + r")(?:[- ](?:" + "|".join(_UNITS[1:10]) + r"))?"
    r"|(?:"
    + "|".join(sorted(_UNITS, key=len, reverse=True))
    + r")(?: hundred(?: and)?(?: (?:(?:"
    + "|".join(_TENS)
    + r")(?:[- ](?:"
    + "|".join(_UNITS[1:10])
    + r"))?|"
    + "|".join(sorted(_UNITS[1:], key=len, reverse=True))
    + r"))?)?|a hundred))"
    r"(?![\w]|\.\d)",
    re.I,
)
_NUMBER_HEDGES = late(
    r"(?:\b(under|over|below|above|at least|at most|about|around|approximately|approx\.?|roughly"
    r"|nearly|almost|more than|less than|fewer than|up to|no more than|no fewer than"
    r"|no less than|not more than|not less than|close to|some|minimum(?: of)?|maximum(?: of)?"
    r"|between|upwards of|exceeds?|exceeding|within|beyond|just short of|circa|ca\.?)"
    r"|([~<>≤≥≈±]=?)) ?(?:of |the )?$",
    re.I,
)
_AFTER_NUMBER = late(
    r"\+| ?%| per ?cent\b|-?ish\b|-plus\b| plus\b"
    r"| (?:or|and) (?:more|fewer|less|so|up|over|under|above|below|thereabouts)\b"
    r"|(?: \w+){0,2} (?:or (?:more|fewer|less|so)|at (?:least|most|minimum))\b",
    re.I,
)


_SIGN = late(r"(?:^|[\s:=(])-$")
_COUNTED = late(
    r"[- ](?:\w+[- ])?(?:credit|section|seat|unit|hour|lab|spot|place|week|student)", re.I
)


def number_of(words: str) -> float:
    """Return the number that a number word says: ``forty-two`` is 42."""
    total = 0
    for word in re.split("[- ]", words.lower()):
        if word in _UNITS:
            total += _UNITS.index(word)
        elif word in _TENS:
            total += (_TENS.index(word) + 2) * 10
        elif word == "hundred":
            total = max(total, 1) * 100  # "one hundred and twenty": what follows is added
    return float(total)


def numbers(text: str) -> list[Mention]:
    """Return the numbers that a text mentions, with what hedges them (``under``, ``~``, ``+``).

    >>> [(m.value, m.hedge) for m in numbers("42, under 42, forty-two or more, 1,200")]
    [(42.0, ''), (42.0, 'under'), (42.0, 'or more'), (1200.0, '')]
    """
    found = []
    for match in _NUMBER.finditer(text):
        digits = match["digits"]
        if match.group().lower() == "one" and not _COUNTED.match(text, match.end()):
            continue  # "one of the days", "the one term", "this one"
        value = float(digits.replace(",", "")) if digits else number_of(match["words"])
        hedge = _word_before(text, match.start(), _NUMBER_HEDGES)
        if not hedge and _SIGN.search(text, max(0, match.start() - 2), match.start()):
            hedge = "-"
        after = _AFTER_NUMBER.match(text, match.end())
        hedge = hedge or (after.group().strip() if after else "")
        found.append(Mention("number", match.start(), match.end(), value, match.group(), hedge))
    return found


def mentions(text: str) -> list[Mention]:
    """Return all values that a text mentions, in its order, none overlapping another."""
    taken = bytearray(len(text))
    return sorted(_free(text, taken), key=lambda m: m.start)


def _free(text: str, taken: bytearray) -> Iterator[Mention]:
    for find in (times, weekdays, seasons, numbers):
        for mention in find(text):
            if not any(taken[mention.start : mention.end]):
                taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
                yield mention
