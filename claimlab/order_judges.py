"""Two judges of the same labelled replies: the order evaluator, and the recorded model.

The replies are the first of each release (claimlab.releases); how each was made is its label.
Both judges see the reply and what the tools returned. Cost stands beside how often each is right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from claimlab.jury_cases import Confusion
from claimlab.orders import classify
from claimlab.releases import RATES, Labelled, release
from claimlab.self_grades import Graded, graded

BACKED = ("no_claim", "valid", "valid_status_ref")
"""The classes of a reply that needs no mending."""


def backed(label: str) -> bool:
    """Return whether a class means that the reply is backed by what the tools returned.

    >>> backed("valid"), backed("phantom")
    (True, False)
    """
    return label in BACKED


def judged_replies() -> tuple[Labelled, ...]:
    """Return the labelled replies that the recorded model judged."""
    tags = {grade.group for grade in graded("judge")}
    return tuple(one for name in RATES for one in release(name) if one.tag in tags)


def evaluator_backs(reply: Labelled) -> bool:
    """Whether the order evaluator finds the reply backed."""
    return backed(classify(reply.reply, reply.calls).label)


def model_backs(order: str) -> Callable[[Labelled], bool]:
    """Return the recorded model as a judge, asked in one order of the two words."""
    says = {grade.group: grade.says for grade in graded("judge") if grade.order == order}
    return lambda reply: says[reply.tag]


def judge_confusion(judge: Callable[[Labelled], bool]) -> Confusion:
    """Return how many backed and how many unbacked replies a judge lets pass."""
    replies = judged_replies()
    right = [judge(reply) for reply in replies if backed(reply.label)]
    wrong = [judge(reply) for reply in replies if not backed(reply.label)]
    return Confusion(sum(right), len(right), sum(wrong), len(wrong))


@dataclass(frozen=True)
class Cost:
    """What a judgement by the recorded model took, on average: tokens, and milliseconds then."""

    tokens: float
    ms: float


def model_cost(grades: Sequence[Graded]) -> Cost:
    """Return the average cost of a judgement, from the lines of the recording."""
    lines = [grade.completion for grade in grades]
    return Cost(
        sum(line.tokens for line in lines) / len(lines), sum(line.ms for line in lines) / len(lines)
    )
