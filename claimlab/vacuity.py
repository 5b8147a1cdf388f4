"""Can a predicate fail? Can it hold? Decided over the facts' types, with witnesses that were run.

Each comparison is solved for its fact in exact rationals. The solutions are breakpoints; between
two of them the comparison does not change. So one representative of every cell stands for all its
values. Facts that are compared with each other share their breakpoints and need as many
representatives a cell as there are facts. What is left is a search over yes/no combinations, which
stops as soon as the answer is known.

Three answers: ``contingent``, ``always_true``, ``always_false``; and ``undecided`` where the search
would pass its cap, or where arithmetic joins several facts and no witnesses were found.
"""

from __future__ import annotations

import itertools
import math
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple

from claimlab.predicates import (
    Arithmetic,
    Compare,
    Logic,
    Member,
    Name,
    Node,
    Predicate,
    Scalar,
    UnsafePredicate,
    Value,
    evaluate,
    truth_of,
)

Kind = Literal["contingent", "always_true", "always_false", "undecided"]
Facts = Mapping[str, Scalar]

MAX_STEPS: Final = 20_000
"""How many partial combinations are looked at before the answer is ``undecided``."""
MAX_JOINT: Final = 20_000
"""How many joint values of facts that are compared with each other are looked at."""
MAX_DRAWS: Final = 300
"""How many combinations of values are drawn where deciding exactly would pass the cap."""


@dataclass(frozen=True)
class Vacuity:
    """What can become of a predicate, and facts over which it holds and fails, where there are."""

    kind: Kind
    holds_when: dict[str, Scalar] | None = None
    fails_when: dict[str, Scalar] | None = None


class _Candidate(NamedTuple):
    """A value of a fact: exactly, for deciding, and as Python's own value, for running."""

    exact: Any
    run: Scalar


class _Option(NamedTuple):
    """One way the comparisons of a group can come out, and values that bring it about."""

    truth: dict[int, bool]
    values: dict[str, _Candidate]


class _TooMuchError(Exception):
    """The search passed its cap."""


# -- comparisons as atoms ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Atom:
    """A comparison: the facts in it, and how to decide it from their exact values.

    ``breaks`` holds, for each fact, the values at which the comparison changes. ``exact`` is false
    for arithmetic over several facts: such an atom may come out either way, for all we know.
    """

    names: tuple[str, ...]
    test: Any
    breaks: tuple[Any, ...] = ()
    exact: bool = True
    slopes: tuple[tuple[str, Fraction], ...] = ()
    offset: Fraction = Fraction(0)

    def solved_for(self, name: str, facts: Facts) -> Fraction | None:
        """The value of one fact at which this sum meets its offset, the others as given."""
        slopes = dict(self.slopes)
        if name not in slopes:
            return None
        rest = sum(
            (slope * Fraction(facts[n] or 0) for n, slope in self.slopes if n != name),
            Fraction(0),
        )
        return (self.offset - rest) / slopes[name]


_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def _linear(node: Node) -> tuple[dict[str, Fraction], Fraction]:
    """Return a number's expression as coefficients of facts and a constant, exactly."""
    if isinstance(node, Name):
        return {node.id: Fraction(1)}, Fraction(0)
    if isinstance(node, Value):
        return {}, Fraction(node.value)
    assert isinstance(node, Arithmetic)
    left, c = _linear(node.left)
    right, d = _linear(node.right)
    if node.op in "+-":
        sign = 1 if node.op == "+" else -1
        names = {**left, **right}
        return {n: left.get(n, 0) + sign * right.get(n, Fraction(0)) for n in names}, c + sign * d
    if node.op == "*":
        factor, side, rest = (c, right, d) if not left else (d, left, c)
        return {n: a * factor for n, a in side.items()}, rest * factor
    return {n: a / d for n, a in left.items()}, c / d


