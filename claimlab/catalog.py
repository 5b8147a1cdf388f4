"""A catalog: rows under a key, and the one place where keys are normalised.

A lookup has three outcomes, and they are three different things: a row, :data:`NOT_FOUND`
(somebody looked, nothing was there) and ``None`` (nobody looked).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from claimlab.errors import InputError
from claimlab.files import Record, read_records
from claimlab.late import late

Row: TypeAlias = Mapping[str, Any]


class Missed(Enum):
    """The type of :data:`NOT_FOUND`."""

    NOT_FOUND = "NOT_FOUND"

    def __repr__(self) -> str:
        return "NOT_FOUND"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return False


NOT_FOUND: Final = Missed.NOT_FOUND
"""What a lookup returns when it was made and found no row. It is not ``None``: see the module."""

Evidence: TypeAlias = Row | Missed | None

_BREAKS = late(r"[\s\-_.‐-―]+")
_LETTERS_THEN_DIGITS = late(r"(?<=[^\W\d_])(?=\d)")


def normalise_code(code: str) -> str:
    """Return the one spelling under which a code is stored and looked up.

    Used for prose and for tool arguments alike (lesson 1, "Two universes").

    >>> {normalise_code(c) for c in ("comp3170", "COMP-3170", "COMP  3170", " Comp_3170 ")}
    {'COMP 3170'}
    """
    folded = unicodedata.normalize("NFKC", code).upper()
    spaced = _LETTERS_THEN_DIGITS.sub(" ", _BREAKS.sub(" ", folded).strip())
    return unicodedata.normalize("NFKC", spaced)


def exact(code: str) -> str:
    """Return the code as it is: the catalog without a normaliser, for the lesson's wrong turn."""
    return code


NORMALISERS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {"code": normalise_code, "exact": exact}
)


@dataclass(frozen=True)
class Catalog:
    """Rows under a key.

    ``rows`` maps the normalised key to the row as it was found. ``synonyms`` adds words for a
    field to those of the course (``{"lab": ["practical"]}``). ``notes`` holds what was noticed
    while loading.
    """

    rows: Mapping[str, Row]
    key: str
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    normalise: Callable[[str], str] = normalise_code
    notes: tuple[str, ...] = ()

    @classmethod
    def load(
        cls,
        path: str | Path,
        key: str = "code",
        *,
        synonyms: Mapping[str, Iterable[str]] | None = None,
        normalise: Callable[[str], str] = normalise_code,
        keep_first: bool = False,
    ) -> Catalog:
        """Return the catalog of a TOML, JSON, JSON Lines or CSV file; types stay as found.

        Rows that repeat a key identically collapse, with one counted note. Differing ones are
        refused with both places, or the first is kept where ``keep_first`` says so.

        Raises InputError naming file, line or entry, field and what was expected.
        """
        return cls.from_records(
            read_records(path),
            key,
            place=str(path),
            synonyms=synonyms,
            normalise=normalise,
            keep_first=keep_first,
        )

    @classmethod
    def from_records(
        cls,
        records: Iterable[Record],
        key: str,
        *,
        place: str = "catalog",
        synonyms: Mapping[str, Iterable[str]] | None = None,
        normalise: Callable[[str], str] = normalise_code,
        keep_first: bool = False,
    ) -> Catalog:
        """Return the catalog of records that were read already; see :meth:`load`."""
        rows: dict[str, Row] = {}
        seen_at: dict[str, str] = {}
        repeats = dropped = 0
        for record in records:
            code = normalise(_key_of(record, key))
            if code not in rows:
                rows[code] = MappingProxyType(dict(record.fields))
                seen_at[code] = record.place
            elif _same(rows[code], record.fields):
                repeats += 1
            elif keep_first:
                dropped += 1
            else:
                raise InputError(
                    f"{record.place}: {key} {code!r} was given before with other values "
                    f"({seen_at[code]}); expected one row a key"
                )
        notes = []
        if repeats:
            notes.append(f"{place}: {_rows(repeats)} repeated identically, collapsed")
        if dropped:
            notes.append(f"{place}: {_rows(dropped)} repeated a key with other values, first kept")
        words = {name: tuple(given) for name, given in (synonyms or {}).items()}
        return cls(rows, key, words, normalise, tuple(notes))

    def lookup(self, code: str) -> Row | Missed:
        """Return the row under this code, or NOT_FOUND. The code is normalised first."""
        if not isinstance(code, str):
            raise InputError(f"lookup: expected a code as text, got {code!r:.60}")
        return self.rows.get(self.normalise(code), NOT_FOUND)

    def spelt_otherwise(self, code: str) -> str | None:
        """Return the key under which another spelling of this code stands, or None.

        For the second universe of lesson 1: ``COMP3170`` missed while ``COMP 3170`` is there.
        """
        wanted = normalise_code(code)
        return next((key for key in self.rows if normalise_code(key) == wanted), None)

    def __len__(self) -> int:
        return len(self.rows)


def _key_of(record: Record, key: str) -> str:
    if key not in record.fields:
        names = ", ".join(map(repr, record.fields)) or "no field at all"
        raise InputError(f"{record.place}: field {key!r} is missing, got {names:.200}")
    value = record.fields[key]
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{record.place}: field {key!r}: expected a code, got {value!r:.60}")
    return value


def _same(one: Row, other: Row) -> bool:
    """Equal with types: 3, 3.0, True and '3' are four different values."""
    return repr(sorted(one.items())) == repr(sorted(other.items()))


def _rows(count: int) -> str:
    return f"{count} row" if count == 1 else f"{count} rows"
