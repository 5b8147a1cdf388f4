"""One claim before all four judges: what the bench of lesson 1 shows, as a pure function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from claimlab.catalog import Catalog, Evidence
from claimlab.ledger import JUDGES, Finding, judge_claim
from claimlab.report import Report


@dataclass(frozen=True)
class Bench(Report):
    """The findings of all judges on one claim, from polite to strict."""

    claim: str
    row: Evidence
    findings: dict[str, Finding]

    @property
    def passed(self) -> bool:
        """Whether even the strictest judge says TOOL."""
        return all(finding.source == "TOOL" for finding in self.findings.values())

    def text(self) -> str:
        """Return the claim and a line a judge."""
        lines = [f"claim: {self.claim!r}"]
        for judge, finding in self.findings.items():
            lines.append(f"  {judge:<8} {finding.source:<8} {finding.kind}: {finding.reason}")
        return "\n".join(lines)

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a judge."""
        return [
            {
                "judge": judge,
                "source": finding.source,
                "kind": finding.kind,
                "field": finding.field,
                "reason": finding.reason,
            }
            for judge, finding in self.findings.items()
        ]


def before_all_judges(claim: str, row: Evidence, catalog: Catalog | None = None) -> Bench:
    """Return what each judge says of a claim.

    >>> from claimlab.courses import lookup_course
    >>> print(before_all_judges("COMP 2130 offered in Winter", lookup_course("COMP 2130")))
    claim: 'COMP 2130 offered in Winter'
      called   TOOL     supported: a tool was called
      weekday  TOOL     supported: names no weekday that the row's lab does not have
      field    GUESSED  contradicted: 'term' is 'Fall', not 'Winter'
      closed   GUESSED  contradicted: 'term' is 'Fall', not 'Winter'
    """
    return Bench(claim, row, {judge: judge_claim(claim, row, judge, catalog) for judge in JUDGES})
