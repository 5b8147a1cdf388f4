"""Lab 3: a template renders over the exact source it was reviewed in, and over nothing else."""

from __future__ import annotations

import datetime
import json
import unicodedata
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import SHARED, Command
from test_bad_input import refused, write

from claimlab.conditions import Condition, lost, new_words, says
from claimlab.errors import InputError
from claimlab.files import DATA
from claimlab.generation import (
    GenerationReport,
    Outcome,
    generation_fixtures,
    read_fixtures,
    run_fixtures,
)
from claimlab.handbook import Source, handbook, questions, read_packet
from claimlab.review import template_toml
from claimlab.templates import (
    Template,
    TemplateResult,
    check_conditions,
    drifted_baseline,
    fingerprint,
    read_baseline,
    render_template,
    templates_baseline,
)

GOLDEN = Path(__file__).parent / "golden"
RENEWALS, LOANS = handbook()["renewals-v1"], handbook()["loans-v1"]
RENEW = templates_baseline()["q-renew"]
CLAIM = (
    "The supplied policy permits one seven-day renewal only if no other member has placed a hold."
)


def golden(name: str) -> str:
    return (GOLDEN / name).read_text(encoding="utf-8").rstrip("\n")


def record(source: Source, **changes: Any) -> dict[str, Any]:
    return {f.name: getattr(source, f.name) for f in fields(source)} | changes


# -- the documented runs -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "status"),
    [("generation.txt", [], 0), ("generation_drifted.txt", ["--drifted"], 1)],
)
def test_the_documented_texts(
    name: str, arguments: list[str], status: int, claimlab: Command
) -> None:
    baseline = drifted_baseline() if arguments else None
    assert run_fixtures(generation_fixtures(), baseline).text() == golden(name)
    done = claimlab("generation", *arguments)
    assert (done.stdout, done.returncode, done.stderr) == (golden(name) + "\n", status, "")


def test_the_copy_agrees_with_the_shared_text() -> None:
    shared = SHARED / "golden" / "generation.txt"
    if not shared.exists():
        pytest.skip("no shared texts beside the project")
    assert (GOLDEN / "generation.txt").read_bytes() == shared.read_bytes()


