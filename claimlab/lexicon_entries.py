"""What a lexicon says about one language: its entries, its words, its affixes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from claimlab.morphology import PLAIN, Morphology, sounds, unstretched

CANCELLERS: Final = ("negation", "future", "conditional", "reported", "policy")
"""The sections of a lexicon whose entries take a claim back."""
SECTIONS: Final = ("claim", *CANCELLERS, "look_alike", "boundary")
SCOPES: Final = ("before", "after", "around", "front")
KIND_WORDS: Final = ("N", "Ns", "D", "S", "B", "E")


@dataclass(frozen=True)
class Entry:
    """One entry of a lexicon: its section, its form, what it means, where it comes from."""

    section: str
    form: str
    gloss: str
    source: str
    example: str | Mapping[str, str]
    kind: str | None = None
    scope: str = "before"
    tense: str | None = None
    joins: bool = False
    not_before: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lexicon:
    """What one file says about one language."""

    language: str
    name: str
    script: str
    review: str
    words: Mapping[str, tuple[str, ...]]
    kinds: Mapping[str, Mapping[str, tuple[str, ...]]]
    rewrite: Mapping[str, tuple[str, ...]]
    endings: tuple[tuple[str, str], ...]
    entries: tuple[Entry, ...]
    affixes: Morphology = PLAIN

    def key(self, words: str) -> str:
        """Return normalised words in the form under which their spellings meet."""
        if self.affixes == PLAIN:
            return words
        if self.affixes.spelling == "plain":
            return unstretched(words)
        return " ".join([sounds(word) for word in words.split()])
