"""The generator's interface: requests, responses, and every rule that sends one to a reader."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import fastjsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlab.conditions import lost
from claimlab.errors import InputError
from claimlab.generator import (
    ISSUES,
    MAX_RESPONSE,
    check_request,
    completion_prompt,
    generation_cases,
    generation_requests,
    packet_hash,
    schema,
    validate_response,
)
from claimlab.handbook import KINDS, TRICKS, handbook, questions

REQUEST = generation_cases()["q-renew.with"].request
SENTENCES = handbook()["renewals-v1"].text.split("\n")
GOOD: dict[str, Any] = {
    "status": "answered",
    "claims": SENTENCES,
    "citation_ids": ["renewals-v1"],
    "missing": "",
}
SILENT: dict[str, Any] = {
    "status": "insufficient_evidence",
    "claims": [],
    "citation_ids": [],
    "missing": "nothing about renewal",
}


def found(response: object, request: Any = REQUEST) -> list[tuple[str, str]]:
    return [(issue.kind, issue.field) for issue in validate_response(response, request).issues]


# -- the handbook and its questions --------------------------------------------------------------


def test_the_handbook_is_rich_enough() -> None:
    assert len(handbook()) >= 12
    assert len(questions()) >= 30
    kinds = Counter(question.kind for question in questions().values())
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= 5
    assert {q.trick for q in questions().values() if q.trick} == set(TRICKS)
    documents = Counter(source.identifier for source in handbook().values())
    assert documents["library/renewals"] == 2


def test_it_says_nothing_about_laptops_but_for_a_note_that_gives_orders() -> None:
    said = [source.id for source in handbook().values() if "laptop" in source.text.lower()]
    assert said == ["board-v1"]


def test_no_question_is_established_by_an_old_version_or_the_notice_board() -> None:
    for question in questions().values():
        assert not set(question.sources) & {"renewals-v0", "fees-v0", "board-v1"}


@pytest.mark.parametrize("question", questions().values(), ids=lambda q: q.id)
def test_the_sources_of_a_question_keep_what_its_key_asks_for(question: Any) -> None:
    """The key is not beyond reach: an answer that quotes the sources keeps every condition."""
    quoted = " . ".join(handbook()[name].text for name in question.sources)
    assert lost(question.keep, quoted) == ()
    if question.sources:
        names = tuple(condition.name for condition in question.keep)
        assert lost(question.keep, "Please ask somebody.") == names


# -- requests ------------------------------------------------------------------------------------


def test_there_are_enough_requests_in_one_order_with_one_id_each() -> None:
    ids = [request["id"] for request in generation_requests()]
    assert len(ids) >= 60
    assert len(set(ids)) == len(ids)
    assert ids[:3] == ["q-renew.with", "q-renew.without", "q-renew.beside"]
    for request in generation_requests():
        check_request(request)
        held = [record["id"] for record in request["evidence"]]
        assert len(set(held)) == len(held)


def test_a_packet_holds_what_its_name_says() -> None:
    kinds = Counter(case.packet_kind for case in generation_cases().values())
    assert kinds["with"] == kinds["without"] == len(questions())
    for case in generation_cases().values():
        held = {source.id for source in case.packet}
        assert case.answerable == (bool(case.question.sources) and case.packet_kind != "without")
        assert bool(held & set(case.question.beside)) == (case.packet_kind == "beside")
        if case.packet_kind == "without":
            assert not held & {*case.question.sources, *case.question.near}
            assert "board-v1" not in held


def test_the_prompt_shows_the_packet_and_not_the_key() -> None:
    for request in generation_requests():
        prompt = completion_prompt(request)
        assert prompt.endswith(f"Question: {request['question']}\nAnswer:\n")
        assert len(prompt) < 3_000
        for record in request["evidence"]:
            assert f"[{record['id']}] {record['quote'].split(chr(10))[0]}" in prompt
        assert '"says"' not in prompt
    assert completion_prompt({**REQUEST, "conditions": []}) == completion_prompt(REQUEST)


def test_the_examples_of_the_prompt_lean_to_no_side_and_fit_the_schema() -> None:
    answers = [
        json.loads(line)
        for line in completion_prompt(REQUEST).split("\n")
        if line.startswith('{"status"')
    ]
    compiled = fastjsonschema.compile(schema("response"))
    for answer in answers:
        compiled(answer)
    assert Counter(answer["status"] for answer in answers) == {
        "answered": 2,
        "insufficient_evidence": 2,
    }


def test_the_schema_for_responses_is_one_that_a_grammar_can_follow() -> None:
    """Bounded texts and lists, no reference, no pattern: what a grammar converter understands."""
    text = json.dumps(schema("response"))
    assert not any(word in text for word in ("$ref", "pattern", "oneOf", "anyOf", "allOf"))
    for rule in schema("response")["properties"].values():
        assert "enum" in rule or "maxLength" in rule or "maxItems" in rule


def test_the_hash_of_a_packet_is_that_of_the_evidence_alone() -> None:
    with_, without = (generation_cases()[f"q-renew.{kind}"].request for kind in ("with", "without"))
    assert packet_hash(with_) != packet_hash(without)
    assert packet_hash({**with_, "question": "Another?"}) == packet_hash(with_)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"question": ""}, "request: field 'question': must be longer than or equal to 1 char"),
        ({"question": "x" * 501}, "request: field 'question': must be shorter than or equal to"),
        ({"question": None}, "request: field 'question': must be string"),
        ({"evidence": [{"id": "a"}]}, "request: field 'evidence[0].version': is missing"),
        ({"evidence": [5]}, "request: field 'evidence[0]': must be object"),
        (
            {"evidence": [{"id": "a", "version": "1", "quote": "x" * 2001}]},
            "request: field 'evidence[0].quote': must be shorter",
        ),
        (
            {"evidence": [{"id": "a", "version": "1", "quote": "x"}] * 21},
            "request: field 'evidence': must contain less than or equal to 20 items",
        ),
        ({"more": 1}, "request: field 'more': is not one of id, question, instructions, evidence"),
    ],
)
def test_a_wrong_request_is_an_error_that_names_the_field(change: Any, said: str) -> None:
    for call in (lambda r: validate_response(GOOD, r), completion_prompt):
        with pytest.raises(InputError) as caught:
            call({**REQUEST, **change})
        assert str(caught.value).startswith(said)


@pytest.mark.parametrize("request_", [None, [], "q-renew", {}])
def test_what_is_no_request_is_an_error(request_: Any) -> None:
    with pytest.raises(InputError, match=r"^request: field '"):
        validate_response(GOOD, request_)


# -- responses -----------------------------------------------------------------------------------


def test_a_good_answer_and_a_good_abstention_are_accepted() -> None:
    for response in (GOOD, SILENT, json.dumps(GOOD), f" {json.dumps(SILENT)}\n"):
        checked = validate_response(response, REQUEST)
        assert (checked.route, checked.issues) == ("accept", ())
        assert checked.response in (GOOD, SILENT)


RESPONSES: list[tuple[Any, list[tuple[str, str]]]] = [
    ("", [("malformed_output", "response")]),
    ("Yes, you may.", [("malformed_output", "response")]),
    (json.dumps(GOOD) + "\nEvidence:", [("malformed_output", "response")]),
    (json.dumps(GOOD)[:-1], [("malformed_output", "response")]),
    ("[]", [("malformed_output", "response")]),
    ("null", [("malformed_output", "response")]),
    (None, [("malformed_output", "response")]),
    ('{"status": NaN}', [("malformed_output", "response")]),
    ('{"status": "answered", "status": "answered"}', [("malformed_output", "response")]),
    ("[" * 3500, [("malformed_output", "response")]),
    ("x" * (MAX_RESPONSE + 1), [("over_long", "response")]),
    ({k: v for k, v in GOOD.items() if k != "missing"}, [("malformed_output", "missing")]),
    ({**GOOD, "sure": True}, [("malformed_output", "sure")]),
    ({**GOOD, "status": "yes"}, [("malformed_output", "status")]),
    ({**GOOD, "status": None}, [("malformed_output", "status")]),
    ({**GOOD, "claims": "Yes."}, [("malformed_output", "claims")]),
    ({**GOOD, "claims": [None]}, [("malformed_output", "claims[0]")]),
    ({**GOOD, "claims": [""]}, [("malformed_output", "claims[0]")]),
    ({**GOOD, "claims": ["x" * 201]}, [("over_long", "claims[0]")]),
    ({**GOOD, "claims": SENTENCES * 2}, [("over_long", "claims")]),
    ({**GOOD, "citation_ids": ["a"] * 4}, [("over_long", "citation_ids")]),
    ({**GOOD, "missing": "x" * 121}, [("over_long", "missing")]),
    ({**GOOD, "citation_ids": []}, [("missing_citation", "citation_ids")]),
    (
        {**GOOD, "citation_ids": ["renewals-v1", "renewals-v2"]},
        [("unknown_citation", "citation_ids[1]")],
    ),
    ({**GOOD, "citation_ids": ["RENEWALS-V1"]}, [("unknown_citation", "citation_ids[0]")]),
    ({**GOOD, "claims": SENTENCES[:1]}, [("lost_condition", "claims")]),
    (
        {**GOOD, "claims": [*SENTENCES, "Laptops too."]},
        [("invented_claim", "claims[2]")],
    ),
    ({**GOOD, "claims": [*SENTENCES, "It costs 3 euros."]}, [("invented_claim", "claims[2]")]),
    ({**SILENT, "missing": "  "}, [("missing_reason", "missing")]),
    ({**SILENT, "claims": SENTENCES[:1]}, [("missing_citation", "citation_ids")]),
]


@pytest.mark.parametrize(("response", "issues"), RESPONSES)
def test_each_issue_names_its_kind_and_field(response: Any, issues: list[tuple[str, str]]) -> None:
    assert found(response) == issues
    assert validate_response(response, REQUEST).route == "review"


def test_an_answer_without_a_claim_is_malformed() -> None:
    assert ("malformed_output", "claims") in found({**GOOD, "claims": []})


def test_every_kind_of_issue_occurs_above() -> None:
    kinds = {kind for _, issues in RESPONSES for kind, _ in issues}
    assert kinds == set(ISSUES)


def test_an_abstention_may_not_deny_what_the_evidence_does_not_mention() -> None:
    request = generation_cases()["q-laptop.with"].request
    denial = {**SILENT, "claims": ["Laptops may not be borrowed."], "citation_ids": ["loans-v1"]}
    near = {**SILENT, "claims": ["Each book is lent for 21 days."], "citation_ids": ["loans-v1"]}
    assert found(denial, request) == [("invented_claim", "claims[0]")]
    assert found(near, request) == []


def test_a_request_without_conditions_loses_none() -> None:
    request = {name: value for name, value in REQUEST.items() if name != "conditions"}
    assert found({**GOOD, "claims": SENTENCES[:1]}, request) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*GOOD, "x"]) | st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=12,
)


@given(json_values)
def test_no_response_raises(response: Any) -> None:
    checked = validate_response(response, REQUEST)
    assert (checked.route == "accept") == (not checked.issues)


@given(st.text(max_size=200))
def test_no_output_raises(text: str) -> None:
    assert validate_response(text, REQUEST).route == "review"


@given(
    st.fixed_dictionaries(
        {
            "status": st.sampled_from(["answered", "insufficient_evidence"]),
            "claims": st.lists(st.text(min_size=1, max_size=40), max_size=3),
            "citation_ids": st.lists(
                st.sampled_from(["renewals-v1", "loans-v1", "nope"]), max_size=3
            ),
            "missing": st.text(max_size=20),
        }
    )
)
def test_a_well_formed_response_gets_only_the_rules_that_no_schema_holds(response: Any) -> None:
    checked = validate_response(response, REQUEST)
    assert checked.response == response
    assert "over_long" not in checked.kinds
    if checked.route == "accept" and response["claims"]:
        assert "nope" not in response["citation_ids"]
        assert response["citation_ids"]
