"""``claimlab review``: the frozen baseline of lab 3 beside the sources as they are now."""

from __future__ import annotations

import argparse
import datetime
from pathlib import Path
from typing import Any

from claimlab.commands.common import FAIL, PASS, print_json
from claimlab.errors import InputError


def add(commands: Any) -> None:
    """Add ``review`` to the command."""
    review = commands.add_parser(
        "review",
        help="lab 3: what changed between reviewed templates and their sources?",
        description="Shows each reviewed template whose source changed, both texts side by side, "
        "and asks. Only the word yes binds the template to the new text; that one entry is "
        "written, and nothing else. Read the claim against the new text first: when it no longer "
        "holds, say no and rewrite it.",
        epilog="Exit status: 0 every source is the one that was reviewed, 1 some are not.",
    )
    review.add_argument("--baseline", metavar="F", help="the templates (.toml)")
    review.add_argument("--sources", metavar="F", help="the sources: .toml, .json, .jsonl or .csv")
    review.add_argument("--check", action="store_true", help="ask nothing, write nothing (for CI)")
    review.add_argument("--json", action="store_true", help="with --check: one JSON document")
    review.set_defaults(run=_review)


def _review(arguments: argparse.Namespace) -> int:
    from claimlab import handbook, review, templates
    from claimlab.files import DATA

    if arguments.json and not arguments.check:
        raise InputError("--json asks no questions, it goes with --check")
    own = [name for name in ("baseline", "sources") if getattr(arguments, name) is not None]
    if len(own) == 1:
        raise InputError("--baseline and --sources go together")
    baseline_path = Path(arguments.baseline if own else DATA / "templates_baseline.toml")
    sources_path = Path(arguments.sources if own else DATA / "handbook.toml")
    opened = review.Opened.read(baseline_path, sources_path)
    baseline = templates.read_baseline(baseline_path)
    sources = handbook.by_id(handbook.read_packet(sources_path), str(sources_path))
    report = review.review_baseline(baseline, sources)
    if arguments.json:
        print_json(report)
        return PASS if report.passed else FAIL
    if not arguments.check:
        if not baseline_path.stat().st_mode & 0o222:
            raise InputError(f"{baseline_path}: is read-only; --check only compares")
        for entry in report.entries:
            if entry.state == "same":
                continue
            print(review.told(entry))
            if entry.state == "changed" and _yes(entry.template.question_id):
                template = review.accepted(entry, datetime.date.today(), _note())
                opened = review.write_template(baseline_path, template, opened)
                print(f"written: {entry.template.question_id} in {baseline_path}")
            else:
                print(f"left as it is: {entry.template.question_id}")
            print()
        report = review.review_baseline(templates.read_baseline(baseline_path), sources)
    print(report.text())
    return PASS if report.passed else FAIL


def _yes(question_id: str) -> bool:
    """Only the whole word counts: Enter, y, or the end of the input are a no."""
    asked = (
        f"Does the claim hold, word by word, over the text of now? Bind {question_id}? [yes/no] "
    )
    return _asked(asked).casefold() == "yes"


def _asked(question: str) -> str:
    """Return what was typed; nothing where the input has ended, or was never open."""
    try:
        return input(question).strip()
    except (EOFError, RuntimeError):
        print()
        return ""
    except UnicodeDecodeError:
        raise InputError("note: expected text in the terminal's encoding") from None


def _note() -> str:
    """Return the note on a review. A yes or a no is the answer to something else."""
    from claimlab.files import check_text

    note = _asked("A note on the review (empty keeps the old one): ")
    check_text(note, "note")
    if note.casefold() in ("yes", "no", "y", "n"):
        raise InputError(f"note: expected a few words or nothing, got {note!r}; nothing written")
    return note