def test_json_carries_what_the_text_does_not_say(claimlab: Command) -> None:
    done = claimlab("generation", "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["passed"], document["schema_version"]) == (0, True, 1)
    assert [row["expects"] for row in document["rows"]] == [
        "template_rendered",
        "no_reviewed_template_for_question_id",
        "missing_or_changed_source",
        "missing_or_changed_source",
        "conflicting_sources",
    ]
    assert document["rows"][0]["fingerprint"] == fingerprint(RENEWALS.text)
    assert all(row["model_used"] is False for row in document["rows"])


def test_with_a_question_both_ends_exit_with_0(tmp_path: Path, claimlab: Command) -> None:
    for packet, said in (
        ([record(RENEWALS)], "template_rendered"),
        ([], "reason=missing_or_changed_source"),
    ):
        path = write(tmp_path, "le paquet é.json", json.dumps(packet))
        done = claimlab("generation", "--question", "q-renew", "--packet", path)
        assert (done.returncode, done.stderr) == (0, "")
        assert said in done.stdout
        assert "RESULT" not in done.stdout
    done = claimlab("generation", "--question", "q-laptop", "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["rows"][0]["status"]) == (0, "abstain")


def test_no_fixture_is_no_pass() -> None:
    assert run_fixtures([]).result() == "RESULT: FAIL (nothing asked)"


def test_what_an_answer_holds_forges_no_line() -> None:
    result = TemplateResult("q", "template_rendered", answer="Yes.\nRESULT: PASS")
    text = GenerationReport((Outcome("t\nRESULT: PASS", result, "conflicting_sources"),)).text()
    assert [line for line in text.split("\n") if line.startswith("RESULT")] == [
        "RESULT: FAIL (1 template_rendered)"
    ]


# -- the renderer --------------------------------------------------------------------------------


def test_a_rendered_template_says_who_wrote_it_and_over_what() -> None:
    result = render_template("q-renew", [handbook()["hours-v1"], RENEWALS])
    assert result == TemplateResult(
        "q-renew",
        "template_rendered",
        answer=CLAIM,
        citations=("renewals-v1",),
        fingerprint=fingerprint(RENEWALS.text),
    )
    assert (result.generator, result.model_used) == ("human_authored_template", False)


def test_an_abstention_has_no_answer_no_citation_no_fingerprint() -> None:
    result = render_template("q-laptop", [RENEWALS])
    assert (result.answer, result.citations, result.fingerprint) == (None, (), None)
    assert (result.generator, result.model_used) == ("human_authored_template", False)


SHORT = replace(RENEWALS, text="A member may renew a borrowed book once, for seven days.")


@pytest.mark.parametrize(
    ("question_id", "packet", "reason"),
    [
        ("q-laptop", [RENEWALS, SHORT], "no_reviewed_template_for_question_id"),  # before conflict
        ("", [RENEWALS], "no_reviewed_template_for_question_id"),
        ("Q-RENEW", [RENEWALS], "no_reviewed_template_for_question_id"),
        ("q-renew ", [RENEWALS], "no_reviewed_template_for_question_id"),
        ("q-renew", [RENEWALS, SHORT], "conflicting_sources"),
        ("q-renew", [SHORT, replace(SHORT, version="2")], "conflicting_sources"),  # before missing
        ("q-renew", [RENEWALS, replace(RENEWALS, version="2")], "conflicting_sources"),
        ("q-renew", [RENEWALS, replace(RENEWALS, identifier="x")], "conflicting_sources"),
        ("q-renew", [], "missing_or_changed_source"),
        ("q-renew", [handbook()["renewals-v0"]], "missing_or_changed_source"),
        ("q-renew", [replace(RENEWALS, id="renewals-v2")], "missing_or_changed_source"),
        ("q-renew", [replace(RENEWALS, version="2")], "missing_or_changed_source"),
        ("q-renew", [replace(RENEWALS, version="1 ")], "missing_or_changed_source"),
        ("q-renew", [replace(RENEWALS, identifier="library/x")], "missing_or_changed_source"),
        ("q-renew", [SHORT, SHORT], "missing_or_changed_source"),  # agreeing doubles are one
        ("q-renew", [RENEWALS, RENEWALS], None),
        ("q-renew", [LOANS, replace(LOANS, text="x"), RENEWALS], None),  # not its source
    ],
)
def test_the_first_reason_that_applies(
    question_id: str, packet: list[Source], reason: str | None
) -> None:
    result = render_template(question_id, packet)
    assert result.reason == reason
    assert (result.status == "template_rendered") == (reason is None)
    assert bool(result.detail) == (reason is not None)


def test_a_packet_of_records_is_as_good_as_one_of_sources() -> None:
    assert render_template("q-renew", [record(RENEWALS)]) == render_template("q-renew", [RENEWALS])


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_alone_change_nothing(end: str) -> None:
    text = RENEWALS.text.replace("\n", end)
    assert text != RENEWALS.text
    assert fingerprint(text) == fingerprint(RENEWALS.text)
    packet = [RENEWALS, replace(RENEWALS, text=text)]
    assert render_template("q-renew", packet).status == "template_rendered"


@pytest.mark.parametrize(
    "text",
    [
        RENEWALS.text + "\n",
        " " + RENEWALS.text,
        RENEWALS.text.replace("\n", "\n\n"),
        RENEWALS.text.replace("\n", " "),
        RENEWALS.text.replace("\n", "\u2028"),
        RENEWALS.text.replace("\n", "\v"),
        RENEWALS.text.replace(" ", "\u00a0", 1),
        RENEWALS.text.replace("hold", "Hold"),
        RENEWALS.text.replace("-", "‐") + "\ufeff",
        "\ufeff" + RENEWALS.text,
    ],
)
def test_nothing_else_is_forgiven(text: str) -> None:
    result = render_template("q-renew", [replace(RENEWALS, text=text)])
    assert result.reason == "missing_or_changed_source"


def test_the_fingerprint_is_the_hash_that_anybody_can_compute() -> None:
    # printf 'a\nb' | sha256sum
    known = "7e18f737311b2dc3b2f269dd78396b0351f14fb66efa879f768cb23181883c78"
    assert fingerprint("a\r\nb") == known


def test_another_unicode_form_is_another_text_and_the_reason_says_so() -> None:
    source = Source("cafe-v1", "library/café", "1", "The café opens at eight.")
    template = replace(
        RENEW,
        source_id=source.id,
        identifier=source.identifier,
        sha256=fingerprint(source.text),
    )
    baseline = {"q-renew": template}
    assert render_template("q-renew", [source], baseline).status == "template_rendered"
    other = replace(source, text=unicodedata.normalize("NFD", source.text))
    result = render_template("q-renew", [other], baseline)
    assert result.reason == "missing_or_changed_source"
    assert "another Unicode form is a different text" in result.detail


def test_the_reason_says_what_differs() -> None:
    changed = replace(RENEWALS, version="2", text=RENEWALS.text + "\n")
    detail = render_template("q-renew", [changed]).detail
    assert "version is '2', reviewed was '1'" in detail
    assert "space at its ends" in detail


@st.composite
def edits(draw: st.DrawFn) -> str:
    """A template's source with one random edit: a letter put in, taken out or changed, a swap."""
    text = RENEWALS.text
    kind = draw(st.sampled_from(["insert", "delete", "replace", "swap", "repeat", "case"]))
    at = draw(st.integers(0, len(text) - 1))
    to = draw(st.integers(at + 1, len(text)))
    letter = draw(st.characters(exclude_categories=["Cs"]))
    return {
        "insert": text[:at] + letter + text[at:],
        "delete": text[:at] + text[to:],
        "replace": text[:at] + letter + text[at + 1 :],
        "swap": text[at:] + text[:at],
        "repeat": text[:to] + text[at:],
        "case": text[:at] + text[at:to].swapcase() + text[to:],
    }[kind]


def unix(text: str) -> str:
    """Line ends as the specification says, written down a second time."""
    return "\n".join("\n".join(text.split("\r\n")).split("\r"))


@settings(max_examples=1000)
@given(edits())
def test_a_thousand_random_edits_never_render_but_for_line_ends(text: str) -> None:
    if not text.strip():
        with pytest.raises(InputError):
            render_template("q-renew", [record(RENEWALS, text=text)])
        return
    result = render_template("q-renew", [replace(RENEWALS, text=text)])
    assert (result.status == "template_rendered") == (unix(text) == unix(RENEWALS.text))


def test_line_ends_may_be_mixed() -> None:
    assert fingerprint("a\r\nb\rc\nd\r\n\r\ne") == fingerprint("a\nb\nc\nd\n\ne")
    assert fingerprint("a\n\rb") == fingerprint("a\n\nb")


def test_ten_megabytes_are_hashed_and_not_believed() -> None:
    huge = replace(RENEWALS, text=RENEWALS.text + " é" * 5_000_000)
    assert render_template("q-renew", [huge]).reason == "missing_or_changed_source"


def test_a_source_that_carries_orders_is_text_like_any_other() -> None:
    result = render_template("q-renew", [handbook()["board-v1"], RENEWALS])
    assert result.answer == CLAIM


# -- packets that are none -----------------------------------------------------------------------

WRONG_ENTRIES: list[tuple[Any, str]] = [
    (None, "expected id, identifier, version and text, got None"),
    ("renewals-v1", "expected id, identifier, version and text, got 'renewals-v1'"),
    (["renewals-v1"], "expected id, identifier, version and text, got ['renewals-v1']"),
    ({}, "field 'id' is missing"),
    ({"id": "a", "identifier": "b", "version": "1"}, "field 'text' is missing"),
    (record(RENEWALS, text=None), "field 'text': expected text, got None"),
    (record(RENEWALS, text=5), "field 'text': expected text, got 5"),
    (record(RENEWALS, text=["a"]), "field 'text': expected text, got ['a']"),
    (record(RENEWALS, text=" \n"), "field 'text': expected text, got nothing but space"),
    (record(RENEWALS, version=1), "field 'version': expected text, got 1"),
    (record(RENEWALS, version=True), "field 'version': expected text, got True"),
    (record(RENEWALS, id=None), "field 'id': expected text, got None"),
    (record(RENEWALS, id=""), "field 'id': expected text, got nothing but space"),
    (record(RENEWALS, sha256="0"), "field 'sha256' is not one of id, identifier, version, text"),
    (
        record(RENEWALS, text="\ud800"),
        "field 'text': expected text, got half a letter (a lone surrogate) at 0",
    ),
]


@pytest.mark.parametrize(("entry", "said"), WRONG_ENTRIES)
def test_a_wrong_entry_is_named_whatever_is_asked(entry: Any, said: str) -> None:
    for question_id in ("q-renew", "q-laptop"):
        with pytest.raises(InputError) as caught:
            render_template(question_id, [RENEWALS, entry])
        assert str(caught.value) == f"packet: entry 2: {said}"


@pytest.mark.parametrize("packet", [None, 5, "renewals-v1", record(RENEWALS)])
def test_a_packet_that_is_no_list_is_refused(packet: Any) -> None:
    with pytest.raises(InputError, match=r"^packet: expected a list of sources, got "):
        render_template("q-renew", packet)


@pytest.mark.parametrize("baseline", [[], "templates.toml", 5])
def test_a_baseline_that_is_none_is_refused(baseline: Any) -> None:
    with pytest.raises(InputError, match="baseline: expected templates by question id, got"):
        render_template("q-renew", [RENEWALS], baseline)


@pytest.mark.parametrize("wrong", [None, 5, ["q-renew"]])
def test_what_is_no_text_is_refused(wrong: Any) -> None:
    for call in (lambda: render_template(wrong, []), lambda: fingerprint(wrong)):
        with pytest.raises(InputError, match="expected text, got"):
            call()
    with pytest.raises(InputError, match="draft: expected text"):
        check_conditions(RENEW, wrong)


def test_a_source_made_in_python_is_checked_as_well() -> None:
    with pytest.raises(InputError, match="source: field 'text': expected text, got None"):
        Source("a", "b", "1", None)  # type: ignore[arg-type]


def test_a_packet_file_names_file_line_and_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = [json.dumps(record(RENEWALS)), json.dumps(record(RENEWALS, text=None))]
    path = write(tmp_path, "p.jsonl", "\n".join(wrong))
    said = refused(capsys, "generation", "--question", "q-renew", "--packet", path)
    assert said == f"claimlab: {path}: line 2: field 'text': expected text, got None"


def test_a_packet_file_with_windows_ends_a_mark_and_accents(tmp_path: Path) -> None:
    lines = json.dumps(record(RENEWALS)) + "\r\n"
    path = write(tmp_path, "données.jsonl", b"\xef\xbb\xbf" + lines.encode())
    assert read_packet(path) == (RENEWALS,)
    rows = "id,identifier,version,text\r\n" + ",".join(
        [RENEWALS.id, RENEWALS.identifier, RENEWALS.version, '"' + RENEWALS.text + '"']
    )
    packet = read_packet(write(tmp_path, "p.csv", rows.replace("\n", "\r\n")))
    assert render_template("q-renew", packet).status == "template_rendered"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--packet", "p.json"], "--packet is the evidence for a question"),
        (["--question", "q-renew", "--packet", "absent.json"], "absent.json: no such file"),
        (["--question", "q-renew", "--fixtures", "x.jsonl"], "not allowed with argument"),
        (["--drifted", "--baseline", "x.toml"], "not allowed with argument"),
        (["--question"], "expected one argument"),
        (["--baseline", "absent.toml"], "absent.toml: no such file"),
    ],
)
def test_bad_usage(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in refused(capsys, "generation", *arguments)


FIXTURE: dict[str, Any] = {
    "tag": "t",
    "question_id": "q-renew",
    "packet": [],
    "expects": "missing_or_changed_source",
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tag": None}, "field 'tag': expected text, got None"),
        ({"packet": None}, "field 'packet': expected a list of sources, got None"),
        ({"packet": [5]}, "packet: entry 1: expected id, identifier, version and text, got 5"),
        ({"expects": "abstain"}, "field 'expects': expected one of no_reviewed"),
        ({"more": 1}, "field 'more' is not one of tag, question_id, packet, expects"),
    ],
)
def test_a_wrong_fixture_is_refused(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = write(tmp_path, "f.jsonl", json.dumps(FIXTURE | change))
    with pytest.raises(InputError) as caught:
        read_fixtures(path)
    assert str(caught.value).startswith(f"{path}: line 1: {said}")


def test_two_fixtures_of_one_tag_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "f.jsonl", f"{json.dumps(FIXTURE)}\n" * 2)
    with pytest.raises(InputError, match="line 2: tag 't' is given twice"):
        read_fixtures(path)


