"""What every subcommand shares: exit statuses, notes, JSON output, a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Protocol, TypeVar

from claimlab.errors import InputError
from claimlab.report import Report

PASS, FAIL, BAD = 0, 1, 2
_T = TypeVar("_T")


class _Tagged(Protocol):
    @property
    def tag(self) -> str: ...


_Row = TypeVar("_Row", bound=_Tagged)


def say(text: str) -> None:
    """One line on standard error, where there is one: print() would take standard output."""
    if sys.stderr is not None:
        print(f"claimlab: {text}", file=sys.stderr)


def print_json(report: Report) -> None:
    """Print a report as one JSON document, in letters that the output can show."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(report.to_json(ensure_ascii=not encoding.lower().startswith("utf")))


def only(rows: Sequence[_Row], tags: str) -> tuple[_Row, ...]:
    """Return the rows that ``--only A,C`` names, in that order."""
    known = {row.tag: row for row in rows}
    wanted = list(dict.fromkeys(tag.strip() for tag in tags.split(",")))
    for tag in wanted:
        if tag not in known:
            raise InputError(
                f"--only: no row {tag!r:.60}, expected some of {', '.join(known):.200}"
            )
    return tuple(known[tag] for tag in wanted)


def progress(
    items: Iterable[_T], what: str, total: int | None = None, every: int = 50
) -> Iterator[_T]:
    """Show how far long work has come, on a terminal only: a bar, or a count without a total.

    Short work (less than ten steps of ``every`` items) shows nothing.
    """
    total = len(items) if total is None and isinstance(items, Sized) else total
    terminal = sys.stderr is not None and sys.stderr.isatty()
    shown = False
    for number, item in enumerate(items, 1):
        long = total is None or total >= 10 * every
        if terminal and long and (number % every == 0 or number == total):
            shown = True
            done = "" if total is None else f"[{'#' * (30 * number // total):.<30}] "
            of = "" if total is None else f" of {total:,}"
            print(f"\r{done}{number:,}{of} {what}", end="", file=sys.stderr)
        yield item
    if shown:
        print(file=sys.stderr)
