"""A reply's ledger: declared claims, clauses that nobody declared, several calls, failed calls."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from claimlab.catalog import NOT_FOUND, exact
from claimlab.courses import courses, lookup_course
from claimlab.errors import InputError
from claimlab.ledger import Ledger, LedgerRun, audit
from claimlab.trace import MAX_REPLY, Reply, ToolCall

LANGUAGE = lookup_course("COMP 4081")
ALGORITHMS = lookup_course("COMP 3170")


def call(code: str, result: Any = None, **more: Any) -> ToolCall:
    """A lookup; its result is what the course's own catalog says unless one is given."""
    found = lookup_course(code) if result is None else result
    return ToolCall("lookup_course", {"code": code}, found, **more)


def lines(ledger: Ledger) -> list[tuple[str, str, str]]:
    """What a ledger says: where each claim stands, its source, its words."""
    return [(e.origin, e.finding.source, e.claim) for e in ledger.entries]


# -- declared, text, both ------------------------------------------------------------------------

MIXED = Reply(
    "COMP 4081 is listed for Fall. Its lab is on Friday.",
    (call("COMP 4081"),),
    ("COMP 4081 is listed for Fall",),
)


def test_declared_claims_alone_hide_the_guess_in_clause_two() -> None:
    ledger = audit(MIXED, claims="declared")
    assert lines(ledger) == [("declared", "TOOL", "COMP 4081 is listed for Fall")]
    assert ledger.passed


def test_both_judges_what_nobody_declared() -> None:
    ledger = audit(MIXED)
    assert lines(ledger) == [
        ("declared", "TOOL", "COMP 4081 is listed for Fall"),
        ("undeclared", "GUESSED", "Its lab is on Friday"),
    ]
    assert not ledger.passed


def test_text_judges_each_clause_of_the_text() -> None:
    ledger = audit(MIXED, claims="text")
    assert lines(ledger) == [
        ("text", "TOOL", "COMP 4081 is listed for Fall"),
        ("text", "GUESSED", "Its lab is on Friday"),
    ]


def test_both_is_the_default() -> None:
    assert audit(MIXED) == audit(MIXED, claims="both")


def test_an_undeclared_clause_has_its_place_and_a_declared_claim_has_none() -> None:
    declared, undeclared = audit(MIXED).entries
    assert declared.span is None
    assert undeclared.span is not None
    place = slice(undeclared.span.start, undeclared.span.end)
    assert MIXED.text[place] == undeclared.claim == "Its lab is on Friday"


def test_an_undeclared_clause_is_called_so_in_the_text() -> None:
    assert "- undeclared: 'Its lab is on Friday' source=GUESSED tool_row={" in audit(MIXED).text()


def test_a_claim_in_other_words_covers_its_clause() -> None:
    reply = Reply(
        "The lab of COMP 4081 is on Wednesday.",
        (call("COMP 4081"),),
        ("COMP 4081 lab: Wednesday",),
    )
    assert [entry.origin for entry in audit(reply).entries] == ["declared"]


def test_a_claim_covers_no_clause_that_says_more() -> None:
    reply = Reply(
        "The lab of COMP 4081 is on Wednesday at 11:00.",
        (call("COMP 4081"),),
        ("The lab of COMP 4081 is on Wednesday",),
    )
    assert [entry.origin for entry in audit(reply).entries] == ["declared", "undeclared"]
    assert not audit(reply).passed


def test_a_denial_covers_no_clause_that_says_the_opposite() -> None:
    reply = Reply("The lab is on Tuesday.", (call("COMP 4081"),), ("The lab is not on Tuesday",))
    assert not audit(reply).passed


def test_a_claim_about_one_course_covers_no_clause_about_another() -> None:
    reply = Reply(
        "COMP 3170 is offered in Fall. The lab is on Wednesday.",
        (call("COMP 4081"), call("COMP 3170")),
        ("COMP 3170 is offered in Fall", "The lab of COMP 4081 is on Wednesday"),
    )
    assert not audit(reply).passed


def test_an_unknown_choice_of_claims_is_refused() -> None:
    with pytest.raises(InputError, match="declared, text, both, got 'all'"):
        audit(MIXED, claims="all")


# -- calls ---------------------------------------------------------------------------------------


def test_without_a_call_everything_is_guessed() -> None:
    reply = Reply("COMP 4081 is listed for Fall.", (), ("COMP 4081 is listed for Fall",))
    (entry,) = audit(reply).entries
    assert (entry.finding.kind, entry.row) == ("no_call", None)


