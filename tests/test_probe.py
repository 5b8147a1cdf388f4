"""Lab 6: the probe, the mutants, planted faults, the course's own table."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import Command

from claimlab.calibration import calibration
from claimlab.catalog import NOT_FOUND
from claimlab.course_probes import (
    LABS,
    CourseProbe,
    Known,
    by_kind,
    known_limits,
    probe_course,
    probe_lab,
)
from claimlab.courses import lookup_course
from claimlab.errors import InputError
from claimlab.faults import PACKAGE, Fault, _functions, broken, faults, with_fault
from claimlab.files import STAND_INS
from claimlab.handbook import handbook
from claimlab.jury import Fixture, World
from claimlab.ledger import judge_claim
from claimlab.mutants import (
    FactClaim,
    RowClaim,
    SourceClaim,
    TraceClaim,
    fact_mutants,
    predicate_mutants,
    row_mutants,
    source_mutants,
    trace_mutants,
)
from claimlab.orders import classify, order_fixtures, truth_table
from claimlab.predictions import predictions
from claimlab.probe import AS_IT_IS, Mutant, probe
from claimlab.probe_editor import probe_predicate
from claimlab.templates import fingerprint
from claimlab.trace import ToolCall

NLP = {"code": "COMP 4081", "term": "Fall", "lab": "Wednesday 10:00", "credits": 4}
ALGO = {"code": "COMP 3170", "term": "Spring", "lab": "Tuesday 14:00", "credits": 3}


def worlds(bits: list[tuple[bool, bool]]) -> list[Mutant[bool]]:
    """Mutants of which each tells what a check that believes it should say, and whether healthy."""
    return [Mutant("bit", str(n), passes, healthy) for n, (passes, healthy) in enumerate(bits)]


# -- the probe -----------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_each_world_is_counted_once_and_where_it_belongs(bits: list[tuple[bool, bool]]) -> None:
    report = probe(bool, True, worlds(bits))
    assert len(report.killed) == sum(not passes and not healthy for passes, healthy in bits)
    assert len(report.survived) == sum(passes and not healthy for passes, healthy in bits)
    assert len(report.spared) == 1 + sum(passes and healthy for passes, healthy in bits)
    assert len(report.false_alarms) == sum(not passes and healthy for passes, healthy in bits)
    score = report.score
    assert score.mutants + score.healthy == len(bits) + 1 == len(report.to_records())


@given(st.lists(st.booleans(), min_size=1))
def test_a_check_that_always_fails_kills_all_and_spares_none(healthy: list[bool]) -> None:
    report = probe(lambda world: False, True, worlds([(True, one) for one in healthy]))
    assert report.score.killed == report.score.mutants
    assert report.score.spared == 0 < report.score.healthy
    assert not report.passed


def test_a_check_that_always_passes_kills_none() -> None:
    report = probe(lambda world: True, True, worlds([(True, False), (False, False)]))
    assert report.score == (0, 2, 1, 1)
    assert not report.passed


def test_without_a_mutant_nothing_was_tested() -> None:
    report = probe(bool, True, [])
    assert not report.passed
    assert "nothing to kill" in report.text()


def test_an_error_is_no_verdict() -> None:
    report = probe(lambda row: row["lab"] == 1, {"lab": 1}, [Mutant("gone", "no lab", {})])
    assert report.killed == ()
    assert report.score == (0, 1, 1, 1)
    assert "no verdict   [gone] no lab: KeyError: 'lab'" in report.text()
    assert not report.passed


@pytest.mark.parametrize(
    ("said", "told"), [("FAIL", "'FAIL'"), (None, "None"), (0, "0"), ([], "[]"), ("", "''")]
)
def test_only_yes_and_no_are_verdicts(said: object, told: str) -> None:
    """ "FAIL" is true in Python, and a check that forgets its `return` would kill everything."""
    report = probe(lambda world: said, True, worlds([(True, False)]))
    assert report.score == (0, 1, 0, 1)
    assert report.crashed[0].error == f"TypeError: returned {told}, expected True or False"


def test_the_yes_and_no_of_numpy_are_verdicts() -> None:
    numpy = pytest.importorskip("numpy")
    assert probe(lambda n: numpy.bool_(n == 1), 1, [Mutant("two", "2", 2)]).passed
    several = probe(lambda n: numpy.array([True, False]), 1, [Mutant("two", "2", 2)])
    assert len(several.crashed) == 2


def test_a_way_out_and_an_error_that_cannot_be_told_are_no_verdict() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    def leave(world: bool) -> bool:
        raise SystemExit(0) if world else MuteError

    report = probe(leave, True, worlds([(False, False)]))
    assert report.crashed[0].error == "SystemExit: 0"
    assert "MuteError" in report.crashed[1].error


def test_ctrl_c_is_not_kept() -> None:
    def interrupted(world: bool) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        probe(interrupted, True, [])


def test_a_report_passes_when_it_passes() -> None:
    inner = probe(bool, 1, [Mutant("zero", "0", 0)])
    assert inner.passed
    assert probe(lambda world: inner, 1, []).spared[0].kind == AS_IT_IS


def test_what_is_no_mutant_is_refused() -> None:
    with pytest.raises(InputError, match="expected Mutant, got 3"):
        probe(bool, 1, [3])  # type: ignore[list-item]


def test_a_change_cannot_forge_a_line() -> None:
    report = probe(bool, 1, [Mutant("x", "a\nRESULT: PASS", 1)], name="b\nRESULT: PASS")
    assert not any(line.startswith("RESULT") for line in report.text().split("\n"))


def test_a_long_list_is_cut_in_the_text_only() -> None:
    report = probe(bool, 1, [Mutant("x", str(n), 1) for n in range(50)])
    assert "… and 30 more" in report.text()
    assert len(report.to_records()) == 51


# -- mutants -------------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.sampled_from(["lab", "lab/day", "term", "credits"]))
def test_a_row_mutant_changes_what_it_says(seed: int, about: str) -> None:
    """Healthy or not by the value itself: what the claim states is compared, no judge asked."""
    world = RowClaim("", NLP, frozenset({about}))
    made = row_mutants(world, [ALGO], seed=seed)
    assert made == row_mutants(world, [ALGO], seed=seed)
    assert {mutant.healthy for mutant in made} == {True, False}

    def stated(row: Any) -> object:
        if row is None or row is NOT_FOUND or row["code"] != NLP["code"]:
            return None
        value = row[about.partition("/")[0]]
        if isinstance(value, str):
            value = value.upper()
        return value if "/" not in about or value is None else value.split()[0]

    for mutant in made:
        assert mutant.healthy == (stated(mutant.world.row) == stated(NLP)), mutant


def test_fact_mutants_are_judged_by_the_truth() -> None:
    facts = World({"epochs": 3, "optimizer": "sgd", "held_out": True}, {})
    fixture = Fixture("A", "trained for 3 epochs", True, "epochs == 3")
    made = fact_mutants(FactClaim(fixture, facts, "epochs == 3 and held_out"))
    assert all(m.healthy == (m.world.facts.facts["epochs"] == 3
                             and m.world.facts.facts["held_out"]) for m in made)  # fmt: skip
    assert {m.kind for m in made} == {"fact moved", "fact flipped", "unread fact"}


def test_a_fact_is_moved_to_every_value_that_the_truth_lists() -> None:
    facts = World({"metric": "accuracy"}, {})
    truth = "metric in ('accuracy', 'f1')"
    made = fact_mutants(FactClaim(Fixture("A", "a usual metric", True, truth), facts, truth))
    assert [(m.name, m.healthy) for m in made] == [
        ("metric is 'accuracy-2'", False),
        ("metric is 'f1'", True),
    ]


def test_predicate_mutants_agree_and_check_nothing() -> None:
    facts = World({"epochs": 3, "optimizer": "sgd"}, {})
    fixture = Fixture("A", "sgd, 3 epochs", True, "epochs == 3 and optimizer == 'sgd'")
    made = predicate_mutants(FactClaim(fixture, facts, fixture.predicate))
    assert {m.kind for m in made} == {"always true", "tautology", "half left out", "same check"}
    other = {"epochs": 9, "optimizer": "adam"}
    for m in made:
        holds = eval(m.name, {}, other)  # our own texts, with Python as the judge
        assert holds is not True or not m.healthy
        assert m.kind not in ("always true", "tautology") or holds


@given(st.integers(0, 2**32), st.integers(0, 40))
def test_source_mutants_break_the_fingerprint_and_healthy_ones_do_not(
    seed: int, letters: int
) -> None:
    packet = tuple(handbook().values())
    own = handbook()["renewals-v1"]
    for mutant in source_mutants(SourceClaim("q-renew", own.id, packet), letters, seed):
        same = {
            (one.identifier, one.version, fingerprint(one.text)) == (
                own.identifier, own.version, fingerprint(own.text))
            for one in mutant.world.packet if one.id == own.id
        }  # fmt: skip
        assert mutant.healthy == (same == {True}), mutant.name


def test_a_packet_without_the_source_cannot_be_changed() -> None:
    with pytest.raises(InputError, match="holds no source 'renewals-v1'"):
        source_mutants(SourceClaim("q-renew", "renewals-v1", ()))
    with pytest.raises(InputError, match="expected a mapping to change"):
        row_mutants(RowClaim("", None, frozenset()))


def test_trace_mutants_know_an_uncited_reply() -> None:
    made = ToolCall("create_order", {}, {"order_id": "ORD-1048"})
    told = {m.kind: m.healthy for m in trace_mutants(TraceClaim("placed", (made,), 0, cites=False))}
    assert told["uncited id"]
    assert not told["failed"]
    assert "phone" not in told
    assert [m.kind for m in trace_mutants(TraceClaim("Which size?", ()))] == ["further call"]


# -- planted faults ------------------------------------------------------------------------------


def code() -> dict[str, Any]:
    """The code of every function of the library, by module and name."""
    return {
        f"{name}.{held.__qualname__}": held.__code__
        for name, module in list(sys.modules.items())
        if name.startswith("claimlab")
        for held in _functions(vars(module), name)
    }


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Fault], str]:
    """Lists a fault that is not in the file, and gives its name."""

    def entered(fault: Fault) -> str:
        found = {**faults(), fault.name: fault}
        monkeypatch.setattr("claimlab.faults.faults", lambda: found)
        return fault.name

    return entered


def tuesday() -> str:
    return judge_claim("COMP 4081 has a Tuesday lab", lookup_course("COMP 4081"), "weekday").source


def test_there_are_enough_faults_and_every_lesson_has_some() -> None:
    assert len(faults()) >= 15
    assert {fault.lesson for fault in faults().values()} >= {1, 2, 3, 4, 5}


@pytest.mark.parametrize("name", faults())
def test_a_fault_is_planted_and_taken_out(name: str) -> None:
    fault = faults()[name]
    with broken(name):  # loads the file
        pass
    before, data = code(), dict(STAND_INS)
    with broken(name) as planted:
        assert planted == fault
        assert (code(), STAND_INS) != (before, data), "nothing was planted"
    assert (code(), STAND_INS) == (before, data)
    text = (PACKAGE / fault.file).read_text(encoding="utf-8")
    assert with_fault(fault, text) != text


def test_a_fault_is_taken_out_after_an_error() -> None:
    planted = broken("ledger.weekday")
    planted.__enter__()
    assert tuesday() == "TOOL"
    error = ZeroDivisionError()
    assert not planted.__exit__(ZeroDivisionError, error, None)
    assert tuesday() == "GUESSED"


def test_faults_nest_also_twice_and_in_one_file() -> None:
    with broken("ledger.weekday"), broken("ledger.closed"):
        with broken("ledger.weekday"):
            assert tuesday() == "TOOL"
        assert tuesday() == "TOOL"
    assert tuesday() == "GUESSED"


def test_a_fault_in_data_is_read_and_forgotten() -> None:
    before = truth_table()
    with broken("orders.truth"):
        assert truth_table() != before
    assert truth_table() == before


def test_a_function_held_by_somebody_is_broken_too() -> None:
    held = classify
    fixture = next(row for row in order_fixtures() if row.tag == "C")
    reply = "Your order ORD-10483 has been placed."
    calls = [ToolCall("create_order", {}, {"order_id": "ORD-10483"}, ok=False)]
    right = held(reply, calls).label
    with broken("orders.failed"):
        assert held(reply, calls).label != right
    assert held(reply, calls).label == right
    assert fixture.reply


def test_an_unknown_fault_is_named() -> None:
    with (
        pytest.raises(InputError, match=r"no 'ledger.x', expected one of ledger\.weekday"),
        broken("ledger.x"),
    ):
        pass


@pytest.mark.parametrize(
    ("file", "line", "other", "where"),
    [
        ("ledger.py", "MAX_CLAIM = 2_000\n", "MAX_CLAIM = 1\n", "<module>"),
        ("trace.py", "    ok: bool = True\n", "    ok: bool = False\n", "ToolCall"),
    ],
)
def test_a_fault_that_cannot_be_planted_says_so(
    file: str, line: str, other: str, where: str, listed: Callable[[Fault], str]
) -> None:
    """Outside a function nothing would be broken, and whoever looks would call the check good."""
    name = listed(Fault("x.y", "says", file, line, other, 1))
    before = code()
    with (
        broken("ledger.weekday"),
        pytest.raises(InputError, match=f"{where} is no function that can be exchanged"),
        broken(name),
    ):
        pass
    assert code() == before
    assert tuesday() == "GUESSED"


def test_two_faults_on_one_line_are_refused_and_the_first_stays(
    listed: Callable[[Fault], str],
) -> None:
    first = faults()["ledger.weekday"]
    name = listed(Fault("x.y", "says", first.file, first.line, "    wrong = []\n", 1))
    with broken("ledger.weekday"):
        with pytest.raises(InputError, match="0 times, not once"), broken(name):
            pass
        assert tuesday() == "TOOL"
    assert tuesday() == "GUESSED"


def test_faults_may_be_taken_out_in_any_order() -> None:
    before = code()
    first, second = broken("ledger.weekday"), broken("ledger.closed")
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert tuesday() == "GUESSED"
    second.__exit__(None, None, None)
    assert code() == before


@settings(max_examples=20)
@given(st.lists(st.sampled_from(sorted(faults())), max_size=4), st.randoms())
def test_any_faults_in_any_order_leave_the_library_whole(names: list[str], random: Random) -> None:
    for name in names:
        with broken(name):  # loads the file
            pass
    before, data = code(), dict(STAND_INS)
    planted = [broken(name) for name in names]
    for one in planted:
        one.__enter__()
    random.shuffle(planted)
    for one in planted:
        one.__exit__(None, None, None)
    assert (code(), STAND_INS) == (before, data)


def test_a_fault_moves_no_line() -> None:
    """What is told of an error names the line of the file that is there."""
    text = (PACKAGE / "ledger.py").read_text(encoding="utf-8")
    fault = faults()["ledger.closed"]
    assert fault.line.count("\n") > fault.broken.count("\n")
    assert with_fault(fault, text).count("\n") == text.count("\n")
    longer = Fault("f", "says", "ledger.py", fault.line, fault.line * 2, 1)
    with pytest.raises(InputError, match="puts in 2 lines more than it takes out"):
        with_fault(longer, text)


def test_a_fault_whose_line_is_gone_is_refused() -> None:
    fault = Fault("f", "says", "ledger.py", "no such line", "x", 1)
    with pytest.raises(InputError, match=r"its line is in ledger\.py 0 times, not once"):
        with_fault(fault, "text")


# -- the course's own table ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def course() -> CourseProbe:
    return probe_course()


def test_the_final_judges_have_no_undocumented_survivor(course: CourseProbe) -> None:
    assert course.undocumented() == ()
    assert course.outdated() == ()
    assert course.passed


def test_a_stricter_judge_kills_more(course: CourseProbe) -> None:
    for lab in LABS:
        killed = [row.report.score.killed for row in course.rows if row.lab == lab]
        assert killed == sorted(killed), lab


def test_the_polite_judges_are_no_final_ones(course: CourseProbe) -> None:
    scores = {row.judge: row.report.score for row in course.rows}
    assert scores["self-grade"].killed == 0
    assert scores["called"].killed < scores["weekday"].killed < scores["field"].killed
    assert scores["first_reading"].spared < scores["first_reading"].healthy


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "lab"),
    [
        ("ledger.null", "rows"),
        ("templates.fingerprint", "sources"),
        ("templates.conditions", "drafts"),
        ("orders.failed", "traces"),
        ("orders.phone", "traces"),
        ("dialect.circumfix", "wordings"),
        ("dialect.future", "wordings"),
    ],
)
def test_a_broken_rule_shows_in_the_table(fault: str, lab: str) -> None:
    with broken(fault):
        assert not probe_course([lab]).passed, fault
    assert probe_course([lab]).passed


def test_a_limit_that_is_none_any_more_fails() -> None:
    course = probe_course(["wordings"])
    stale = Known("asserts_order_exists", "no such change", 5, "gone")
    found = CourseProbe(course.rows, (*course.known, stale))
    assert not found.passed
    assert "documented, and no longer so: no such change" in found.text()


def test_a_survivor_that_nobody_documented_fails() -> None:
    course = probe_course(["drafts"])
    assert not CourseProbe(course.rows, ()).passed
    assert "UNDOCUMENTED" in CourseProbe(course.rows, ()).text()


def test_kinds_add_up(course: CourseProbe) -> None:
    for row in course.rows:
        counts = by_kind(row.report)
        score = row.report.score
        assert sum(one["worlds"] for one in counts) == score.mutants + score.healthy
        assert sum(one["right"] for one in counts) == score.killed + score.spared


def test_every_limit_has_an_input_in_its_lesson() -> None:
    """A limit is listed with the lesson that shows it: there, its input can be found."""
    root = PACKAGE.parent
    for limit in known_limits():
        path = next((root / "notebooks").glob(f"{limit.lesson:02}_*.ipynb"))
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells)
        assert limit.change.split(": ")[-1] in text, limit.change


# -- a learner's own -----------------------------------------------------------------------------


@given(st.text(max_size=30))
def test_whatever_is_typed_is_answered(text: str) -> None:
    assert probe_predicate(text).headline()
    assert probe_predicate(text).to_records()


def test_the_whole_predicate_passes_and_a_pinned_one_does_not() -> None:
    whole = "held_out and claimed_acc == 0.91 and metric == 'accuracy'"
    assert probe_predicate(whole).passed
    assert not probe_predicate("False").passed
    assert probe_predicate(f"{whole} and epochs == 3").headline() == "killed 4 of 4, spared 5 of 7"


def test_calibration_counts_what_came_true() -> None:
    asked = predictions()["L5a"]
    stored: dict[str, Any] = {
        "L5a": {"choice": asked.answer, "confidence": 80},
        "L5b": {"choice": "Always", "confidence": 80},
        "nobody": {"choice": "x", "confidence": 80},
        "L4a": {"choice": "no such option", "confidence": 80},
        "L4b": "damaged",
    }
    found = calibration(stored)
    assert found.rows == ((80, 2, 1),)
    assert found.brier() == pytest.approx((0.2**2 + 0.8**2) / 2)
    assert calibration({}).brier() is None
    assert "nothing to calibrate" in calibration({}).text()


# -- the command ---------------------------------------------------------------------------------


def test_the_command_prints_the_table(claimlab: Command, course: CourseProbe) -> None:
    done = claimlab("probe")
    assert (done.returncode, done.stdout) == (0, course.text() + "\n")


def test_one_lab_as_json(claimlab: Command) -> None:
    done = claimlab("probe", "--lab", "sources", "--json")
    document = json.loads(done.stdout)
    assert document["passed"]
    assert {row["lab"] for row in document["rows"]} == {"sources"}


CHECKS = """
def never(*given):
    return False

