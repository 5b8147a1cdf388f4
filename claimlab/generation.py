"""The documented run of lab 3: fixtures, each with the end it expects, and the report over them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from claimlab.errors import InputError
from claimlab.files import DATA, Record, check_names, check_texts, read_unique
from claimlab.handbook import Source, source_from
from claimlab.report import Report, flat, one_line
from claimlab.report import verdict as pass_or_fail
from claimlab.templates import REASONS, Baseline, TemplateResult, render_template

RENDERED: Final = "template_rendered"
ENDS: Final = (*REASONS, RENDERED)
"""How a question can end: a reason to abstain, or a rendered template."""


@dataclass(frozen=True)
class Fixture:
    """A question id over a packet, and the end that it expects: one of :data:`ENDS`."""

    tag: str
    question_id: str
    packet: tuple[Source, ...]
    expects: str


@dataclass(frozen=True)
class Outcome:
    """What came of one question, and the end that its fixture expects; None without one."""

    tag: str
    result: TemplateResult
    expects: str | None = None

    @property
    def end(self) -> str:
        """How the question ended."""
        return self.result.reason or RENDERED

    @property
    def as_expected(self) -> bool:
        """Whether it ended as its fixture expects."""
        return self.expects in (None, self.end)


@dataclass(frozen=True)
class GenerationReport(Report):
    """The outcomes of all fixtures."""

    outcomes: tuple[Outcome, ...]

    @property
    def passed(self) -> bool:
        """Whether there are fixtures and each ends as it expects."""
        return bool(self.outcomes) and all(outcome.as_expected for outcome in self.outcomes)

    def result(self) -> str:
        """Return the RESULT line: what ended otherwise, counted by how it ended."""
        ends = [outcome.end for outcome in self.outcomes if not outcome.as_expected]
        counts = [f"{ends.count(end)} {end}" for end in ENDS if end in ends]
        if not self.outcomes:
            counts.append("nothing asked")
        told = f" ({', '.join(counts)})" if counts else ""
        return f"RESULT: {pass_or_fail(self.passed)}{told}"

    def text(self) -> str:
        """Return the documented text: a line a fixture, each rendered answer below it, RESULT."""
        lines = []
        for outcome in self.outcomes:
            wanted = "" if outcome.as_expected else f"  expected={outcome.expects}"
            start, *answer = result_lines(outcome.result)
            lines += [f"{flat(outcome.tag):<9}  {start}{wanted}", *answer]
        return "\n".join([*lines, self.result()])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a fixture."""
        return [
            {
                "tag": outcome.tag,
                "question_id": outcome.result.question_id,
                "status": outcome.result.status,
                "reason": outcome.result.reason,
                "detail": outcome.result.detail or None,
                "answer": outcome.result.answer,
                "citations": list(outcome.result.citations),
                "fingerprint": outcome.result.fingerprint,
                "generator": outcome.result.generator,
                "model_used": outcome.result.model_used,
                "expects": outcome.expects,
            }
            for outcome in self.outcomes
        ]


def result_lines(result: TemplateResult) -> list[str]:
    """Return a result as documented lines: one for an abstention, two for an answer."""
    start = f"{flat(result.question_id):<9}  {result.status}  "
    if result.answer is None:
        return [f"{start}reason={result.reason}"]
    return [
        f"{start}cites={','.join(map(flat, result.citations))}  generator={result.generator}  "
        f"model_used={result.model_used}",
        f"  {one_line(result.answer, '  ')}",
    ]


def run_fixtures(fixtures: Iterable[Fixture], baseline: Baseline | None = None) -> GenerationReport:
    """Return the report over fixtures; ``baseline`` is the course's frozen one when left out."""
    return GenerationReport(
        tuple(
            Outcome(f.tag, render_template(f.question_id, f.packet, baseline), f.expects)
            for f in fixtures
        )
    )


@lru_cache(maxsize=1)
def generation_fixtures() -> tuple[Fixture, ...]:
    """Return the course's own fixtures: supported, unknown, missing, changed, conflict."""
    return read_fixtures(DATA / "generation_fixtures.jsonl")


def read_fixtures(path: str | Path) -> tuple[Fixture, ...]:
    """Return the fixtures of a JSON Lines (or JSON) file.

    Raises InputError for a field that is missing, of another type, or not known.
    """
    return tuple(read_unique(path, _fixture, "tag").values())


def _fixture(record: Record) -> Fixture:
    fields, place = record.fields, record.place
    check_names(fields, ("tag", "question_id", "packet", "expects"), place)
    check_texts({name: fields[name] for name in ("tag", "question_id", "expects")}, place)
    if fields["expects"] not in ENDS:
        raise InputError(
            f"{place}: field 'expects': expected one of {', '.join(ENDS)}, "
            f"got {fields['expects']!r:.60}"
        )
    if not isinstance(fields["packet"], list):
        raise InputError(
            f"{place}: field 'packet': expected a list of sources, got {fields['packet']!r:.60}"
        )
    packet = tuple(
        source_from(entry, f"{place}: packet: entry {number}")
        for number, entry in enumerate(fields["packet"], 1)
    )
    return Fixture(fields["tag"], fields["question_id"], packet, fields["expects"])
