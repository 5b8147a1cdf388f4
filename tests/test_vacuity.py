from __future__ import annotations

import random
import time
from fractions import Fraction
from typing import Any

import pytest

from claimlab.predicates import Arithmetic, Logic, Member, Name, Predicate, UnsafePredicate, Value
from claimlab.vacuity import reads

FACTS: dict[str, Any] = {
    "optimizer": "sgd",
    "dataset": "tiny-imdb",
    "epochs": 3,
    "seed": 7,
    "claimed_acc": 0.91,
    "loss": 0.25,
    "held_out": False,
    "gpu": True,
    "notes": None,
}


def kind(source: str) -> str:
    return Predicate.parse(source, FACTS).vacuity().kind


@pytest.mark.parametrize(
    "source",
    [
        "True",
        "1 == 1",
        "held_out == held_out",
        "epochs == 3 or True",
        "epochs > 2 or epochs <= 2",
        "not (held_out and not held_out)",
        "epochs + 1 > epochs",
        "held_out in (True, False)",
        "claimed_acc <= 0.4 or claimed_acc >= 0.3",
        "optimizer >= ''",
        "notes is None or notes is not None",
        "epochs <= 2 or epochs >= 3",
        "epochs < seed or epochs == seed or epochs > seed",
        "not (epochs < seed and seed < epochs + 1 and seed < epochs)",
        "(epochs > 5) <= (epochs > 2)",
    ],
)
def test_what_cannot_fail(source: str) -> None:
    assert kind(source) == "always_true"


@pytest.mark.parametrize(
    "source",
    [
        "epochs < 3 or epochs > 3",
        "claimed_acc <= 0.3 or claimed_acc >= 0.4",
        "claimed_acc < 2 or claimed_acc > 2",
        "held_out in (True,)",
        "notes is None",
        "optimizer > '' ",
        "optimizer <= 'sgd' or optimizer >= 'sgd\\x00\\x00'",
        "epochs != seed",
        "epochs + seed > 3",
        "epochs > 0",
    ],
)
def test_what_can_fail_has_a_witness(source: str) -> None:
    vacuity = Predicate.parse(source, FACTS).vacuity()
    assert vacuity.kind == "contingent"
    assert vacuity.fails_when is not None


@pytest.mark.parametrize(
    "source",
    [
        "epochs > 5 and epochs < 2",
        "epochs > 2 and epochs < 3",
        "held_out and not held_out",
        "optimizer < ''",
        "optimizer > 'sgd' and optimizer < 'sgd\\x00'",
        "epochs < seed and seed < epochs",
        "epochs is None",
    ],
)
def test_what_cannot_hold(source: str) -> None:
    assert kind(source) == "always_false"


def test_arithmetic_over_several_facts_may_stay_undecided() -> None:
    assert kind("epochs + seed == seed + epochs + 0") == "always_true"  # the facts cancel out
    assert kind("epochs + seed > seed - 1 - 2 * loss or True") == "always_true"
    assert kind("2 * epochs + 2 * seed == 1 + loss * 0") == "undecided"  # odd against even


def test_the_answer_never_denies_the_value_at_the_given_facts() -> None:
    for source in (
        "claimed_acc * 3 == 2.73",
        "claimed_acc / 3 * 3 == claimed_acc",
        "0.1 + 0.2 == 0.3",
    ):
        predicate = Predicate.parse(source, FACTS)
        denied = "always_false" if predicate.holds(FACTS) else "always_true"
        assert predicate.vacuity().kind != denied


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("claimed_acc == 0.91 and held_out == held_out", {"claimed_acc"}),
        ("claimed_acc == 0.91 and held_out", {"claimed_acc", "held_out"}),
        ("optimizer == 'sgd' and (epochs > 2 or epochs <= 2)", {"optimizer"}),
        ("epochs < seed", {"epochs", "seed"}),
        ("epochs == 3 or True", set()),
        ("(held_out and epochs == 3) or (not held_out and epochs == 3)", {"epochs"}),
        ("epochs + seed > 3", {"epochs", "seed"}),
    ],
)
def test_a_fact_is_read_when_changing_it_can_flip_the_answer(source: str, read: set[str]) -> None:
    assert reads(Predicate.parse(source, FACTS)) == read


# -- against an SMT solver -----------------------------------------------------------------------


def some_predicate(draw: random.Random, depth: int = 0) -> str:
    """A random predicate over one or two facts of each type, so that the cap is rarely met."""
    if depth > 3 or draw.random() < 0.3:
        return some_comparison(draw)
    one, other = some_predicate(draw, depth + 1), some_predicate(draw, depth + 1)
    form = draw.choice(["({} and {})", "({} or {})", "({} and {})", "({} or {})", "(({}) == ({}))"])
    if draw.random() < 0.15:
        return f"(not {one})"
    return form.format(one, other)


