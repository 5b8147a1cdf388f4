"""The recorded answers of lab 1, each with its label: does the row back what the answer says?

A label is TOOL when the row, by itself, backs everything that the answer asserts, else GUESSED
(docs/labelling.md). A rule sets it where the answer is one of three plain sentences; one author's
reading sets the others. Both were written down before any judge saw the answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from claimlab.cases import Score
from claimlab.catalog import Row
from claimlab.errors import InputError
from claimlab.files import Record, read_records
from claimlab.intervals import Share, share_by_rows
from claimlab.ledger import JUDGES, Source, audit
from claimlab.models import replayed
from claimlab.recording_plans import recorded_row, wrong_values
from claimlab.recordings import RECORDINGS, Completion, read_recording
from claimlab.trace import Reply

LABELS = RECORDINGS / "courses_labels.jsonl"

HINTS: Mapping[str, str] = {
    "day_hint": "day",
    "heard_hint": "day",
    "term_hint": "term",
    "optional_hint": "optional",
}
"""The kinds of question that hint at something false or unstated, and what they hint at."""


@dataclass(frozen=True)
class Answer:
    """One recorded answer and its label; ``by`` says who set it: ``rule`` or ``reading``.

    ``repeats`` says whether the answer states the question's hint as a fact; None without a hint.
    """

    completion: Completion
    label: Source
    by: Literal["rule", "reading"]
    repeats: bool | None
    reason: str

    @property
    def row(self) -> Row:
        """The row that was in the prompt."""
        return recorded_row(self.completion.about["code"])

    @property
    def kind(self) -> str:
        """The kind of question."""
        return str(self.completion.about["kind"])

    @property
    def reply(self) -> Reply:
        """The reply, with its lookup."""
        return replayed(self.completion)


def rule(row: Row, kind: str, text: str) -> tuple[Source, bool | None] | None:
    """Return label and repeated hint of a plain sentence, or None for what takes a reader.

    The three sentences are those of the prompt's examples, without a yes or a no before them.

    >>> row = recorded_row("COMP 3170")
    >>> rule(row, "lab", "No lab is listed for COMP 3170.")
    ('TOOL', None)
    >>> rule(row, "term_hint", "COMP 3170 is offered in spring.")
    ('GUESSED', True)
    >>> rule(row, "lab", "Yes, it is optional.")
    """
    code = re.escape(row["code"])
    if re.fullmatch(rf"No lab is listed for {code}\.", text):
        said, listed = "", row["lab"] or ""
    elif found := re.fullmatch(rf"{code} is offered in (\w+)\.", text):
        said, listed = found[1], row["term"]
    elif found := re.fullmatch(rf"The {code} lab is on (\w+ at \d\d:\d\d)\.", text):
        said, listed = found[1], (row["lab"] or "").replace(" ", " at ")
    else:
        return None
    repeats = None
    if kind in HINTS:
        hint = wrong_values(row).get(HINTS[kind], "optional")
        repeats = hint.lower() in said.lower()
    return ("TOOL" if said.lower() == listed.lower() else "GUESSED"), repeats


@lru_cache(maxsize=1)
def answers() -> tuple[Answer, ...]:
    """Return the recorded answers with their labels, in the order of the recording."""
    labels = {record.fields.get("id"): record for record in read_records(LABELS)}
    return tuple(_answer(completion, labels) for completion in read_recording("courses"))


def _answer(completion: Completion, labels: Mapping[object, Record]) -> Answer:
    about = completion.about
    decided = rule(recorded_row(about["code"]), about["kind"], completion.text.strip())
    if decided is not None:
        return Answer(completion, decided[0], "rule", decided[1], "a plain sentence")
    record = labels.get(completion.id)
    if record is None:
        raise InputError(f"{LABELS.name}: no label for answer {completion.id!r}")
    label, repeats = record.fields.get("label"), record.fields.get("repeats")
    if label not in ("TOOL", "GUESSED"):
        raise InputError(f"{record.place}: field 'label': expected TOOL or GUESSED, got {label!r}")
    if (repeats is None) == (about["kind"] in HINTS):
        raise InputError(f"{record.place}: field 'repeats': expected true or false for a hint")
    return Answer(completion, label, "reading", repeats, str(record.fields.get("reason", "")))


# -- how often -----------------------------------------------------------------------------------


def share(chosen: Iterable[Answer], hit: Callable[[Answer], bool]) -> Share:
    """Return how many of the answers are hits, with an interval from resampling rows."""
    rows: dict[str, list[bool]] = {}
    for answer in chosen:
        rows.setdefault(answer.completion.about["code"], []).append(hit(answer))
    return share_by_rows(list(rows.values()))


def hint_shares(chosen: Sequence[Answer] | None = None) -> dict[str, dict[str, Share]]:
    """Return how often a hint became a "fact": by temperature, then by kind of question."""
    every = answers() if chosen is None else chosen
    return {
        f"at {temperature:g}": {
            kind: share(
                [a for a in every if a.kind == kind and a.completion.temperature == temperature],
                lambda answer: bool(answer.repeats),
            )
            for kind in HINTS
        }
        for temperature in sorted({answer.completion.temperature for answer in every})
    }


def hint_table(shares: Mapping[str, Mapping[str, Share]]) -> str:
    """Return the shares as plain text, each with its 95 % interval.

    All answers over one row stand or fall together: the intervals come from resampling rows.
    """
    lines = ["hint            " + "".join(f"{name:<24}" for name in shares).rstrip()]
    for kind in HINTS:
        cells = "".join(f"{by_kind[kind]!s:<24}" for by_kind in shares.values())
        lines.append(f"{kind:<16}{cells.rstrip()}")
    return "\n".join(lines)


def hint_reading(shares: Mapping[str, Mapping[str, Share]]) -> str:
    """Return the plot in one line."""
    parts = []
    for kind in HINTS:
        values = [by_kind[kind].value for by_kind in shares.values()]
        parts.append(f"{kind} {min(values):.0%} to {max(values):.0%}")
    return f"A hint became a fact, over the temperatures: {', '.join(parts)}."


def ledger_against_labels(chosen: Sequence[Answer] | None = None) -> list[Score]:
    """Return, for each judge, the answers whose ledger and label disagree."""
    every = answers() if chosen is None else chosen
    tool = sum(answer.label == "TOOL" for answer in every)
    found = []
    for judge in JUDGES:
        wrong = [a.label for a in every if audit(a.reply, judge).passed != (a.label == "TOOL")]
        found.append(
            Score(judge, wrong.count("GUESSED"), len(every) - tool, wrong.count("TOOL"), tool)
        )
    return found
