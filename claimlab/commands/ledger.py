"""``claimlab ledger``: lab 1."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from claimlab.catalog import NORMALISERS, Catalog
from claimlab.commands.common import FAIL, PASS, print_json, progress, say
from claimlab.courses import courses
from claimlab.errors import InputError
from claimlab.files import read_records, read_toml
from claimlab.ledger import JUDGES, Ledger, LedgerRun, audit, audit_turns
from claimlab.models import StubModel, documented_run, documented_runs
from claimlab.report import one_line
from claimlab.trace import code_sent, reply_from_record


def add(commands: Any) -> None:
    """Add ``ledger`` to the command."""
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
        print_json(report)
    else:
        print(report.text(arguments.reasons))
        if isinstance(report, Ledger):
            print()
    return PASS if report.passed else FAIL


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
        say(f"note: {note}")
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
    for record in progress(records, "replies"):
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