class _Reader:
    """Turns a tree into a formula over atoms."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.atoms: list[_Atom] = []
        self.known: dict[Any, int] = {}

    def formula(self, node: Node) -> Any:
        """Return nested tuples: ('atom', n), ('not', f), ('and' / 'or', parts), ('iff', f, g)."""
        if isinstance(node, Logic):
            parts = tuple(self.formula(part) for part in node.parts)
            return (node.op, parts[0]) if node.op == "not" else (node.op, parts)
        if isinstance(node, Member):
            links = [Compare("==", node.left, _literal(v), 0) for v in node.values]
            return ("or", tuple(self.compared(link) for link in links)) if links else False
        if isinstance(node, Compare):
            return self.compared(node)
        if isinstance(node, Value):
            return bool(node.value)
        assert isinstance(node, Name)
        return self.atom(("yes", node.id), _Atom((node.id,), lambda v: bool(v[0])))

    def atom(self, key: Any, atom: _Atom) -> Any:
        if key not in self.known:
            self.known[key] = len(self.atoms)
            self.atoms.append(atom)
        return ("atom", self.known[key])

    def compared(self, node: Compare) -> Any:
        left, right, op = node.left, node.right, node.op
        if op == "is":
            return self.is_null(left)
        if left.type == right.type == "yes-no":
            return self.compared_yes_no(op, self.formula(left), self.formula(right))
        if "null" in (left.type, right.type):
            return self.compared_null(op, left, right)
        if left.type == "number":
            return self.compared_numbers(op, node)
        return self.compared_texts(op, left, right)

    def is_null(self, left: Node) -> Any:
        if isinstance(left, Name) and left.type == "null":
            return self.atom(("null", left.id), _Atom((left.id,), lambda v: v[0] is None))
        return left.type == "null"

    def compared_yes_no(self, op: str, left: Any, right: Any) -> Any:
        if op in (">", ">="):
            left, right, op = right, left, _FLIPPED[op]
        if op == "==":
            return ("iff", left, right)
        if op == "!=":
            return ("not", ("iff", left, right))
        if op == "<":
            return ("and", (("not", left), right))
        return ("or", (("not", left), right))

    def compared_null(self, op: str, left: Node, right: Node) -> Any:
        """A fact that is null ranges over null and something else, of any type."""
        if not isinstance(left, Name):
            left, right = right, left
        equal: Any
        if isinstance(left, Name) and isinstance(right, Value):
            said = right.value
            test = lambda v: _same(v[0], said)  # noqa: E731
            key: Any = ("same", left.id, type(said).__name__, said)
            equal = self.atom(key, _Atom((left.id,), test, (said,)))
        elif isinstance(left, Name) and isinstance(right, Name) and left.id == right.id:
            equal = True
        elif isinstance(left, Value) and isinstance(right, Value):
            equal = _same(left.value, right.value)
        else:
            names = tuple(dict.fromkeys([*_names(left), *_names(right)]))
            key = ("loose", repr(left), repr(right))
            equal = self.atom(key, _Atom(names, None, exact=False))
        return ("not", equal) if op == "!=" else equal

    def compared_numbers(self, op: str, node: Compare) -> Any:
        left, c = _linear(node.left)
        right, d = _linear(node.right)
        if not left and not right:
            return bool(evaluate(node, {}))
        slopes = {
            n: left.get(n, Fraction(0)) - right.get(n, Fraction(0)) for n in {**left, **right}
        }
        slopes = {n: a for n, a in slopes.items() if a}
        offset = d - c
        if not slopes:
            return truth_of(op, Fraction(0), offset)
        if len(slopes) == 1:
            ((name, slope),) = slopes.items()
            point = offset / slope
            op = op if slope > 0 else _FLIPPED[op]
            return self.atom(
                (name, op, point), _Atom((name,), lambda v: truth_of(op, v[0], point), (point,))
            )
        names = tuple(sorted(slopes))
        if len(names) == 2 and not offset and slopes[names[0]] == -slopes[names[1]]:
            op = op if slopes[names[0]] > 0 else _FLIPPED[op]
            return self.atom((names, op), _Atom(names, lambda v: truth_of(op, v[0], v[1])))
        told = tuple(sorted(slopes.items()))
        atom = _Atom(names, None, exact=False, slopes=told, offset=offset)
        return self.atom((op, told, offset), atom)

    def compared_texts(self, op: str, left: Node, right: Node) -> Any:
        if isinstance(left, Value) and isinstance(right, Value):
            return truth_of(op, left.value, right.value)
        if isinstance(left, Value):
            left, right, op = right, left, _FLIPPED[op]
        assert isinstance(left, Name)
        if isinstance(right, Value):
            text = right.value
            return self.atom(
                (left.id, op, text), _Atom((left.id,), lambda v: truth_of(op, v[0], text), (text,))
            )
        assert isinstance(right, Name)
        if left.id == right.id:
            return op in ("==", "<=", ">=")
        names = (left.id, right.id)
        return self.atom((names, op), _Atom(names, lambda v: truth_of(op, v[0], v[1])))


def _literal(value: Scalar) -> Value:
    types = {bool: "yes-no", str: "text", type(None): "null"}
    return Value(value, types.get(type(value), "number"), 0)  # type: ignore[arg-type]


def _same(one: Scalar, other: Scalar) -> bool:
    return bool(one == other)


def _names(node: Node) -> Iterator[str]:
    if isinstance(node, Name):
        yield node.id
    elif isinstance(node, Arithmetic):
        yield from _names(node.left)
        yield from _names(node.right)


# -- values for facts ----------------------------------------------------------------------------


def _numbers(points: Sequence[Fraction], given: Any, count: int, whole: bool) -> list[_Candidate]:
    """Representatives of every cell: each breakpoint, and ``count`` values in every gap."""
    exact = sorted(set(points))
    found = [_Candidate(Fraction(given), given)]
    if whole:
        found += [_Candidate(p, int(p)) for p in exact if p.denominator == 1]
    else:
        for point in exact:
            near = _float(point)
            found += [_Candidate(Fraction(v), v) for v in near[:1]]
            if near and Fraction(near[0]) != point:  # no float is this point: run its neighbours
                found += [_Candidate(point, v) for v in near]
    edges: list[Fraction | None] = [None, *exact, None]
    for low, high in itertools.pairwise(edges):
        values = _whole_between(low, high, count) if whole else _real_between(low, high, count)
        found += [_Candidate(Fraction(v), v) for v in values]
    return found


def _float(point: Fraction) -> list[float]:
    try:
        near = float(point)
    except OverflowError:
        return []
    up, down = math.nextafter(near, math.inf), math.nextafter(near, -math.inf)
    return [v for v in (near, up, down) if math.isfinite(v)]


def _whole_between(low: Fraction | None, high: Fraction | None, count: int) -> list[int]:
    """Whole numbers of a gap, ``count`` beside each end."""
    if low is None and high is None:
        return list(range(count))
    first = None if low is None else math.floor(low) + 1
    last = None if high is None else math.ceil(high) - 1
    if first is None:
        assert last is not None
        return [last - n for n in range(count)]
    if last is None:
        return [first + n for n in range(count)]
    below = range(first, min(first + count, last + 1))
    above = range(max(first, last - count + 1), last + 1)
    return sorted({*below, *above})


def _real_between(low: Fraction | None, high: Fraction | None, count: int) -> list[float]:
    """Floats strictly inside a gap, short ones where there are some."""
    if low is None and high is None:
        return [float(n) for n in range(count)]
    if low is None or high is None:
        edge = high if low is None else low
        assert edge is not None
        step = max(Fraction(1, 10), abs(edge) / 10) * (-1 if low is None else 1)
    else:
        edge, step = low, (high - low) / (count + 1)
    found: list[float] = []
    for n in range(1, count + 1):
        point = edge + n * step
        if abs(point) > _LARGEST:  # no float lies there: stay between the edge and the largest one
            end = _LARGEST if step > 0 else -_LARGEST
            point = edge + (end - edge) * n / (count + 1)
        for value in _short_floats(point):
            inside = (low is None or value > low) and (high is None or value < high)
            if inside and value not in found:
                found.append(value)
                break
    return found


def _short_floats(point: Fraction) -> Iterator[float]:
    try:
        value = float(point)
    except OverflowError:
        return
    if abs(value) < 1e15:
        for digits in (1, 2, 3, 6):
            yield round(value, digits)
    yield value


_LARGEST: Final = Fraction(sys.float_info.max)


def _texts(points: Sequence[str], given: str, count: int) -> list[_Candidate]:
    """Each literal, and the texts that follow it at once: it with one NUL, with two, ..."""
    exact = sorted({"", *points})
    found = [given, *exact, "other", "zz"]
    for low, high in itertools.pairwise([*exact, None]):
        for n in range(1, count + 1):
            text = f"{low}{chr(0) * n}"
            if high is None or text < high:
                found.append(text)
    return [_Candidate(text, text) for text in found]


_ELSE: tuple[Scalar, ...] = ("something else", -1, True)


def _nulls(points: Sequence[Any]) -> list[_Candidate]:
    fresh = "something else"
    while fresh in points:
        fresh += " again"
    found: list[Scalar] = [None, *points, fresh, *_ELSE]
    return [_Candidate(value, value) for value in found]


# -- groups of facts -----------------------------------------------------------------------------


def _groups(names: Sequence[str], atoms: Sequence[_Atom]) -> list[list[str]]:
    """Facts that are compared with each other, directly or through others, are one group."""
    leader = {name: name for name in names}

    def find(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for atom in atoms:
        if atom.exact:
            for name in atom.names[1:]:
                leader[find(name)] = find(atom.names[0])
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(find(name), []).append(name)
    return list(found.values())


def _candidates(
    group: Sequence[str], atoms: Sequence[_Atom], facts: Facts
) -> list[list[_Candidate]]:
    points = [p for a in atoms if a.exact and set(a.names) <= set(group) for p in a.breaks]
    result = []
    kinds = {type(facts[name]) for name in group}
    mixed = kinds == {int, float}
    whole_values: set[Fraction] = set()
    if mixed:
        for low, high in itertools.pairwise([None, *sorted(set(points)), None]):
            whole_values.update(map(Fraction, _whole_between(low, high, len(group))))
    for name in group:
        given = facts[name]
        if isinstance(given, bool):
            result.append([_Candidate(v, v) for v in (given, not given)])
        elif given is None:
            result.append(_nulls(points))
        elif isinstance(given, str):
            result.append(_texts(points, given, len(group)))
        elif isinstance(given, int):
            result.append(_numbers(points, given, len(group), whole=True))
        else:  # beside whole-number facts, reals are needed between the whole numbers too
            result.append(_numbers([*points, *whole_values], given, len(group), whole=False))
    return result


def _options(group: Sequence[str], atoms: Sequence[_Atom], facts: Facts) -> list[_Option]:
    """Return the ways in which the group's comparisons can come out, the given facts' way first."""
    own = [(n, a) for n, a in enumerate(atoms) if a.exact and set(a.names) <= set(group)]
    tests = [(n, a.test, tuple(group.index(name) for name in a.names)) for n, a in own]
    choices = _candidates(group, atoms, facts)
    if math.prod(map(len, choices)) > MAX_JOINT:
        raise _TooMuchError
    found: dict[tuple[bool, ...], _Option] = {}
    for values in itertools.product(*choices):
        truth = tuple(test([values[i].exact for i in places]) for _, test, places in tests)
        if truth not in found:
            numbered = {n: value for (n, _, _), value in zip(tests, truth, strict=True)}
            found[truth] = _Option(numbered, dict(zip(group, values, strict=True)))
    return list(found.values())


# -- the search ----------------------------------------------------------------------------------


def _kleene(formula: Any, truth: Mapping[int, bool]) -> bool | None:
    """Return the formula's value where the atoms known so far decide it."""
    if formula is True or formula is False:
        return bool(formula)
    op = formula[0]
    if op == "atom":
        return truth.get(formula[1])
    if op == "not":
        value = _kleene(formula[1], truth)
        return None if value is None else not value
    if op == "iff":
        left, right = _kleene(formula[1], truth), _kleene(formula[2], truth)
        return None if left is None or right is None else left == right
    decisive = op == "or"
    unknown = False
    for part in formula[1]:
        value = _kleene(part, truth)
        if value is decisive:
            return decisive
        unknown = unknown or value is None
    return None if unknown else not decisive


