"""``claimlab jury``: lab 2."""

from __future__ import annotations

import argparse
from typing import Any

from claimlab.commands.common import FAIL, PASS, only, print_json, progress
from claimlab.errors import InputError
from claimlab.files import read_text


def add(commands: Any) -> None:
    """Add ``jury`` to the command."""
    jury = commands.add_parser(
        "jury",
        help="lab 2: does a yes/no survive a predicate that can fail?",
        description="Lab 2, the predicate jury: each row is a claim, the yes/no that its author "
        "wants believed, and a predicate over frozen facts. Without options: rows A to D.",
        epilog='A fixtures file holds one row a line: {"tag": "A", "claim": "...", '
        '"nl_says": true, "predicate": "epochs == 3"}. A facts file (.json or .toml) holds names '
        "and values, or tables facts and words. docs/predicates.md has the language.",
    )
    jury.add_argument("--all", action="store_true", help="all documented rows, A to K")
    jury.add_argument("--only", metavar="TAGS", help="only these rows: A,C")
    jury.add_argument("--facts", metavar="F", help="your facts: .json or .toml")
    jury.add_argument("--fixtures", metavar="F", help="your rows: .jsonl, .json or .toml")
    jury.add_argument("--recap", metavar="F", help="a text; its sentences without a row are listed")
    jury.add_argument(
        "--first-jury",
        action="store_true",
        help="let the first jury decide, which only asks for a name",
    )
    jury.add_argument("--json", action="store_true", help="print one JSON document instead")
    jury.set_defaults(run=_jury)


def _jury(arguments: argparse.Namespace) -> int:
    from claimlab import jury

    world = jury.training_run() if arguments.facts is None else jury.read_world(arguments.facts)
    if arguments.fixtures is not None:
        if arguments.all:
            raise InputError("--all means the documented rows, it goes without --fixtures")
        rows = jury.read_fixtures(arguments.fixtures)
    elif arguments.all or arguments.only is not None:
        rows = jury.jury_fixtures()
    else:
        rows = jury.jury_fixtures()[:4]
    if arguments.only is not None:
        rows = only(rows, arguments.only)
    recap = None if arguments.recap is None else read_text(arguments.recap)
    decide = jury.names_only if arguments.first_jury else jury.decide
    report = jury.judge(progress(list(rows), "rows"), world, recap, decide)
    if arguments.json:
        print_json(report)
    else:
        print(report.text())
    return PASS if report.passed else FAIL
