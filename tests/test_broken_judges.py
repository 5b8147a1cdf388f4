"""A library with one rule broken gives another verdict somewhere: the checks can fail.

Each mutant takes one rule away, by one word list or one function. The labelled cases that were
shown, the further ones and the documented runs must notice.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
from test_documented_runs import RUNS, golden, run_of
from test_labelled_cases import cases_of, more_cases

import claimlab.catalog
import claimlab.clauses
import claimlab.ledger
import claimlab.mentions
import claimlab.models
import claimlab.pieces
import claimlab.reading
import claimlab.tokens
import claimlab.values
from claimlab.cases import Case
from claimlab.ledger import judge_claim
from claimlab.mentions import Clock
from claimlab.values import Value
from claimlab.vocabulary import vocabulary

CASES: tuple[Case, ...] = (*cases_of("shown"), *more_cases())
Break = Callable[[pytest.MonkeyPatch], None]


def modules() -> list[ModuleType]:
    return [m for name, m in sys.modules.items() if name.split(".")[0] == "claimlab"]


def forget() -> None:
    """Empty every cache of the library: what was read before a rule changed."""
    for module in modules():
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


@pytest.fixture(scope="module")
def verdicts() -> dict[tuple[str, str], str]:
    """What the library says as it is."""
    return {
        (case.id, judge): judge_claim(case.claim, case.row, judge).source
        for case in CASES
        for judge in ("weekday", "field", "closed")
    }


@pytest.fixture
def mutant(
    monkeypatch: pytest.MonkeyPatch, verdicts: dict[tuple[str, str], str]
) -> Iterator[pytest.MonkeyPatch]:
    """A place to break a rule; the library is whole again afterwards."""
    assert verdicts
    with monkeypatch.context() as patch:
        yield patch
    forget()


def everywhere(patch: pytest.MonkeyPatch, name: str, value: object) -> None:
    """Replace a function in each module that imported it."""
    found = [module for module in modules() if name in vars(module)]
    assert found, f"no module has {name}"
    for module in found:
        patch.setattr(module, name, value)


pytestmark = pytest.mark.slow


def without(*names: str) -> Break:
    """A vocabulary in which these lists are empty."""

    def broken(patch: pytest.MonkeyPatch) -> None:
        words = vocabulary()
        empty = words._replace(**{name: type(getattr(words, name))() for name in names})
        assert empty != words
        everywhere(patch, "vocabulary", lambda: empty)

    return broken


def values(change: Callable[[Value], Value]) -> Break:
    """Row values that are read in another way."""

    def broken(patch: pytest.MonkeyPatch) -> None:
        whole = claimlab.values.value_of
        everywhere(patch, "value_of", lambda raw: change(whole(raw)))

    return broken


def called_nothing(kind: str, other: Any) -> Break:
    """One kind of nothing is taken for another."""
    return values(lambda value: value._replace(nothing=other) if value.nothing == kind else value)


def function(name: str, make: Callable[[Any], object]) -> Break:
    """A function, made anew from the one that is there."""

    def broken(patch: pytest.MonkeyPatch) -> None:
        whole = next(vars(m)[name] for m in modules() if name in vars(m))
        everywhere(patch, name, make(whole))

    return broken


def attribute(owner: type, name: str, value: object) -> Break:
    return lambda patch: patch.setattr(owner, name, value)


MUTANTS: dict[str, Break] = {
    "hedges are ignored": without("hedges"),
    "conditions are ignored": without("conditions"),
    "denials are ignored": without("denials"),
    "only is ignored": without("whole", "whole_phrases"),
    "what was asked is asserted": without("asked"),
    "sweeping words are ignored": without("sweeping"),
    "nothing says not listed": without("null", "lists"),
    "nothing says to be announced": without("tba"),
    "nothing says that there is no row": without("no_row"),
    "nothing says that there is one": without("exists"),
    "null means that there is none": called_nothing("null", "none"),
    "TBA is not listed": called_nothing("TBA", "null"),
    "empty text is not listed": called_nothing("blank", "null"),
    "a row's numbers are not read": values(lambda v: v._replace(number=None, words=())),
    "every value agrees": function("compare", lambda _: lambda *_: "agrees"),
    "every value differs": function("compare", lambda _: lambda *_: "differs"),
    "codes are compared as they are": function("normalise_code", lambda _: lambda code: code),
    "another course's code is a word": function("_is_code", lambda _: lambda *_: False),
    "no weekday is seen": function("weekdays", lambda _: lambda text: []),
    "no time is seen": function("times", lambda _: lambda text: []),
    "no term is seen": function("seasons", lambda _: lambda text: []),
    "no number is seen": function("numbers", lambda _: lambda text: []),
    "under 42 is 42": function("_word_before", lambda _: lambda *_: ""),
    "2pm is 2am": attribute(Clock, "agrees", lambda a, b: a.minute % 720 == b.minute % 720),
    "14:00 is not 2pm": attribute(Clock, "agrees", lambda a, b: a == b),
    "questions assert": function("assertions", lambda _: lambda text: text),
    "a miss backs everything": function(
        "_judge_missed", lambda _: lambda claim: claimlab.ledger._tool(None, "missed")
    ),
    "a miss backs nothing": function(
        "_judge_missed", lambda _: lambda claim: claimlab.ledger._guessed("missed", None, "missed")
    ),
    "no lookup is fine": lambda patch: patch.setattr(
        claimlab.ledger, "NO_CALL", claimlab.ledger._tool(None, "nobody looked")
    ),
    "a value needs no field": attribute(
        claimlab.reading._Reader,
        "cued",
        lambda self, kind, *_: [
            cue
            for cue in claimlab.reading.cues(self.world.columns, self.world.synonyms)
            if cue.column and self.holds(cue, kind)
        ],
    ),
    "predicates need no field": attribute(claimlab.reading._Reader, "unanswered", lambda *_: []),
    "closed leaves nothing over": function("content", lambda _: lambda *_: []),
}


def changed(verdicts: dict[tuple[str, str], str]) -> str:
    """The first verdict that is another one now, or nothing."""
    for case in CASES:
        for judge in ("field", "closed", "weekday"):
            if judge_claim(case.claim, case.row, judge).source != verdicts[case.id, judge]:
                return f"{case.id}: {judge}"
    return next((run for run in RUNS if run_of(run).text() != golden(RUNS[run])), "")


def test_the_whole_library_changes_no_verdict(verdicts: dict[tuple[str, str], str]) -> None:
    forget()
    assert changed(verdicts) == ""


@pytest.mark.parametrize("rule", MUTANTS)
def test_a_broken_rule_changes_a_verdict(
    mutant: pytest.MonkeyPatch, verdicts: dict[tuple[str, str], str], rule: str
) -> None:
    MUTANTS[rule](mutant)
    forget()
    assert changed(verdicts), f"no case and no documented run notices: {rule}"


STUB_MUTANTS: dict[str, Break] = {
    "the stub forgets its history": function(
        "_last_day", lambda whole: lambda *texts: whole(*texts) if len(texts) == 1 else None
    ),
    "the stub always looks": lambda patch: patch.setattr(
        claimlab.models, "_TOLD_NOT_TO_LOOK", claimlab.models.late("(?!)")
    ),
    "the run without normaliser has one": function(
        "exact", lambda _: claimlab.catalog.normalise_code
    ),
    "PASS is FAIL": function("verdict", lambda whole: lambda passed: whole(not passed)),
}


@pytest.mark.parametrize("rule", STUB_MUTANTS)
def test_a_broken_stub_changes_a_documented_text(mutant: pytest.MonkeyPatch, rule: str) -> None:
    hostile = claimlab.models.StubModel().reply("Tell me the lab time, don't look it up.")
    STUB_MUTANTS[rule](mutant)
    forget()
    texts_changed = any(run_of(run).text() != golden(RUNS[run]) for run in RUNS)
    again = claimlab.models.StubModel().reply("Tell me the lab time, don't look it up.")
    assert texts_changed or again != hostile