class _Search:
    """Looks for a combination of options under which a formula has a wanted value."""

    def __init__(self, groups: Sequence[Sequence[_Option]]) -> None:
        self.groups = sorted(groups, key=len)
        self.steps = 0

    def find(self, value_of: Any, wanted: bool) -> list[_Option] | None:
        """Return options, one a group as far as needed; None when there is no such combination."""
        return self._from(0, {}, [], value_of, wanted)

    def _from(
        self,
        index: int,
        truth: dict[int, bool],
        chosen: list[_Option],
        value_of: Any,
        wanted: bool,
    ) -> list[_Option] | None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise _TooMuchError
        value = value_of(truth)
        if value is not None:
            return chosen if value == wanted else None
        if index == len(self.groups):
            return None
        for option in self.groups[index]:
            found = self._from(
                index + 1, {**truth, **option.truth}, [*chosen, option], value_of, wanted
            )
            if found is not None:
                return found
        return None


class _Question:
    """One predicate, read into a formula, with the options of its facts."""

    def __init__(self, predicate: Predicate) -> None:
        self.predicate = predicate
        self.facts: dict[str, Scalar] = dict(predicate.facts)
        reader = _Reader(self.facts)
        self.formula = reader.formula(predicate.tree)
        self.atoms = reader.atoms
        used = [n for n in predicate.names if any(n in a.names for a in self.atoms)]
        self.groups = _groups(used, self.atoms)
        self.exact = all(atom.exact for atom in self.atoms)

    def options(self) -> list[list[_Option]]:
        """The options of each group; an atom that is not exact may come out either way."""
        found = [_options(group, self.atoms, self.facts) for group in self.groups]
        for number, atom in enumerate(self.atoms):
            if not atom.exact:
                found.append([_Option({number: True}, {}), _Option({number: False}, {})])
        return found

    def value(self, truth: Mapping[int, bool]) -> bool | None:
        return _kleene(self.formula, truth)

    def runs(self, values: Mapping[str, Scalar]) -> bool | None:
        try:
            return self.predicate.holds({**self.facts, **values})
        except UnsafePredicate:
            return None

    def witness(self, options: Sequence[_Option], wanted: bool) -> dict[str, Scalar] | None:
        """Return the facts of these options, after running the predicate on them."""
        values = {n: c.run for option in options for n, c in option.values.items()}
        told = {**self.facts, **values}
        return told if self.runs(told) is wanted else None

    def sampled(self, wanted: bool) -> dict[str, Scalar] | None:
        """Look for a witness among values of every fact, by running the predicate.

        One fact is changed at a time, then combinations are drawn, by a seed.
        """
        choices = {name: self.values_of(name) for name in self.predicate.names}
        near = ({name: value} for name, values in choices.items() for value in values)
        draw = random.Random(0)
        drawn = ({n: draw.choice(v) for n, v in choices.items()} for _ in range(10 * MAX_DRAWS))
        for values in itertools.chain(near, drawn):
            if self.runs(values) is wanted:
                return {**self.facts, **values}
        return None

    def values_of(self, name: str) -> list[Scalar]:
        """Values to try for a fact: those that stand for a cell, and plain ones."""
        values = _plain_values(self.facts[name], self.predicate.tree)
        for group in self.groups:
            if name in group:
                cells = _candidates(group, self.atoms, self.facts)[group.index(name)]
                values = [*(c.run for c in cells), *values]
        return list(dict.fromkeys([*self.solutions(name, {}), *values]))

    def solutions(self, name: str, others: Mapping[str, Scalar]) -> list[Scalar]:
        """Values of a number at which a comparison over several facts may change."""
        found: list[Scalar] = []
        for atom in self.atoms:
            point = atom.solved_for(name, {**self.facts, **others})
            if point is not None and abs(point) < 10**30:
                whole = isinstance(self.facts[name], int)
                found += [math.floor(point), math.ceil(point)] if whole else [float(point)]
        return found


