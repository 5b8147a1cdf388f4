"""The recordings that come with the course: complete, of these prompts, and told as they are."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimlab.answers import HINTS, LABELS, answers, ledger_against_labels, rule, share
from claimlab.files import read_records
from claimlab.intervals import share_by_rows
from claimlab.recording_plans import (
    ORDERS,
    PLANS,
    PROMPTS,
    card,
    plan,
    planted,
    recorded_rows,
    wrong_values,
)
from claimlab.recordings import RECORDINGS, read_recording
from claimlab.self_grades import Graded, auc, graded, run_claims

ROW = re.compile(r"^\| `(\w+)\.jsonl` \| ([\d,]+) \|", re.M)


@pytest.mark.parametrize("name", PLANS)
def test_a_recording_is_of_the_prompts_that_the_plan_has_now(name: str) -> None:
    recording, prompts = read_recording(name), plan(name)
    made = card(name, prompts, recording.card["model"], recording.card["runtime"])
    assert json.loads(json.dumps(made)) == recording.card
    assert [line.id for line in recording] == [prompt.id for prompt in prompts]
    assert [line.sha256 for line in recording] == [prompt.sha256 for prompt in prompts]
    assert {line.outcome for line in recording} <= {"ok", "cut_off"}


@pytest.mark.parametrize("name", PLANS)
def test_a_card_names_model_licence_and_runtime(name: str) -> None:
    told = read_recording(name).card
    assert len(told["model"]["sha256"]) == 64
    assert "Gemma Terms of Use" in told["model"]["licence"]
    assert told["runtime"]["version"]
    assert told["prompt_format"] == plan(name)[0].text


def test_rows_questions_and_settings_are_as_many_as_they_should_be() -> None:
    recording = read_recording("courses")
    assert len(recording) >= 300
    assert len({line.about["code"] for line in recording}) >= 23
    assert {line.temperature for line in recording} == {0.0, 0.5, 1.0}
    drawn = [line.seed for line in recording if line.temperature]
    assert len(set(drawn)) == len(drawn)
    rows = recorded_rows()
    assert 10 <= sum(row["lab"] is None for row in rows) <= len(rows) - 10


def test_the_prompts_do_not_prime_the_lie() -> None:
    example = plan("courses")[0].text.split("\n\nRow: ")[1:-1]
    assert any('"lab": null' in shown for shown in example)
    asked = {row["code"] for row in recorded_rows()}
    assert not [code for code in asked if any(code in shown for shown in example)]


@pytest.mark.parametrize("name", ["grades", "run_grades", "judge"])
def test_graded_examples_are_balanced_and_turn_round(name: str) -> None:
    last = set()
    for prompt in plan(name)[:12]:
        head = prompt.text.splitlines()[:-1]
        asked = prompt.text.splitlines()[-1]
        assert asked.endswith(f", {prompt.about['order']}:")
        words = [line.rsplit(" ", 1)[1] for line in head if line.startswith(f"{asked} ")]
        assert Counter(words) == {"yes": 2, "no": 2}
        last.add((prompt.about["order"], words[-1]))
    assert last == {(ORDERS[0], "yes"), (ORDERS[1], "no")}


def test_a_hint_is_never_what_the_row_says() -> None:
    for row in recorded_rows():
        hints = wrong_values(row)
        assert hints["term"] != row["term"]
        assert hints["day"] not in (row["lab"] or "")
        assert hints["time"] not in (row["lab"] or "")


def test_a_planted_error_is_an_error_by_the_rule() -> None:
    spoilt = 0
    for answer in answers():
        text = planted(answer.row, answer.reply.text) if answer.label == "TOOL" else None
        decided = rule(answer.row, answer.kind, text) if text else None
        if decided is not None:
            spoilt += 1
            assert decided[0] == "GUESSED"
    assert spoilt > 50


# -- labels --------------------------------------------------------------------------------------


def test_every_answer_has_one_label_and_every_label_an_answer_and_a_reason() -> None:
    read = {answer.completion.id for answer in answers() if answer.by == "reading"}
    lines = [record.fields for record in read_records(LABELS)]
    assert sorted(line["id"] for line in lines) == sorted(read)
    assert all(line["reason"] for line in lines)
    assert len(read) >= 60
    for answer in answers():
        assert (answer.repeats is not None) == (answer.kind in HINTS)


@pytest.mark.parametrize("row", recorded_rows(), ids=lambda row: row["code"])
def test_the_rule_follows_the_row(row: dict[str, Any]) -> None:
    wrong = wrong_values(row)
    none, lab = f"No lab is listed for {row['code']}.", f"The {row['code']} lab is on {{}}."
    assert rule(row, "lab", none) == ("GUESSED" if row["lab"] else "TOOL", None)
    assert rule(row, "term", f"{row['code']} is offered in {row['term']}.") == ("TOOL", None)
    assert rule(row, "term_hint", f"{row['code']} is offered in {wrong['term']}.") == (
        "GUESSED",
        True,
    )
    said = f"{wrong['day']} at {wrong['time']}"
    assert rule(row, "heard_hint", lab.format(said)) == ("GUESSED", True)
    if row["lab"]:
        assert rule(row, "heard_hint", lab.format(row["lab"].replace(" ", " at "))) == (
            "TOOL",
            False,
        )
    assert rule(row, "lab", f"Yes. {none}") is None


def test_the_ledger_can_be_wrong_on_these_and_the_polite_judge_is() -> None:
    called, _, field, _ = ledger_against_labels()
    assert called.false_passes == called.guessed
    assert 0 < field.false_passes < called.false_passes / 5


def test_every_claim_about_a_run_has_its_label_and_its_predicate_says_the_same() -> None:
    for claim in run_claims():
        if claim.predicate:
            from claimlab.predicates import Predicate

            held = Predicate.parse(claim.predicate, claim.world.facts).holds(claim.world.facts)
            assert held == claim.right, claim
    labelled = [claim for claim in run_claims() if claim.author == "model"]
    assert {claim.right for claim in labelled} == {True, False}


# -- intervals and AUC ---------------------------------------------------------------------------


def test_where_all_rows_agree_the_interval_is_the_exact_one() -> None:
    none = share_by_rows([[False, False]] * 10)
    assert (none.hits, none.total, none.rows, none.low) == (0, 20, 10, 0.0)
    assert math.isclose(none.high, 1 - 0.025 ** (1 / 10))  # Clopper and Pearson, 0 of 10
    every = share_by_rows([[True]] * 10)
    assert math.isclose(every.low, 0.025 ** (1 / 10))
    assert every.high == 1.0


def test_nothing_of_nothing_is_not_nought() -> None:
    nothing = share_by_rows([])
    assert str(nothing) == "0 of 0"
    assert math.isnan(nothing.value)


def test_answers_of_one_row_are_not_independent() -> None:
    many = share_by_rows([[True] * 50, [False] * 50, [True] * 50, [False] * 50])
    alone = share_by_rows([[True], [False]] * 100)
    assert many.value == alone.value == 0.5
    assert many.high - many.low > 3 * (alone.high - alone.low)


@settings(max_examples=25)
@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=4), min_size=1, max_size=12))
def test_an_interval_lies_around_its_share(rows: list[list[bool]]) -> None:
    found = share_by_rows(rows)
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_shares_count_rows_not_answers() -> None:
    found = share(answers(), lambda answer: answer.label == "TOOL")
    assert (found.total, found.rows) == (567, 27)


def grade(p_yes: float, right: bool) -> Graded:
    import dataclasses

    line = dataclasses.replace(next(iter(read_recording("grades"))), p_yes=p_yes)
    return Graded(line, "row", "lab", "text", "model", "fair", ORDERS[0], right)


def test_auc_by_hand() -> None:
    row = [grade(0.9, True), grade(0.4, True), grade(0.6, False), grade(0.4, False)]
    # pairs: 0.9>0.6, 0.9>0.4, 0.4<0.6, 0.4=0.4 -> 2.5 of 4
    assert auc([row]) == 0.625
    assert auc([[grade(0.9, True)]]) != auc([[grade(0.9, True)]])  # NaN: nothing to compare with


def test_a_flipped_label_moves_the_figures() -> None:
    fair = [g for g in graded() if g.how == "fair" and g.author == "model"]
    import dataclasses

    flipped = [dataclasses.replace(g, right=not g.right) for g in fair]
    assert math.isclose(auc([fair]) + auc([flipped]), 1)


def test_a_document_counts_the_lines_that_there_are() -> None:
    page = (PROMPTS.parents[2] / "docs" / "recordings.md").read_text("utf-8")
    told = {name: int(count.replace(",", "")) for name, count in ROW.findall(page)}
    assert told == {name: len(read_recording(name)) for name in PLANS}


def test_nothing_of_the_weights_is_in_the_project() -> None:
    for path in RECORDINGS.iterdir():
        assert path.suffix == ".jsonl"
        assert path.stat().st_size < 2_000_000
