"""The report over fixtures: a line a fixture, version one's score, RESULT."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from claimlab.domains import Domain
from claimlab.files import DATA
from claimlab.order_classes import Classification, classify, domain_of, first_reading, version_one
from claimlab.order_dialogs import Verdict
from claimlab.order_partition import FAILING, HARM, OWNERS
from claimlab.report import Report, flat, verdict
from claimlab.trace import ToolCall, call_from_record


@dataclass(frozen=True)
class Fixture:
    """A reply and the calls of its turn."""

    tag: str
    reply: str
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True)
class Finding:
    """The class of a fixture, and what version one said."""

    fixture: Fixture
    found: Classification
    v1: bool


def result_line(counts: Mapping[str, int], unread: int = 0, rows: int | None = None) -> str:
    """Return the RESULT line for how many replies there are of each class."""
    told = [f"{counts[label]} {label}" for label in OWNERS if label in FAILING and counts[label]]
    if unread:
        told.append(f"{unread} rejected")
    if rows == 0:
        told.append("nothing judged")
    return f"RESULT: {verdict(not told)}" + (f" ({', '.join(told)})" if told else "")


@dataclass(frozen=True)
class OrdersReport(Report):
    """The classes of fixtures, with version one beside them."""

    findings: tuple[Finding, ...]

    def counts(self) -> Counter[str]:
        """Return how many replies there are of each class."""
        return Counter(finding.found.label for finding in self.findings)

    @property
    def passed(self) -> bool:
        """Whether there are replies, and none is false or unread."""
        return bool(self.findings) and not any(self.counts()[label] for label in FAILING)

    def text(self) -> str:
        """Return the documented text: a line a fixture, version one's score, RESULT."""
        lines = []
        for finding in self.findings:
            found, fixture = finding.found, finding.fixture
            v1, owner = f"v1={'flag' if finding.v1 else 'ok'}", f"owner={found.owner}"
            lines.append(
                f"{flat(fixture.tag)}  {found.label:<18}  {v1:<7}  {owner:<13}  "
                f"reply={fixture.reply!r}"
            )
        flags = [(f.v1, f.found.label in HARM) for f in self.findings]
        return "\n".join([*lines, "", version_one_line(flags), self.result()])

    def result(self) -> str:
        """Return the RESULT line."""
        return result_line(self.counts(), rows=len(self.findings))

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a fixture."""
        records = []
        for finding in self.findings:
            verdict_ = Verdict("", 0, finding.fixture.reply, finding.found, finding.v1)
            record = verdict_.to_record()
            del record["dialog"], record["message"]
            records.append({"tag": finding.fixture.tag, **record})
        return records


def version_one_line(flags: Sequence[tuple[bool, bool]]) -> str:
    """Return how version one did: pairs of its flag and whether the reply does harm."""
    flagged = [harm for flag, harm in flags if flag]
    missed = sum(harm for flag, harm in flags if not flag)
    return (
        f"v1 flagged {len(flagged)} of {len(flags)}: {sum(flagged)} right, "
        f"{len(flagged) - sum(flagged)} wrong, {missed} missed"
    )


def judge(
    fixtures: Iterable[Fixture],
    domain: Domain | str | None = None,
    *,
    first: bool = False,
    require_id: bool = False,
) -> OrdersReport:
    """Return the report over fixtures; ``first`` lets the first reading decide."""
    of = domain_of(domain)
    findings = []
    for fixture in fixtures:
        if first:
            found = first_reading(fixture.reply, fixture.calls, of)
        else:
            found = classify(fixture.reply, fixture.calls, of, require_id=require_id)
        findings.append(Finding(fixture, found, version_one(fixture.reply, fixture.calls, of)))
    return OrdersReport(tuple(findings))


FIXTURES: Final = {"english": "orders_fixtures.jsonl", "dialect": "orders_dialect.jsonl"}
"""The documented fixtures and their files."""


@lru_cache(maxsize=2)
def order_fixtures(name: str = "english") -> tuple[Fixture, ...]:
    """Return the course's own fixtures: ``english``, A to I, or ``dialect``, A to O."""
    found = []
    for line in (DATA / FIXTURES[name]).read_text("utf-8").splitlines():
        record = json.loads(line)
        calls = (call_from_record(c, f"fixture {record['tag']}") for c in record["calls"])
        found.append(Fixture(record["tag"], record["reply"], tuple(calls)))
    return tuple(found)
