"""Which tokens of a reply are ids, and which ids a tool's result holds under which key.

A phone number, a date, a time, a price and a quantity are no ids, however many digits they have.
What a tool returned under one of the action's own keys is an id, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from claimlab.late import late
from claimlab.spelling import normalise
from claimlab.trace_formats import json_value

MAX_DIGITS = 30
"""The longest id of digits, in digits."""
MAX_NESTING = 20
"""How deep a tool's result is searched for keys."""
REGIONS: Final = ("EG", "MA", "DZ", "TN")
"""The phone regions of the shop."""


@dataclass(frozen=True)
class Identifier:
    """An id as it is compared (``value``) and where the reply says it.

    ``named``: the reply says that it is one ("order 17", "#17", "ORD-17").
    """

    value: str
    start: int
    end: int
    named: bool = True


# -- in a reply ----------------------------------------------------------------------------------

_CANDIDATE = late(
    r"(?<![\w.,/:@+-])"
    r"(?:(?P<prefix>[a-z]{1,6})(?P<dash>[-_ ]?#?)|(?P<hash>\#\s?)|(?P<plus>\+|00(?=\d{10})))?"
    r"(?P<digits>\d{1,4}(?:[ .,'-]\d{2,5}(?!\d)){1,12}|\d++)"
    r"(?![\w@])"
)
_CUE = late(
    r"(?:orders?|order id|number|numbers|no|nr|num|id|ids|ref|reference|confirmation|code|commande"
    r"|commandes|numero|talab|tlab|طلب|طلبك|الطلب|طلبيه|رقم|رقمه|اوردر|الاوردر|طلبيتك|كوموند)"
    r"(?: (?:number|no|nr|id|code|reference|رقم))?[.:]?\s*(?:is|=)?\s*[*_`\"'(\[]*\s*#?$"
)
_UNIT = late(
    r"\s?(?:%|°|[a-z]{1,2}\d|(?:x|kg|g|mg|ml|l|cl|cm|mm|m|km|lb|lbs|oz|am|pm|a\.m|p\.m|h|min|mins|usd"
    r"|eur|egp|mad|dzd|tnd|dh|dhs|da|le|dinars?|dirhams?|pounds?|euros?|dollars?|cents?|percent"
    r"|pieces?|pcs|items?|units?|boxes|packs?|bags?|mugs?|days?|hours?|minutes?|weeks?|months?"
    r"|years?|people|persons?|passengers?|points?|times|business|working|of|more|other|new"
    r"|جنيه|درهم|دينار|كيلو|قطع|قطعه|ايام|يوم|ساعه|دقيقه)\b)"
)
_MONEY = late(r"(?:[$€£¥₹]|usd|eur|egp|mad|dzd|tnd|price|total|amount|cost|costs|pay|paid)[: ]*$")
_DATE = late(
    r"(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}|\d{1,2}:\d{2}(?::\d{2})?"
    r"(?:\s?[ap]\.?m)?)"
)
_MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june"
    r"|july|august|september|october|november|december|يناير|فبراير|مارس|ابريل|مايو|يونيو|يوليو"
    r"|اغسطس|سبتمبر|اكتوبر|نوفمبر|ديسمبر|janvier|fevrier|avril|mai|juin|juillet|aout)"
)
_MONTH_DAY = late(rf"\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b")
_DAY_MONTH = late(rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b(?:,? \d{{4}}\b)?")
_AND = late(r"\s*(?:,|&|/|and|or|et|w|و|, and)\s*[#*]*\s*")
_SPLIT = late(r"[^\d]")
_NOT_A_PREFIX = frozenset(
    "no nr of to on in at is and or for by the was has under with from not id ref as are be it"
    " num your my our que et du le la rqm w f b l order orders number code".split()
)
_ORDERISH = frozenset("ord order so po cmd o ordr rqm tlb co wo".split())
_OTHER_THINGS = frozenset(
    "sku item cust customer user usr c u eu us uk tel fax covid iso usb ipv windows win mp size"
    " room gate row seat zone card visa flight hat".split()
)
_NEXT_WORD = late(r"[ ]+([^\W\d_]+)")
_GOES_ON = frozenset(
    "is was has have had are were will would can could and or but for to on in at by from with"
    " under as has now today just already which that it you your the i we if so because before"
    " after via through yesterday tomorrow this last".split()
)
_FEWEST_DIGITS = 3
"""A bare number without a cue is an id from so many digits on."""


def extract_identifiers(
    reply: str,
    known: Collection[str] = (),
    regions: Sequence[str] = REGIONS,
    shape: re.Pattern[str] | None = None,
) -> tuple[str, ...]:
    """Return the ids that a reply cites, each once, in the order of their first mention.

    ``known`` are ids that tools returned under the action's own keys: they stay ids even if they
    look like a phone number of one of the ``regions``. ``shape`` is the pattern of ids that are
    not numbers (a domain's own, such as six letters and digits).

    >>> extract_identifiers("Order ORD-10482 is placed; call 0550 123 456 by 12:30, 3 mugs, $25")
    ('ORD-10482',)
    >>> extract_identifiers("Order #10 482 and order no. ١٧")
    ('10482', '17')
    """
    found = find_identifiers(reply, known, regions, shape)
    return tuple(dict.fromkeys(one.value for one in found))


def find_identifiers(
    reply: str,
    known: Collection[str] = (),
    regions: Sequence[str] = REGIONS,
    shape: re.Pattern[str] | None = None,
) -> list[Identifier]:
    """Return every mention of an id with its place; see :func:`extract_identifiers`."""
    found: list[Identifier] = []
    if shape is not None:
        found += _shaped(reply, shape, known)
    else:
        found += _numbered(reply, known, regions)
    for value in sorted(known, key=len, reverse=True):  # ids of a shape that nobody foresaw
        if any(c.isalpha() for c in value) and len(value) > 2:
            found += _said_as_is(reply, value, found)
    return sorted(found, key=lambda one: one.start)


def _said_as_is(reply: str, value: str, found: Sequence[Identifier]) -> Iterator[Identifier]:
    start = reply.find(value)
    while start >= 0:
        end = start + len(value)
        alone = (
            not reply[max(0, start - 1) : start].isalnum() and not reply[end : end + 1].isalnum()
        )
        if alone and not any(one.start < end and start < one.end for one in found):
            yield Identifier(canonical(value), start, end)
        start = reply.find(value, end)


def _shaped(reply: str, shape: re.Pattern[str], known: Collection[str]) -> Iterator[Identifier]:
    for match in shape.finditer(reply):
        value = canonical(match.group())
        if value in known or not match.group().isalpha() or _cued(reply, match.start()):
            yield Identifier(value, match.start(), match.end())


def _cued(text: str, start: int) -> bool:
    """Whether the words before say that an id follows: "reservation ID: "."""
    before = text[max(0, start - 40) : start].lower().replace("*", "").replace("`", "")
    return bool(_SHAPE_CUE.search(before))


_SHAPE_CUE = late(
    r"(?:reservation|booking|confirmation|trip|order|id|number|code|reference|ref|pnr|reserva"
    r"|codigo)s?[:# ]+(?:is |are )?[\"'(\[]*$"
)


def _numbered(reply: str, known: Collection[str], regions: Sequence[str]) -> Iterator[Identifier]:
    normal = normalise(reply)
    text = normal.text
    plain = {one.rpartition("-")[2] for one in known}
    dates: list[tuple[int, int]] | None = None
    passed, last_id = 0, -1
    for match in _candidates(text):
        where = match.start("digits")
        if dates is None and match["prefix"] not in _ORDERISH:
            dates = _dates(text)
        while dates and passed < len(dates) and dates[passed][1] <= where:
            passed += 1
        if dates and passed < len(dates) and dates[passed][0] <= where:
            continue
        listed = last_id >= 0 and _AND.fullmatch(text, last_id, where) is not None
        value = _number_of(match, text, known, plain, regions, listed)
        if value is not None:
            last_id = match.end()
            start = where if value.isdigit() else match.start()
            prefix = match["prefix"] if not value.isdigit() else None
            named = listed or bool(match["hash"]) or prefix in _ORDERISH
            named = named or bool(_CUE.search(text[max(0, start - 24) : start]))
            yield Identifier(value, *normal.original(start, match.end()), named)


_DIGIT = late(r"\d")
_LONGEST_PREFIX = 8
"""How far before its first digit a candidate begins at most: six letters, a dash, a hash."""


def _candidates(text: str) -> Iterator[re.Match[str]]:
    """What ``_CANDIDATE.finditer`` yields, looking only from before the next digit on."""
    at = 0
    while digit := _DIGIT.search(text, at):
        match = _CANDIDATE.search(text, max(at, digit.start() - _LONGEST_PREFIX))
        if match is None:
            return
        yield match
        at = match.end()


def _dates(text: str) -> list[tuple[int, int]]:
    """Where dates and times stand, in order."""
    patterns = (_DATE, _MONTH_DAY, _DAY_MONTH)
    return sorted(m.span() for pattern in patterns for m in pattern.finditer(text))


def _number_of(
    match: re.Match[str],
    text: str,
    known: Collection[str],
    plain: Collection[str],
    regions: Sequence[str],
    listed: bool,
) -> str | None:
    """The id that a candidate is, or None. ``listed``: it follows an id and an "and"."""
    grouped = match["digits"]
    digits = grouped if grouped.isdigit() else _SPLIT.sub("", grouped)
    if len(digits) > MAX_DIGITS:
        return None
    prefix, dash = match["prefix"], match["dash"] or ""
    if prefix and (prefix in _NOT_A_PREFIX or (dash[:1] == " " and prefix not in _ORDERISH)):
        cue = prefix if not dash.endswith("#") else "#"
        prefix = None
    else:
        cue = ""
    if prefix:
        value = f"{prefix.upper()}-{digits}"
        if value in known or prefix in _ORDERISH:
            return value
        shaped = len(digits) >= _FEWEST_DIGITS and bool(dash or len(prefix) > 1)
        other = prefix in _OTHER_THINGS or not shaped
        before = text[max(0, match.start() - 24) : match.start()]
        return value if (shaped or _CUE.search(before)) and not other else None
    if digits in plain:
        return digits
    hashed = match["hash"] is not None or cue == "#"
    if match["plus"] or (not hashed and is_phone(digits, tuple(regions))):
        return None
    if hashed:
        return digits
    if "." in grouped or ("," in grouped and not _thousands(grouped)):
        return None
    before = text[max(0, match.start("digits") - 24) : match.start("digits")]
    if _MONEY.search(before) or _UNIT.match(text, match.end()):
        return None
    if listed or _CUE.search(before):
        return digits
    following = _NEXT_WORD.match(text, match.end())
    counted = following is not None and following[1] not in _GOES_ON
    if len(digits) < _FEWEST_DIGITS or counted or _ADDRESS.search(before):
        return None
    return digits


def _thousands(grouped: str) -> bool:
    return all(len(part) == 3 for part in grouped.split(",")[1:])


_ADDRESS = late(
    r"(?:street|st|apt|room|suite|zip|gate|page|flight|year|in|since|until|about|around|over|under"
    r"|at|nearly|almost|than|up to|by|ext|pin|card|ending|ends|ending in|last)[ #.:]*$"
)


@lru_cache(maxsize=4096)
def is_phone(digits: str, regions: tuple[str, ...] = REGIONS) -> bool:
    """Whether digits are a valid phone number of one of the regions.

    Needs the package phonenumbers, which is imported here.

    >>> is_phone("0550123456"), is_phone("10482")
    (True, False)
    """
    if not 8 <= len(digits) <= 15:
        return False
    import phonenumbers

    for region in regions:
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(digits, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False


# -- the same id ---------------------------------------------------------------------------------

_RUN = late(r"[A-Z]{2,4}\d{3,}$")
_PREFIXED = late(r"([A-Z]+)[-_ #]*(\d+)$")


def canonical(value: object) -> str:
    """Return an id in the form in which ids are compared: ``ord 10482`` is ``ORD-10482``.

    >>> canonical("ord10482"), canonical("#10482"), canonical(10482), canonical("k67c4w")
    ('ORD-10482', '10482', '10482', 'K67C4W')
    """
    return _canonical(str(value))


@lru_cache(maxsize=8192)
def _canonical(given: str) -> str:
    text = normalise(given.strip()).text.upper().strip("# ")
    prefixed = _PREFIXED.match(text)
    if prefixed and (len(prefixed[0]) > len(prefixed[1] + prefixed[2]) or _RUN.match(text)):
        return f"{prefixed[1]}-{prefixed[2]}"
    plain = text.replace(" ", "").replace("-", "")
    return plain if plain.isdigit() else text


def same_id(one: str, other: str) -> bool:
    """Whether two ids (in canonical form) are the same: a prefix may be left out on one side.

    >>> same_id("ORD-10482", "10482"), same_id("ORD-10482", "INV-10482")
    (True, False)
    """
    if one == other:
        return True
    first, second = _PREFIXED.match(one), _PREFIXED.match(other)
    if first and not second:
        return first[2] == other
    if second and not first:
        return second[2] == one
    return False


# -- in a result ---------------------------------------------------------------------------------

ORDER_KEYS: Final = (
    "order_id", "order_number", "order_no", "order_ref", "order_code", "order", "orders",
)  # fmt: skip
_OWN = frozenset({"id", "number", "no", "ref", "reference", "code"})


def identifiers_in(result: Any, keys: Iterable[str] = ORDER_KEYS) -> tuple[str, ...]:
    """Return the ids that a tool's result holds under one of the keys, at any depth.

    A result that is a text is read as JSON where it is an object or a list. A value under another
    key (a phone, a customer's number) is no id; under ``{"order": {"id": 7}}`` it is.

    >>> identifiers_in({"data": [{"order_id": "ord-7"}, {"phone": "0550123456"}]})
    ('ORD-7',)
    """
    return tuple(dict.fromkeys(found.id for found in held_ids(result, keys)))


@dataclass(frozen=True)
class HeldId:
    """An id in a tool's result, and the record around it."""

    id: str
    record: Mapping[str, Any]


def held_ids(result: Any, keys: Iterable[str]) -> Iterator[HeldId]:
    """Yield the ids under the wanted keys, level by level, each with the record that holds it."""
    wanted = _plain_keys(tuple(keys))
    none: Mapping[str, Any] = {}
    level: list[tuple[Any, bool, Mapping[str, Any]]] = [(result, False, none)]
    for _ in range(MAX_NESTING):
        inner: list[tuple[Any, bool, Mapping[str, Any]]] = []
        for given, named, record in level:
            value = json_value(given)
            if isinstance(value, Mapping):
                for key, held in value.items():
                    key = _key(key) if isinstance(key, str) else ""
                    inner.append((held, key in wanted or (named and key in _OWN), value))
            elif isinstance(value, list | tuple):
                inner += [(held, named, record) for held in value]
            elif named and _could_be_id(value):
                yield HeldId(canonical(value), record)
        if not inner:
            return
        level = inner


def _could_be_id(value: object) -> bool:
    if isinstance(value, str):
        return 0 < len(value.strip()) <= 60
    return isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 200


def other_values(result: Any, keys: Iterable[str]) -> Iterator[str]:
    """Yield texts and numbers with a digit that stand under other keys: phones, article numbers."""
    wanted = _plain_keys(tuple(keys))
    level: list[tuple[Any, str]] = [(result, "")]
    for _ in range(MAX_NESTING):
        inner: list[tuple[Any, str]] = []
        for given, key in level:
            value = json_value(given)
            if isinstance(value, Mapping):
                inner += [(v, _key(k) if isinstance(k, str) else "") for k, v in value.items()]
            elif isinstance(value, list | tuple):
                inner += [(v, key) for v in value]
            elif key not in wanted | _OWN and _could_be_id(value) and _DIGIT.search(str(value)):
                yield canonical(value)
        if not inner:
            return
        level = inner


@lru_cache(maxsize=256)
def _plain_keys(keys: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(_key, keys))


@lru_cache(maxsize=4096)
def _key(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")
