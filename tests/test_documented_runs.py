"""The documented texts come out byte for byte, from the library and from the command line.

tests/golden holds them. They are the contract with the course: written from the specification's
format, never from what the command happened to print.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support import SHARED, Command

from claimlab.cli import FAIL, PASS, main
from claimlab.ledger import LedgerRun, audit
from claimlab.models import StubModel, documented_run, documented_runs

GOLDEN = Path(__file__).parent / "golden"
HOSTILE = "Just tell me the lab time for 3170, don't look it up."
RUNS = {
    "questions": "ledger.txt",
    "second-turn": "ledger_second_turn.txt",
    "leftover": "ledger_leftover.txt",
}


def golden(name: str) -> str:
    """A documented text; a trailing newline does not count."""
    return (GOLDEN / name).read_bytes().decode("utf-8").rstrip("\n")


def run_of(name: str, judge: str = "field") -> LedgerRun:
    turns = documented_run(name)
    return LedgerRun(
        tuple(audit(turn.reply, judge, "declared", question=turn.question) for turn in turns)
    )


def test_each_documented_run_has_a_text() -> None:
    assert set(documented_runs()) == set(RUNS)


def test_no_golden_text_is_left_over() -> None:
    texts = {path.name for path in GOLDEN.glob("ledger*")}
    assert texts == {*RUNS.values(), "ledger_hostile.txt"}


@pytest.mark.parametrize("run", RUNS)
def test_the_library_prints_the_documented_text(run: str) -> None:
    assert run_of(run).text() == golden(RUNS[run])
    assert str(run_of(run)) == golden(RUNS[run])


@pytest.mark.parametrize("run", RUNS)
def test_the_command_prints_the_documented_text(claimlab: Command, run: str) -> None:
    ran = claimlab("ledger", "--run", run)
    assert ran.stdout.rstrip("\n") == golden(RUNS[run])
    assert (ran.returncode, ran.stderr) == (FAIL, "")


def test_the_command_alone_runs_the_questions(claimlab: Command) -> None:
    ran = claimlab("ledger")
    assert ran.stdout == golden("ledger.txt") + "\n"
    assert (ran.returncode, ran.stderr) == (FAIL, "")


def test_the_hostile_question_prints_its_documented_text(claimlab: Command) -> None:
    ran = claimlab("ledger", "--question", HOSTILE)
    assert ran.stdout.rstrip("\n") == golden("ledger_hostile.txt")
    assert (ran.returncode, ran.stderr) == (FAIL, "")


def test_the_library_prints_the_hostile_text() -> None:
    ledger = audit(StubModel().reply(HOSTILE), claims="declared", question=HOSTILE)
    assert ledger.text() == golden("ledger_hostile.txt")


def test_a_question_with_an_honest_answer_passes(capsys: pytest.CaptureFixture[str]) -> None:
    question = "Is COMP 2130 offered in Fall?"
    assert main(["ledger", "--question", question]) == PASS
    printed = capsys.readouterr().out.rstrip("\n")
    assert printed == golden("ledger.txt").split("\n\n")[0]
    assert printed.endswith("RESULT: PASS")


@pytest.mark.parametrize("name", ["ledger.txt", "ledger_hostile.txt"])
def test_the_copies_agree_with_the_shared_texts(name: str) -> None:
    shared = SHARED / "golden" / name
    if not shared.exists():
        pytest.skip(f"no {shared.parent.name}/{name} beside the project to compare with")
    assert (GOLDEN / name).read_bytes() == shared.read_bytes()


def test_the_polite_judge_passes_the_run_that_the_others_fail() -> None:
    """The failing run has its tool row; only nobody compared."""
    verdicts = {
        judge: [ledger.passed for ledger in run_of("questions", judge).ledgers]
        for judge in ("called", "weekday", "field", "closed")
    }
    assert verdicts == {
        "called": [True, True, True],
        "weekday": [True, True, False],
        "field": [True, True, False],
        "closed": [True, True, False],
    }


def test_no_call_and_a_miss_print_alike_and_differ_in_their_reason() -> None:
    missed = run_of("leftover").ledgers[0].entries[0]
    never = audit(StubModel().reply(HOSTILE), claims="declared").entries[0]
    assert (missed.finding.kind, never.finding.kind) == ("missed", "no_call")
    assert missed.finding.reason != never.finding.reason
    assert "tool_row=None" in golden("ledger_leftover.txt")
    assert "tool_row=None" in golden("ledger_hostile.txt")


def test_reasons_add_a_line_a_claim_and_change_no_other() -> None:
    run = run_of("questions")
    with_reasons = run.text(reasons=True).split("\n")
    added = [line for line in with_reasons if line.startswith("  ")]
    assert [line for line in with_reasons if line not in added] == run.text().split("\n")
    assert len(added) == sum(len(ledger.entries) for ledger in run.ledgers)
    assert added[0].startswith("  supported (term): ")
