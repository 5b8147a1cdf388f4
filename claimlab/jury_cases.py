"""The labelled rows of lab 2: does a predicate that agrees with a claim check what the claim says?

``sound`` rows deserve a lock. ``hollow`` rows do not: the predicate cannot come out otherwise, or
it does not read something that the claim speaks of. The labels were set before a jury saw the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from claimlab.errors import InputError
from claimlab.files import DATA, Record, read_records
from claimlab.jury import LOCKED, Finding, Fixture, Jury, World, training_run
from claimlab.predicates import Predicate

Label = Literal["sound", "hollow"]


@dataclass(frozen=True)
class JuryCase:
    """A fixture whose yes/no agrees with its predicate, over facts, and its label."""

    fixture: Fixture
    world: World
    label: Label
    reason: str


@dataclass(frozen=True)
class Confusion:
    """How many rows of each label a jury locked, of how many."""

    sound_locked: int
    sound: int
    hollow_locked: int
    hollow: int


@lru_cache(maxsize=1)
def jury_cases() -> tuple[JuryCase, ...]:
    """Return all labelled rows."""
    return tuple(map(_case, read_records(DATA / "jury_cases.jsonl")))


def _case(record: Record) -> JuryCase:
    fields = record.fields
    for name in ("id", "facts", "words", "claim", "predicate", "label", "reason"):
        if name not in fields:
            raise InputError(f"{record.place}: field {name!r} is missing")
    world = training_run()
    if fields["facts"] is not None:
        words = {name: tuple(given) for name, given in (fields["words"] or {}).items()}
        world = World(fields["facts"], words)
    says = Predicate.parse(fields["predicate"], world.facts).holds(world.facts)
    fixture = Fixture(fields["id"], fields["claim"], says, fields["predicate"])
    return JuryCase(fixture, world, fields["label"], fields["reason"])


def wrong(jury: Jury) -> list[tuple[JuryCase, Finding]]:
    """Return the rows on which a jury and the label disagree, each with the jury's finding."""
    found = [(case, jury(case.fixture, case.world)) for case in jury_cases()]
    return [(c, f) for c, f in found if (f.verdict in LOCKED) != (c.label == "sound")]


def confusion(jury: Jury) -> Confusion:
    """Return a jury's confusion matrix over the labelled rows."""
    cases = jury_cases()
    sound = sum(case.label == "sound" for case in cases)
    missed = [case.label for case, _ in wrong(jury)]
    return Confusion(
        sound - missed.count("sound"), sound, missed.count("hollow"), len(cases) - sound
    )


def confusion_text(
    name: str,
    matrix: Confusion,
    rows: tuple[str, str] = ("sound", "hollow"),
    columns: tuple[str, str] = ("locked", "not locked"),
) -> str:
    """Return a confusion matrix as plain text."""
    first, second = columns
    lines = [f"{name:<11} {first:<6}   {second}"]
    counts = ((matrix.sound_locked, matrix.sound), (matrix.hollow_locked, matrix.hollow))
    for row, (yes, total) in zip(rows, counts, strict=True):
        lines.append(f"  {row:<7} {yes:>7}   {total - yes:>{len(second)}}")
    return "\n".join(lines)
