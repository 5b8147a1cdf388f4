"""``claimlab lexicon``: lab 5."""

from __future__ import annotations

import argparse
from typing import Any

from claimlab.commands.common import FAIL, PASS, print_json
from claimlab.errors import InputError
from claimlab.report import Report


def add(commands: Any) -> None:
    """Add ``lexicon`` to the command."""
    lexicon = commands.add_parser(
        "lexicon",
        help="lab 5: check a lexicon's file, or try a text on the lexicons",
        description="Lab 5, reading a dialect: `lexicon check FILE` checks a lexicon line by line "
        "and runs its examples; `lexicon try TEXT` tells what matched in a text, what took it "
        "back, and what no lexicon reads.",
        epilog="docs/lexicons.md has the schema, docs/dialects.md what is measured and missed.",
    )
    lexicon.add_argument("what", choices=("check", "try"), help="check a file, or try a text")
    lexicon.add_argument(
        "given", metavar="FILE|TEXT", help="a lexicon (.toml), or a text in quotes"
    )
    lexicon.add_argument(
        "--language", metavar="L", help="try: en, arz or ary; without it the language is guessed"
    )
    lexicon.add_argument("--json", action="store_true", help="print one JSON document instead")
    lexicon.set_defaults(run=_lexicon)


def _lexicon(arguments: argparse.Namespace) -> int:
    from claimlab.lexicon_check import check_lexicon, try_text

    report: Report
    if arguments.what == "check":
        if arguments.language is not None:
            raise InputError("--language goes with try")
        report = check_lexicon(arguments.given)
    else:
        report = try_text(arguments.given, arguments.language)
    if arguments.json:
        print_json(report)
    else:
        print(report.text())
    return PASS if report.passed else FAIL
