"""``claimlab start``: the learner's own copy."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from claimlab.commands.common import PASS


def add(commands: Any) -> None:
    """Add ``start`` to the command."""
    start = commands.add_parser(
        "start",
        help="make your own copy of the lessons, without outputs",
        description="Copies the lessons (and sheets) into DIR without their outputs. Run again, it "
        "refreshes what you did not change and puts new versions beside what you did.",
    )
    start.add_argument("dir", metavar="DIR", type=Path, help="the folder; made when absent")
    start.set_defaults(run=_start)


def _start(arguments: argparse.Namespace) -> int:
    from claimlab.start import start

    print(start(arguments.dir).text())
    return PASS