def test_own_fixtures_over_an_own_baseline(tmp_path: Path, claimlab: Command) -> None:
    source = Source("tea-v1", "kitchen/tea", "1", "Tea is free on Fridays.")
    template = Template(
        "q-tea",
        source.id,
        source.identifier,
        source.version,
        fingerprint(source.text),
        "Tea is free, on Fridays only.",
        datetime.date(2026, 1, 31),
        "Read it.",
        (Condition("Fridays", ("friday",)),),
        source.text,
    )
    baseline = write(tmp_path, "b.toml", template_toml(template))
    row = {
        "tag": "tea",
        "question_id": "q-tea",
        "packet": [record(source)],
        "expects": "template_rendered",
    }
    path = write(tmp_path, "f.jsonl", json.dumps(row))
    done = claimlab("generation", "--baseline", baseline, "--fixtures", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Tea is free, on Fridays only." in done.stdout


# -- the baseline --------------------------------------------------------------------------------


def entry(**changes: Any) -> str:
    """The baseline's first template as a line of JSON, with changes."""
    given = {f.name: getattr(RENEW, f.name) for f in fields(RENEW)}
    given["reviewed"] = RENEW.reviewed.isoformat()
    given["conditions"] = [{"name": c.name, "says": list(c.says)} for c in RENEW.conditions]
    return json.dumps({k: v for k, v in (given | changes).items() if v is not ...})


def test_a_baseline_may_be_json_lines(tmp_path: Path) -> None:
    assert read_baseline(write(tmp_path, "b.jsonl", entry())) == {"q-renew": RENEW}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"claim": ...}, "field 'claim' is missing"),
        ({"claim": None}, "field 'claim': expected text, got None"),
        ({"claim": ""}, "field 'claim': expected text, got nothing but space"),
        ({"version": 1}, "field 'version': expected text, got 1"),
        ({"reviewer": "A. Person"}, "field 'reviewer' is not one of question_id, "),
        ({"sha256": RENEW.sha256[:-1]}, "field 'sha256': expected 64 digits 0-9a-f, got 63 "),
        ({"sha256": RENEW.sha256.upper()}, "field 'sha256': expected 64 digits 0-9a-f, got 64 "),
        ({"sha256": RENEW.sha256 + "\n"}, "field 'sha256': expected 64 digits 0-9a-f, got 65 "),
        ({"sha256": "0" * 64}, "field 'sha256': is not the fingerprint of 'reviewed_text'"),
        ({"reviewed_text": SHORT.text}, "field 'sha256': is not the fingerprint of "),
        ({"claim": "One seven-day renewal."}, "field 'claim': does not keep its own condition "),
        ({"reviewed": "yesterday"}, "field 'reviewed': expected a date such as 2026-01-31"),
        ({"reviewed": None}, "field 'reviewed': expected a date such as 2026-01-31"),
        ({"conditions": []}, "field 'conditions': expected at least one"),
        ({"conditions": {}}, "field 'conditions': expected a list of conditions, got {}"),
        ({"conditions": ["once"]}, "field 'conditions': condition 1: expected a name and its "),
        ({"conditions": [{"name": "x"}]}, "field 'conditions': condition 1: field 'says': expect"),
        (
            {"conditions": [{"name": "", "says": ["x"]}]},
            "field 'conditions': condition 1: field 'n",
        ),
        ({"conditions": [{"name": "x", "says": ["..."]}]}, "field 'conditions': condition 1: fie"),
        (
            {"conditions": [{"name": "x", "says": ["one"]}] * 2},
            "field 'conditions': condition 'x' is given twice",
        ),
    ],
)
def test_a_baseline_that_was_edited_by_hand_gives_itself_away(
    change: dict[str, Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = entry(question_id="q-other")
    path = write(tmp_path, "b.jsonl", f"{good}\n{entry(**change)}")
    assert f"{path}: line 2: {said}" in refused(capsys, "generation", "--baseline", path)


def test_two_templates_for_one_question_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "b.jsonl", f"{entry()}\n{entry(claim=CLAIM + ' So it says.')}")
    with pytest.raises(InputError, match=r"line 2: question_id 'q-renew' is given twice"):
        read_baseline(path)


def test_the_frozen_baseline_fits_the_handbook_and_the_renewal_answer_is_the_documented_one() -> (
    None
):
    assert len(templates_baseline()) >= 6
    assert RENEW.claim == CLAIM
    assert RENEW.source_id == "renewals-v1"
    for name in templates_baseline():
        assert name in questions()
        assert render_template(name, list(handbook().values())).status == "template_rendered"


def test_no_template_names_a_reviewer() -> None:
    text = (DATA / "templates_baseline.toml").read_text(encoding="utf-8")
    assert "reviewer" not in text.split("[[template]]", 1)[1]


# -- lost conditions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("draft", "gone"),
    [
        (CLAIM, ()),
        ("You may renew it once, for seven days, unless somebody has a hold on it.", ()),
        ("Renewal: 7 days, one time. It's refused if there is a hold.", ()),
        ("You can’t renew when there’s a hold; otherwise once, for seven days.", ()),
        ("Renewal is allowed.", ("one renewal", "seven days", "no hold")),
        (
            "The policy permits seven-day renewal only if no other member has placed a hold.",
            ("one renewal",),
        ),
        ("One seven-day renewal, only if no fee is due. Mind the hold.", ("no hold",)),
        ("One seven-day renewal if no other member has placed a hold.", ("no hold",)),
        ("One seven-day renewal only if another member has placed a hold.", ("no hold",)),
        ("One seventy-day renewal, unless there is a hold.", ("seven days",)),
        ("", ("one renewal", "seven days", "no hold")),
    ],
)
def test_check_conditions_names_what_a_draft_lost(draft: str, gone: tuple[str, ...]) -> None:
    assert check_conditions(RENEW, draft) == gone


