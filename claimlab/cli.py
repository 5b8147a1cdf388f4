"""The ``claimlab`` command. Exit status: 0 PASS, 1 FAIL, 2 bad usage or bad input."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from claimlab import __version__
from claimlab.catalog import NORMALISERS, Catalog
from claimlab.courses import courses
from claimlab.errors import ClaimlabError, InputError
from claimlab.files import read_records, read_text, read_toml
from claimlab.ledger import JUDGES, Ledger, LedgerRun, audit, audit_turns
from claimlab.models import StubModel, documented_run, documented_runs
from claimlab.report import Report, one_line
from claimlab.trace import code_sent, reply_from_record

if TYPE_CHECKING:
    from claimlab.jury import Fixture

PASS, FAIL, BAD = 0, 1, 2
_T = TypeVar("_T")


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD, f"{self.prog}: {message}; see {self.prog} --help\n")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        if sys.stdout is not None:
            sys.stdout.flush()  # here main() still hears that nobody reads
        super().exit(status, message)


def main(argv: list[str] | None = None) -> int:
    """Run the command with these arguments (default: those of the process)."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        arguments = _parser().parse_args(argv)
        status: int = arguments.run(arguments)
        if sys.stdout is not None:  # a closed one is None
            sys.stdout.flush()
    except ClaimlabError as error:
        _say(" ".join(str(error).split()))
        return BAD
    except BrokenPipeError:
        _drop_output()  # whoever reads it has read enough
        return PASS
    except OSError as error:
        _drop_output()
        _say(f"the output cannot be written ({error.strerror or error})")
        return BAD
    except KeyboardInterrupt:
        _say("interrupted")
        return 130
    return status


def _say(text: str) -> None:
    """One line on standard error, where there is one: print() would take standard output."""
    if sys.stderr is not None:
        print(f"claimlab: {text}", file=sys.stderr)


