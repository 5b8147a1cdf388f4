"""Small claims: two answers each, compared with the key; and the files that hold the questions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_bad_input import write

from claimlab.claim_review import review_claims, small_claims, to_review
from claimlab.errors import InputError
from claimlab.handbook import handbook, question, read_questions

KEY = {name: claim.key for name, claim in small_claims().items()}


def test_the_key_alone_passes_and_each_wrong_answer_is_noticed() -> None:
    assert review_claims(KEY).passed
    for name, (established, complete) in KEY.items():
        for wrong in ((not established, complete), (established, not complete), (None, complete)):
            assert not review_claims(KEY | {name: wrong}).passed
    assert not review_claims({}).passed


def test_the_two_questions_are_scored_apart() -> None:
    report = review_claims({"1": (True, True), "2": (True, None)})
    assert report.score().split("\n") == [
        "does an eligible source establish it? 2 answered, 2 as in the key.",
        "does it keep what the question needs? 1 answered, 0 as in the key.",
    ]
    assert "established: you yes  key yes   complete: you yes  key no" in report.text()


@given(
    st.dictionaries(
        st.sampled_from(sorted(KEY)),
        st.tuples(*[st.sampled_from([True, False, None])] * 2),
    )
)
def test_the_score_counts_what_was_answered(answers: dict[str, Any]) -> None:
    counts = [int(n) for n in re.findall(r"(\d+) answered", review_claims(answers).score())]
    assert counts == [sum(a[place] is not None for a in answers.values()) for place in (0, 1)]


def test_no_key_can_be_had_by_one_answer_to_everything() -> None:
    """All yes, all no, or the same for both questions: none of them is a way through."""
    for same in ((True, True), (False, False), (True, False), (False, True)):
        assert set(KEY.values()) != {same}
    assert set(KEY.values()) == {(True, True), (True, False), (False, True), (False, False)}


def test_the_claims_are_shown_without_their_key() -> None:
    shown = to_review()
    for claim in small_claims().values():
        assert claim.text in shown
        assert claim.reason not in shown


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"99": (True, True)}, "claim '99': expected one of 1, 2, "),
        ({"1": True}, "claim '1': expected (established, complete), each True, False or None"),
        ({"1": (True,)}, "claim '1': expected (established, complete)"),
        ({"1": ("yes", "no")}, "claim '1': expected (established, complete)"),
        ({"1": [True, False]}, "claim '1': expected (established, complete)"),
    ],
)
def test_a_wrong_answer_is_refused(answers: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        review_claims(answers)
    assert str(caught.value).startswith(said)


# -- questions of one's own ----------------------------------------------------------------------

QUESTION = '[[question]]\nid = "q"\ntext = "May I?"\nkind = "answerable"\nsources = ["loans-v1"]\n'
KEEP = 'keep = [{ name = "x", says = ["ten"] }]\n'


def test_a_question_of_ones_own(tmp_path: Path) -> None:
    path = write(tmp_path, "q.toml", QUESTION + KEEP)
    assert read_questions(path, handbook())["q"].sources == ("loans-v1",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (QUESTION, "entry 1 of [[question]]: field 'keep' is missing"),
        (QUESTION.replace("answerable", "easy") + KEEP, "field 'kind': expected one of answerable"),
        (QUESTION.replace("loans-v1", "loans-v9") + KEEP, "field 'sources': there is no source 'l"),
        (QUESTION.replace('["loans-v1"]', '"loans-v1"') + KEEP, "field 'sources': expected a list"),
        (QUESTION.replace('["loans-v1"]', "[5]") + KEEP, "field 'sources': there is no source 5"),
        (QUESTION.replace("answerable", "tricky") + KEEP, "field 'trick' is missing"),
        (QUESTION.replace("answerable", "partial") + KEEP, "field 'missing' is missing"),
        (QUESTION + KEEP + 'trick = "condition"', "field 'trick' does not go with this question"),
        (QUESTION.replace('["loans-v1"]', "[]") + KEEP, "field 'keep' does not go with this"),
        (QUESTION + KEEP + "level = 3", "field 'level' is not one of id, text, kind, sources"),
        ((QUESTION + KEEP) * 2, "id 'q' is given twice"),
        (QUESTION.replace('"May I?"', "5") + KEEP, "field 'text': expected text, got 5"),
    ],
)
def test_a_wrong_question_is_refused(text: str, said: str, tmp_path: Path) -> None:
    path = write(tmp_path, "q.toml", text)
    with pytest.raises(InputError) as caught:
        read_questions(path, handbook())
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{path}: entry ")


def test_a_question_that_is_not_there_is_named() -> None:
    assert question("q-laptop").sources == ()
    with pytest.raises(InputError, match=r"^question: expected one of q-renew, "):
        question("q-nothing")