def _plain_values(given: Scalar, tree: Node) -> list[Scalar]:
    said = list(literals(tree))
    if isinstance(given, bool):
        return [given, not given]
    if given is None:
        return [None, *said[:4], *_ELSE]
    if isinstance(given, str):
        texts = [v for v in said if isinstance(v, str)]
        return list(dict.fromkeys([given, *texts[:4], "", "other"]))
    numbers = [v for v in said if isinstance(v, int | float) and not isinstance(v, bool)]
    near = [v + d for v in (given, *numbers[:4]) for d in (0, 1, -1)]
    wide = [0, 1, -1, 2, 10, -10, 1000, -1000, 10**9, -(10**9)]
    values: Iterable[Any] = [*near, *wide]
    if isinstance(given, int):
        return list(dict.fromkeys(int(v) for v in values))
    extra = [v + d for v in (given, *numbers[:4]) for d in (0.5, -0.5, 0.01, -0.01)]
    return list(dict.fromkeys(float(v) for v in [*values, *extra]))


def literals(node: Node) -> Iterator[Scalar]:
    """Yield the values that a predicate's tree holds, in no order to rely on."""
    if isinstance(node, Value):
        yield node.value
    elif isinstance(node, Logic):
        for part in node.parts:
            yield from literals(part)
    elif isinstance(node, Member):
        yield from node.values
        yield from literals(node.left)
    elif isinstance(node, Compare | Arithmetic):
        yield from literals(node.left)
        yield from literals(node.right)


