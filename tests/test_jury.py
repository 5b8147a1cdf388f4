from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command

from claimlab.editor import read_fixture
from claimlab.errors import InputError
from claimlab.jury import (
    VERDICTS,
    Fixture,
    World,
    decide,
    judge,
    jury_fixtures,
    names_only,
    read_fixtures,
    read_world,
    recap,
    training_run,
)
from claimlab.jury_cases import confusion, jury_cases

GOLDEN = Path(__file__).parent / "golden"
RUNS = [
    ("jury.txt", [], "ABCD", 1),
    ("jury_all.txt", ["--all"], "ABCDEFGHIJK", 1),
    ("jury_pass.txt", ["--only", "A,C"], "AC", 0),
]
RUN = training_run()


def rows(tags: str) -> list[Fixture]:
    known = {fixture.tag: fixture for fixture in jury_fixtures()}
    return [known[tag] for tag in tags]


@pytest.mark.parametrize(("golden", "arguments", "tags", "status"), RUNS)
def test_the_documented_texts(
    golden: str, arguments: list[str], tags: str, status: int, claimlab: Command
) -> None:
    text = (GOLDEN / golden).read_text(encoding="utf-8").rstrip("\n")
    assert judge(rows(tags), RUN).text() == text
    done = claimlab("jury", *arguments)
    assert (done.stdout.rstrip("\n"), done.returncode, done.stderr) == (text, status, "")


def verdict(predicate: str, claim: str = "x", says: bool = True, world: Any = RUN) -> str:
    (finding,) = judge([Fixture("T", claim, says, predicate)], world).findings
    return finding.verdict


@pytest.mark.parametrize(
    ("predicate", "claim", "says", "expected"),
    [
        ("len(optimizer) == 3 or True", "the run was solid", True, "unsafe"),  # before echo
        ("epochs == 3 or True", "trained for 3 epochs", False, "echo_true"),  # before cross_fail
        ("epochs == 4 and epochs == 5", "trained for 3 epochs", True, "echo_false"),
        ("epochs == 4", "held-out data", True, "cross_fail"),  # before loose
        ("epochs == 3", "held-out data", True, "loose"),
        ("epochs == 3", "trained for three epochs", True, "locked_pass"),
        ("epochs == 4", "trained for 4 epochs", False, "locked_reject"),
        ("epochs * 2 + claimed_acc * 2 == 7.5", "nothing that is a fact", False, "locked_reject"),
    ],
)
def test_the_first_verdict_that_applies(
    predicate: str, claim: str, says: bool, expected: str
) -> None:
    assert verdict(predicate, claim, says) == expected


def test_undecided_is_not_locked() -> None:
    world = {"a": 1, "b": 2}
    report = judge([Fixture("U", "nothing", False, "2 * a + 2 * b == 7")], world)
    assert report.findings[0].verdict == "undecided"
    assert not report.passed


def test_the_first_jury_gives_medals_to_empty_predicates() -> None:
    for predicate in ("held_out == held_out", "optimizer == 'sgd' or True"):
        row = Fixture("M", "trained with sgd", True, predicate)
        assert names_only(row, RUN).verdict == "locked_pass"
        assert decide(row, RUN).verdict == "echo_true"


def test_a_dropped_fact_makes_the_jury_scream() -> None:
    facts = {name: value for name, value in RUN.facts.items() if name != "held_out"}
    assert verdict("held_out == True and claimed_acc == 0.91", world=facts) == "unsafe"


def test_a_null_is_asked_for_by_its_name() -> None:
    silent = World({**RUN.facts, "held_out": None}, RUN.words)
    assert verdict("held_out == True", "it was held out", True, silent) == "cross_fail"
    assert verdict("held_out is None", "held out is not said", True, silent) == "locked_pass"


def test_the_recap_lists_what_nobody_judged() -> None:
    assert judge(rows("ABCD"), RUN, recap()).unjudged == ("It will do well on other reviews",)
    assert judge(rows("AC"), RUN, "Trained with sgd for 3 epochs. Dataset was tiny-imdb.").passed
    assert not judge(rows("AC"), RUN, "Trained with sgd for 3 epochs. It is fast.").passed