def day(claim, row):
    return row["lab"].split()[0] in claim

boom = 3
"""


def test_a_check_of_ones_own(claimlab: Command, tmp_path: Path) -> None:
    (tmp_path / "my_checks.py").write_text(CHECKS, encoding="utf-8")
    done = claimlab("probe", "--lab", "rows", "--check", "my_checks:never", cwd=tmp_path)
    assert done.returncode == 1
    own = runpy.run_path(str(tmp_path / "my_checks.py"))["never"]
    assert done.stdout.startswith(probe_lab("rows", own, "my_checks:never").text())
    assert done.stdout.endswith("RESULT: FAIL\n")
    done = claimlab("probe", "--lab", "rows", "--check", "my_checks:day", "--json", cwd=tmp_path)
    assert "no verdict" in {row["did"] for row in json.loads(done.stdout)["rows"]}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--lab", "x"], "lab: expected some of rows, facts"),
        (["--check", "my_checks:day"], "--check goes with one --lab"),
        (["--lab", "rows,facts", "--check", "my_checks:day"], "--check goes with one --lab"),
        (["--lab", "rows", "--check", "my_checks"], "expected module:function, got 'my_checks'"),
        (["--lab", "rows", "--check", "no_such:f"], "cannot be imported (ModuleNotFoundError"),
        (["--lab", "rows", "--check", "my_checks:boom"], "has no function 'boom'"),
    ],
)
def test_bad_usage_is_one_line(
    arguments: list[str], told: str, claimlab: Command, tmp_path: Path
) -> None:
    (tmp_path / "my_checks.py").write_text(CHECKS, encoding="utf-8")
    done = claimlab("probe", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_check_that_changes_its_world_spoils_no_other(course: CourseProbe) -> None:
    def emptied(claim: str, row: Any) -> bool:
        backed = judge_claim(claim, row).source == "TOOL"
        if isinstance(row, dict):
            row.clear()
        return backed

    def failed(reply: str, calls: Any) -> bool:
        backed = classify(reply, calls).label in ("valid", "valid_status_ref", "no_claim")
        for call in calls:
            call.result.clear()
        return backed

    scores = {row.judge: row.report.score for row in course.rows}
    assert probe_lab("rows", emptied, "emptied").score == scores["field"]
    assert probe_lab("traces", failed, "failed").score == scores["classify"]


def test_always_fail_kills_everything(course: CourseProbe) -> None:
    for lab in LABS:
        score = probe_lab(lab, lambda *given: False, "always FAIL").score
        assert (score.killed, score.spared) == (score.mutants, 0)
