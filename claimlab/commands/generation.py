"""``claimlab generation``: lab 3."""

from __future__ import annotations

import argparse
from typing import Any

from claimlab.commands.common import FAIL, PASS, print_json, progress
from claimlab.errors import InputError


def add(commands: Any) -> None:
    """Add ``generation`` to the command."""
    generation = commands.add_parser(
        "generation",
        help="lab 3: is there a reviewed answer for exactly this source?",
        description="Lab 3, reviewed templates: an answer that a human wrote is rendered when the "
        "packet holds the exact source it was reviewed against; otherwise it abstains. Without "
        "options it runs the documented fixtures.",
        epilog="A packet file (.json, .jsonl, .toml, .csv) is a list of sources: "
        '{"id": "...", "identifier": "...", "version": "...", "text": "..."}. '
        "A fixtures file holds one fixture a line: "
        '{"tag": "...", "question_id": "q-...", "packet": [...], "expects": '
        '"template_rendered" or a reason}. With --question, an abstention is no failure: exit 0.',
    )
    what = generation.add_mutually_exclusive_group()
    what.add_argument("--question", metavar="ID", help="one question id, such as q-renew")
    what.add_argument("--fixtures", metavar="F", help="your fixtures: .jsonl or .json")
    generation.add_argument(
        "--packet", metavar="F", help="the evidence for --question (default: the whole handbook)"
    )
    which = generation.add_mutually_exclusive_group()
    which.add_argument("--baseline", metavar="F", help="your reviewed templates: .toml or .jsonl")
    which.add_argument(
        "--drifted",
        action="store_true",
        help="use a baseline that somebody rebuilt from a changed source",
    )
    generation.add_argument("--json", action="store_true", help="print one JSON document instead")
    generation.set_defaults(run=_generation)


def _generation(arguments: argparse.Namespace) -> int:
    from claimlab import generation, handbook, templates

    baseline = templates.drifted_baseline() if arguments.drifted else None
    if arguments.baseline is not None:
        baseline = templates.read_baseline(arguments.baseline)
    if arguments.question is not None:
        packet = tuple(handbook.handbook().values())
        if arguments.packet is not None:
            packet = handbook.read_packet(arguments.packet)
        result = templates.render_template(arguments.question, packet, baseline)
        if arguments.json:
            print_json(generation.GenerationReport((generation.Outcome("question", result),)))
        else:
            print("\n".join(generation.result_lines(result)))
            if result.detail:
                print(f"  {result.detail}")
        return PASS
    if arguments.packet is not None:
        raise InputError("--packet is the evidence for a question, it goes with --question")
    fixtures = generation.generation_fixtures()
    if arguments.fixtures is not None:
        fixtures = generation.read_fixtures(arguments.fixtures)
    report = generation.run_fixtures(progress(list(fixtures), "fixtures"), baseline)
    if arguments.json:
        print_json(report)
    else:
        print(report.text())
    return PASS if report.passed else FAIL
