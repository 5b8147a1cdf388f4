"""Two releases of an agent that takes orders: labelled replies, from a seeded generator.

The first release forgets to call the tool. The second was told to call it, and does: version one's
flag rate falls. But its calls fail more often, and it announces the order all the same: more
customers wait for an order that does not exist. The label comes from how the reply was made,
never from the evaluator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from types import MappingProxyType
from typing import Any, Final, Literal

from claimlab.errors import InputError
from claimlab.files import DATA, read_toml
from claimlab.trace import ToolCall

Situation = Literal[
    "placed",
    "asked",
    "told_of_the_failure",
    "older_order",
    "claimed_without_a_call",
    "claimed_after_a_failure",
    "wrong_id",
]

LABELS: Final[Mapping[Situation, str]] = MappingProxyType(
    {
        "placed": "valid",
        "asked": "no_claim",
        "told_of_the_failure": "no_claim",
        "older_order": "valid_status_ref",
        "claimed_without_a_call": "phantom",
        "claimed_after_a_failure": "claimed_but_failed",
        "wrong_id": "phantom",
    }
)
"""The class of a reply that is made in a situation."""

RATES: Final[Mapping[str, Mapping[Situation, int]]] = MappingProxyType(
    {
        "first": MappingProxyType(
            {
                "placed": 36,
                "asked": 30,
                "told_of_the_failure": 4,
                "older_order": 14,
                "claimed_without_a_call": 10,
                "claimed_after_a_failure": 4,
                "wrong_id": 2,
            }
        ),
        "second": MappingProxyType(
            {
                "placed": 32,
                "asked": 30,
                "told_of_the_failure": 6,
                "older_order": 8,
                "claimed_without_a_call": 2,
                "claimed_after_a_failure": 18,
                "wrong_id": 4,
            }
        ),
    }
)
"""How many of a hundred replies of a release are made in each situation."""


@dataclass(frozen=True)
class Labelled:
    """A reply, its calls, and the class that it has by the way it was made."""

    tag: str
    reply: str
    calls: tuple[ToolCall, ...]
    situation: Situation
    label: str


@lru_cache(maxsize=1)
def _wordings() -> Mapping[str, Any]:
    return read_toml(DATA / "order_wordings.toml")


def release(name: str, count: int = 400, seed: int = 4) -> tuple[Labelled, ...]:
    """Return the labelled replies of a release, ``first`` or ``second``: the same for a seed.

    Raises InputError for another name.

    >>> one = release("first", 3)
    >>> len(one), one == release("first", 3)
    (3, True)
    """
    if name not in RATES:
        raise InputError(f"release: expected one of {', '.join(RATES)}, got {name!r:.60}")
    chance = Random(f"{name} {seed}")
    situations = [s for s, rate in RATES[name].items() for _ in range(rate)]
    full = [situations[number % len(situations)] for number in range(count)]
    chance.shuffle(full)
    return tuple(_reply(s, f"{name}-{n:03}", chance) for n, s in enumerate(full, 1))


def _reply(situation: Situation, tag: str, chance: Random) -> Labelled:
    words = _wordings()
    made, older, other = (f"ORD-{number}" for number in chance.sample(range(10_000, 99_999), 3))
    sku, item, day = (chance.choice(words[name]) for name in ("skus", "items", "days"))
    args = {"sku": sku, "quantity": chance.randint(1, 4)}
    created = ToolCall("create_order", args, {"order_id": made, "status": "created"})
    failure = {"error": chance.choice(words["failures"])}
    failed = ToolCall("create_order", args, failure, ok=False)
    looked_up = ToolCall(
        "get_order", {"order_id": older}, {"order_id": older, "status": "shipped", "sku": sku}
    )
    calls: Mapping[Situation, tuple[ToolCall, ...]] = {
        "placed": (created,),
        "asked": (),
        "told_of_the_failure": (failed,),
        "older_order": (looked_up,),
        "claimed_without_a_call": (),
        "claimed_after_a_failure": (failed,),
        "wrong_id": (created,),
    }
    wording = chance.choice(words["wordings"][_SAID[situation]])
    cited = {"placed": made, "older_order": older}.get(situation, other)
    text = wording.format(id=cited, number=cited.removeprefix("ORD-"), item=item, day=day)
    return Labelled(tag, text, calls[situation], situation, LABELS[situation])


_SAID: Final[Mapping[Situation, str]] = MappingProxyType(
    {
        "placed": "claim",
        "asked": "ask",
        "told_of_the_failure": "failure",
        "older_order": "older",
        "claimed_without_a_call": "claim",
        "claimed_after_a_failure": "claim",
        "wrong_id": "claim_with_id",
    }
)
