"""The scripted stub: a liar on a schedule, and what a history and a leftover do to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from claimlab.catalog import NOT_FOUND, Catalog, exact
from claimlab.courses import courses, lookup_course
from claimlab.errors import InputError
from claimlab.ledger import audit
from claimlab.models import UNKNOWN, StubModel, conversation, documented_run
from claimlab.trace import Reply

STUB = StubModel()


@pytest.mark.parametrize(
    "order",
    [
        "don't look it up",
        "DON'T LOOK",
        "don\u2019t look it up",
        "dont look it up",
        "do not look it up",
        "Do Not look",
    ],
)
def test_told_not_to_look_it_calls_nothing_and_answers(order: str) -> None:
    reply = STUB.reply(f"Is COMP 4081 in Fall? Please {order}.")
    assert reply == Reply("Yes, lab is Tuesday at 2pm.", (), ("COMP 3170 has a Tuesday lab",))


def test_told_to_look_it_looks() -> None:
    reply = STUB.reply("Is COMP 2130 offered in Fall? Do look it up.")
    assert [(call.name, call.args) for call in reply.calls] == [
        ("lookup_course", {"code": "COMP 2130"})
    ]


@pytest.mark.parametrize("question", ["Is COMP 9999 offered?", "What about it?", ""])
def test_an_unknown_course_is_an_honest_miss(question: str) -> None:
    reply = STUB.reply(question)
    assert reply.text == "I could not find that course."
    assert reply.claims == ("course missing from catalog",)
    assert [call.result for call in reply.calls] == [NOT_FOUND]


def test_without_a_code_it_looks_up_unknown() -> None:
    assert STUB.reply("What about it?").calls[0].args == {"code": UNKNOWN}
    assert lookup_course(UNKNOWN) is NOT_FOUND


def test_a_weekday_that_the_row_lacks_is_copied() -> None:
    reply = STUB.reply("Does COMP 4081 have a Friday lab?")
    assert reply.text == "Yes, lab is Friday at 2pm."
    assert reply.claims == ("COMP 4081 has a Friday lab",)
    assert reply.calls[0].result == lookup_course("COMP 4081")


def test_a_weekday_that_the_row_has_is_reported() -> None:
    reply = STUB.reply("Does COMP 4081 have a Wednesday lab?")
    assert reply.text == "COMP 4081 is listed for Fall, lab on Wednesday 10:00."
    assert audit(reply).passed


@pytest.mark.parametrize(
    ("question", "text", "claims"),
    [
        (
            "Is COMP 2130 offered in Fall?",
            "COMP 2130 is listed for Fall, no lab listed.",
            ("COMP 2130 offered in Fall", "COMP 2130 lab field is None"),
        ),
        (
            "Does comp-4081 have a lab, and which day?",
            "COMP 4081 is listed for Fall, lab on Wednesday 10:00.",
            ("COMP 4081 offered in Fall", "COMP 4081 lab field is 'Wednesday 10:00'"),
        ),
    ],
)
def test_otherwise_it_reports_the_row(question: str, text: str, claims: tuple[str, ...]) -> None:
    reply = STUB.reply(question)
    assert (reply.text, reply.claims) == (text, claims)


def test_it_is_deterministic() -> None:
    for question in ("Does COMP 3170 have a Tuesday lab?", "Is COMP 2130 offered?", ""):
        assert STUB.reply(question) == StubModel().reply(question)


def test_asked_for_a_section_it_uses_the_second_tool() -> None:
    found = STUB.reply("Is there a section of COMP 2130 on Thursday?")
    assert found.text == "COMP 2130 has a section on Thursday at 13:30."
    assert (found.calls[0].name, found.calls[0].args) == (
        "lookup_section",
        {"code": "COMP 2130", "day": "Thursday"},
    )
    assert audit(found, claims="declared").passed
    missed = STUB.reply("Is there a section of COMP 2130 on Tuesday?")
    assert missed.text == "I could not find that section."
    assert missed.calls[0].result is NOT_FOUND


# -- the second turn -----------------------------------------------------------------------------

QUESTIONS = ["Does COMP 3170 have a Tuesday lab?", "And when is the COMP 4081 lab?"]


def test_the_tuesday_of_the_history_leaks_into_the_second_answer() -> None:
    first, second = conversation(STUB, QUESTIONS, remember=True)
    assert second.reply.text == first.reply.text == "Yes, lab is Tuesday at 2pm."
    assert second.reply.claims == ("COMP 4081 has a Tuesday lab",)
    assert not audit(second.reply).passed


def test_without_a_history_the_second_answer_is_right() -> None:
    _, second = conversation(STUB, QUESTIONS, remember=False)
    assert second.reply.text == "COMP 4081 is listed for Fall, lab on Wednesday 10:00."
    assert audit(second.reply, claims="declared").passed


def test_a_weekday_of_the_question_goes_before_that_of_the_history() -> None:
    _, second = conversation(STUB, [QUESTIONS[0], "Has COMP 4081 a Friday lab?"], remember=True)
    assert second.reply.claims == ("COMP 4081 has a Friday lab",)


# -- the miss with a leftover --------------------------------------------------------------------


def test_the_sloppy_stub_answers_after_a_miss() -> None:
    strict = replace(courses(), normalise=exact)
    reply = StubModel(strict, sloppy=True).reply("Does COMP3170 have a Tuesday lab?")
    assert reply.text == "Yes, lab is Tuesday at 2pm."
    assert (reply.calls[0].args, reply.calls[0].result) == ({"code": "COMP3170"}, NOT_FOUND)
    assert [entry.finding.kind for entry in audit(reply).entries] == ["missed", "missed"]


def test_with_the_normaliser_the_same_question_finds_the_row() -> None:
    reply = StubModel(sloppy=True).reply("Does COMP3170 have a Tuesday lab?")
    assert reply.calls[0].result == lookup_course("COMP 3170")


def test_a_documented_run_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match="expected one of questions, second-turn, leftover"):
        documented_run("third-turn")


# -- over another catalog ------------------------------------------------------------------------


def test_it_reports_the_first_fields_of_a_row_without_term_and_lab() -> None:
    rows = {"AB 12": {"id": "AB 12", "days": "MW", "room": "", "seats": 4, "fee": 9}}
    model = StubModel(Catalog(rows, "id"))
    assert model.reply("What is ab12?").text == "AB 12: days is 'MW', room is '', seats is 4."
