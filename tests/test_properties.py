"""What must hold for any text, any row and any reply, not for chosen ones."""

from __future__ import annotations

import json
from itertools import chain, combinations, permutations
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from claimlab.catalog import NOT_FOUND, Evidence, normalise_code
from claimlab.errors import ClaimlabError
from claimlab.ledger import JUDGES, LedgerRun, audit, judge_claim
from claimlab.mentions import DAYS, Clock, clean, mentions, number_of, numbers, times, weekdays
from claimlab.report import one_line
from claimlab.trace import Reply, ToolCall

# -- strategies ----------------------------------------------------------------------------------

WORDS = (
    "COMP 4081|COMP 3170|comp4081|the lab|lab|term|title|Fall|Winter|NLP|Wednesday|Tuesday|TuTh|"
    "10:00|2pm|noon|42|under|at least|seats|open seats|credits|not|no|n't|never|only|is|are|on|at|"
    "in|has|listed|null|None|blank|TBA|field|row|may|if|because|and|but|which|called|offered|,|.|?|"
    "\n|:|(|)|yes|could not find|optional|\ud800|\u0644\u0627\u0628|\U0001f600|\x00|%|'|\"|-"
).split("|")
TEXT = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join),
    st.text(max_size=80),
    st.text(st.characters(categories=["Cs", "Cc", "Zs", "Nd", "No", "Sm"]), max_size=40),
)
VALUES = st.one_of(
    st.sampled_from([None, "", "TBA", 0, "0", 0.0, "none", "n/a", True, False, [], {}, -0.0]),
    st.sampled_from(["Wednesday 10:00", "Mon 9:00, Wed 14:00", "TuTh", "MWF", "2:00pm", "Fall"]),
    st.integers(),
    st.floats(),
    st.text(max_size=30),
)
JSONLIKE = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
FIELDS = st.one_of(
    st.sampled_from("code course_id term title lab lab_days days start_time credits".split()),
    st.sampled_from("open_seats seats room prereqs instructor online".split()),
    st.text(max_size=8),
)
ROWS = st.dictionaries(FIELDS, JSONLIKE, max_size=7).map(
    lambda row: {"code": "COMP 4081"} | row if len(row) % 2 else row
)
EVIDENCE = st.one_of(ROWS, st.just(NOT_FOUND), st.none())
CLOSE_ROWS = st.fixed_dictionaries(
    {
        "code": st.just("COMP 4081"),
        "term": st.sampled_from(["Fall", "Winter 2026", None, ""]),
        "title": st.sampled_from(["NLP", "Fall of Rome", "Not Only Labs"]),
        "lab": st.sampled_from(["Wednesday 10:00", "TuTh 2pm", None, "", "TBA", 0]),
    },
    optional={"open_seats": st.sampled_from([0, 42, "42", None])},
)


def call(row: Evidence) -> ToolCall:
    return ToolCall("lookup_course", {"code": "COMP 4081"}, row)


# -- the judges ----------------------------------------------------------------------------------

GUESSED_KINDS = {"contradicted", "unsupported", "missed", "no_call"}


@given(TEXT, EVIDENCE)
@example("the lab is 5", {"lab": float("nan")})
@example("the lab is 5", {"lab": 10**18})
@example("\ud800 lab", {"\ud800": "\ud800"})
def test_a_judge_answers_any_text_over_any_row(claim: str, row: Evidence) -> None:
    for judge in JUDGES:
        found = judge_claim(claim, row, judge)
        assert (found.source == "TOOL") == (found.kind == "supported")
        assert found.source == "TOOL" or found.kind in GUESSED_KINDS
        assert found.reason
        assert isinstance(found.field, str | None)
        assert judge == "closed" or found.unaccounted == ()


@given(TEXT)
def test_without_a_lookup_every_judge_guesses(claim: str) -> None:
    for judge in JUDGES:
        found = judge_claim(claim, None, judge)
        assert (found.source, found.kind) == ("GUESSED", "no_call")


