"""The world of lab 3: a small synthetic handbook, and questions about it with their key.

An *evidence packet* is what a question is answered from: a list of sources, or of records
``{id, identifier, version, text}``. Nothing outside the packet counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from claimlab.conditions import Condition, conditions_from
from claimlab.errors import InputError
from claimlab.files import (
    DATA,
    Record,
    check_names,
    check_texts,
    read_records,
    read_unique,
)

Kind = Literal["answerable", "partial", "unanswerable", "tricky"]
KINDS: Final = ("answerable", "partial", "unanswerable", "tricky")
TRICKS: Final = ("condition", "unhelpful", "look_alike", "old_version", "instructions")


@dataclass(frozen=True)
class Source:
    """One text of a handbook: ``id`` is how it is cited, ``identifier`` its name across versions.

    Raises InputError, when made in Python, for a field that is no text or empty.
    """

    id: str
    identifier: str
    version: str
    text: str

    def __post_init__(self) -> None:
        check_texts({field.name: getattr(self, field.name) for field in fields(self)}, "source")


Packet = Sequence[Source | Mapping[str, Any]]

_SOURCE_FIELDS = tuple(field.name for field in fields(Source))


def source_from(record: object, place: str) -> Source:
    """Return the source of a record ``{id, identifier, version, text}``.

    Raises InputError that names the place and the field.
    """
    if isinstance(record, Source):
        return record
    if not isinstance(record, Mapping):
        raise InputError(f"{place}: expected id, identifier, version and text, got {record!r:.60}")
    check_names(record, _SOURCE_FIELDS, place)
    check_texts(record, place)
    return Source(**record)


def sources_of(packet: Packet) -> tuple[Source, ...]:
    """Return a packet's sources in its order, doubles included.

    Raises InputError for a packet that is no list, or an entry that is no source.
    """
    if isinstance(packet, str | Mapping) or not isinstance(packet, Iterable):
        raise InputError(f"packet: expected a list of sources, got {packet!r:.60}")
    return tuple(source_from(entry, f"packet: entry {n}") for n, entry in enumerate(packet, 1))


def read_packet(path: str | Path) -> tuple[Source, ...]:
    """Return the packet of a .jsonl, .json, .toml or .csv file. Raises InputError with its place.

    The empty list ``[]`` is a packet without evidence; an empty file is an error.
    """
    records = read_records(path, empty=True)
    return tuple(source_from(record.fields, record.place) for record in records)


@lru_cache(maxsize=1)
def handbook() -> Mapping[str, Source]:
    """Return the course's own sources by their id, all versions."""
    return by_id(read_packet(DATA / "handbook.toml"), "handbook.toml")


def by_id(sources: Iterable[Source], place: str) -> Mapping[str, Source]:
    """Return sources by their id. Raises InputError for an id that is given twice."""
    found: dict[str, Source] = {}
    for source in sources:
        if source.id in found:
            raise InputError(f"{place}: source {source.id!r:.60} is given twice")
        found[source.id] = source
    return MappingProxyType(found)


@dataclass(frozen=True)
class Question:
    """A question about the handbook, and the key that an answer to it is marked by.

    ``sources`` establish the answer together; none of them do when it is empty. ``near`` sources
    are about something close by, ``beside`` ones are easily taken for the right one. ``keep`` is
    what a right answer must keep, ``missing`` what the handbook does not establish.
    """

    id: str
    text: str
    kind: Kind
    trick: str
    sources: tuple[str, ...]
    near: tuple[str, ...]
    beside: tuple[str, ...]
    missing: str
    keep: tuple[Condition, ...]

    def answerable_from(self, packet: Iterable[Source]) -> bool:
        """Return whether a packet holds every source that establishes the answer."""
        ids = {source.id for source in packet}
        return bool(self.sources) and set(self.sources) <= ids


@lru_cache(maxsize=1)
def questions() -> Mapping[str, Question]:
    """Return the course's own questions by their id."""
    return read_questions(DATA / "handbook_questions.toml", handbook())


def read_questions(path: str | Path, sources: Mapping[str, Source]) -> Mapping[str, Question]:
    """Return the questions of a file by their id.

    Raises InputError for an entry that does not fit, naming it and its field.
    """
    return read_unique(path, lambda record: _question(record, sources), "id")


def question(name: str) -> Question:
    """Return one of the course's questions. Raises InputError for an id that is not there."""
    if name not in questions():
        raise InputError(f"question: expected one of {', '.join(questions())}, got {name!r:.60}")
    return questions()[name]


def _question(record: Record, sources: Mapping[str, Source]) -> Question:
    given, place = record.fields, record.place
    more = ("trick", "near", "beside", "missing", "keep")
    check_names(given, ("id", "text", "kind", "sources"), place, more)
    texts = ("id", "text", "kind", "trick", "missing")
    check_texts({name: given[name] for name in texts if name in given}, place)
    for name, allowed in (("kind", KINDS), ("trick", TRICKS)):
        if name in given and given[name] not in allowed:
            raise InputError(
                f"{place}: field {name!r}: expected one of {', '.join(allowed)}, "
                f"got {given[name]!r:.60}"
            )
    ids = {
        name: tuple(_ids(given.get(name, []), sources, f"{place}: field {name!r}"))
        for name in ("sources", "near", "beside")
    }
    keep = conditions_from(given.get("keep", []), f"{place}: field 'keep'")
    for name, wanted in (("trick", given["kind"] == "tricky"), ("keep", bool(ids["sources"]))):
        if (name in given) != wanted:
            said = "is missing" if wanted else "does not go with this question"
            raise InputError(f"{place}: field {name!r} {said}")
    if given["kind"] in ("partial", "unanswerable") and "missing" not in given:
        raise InputError(f"{place}: field 'missing' is missing")
    return Question(
        given["id"],
        given["text"],
        given["kind"],
        given.get("trick", ""),
        **ids,
        missing=given.get("missing", ""),
        keep=keep,
    )


def _ids(value: object, sources: Mapping[str, Source], place: str) -> Iterator[str]:
    if not isinstance(value, list):
        raise InputError(f"{place}: expected a list of source ids, got {value!r:.60}")
    for name in value:
        if name not in sources:
            raise InputError(f"{place}: there is no source {name!r:.60}")
        yield name
