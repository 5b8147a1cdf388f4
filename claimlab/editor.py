"""What the predicate editor shows, as a pure function of what stands in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from claimlab.jury import VERDICTS, Finding, Fixture, World, decide
from claimlab.predicates import Scalar
from claimlab.report import Report


@dataclass(frozen=True)
class Reading(Report):
    """The jury's finding on the fixture in the editor, told in words."""

    finding: Finding
    world: World

    @property
    def passed(self) -> bool:
        """Whether the fixture is locked."""
        return self.finding.verdict in ("locked_pass", "locked_reject")

    def headline(self) -> str:
        """Return the verdict and what it means."""
        return f"{self.finding.verdict}: {VERDICTS[self.finding.verdict]}"

    def marked(self) -> str:
        """Return the predicate with a mark under the column of its refusal, '' without one."""
        column = self.finding.column
        if column is None:
            return ""
        return f"{self.finding.fixture.predicate}\n{' ' * (column - 1)}^"

    def details(self) -> list[str]:
        """Return what else there is to say: the reason, both witnesses, the words not read."""
        finding = self.finding
        lines = []
        if finding.reason:
            lines.append(_refusal(finding))
        if finding.pred is not None:
            lines.append(
                f"yes/no says {finding.fixture.nl_says}, the predicate says {finding.pred}"
            )
        if finding.vacuity is not None:
            undecided = finding.vacuity.kind == "undecided"
            lines.append(_witness("hold", finding.vacuity.holds_when, undecided))
            lines.append(_witness("fail", finding.vacuity.fails_when, undecided))
        if finding.unread:
            lines.append(
                f"the claim says {', '.join(finding.unread)}; the predicate does not read it"
            )
        return lines

    def text(self) -> str:
        """Return the claim, the predicate, the mark, the verdict and the details."""
        fixture = self.finding.fixture
        lines = [f"claim:     {fixture.claim}", f"predicate: {fixture.predicate}"]
        if self.finding.column is not None:
            lines.append(f"           {' ' * (self.finding.column - 1)}^")
        return "\n".join([*lines, self.headline(), *(f"  {line}" for line in self.details())])

    def to_records(self) -> list[dict[str, Any]]:
        """Return one dict."""
        fixture = self.finding.fixture
        return [{**fixture_record(fixture), "verdict": self.finding.verdict}]


def _refusal(finding: Finding) -> str:
    where = f" at column {finding.column}" if finding.column is not None else ""
    hint = f"; {finding.hint}" if finding.hint else ""
    return f"{finding.reason}{where}{hint}"


def _witness(verb: str, facts: dict[str, Scalar] | None, undecided: bool) -> str:
    if facts is not None:
        return f"{verb}s when {told(facts)}"
    return f"no facts found over which it {verb}s" if undecided else f"cannot {verb}"


def told(facts: Mapping[str, Scalar]) -> str:
    """Return facts in words.

    >>> told({"epochs": 4, "held_out": None})
    'epochs = 4, held_out = null'
    """
    return ", ".join(f"{n} = {_shown(v)}" for n, v in facts.items()) or "nothing is asked of them"


def _shown(value: Scalar) -> str:
    return "null" if value is None else repr(value)


def read_fixture(
    predicate: str, claim: str, nl_says: bool, world: World, tag: str = "?"
) -> Reading:
    """Return what the editor shows for a predicate, a claim and a yes/no over facts.

    Never raises: a predicate that is refused is a finding like any other.
    """
    return Reading(decide(Fixture(tag, claim, nl_says, predicate), world), world)


def fixture_record(fixture: Fixture) -> dict[str, Any]:
    """Return a fixture as the fields of a fixtures file."""
    return {
        "tag": fixture.tag,
        "claim": fixture.claim,
        "nl_says": fixture.nl_says,
        "predicate": fixture.predicate,
    }


def fixture_line(fixture: Fixture) -> str:
    """Return a fixture as one line of a fixtures file."""
    return json.dumps(fixture_record(fixture), ensure_ascii=False)
