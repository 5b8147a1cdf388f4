"""What a model says of answers, its own among them: is that right, yes or no?

The question is put as fairly as we know how: with as many right as wrong graded examples, in both
orders of the two words, and with the probability of "yes" beside the word. The labels are those of
the answers (claimlab.answers) and of the claims about training runs (below); no grade set one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from claimlab.answers import answers
from claimlab.errors import InputError
from claimlab.files import read_records
from claimlab.intervals import Share, interval, share_by_rows
from claimlab.jury import World
from claimlab.predicates import Predicate
from claimlab.recording_plans import author_statements, recorded_worlds
from claimlab.recordings import RECORDINGS, Completion, read_recording

RUN_LABELS = RECORDINGS / "run_labels.jsonl"


@dataclass(frozen=True)
class Graded:
    """One grade: of an answer or claim that is ``right`` or not, by the label.

    ``group`` is the row or world that the answer is about. ``author`` is ``model`` for what the
    grader wrote itself, ``planted`` for such an answer with an error put in, ``other`` for what the
    author of the course wrote. ``how`` says how it was asked, ``order`` in which order of words.
    """

    completion: Completion
    group: str
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
    """Return the grades of a recording: ``grades`` (lab 1) or ``run_grades`` (lab 2)."""
    if name == "grades":
        labels = {answer.completion.id: answer.label == "TOOL" for answer in answers()}
    else:
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
        about.get("answer") or about["claim"],
        about["author"],
        about["how"],
        about["order"],
        right,
    )


@dataclass(frozen=True)
class GradeTable:
    """How often the model said yes of right and of wrong answers, with intervals."""

    right: Share
    wrong: Share
    auc: float
    auc_low: float
    auc_high: float


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


def auc(rows: Iterable[Sequence[Graded]]) -> float:
    """Return the share of (right, wrong) pairs in which the right one got more; a tie is half."""
    import numpy as np
    from scipy.stats import rankdata

    grades = [grade for row in rows for grade in row]
    right = np.array([grade.right for grade in grades])
    ranks = rankdata([grade.p_yes for grade in grades])
    wins = ranks[right].sum() - right.sum() * (right.sum() + 1) / 2
    pairs = right.sum() * (~right).sum()
    return float(wins / pairs) if pairs else float("nan")


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
