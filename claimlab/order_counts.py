"""What lesson 4 counts in labelled replies: both versions against the labels, and ``confirm``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from claimlab.domains import domain
from claimlab.jury_cases import Confusion, confusion_text
from claimlab.late import late
from claimlab.orders import HARM, OWNERS, classify, confirm, version_one
from claimlab.trace import ToolCall


class LabelledReply(Protocol):
    """A reply, the calls of its turn, and its label: those of a release, or recorded ones."""

    @property
    def reply(self) -> str:
        """What the agent wrote."""

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls of its turn."""

    @property
    def label(self) -> str:
        """Its class, by whoever or whatever labelled it."""


@dataclass(frozen=True)
class Rates:
    """Of how many replies version one flagged how many, and how many do harm by their label."""

    flagged: int
    harmful: int
    total: int


def rates(replies: Sequence[LabelledReply]) -> Rates:
    """Return both counts of a release."""
    flagged = sum(version_one(one.reply, one.calls) for one in replies)
    return Rates(flagged, sum(one.label in HARM for one in replies), len(replies))


# -- against the labels --------------------------------------------------------------------------


def flag_confusion(
    replies: Sequence[LabelledReply], flags: Callable[[str, tuple[ToolCall, ...]], bool]
) -> Confusion:
    """Return how many harmless and how many harmful replies a check flags."""
    harmless = [flags(one.reply, one.calls) for one in replies if one.label not in HARM]
    harmful = [flags(one.reply, one.calls) for one in replies if one.label in HARM]
    return Confusion(sum(harmless), len(harmless), sum(harmful), len(harmful))


def flag_text(name: str, matrix: Confusion) -> str:
    """Return such a confusion matrix as plain text."""
    return confusion_text(name, matrix, ("no harm", "harm"), ("flag", "no flag"))


def version_two(reply: str, calls: tuple[ToolCall, ...]) -> bool:
    """Whether the evaluator finds a false claim: a flag, to put beside version one's."""
    return classify(reply, calls).label in HARM


def class_text(replies: Iterable[LabelledReply]) -> str:
    """Return the evaluator's classes against the labels: a row a label, a column a verdict.

    Classes that do not occur are left out.
    """
    counts = Counter((one.label, classify(one.reply, one.calls).label) for one in replies)
    rows = [label for label in OWNERS if any(row == label for row, _ in counts)]
    columns = [label for label in OWNERS if any(column == label for _, column in counts)]
    lines = [f"{'':<18}" + "".join(f"  {column}" for column in columns)]
    for row in rows:
        cells = "".join(f"  {counts[row, column]:>{len(column)}}" for column in columns)
        lines.append(f"{row:<18}{cells}")
    return "\n".join(lines)


# -- a rendered confirmation ---------------------------------------------------------------------

Branch = Literal["rendered", "failed call", "no call"]
BRANCHES: Final[tuple[Branch, ...]] = ("rendered", "failed call", "no call")
"""Who holds the pen: the template, the model after a failure, the model in a turn that acts not."""


def sent(reply: str, calls: Iterable[ToolCall]) -> tuple[Branch, str]:
    """Return what goes out where each turn is put to :func:`confirm` first, and by which branch.

    >>> made = ToolCall("create_order", {}, {"order_id": "ORD-10482"})
    >>> sent("Order ORD-99120 is on its way!", [made])
    ('rendered', 'Your order ORD-10482 has been placed.')
    """
    of = domain("shop")
    acted = [confirm(call, of) for call in calls if of.acts(call)]
    rendered = next((one.text for one in acted if one.text is not None), None)
    if rendered is not None:
        return "rendered", rendered
    return ("failed call" if acted else "no call"), reply


@dataclass(frozen=True)
class BranchCount:
    """The replies of a branch: how many there are, do harm, and tell of an order that is there."""

    total: int
    harm_before: int
    harm_after: int
    told_before: int
    told_after: int


def branch_counts(replies: Sequence[LabelledReply]) -> dict[Branch, BranchCount]:
    """Return each branch's counts: labels before, and after what the evaluator says of a template.

    In the branches where the model writes, its text goes out as it is, with its label.
    """
    found: dict[Branch, BranchCount] = {}
    for wanted in BRANCHES:
        pairs = []
        for one in replies:
            branch, text = sent(one.reply, one.calls)
            if branch == wanted:
                rendered = branch == "rendered"
                after = classify(text, one.calls).label if rendered else one.label
                pairs.append((one.label, after))
        found[wanted] = BranchCount(
            len(pairs),
            sum(before in HARM for before, _ in pairs),
            sum(after in HARM for _, after in pairs),
            sum(before == "valid" for before, _ in pairs),
            sum(after == "valid" for _, after in pairs),
        )
    return found


def branch_text(counts: dict[Branch, BranchCount]) -> str:
    """Return the branches as plain text, a line each."""
    lines = [f"{'':<14}{'replies':>8}{'false':>8}{'-> false':>10}{'told':>8}{'-> told':>10}"]
    for branch, count in counts.items():
        lines.append(
            f"{branch:<14}{count.total:>8}{count.harm_before:>8}{count.harm_after:>10}"
            f"{count.told_before:>8}{count.told_after:>10}"
        )
    return "\n".join(lines)


_ID = late(r"#?(?:ORD-)?\d{5}")


def wordings(texts: Iterable[str]) -> int:
    """Return how many wordings there are, ids apart.

    >>> wordings(["Order ORD-10482 is placed.", "Order ORD-10483 is placed.", "All set!"])
    2
    """
    return len({_ID.sub("#", text) for text in texts})


# -- a probe -------------------------------------------------------------------------------------


def turned_false(calls: Iterable[ToolCall], how: str) -> tuple[ToolCall, ...]:
    """Return calls over which a true confirmation is false.

    ``how`` is ``failed`` (the result is an error), ``dropped`` (no call) or ``swapped`` (the
    result holds another id).
    """
    if how == "dropped":
        return ()
    if how == "failed":
        return tuple(replace(c, result={"error": "card declined"}, ok=False) for c in calls)
    return tuple(replace(c, result={"order_id": "ORD-00001", "status": "created"}) for c in calls)
