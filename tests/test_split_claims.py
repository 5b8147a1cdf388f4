"""A free answer is cut into clauses with their places, so that no guess hides behind a preamble."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from claimlab.clauses import assertions, split_claims
from claimlab.spans import Span


def parts(text: str) -> list[str]:
    return [span.text for span in split_claims(text)]


CUTS = {
    # sentences
    "COMP 2130 is in Fall. The lab is on Tuesday.": [
        "COMP 2130 is in Fall",
        "The lab is on Tuesday",
    ],
    "COMP 2130 is in Fall! The lab is on Tuesday": [
        "COMP 2130 is in Fall",
        "The lab is on Tuesday",
    ],
    "COMP 2130 is in Fall\nThe lab is on Tuesday": [
        "COMP 2130 is in Fall",
        "The lab is on Tuesday",
    ],
    "COMP 2130 is in Fall; the lab is on Tuesday": [
        "COMP 2130 is in Fall",
        "the lab is on Tuesday",
    ],
    # clauses of one sentence
    "COMP 2130 is listed for Fall, no lab listed.": [
        "COMP 2130 is listed for Fall",
        "no lab listed",
    ],
    "COMP 2130 is in Fall and the lab is on Tuesday.": [
        "COMP 2130 is in Fall",
        "the lab is on Tuesday",
    ],
    "COMP 2130 is in Fall, but its lab is on Tuesday.": [
        "COMP 2130 is in Fall",
        "its lab is on Tuesday",
    ],
    # no clause begins here
    "The lab is on Monday, Wednesday and Friday.": ["The lab is on Monday, Wednesday and Friday"],
    "It is called Sets, Maps and Graphs.": ["It is called Sets, Maps and Graphs"],
    # full stops that end nothing
    "The lab is at 2 p.m. in room 5.": ["The lab is at 2 p.m. in room 5"],
    "The course is worth 3.5 credits.": ["The course is worth 3.5 credits"],
    "The lab meets on Wed. at 10:00.": ["The lab meets on Wed. at 10:00"],
    "The lab is at 2 p.m. The room is E2.": ["The lab is at 2 p.m", "The room is E2"],
    # openings, bullets, questions, courtesies
    "Yes, lab is Tuesday at 2pm.": ["lab is Tuesday at 2pm"],
    "- The lab is on Tuesday.\n- The term is Fall.": ["The lab is on Tuesday", "The term is Fall"],
    "1. The lab is on Tuesday.\n2. The term is Fall.": [
        "The lab is on Tuesday",
        "The term is Fall",
    ],
    "Is the lab on Tuesday? The term is Fall.": ["The term is Fall"],
    "The term is Fall. Let me know if you have any other questions!": ["The term is Fall"],
    "Thank you!": [],
    "Let me know if you need anything else, I'm happy to help!": [],
    "If you'd like, I can look up other courses.": [],
    "Sure thing, here is what I found:": [],
    "Thank you for asking, the class is great fun.": [
        "Thank you for asking, the class is great fun"
    ],
    "": [],
    " \n\t": [],
    # small words are an answer when nothing else is said
    "Yes.": ["Yes"],
    "Yes. The term is Fall.": ["The term is Fall"],
}


@pytest.mark.parametrize("text", CUTS)
def test_an_answer_is_cut_at_its_clauses(text: str) -> None:
    assert parts(text) == CUTS[text]


def test_a_span_names_its_place() -> None:
    assert split_claims("Yes, lab is Tuesday. Bye!")[0] == Span("lab is Tuesday", 5, 19)


# -- any text ------------------------------------------------------------------------------------

LANGUAGE = [
    *"COMP 4081 lab term Fall Tuesday 2pm 10:00 is are has no not listed yes p.m. e.g. Dr.".split(),
    *". ! ? ; , : - — … \n \r\n \u2028 ( ) * \" ' 1. and but while because which if let me".split(
        " "
    ),
    " ",
    "  ",
    "\x00",
    "\u0644\u0627",
    "\u061f",
    "\U0001f600",
    "\ud800",
    "\ufdfa",
]
ANY = st.one_of(
    st.text(max_size=300),
    st.text(st.characters(categories=["Cs", "Cc", "Zs", "Po", "Lu"]), max_size=120),
    st.lists(st.sampled_from(LANGUAGE), max_size=60).map(" ".join),
    st.lists(st.sampled_from(LANGUAGE), max_size=60).map("".join),
)


@given(ANY)
@example("\ud800. \ud800 is Tuesday.")
@example("a\x00b\u2028c\x85d")
def test_spans_lie_in_the_text_in_order_and_apart(text: str) -> None:
    position = 0
    for span in split_claims(text):
        assert position <= span.start < span.end <= len(text)
        assert text[span.start : span.end] == span.text
        assert span.text == span.text.strip()
        position = span.end


@given(ANY)
def test_what_is_asserted_takes_every_letter_from_the_text(text: str) -> None:
    letters = iter(text)
    assert all(c in letters for c in assertions(text) if c.isalnum())


GUESSES = ["The lab is on Tuesday at 2pm", "COMP 3170 has a Tuesday lab", "It was cancelled"]


@given(ANY, st.sampled_from(GUESSES), st.sampled_from([". ", "! ", "? ", "\n", "; ", ".\n\n- "]))
@example("Let me check, no", GUESSES[0], ". ")
@example("(", GUESSES[1], ". ")
@example("Is it", GUESSES[2], "? ")
def test_a_guess_of_its_own_is_always_covered(before: str, guess: str, mark: str) -> None:
    """Whatever an answer says first, the sentence after it is still judged."""
    text = before + mark + guess + "."
    start = len(before) + len(mark)
    covered: set[int] = set()
    for span in split_claims(text):
        covered.update(range(span.start, span.end))
    said = range(start, start + len(guess))
    assert covered.issuperset(i for i in said if not text[i].isspace())


@given(ANY, st.sampled_from(GUESSES))
def test_a_guess_said_first_is_always_covered(after: str, guess: str) -> None:
    text = guess + ". " + after
    covered: set[int] = set()
    for span in split_claims(text):
        covered.update(range(span.start, span.end))
    assert covered.issuperset(i for i in range(len(guess)) if not text[i].isspace())
