"""No text takes more than linear time: long claims, long replies, and what makes patterns stumble.

The limits are about ten times what a slow machine needs; quadratic time misses them by far. What
is measured is the time of this process, so that a busy machine is no failure.
"""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time

import pytest

from claimlab.catalog import normalise_code
from claimlab.clauses import assertions, split_claims
from claimlab.cli import main
from claimlab.ledger import JUDGES, MAX_CLAIM, audit, judge_claim
from claimlab.mentions import clean, mentions
from claimlab.models import StubModel
from claimlab.report import one_line
from claimlab.tokens import codes
from claimlab.trace import MAX_REPLY, Reply, ToolCall

pytestmark = pytest.mark.slow

ROW = {
    "code": "COMP 4081",
    "term": "Fall",
    "title": "NLP",
    "lab": "Wednesday 10:00",
    "credits": 3,
    "open_seats": 42,
    "room": "E2-110",
}
CLAIM = 50_000
PART = 16_000
"""Of texts that are read to their end; a pattern of quadratic time takes seconds for it."""
RUNS = [
    *"a A 1 . , - _ : ; ' \" ( ) / ~ < # * | ? ! …".split(" "),
    *"é \u0300 \ufdfa \u200f \u2028 \x00 \ud800 \U0001f600 ¼ ﬃ ǆ º ㏂ \u0644\u0627".split(" "),
    *"COMP COMP- ab12 M MT TuTh Mon- T/ 1: 10:00 1- 0. 1,1 a.m p. n't 's '20 e.g.".split(" "),
    *"x. x; x, x: 1. 1) - * >".split(" "),
    " ",
    "\t",
    "\n",
    "\u00a0",
    "\x1f",
]
WORDS = [
    "COMP 4081 ",
    "half past one ",
    "in the morning ",
    "one to two ",
    "not ",
    "under ",
    "forty ",
    "fall 2026 ",
    "Mon - ",
    "lab on Wednesday, no lab listed, ",
    "Yes. ",
    "Let me know, ",
    "if ",
    "as opposed to ",
    "lab   and   ",
    "at 1 ",
    "NLP ",
    ", and ",
]


def texts(length: int) -> dict[str, str]:
    """Long texts of one run, the run with a letter after it, and with one before it."""
    found = {}
    for part in (*RUNS, *WORDS):
        run = (part * length)[:length]
        found[repr(part)] = run
        found[f"{part!r} then x"] = run[:-1] + "x"
    return found


def seconds(act: object, *arguments: object) -> float:
    assert callable(act)
    start = process_time()
    act(*arguments)
    return process_time() - start


LONG = texts(CLAIM)


@pytest.mark.parametrize("what", LONG)
def test_reading_a_long_text_takes_linear_time(what: str) -> None:
    text = LONG[what]
    part = text[-PART:]
    row = {"code": "COMP 4081", "lab": text, text[:2000]: "Monday"}
    for judge in JUDGES:
        assert seconds(judge_claim, text, ROW, judge) < 1, judge
    assert seconds(judge_claim, "the lab is on Wednesday at 2pm", row) < 1
    for act in (normalise_code, one_line, codes, split_claims, assertions, StubModel().reply):
        assert seconds(act, part) < 1.5, act
    assert seconds(lambda: mentions(clean(part))) < 3


@pytest.mark.parametrize("part", [*RUNS, *WORDS])
def test_the_longest_claim_that_is_read_takes_no_time_to_speak_of(part: str) -> None:
    claim = (part * MAX_CLAIM)[:MAX_CLAIM]
    for judge in ("field", "closed"):
        assert seconds(judge_claim, claim, ROW, judge) < 2


def test_a_claim_of_fifty_thousand_characters_without_a_space_is_answered_at_once() -> None:
    found = judge_claim("x" * CLAIM, ROW)
    assert (found.source, found.kind) == ("GUESSED", "unsupported")
    assert found.reason == "50,000 characters are no single claim"
    assert seconds(judge_claim, "x" * CLAIM, ROW) < 0.5


def test_a_claim_is_read_up_to_a_length_and_not_one_character_more() -> None:
    claim = "the lab is on Wednesday" + " " * (MAX_CLAIM - 23)
    assert len(claim) == MAX_CLAIM
    assert judge_claim(claim, ROW).source == "TOOL"
    assert judge_claim(claim + " ", ROW).source == "GUESSED"


@pytest.mark.slow
@pytest.mark.parametrize("part", ["x", " ", ". ", "The lab is on Wednesday. ", "lab, ", ".", "\n"])
def test_the_longest_reply_is_judged_in_linear_time(part: str) -> None:
    call = ToolCall("lookup_course", {"code": "COMP 4081"}, ROW)

    def spent(length: int) -> float:
        text = (part * length)[:length]
        return seconds(audit, Reply(text, (call,), ("COMP 4081 has a Wednesday lab",)))

    short, long = spent(MAX_REPLY // 8), spent(MAX_REPLY)
    assert long < 2 or long < 24 * short  # eight times as long


def test_a_long_reply_goes_through_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"text": "x" * MAX_REPLY}), encoding="utf-8")
    assert seconds(main, ["ledger", "--replies", str(path)]) < 5
    assert capsys.readouterr().out.endswith('SUMMARY ["FAIL"]\n')
