"""Four cells, coverage and risk; how each answerer and a recorded model are marked."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_bad_input import write

from claimlab.abstention import Cells, Mark, cells_table, count_cells, share
from claimlab.answerers import (
    ANSWERERS,
    Label,
    always_abstain,
    always_answer,
    cells_of,
    complete_by_rule,
    judge_output,
    names_what_is_missing,
    read_labels,
    recorded_labels,
    score_recorded,
    supported_by_rule,
    template_only,
)
from claimlab.errors import InputError
from claimlab.generator import generation_cases, packet_hash, validate_response
from claimlab.handbook import handbook
from claimlab.recordings import Completion, read_recording
from claimlab.templates import templates_baseline

CASES = generation_cases()
RENEW = CASES["q-renew.with"]
SENTENCES = handbook()["renewals-v1"].text.split("\n")


def answer(*claims: str, cites: tuple[str, ...] = ("renewals-v1",), **more: str) -> dict[str, Any]:
    return {
        "status": more.get("status", "answered"),
        "claims": list(claims),
        "citation_ids": list(cites),
        "missing": more.get("missing", ""),
    }


# -- the cells -----------------------------------------------------------------------------------


def test_each_mark_has_one_cell() -> None:
    found = {
        (answerable, answered, right): Mark("x", answerable, answered, right).cell
        for answerable, answered, right in product(
            (True, False), (True, False, None), (True, False)
        )
    }
    assert found == {
        (True, True, True): "right_answer",
        (True, True, False): "wrong_answer",
        (False, True, True): "wrong_answer",  # nothing establishes it
        (False, True, False): "wrong_answer",
        (True, False, True): "needless_abstention",
        (True, False, False): "needless_abstention",
        (False, False, True): "right_abstention",
        (False, False, False): "right_abstention",
        (True, None, True): "unusable",
        (True, None, False): "unusable",
        (False, None, True): "unusable",
        (False, None, False): "unusable",
    }


def test_nothing_of_nothing_is_no_rate() -> None:
    assert (Cells().coverage, Cells().risk) == (None, None)
    silent = Cells(right_abstention=3, needless_abstention=2)
    assert (silent.coverage, silent.risk) == (0.0, None)
    assert (Cells(right_answer=3).risk, Cells(wrong_answer=3).risk) == (0.0, 1.0)
    assert share(0, 0) == "0 of 0, none"


marks = st.builds(
    Mark,
    st.just("x"),
    st.booleans(),
    st.sampled_from([True, False, None]),
    st.booleans(),
    st.booleans(),
)


@given(st.lists(marks))
def test_every_mark_is_counted_once(chosen: list[Mark]) -> None:
    cells = count_cells(chosen)
    assert cells.total == len(chosen)
    assert cells.answered == sum(mark.answered is True for mark in chosen)
    assert cells.reasons <= cells.abstained
    assert (cells.risk is None) == (cells.answered == 0)


@given(st.lists(marks, min_size=1))
def test_one_more_wrong_answer_never_lowers_the_risk(chosen: list[Mark]) -> None:
    before, after = count_cells(chosen), count_cells([*chosen, Mark("y", True, True, False)])
    assert after.risk is not None
    assert after.risk >= (before.risk or 0.0)


def test_the_table_says_none_where_there_is_no_rate() -> None:
    table = cells_table({"silent": Cells(0, 0, 3, 2)})
    assert "0 of 0, none" in table
    assert "0 of 5, 0 %" in table


# -- the answerers -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ANSWERERS)
def test_an_answerer_keeps_to_the_schema(name: str) -> None:
    for case in CASES.values():
        checked = validate_response(ANSWERERS[name](case), case.request)
        assert not {"malformed_output", "over_long", "missing_reason"} & set(checked.kinds)


def test_the_silent_and_the_loud() -> None:
    answerable = sum(case.answerable for case in CASES.values())
    silent, loud = cells_of(always_abstain), cells_of(always_answer)
    assert silent == Cells(0, 0, len(CASES) - answerable, answerable)
    assert silent.risk is None
    assert (loud.coverage, loud.abstained) == (1.0, 0)
    assert loud.risk is not None
    assert loud.risk > 0.5


def test_templates_answer_what_they_cover_and_nothing_else() -> None:
    cells = cells_of(template_only)
    covered = [
        case
        for case in CASES.values()
        if case.question.id in templates_baseline() and case.packet_kind != "without"
    ]
    assert (cells.right_answer, cells.wrong_answer) == (len(covered), 0)


def test_a_template_that_lost_a_condition_is_marked_wrong() -> None:
    """The mark can fail: a reviewed answer counts as supported, and never as complete unread."""
    reviewed = Label("x", True, None, "")
    output = answer("The supplied policy permits one seven-day renewal.")
    assert judge_output("x", RENEW, output, reviewed).mark.cell == "wrong_answer"
    kept = answer(templates_baseline()["q-renew"].claim)
    assert judge_output("x", RENEW, kept, reviewed).mark.cell == "right_answer"


# -- what a rule decides -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("response", "supported"),
    [
        (answer(*SENTENCES), True),
        (answer(" ".join(SENTENCES)), True),
        (answer(SENTENCES[0].upper().rstrip(".")), True),
        (answer(SENTENCES[0], SENTENCES[1]), True),
        (answer(*SENTENCES, cites=()), False),
        (answer(*SENTENCES, cites=("renewals-v7",)), False),
        (answer(*SENTENCES, cites=("renewals-v0",)), False),  # not in this packet
        (answer("A member may renew a borrowed book once, for 14 days."), False),
        (answer(SENTENCES[0], "It costs 3 euros."), False),
        (answer("A member may renew a borrowed book"), None),  # half a sentence may lie
        (answer("Renewal is refused when another member has placed a hold"), None),
        (answer(SENTENCES[0], cites=("loans-v1",)), False),  # no "seven" there
        (answer("Members may renew books.", cites=("loans-v1",)), None),
        (answer("One renewal is possible."), None),
    ],
)
def test_support_by_rule(response: dict[str, Any], supported: bool | None) -> None:
    assert supported_by_rule(RENEW, response) is supported


@pytest.mark.parametrize(
    ("case", "response", "complete"),
    [
        ("q-renew.with", answer(*SENTENCES), True),
        ("q-renew.with", answer(*SENTENCES, cites=("loans-v1",)), False),
        ("q-renew.with", answer(*SENTENCES, cites=()), False),
        ("q-renew.with", answer(SENTENCES[0]), None),
        ("q-renew-by-phone.with", answer(SENTENCES[0]), False),  # silent about the second half
        ("q-renew-by-phone.with", answer(SENTENCES[0], missing="nothing about telephone"), True),
        ("q-renew-by-phone.with", answer(SENTENCES[0], missing="no idea"), None),
        ("q-laptop.with", answer("No laptops.", cites=("loans-v1",)), False),
    ],
)
def test_completeness_by_rule(case: str, response: dict[str, Any], complete: bool | None) -> None:
    assert complete_by_rule(CASES[case], response) is complete


def test_an_abstention_names_its_subject_or_does_not() -> None:
    case = CASES["q-laptop.with"]
    for missing, named in (("no laptop policy", True), ("an answer", False), ("", False)):
        response = answer(status="insufficient_evidence", missing=missing, cites=())
        assert names_what_is_missing(case, response) is named


# -- a recording ---------------------------------------------------------------------------------


def completion(name: str, request: object, output: object) -> Completion:
    text = output if isinstance(output, str) else json.dumps(output)
    return Completion(name, text, 7, 1.0, "ok", 0.0, 0, "", about={"request_id": request})


SILENT = answer(status="insufficient_evidence", missing="nothing about laptops", cites=())
RECORDED = [
    completion("a", "q-renew.with", answer(*SENTENCES)),  # right
    completion("b", "q-renew.without", answer(*SENTENCES)),  # cites what is not there
    completion("c", "q-laptop.with", SILENT),  # right abstention, reason named
    completion("d", "q-renew.with", SILENT),  # needless, reason not named
    completion("e", "q-renew.with", '{"status": "answered", "claims": ["A mem'),  # cut off
    completion("f", "q-renew.with", answer(SENTENCES[0])),  # lost the hold: takes a reader
]
LABELS = {"f": Label("f", None, False, "the hold is gone")}


def test_a_recording_is_counted() -> None:
    score = score_recorded(RECORDED, LABELS)
    assert score.counts() == {
        "well-formed": (5, 6),
        "cited": (2, 3),
        "supported": (2, 3),
        "complete": (1, 3),
    }
    assert score.cells == Cells(1, 2, 1, 1, 1, reasons=1)
    assert score.text().split("\n")[0] == "well-formed  5 of 6, 83 %"
    assert [row["cell"] for row in score.to_records()] == [
        "right_answer",
        "wrong_answer",
        "right_abstention",
        "needless_abstention",
        "unusable",
        "wrong_answer",
    ]
    assert not score.passed
    assert score_recorded([RECORDED[0], RECORDED[2]], {}).passed
    assert not score_recorded([], {}).passed


def test_a_label_decides_only_what_no_rule_decides() -> None:
    generous = {name: Label(name, True, True, "x") for name in "bf"}
    score = score_recorded(RECORDED, generous)
    assert {row["id"]: row["cell"] for row in score.to_records()}["b"] == "wrong_answer"
    assert {row["id"]: row["cell"] for row in score.to_records()}["f"] == "right_answer"


def test_nothing_is_counted_that_nobody_decided() -> None:
    with pytest.raises(InputError, match=r"completion 'f': takes a reader, and there is no label"):
        score_recorded(RECORDED, {})


@pytest.mark.parametrize("request_id", ["q-x.with", None, 5, ["q-renew.with"]])
def test_a_completion_of_no_request_is_refused(request_id: object) -> None:
    with pytest.raises(InputError, match=r"^completion 'a': field 'request_id': there is no requ"):
        score_recorded([completion("a", request_id, "{}")], {})


@given(st.sampled_from(sorted(CASES)), st.text(max_size=60))
def test_whatever_a_model_wrote_is_scored(name: str, text: str) -> None:
    (row,) = score_recorded([completion("x", name, text)], {}).to_records()
    assert row["cell"] == "unusable"


def test_labels_are_read_and_checked(tmp_path: Path) -> None:
    good = {"id": "a", "supported": None, "complete": False, "reason": "the hold is gone"}
    path = write(tmp_path, "l.jsonl", json.dumps(good))
    assert read_labels(path) == {"a": Label("a", None, False, "the hold is gone")}
    for change, said in (
        ({"supported": 1}, "field 'supported': expected true, false or null, got 1"),
        ({"complete": "no"}, "field 'complete': expected true, false or null, got 'no'"),
        ({"reason": ""}, "field 'reason': expected text, got nothing but space"),
        ({"more": 1}, "field 'more' is not one of id, supported, complete, reason"),
    ):
        path = write(tmp_path, "l.jsonl", json.dumps(good | change))
        with pytest.raises(InputError, match=rf"line 1: {said}"):
            read_labels(path)
    path = write(tmp_path, "l.jsonl", f"{json.dumps(good)}\n" * 2)
    with pytest.raises(InputError, match="line 2: id 'a' is given twice"):
        read_labels(path)


# -- the recording of the course -----------------------------------------------------------------


def test_the_recording_answers_these_requests_and_each_answer_was_decided() -> None:
    recording = read_recording("templates")
    score = score_recorded(recording)
    assert [one.case.id for one in score.judged] == list(CASES)
    for completion in recording:
        case = CASES[completion.about["request_id"]]
        assert completion.about["packet_sha256"] == packet_hash(case.request)


def test_each_label_is_of_a_recorded_answer_that_cites_its_packet() -> None:
    """Where nothing of the packet is cited a rule decides; a reader was asked about the rest."""
    cites = {
        one.id
        for one in score_recorded(read_recording("templates")).judged
        if one.response and {s.id for s in one.case.packet} & set(one.response["citation_ids"])
    }
    assert set(recorded_labels()) == cites


def test_rules_and_reader_disagree_on_one_answer_alone() -> None:
    """It names two books and the missing films, so the rule calls it complete. The reader did not.

    The claim invents Mondays, so it is not supported either way. The label stays as it was written.
    """
    different = []
    for one in score_recorded(read_recording("templates")).judged:
        label = recorded_labels().get(one.id)
        if label is not None and one.response is not None:
            rules = (
                supported_by_rule(one.case, one.response),
                complete_by_rule(one.case, one.response),
            )
            read = label.supported, label.complete
            if any(a is not None and a != b for a, b in zip(rules, read, strict=True)):
                different.append(one.case.id)
    assert different == ["q-guest-books-and-films.beside"]