def vacuity(predicate: Predicate) -> Vacuity:
    """Return whether a predicate can hold and can fail; see the module for how.

    >>> facts = {"epochs": 3, "held_out": False}
    >>> Predicate.parse("epochs > 2 or epochs <= 2", facts).vacuity().kind
    'always_true'
    >>> Predicate.parse("epochs < 3 or epochs > 3", facts).vacuity().fails_when
    {'epochs': 3}
    """
    question = _Question(predicate)
    found: dict[bool, dict[str, Scalar] | None] = {True: None, False: None}
    decided = {True: False, False: False}  # known to be impossible
    try:
        options = question.options()
        for wanted in (True, False):
            chosen = _Search(options).find(question.value, wanted)
            if chosen is None:
                decided[wanted] = True
            else:
                found[wanted] = question.witness(chosen, wanted)
    except _TooMuchError:
        pass
    given = question.runs({})
    if given is not None and found[given] is None:  # what runs at the given facts is never denied
        found[given], decided[given] = dict(question.facts), False
    for wanted in (True, False):
        if found[wanted] is None and not decided[wanted]:
            found[wanted] = question.sampled(wanted)
    holds, fails = found[True], found[False]
    if holds is not None and fails is not None:
        return Vacuity("contingent", holds, fails)
    if holds is not None and decided[False]:
        return Vacuity("always_true", holds, None)
    if fails is not None and decided[True]:
        return Vacuity("always_false", None, fails)
    return Vacuity("undecided", holds, fails)