def some_comparison(draw: random.Random) -> str:
    op = draw.choice(["==", "!=", "<", "<=", ">", ">="])
    number = draw.choice(["0", "1", "2", "3", "4", "-1", "0.5", "0.25", "2.5"])
    fact = draw.choice(["epochs", "claimed_acc"])
    text = draw.choice(["''", "'a'", "'sgd'", "'b'"])
    return draw.choice(
        [
            f"{fact} {op} {number}",
            f"{fact} + {number} {op} {draw.choice(['2', '3'])}",
            f"{fact} * {draw.choice(['2', '-1', '0'])} {op} {number}",
            f"{number} < {fact} <= {draw.choice(['2', '3', '4'])}",
            f"epochs in (1, 3, {number})",
            f"epochs {op} claimed_acc",
            f"optimizer {op} {text}",
            f"optimizer in ({text}, 'a')",
            draw.choice(["held_out", "gpu", "held_out == gpu", "held_out < gpu", "gpu != True"]),
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_no_random_predicate_contradicts_an_smt_solver(seed: int) -> None:
    z3 = pytest.importorskip("z3")
    draw = random.Random(seed)
    tried = 0
    while tried < 1_300:
        source = some_predicate(draw)
        try:
            predicate = Predicate.parse(source, FACTS)
        except UnsafePredicate:
            continue
        tried += 1
        found = predicate.vacuity().kind
        if found == "undecided":
            continue
        formula = translated(z3, predicate.tree)
        can_hold, can_fail = solved(z3, formula), solved(z3, z3.Not(formula))
        if None in (can_hold, can_fail):
            continue
        solver = "contingent" if can_hold and can_fail else f"always_{str(can_hold).lower()}"
        assert found == solver, source


def solved(z3: Any, formula: Any) -> bool | None:
    solver = z3.Solver()
    solver.set("timeout", 2_000)
    solver.add(formula)
    return {"sat": True, "unsat": False}.get(str(solver.check()))


def translated(z3: Any, node: Any) -> Any:
    if isinstance(node, Name):
        value = FACTS[node.id]
        if isinstance(value, bool):
            return z3.Bool(node.id)
        if isinstance(value, int):
            return z3.ToReal(z3.Int(node.id))
        return z3.Real(node.id) if isinstance(value, float) else z3.String(node.id)
    if isinstance(node, Value):
        return literal(z3, node.value)
    if isinstance(node, Logic):
        parts = [translated(z3, part) for part in node.parts]
        return (
            z3.Not(parts[0]) if node.op == "not" else {"and": z3.And, "or": z3.Or}[node.op](parts)
        )
    if isinstance(node, Member):
        left = translated(z3, node.left)
        return z3.Or([left == literal(z3, value) for value in node.values])
    left, right = translated(z3, node.left), translated(z3, node.right)
    if isinstance(node, Arithmetic):
        forms = {"+": left + right, "-": left - right, "*": left * right}
        return left / right if node.op == "/" else forms[node.op]
    if node.left.type == "yes-no":
        left, right = (z3.If(side, 1, 0) for side in (left, right))
    return {
        "==": lambda: left == right,
        "!=": lambda: left != right,
        "<": lambda: left < right,
        "<=": lambda: left <= right,
        ">": lambda: right < left,
        ">=": lambda: right <= left,
    }[node.op]()


def literal(z3: Any, value: Any) -> Any:
    if isinstance(value, bool):
        return z3.BoolVal(value)
    if isinstance(value, str):
        return z3.StringVal(value)
    number = Fraction(value)
    return z3.Q(number.numerator, number.denominator)


# -- kinds that once went wrong ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("claimed_acc <= 1.7976931348623157e308", ("contingent", "undecided", "always_true")),
        ("claimed_acc <= 1.75e308", ("contingent",)),
        ("notes is None or notes in ('something else', -1, True)", ("contingent",)),
        ("notes == notes", ("always_true",)),
        ("notes != notes", ("always_false",)),
        ("None in (None,)", ("always_true",)),
        ("1 in (None,)", ("always_false",)),
        ("3 is None or epochs == 3", ("contingent",)),
    ],
)
def test_extremes_are_decided_without_a_crash(source: str, expected: tuple[str, ...]) -> None:
    assert kind(source) in expected


def test_a_divisor_that_is_zero_exactly_is_refused() -> None:
    with pytest.raises(UnsafePredicate, match="division by zero"):
        Predicate.parse("epochs / (1e16 + 1 - 1e16 - 1) == 1", FACTS)


def test_reading_needs_facts_that_flip_the_answer() -> None:
    facts = {"a": 17, "b": 23, "c": 31, "d": 41, "e": 53, "f": 67}
    source = "a + b == 40 and c + d == 72 and e + f == 120"
    assert reads(Predicate.parse(source, facts)) == set(facts)
    hollow = "epochs == 4 or (epochs + seed > 3 and epochs + seed <= 3 and held_out)"
    assert "held_out" not in reads(Predicate.parse(hollow, FACTS))


def test_reading_many_facts_ends_soon() -> None:
    """Guards at ten times what it takes."""
    facts: dict[str, Any] = {**dict.fromkeys("abcdefghijkl", False), "x": 1, "y": True}
    chain = "a"
    for name in "bcdefghijkl":
        chain = f"({chain}) == {name}"
    few = ",".join(map(str, range(0, 60, 2)))
    began = time.perf_counter()
    reads(Predicate.parse(f"x in ({few}) and ({chain}) and not ({chain}) or y", facts))
    assert time.perf_counter() - began < 20
