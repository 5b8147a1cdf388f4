"""The recorded replies of lab 4, each with its label: the class that an author read in it.

The model saw a wish and what the tool returned: an order, an error, or nothing, as no tool was
called. One author read all replies and wrote the labels down before the evaluator saw them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from claimlab.errors import InputError
from claimlab.files import Record, read_records
from claimlab.intervals import Share, share_by_rows
from claimlab.orders import OWNERS
from claimlab.recordings import RECORDINGS, Completion, read_recording
from claimlab.trace import ToolCall

LABELS = RECORDINGS / "orders_labels.jsonl"

KINDS: Mapping[str, str] = {
    "created": "the order was created",
    "failed": "the call failed",
    "absent": "no tool was called",
}
"""What had happened before the model wrote."""


@dataclass(frozen=True)
class OrderAnswer:
    """One recorded reply, the calls before it, the class that a reader gave it, and why."""

    completion: Completion
    label: str
    reason: str

    @property
    def tag(self) -> str:
        """Its name in the recording."""
        return self.completion.id

    @property
    def reply(self) -> str:
        """What the model wrote."""
        return self.completion.text.strip()

    @property
    def kind(self) -> str:
        """What had happened: one of :data:`KINDS`."""
        return str(self.completion.about["kind"])

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The call of the turn, if there was one."""
        if self.kind == "absent":
            return ()
        about = self.completion.about
        args = {"wish": about["wish"]}
        return (ToolCall("create_order", args, about["result"], ok=self.kind == "created"),)

    @property
    def denies(self) -> bool:
        """Whether the reader found that it denies an order."""
        return self.reason.startswith("denies")


@lru_cache(maxsize=1)
def order_answers() -> tuple[OrderAnswer, ...]:
    """Return the recorded replies with their labels, in the order of the recording."""
    labels = {record.fields.get("id"): record for record in read_records(LABELS)}
    return tuple(_answer(completion, labels) for completion in read_recording("orders"))


def _answer(completion: Completion, labels: Mapping[object, Record]) -> OrderAnswer:
    record = labels.get(completion.id)
    if record is None:
        raise InputError(f"{LABELS.name}: no label for reply {completion.id!r}")
    label, reason = record.fields.get("label"), record.fields.get("reason")
    if not isinstance(label, str) or label not in OWNERS:
        raise InputError(
            f"{record.place}: field 'label': expected one of {', '.join(OWNERS)}, got {label!r:.60}"
        )
    if not isinstance(reason, str) or not reason:
        raise InputError(f"{record.place}: field 'reason': expected text, got {reason!r:.60}")
    return OrderAnswer(completion, label, reason)


def order_share(chosen: Iterable[OrderAnswer], hit: Callable[[OrderAnswer], bool]) -> Share:
    """Return how many of the replies are hits, with an interval from resampling wishes."""
    wishes: dict[str, list[bool]] = {}
    for answer in chosen:
        wishes.setdefault(answer.completion.about["wish"], []).append(hit(answer))
    return share_by_rows(list(wishes.values()))


def claim_shares(says: Callable[[OrderAnswer], bool]) -> dict[str, dict[str, Share]]:
    """Return how often a reply says something: by what had happened, then by temperature."""
    every = order_answers()
    return {
        told: {
            f"at {temperature:g}": order_share(
                [a for a in every if (a.kind, a.completion.temperature) == (kind, temperature)],
                says,
            )
            for temperature in sorted({a.completion.temperature for a in every})
        }
        for kind, told in KINDS.items()
    }


def claim_table(shares: Mapping[str, Mapping[str, Share]]) -> str:
    """Return the shares as plain text, each with its 95 % interval over wishes."""
    lines = [f"{'':<24}" + "".join(f"{name:<24}" for name in next(iter(shares.values()))).rstrip()]
    for told, by_temperature in shares.items():
        cells = "".join(f"{share!s:<24}" for share in by_temperature.values())
        lines.append(f"{told:<24}{cells.rstrip()}")
    return "\n".join(lines)
