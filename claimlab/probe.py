"""Lab 6: change the world, and see whether the check notices. Mutation testing for evaluators.

A check passes a claim in a world. Change the world so that the claim is no longer true: that is a
*mutant*, and a check that still passes let it survive. Change it so that the claim stays true: that
is a *healthy* world, and a check that fails there raises a false alarm. A check that always fails
kills every mutant, so the score is two numbers. An error is no verdict, and counts as neither.

The terms are those of DeMillo, Lipton and Sayward, Hints on Test Data Selection (1978).
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from claimlab.errors import InputError
from claimlab.report import Report, flat

W = TypeVar("W")

AS_IT_IS = "as it is"
"""The kind of the one healthy world that every probe has: the given one, unchanged."""
MAX_TOLD = 20
"""How many wrong worlds a report's text tells; `to_records` has them all."""


@dataclass(frozen=True)
class Mutant(Generic[W]):
    """A changed world: the kind of change, the change in words, the world.

    ``healthy`` says that the claim is still true there; then it is no mutant but an equivalent
    one, and a check has to spare it. Whoever makes it says so, never the check under test.
    """

    kind: str
    name: str
    world: W
    healthy: bool = False


class Score(NamedTuple):
    """The two numbers: how many mutants were killed, and how many healthy worlds were spared."""

    killed: int
    mutants: int
    spared: int
    healthy: int

    def __str__(self) -> str:
        return f"killed {self.killed} of {self.mutants}, spared {self.spared} of {self.healthy}"


class Crash(NamedTuple):
    """A world in which the check gave no verdict, and what it did instead."""

    mutant: Mutant[Any]
    error: str


@dataclass(frozen=True)
class ProbeReport(Report, Generic[W]):
    """What a check did: each world stands in exactly one of the five lists.

    It passes when nothing survived, no healthy world raised an alarm, nothing crashed, and there
    was something to kill.
    """

    name: str
    killed: tuple[Mutant[W], ...]
    survived: tuple[Mutant[W], ...]
    spared: tuple[Mutant[W], ...]
    false_alarms: tuple[Mutant[W], ...]
    crashed: tuple[Crash, ...] = ()

    @property
    def score(self) -> Score:
        """Return the two numbers. A crash counts as not killed and as not spared."""
        lost = sum(not crash.mutant.healthy for crash in self.crashed)
        alarms = len(self.crashed) - lost
        return Score(
            len(self.killed),
            len(self.killed) + len(self.survived) + lost,
            len(self.spared),
            len(self.spared) + len(self.false_alarms) + alarms,
        )

    @property
    def passed(self) -> bool:
        """Whether every mutant was killed, every healthy world spared, and there was a mutant."""
        score = self.score
        return 0 < score.mutants == score.killed and score.spared == score.healthy

    def wrong(self) -> list[tuple[Mutant[W], str]]:
        """Return every world that the check got wrong, each with a line that tells it."""
        survived = [(m, f"survived     {_told(m)}: still passes") for m in self.survived]
        alarms = [(m, f"false alarm  {_told(m)}: fails") for m in self.false_alarms]
        crashed = [(m, f"no verdict   {_told(m)}: {flat(error)}") for m, error in self.crashed]
        return survived + alarms + crashed

    def text(self) -> str:
        """Return the score, and the worlds that the check got wrong; the first twenty of many."""
        found = [line for _, line in self.wrong()]
        lines = [f"{flat(self.name)}: {self.score}", *(f"  {line}" for line in found[:MAX_TOLD])]
        if len(found) > MAX_TOLD:
            lines.append(f"  … and {len(found) - MAX_TOLD} more")
        if not self.score.mutants:
            lines.append("  nothing to kill: no mutant was given, so nothing was tested")
        return "\n".join(lines)

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a world: kind, change, whether healthy, what the check did, the error."""
        groups = {
            "killed": self.killed,
            "survived": self.survived,
            "spared": self.spared,
            "false alarm": self.false_alarms,
        }
        rows = [(did, mutant, "") for did, group in groups.items() for mutant in group]
        rows += [("no verdict", mutant, error) for mutant, error in self.crashed]
        return [
            {"kind": m.kind, "change": m.name, "healthy": m.healthy, "did": did, "error": error}
            for did, m, error in rows
        ]


def _told(mutant: Mutant[Any]) -> str:
    return flat(f"[{mutant.kind}] {mutant.name}")


def probe(
    check: Callable[[W], object],
    world: W,
    mutants: Iterable[Mutant[W]],
    name: str | None = None,
) -> ProbeReport[W]:
    """Return what a check does in changed worlds.

    ``check`` takes a world and returns whether the claim passes: True or False, or a
    :class:`~claimlab.report.Report`. Whatever else it does is no verdict: an exception, a way out
    of the program, a word such as ``"FAIL"``, which Python would take for true. ``world`` is one in
    which the claim is true; it counts as the first healthy one. ``mutants`` are the changed ones.
    ``name`` is what the report calls the check, its own name when left out.

    Raises InputError for mutants that are none. What the check raises is kept, not raised.

    >>> def has_lab(row): return row["lab"] is not None
    >>> row = {"lab": "Wednesday 10:00", "room": "B2"}
    >>> changed = [
    ...     Mutant("null", "the lab is null", row | {"lab": None}),
    ...     Mutant("day", "the lab is on Tuesday", row | {"lab": "Tuesday 10:00"}),
    ...     Mutant("elsewhere", "the room is another", row | {"room": "A1"}, healthy=True),
    ... ]
    >>> print(probe(has_lab, row, changed))
    has_lab: killed 1 of 2, spared 2 of 2
      survived     [day] the lab is on Tuesday: still passes
    """
    called = name if name is not None else getattr(check, "__name__", "the check")
    groups: dict[tuple[bool, bool], list[Mutant[W]]] = {}
    crashed: list[Crash] = []
    for mutant in (Mutant(AS_IT_IS, "nothing is changed", world, healthy=True), *mutants):
        if not isinstance(mutant, Mutant):
            raise InputError(f"mutants: expected Mutant, got {mutant!r:.60}")
        try:
            passes = _verdict(check(mutant.world))
        except (Exception, SystemExit) as error:
            told = traceback.format_exception_only(error)[-1].strip()
            crashed.append(Crash(mutant, told[:200]))
            continue
        groups.setdefault((mutant.healthy, passes), []).append(mutant)
    return ProbeReport(
        called,
        killed=tuple(groups.get((False, False), ())),
        survived=tuple(groups.get((False, True), ())),
        spared=tuple(groups.get((True, True), ())),
        false_alarms=tuple(groups.get((True, False), ())),
        crashed=tuple(crashed),
    )


def _verdict(said: object) -> bool:
    """What a check said, as a truth value. Raises TypeError for what is no yes or no."""
    if isinstance(said, Report):
        said = said.passed
    if isinstance(said, bool) or str(getattr(said, "dtype", "")) == "bool":  # that of NumPy
        return bool(said)
    raise TypeError(f"returned {said!r:.60}, expected True or False")
