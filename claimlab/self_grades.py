"""What a model says of answers, its own among them: is that right, yes or no?

The question is put as fairly as we know how: with as many right as wrong graded examples, in both
orders of the two words, and with the probability of "yes" beside the word. The labels are those of
the answers (claimlab.answers) and of the claims about training runs (below); no grade set one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from claimlab.answers import answers
from claimlab.errors import InputError
from claimlab.files import read_records
from claimlab.intervals import Share, interval, share_by_rows
from claimlab.jury import Fixture, World, decide
from claimlab.jury_cases import Confusion
from claimlab.predicates import Predicate
from claimlab.recording_plans import ORDERS, author_statements, recorded_worlds
from claimlab.recordings import RECORDINGS, Completion, read_recording

RUN_LABELS = RECORDINGS / "run_labels.jsonl"


@dataclass(frozen=True)
class Graded:
    """One grade: of an answer or claim that is ``right`` or not, by the label.

    ``group`` is the row or world that the answer is about, ``kind`` the kind of question that it
    answers. ``author`` is ``model`` for what the
    grader wrote itself, ``planted`` for such an answer with an error put in, ``other`` for what the
    author of the course wrote. ``how`` says how it was asked, ``order`` in which order of words.
    """

    completion: Completion
    group: str
    kind: str
    text: str
    author: str
    how: str
    order: str
    right: bool

    @property
    def says(self) -> bool:
        """Whether the model says yes: the more probable of the two words."""
        return self.p_yes > 0.5

    @property
    def p_yes(self) -> float:
        """The probability of yes against no."""
        return float(self.completion.p_yes or 0.0)


def graded(name: str = "grades") -> tuple[Graded, ...]:
    """Return the grades of a recording: ``grades`` (lab 1), ``run_grades`` (2) or ``judge`` (4)."""
    labels: dict[str, bool] = {}
    if name == "grades":
        labels = {answer.completion.id: answer.label == "TOOL" for answer in answers()}
    elif name == "run_grades":
        labels = {claim.id: claim.right for claim in run_claims()}
    return tuple(_graded(completion, labels) for completion in read_recording(name))


def _graded(completion: Completion, labels: Mapping[str, bool]) -> Graded:
    about = completion.about
    if completion.p_yes is None:
        raise InputError(f"{completion.id}: expected a probability of yes, the endpoint gave none")
    right = labels[about["of"]] if about["author"] == "model" else about["right"]
    return Graded(
        completion,
        about.get("code") or about["world"],
        about.get("of", "//").split("/")[1],
        about.get("answer") or about["claim"],
        about["author"],
        about["how"],
        about["order"],
        right,
    )


CONDITIONS: Mapping[str, tuple[str, str, str]] = {
    "its own, yes or no": ("model", "fair", ORDERS[0]),
    "its own, no or yes": ("model", "fair", ORDERS[1]),
    "the author's, yes or no": ("other", "fair", ORDERS[0]),
    "the author's, no or yes": ("other", "fair", ORDERS[1]),
    "its own, be harsh": ("model", "harsh", ORDERS[0]),
    "its own, row withheld": ("model", "bare", ORDERS[0]),
    "its own, verdict leaked": ("model", "told", ORDERS[0]),
}
"""Ways to ask for a grade: whose answers, how, and in which order of the two words."""


@dataclass(frozen=True)
class GradeTable:
    """How often the model said yes of right and of wrong answers, with intervals."""

    right: Share
    wrong: Share
    auc: float
    low: float
    high: float


def grade_tables(grades: Sequence[Graded]) -> dict[str, GradeTable]:
    """Return the table of each condition that the grades hold."""
    tables = {}
    for name, wanted in CONDITIONS.items():
        chosen = [g for g in grades if (g.author, g.how, g.order) == wanted]
        if chosen:
            tables[name] = grade_table(chosen)
    return tables


def grade_table(grades: Sequence[Graded]) -> GradeTable:
    """Return the shares of yes, and how well the probability tells right from wrong (AUC).

    The AUC is the probability that a right answer gets a higher P(yes) than a wrong one: 0.5 is a
    coin (Hanley and McNeil 1982). Intervals come from resampling rows.
    """
    rows = _by_group(grades)
    low, high = interval(rows, auc)
    return GradeTable(
        share_by_rows([[g.says for g in row if g.right] for row in rows]),
        share_by_rows([[g.says for g in row if not g.right] for row in rows]),
        auc(rows),
        low,
        high,
    )


def grade_text(tables: Mapping[str, GradeTable]) -> str:
    """Return the tables as plain text, a line a condition."""
    lines = [f"{'':<26}{'yes of the right':<25}{'yes of the wrong':<27}AUC"]
    for name, table in tables.items():
        told = f"{table.auc:.2f} ({table.low:.2f} to {table.high:.2f})"
        lines.append(f"{name:<26}{table.right!s:<25}{table.wrong!s:<27}{told}")
    return "\n".join(lines)


def grade_reading(tables: Mapping[str, GradeTable]) -> str:
    """Return the plot in words, a line a condition: what the grade tells about the answer."""
    lines = []
    for name, table in tables.items():
        apart = table.right.value - table.wrong.value
        tells = "a coin" if table.low <= 0.5 <= table.high else "more than a coin"
        if table.high < 0.5:
            tells = "the wrong way round"
        lines.append(f"{name}: yes {apart * 100:+.0f} points more often when right; {tells}.")
    return "\n".join(lines)


def auc(rows: Iterable[Sequence[Graded]], within_kind: bool = False) -> float:
    """Return the share of (right, wrong) pairs in which the right one got more; a tie is half.

    With ``within_kind`` only answers to the same kind of question are paired. NaN without a pair.
    """
    kinds: dict[str, list[Graded]] = {}
    for row in rows:
        for grade in row:
            kinds.setdefault(grade.kind if within_kind else "", []).append(grade)
    wins = pairs = 0.0
    for grades in kinds.values():
        more, of = _wins(grades)
        wins, pairs = wins + more, pairs + of
    return wins / pairs if pairs else math.nan


def _wins(grades: Sequence[Graded]) -> tuple[float, int]:
    """The pairs that the right answer wins, by ranks (Mann and Whitney 1947), of how many."""
    from scipy.stats import rankdata

    ranks = rankdata([grade.p_yes for grade in grades])
    right = [float(rank) for rank, grade in zip(ranks, grades, strict=True) if grade.right]
    pairs = len(right) * (len(grades) - len(right))
    return sum(right) - len(right) * (len(right) + 1) / 2, pairs


def planted_drop(grades: Sequence[Graded]) -> Share:
    """Return how often a planted error got a lower P(yes) than the right answer it is in."""
    fair = {(g.completion.about["of"], g.order): g for g in grades if _is(g, "model", "fair")}
    rows: dict[str, list[bool]] = {}
    for spoilt in grades:
        if _is(spoilt, "planted", "fair"):
            whole = fair[spoilt.completion.about["of"], spoilt.order]
            rows.setdefault(spoilt.group, []).append(spoilt.p_yes < whole.p_yes)
    return share_by_rows(list(rows.values()))


def _is(grade: Graded, author: str, how: str) -> bool:
    return (grade.author, grade.how) == (author, how)


def _by_group(grades: Iterable[Graded]) -> list[list[Graded]]:
    groups: dict[str, list[Graded]] = {}
    for grade in grades:
        groups.setdefault(grade.group, []).append(grade)
    return list(groups.values())


# -- lab 2: claims about training runs -----------------------------------------------------------


@dataclass(frozen=True)
class RunClaim:
    """A claim about the notes of a training run, its label, and the predicate that checks it.

    ``predicate`` is empty where no fact can say what the claim says.
    """

    id: str
    world_name: str
    text: str
    author: str
    predicate: str
    right: bool

    @property
    def world(self) -> World:
        """The facts that the claim is about."""
        return recorded_worlds()[self.world_name]


@lru_cache(maxsize=1)
def run_claims() -> tuple[RunClaim, ...]:
    """Return the claims: what the model wrote (label by reading), then the author's (by rule)."""
    labels = {record.fields.get("id"): record for record in read_records(RUN_LABELS)}
    claims = []
    for completion in read_recording("run"):
        if completion.id not in labels:
            raise InputError(f"{RUN_LABELS.name}: no label for claim {completion.id!r}")
        fields: Mapping[str, Any] = labels[completion.id].fields
        text, world = completion.text.strip(), completion.about["world"]
        predicate, right = fields["predicate"] or "", fields["right"]
        claims.append(RunClaim(completion.id, world, text, "model", predicate, right))
    for name, world in recorded_worlds().items():
        for number, (text, predicate) in enumerate(author_statements()):
            holds = Predicate.parse(predicate, world.facts).holds(world.facts)
            key = f"{name}/statement-{number:02}"
            claims.append(RunClaim(key, name, text, "other", predicate, holds))
    return tuple(claims)


def jury_backs(claim: RunClaim) -> bool:
    """Whether the jury of lab 2 locks the claim, told yes by whoever made it."""
    fixture = Fixture(claim.id, claim.text, True, claim.predicate)
    return decide(fixture, claim.world).verdict == "locked_pass"


def run_confusion(claims: Sequence[RunClaim], backs: Callable[[RunClaim], bool]) -> Confusion:
    """Return how many right and how many wrong claims somebody backs."""
    right = [backs(claim) for claim in claims if claim.right]
    wrong = [backs(claim) for claim in claims if not claim.right]
    return Confusion(sum(right), len(right), sum(wrong), len(wrong))


def self_backs(order: str) -> Callable[[RunClaim], bool]:
    """Return who backs what the model graded yes, asked fairly, in one order of the two words."""
    says = {
        (grade.group, grade.text): grade.says
        for grade in graded("run_grades")
        if grade.how == "fair" and grade.order == order
    }
    return lambda claim: says[claim.world_name, claim.text]