def reads(predicate: Predicate) -> frozenset[str]:
    """Return the facts that the predicate reads: changing one alone can flip the answer.

    >>> facts = {"claimed_acc": 0.91, "held_out": False}
    >>> sorted(reads(Predicate.parse("claimed_acc == 0.91 and held_out == held_out", facts)))
    ['claimed_acc']
    """
    question = _Question(predicate)
    used = [n for n in predicate.names if any(n in atom.names for atom in question.atoms)]
    found: set[str] = set()
    steps = 0
    if question.exact:  # otherwise a comparison could come out in ways that no facts bring about
        try:
            options = {
                tuple(g): _options(g, question.atoms, question.facts) for g in question.groups
            }
            for name in used:
                group = next(g for g in question.groups if name in g)
                search = _Search([o for g, o in options.items() if list(g) != group])
                search.steps = steps
                if _flips(question, name, group, search):
                    found.add(name)
                steps = search.steps
            return frozenset(found)
        except _TooMuchError:
            pass
    found |= _read_on_the_way(question, vacuity(predicate))
    return frozenset(n for n in used if n in found or _flips_sampled(question, n))


def _read_on_the_way(question: _Question, witnesses: Vacuity) -> set[str]:
    """Go from facts that hold to facts that fail, one fact at a time: each flip is a read."""
    found: set[str] = set()
    given = dict(question.facts)
    ends = [w for w in (witnesses.holds_when, witnesses.fails_when, given) if w is not None]
    for start, end in itertools.permutations(ends, 2):
        for names in (list(start), list(start)[::-1]):
            now = dict(start)
            for name in names:
                before = question.runs(now)
                now[name] = end[name]
                if {before, question.runs(now)} == {True, False}:
                    found.add(name)
    return found