@given(TEXT)
def test_a_miss_is_missed_or_backs_that_there_is_no_row(claim: str) -> None:
    for judge in ("field", "closed"):
        found = judge_claim(claim, NOT_FOUND, judge)
        assert found.kind in ("missed", "supported")
    assert judge_claim(claim, NOT_FOUND, "weekday").kind == "missed"


@given(TEXT, st.one_of(EVIDENCE, CLOSE_ROWS))
def test_what_closed_backs_field_backs_and_what_anyone_backs_called_backs(
    claim: str, row: Evidence
) -> None:
    source = {judge: judge_claim(claim, row, judge).source for judge in JUDGES}
    assert source["closed"] == "GUESSED" or source["field"] == "TOOL"
    assert source["called"] == "TOOL" or set(source.values()) == {"GUESSED"}


@given(TEXT, st.one_of(ROWS, CLOSE_ROWS))
def test_a_backed_claim_names_fields_that_the_row_has(claim: str, row: dict[str, Any]) -> None:
    found = judge_claim(claim, row)
    names = {", ".join(some) for n in (1, 2, 3) for some in permutations(row, n)}
    assert found.field is None or found.field in names


@given(TEXT, EVIDENCE)
def test_judging_is_deterministic_and_leaves_the_row_alone(claim: str, row: Evidence) -> None:
    before = repr(row)
    for judge in JUDGES:
        assert judge_claim(claim, row, judge) == judge_claim(claim, row, judge)
    assert repr(row) == before


FACTS = [
    ("the lab is {}on Wednesday", ""),
    ("the lab is {}on Tuesday", ""),
    ("the lab is {}at 2pm", ""),
    ("COMP 4081 is {}offered in Fall", ""),
    ("the title is {}NLP", ""),
    ("COMP 4081 does {}meet on Tuesday", ""),
]


@given(st.sampled_from(FACTS), st.one_of(ROWS, CLOSE_ROWS))
def test_no_row_backs_a_claim_and_its_denial(fact: tuple[str, str], row: dict[str, Any]) -> None:
    said, denied = fact[0].format(""), fact[0].format("not ")
    assert {judge_claim(said, row).source, judge_claim(denied, row).source} != {"TOOL"}


@given(st.sampled_from([None, "", "TBA", 0, "n/a"]), st.sampled_from(DAYS), st.booleans())
def test_no_kind_of_nothing_backs_a_weekday(nothing: object, day: str, no: bool) -> None:
    claim = f"the lab is {'not ' if no else ''}on {day}"
    assert judge_claim(claim, {"code": "A 1", "lab": nothing}).source == "GUESSED"


@given(CLOSE_ROWS, st.sampled_from(["may be", "might be", "is probably", "should be"]))
def test_a_modal_is_never_backed(row: dict[str, Any], modal: str) -> None:
    for rest in ("on Wednesday", "at 2pm", "on Tuesday", "listed"):
        assert judge_claim(f"the lab {modal} {rest}", row).source == "GUESSED"


# -- whole replies -------------------------------------------------------------------------------

REPLIES = st.builds(
    Reply,
    st.lists(TEXT, max_size=4).map(". ".join),
    st.lists(st.one_of(CLOSE_ROWS, ROWS, st.just(NOT_FOUND)).map(call), max_size=3),
    st.lists(TEXT, max_size=3),
)
GUESSED = [
    "COMP 4081 was cancelled",
    "the lab may be on Wednesday",
    "the parking is free on Sundays",
    "the exam is at 7:13 am",
]


