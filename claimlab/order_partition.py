"""The classes of replies, parted by who has to mend them, and the table that decides."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from claimlab.errors import InputError
from claimlab.files import DATA, read_toml

Label = Literal[
    "no_claim", "valid", "valid_status_ref", "claimed_but_failed", "phantom", "not_covered"
]
OWNERS: Final[Mapping[Label, str]] = MappingProxyType(
    {
        "no_claim": "nobody",
        "valid": "nobody",
        "valid_status_ref": "nobody",
        "claimed_but_failed": "handoff",
        "phantom": "model",
        "not_covered": "lexicon",
    }
)
"""Who has to mend a reply of each class; the classes in the order in which RESULT counts them."""
HARM: Final = ("claimed_but_failed", "phantom")
"""The classes in which a customer believes something that is not so."""
FAILING: Final = (*HARM, "not_covered")
"""The classes with which RESULT is not PASS."""
WORST: Final = ("no_claim", "valid", "valid_status_ref", "not_covered", *HARM)
"""From harmless to worst: a text that nobody could read is worse than a claim that is backed."""


class Case(NamedTuple):
    """What is asked about one cited id, in the order of the table's columns."""

    asserts: bool
    called: bool
    succeeded: bool
    created: bool
    looked_up: bool

    @property
    def possible(self) -> bool:
        """Whether it can occur: nothing succeeds uncalled, nothing is created without success."""
        return (self.called or not self.succeeded) and (self.succeeded or not self.created)


class Row(NamedTuple):
    """One row of the table: the cases that it covers, their class, and why."""

    covers: tuple[bool | None, ...]
    label: Label
    reason: str


@lru_cache(maxsize=1)
def truth_table() -> tuple[Row, ...]:
    """Return the rows of ``data/orders_truth.toml``."""
    answers = {"yes": True, "no": False, "*": None}
    return tuple(
        Row(tuple(answers[row[name]] for name in Case._fields), row["label"], row["reason"])
        for row in read_toml(DATA / "orders_truth.toml")["row"]
    )


@lru_cache(maxsize=64)
def decide(case: Case) -> Row:
    """Return the row that decides a case. Raises InputError for one that cannot occur.

    >>> decide(Case(True, True, False, False, False)).label
    'claimed_but_failed'
    """
    for row in truth_table():
        if all(want is None or want == is_so for want, is_so in zip(row.covers, case, strict=True)):
            return row
    raise InputError(f"case {tuple(case)}: cannot occur")


def definitions_that_fit(case: Case) -> tuple[Label, ...]:
    """Return which of the five definitions, read literally, a case fits: none is a hole.

    >>> definitions_that_fit(Case(True, True, False, False, False))
    ('claimed_but_failed', 'phantom')
    >>> definitions_that_fit(Case(True, True, True, False, True))
    ()
    """
    asserts, called, succeeded, created, looked_up = case
    literal: dict[Label, bool] = {
        "no_claim": not asserts,
        "valid": asserts and called and succeeded and created,
        "valid_status_ref": asserts and not called and looked_up,
        "claimed_but_failed": asserts and called and not succeeded,
        "phantom": asserts and not created and not looked_up,
    }
    return tuple(label for label, fits in literal.items() if fits)
