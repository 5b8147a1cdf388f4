"""Cutting a claim into pieces: clauses and fragments, with their field words and denials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from claimlab.mentions import clean
from claimlab.tokens import Token, World, single_nouns, tokens
from claimlab.vocabulary import Cues, cues, vocabulary


@dataclass
class Piece:
    """A clause or fragment of a claim, and what was found in it."""

    tokens: list[Token]
    link: str = ""
    strong: list[Cues] = field(default_factory=list)
    weak: list[Cues] = field(default_factory=list)
    whole: list[Cues] = field(default_factory=list)
    topics: set[str] = field(default_factory=set)
    denied_from: int | None = None
    denied_twice: bool = False
    neutral: bool = False

    @property
    def words(self) -> list[str]:
        """The words of the piece in lower case; values are left out."""
        return [t.low for t in self.tokens if t.kind == "word"]

    @property
    def padded(self) -> str:
        """The words in one string, for looking up phrases."""
        return f" {' '.join(self.words)} "

    def has_phrase(self, phrases: Sequence[str]) -> str:
        """Return the first of the phrases that stands in the piece, or ''."""
        padded = self.padded
        return next((p for p in phrases if f" {p} " in padded), "")

    def denies(self, index: int) -> bool:
        """Whether the token at this index is denied: a denial stands before it."""
        return self.denied_from is not None and index > self.denied_from


MAX_LEAD = 40
"""The longest announcement before a colon, in words and signs."""
_SPLITS = {"but", "while", "whereas", "although", "though", "however", "because", "so", "and"}
_STOPS = {",", ";", ".", "!", "?", "(", ")", "\n"}


def pieces(claim: str, world: World) -> list[Piece]:
    """Return the pieces of a claim, with their field words and their denials."""
    found = _cut(tokens(clean(claim), world))
    columns = cues(world.columns, world.synonyms)
    for index, piece in enumerate(found):
        _mark_cues(piece, columns)
        _mark_denial(piece, found[index - 1] if index else None)
        if _restates(piece):
            piece.neutral = True
    return found


def _cut(stream: list[Token]) -> list[Piece]:
    found = [Piece([])]
    for token in stream:
        lead = token.text == ":" and _is_lead(found[-1])
        stop = token.kind == "punct" and token.text in _STOPS
        if lead:
            found[-1].neutral = True
        if lead or stop or (token.kind == "word" and token.low in _SPLITS):
            if found[-1].tokens:
                found.append(Piece([]))
            link = token.low
            found[-1].link = link if not found[-1].link or link in _SPLITS else found[-1].link
        else:
            found[-1].tokens.append(token)
    return [piece for piece in found if piece.tokens]


def _is_lead(piece: Piece) -> bool:
    """Whether what stands before a colon only announces: ``Here is what the lookup gave:``."""
    if len(piece.tokens) > MAX_LEAD:
        return _restates(piece)
    words = vocabulary()
    said = set(piece.words)
    if _restates(piece):
        return True
    values = any(t.kind in ("text", "day", "time", "season", "code") for t in piece.tokens)
    if values or said & (words.denials | {"is", "are", "was", "were"}):
        return False
    return said <= words.frame | words.leads and not said & single_nouns()


def _restates(piece: Piece) -> bool:
    """Whether a piece says what was asked, near its beginning: ``You asked whether ...``."""
    first = [t.low for t in piece.tokens[:MAX_LEAD] if t.kind == "word"][:8]
    start = f" {' '.join(first)} "
    return any(f" {phrase} " in start for phrase in vocabulary().asked)


def _mark_cues(piece: Piece, columns: Sequence[Cues]) -> None:
    words = set(piece.words)
    nouns, verbs = [], []
    for cue in columns:
        best = max((n for n in cue.concept.nouns if n <= words), key=len, default=None)
        if best:
            nouns.append((best, cue))
        elif any(v <= words for v in cue.concept.verbs):
            verbs.append((max((v for v in cue.concept.verbs if v <= words), key=len), cue))
    named: set[str] = set()
    for matched, cue in nouns:
        if any(matched < other for other, _ in nouns):
            if cue.column is not None:
                piece.whole.append(cue)
            continue  # "open seats" is not about "seats", but see "7 of its 120 seats are open"
        if cue.column is None:
            piece.topics |= matched - vocabulary().frame
        else:
            piece.strong.append(cue)
            named |= matched
    piece.topics -= named
    for matched, cue in verbs:
        if cue.column is not None and not any(matched < other for other, _ in nouns):
            piece.weak.append(cue)
    phrase = piece.padded
    for cue in columns:
        if cue.column and any(f" {o.replace('-', ' ')} " in phrase for o in cue.concept.opposite):
            piece.strong.append(cue)
            piece.denied_from = -1


def _mark_denial(piece: Piece, before: Piece | None) -> None:
    words = vocabulary()
    for index, token in enumerate(piece.tokens):
        if token.kind != "word":
            continue
        low = token.low
        if low in words.denials or low.endswith("n't"):
            if piece.denied_from is None:
                piece.denied_from = index
                continue
            if low not in ("nor", "neither") and piece.tokens[piece.denied_from].low != "neither":
                piece.denied_twice = True
            return
        following = f"{low} {piece.tokens[index + 1].low}" if index + 1 < len(piece.tokens) else ""
        if following in words.contrasts or (low == "as" and "opposed" in following):
            piece.denied_from = index + 1
            return
    if piece.denied_from is not None or before is None or before.denied_from is None:
        return
    denied = {t.kind for t in before.tokens[max(0, before.denied_from) :] if t.mention}
    kinds = {t.kind for t in piece.tokens if t.mention}
    if is_fragment(piece) and kinds and kinds <= denied and piece.link in (",", "and", ""):
        piece.denied_from = -1  # "not on Monday, Tuesday or Friday"


def is_fragment(piece: Piece) -> bool:
    """Whether a piece has no verb and no field word of its own, and so goes on with the last."""
    verbs = vocabulary().verbs
    return not piece.strong and not any(w in verbs for w in piece.words)