@given(REPLIES, st.sampled_from(list(JUDGES)))
def test_any_reply_has_a_ledger_and_its_text_says_what_its_records_say(
    reply: Reply, judge: str
) -> None:
    ledger = audit(reply, judge)
    assert ledger.passed == all(e.finding.source == "TOOL" for e in ledger.entries)
    assert ledger.passed == ledger.result().startswith("RESULT: PASS")
    records = ledger.to_records()
    assert [r["source"] for r in records] == [e.finding.source for e in ledger.entries]
    told = ledger.text().split("\n")
    entries = [line for line in told if line.startswith(("- claim: ", "- undeclared: "))]
    assert len(entries) == len(records)
    for line, record in zip(entries, records, strict=True):
        label = "undeclared" if record["origin"] == "undeclared" else "claim"
        row = record["tool_row"]
        assert line == (
            f"- {label}: {record['claim']!r} source={record['source']} tool_row={row!r}"
        )
    assert told[-1] == ledger.result()
    assert sum(line.startswith("RESULT:") for line in told) == 1


@given(REPLIES)
def test_undeclared_clauses_lie_in_the_text(reply: Reply) -> None:
    for entry in audit(reply).entries:
        assert (entry.span is None) == (entry.origin == "declared")
        if entry.span is not None:
            assert reply.text[entry.span.start : entry.span.end] == entry.claim


@given(REPLIES, st.sampled_from(GUESSED), st.sampled_from(["declared", "text", "both"]))
@example(Reply("Yes.", (call({"code": "COMP 4081"}),)), GUESSED[0], "both")
def test_a_guessed_claim_more_never_turns_fail_into_pass(
    reply: Reply, guess: str, claims: str
) -> None:
    declared = Reply(reply.text, reply.calls, (*reply.claims, guess))
    said = Reply(f"{reply.text}\n{guess}.", reply.calls, reply.claims)
    if claims != "text":
        assert not audit(declared, claims=claims).passed
    if claims != "declared":
        assert not audit(said, claims=claims).passed


@given(REPLIES, st.sampled_from(list(JUDGES)))
def test_declaring_less_never_helps(reply: Reply, judge: str) -> None:
    """A model that declares nothing is judged by all that it said."""
    silent = Reply(reply.text, reply.calls)
    assert [e.claim for e in audit(silent, judge).entries] == [
        e.claim for e in audit(silent, judge, "text").entries
    ]


