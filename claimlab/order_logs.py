"""A run over a log of dialogs, one verdict at a time, and two runs side by side.

Nothing of a log is kept but counts and the verdicts that somebody has to look at.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import IO, Any, Final

from claimlab.domains import Domain
from claimlab.errors import InputError
from claimlab.files import read_records
from claimlab.orders import (
    FAILING,
    HARM,
    OWNERS,
    Verdict,
    evaluate_dialog,
    result_line,
    version_one_line,
)
from claimlab.report import Report, flat
from claimlab.trace import ToolCall
from claimlab.trace_formats import Dialog, Reject

COLUMNS: Final = (
    "dialog", "message", "label", "owner", "v1", "ids", "evidence", "notes", "reply",
)  # fmt: skip
MAX_SHOWN = 1_000
"""How many flagged replies, notes and rejects a report lists; all are counted."""
_SAMPLE = 10_000
"""From how many calls the median latency is taken: the first ones."""


@dataclass
class LogReport(Report):
    """What a log holds: replies of each class, the flagged ones, what could not be read."""

    domain: str
    dialogs: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    flags: Counter[tuple[bool, bool]] = field(default_factory=Counter)
    flagged: list[Verdict] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    rejected: int = 0
    notes: list[str] = field(default_factory=list)
    noted: int = 0
    calls: int = 0
    failed: int = 0
    latencies: list[float] = field(default_factory=list)
    cost: float | None = None

    def add(self, dialog: Dialog, verdicts: Iterable[Verdict], of: Domain) -> None:
        """Count a dialog."""
        self.dialogs += 1
        self.noted += len(dialog.notes)
        for note in dialog.notes[: max(0, MAX_SHOWN - len(self.notes))]:
            self.notes.append(f"{dialog.name}: {note}")
        for event in dialog.events:
            if isinstance(event, ToolCall):
                self.calls += 1
                self.failed += not of.succeeded(event)
                if event.latency_ms is not None and len(self.latencies) < _SAMPLE:
                    self.latencies.append(event.latency_ms)
        cost = dialog.fields.get("cost")
        if isinstance(cost, int | float) and not isinstance(cost, bool):
            self.cost = (self.cost or 0.0) + cost
        for verdict in verdicts:
            label = verdict.found.label
            self.counts[label] += 1
            self.flags[verdict.v1, label in HARM] += 1
            if label in FAILING and len(self.flagged) < MAX_SHOWN:
                self.flagged.append(verdict)

    def reject(self, reject: Reject) -> None:
        """Count a line that could not be read."""
        self.rejected += 1
        if len(self.rejects) < MAX_SHOWN:
            self.rejects.append(reject)

    @property
    def replies(self) -> int:
        """Return how many replies were judged."""
        return self.counts.total()

    @property
    def passed(self) -> bool:
        """Whether there are replies, none is false or unread, and no line was rejected."""
        failing = any(self.counts[label] for label in FAILING)
        return self.replies > 0 and not failing and not self.rejected

    def text(self) -> str:
        """Return a table of the classes, each flagged reply with its evidence, and RESULT."""
        lines = [f"{self.dialogs:,} dialogs, {self.replies:,} replies, domain {self.domain}", ""]
        for label, owner in OWNERS.items():
            lines.append(f"{label:<18}  {self.counts[label]:>9,}  owner={owner}")
        lines.append("")
        for verdict in self.flagged:
            where = f"{flat(verdict.dialog)} message {verdict.message}"
            lines.append(f"{where}: {verdict.found.label}  reply={verdict.reply!r:.300}")
            lines += (f"  {flat(str(e))}  clause={e.clause!r:.160}" for e in verdict.found.evidence)
            lines += (f"  {flat(note)}" for note in verdict.found.notes if note != "uncited")
        shown = sum(self.counts[label] for label in FAILING) - len(self.flagged)
        lines += [f"and {shown:,} more flagged replies"] if shown else []
        lines += [""] if self.flagged else []
        lines += (f"rejected line {r.line}: {flat(r.reason)}" for r in self.rejects)
        hidden = self.rejected - len(self.rejects)
        lines += [f"and {hidden:,} more rejected lines"] if hidden else []
        if self.noted:
            first = flat(self.notes[0])
            lines.append(f"{self.noted:,} oddities of the log, the first: {first}")
        lines.append(self.operations())
        lines.append("v1 is compared with v2 here, not with labels:")
        flags = [pair for pair, count in self.flags.items() for _ in range(count)]
        lines.append(version_one_line(flags))
        lines.append(result_line(self.counts, self.rejected, self.replies))
        return "\n".join(lines)

    def operations(self) -> str:
        """Return calls, failures, latency and cost, beside the quality."""
        told = f"{self.calls:,} tool calls, {self.failed:,} did not succeed"
        if self.latencies:
            told += f", median latency {median(self.latencies):,.0f} ms"
        return told + ("" if self.cost is None else f", cost {self.cost:,.4f}")

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a flagged reply; the others are in the file of --out."""
        return [verdict.to_record() for verdict in self.flagged]

    def to_json(self, ensure_ascii: bool = False) -> str:
        """Return the run as one JSON document; its rows are the flagged replies."""
        import json

        document = json.loads(super().to_json(ensure_ascii))
        document["counts"] = {label: self.counts[label] for label in OWNERS}
        document |= {"dialogs": self.dialogs, "replies": self.replies, "rejected": self.rejected}
        document |= {"calls": self.calls, "calls_failed": self.failed, "cost": self.cost}
        document["latency_ms_median"] = median(self.latencies) if self.latencies else None
        return json.dumps(document, ensure_ascii=ensure_ascii, indent=1)