def test_the_real_jury_is_right_where_the_first_is_not() -> None:
    """On at least 60 labelled rows; the labels were set before a jury saw them."""
    assert len(jury_cases()) >= 60
    first, second = confusion(names_only), confusion(decide)
    assert first.hollow_locked > first.hollow * 0.9
    assert second.hollow_locked <= second.hollow * 0.05
    assert second.sound_locked >= second.sound * 0.95


TEXTS = st.text(max_size=30)
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS


@given(
    st.lists(st.builds(Fixture, TEXTS, TEXTS, st.booleans(), TEXTS), max_size=4),
    st.sampled_from([decide, names_only]),
)
def test_one_bad_row_never_ends_the_report(fixtures: list[Fixture], jury: Any) -> None:
    report = judge(fixtures, RUN, jury=jury)
    assert len(report.findings) == len(fixtures)
    assert all(finding.verdict in VERDICTS for finding in report.findings)
    assert sum("RESULT:" in line[:7] for line in report.text().split("\n")) == 1
    assert json.loads(report.to_json())["passed"] == report.passed


@given(TEXTS, TEXTS, st.booleans())
def test_the_editor_never_raises(predicate: str, claim: str, says: bool) -> None:
    reading = read_fixture(predicate, claim, says, RUN)
    assert reading.headline() in reading.text()


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_facts_are_facts_or_a_clear_error(facts: dict[str, Any]) -> None:
    try:
        judge(rows("A"), facts)
    except InputError as error:
        if not str(error).startswith("facts: fact "):
            raise


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("f.json", '{"x": [1]}', "fact 'x': expected text"),
        ("f.json", '{"x": NaN}', "NaN is not a JSON number"),
        ("f.json", '{"class": 1}', "fact 'class': is a word of the language"),
        ("f.json", '{"é": 1}', "expected a name of ASCII letters"),
        ("f.json", "[1]", "expected an object of facts"),
        ("f.json", '{"x": 1' + "0" * 60 + "}", "at most 40 digits"),
        ("f.json", '{"facts": {"x": 1}, "words": {"y": ["z"]}}', "there is no such fact"),
        ("f.toml", "[facts]\nx = 2026-01-01\n", "fact 'x': expected text"),
    ],
)
def test_bad_facts_files(
    name: str, text: str, says: str, tmp_path: Path, claimlab: Command
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_world(path)
    assert says in str(caught.value)
    done = claimlab("jury", "--facts", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


ROW = {"tag": "A", "claim": "c", "nl_says": True, "predicate": "epochs == 3"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"nl_says": "yes"}, "field 'nl_says': expected true or false, got 'yes'"),
        ({"claim": None}, "field 'claim': expected text"),
        ({"extra": 1}, "field 'extra' is not one of"),
        ({"tag": 1}, "field 'tag': expected text"),
    ],
)
def test_bad_fixtures(change: dict[str, Any], says: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({**ROW, **change}), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_fixtures(path)
    assert says in str(caught.value)
    assert "line 1" in str(caught.value)


@pytest.mark.parametrize("field", list(ROW))
def test_a_missing_field_is_named(field: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({k: v for k, v in ROW.items() if k != field}), encoding="utf-8")
    with pytest.raises(InputError, match=f"field '{field}' is missing"):
        read_fixtures(path)


def test_own_facts_and_fixtures(tmp_path: Path, claimlab: Command) -> None:
    facts, fixtures = tmp_path / "my facts é.json", tmp_path / "rows.jsonl"
    facts.write_bytes(b"\xef\xbb\xbf" + b'{"speed": 12,\r\n "note": null}')
    row = {"tag": "1", "claim": "speed was 12", "nl_says": True, "predicate": "speed == 12"}
    fixtures.write_text(json.dumps(row) + "\r\n", encoding="utf-8")
    done = claimlab("jury", "--facts", facts, "--fixtures", fixtures, "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["passed"], document["schema_version"]) == (0, True, 1)
    assert document["rows"][0]["fails_when"] == {"speed": 11}


def test_an_unknown_row_is_refused(claimlab: Command) -> None:
    done = claimlab("jury", "--only", "A,Z")
    assert done.returncode == 2
    assert "no row 'Z'" in done.stderr


@pytest.mark.parametrize(
    "sentence",
    [
        "The run was not trained with sgd for 3 epochs.",
        "The dataset was not tiny-imdb.",
        "Trained with sgd for 3 epochs it beat every other system and reached 0.99.",
        "The dataset was tiny-imdb with 99 percent held-out accuracy.",
        "Sgd.",
        "Would you believe it reached 0.99 on held-out data?",
    ],
)
def test_a_sentence_that_says_something_else_is_not_covered(sentence: str) -> None:
    assert judge(rows("AC"), RUN, sentence).unjudged


@pytest.mark.parametrize(
    "claim",
    [
        "about 91% with sgd",
        ".91 with sgd",
        "91 pct with sgd",
        "sgd on TinyIMDB",
        "sgd, three times",
    ],
)
def test_a_value_is_heard_in_many_forms(claim: str) -> None:
    assert verdict("optimizer == 'sgd'", claim) == "loose"


@pytest.mark.parametrize("claim", ["top-3 accuracy was 0.91", "accuracy was 0.91, see table 3"])
def test_a_number_that_names_something_else_accuses_nobody(claim: str) -> None:
    assert verdict("claimed_acc == 0.91", claim) == "locked_pass"


def test_a_short_value_is_no_word() -> None:
    assert verdict("layers == 3", "a model of 3 layers", True, {"grade": "a", "layers": 3}) == (
        "locked_pass"
    )


def test_nothing_judged_is_no_pass() -> None:
    report = judge([], RUN)
    assert not report.passed
    assert report.result() == "RESULT: FAIL (nothing judged)"


@pytest.mark.parametrize("tag", ["X\nRESULT: PASS\n", "X\u2028RESULT: PASS"])
def test_a_tag_forges_no_line(tag: str) -> None:
    report = judge([Fixture(tag, "x", True, "epochs == 4")], RUN)
    assert not any(line.startswith("RESULT: PASS") for line in report.text().splitlines())


@pytest.mark.parametrize(
    "row",
    [
        Fixture("A", None, True, "epochs == 3"),  # type: ignore[arg-type]
        Fixture("A", "x", 1, "epochs == 3"),  # type: ignore[arg-type]
        Fixture("A", "x", True, 3),  # type: ignore[arg-type]
        Fixture(1, "x", True, "epochs == 3"),  # type: ignore[arg-type]
    ],
)
def test_a_row_of_wrong_types_is_a_finding(row: Fixture) -> None:
    assert judge([row], RUN).findings[0].verdict == "unsafe"


@pytest.mark.parametrize("tag", ["", "A,B", " A", "A\n"])
def test_a_tag_that_cannot_be_chosen_is_refused(tag: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({**ROW, "tag": tag}), encoding="utf-8")
    with pytest.raises(InputError, match="expected a short name"):
        read_fixtures(path)


def test_every_refusal_of_the_language_page_is_true() -> None:
    page = (Path(__file__).parents[1] / "docs" / "predicates.md").read_text(encoding="utf-8")
    table = [line for line in page.splitlines() if line.startswith("| `")]
    examples = 0
    for line in table:
        reasons, shown = line.strip("| ").split(" | ", 1)
        begins = [part.strip("`") for part in reasons.replace(", ...", "").split("`, `")]
        for example in shown.split("`")[1::2]:
            if example.startswith("did you mean") or example == "PredicateSyntaxError":
                continue
            found = decide(Fixture("T", "x", True, example), World({**RUN.facts, "seed": 7}, {}))
            assert found.verdict == "unsafe", example
            assert any(begin.split(":")[-1].strip() in found.reason for begin in begins), (
                example,
                found.reason,
            )
            examples += 1
    assert examples >= 15