def paired(text: str) -> str:
    """A text as JSON has it: two halves of a letter side by side are that letter."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


@given(REPLIES, st.sampled_from(list(JUDGES)))
@example(Reply("", (), ("\ud83d\ude00", "\ud83d")), "field")
def test_json_can_be_read_back(reply: Reply, judge: str) -> None:
    run = LedgerRun((audit(reply, judge, question="?"),))
    for ascii_only in (False, True):
        document = json.loads(
            run.to_json(ensure_ascii=ascii_only), parse_constant=lambda name: pytest.fail(name)
        )
        told = [paired(r["claim"]) for r in document["rows"]]
        assert told == [paired(r["claim"]) for r in run.to_records()]
    assert run.to_json(ensure_ascii=True).isascii()


@given(st.text(), st.text(), EVIDENCE)
@example("\nRESULT: PASS", "\rRESULT: PASS\x85RESULT: PASS", {"lab\nRESULT: PASS": "Tuesday"})
@example("lab\nRESULT: PASS is on Monday", "", {"lab\nRESULT: PASS": "Tuesday"})
def test_nobody_can_forge_a_line_of_the_report(text: str, question: str, row: Evidence) -> None:
    claims = ("\nRESULT: PASS", text, "the lab\nRESULT: PASS is Tuesday")
    calls = () if row is None else (call(row),)
    run = LedgerRun((audit(Reply(text, calls, claims), question=question),))
    for reasons in (False, True):
        told = run.text(reasons).splitlines()
        assert sum(line.startswith("RESULT:") for line in told) == 1
        assert sum(line.startswith("SUMMARY") for line in told) == 1
        assert sum(line.startswith("- ") for line in told) == len(run.ledgers[0].entries)
        assert told[-1] == run.summary()


@given(st.text())
def test_one_line_keeps_every_printable_letter(text: str) -> None:
    lines = one_line(text, indent="\t").split("\n")
    assert all(line.startswith("\t") for line in lines[1:])
    told = "".join(lines).replace("\t", "")
    assert told.isprintable()
    if text.isprintable():
        assert told == text


# -- codes ---------------------------------------------------------------------------------------


@given(st.text())
def test_normalising_twice_is_normalising_once(text: str) -> None:
    once = normalise_code(text)
    assert normalise_code(once) == once


LETTERS = st.text(st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), min_size=2, max_size=6)
DIGITS = st.text(st.sampled_from("0123456789"), min_size=2, max_size=5)
GAPS = st.text(st.sampled_from(" -_.\t\u00a0\u2013"), max_size=3)


@given(LETTERS, DIGITS, GAPS, GAPS, st.booleans())
def test_spellings_of_a_code_agree(
    letters: str, digits: str, gap: str, edge: str, lower: bool
) -> None:
    spelt = edge.strip(" -_.") + (letters.lower() if lower else letters) + gap + digits
    assert normalise_code(spelt) == f"{letters} {digits}"


@given(LETTERS, DIGITS, LETTERS, DIGITS)
def test_different_codes_stay_different(a: str, m: str, b: str, n: str) -> None:
    assert (normalise_code(a + m) == normalise_code(b + n)) == ((a, m) == (b, n))


# -- mentions ------------------------------------------------------------------------------------


@given(TEXT)
def test_mentions_lie_in_the_text_in_order_and_apart(text: str) -> None:
    cleaned, position = clean(text), 0
    for mention in mentions(cleaned):
        assert position <= mention.start < mention.end <= len(cleaned)
        assert cleaned[mention.start : mention.end] == mention.text
        position = mention.end


@given(st.text())
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)


def spoken_times(minute: int) -> list[str]:
    """The ways to say a time of day in both clocks."""
    hour, rest = divmod(minute, 60)
    half, twelve = ("am", "pm")[hour >= 12], (hour + 11) % 12 + 1
    ways = [f"{hour:02d}:{rest:02d}"]
    for word in (half, half.upper(), f" {half}", f" {half[0]}.m.", f" {half[0].upper()}.M."):
        ways.append(f"{twelve}:{rest:02d}{word}")
        if rest == 0:
            ways.append(f"{twelve}{word}")
    return ways


@pytest.mark.parametrize("minute", range(0, 1440, 5))
def test_all_spellings_of_a_time_are_one_time(minute: int) -> None:
    for way in spoken_times(minute):
        for text in (way, f"the lab starts at {way}.", f"({way})"):
            (found,) = times(clean(text))
            start, end = found.value
            assert (start.minute, end) == (minute, None), text


@pytest.mark.parametrize("way", ["2p.m.", "2:00P.M.", "(2p.m.)"])
def test_dots_without_a_space_change_no_time(way: str) -> None:
    assert [m.value[0].minute for m in times(clean(f"the lab starts at {way}"))] == [840]


@pytest.mark.parametrize("minute", range(60, 1440, 60))
def test_a_time_in_words_is_the_time(minute: int) -> None:
    hours = "one two three four five six seven eight nine ten eleven twelve".split()
    hour = hours[(minute // 60 + 11) % 12]
    half = "am" if minute < 720 else "pm"
    for text, expected in {
        f"{hour} {half}": minute,
        f"half past {hour} {half}": minute + 30,
        f"a quarter past {hour} {half}": minute + 15,
        f"quarter to {hour} {half}": minute - 15,
    }.items():
        assert times(text)[0].value[0].minute == expected


@pytest.mark.parametrize(
    ("text", "minutes"), [("noon", 720), ("midday", 720), ("12 noon", 720), ("midnight", 0)]
)
def test_noon_and_midnight_are_times(text: str, minutes: int) -> None:
    assert {m.value[0].minute for m in times(f"at {text}")} == {minutes}


@pytest.mark.parametrize("text", ["25:00", "10:75", "13pm", "0am", "3 credits", "10:00:30x", "1.5"])
def test_what_is_no_time_is_none(text: str) -> None:
    assert times(text) == []


@given(st.integers(0, 1439), st.integers(0, 1439))
def test_a_claim_may_leave_out_am_and_pm_but_not_contradict_it(a: int, b: int) -> None:
    assert Clock(a, True).agrees(Clock(b, True)) == (a == b)
    assert Clock(a, True).agrees(Clock(b, False)) == (a == b)
    assert Clock(a, False).agrees(Clock(b, False)) == (a == b)
    assert Clock(a, False).agrees(Clock(b, True)) == (a % 720 == b % 720 if a != b else True)


DAY_SETS = list(chain.from_iterable(combinations(range(7), n) for n in range(1, 8)))
CODES = ("M", "Tu", "W", "Th", "F", "Sa", "Su")


@pytest.mark.parametrize("days", DAY_SETS, ids=lambda days: "".join(CODES[d] for d in days))
def test_all_spellings_of_a_set_of_days_are_one_set(days: tuple[int, ...]) -> None:
    names = [DAYS[day] for day in days]
    ways = [
        ", ".join(names),
        " and ".join(f"{name}s" for name in names),
        "/".join(name[:3] for name in names),
        ", ".join(f"{name[:3]}." for name in names),
        " ".join(name.lower() for name in names),
        "".join(CODES[day] for day in days),
    ]
    for way in ways:
        found = weekdays(clean(way))
        assert {day for m in found for day in m.value} == set(days), way


@pytest.mark.parametrize("text", ["Tu/F", "Th/Sa", "Tu/Th/F", "Tu & F"])
def test_day_codes_with_a_slash_are_one_set(text: str) -> None:
    found = {day for m in weekdays(text) for day in m.value}
    assert found == {CODES.index(code) for code in text.replace(" & ", "/").split("/")}


def test_a_degree_is_no_set_of_days() -> None:
    assert weekdays("for MS students") == []


@pytest.mark.parametrize("text", ["US", "WTF", "FM", "sat down", "monk", "Fridayish", "sun"])
def test_what_is_no_day_is_none(text: str) -> None:
    assert weekdays(text) == []


def in_words(number: int) -> str:
    small = (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen"
    ).split()
    tens = "twenty thirty forty fifty sixty seventy eighty ninety".split()
    if number < 20:
        return small[number]
    ten, one = divmod(number, 10)
    return tens[ten - 2] + (f"-{small[one]}" if one else "")


@pytest.mark.parametrize("number", range(100))
def test_a_number_in_words_is_the_number(number: int) -> None:
    assert number_of(in_words(number)) == number
    (found,) = numbers(f"{in_words(number)} seats")
    assert (found.value, found.hedge) == (number, "")


HEDGES = "under,over,at least,at most,about,around,roughly,nearly,more than,less than,~,<,≥".split(
    ","
)


@given(st.integers(0, 10**6), st.sampled_from(HEDGES))
def test_a_hedge_makes_another_value_of_a_number(number: int, hedge: str) -> None:
    (plain,) = numbers(f"{number}")
    (hedged,) = numbers(f"{hedge} {number}")
    assert plain.hedge == ""
    assert hedged.hedge == hedge


# -- errors --------------------------------------------------------------------------------------


@given(
    st.one_of(TEXT, st.none(), st.integers()),
    st.one_of(EVIDENCE, st.lists(st.integers()), st.text(), st.dictionaries(st.integers(), TEXT)),
    st.one_of(st.sampled_from(list(JUDGES)), st.text(max_size=5)),
)
def test_whatever_is_handed_in_nothing_but_our_errors_comes_out(
    claim: Any, row: Any, judge: str
) -> None:
    said = ""
    try:
        judge_claim(claim, row, judge)
    except ClaimlabError as error:
        said = str(error)
    usable = isinstance(claim, str) and judge in JUDGES and not isinstance(row, list | str)
    assert usable or 0 < len(said) < 300