@pytest.mark.parametrize("template", templates_baseline().values(), ids=lambda t: t.question_id)
def test_each_condition_of_a_template_can_be_lost(template: Template) -> None:
    """A condition that every sentence of the handbook keeps would never name a loss."""
    for condition in template.conditions:
        others = [
            other.text
            for other in handbook().values()
            if other.identifier.split("/")[1].split("-")[0] != template.source_id.split("-")[0]
        ]
        assert any(lost([condition], text) for text in others)
        assert lost([condition], template.claim) == ()


def test_a_gap_stays_in_its_sentence_and_is_bounded() -> None:
    assert says("no ... hold", "no a b c d e f g h i j hold")
    assert not says("no ... hold", "no a b c d e f g h i j k hold")
    assert not says("no ... hold", "no fee. A hold")
    assert not says("hold", "holder")
    assert not says("7 day", "17 days")


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_can_be_a_draft_and_a_wording(wording: str, draft: str) -> None:
    says(wording, draft)
    new_words(draft, [wording])


def test_new_words_are_those_that_nobody_said() -> None:
    quote = "A member may renew a borrowed book once, for seven days."
    assert new_words("A book may be renewed for 7 days", [quote]) == ()
    assert new_words("Renewal lasts seven days and laptops are available", [quote]) == (
        "last",
        "laptop",
        "available",
    )


@pytest.mark.parametrize(
    "draft",
    [
        "One seven-day renewal, never refused if another member has placed a hold.",
        "Renewal lasts seventy-seven days, once, only if no other member has placed a hold.",
        "One renewal, not seven days, only if no other member has placed a hold.",
    ],
)
def test_a_wording_behind_a_not_or_in_another_number_is_another_wording(draft: str) -> None:
    assert check_conditions(templates_baseline()["q-renew"], draft)
