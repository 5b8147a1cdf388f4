"""``claimlab orders``: lab 4."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from claimlab.commands.common import FAIL, PASS, only, print_json, progress
from claimlab.errors import InputError
from claimlab.report import Report


def add(commands: Any) -> None:
    """Add ``orders`` to the command."""
    orders = commands.add_parser(
        "orders",
        help="lab 4: does the order exist that a reply speaks of?",
        description="Lab 4, the order evaluator: what a reply claims is compared with the trace of "
        "tool calls, and each reply gets a class and an owner. Without options it runs the "
        "documented fixtures, A to I.",
        epilog="A log holds one dialog a line: OpenAI-style or Anthropic-style messages "
        '({"messages": [...]}), or {"reply": "...", "calls": [...]}. docs/traces.md has the '
        "formats and the domain file, docs/operations.md the nightly run. `claimlab orders compare "
        "A B` compares two runs: two files of --out, or two logs.",
    )
    orders.add_argument(
        "what", nargs="*", metavar="compare A B", help="compare two runs, instead of judging one"
    )
    orders.add_argument(
        "--fixtures",
        choices=("english", "dialect"),
        help="which documented fixtures: english (default), or dialect: Egyptian and Moroccan "
        "Arabic in two scripts, A to O",
    )
    orders.add_argument("--only", metavar="TAGS", help="only these fixtures: A,B,F")
    orders.add_argument(
        "--first-reading",
        action="store_true",
        help="let the documented order of the definitions decide, over the reply as a whole",
    )
    orders.add_argument("--traces", metavar="F", help="judge the replies of this log (.jsonl)")
    orders.add_argument(
        "--domain", metavar="D", help="shop (default), airline, or your own file (.toml)"
    )
    orders.add_argument("--out", metavar="F", help="write a verdict a reply to this file (.csv)")
    orders.add_argument(
        "--rejects", metavar="F", help="write the lines that could not be read here (.jsonl)"
    )
    orders.add_argument(
        "--require-id", action="store_true", help="a claim that cites no id is backed by nothing"
    )
    orders.add_argument("--json", action="store_true", help="print one JSON document instead")
    orders.set_defaults(run=_orders)


def _orders(arguments: argparse.Namespace) -> int:
    from claimlab.domains import domain

    name = arguments.domain if arguments.domain is not None else "shop"
    of = domain(name)
    report: Report
    if arguments.what:
        if arguments.what[0] != "compare" or len(arguments.what) != 3:
            raise InputError("expected no word, or: compare A B")
        report = _compared(arguments.what[1], arguments.what[2], arguments, of)
    elif arguments.traces is not None:
        if arguments.only is not None or arguments.first_reading or arguments.fixtures is not None:
            raise InputError(
                "--only, --first-reading and --fixtures go with the fixtures, without --traces"
            )
        report = _log(arguments, of)
    else:
        report = _fixtures(arguments, of)
    if arguments.json:
        print_json(report)
    else:
        print(report.text())
    return PASS if report.passed else FAIL


def _fixtures(arguments: argparse.Namespace, of: Any) -> Report:
    from claimlab.orders import judge, order_fixtures

    if arguments.out is not None or arguments.rejects is not None:
        raise InputError("--out and --rejects go with --traces")
    rows = order_fixtures(arguments.fixtures or "english")
    if arguments.only is not None:
        rows = only(rows, arguments.only)
    return judge(rows, of, first=arguments.first_reading, require_id=arguments.require_id)


def _log(arguments: argparse.Namespace, of: Any) -> Report:
    from claimlab.order_logs import evaluate_log
    from claimlab.trace_formats import read_traces

    entries = read_traces(arguments.traces)
    first = next(entries, None)  # a log that cannot be opened leaves no empty file behind

    def all_entries() -> Iterator[Any]:
        if first is not None:
            yield first
            yield from entries

    with ExitStack() as stack:
        sources = (arguments.traces,)
        out = _writer(arguments.out, "--out", sources, stack)
        rejects = _writer(arguments.rejects, "--rejects", (*sources, arguments.out), stack)
        shown = progress(all_entries(), "dialogs")
        return evaluate_log(shown, of, out, rejects, arguments.require_id)


def _writer(
    path: str | None, option: str, others: tuple[str | None, ...], stack: ExitStack
) -> IO[str] | None:
    if path is None:
        return None
    for other in others:
        if other is not None and Path(other).absolute() == Path(path).absolute():
            raise InputError(f"{option}: {path} is already in use, expected another file")
    try:
        return stack.enter_context(Path(path).open("w", encoding="utf-8", newline=""))
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise InputError(f"{option}: {path}: cannot be written ({cause})") from None


def _compared(a: str, b: str, arguments: argparse.Namespace, of: Any) -> Report:
    from claimlab.order_logs import compare, labels_of

    for name in ("traces", "only", "out", "rejects"):
        if getattr(arguments, name) is not None:
            raise InputError(f"--{name} does not go with compare")
    return compare(labels_of(_run(a, of)), labels_of(_run(b, of)))


def _run(path: str, of: Any) -> Iterator[Mapping[str, Any]]:
    """The verdicts of a run: those of a table, or of a log that is judged now."""
    from claimlab.order_logs import read_verdicts
    from claimlab.orders import evaluate_dialog
    from claimlab.trace_formats import Reject, read_traces

    if Path(path).suffix.lower() == ".csv":
        yield from read_verdicts(path)
        return
    for entry in progress(read_traces(path), f"dialogs of {Path(path).name}"):
        if isinstance(entry, Reject):
            raise InputError(f"{path}: line {entry.line}: {entry.reason}")
        for verdict in evaluate_dialog(entry, of):
            yield verdict.to_record()