def test_each_claim_is_judged_by_the_row_that_it_names() -> None:
    right = "COMP 4081 has a Wednesday lab"
    wrong = "COMP 3170 has a Wednesday lab"
    calls = (call("COMP 3170"), call("COMP 4081"))
    ledger = audit(Reply("", calls, (right, wrong)))
    assert [e.finding.source for e in ledger.entries] == ["TOOL", "GUESSED"]
    assert [e.row for e in ledger.entries] == [LANGUAGE, ALGORITHMS]


def test_a_clause_goes_on_about_the_course_that_was_named_last() -> None:
    calls = (call("COMP 4081"), call("COMP 3170"))
    right = Reply("COMP 4081 is NLP. The lab is on Wednesday.", calls)
    wrong = Reply("COMP 3170 is Analysis of Algorithms. The lab is on Wednesday.", calls)
    assert audit(right).passed
    assert not audit(wrong).passed


def test_a_call_for_another_course_backs_nothing() -> None:
    reply = Reply("COMP 4081 has a Wednesday lab.", (call("COMP 3170"),))
    assert not audit(reply).passed


def test_a_list_of_rows_is_several_lookups() -> None:
    found = ToolCall("search", {"term": "Fall"}, [LANGUAGE, ALGORITHMS])
    reply = Reply("COMP 4081 has a Wednesday lab. COMP 3170 is offered in Fall.", (found,))
    assert audit(reply).passed


def test_an_empty_list_of_rows_is_a_miss() -> None:
    found = ToolCall("search", {"code": "COMP 9999"}, [])
    assert audit(Reply("I could not find that course.", (found,))).passed
    assert not audit(Reply("The lab is on Tuesday.", (found,))).passed


def test_a_failed_call_backs_nothing_not_even_a_miss() -> None:
    failed = call("COMP 4081", LANGUAGE, ok=False)
    for text in ("COMP 4081 has a Wednesday lab.", "I could not find that course."):
        (entry,) = audit(Reply(text, (failed,))).entries
        assert (entry.finding.source, entry.finding.kind) == ("GUESSED", "missed")
        assert entry.finding.reason.startswith("the call failed")


def test_a_failed_call_is_made_good_by_a_second_one() -> None:
    failed = call("COMP 4081", "Error: timeout", ok=False)
    reply = Reply("COMP 4081 has a Wednesday lab.", (failed, call("COMP 4081")))
    assert audit(reply).passed


@pytest.mark.parametrize("result", [NOT_FOUND, None, "NOT_FOUND"])
def test_a_miss_is_told_in_three_ways(result: Any) -> None:
    missed = ToolCall("lookup_course", {"code": "COMP 9999"}, result)
    (entry,) = audit(Reply("I could not find that course.", (missed,))).entries
    assert (entry.finding.kind, entry.row) == ("supported", NOT_FOUND)


def test_a_miss_speaks_of_the_key_that_was_sent() -> None:
    missed = call("COMP 9999", NOT_FOUND)
    assert audit(Reply("COMP 9999 was not found.", (missed,))).passed
    assert not audit(Reply("COMP 3170 was not found.", (missed,))).passed


def test_a_miss_of_another_spelling_is_no_evidence_that_the_course_is_missing() -> None:
    """Two spellings made two universes: the second one is empty."""
    strict = replace(courses(), normalise=exact)
    missed = ToolCall("lookup_course", {"code": "COMP3170"}, strict.lookup("COMP3170"))
    reply = Reply("I could not find that course.", (missed,))
    assert audit(reply).passed
    (entry,) = audit(reply, catalog=strict).entries
    assert entry.finding.source == "GUESSED"
    assert "'COMP 3170'" in entry.finding.reason


@pytest.mark.parametrize("result", ["some text", 5, True, [5], [["code", "A 1"]]])
def test_a_result_that_is_no_row_is_refused(result: Any) -> None:
    reply = Reply("The lab is on Tuesday.", (ToolCall("lookup_course", {}, result),))
    with pytest.raises(InputError, match=r"^call lookup_course: expected a row"):
        audit(reply)


