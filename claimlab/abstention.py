"""Abstention that helps: four cells, coverage and risk. Silence alone is not safety.

Of the questions that a packet answers and of those that it does not, how many were answered, and
how many of the answers were right?
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Cell = Literal[
    "right_answer", "wrong_answer", "right_abstention", "needless_abstention", "unusable"
]


@dataclass(frozen=True)
class Mark:
    """How one response is marked.

    ``answerable``: the packet establishes an answer. ``answered``: the response gives one; None for
    output that nobody can use. ``right``: the answer is supported and complete.
    ``reason_right``: an abstention names what is missing.
    """

    id: str
    answerable: bool
    answered: bool | None
    right: bool = False
    reason_right: bool = False

    @property
    def cell(self) -> Cell:
        """Which cell it falls into; an answer to what the packet does not answer is wrong."""
        if self.answered is None:
            return "unusable"
        if self.answered:
            return "right_answer" if self.answerable and self.right else "wrong_answer"
        return "needless_abstention" if self.answerable else "right_abstention"


@dataclass(frozen=True)
class Cells:
    """How many responses fell into each cell; ``unusable`` ones are in none of the four.

    ``reasons`` counts the abstentions, right or needless, that name what is missing.
    """

    right_answer: int = 0
    wrong_answer: int = 0
    right_abstention: int = 0
    needless_abstention: int = 0
    unusable: int = 0
    reasons: int = 0

    @property
    def answered(self) -> int:
        """How many were answered."""
        return self.right_answer + self.wrong_answer

    @property
    def abstained(self) -> int:
        """How many were abstained from."""
        return self.right_abstention + self.needless_abstention

    @property
    def total(self) -> int:
        """How many there are."""
        return self.answered + self.abstained + self.unusable

    @property
    def coverage(self) -> float | None:
        """The share of questions that were answered; None without a question."""
        return self.answered / self.total if self.total else None

    @property
    def risk(self) -> float | None:
        """The share of the answers that are wrong; None without an answer: 0 of 0 is not 0."""
        return self.wrong_answer / self.answered if self.answered else None


def count_cells(marks: Iterable[Mark]) -> Cells:
    """Return how many marks fall into each cell.

    >>> cells = count_cells([Mark("a", True, False), Mark("b", False, False, reason_right=True)])
    >>> cells.needless_abstention, cells.right_abstention, cells.reasons, cells.risk
    (1, 1, 1, None)
    """
    chosen = list(marks)
    found = [mark.cell for mark in chosen]
    return Cells(
        found.count("right_answer"),
        found.count("wrong_answer"),
        found.count("right_abstention"),
        found.count("needless_abstention"),
        found.count("unusable"),
        sum(mark.answered is False and mark.reason_right for mark in chosen),
    )


def share(part: int, whole: int) -> str:
    """Return a share in words and as a percentage, without inventing one for nothing.

    >>> share(3, 12), share(0, 0)
    ('3 of 12, 25 %', '0 of 0, none')
    """
    return f"{part} of {whole}, {f'{100 * part / whole:.0f} %' if whole else 'none'}"


def cells_table(found: Mapping[str, Cells]) -> str:
    """Return the cells of several answerers as plain text, then coverage and risk of each."""
    wide = max(map(len, found), default=0)
    lines = [f"{'':<{wide}}  right answer  wrong answer  right abst.  needless abst.  unusable"]
    for name, cells in found.items():
        lines.append(
            f"{name:<{wide}}  {cells.right_answer:>12}  {cells.wrong_answer:>12}  "
            f"{cells.right_abstention:>11}  {cells.needless_abstention:>14}  {cells.unusable:>8}"
        )
    lines += ["", f"{'':<{wide}}  {'coverage':<16}  {'risk':<16}  reason named"]
    for name, cells in found.items():
        lines.append(
            f"{name:<{wide}}  {share(cells.answered, cells.total):<16}  "
            f"{share(cells.wrong_answer, cells.answered):<16}  "
            f"{share(cells.reasons, cells.abstained)}"
        )
    return "\n".join(lines)