def _flips(question: _Question, name: str, group: Sequence[str], search: _Search) -> bool:
    for one, other in _pairs(question, name, group):

        def differ(truth: Mapping[int, bool], one: Any = one, other: Any = other) -> bool | None:
            first = question.value({**truth, **one})
            second = question.value({**truth, **other})
            return None if first is None or second is None else first != second

        if search.find(differ, True) is not None:
            return True
    return False


def _pairs(
    question: _Question, name: str, group: Sequence[str]
) -> Iterator[tuple[dict[int, bool], dict[int, bool]]]:
    """Outcomes of the group's comparisons before and after a change of this one fact."""
    atoms = [(n, a) for n, a in enumerate(question.atoms) if a.exact and set(a.names) <= set(group)]
    choices = _candidates(group, question.atoms, question.facts)
    place = group.index(name)
    rest = [c for i, c in enumerate(choices) if i != place]
    if math.prod(map(len, choices)) > MAX_JOINT:
        raise _TooMuchError
    seen = set()
    for fixed in itertools.product(*rest):
        outcomes = {}
        for value in choices[place]:
            joint = [*fixed[:place], value, *fixed[place:]]
            truth = {n: a.test([joint[group.index(m)].exact for m in a.names]) for n, a in atoms}
            outcomes[tuple(truth.items())] = truth
        for one, other in itertools.combinations(outcomes, 2):
            if (one, other) not in seen:
                seen.add((one, other))
                yield outcomes[one], outcomes[other]


def _flips_sampled(question: _Question, name: str) -> bool:
    """By running: vary this fact over its values, the others over combinations drawn by a seed."""
    choices = {n: question.values_of(n) for n in question.predicate.names}
    draw = random.Random(0)
    for number in range(MAX_DRAWS):
        fixed = {n: draw.choice(values) for n, values in choices.items()} if number else {}
        tried = [*choices[name], *question.solutions(name, fixed)]
        came = {question.runs({**fixed, name: value}) for value in tried}
        if {True, False} <= came:
            return True
    return False
