"""What the probe editor shows: a predicate of the learner's own, probed, as a pure function."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from claimlab.course_probes import worlds
from claimlab.mutants import FactClaim, fact_mutants
from claimlab.predicates import Predicate, UnsafePredicate
from claimlab.probe import ProbeReport, probe
from claimlab.report import Report

CLAIM: Final = "held-out accuracy was 0.91"
"""The claim that the learner's predicate has to check."""


@dataclass(frozen=True)
class Probing(Report):
    """A predicate, and what it does over changed facts; or why it was refused."""

    predicate: str
    report: ProbeReport[FactClaim] | None
    refusal: str = ""

    @property
    def passed(self) -> bool:
        """Whether it kills every mutant and spares every healthy world."""
        return self.report is not None and self.report.passed

    def headline(self) -> str:
        """Return the two numbers, or that the predicate is refused."""
        return f"refused: {self.refusal}" if self.report is None else str(self.report.score)

    def details(self) -> list[str]:
        """Return what it got wrong, a line each."""
        return [] if self.report is None else [line for _, line in self.report.wrong()]

    def text(self) -> str:
        """Return the predicate, the two numbers and what it got wrong."""
        return "\n".join([self.predicate, *(f"  {x}" for x in (self.headline(), *self.details()))])

    def to_records(self) -> list[dict[str, Any]]:
        """Return one dict."""
        return [{"predicate": self.predicate, "score": self.headline(), "wrong": self.details()}]


@lru_cache(maxsize=1)
def _world() -> FactClaim:
    found: FactClaim = next(one.world for one in worlds("facts") if one.tag == CLAIM)
    return found


def probe_predicate(text: str) -> Probing:
    """Return what a predicate does over facts that were changed. Never raises.

    >>> print(probe_predicate("claimed_acc == 0.91").headline())
    killed 2 of 4, spared 7 of 7
    """
    world = _world()
    try:
        Predicate.parse(text, world.facts.facts)
    except UnsafePredicate as refusal:
        return Probing(text, None, str(refusal))

    def check(changed: FactClaim) -> bool:
        facts = changed.facts.facts
        return Predicate.parse(text, facts).holds(facts)

    return Probing(text, probe(check, world, fact_mutants(world), text))