# -- the verdict ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claims", "result"),
    [
        (["COMP 4081 has a Wednesday lab"], "RESULT: PASS"),
        (["COMP 4081 has a Friday lab"], "RESULT: FAIL (unbacked claim)"),
        (["a Friday lab", "a Monday lab"], "RESULT: FAIL (2 unbacked claims)"),
        (["COMP 4081 has a Wednesday lab", "it is easy"], "RESULT: FAIL (unbacked claim)"),
        ([], "RESULT: PASS (nothing claimed)"),
    ],
)
def test_one_guessed_claim_fails_the_run(claims: list[str], result: str) -> None:
    ledger = audit(Reply("Thanks!", (call("COMP 4081"),), claims))
    assert ledger.result() == result
    assert ledger.passed == result.startswith("RESULT: PASS")


def test_one_failing_reply_fails_the_run() -> None:
    good = audit(Reply("COMP 4081 has a Wednesday lab.", (call("COMP 4081"),)))
    bad = audit(Reply("COMP 4081 has a Friday lab.", (call("COMP 4081"),)))
    assert LedgerRun((good, good)).passed
    assert not LedgerRun((good, bad)).passed
    assert LedgerRun((good, bad)).text().endswith('\nSUMMARY ["PASS", "FAIL"]')


# -- records and views ---------------------------------------------------------------------------


def test_records_hold_plain_values_only() -> None:
    run = LedgerRun((audit(MIXED, question="Which day?"),))
    assert json.loads(json.dumps(run.to_records())) == run.to_records()
    first, second = run.to_records()
    assert first["reply"] == second["reply"] == 1
    assert first["question"] == "Which day?"
    assert (first["start"], second["start"]) == (None, MIXED.text.index("Its"))
    assert first["tool_row"] == dict(LANGUAGE)  # type: ignore[arg-type]


def test_json_has_a_schema_version_and_the_verdict() -> None:
    document = json.loads(audit(MIXED).to_json())
    assert document["schema_version"] == 1
    assert document["report"] == "ledger"
    assert document["passed"] is False
    assert len(document["rows"]) == 2


def test_json_tells_as_text_what_json_cannot_say() -> None:
    row = {"code": "COMP 4081", "lab": float("nan"), "weight": [float("inf"), {1: 2}]}
    ledger = audit(Reply("", (call("COMP 4081", row),), ("the lab is on Tuesday",)))

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    (told,) = json.loads(ledger.to_json(), parse_constant=refuse)["rows"]
    assert told["tool_row"] == {"code": "COMP 4081", "lab": "nan", "weight": ["inf", {"1": 2}]}


def test_the_html_view_escapes_what_a_reply_says() -> None:
    html = audit(Reply("<script>alert(1)</script> is on Tuesday", ()))._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "RESULT: FAIL" in html
    assert 'dir="auto"' in html


def test_a_frame_has_a_line_a_claim() -> None:
    pytest.importorskip("pandas")
    assert list(audit(MIXED).to_frame()["source"]) == ["TOOL", "GUESSED"]


# -- what is no reply ----------------------------------------------------------------------------


@pytest.mark.parametrize("text", [None, 5, b"Yes", ["Yes"]])
def test_a_reply_that_is_no_text_is_refused(text: Any) -> None:
    with pytest.raises(InputError, match=r"^reply: expected text, got "):
        Reply(text)


def test_a_reply_may_have_a_hundred_thousand_characters_and_not_one_more() -> None:
    assert Reply("x" * MAX_REPLY).text
    with pytest.raises(InputError, match=r"^reply: 100,001 characters, expected at most 100,000$"):
        Reply("x" * (MAX_REPLY + 1))


@pytest.mark.parametrize("claims", [[5], [None], ["right", b"wrong"]])
def test_a_declared_claim_that_is_no_text_is_refused(claims: Any) -> None:
    with pytest.raises(InputError, match=r"^claim: expected text, got "):
        Reply("Yes.", (call("COMP 4081"),), claims)


def test_one_text_is_no_list_of_claims() -> None:
    with pytest.raises(InputError, match=r"^claims: expected a list of texts"):
        Reply("Yes.", (), "COMP 4081 has a Wednesday lab")


def test_a_call_that_is_no_tool_call_is_refused() -> None:
    with pytest.raises(InputError, match=r"^calls: expected tool calls"):
        Reply("Yes.", ({"name": "lookup_course"},))  # type: ignore[arg-type]


def test_a_heading_with_code_and_title_is_backed() -> None:
    reply = Reply("**COMP 4081 – NLP**\n- Lab: Wednesday at 10:00", (call("COMP 4081"),))
    assert audit(reply).passed