def _drop_output() -> None:
    """Python writes what is left once more at exit: let nobody hear of the same error twice."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="claimlab",
        description="When a model says something, what independent object can still say no?",
        epilog="Exit status: 0 RESULT: PASS, 1 RESULT: FAIL, 2 bad usage or bad input.",
    )
    parser.add_argument("--version", action="version", version=f"claimlab {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_ledger(commands)
    _add_jury(commands)
    _add_start(commands)
    return parser


# -- claimlab ledger -----------------------------------------------------------------------------


def _add_ledger(commands: Any) -> None:
    ledger = commands.add_parser(
        "ledger",
        help="lab 1: where does each claim of a reply come from?",
        description="Lab 1, the claim ledger: each claim is TOOL (the row that a lookup returned "
        "backs it) or GUESSED. Without options it runs the documented questions.",
        epilog="A replies file holds one reply a line: "
        '{"text": "...", "claims": ["..."], "calls": [{"name": "lookup_course", '
        '"args": {"code": "COMP 3170"}, "result": {...} or null for no row}]}. '
        "A call without a result is looked up in the catalog.",
    )
    what = ledger.add_mutually_exclusive_group()
    what.add_argument("--question", metavar="Q", help="ask the scripted stub one question")
    what.add_argument(
        "--run",
        metavar="NAME",
        choices=documented_runs(),
        dest="named",
        help="a documented run: " + ", ".join(documented_runs()),
    )
    what.add_argument("--replies", metavar="R", help="judge the replies of this file (.jsonl)")
    ledger.add_argument(
        "--judge",
        choices=list(JUDGES),
        default="field",
        help="from polite to strict: called, weekday, field (default), closed",
    )
    ledger.add_argument("--catalog", metavar="F", help="your rows: .toml, .json, .jsonl or .csv")
    ledger.add_argument("--key", metavar="K", help="the field that names a row (default: code)")
    ledger.add_argument(
        "--keep-first",
        action="store_true",
        help="keep the first of rows that repeat a key with other values",
    )
    ledger.add_argument(
        "--config",
        metavar="F",
        help="a TOML file for your catalog: key, "
        "normalise (code or exact), and a table [synonyms] of words a field",
    )
    ledger.add_argument("--reasons", action="store_true", help="print why, a line a claim")
    ledger.add_argument("--json", action="store_true", help="print one JSON document instead")
    ledger.set_defaults(run=_ledger)


def _ledger(arguments: argparse.Namespace) -> int:
    catalog = _catalog(arguments)
    judge = arguments.judge
    report: Ledger | LedgerRun
    if arguments.replies is not None:
        report = _judged_replies(arguments, catalog)
    elif arguments.question is not None:
        reply = StubModel(catalog).reply(arguments.question)
        report = audit(reply, judge, "declared", catalog, arguments.question)
    elif arguments.catalog is not None:
        if arguments.named:
            raise InputError("--run asks about the course's own catalog, it goes without --catalog")
        if arguments.json:
            raise InputError("--json: expected something to judge, by --replies or --question")
        return _describe(catalog, arguments)
    else:
        turns = documented_run(arguments.named or "questions")
        report = audit_turns(turns, judge, "declared", catalog)
    if arguments.json:
        _print_json(report)
    else:
        print(report.text(arguments.reasons))
        if isinstance(report, Ledger):
            print()
    return PASS if report.passed else FAIL


def _print_json(report: Report) -> None:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(report.to_json(ensure_ascii=not encoding.lower().startswith("utf")))


def _catalog(arguments: argparse.Namespace) -> Catalog:
    config: Mapping[str, Any] = read_toml(arguments.config) if arguments.config is not None else {}
    key, normalise, synonyms = _configured(config, arguments.config)
    if arguments.catalog is None:
        if arguments.key is not None or arguments.keep_first:
            raise InputError("--key and --keep-first go with --catalog")
        return replace(courses(), synonyms=synonyms) if config else courses()
    catalog = Catalog.load(
        arguments.catalog,
        arguments.key if arguments.key is not None else key or "code",
        synonyms=synonyms,
        normalise=NORMALISERS[normalise],
        keep_first=arguments.keep_first,
    )
    for note in catalog.notes:
        _say(f"note: {note}")
    return catalog


def _configured(
    config: Mapping[str, Any], place: str
) -> tuple[str | None, str, dict[str, tuple[str, ...]]]:
    unknown = sorted(set(config) - {"key", "normalise", "synonyms"})
    if unknown:
        raise InputError(
            f"{place}: field {unknown[0]!r}: expected only key, normalise and [synonyms]"
        )
    key, normalise = config.get("key"), config.get("normalise", "code")
    if key is not None and not isinstance(key, str):
        raise InputError(f"{place}: field 'key': expected a field's name, got {key!r:.60}")
    if not isinstance(normalise, str) or normalise not in NORMALISERS:
        raise InputError(
            f"{place}: field 'normalise': expected one of {', '.join(NORMALISERS)}, "
            f"got {normalise!r:.60}"
        )
    synonyms = config.get("synonyms", {})
    if not isinstance(synonyms, dict):
        raise InputError(f"{place}: field 'synonyms': expected a table, got {synonyms!r:.60}")
    for name, words in synonyms.items():
        if not isinstance(words, list) or not all(isinstance(w, str) and w for w in words):
            raise InputError(
                f"{place}: synonyms of {name!r}: expected a list of words, got {words!r:.60}"
            )
    return key, normalise, {name: tuple(words) for name, words in synonyms.items()}


def _judged_replies(arguments: argparse.Namespace, catalog: Catalog) -> LedgerRun:
    ledgers = []
    records = read_records(arguments.replies)
    for record in _progress(records, "replies"):
        reply = reply_from_record(_looked_up(record.fields, catalog), record.place)
        question = record.fields.get("question")
        if question is not None and not isinstance(question, str):
            raise InputError(
                f"{record.place}: field 'question': expected text, got {question!r:.60}"
            )
        try:
            ledgers.append(audit(reply, arguments.judge, "both", catalog, question))
        except InputError as error:
            raise InputError(f"{record.place}: {error}") from None
    return LedgerRun(tuple(ledgers))


def _looked_up(fields: Mapping[str, Any], catalog: Catalog) -> Mapping[str, Any]:
    """Carry out the lookups that a record names without saying what came of them."""
    calls = fields.get("calls")
    if not isinstance(calls, list):
        return fields
    done = []
    for call in calls:
        if isinstance(call, dict) and "result" not in call and isinstance(call.get("args"), dict):
            code = code_sent(call["args"], catalog.key)
            if code is not None and call.get("ok", True) is True:
                call = {**call, "result": catalog.lookup(code)}
        done.append(call)
    return {**fields, "calls": done}


def _describe(catalog: Catalog, arguments: argparse.Namespace) -> int:
    """A catalog and nothing to judge: say what was read, and what could be asked next."""
    columns = list(dict.fromkeys(name for row in catalog.rows.values() for name in row))
    fields = one_line(", ".join(columns))
    print(f"{len(catalog)} rows under {catalog.key!r}, with the fields {fields}.")
    print('Nothing to judge yet: add --replies R.jsonl, or --question "..." for the stub.')
    return PASS


def _progress(items: list[_T], what: str) -> Iterator[_T]:
    """Show how far long work has come, on a terminal only."""
    total = len(items)
    show = total >= 500 and sys.stderr is not None and sys.stderr.isatty()
    for number, item in enumerate(items, 1):
        if show and (number % 50 == 0 or number == total):
            done = 30 * number // total
            bar = "#" * done + "." * (30 - done)
            print(f"\r[{bar}] {number:,} of {total:,} {what}", end="", file=sys.stderr)
        yield item
    if show:
        print(file=sys.stderr)


# -- claimlab jury -------------------------------------------------------------------------------


def _add_jury(commands: Any) -> None:
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
        rows = _only(rows, arguments.only)
    recap = None if arguments.recap is None else read_text(arguments.recap)
    decide = jury.names_only if arguments.first_jury else jury.decide
    report = jury.judge(_progress(list(rows), "rows"), world, recap, decide)
    if arguments.json:
        _print_json(report)
    else:
        print(report.text())
    return PASS if report.passed else FAIL


def _only(rows: tuple[Fixture, ...], tags: str) -> tuple[Fixture, ...]:
    wanted = list(dict.fromkeys(tag.strip() for tag in tags.split(",")))
    known = {row.tag: row for row in rows}
    for tag in wanted:
        if tag not in known:
            raise InputError(
                f"--only: no row {tag!r:.60}, expected some of {', '.join(known):.200}"
            )
    return tuple(known[tag] for tag in wanted)


# -- claimlab start ------------------------------------------------------------------------------


def _add_start(commands: Any) -> None:
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


if __name__ == "__main__":
    sys.exit(main())
