"""Claims small enough to review: two separate answers each, and how they compare with the key.

Does an eligible source establish the claim? Does it keep what the question needs? One citation and
one tick cannot say both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from claimlab.errors import InputError
from claimlab.files import DATA, Record, check_names, check_texts, read_unique
from claimlab.handbook import Question, Source, handbook, questions
from claimlab.report import Report, one_line

Answer = tuple[bool | None, bool | None]
"""Established, complete; None is no answer."""

ASKED: Final = (
    "does an eligible source establish it?",
    "does it keep what the question needs?",
)


@dataclass(frozen=True)
class SmallClaim:
    """A proposed claim for a question, the source it cites, and the key with its reason."""

    id: str
    question: Question
    cites: Source
    text: str
    established: bool
    complete: bool
    reason: str

    @property
    def key(self) -> tuple[bool, bool]:
        """The two right answers."""
        return self.established, self.complete


@lru_cache(maxsize=1)
def small_claims() -> Mapping[str, SmallClaim]:
    """Return the course's own claims by their id (``data/claim_review.toml``)."""
    return read_unique(DATA / "claim_review.toml", _claim, "id")


def _claim(record: Record) -> SmallClaim:
    fields, place = record.fields, record.place
    texts = ("id", "question", "cites", "text", "reason")
    check_names(fields, (*texts, "established", "complete"), place)
    check_texts({name: fields[name] for name in texts}, place)
    for name, known in (("question", questions()), ("cites", handbook())):
        if fields[name] not in known:
            raise InputError(f"{place}: field {name!r}: there is no {fields[name]!r:.60}")
    question, cites = questions()[fields["question"]], handbook()[fields["cites"]]
    return SmallClaim(**{**fields, "question": question, "cites": cites})


@dataclass(frozen=True)
class ClaimReview(Report):
    """Your answers beside the key."""

    answers: Mapping[str, Answer]

    @property
    def passed(self) -> bool:
        """Whether every claim has both answers, and each is the key's."""
        return all(self.answers.get(c.id) == c.key for c in small_claims().values())

    def score(self) -> str:
        """Return the score in words, the two questions apart."""
        parts = []
        for place, asked in enumerate(ASKED):
            given = {name: a[place] for name, a in self.answers.items() if a[place] is not None}
            agreed = sum(small_claims()[name].key[place] == said for name, said in given.items())
            parts.append(f"{asked} {len(given)} answered, {agreed} as in the key.")
        return "\n".join(parts)

    def text(self) -> str:
        """Return a block a claim, with the key's reason, then the score."""
        lines = []
        for claim in small_claims().values():
            you, key = self.answers.get(claim.id, (None, None)), claim.key
            lines += [
                f"{claim.id:>2}  {one_line(claim.text, '    ')}",
                f"      established: you {word(you[0]):<3}  key {word(key[0]):<3}   "
                f"complete: you {word(you[1]):<3}  key {word(key[1])}",
                f"      {one_line(claim.reason, '      ')}",
            ]
        return "\n".join([*lines, self.score()])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a claim."""
        return [
            {
                "id": claim.id,
                "claim": claim.text,
                "established": self.answers.get(claim.id, (None, None))[0],
                "established_key": claim.established,
                "complete": self.answers.get(claim.id, (None, None))[1],
                "complete_key": claim.complete,
                "reason": claim.reason,
            }
            for claim in small_claims().values()
        ]


def word(answer: bool | None) -> str:
    """Return an answer in one word; ``-`` is no answer."""
    return "-" if answer is None else "yes" if answer else "no"


def to_review() -> str:
    """Return the claims to review, without their key."""
    lines = []
    for claim in small_claims().values():
        lines.append(f"{claim.id:>2}  {claim.question.text}")
        lines.append(f"      claim: {claim.text}")
        lines.append(f"      cites: {claim.cites.id}")
    return "\n".join(lines)


def review_claims(answers: Mapping[str, Answer]) -> ClaimReview:
    """Return your answers beside the key; leave out what you did not review.

    Raises InputError for another id, or an answer that is not a pair of True, False or None.
    """
    for name, answer in answers.items():
        if name not in small_claims():
            expected = ", ".join(small_claims())
            raise InputError(f"claim {name!r:.60}: expected one of {expected}")
        pair = isinstance(answer, tuple) and len(answer) == 2
        if not pair or not all(said is None or isinstance(said, bool) for said in answer):
            raise InputError(
                f"claim {name!r}: expected (established, complete), each True, False or None, "
                f"got {answer!r:.60}"
            )
    return ClaimReview(dict(answers))
