"""Cutting a free answer into claims, so that a right preamble cannot hide a guess in clause two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from claimlab.late import late
from claimlab.mentions import clean, mentions
from claimlab.spans import Span
from claimlab.tokens import single_nouns, without_codes
from claimlab.vocabulary import vocabulary

# A sentence ends at . ! ? before white space, at a line break, at a semicolon or a long dash.
# "2 p.m.", "e.g.", "No. 5", "Dr." and "3.5" hold no end.
_END = late(r"(?<![.!?…])[.!?…]++[\"')\]*_]*+(?=\s|$)|[\n\r\u2028\u2029]+|;|\s—\s|—|[؟۔。！？]")
_ABBREVIATION = late(
    r"(?:^|[\s(])(?:[ap]\.m|e\.g|i\.e|etc|no|nr|dr|prof|mr|mrs|ms|st|vs|approx|ca|cf|dept|univ"
    r"|mon|tues?|wed|thurs?|thu|fri|sat|sun|[a-z])$",
    re.I,
)
_COMMA = late(r",\s+|(?<!\s)\s++(?=(?:and|but|while|whereas|although|though|so|because)\s)", re.I)
_LINK = late(r"(?:and|but|while|whereas|although|though|so|because|which)\s+", re.I)
_OPENING = late(
    r"(?:yes|yeah|yep|no|nope|sure|certainly|absolutely|okay|ok|well|right|indeed|correct)"
    r"(?:\s*[,:!.–—]+\s*|\s+-+\s+)",
    re.I,
)
_BULLET = late(r"(?:[-*•+>#]+\s+|\d{1,2}[.)]\s+)+")
_ENDING_QUESTION = ("?", "؟", "？")
_WORD = late(r"[^\W_]+(?:'[^\W\d_]+)?")
MAX_LOOK = 40
"""How many words after a comma are looked at to see whether a new clause begins there."""


def split_claims(text: str) -> list[Span]:
    """Return the clause-level claims of a free answer, in order, with their places.

    Cut at sentence ends, line breaks, semicolons, and at a comma or conjunction that begins a
    clause of its own. Questions and courtesies ("Let me know ...") assert nothing and are left
    out; so are an opening "Yes," and a bullet's mark. A bare "Yes." is kept only when the answer
    says nothing else: then it is the claim.

    >>> [s.text for s in split_claims("Yes, COMP 2130 is listed for Fall, no lab listed.")]
    ['COMP 2130 is listed for Fall', 'no lab listed']
    >>> [s.text for s in split_claims("Meets Mon/Wed at 2 p.m. in room 5. The lab is optional.")]
    ['Meets Mon/Wed at 2 p.m. in room 5', 'The lab is optional']
    """
    found: list[Span] = []
    bare: list[Span] = []
    answers = False
    for start, end, asks in _sentences(text):
        if asks:
            answers = True
            continue
        for a, b in _clauses(text, start, end):
            span = _trimmed(text, a, b)
            if span is None:
                continue
            if not _says_nothing(span.text) or (answers and _is_answer(span.text)):
                found.append(span)  # "Is the lab on Tuesday? Yes." claims what it asks
            else:
                bare.append(span)
        answers = False
    return found or [span for span in bare if _is_answer(span.text)]


def assertions(text: str) -> str:
    """Return a text without the sentences that assert nothing: questions and courtesies.

    >>> assertions("Good question! The lab is on Wednesday. Anything else?")
    'The lab is on Wednesday'
    """
    kept = []
    for start, end, asks in _sentences(text):
        part = text[start:end].strip()
        mark = _BULLET.match(part)
        if part and not asks and not _is_courtesy(part):
            kept.append(part[mark.end() :] if mark else part)
    return ". ".join(kept)


_ASKS = late(
    r"(?:(?:so|and|but|or|well|now|ok|okay|also)[, ]+)*"
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|shall|what"
    r"|when|where|which|who|whom|whose|why|how|any|anything|need|want|ready)\b(?!n't)(?! you know)",
    re.I,
)


def _is_question(text: str) -> bool:
    """Whether a sentence with a question mark only asks.

    "The lab is on Tuesday, right?" and "Isn't the lab on Tuesday?" assert. So does "Did you know".
    """
    first = text.split(",")[0]
    asks = not first.strip() or bool(_ASKS.match(first.strip(" *_>-\"'")))
    return len(text) <= 400 and asks


def _is_courtesy(text: str) -> bool:
    """A polite phrase and nothing beside it but polite and small words."""
    if len(text) > 400:
        return False
    words = vocabulary()
    said = [m.group().lower() for m in _WORD.finditer(text.replace("’", "'"))]
    joined = " ".join(said)
    phrase = next((s for s in words.sentences if joined.startswith(s)), None)
    if phrase is None or mentions(clean(text)) or words.denials & set(said) - {"no"}:
        return False
    rest = said[len(phrase.split()) :]
    return all(word in words.polite or word in words.frame for word in rest)


def _sentences(text: str) -> Iterator[tuple[int, int, bool]]:
    start = 0
    for match in _END.finditer(text):
        mark = match.group()
        if mark.startswith(".") and _ABBREVIATION.search(
            text, max(start, match.start() - 8), match.start()
        ):
            after = text[match.end() : match.end() + 2].lstrip()
            day_or_half = text[max(0, match.start() - 3) : match.start()].lower()
            ends = after[:1].isupper() and day_or_half in ("p.m", "a.m")
            if not ends and after:
                continue
        if mark.startswith(".") and re.fullmatch(
            r"\s*\d{1,2}", text[start : match.start()][-4:] if match.start() - start <= 4 else "x"
        ):
            continue  # "1. COMP 2130 is ..."
        asks = mark.strip().startswith(_ENDING_QUESTION) and _is_question(
            text[start : match.start()].strip()
        )
        yield start, match.start(), asks
        start = match.end()
    yield start, len(text), False


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut one sentence at the commas and conjunctions after which a new clause begins."""
    begin = start
    for match in _COMMA.finditer(text, start, end):
        if match.start() <= begin or match.end() >= end:
            continue
        rest = _words(text, match.end(), _to_comma(text, match.end(), end))
        if _begins_clause(rest, bool(match.group().strip())) and _stands_alone(
            _words(text, begin, match.start())
        ):
            yield begin, match.start()
            begin = match.end()
    yield begin, end