def evaluate_log(
    entries: Iterable[Dialog | Reject],
    of: Domain,
    verdicts: IO[str] | None = None,
    rejects: IO[str] | None = None,
    require_id: bool = False,
) -> LogReport:
    """Return the report of a log; every verdict and reject is written as it comes.

    ``verdicts`` gets CSV with the columns of :data:`COLUMNS`, ``rejects`` JSON Lines.
    """
    report = LogReport(of.name)
    table = csv.writer(verdicts, lineterminator="\n") if verdicts is not None else None
    if table is not None:
        table.writerow(COLUMNS)
    for entry in entries:
        if isinstance(entry, Reject):
            report.reject(entry)
            if rejects is not None:
                rejects.write(entry.to_line() + "\n")
            continue
        found = evaluate_dialog(entry, of, require_id=require_id)
        report.add(entry, found, of)
        if table is not None:
            table.writerows([_cell(v.to_record()[name]) for name in COLUMNS] for v in found)
    return report


def _cell(value: object) -> str:
    """A value for a spreadsheet: one line, and no text that it would take for a formula."""
    text = flat(str(value))
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


# -- two runs ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Comparison(Report):
    """Two runs over the same fixtures or log: which replies moved from class to class."""

    moved: tuple[tuple[str, str, str], ...]
    before: Counter[str]
    after: Counter[str]
    only_before: int
    only_after: int

    @property
    def passed(self) -> bool:
        """Whether no reply moved to a class that is worse, and none is missing."""
        order: list[str] = list(OWNERS)
        worse = any(b in FAILING and order.index(a) < order.index(b) for _, a, b in self.moved)
        return not worse and not self.only_before and bool(self.before)

    def text(self) -> str:
        """Return the classes of both runs, the moves, and RESULT."""
        lines = [f"{'class':<18}  {'A':>7}  {'B':>7}"]
        for label in OWNERS:
            lines.append(f"{label:<18}  {self.before[label]:>7,}  {self.after[label]:>7,}")
        moves = Counter((a, b) for _, a, b in self.moved)
        lines += ["", f"{len(self.moved):,} moved"]
        lines += (f"  {a} -> {b}: {count:,}" for (a, b), count in sorted(moves.items()))
        lines += (f"{flat(key)}: {a} -> {b}" for key, a, b in self.moved[:MAX_SHOWN])
        if self.only_before or self.only_after:
            lines.append(f"only in A: {self.only_before:,}, only in B: {self.only_after:,}")
        return "\n".join([*lines, f"RESULT: {'PASS' if self.passed else 'FAIL'}"])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a reply that moved."""
        return [{"reply": key, "before": a, "after": b} for key, a, b in self.moved]


def compare(before: Mapping[str, str], after: Mapping[str, str]) -> Comparison:
    """Return what moved between two runs; each maps a reply's place to its class."""
    both = [key for key in before if key in after]
    return Comparison(
        tuple((key, before[key], after[key]) for key in both if before[key] != after[key]),
        Counter(before.values()),
        Counter(after.values()),
        len(before) - len(both),
        len(after) - len(both),
    )


def labels_of(verdicts: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the class of each reply under its place: the dialog, and which reply of it."""
    found: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for record in verdicts:
        dialog = str(record["dialog"])
        seen[dialog] += 1
        found[f"{dialog} reply {seen[dialog]}"] = str(record["label"])
    return found


def read_verdicts(path: str | Path) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a file that --out wrote. Raises InputError for another file."""
    for record in read_records(path):
        label = record.fields.get("label")
        if "dialog" not in record.fields or label not in OWNERS:
            raise InputError(
                f"{record.place}: field 'label': expected one of {', '.join(OWNERS)}, "
                f"got {label!r:.60}"
            )
        yield record.fields
