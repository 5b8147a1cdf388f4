"""The words that the ledger's judges know, read from ``data/ledger_words.toml``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from claimlab.files import DATA, read_toml


class Concept(NamedTuple):
    """What a column can be about: the words that name it and the kinds of value it holds."""

    name: str
    nouns: tuple[frozenset[str], ...]
    verbs: tuple[frozenset[str], ...]
    holds: frozenset[str]
    bare: bool = False
    part: bool = False
    exists: frozenset[str] = frozenset()
    opposite: tuple[str, ...] = ()
    generic: bool = False
    event: bool = False
    subject: bool = False


class Cues(NamedTuple):
    """The words by which a clause can speak of a column; None where the row has no such field."""

    column: str | None
    concept: Concept


class Vocabulary(NamedTuple):
    """All word lists of the data file."""

    by_column: Mapping[str, Concept]
    concepts: tuple[Concept, ...]
    frame: frozenset[str]
    units: frozenset[str]
    course: frozenset[str]
    determiners: frozenset[str]
    prepositions: frozenset[str]
    verbs: frozenset[str]
    sentences: tuple[str, ...]
    polite: frozenset[str]
    leads: frozenset[str]
    adverbs: frozenset[str]
    undoing: frozenset[str]
    hedges: tuple[str, ...]
    firm: tuple[str, ...]
    conditions: tuple[str, ...]
    opening: frozenset[str]
    sweeping: tuple[str, ...]
    asked: tuple[str, ...]
    denials: frozenset[str]
    contrasts: tuple[str, ...]
    lists: frozenset[str]
    null: frozenset[str]
    blank: frozenset[str]
    tba: tuple[str, ...]
    key_words: frozenset[str]
    missing: frozenset[str]
    catalog: frozenset[str]
    no_row: tuple[str, ...]
    found: frozenset[str]
    exists: frozenset[str]
    whole: frozenset[str]
    whole_phrases: tuple[str, ...]


def _phrases(words: Iterable[str]) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(phrase.replace("-", " ").split()) for phrase in words)


def _concept(name: str, given: Mapping[str, Any]) -> Concept:
    return Concept(
        name,
        _phrases(given["nouns"]),
        _phrases(given.get("verbs", ())),
        frozenset(given["holds"]),
        given.get("bare", False),
        given.get("part", False),
        frozenset(given.get("exists", ())),
        tuple(given.get("opposite", ())),
        given.get("generic", False),
        given.get("event", False),
        given.get("subject", False),
    )


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """Return the course's vocabulary; the file is read once."""
    document = read_toml(DATA / "ledger_words.toml")
    concepts, by_column = [], {}
    for name, given in document["field"].items():
        concept = _concept(name, given)
        concepts.append(concept)
        by_column.update(dict.fromkeys(given["columns"], concept))
    weak, deny, record = document["weak"], document["deny"], document["record"]
    frame = document["frame"]
    return Vocabulary(
        by_column,
        tuple(concepts),
        frozenset(word for words in frame.values() for word in words),
        frozenset(frame["units"]),
        frozenset(frame["course"]),
        frozenset(frame["determiners"]),
        frozenset(frame["prepositions"]),
        frozenset(frame["verbs"]),
        tuple(document["courtesy"]["sentences"]),
        frozenset(document["courtesy"]["words"]),
        frozenset(document["courtesy"]["leads"]),
        frozenset(document["decoration"]["adverbs"]),
        frozenset(document["decoration"]["never"]),
        tuple(weak["hedges"]),
        tuple(weak["firm"]),
        tuple(weak["conditions"]),
        frozenset(weak["opening"]),
        tuple(weak["sweeping"]),
        tuple(weak["asked"]),
        frozenset(deny["words"]),
        tuple(deny["contrast"]),
        frozenset(record["lists"]),
        frozenset(record["null"]),
        frozenset(record["blank"]),
        tuple(record["tba"]),
        frozenset(record["key_words"]),
        frozenset(record["missing"]),
        frozenset(record["catalog"]),
        tuple(record["no_row"]),
        frozenset(record["found"]),
        frozenset(record["exists"]),
        frozenset(document["whole"]["words"]),
        tuple(document["whole"]["phrases"]),
    )


@lru_cache(maxsize=512)
def cues(
    columns: tuple[str, ...], synonyms: tuple[tuple[str, tuple[str, ...]], ...] = ()
) -> tuple[Cues, ...]:
    """Return the cues of a row's columns, then those of the fields that the row does not have."""
    words = vocabulary()
    extra = dict(synonyms)
    found, present = [], set()
    for column in columns:
        concept = words.by_column.get(column.lower().replace(" ", "_").replace("-", "_"))
        if concept is None:
            concept = _concept_of_name(column)
        present.add(concept.name)
        if column in extra:
            more = _phrases(word.lower() for word in extra[column])
            concept = concept._replace(nouns=(*concept.nouns, *more))
        found.append(Cues(column, concept))
    taken = {noun for cue in found for noun in cue.concept.nouns}
    absent = [
        Cues(None, concept)
        for concept in words.concepts
        if concept.name not in present and not taken.issuperset(concept.nouns)
    ]
    return (*found, *absent)


def _concept_of_name(column: str) -> Concept:
    """A column that no list names is spoken of by the words of its own name."""
    name = (
        "".join(" " + c if c.isupper() else c for c in column) if not column.isupper() else column
    )
    short = {"min": "minimum", "max": "maximum", "num": "number", "no": "number", "avg": "average"}
    parts = [short.get(p, p) for p in name.replace("_", " ").replace("-", " ").lower().split()]
    nouns = [" ".join(parts)]
    if len(parts) == 1 and not parts[0].endswith("s"):
        nouns.append(parts[0] + "s")
    return Concept(
        f"column {column}",
        _phrases(nouns),
        _phrases(p for p in parts if len(parts) > 1 and len(p) > 2),
        frozenset({"day", "time", "season", "number", "text", "yes-no"}),
        part=False,
    )