def _words(text: str, start: int, end: int) -> list[str]:
    """The first words of a stretch of text."""
    stop = min(end, start + MAX_LOOK * 12)
    return [m.group().lower() for m in _WORD.finditer(text, start, stop)][:MAX_LOOK]


def _to_comma(text: str, start: int, end: int) -> int:
    comma = text.find(",", start, min(end, start + MAX_LOOK * 12))
    return comma if comma >= 0 else end


@lru_cache(maxsize=1)
def _nouns() -> frozenset[str]:
    """The single words that name a field, apart from those that also mean something else."""
    words = vocabulary()
    return single_nouns() - (words.frame - words.units) - {"end", "start"}


_FINITE = frozenset(
    "is are was were has have had does do did will isn't aren't wasn't weren't hasn't haven't "
    "doesn't don't didn't meets runs starts begins ends lists shows gives requires costs takes "
    "can could may might must should would it's there's they're that's carries includes".split()
)


def _begins_clause(words: list[str], comma: bool) -> bool:
    """A new clause has a verb and a subject of its own, or names a field of its own."""
    if words and words[0] in (
        "and",
        "but",
        "while",
        "whereas",
        "although",
        "though",
        "so",
        "because",
    ):
        words = words[1:]
    if not words:
        return False
    if words[0] in _FINITE or words[0] == "which":
        return True
    if any(w in _FINITE for w in words[1:6]) and words[0] not in ("on", "in", "at", "or"):
        return True
    return bool(_nouns().intersection(words[:4])) and (comma or words[0] in ("no", "a", "the"))


def _stands_alone(words: list[str]) -> bool:
    """What stands before the cut must say something itself, or it is a mere opening."""
    if words and words[0] in (
        "if",
        "when",
        "unless",
        "once",
        "although",
        "though",
        "while",
        "since",
    ):
        return False  # a condition belongs to what it governs
    nouns = _nouns()
    return any(w in _FINITE or w in nouns or w in ("offered", "listed") for w in words)


def _trimmed(text: str, start: int, end: int) -> Span | None:
    """The claim without white space, bullet, conjunction, opening "Yes," and closing marks."""
    while start < end and text[start].isspace():
        start += 1
    match = _BULLET.match(text, start, end)
    if match:
        start = match.end()
    for pattern in (_LINK, _OPENING):
        match = pattern.match(text, start, end)
        if match and match.end() < end:
            start = match.end()
    while end > start and (text[end - 1].isspace() or text[end - 1] in ",:;"):
        end -= 1
    return Span(text[start:end], start, end) if start < end else None


def _says_nothing(text: str) -> bool:
    """A courtesy, or nothing but small words: nothing to judge."""
    words = vocabulary()
    text = without_codes(text[:2000])
    said = [m.group().lower() for m in _WORD.finditer(text)]
    if not said:
        return True
    if _is_courtesy(text):
        return True
    if len(text) > 400 or mentions(clean(text)):
        return False
    tells = words.denials | words.whole | {"exist", "exists"}
    if tells & set(said) and len(said) > 1 and said[0] not in ("no", "nope"):
        return False  # "That is not true", "It is the only one"
    return all(w in words.frame for w in said) and not _nouns().intersection(said)


def _is_answer(text: str) -> bool:
    """Whether small words alone answer a question: "Yes", "It does", "No, it isn't"."""
    said = {m.group().lower() for m in _WORD.finditer(text[:2000])}
    return bool(said & {"yes", "yeah", "yep", "no", "nope", "correct", "right", "it", "there"})
