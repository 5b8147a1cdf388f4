"""The labelled cases of lab 1, and how often each judge is wrong on them.

A label is one author's reading of the row, set before any judge saw the case. The judges were
improved while looking at the cases ``shown``; nobody looked at the ``fresh`` ones while improving.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from claimlab.catalog import NOT_FOUND, Evidence
from claimlab.errors import InputError
from claimlab.files import DATA, Record, read_records
from claimlab.ledger import JUDGES, Finding, Source, judge_claim

CaseSet = Literal["shown", "fresh"]


@dataclass(frozen=True)
class Case:
    """A claim over a row, and its label: what a careful reader of the row says."""

    id: str
    set: CaseSet
    kind: str
    question: str
    row: Evidence
    claim: str
    label: Source
    reason: str


@dataclass(frozen=True)
class Score:
    """How often a judge was wrong: passed a GUESSED claim, or failed a TOOL claim."""

    judge: str
    false_passes: int
    guessed: int
    false_fails: int
    tool: int

    @property
    def right(self) -> float:
        """The share of the cases on which judge and label agree."""
        total = self.guessed + self.tool
        return (total - self.false_passes - self.false_fails) / total


@lru_cache(maxsize=1)
def ledger_cases() -> tuple[Case, ...]:
    """Return all labelled cases, shown and fresh."""
    return tuple(map(_case, read_records(DATA / "ledger_cases.jsonl")))


def _case(record: Record) -> Case:
    fields = record.fields
    for name in ("id", "set", "kind", "question", "lookup", "row", "claim", "label", "reason"):
        if name not in fields:
            raise InputError(f"{record.place}: field {name!r} is missing")
    rows: dict[str, Evidence] = {"row": fields["row"], "missed": NOT_FOUND, "none": None}
    return Case(
        fields["id"],
        fields["set"],
        fields["kind"],
        fields["question"],
        rows[fields["lookup"]],
        fields["claim"],
        fields["label"],
        fields["reason"],
    )


def disagreements(judge: str, cases: Sequence[Case] | None = None) -> list[tuple[Case, Finding]]:
    """Return the cases on which a judge and the label disagree, each with the judge's finding."""
    found = [(case, judge_claim(case.claim, case.row, judge)) for case in cases or ledger_cases()]
    return [(case, finding) for case, finding in found if finding.source != case.label]


def scores(cases: Sequence[Case] | None = None) -> list[Score]:
    """Return the score of each judge, from polite to strict."""
    chosen = cases or ledger_cases()
    tool = sum(case.label == "TOOL" for case in chosen)
    result = []
    for judge in JUDGES:
        wrong = [case.label for case, _ in disagreements(judge, chosen)]
        result.append(
            Score(judge, wrong.count("GUESSED"), len(chosen) - tool, wrong.count("TOOL"), tool)
        )
    return result


def score_table(found: Sequence[Score]) -> str:
    """Return scores as plain text: wrong passes, wrong fails, and the share that is right."""
    lines = ["judge     false passes   false fails   right"]
    for s in found:
        lines.append(
            f"{s.judge:<8}  {s.false_passes:>4} of {s.guessed:<5}   "
            f"{s.false_fails:>3} of {s.tool:<5}   {s.right:6.1%}"
        )
    return "\n".join(lines)


HAND = tuple("a032 a042 a067 a066 a080 a079 a099 a107 a113 a131 a146 a161".split())
"""Twelve shown cases to label by hand."""


def _hand_cases() -> list[Case]:
    known = {case.id: case for case in ledger_cases()}
    return [known[name] for name in HAND]


def by_hand() -> str:
    """Return the twelve cases to label by hand, without their labels."""
    lines = []
    for number, case in enumerate(_hand_cases(), 1):
        row = case.row if isinstance(case.row, Mapping) else {}
        shown = ", ".join(f"{name}: {value}" for name, value in row.items())
        lines.append(f"{number:>2}  {case.claim}\n      {shown or 'looked up, no row'}")
    return "\n".join(lines)


def compare_by_hand(mine: Mapping[int, str]) -> str:
    """Return your labels beside the author's, with the author's reasons.

    ``mine`` maps the numbers of :func:`by_hand` to ``TOOL`` or ``GUESSED``; leave out what you did
    not label. Raises InputError for another number or word.
    """
    cases = dict(enumerate(_hand_cases(), 1))
    for number, label in mine.items():
        if number not in cases or label not in ("TOOL", "GUESSED"):
            raise InputError(
                f"label {number!r}: expected a number from 1 to {len(cases)} with TOOL or GUESSED, "
                f"got {label!r:.60}"
            )
    lines = []
    for number, case in cases.items():
        said = mine.get(number, "-")
        lines.append(f"{number:>2}  you {said:<7}  author {case.label:<7}  {case.reason}")
    agreed = sum(mine[number] == cases[number].label for number in mine)
    return "\n".join([*lines, f"You labelled {len(mine)} of {len(cases)} and agree on {agreed}."])
