"""A part of a text and its place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """A part of a text: ``text[start:end]``, in characters."""

    text: str
    start: int
    end: int
