"""The ledger over a real dump of 518 course rows, with replies whose verdicts were set beforehand.

The dump lies beside the project and is no part of it: without it these tests are skipped. Each
reply's ``expect`` says what a reader of the row says; it was written before the ledger judged it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import SHARED, Command

from claimlab.catalog import NOT_FOUND, Catalog
from claimlab.files import read_records

DUMP = SHARED / "corpora" / "courses.jsonl"
REPLIES = Path(__file__).parent / "data" / "course_replies.jsonl"
ARGUMENTS = ["ledger", "--catalog", DUMP, "--key", "course_id"]

needs_dump = pytest.mark.skipif(
    not DUMP.exists(), reason="no shared/corpora/courses.jsonl beside the project"
)


def replies() -> list[dict[str, Any]]:
    return [record.fields for record in read_records(REPLIES)]


def test_the_replies_are_many_and_wide_in_kind() -> None:
    assert len(replies()) >= 24
    assert {reply["expect"] for reply in replies()} == {"PASS", "FAIL"}
    assert len({reply["kind"] for reply in replies()}) >= 15
    assert any(len(reply["calls"]) == 2 for reply in replies())
    assert any(not reply["calls"] for reply in replies())
    for reply in replies():
        assert reply["why"]
        assert all("result" not in call for call in reply["calls"])


@needs_dump
def test_the_dump_loads_as_it_is() -> None:
    catalog = Catalog.load(DUMP, "course_id")
    assert len(catalog) == 488
    assert catalog.notes == (f"{DUMP}: 30 rows repeated identically, collapsed",)
    row = catalog.lookup("anth-265")
    assert row is not NOT_FOUND
    assert (row["days"], row["start_time"], row["lab_days"]) == ("TBA", "", None)


@needs_dump
def test_the_command_reads_the_dump_with_one_note(claimlab: Command) -> None:
    ran = claimlab(*ARGUMENTS)
    assert ran.returncode == 0
    assert ran.stdout.startswith("488 rows under 'course_id', with the fields course_id, term, ")
    assert ran.stderr == f"claimlab: note: {DUMP}: 30 rows repeated identically, collapsed\n"


@needs_dump
def test_each_reply_gets_the_verdict_that_a_reader_gave(claimlab: Command) -> None:
    ran = claimlab(*ARGUMENTS, "--replies", REPLIES, "--json")
    assert ran.returncode == 1
    failed = {row["reply"] for row in json.loads(ran.stdout)["rows"] if row["source"] == "GUESSED"}
    wrong = {
        number: (reply["expect"], reply["text"])
        for number, reply in enumerate(replies(), 1)
        if (number in failed) != (reply["expect"] == "FAIL")
    }
    assert wrong == {}


@needs_dump
def test_the_summary_has_a_verdict_a_reply(claimlab: Command) -> None:
    ran = claimlab(*ARGUMENTS, "--replies", REPLIES)
    summary = ran.stdout.rstrip("\n").split("\n")[-1]
    assert summary.startswith("SUMMARY ")
    assert json.loads(summary.removeprefix("SUMMARY ")) == [reply["expect"] for reply in replies()]


@needs_dump
def test_with_another_key_the_missing_field_is_named(claimlab: Command) -> None:
    ran = claimlab("ledger", "--catalog", DUMP)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"claimlab: {DUMP}: line 1: field 'code' is missing, got ")
