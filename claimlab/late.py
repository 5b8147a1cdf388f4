"""Patterns that are compiled when they are first used, so that importing claimlab stays quick."""

from __future__ import annotations

import re
from typing import Any, cast


class _Late:
    """Becomes its pattern, method by method: the second use of each costs nothing more."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._given), name)
        setattr(self, name, value)
        return value


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return ``re.compile(pattern, flags)``, compiled when it is first used.

    >>> late("[0-9]+").sub("#", "COMP 3170")
    'COMP #'
    """
    return cast("re.Pattern[str]", _Late(pattern, flags))
