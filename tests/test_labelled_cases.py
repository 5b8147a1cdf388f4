"""The labelled cases: well formed, and how often each judge may be wrong on them.

A label says what a careful reader of the row says. It is never changed because a judge disagrees.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from claimlab.cases import Case, Score, disagreements, ledger_cases, score_table, scores
from claimlab.catalog import NOT_FOUND
from claimlab.files import read_records
from claimlab.ledger import JUDGES

ROWS = {"missed": NOT_FOUND, "none": None}
KINDS = set(
    "code term title weekday_set time number negation nothing two_facts spin other_course modal "
    "only no_field restates_question same_value_wrong_field missed_lookup no_lookup plain".split()
)


def cases_of(name: str) -> tuple[Case, ...]:
    return tuple(case for case in ledger_cases() if case.set == name)


def more_cases() -> tuple[Case, ...]:
    """Cases with a label and without a reason, beside those of the course."""
    path = Path(__file__).parent / "data" / "ledger_more_cases.jsonl"
    return tuple(
        Case(
            id=fields["id"],
            set="shown",
            kind=fields["kind"],
            question="",
            row=ROWS.get(fields["lookup"], fields["row"]),
            claim=fields["claim"],
            label=fields["label"],
            reason="",
        )
        for fields in (record.fields for record in read_records(path))
    )


def asked(case: Case) -> tuple[str, str]:
    """What a judge is asked: the claim and the row."""
    return case.claim, repr(case.row)


def unseen() -> tuple[Case, ...]:
    """The fresh cases whose claim and row stand nowhere among those that were looked at."""
    looked_at = {asked(case) for case in (*cases_of("shown"), *more_cases())}
    return tuple(case for case in cases_of("fresh") if asked(case) not in looked_at)


def score_of(judge: str, cases: tuple[Case, ...]) -> Score:
    return next(score for score in scores(cases) if score.judge == judge)


# -- the data ------------------------------------------------------------------------------------


def test_there_are_enough_cases_with_both_labels_in_both_sets() -> None:
    assert len(ledger_cases()) >= 150
    assert {case.set for case in ledger_cases()} == {"shown", "fresh"}
    for name in ("shown", "fresh"):
        labels = Counter(case.label for case in cases_of(name))
        assert set(labels) == {"TOOL", "GUESSED"}
        assert min(labels.values()) >= 0.3 * labels.total()


def test_every_kind_of_claim_has_cases_and_most_have_both_labels() -> None:
    labels: dict[str, set[str]] = {}
    for case in ledger_cases():
        labels.setdefault(case.kind, set()).add(case.label)
    assert set(labels) == KINDS
    one_sided = {kind for kind, found in labels.items() if len(found) < 2}
    assert one_sided <= {"no_lookup", "modal", "spin", "no_field", "restates_question"} | {
        "other_course",
        "same_value_wrong_field",
    }


def test_each_case_is_one_case_with_its_reason() -> None:
    ids = [case.id for case in ledger_cases()]
    assert len(set(ids)) == len(ids)
    for case in ledger_cases():
        assert re.fullmatch(r"[a-z]\d{3}", case.id)
        assert case.claim.strip()
        assert case.question.strip()
        assert 10 <= len(case.reason) <= 200, case.id
        assert "\n" not in case.reason
    for name in ("shown", "fresh"):
        pairs = Counter(map(asked, cases_of(name)))
        assert pairs.most_common(1)[0][1] == 1


def test_the_same_claim_over_the_same_row_has_one_label_everywhere() -> None:
    labels: dict[tuple[str, str], set[str]] = {}
    for case in (*ledger_cases(), *more_cases()):
        labels.setdefault(asked(case), set()).add(case.label)
    assert {len(found) for found in labels.values()} == {1}


def test_without_a_lookup_every_label_is_guessed() -> None:
    blind = [case for case in (*ledger_cases(), *more_cases()) if case.row is None]
    assert len(blind) >= 10
    assert {case.label for case in blind} == {"GUESSED"}


def test_a_missed_lookup_has_both_labels() -> None:
    missed = [case for case in ledger_cases() if case.row is NOT_FOUND]
    assert {case.label for case in missed} == {"TOOL", "GUESSED"}


# -- the judges ----------------------------------------------------------------------------------


def test_field_is_right_on_nearly_all_cases_that_were_shown() -> None:
    assert score_of("field", cases_of("shown")).right >= 0.97


def test_field_is_right_on_nearly_all_further_cases() -> None:
    assert score_of("field", more_cases()).right >= 0.97


def test_field_is_right_on_most_cases_that_nobody_looked_at() -> None:
    assert len(unseen()) >= 100
    assert score_of("field", cases_of("fresh")).right >= 0.92
    assert score_of("field", unseen()).right >= 0.92


def test_closed_lets_fewer_guesses_pass_than_field() -> None:
    every = (*ledger_cases(), *more_cases())
    field, closed = score_of("field", every), score_of("closed", every)
    assert closed.false_passes <= field.false_passes
    assert closed.right >= 0.92


def test_the_polite_judges_are_wrong_so_that_there_are_stairs_to_walk() -> None:
    for name in ("shown", "fresh"):
        found = {score.judge: score for score in scores(cases_of(name))}
        assert list(found) == list(JUDGES)
        called, weekday, field = found["called"], found["weekday"], found["field"]
        looked_up = sum(c.label == "GUESSED" and c.row is not None for c in cases_of(name))
        assert called.false_passes == looked_up, "called passes whatever was looked up"
        assert called.false_fails == 0
        assert called.false_passes > weekday.false_passes > field.false_passes
        assert weekday.false_fails > 0, "an honest miss and a denied weekday fail there"


def test_a_score_counts_its_disagreements() -> None:
    cases = cases_of("shown")
    for score in scores(cases):
        wrong = Counter(case.label for case, _ in disagreements(score.judge, cases))
        assert (score.false_passes, score.false_fails) == (wrong["GUESSED"], wrong["TOOL"])
        assert score.guessed + score.tool == len(cases)
        assert score.right == pytest.approx(1 - wrong.total() / len(cases))


def test_the_table_shows_each_judge_with_its_counts() -> None:
    table = score_table([Score("field", 2, 93, 0, 77), Score("closed", 0, 93, 1, 77)]).split("\n")
    assert [line.split() for line in table] == [
        ["judge", "false", "passes", "false", "fails", "right"],
        ["field", "2", "of", "93", "0", "of", "77", "98.8%"],
        ["closed", "0", "of", "93", "1", "of", "77", "99.4%"],
    ]
