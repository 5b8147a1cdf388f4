"""``claimlab probe``: lab 6."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from claimlab.commands.common import FAIL, PASS, print_json, progress
from claimlab.errors import InputError


def add(commands: Any) -> None:
    """Add ``probe`` to the command."""
    probe = commands.add_parser(
        "probe",
        help="lab 6: change the world, and see which checks notice",
        description="Lab 6, check your checks: every judge of the course, from polite to strict, "
        "in changed worlds. killed: the claim is false there, and the judge says so. spared: the "
        "claim is still true, and the judge says so. FAIL when a final judge is wrong where no "
        "limit is documented. --check probes a check of your own in the worlds of one lab.",
        epilog="A check is a function that returns whether a claim passes. It is called with: "
        "rows (claim, row), facts (fixture, world), sources (question_id, packet), drafts "
        "(question_id, draft), traces (reply, calls), wordings (text). docs/probing.md has more.",
    )
    probe.add_argument(
        "--lab", metavar="L", help="only these of the six below, comma-separated: rows,traces"
    )
    probe.add_argument(
        "--check", metavar="M:F", help="your own check, function F of module M; goes with one --lab"
    )
    probe.add_argument("--json", action="store_true", help="print one JSON document instead")
    probe.set_defaults(run=_probe)


def _probe(arguments: argparse.Namespace) -> int:
    from claimlab.course_probes import LABS, probe_course, probe_lab
    from claimlab.report import Report, verdict

    given = LABS if arguments.lab is None else [one.strip() for one in arguments.lab.split(",")]
    labs = list(dict.fromkeys(given))
    report: Report
    if arguments.check is None:
        report = probe_course(labs, lambda judges: progress(judges, "judges", every=1))
        told = report.text()
    else:
        if arguments.lab is None or len(labs) != 1:
            raise InputError(
                "--check goes with one --lab, which says what the check is called with"
            )
        report = probe_lab(labs[0], _function(arguments.check), arguments.check)
        told = f"{report.text()}\n\nRESULT: {verdict(report.passed)}"
    if arguments.json:
        print_json(report)
    else:
        print(told)
    return PASS if report.passed else FAIL


def _function(given: str) -> Callable[..., object]:
    """The function that ``module:function`` names, looked for in this folder too."""
    module_name, colon, name = given.partition(":")
    if not colon or not module_name or not name.isidentifier():
        raise InputError(f"--check: expected module:function, got {given!r:.60}")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise InputError(
            f"--check: module {module_name!r:.60} cannot be imported ({type(error).__name__}: "
            f"{error})"
        ) from None
    function = getattr(module, name, None)
    if not callable(function):
        raise InputError(f"--check: {module_name} has no function {name!r:.60}")
    found: Callable[..., object] = function
    return found
