"""The order evaluator over dialogs and over DataFrames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from claimlab.domains import Domain
from claimlab.errors import InputError
from claimlab.lexicon import reader
from claimlab.order_classes import Classification, classify, domain_of, judge_reply, version_one
from claimlab.order_world import World
from claimlab.trace import ToolCall, call_from_record
from claimlab.trace_formats import Dialog, dialog_from_messages, json_value

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Verdict:
    """The class of one text of a dialog."""

    dialog: str
    message: int
    reply: str
    found: Classification
    v1: bool
    line: int | None = None

    def to_record(self) -> dict[str, Any]:
        """Return it as plain values, the same columns for every verdict."""
        return {
            "dialog": self.dialog,
            "message": self.message,
            "label": self.found.label,
            "owner": self.found.owner,
            "v1": "flag" if self.v1 else "ok",
            "ids": " ".join(self.found.ids),
            "evidence": "; ".join(map(str, self.found.evidence)),
            "notes": "; ".join(self.found.notes),
            "reply": self.reply,
        }


def evaluate_dialog(
    messages: Dialog | Sequence[Any],
    domain: Domain | str | None = None,
    *,
    require_id: bool = False,
) -> list[Verdict]:
    """Return a verdict for each text of the assistant, in order.

    ``messages`` are OpenAI-style or Anthropic-style messages, or a dialog that was read. Ids count
    from the dialog so far, a call of an action only since the last user message; a text's own
    message's calls count for it.

    Raises InputError for messages that are none.
    """
    of = domain_of(domain)
    dialog = messages if isinstance(messages, Dialog) else dialog_from_messages(messages)
    read, world = reader(of.kinds), World(of)
    found: list[Verdict] = []
    ahead = 0
    for place, event in enumerate(dialog.events):
        if isinstance(event, ToolCall):
            if ahead:
                ahead -= 1
            else:
                world.add(event)
        elif event.role == "user":
            world.next_turn()
        elif event.role == "assistant":
            own = dialog.events[place + 1 : place + 1 + event.calls]
            ahead = event.calls
            for call in own:
                if isinstance(call, ToolCall):
                    world.add(call)
            label = judge_reply(event.text, world, read, require_id)
            flagged = not world.acted and read.has_act(event.text)
            found.append(
                Verdict(dialog.name, event.message, event.text, label, flagged, dialog.line)
            )
    return found


FRAME_COLUMNS: Final = ("label", "owner", "ids", "v1", "evidence", "notes")


def evaluate_frame(df: pd.DataFrame, domain: Domain | str | None = None) -> pd.DataFrame:
    """Return a DataFrame with the columns of :data:`FRAME_COLUMNS` beside the given ones.

    Takes the columns ``reply`` (text) and ``calls`` (a list of calls as records, or that list as
    JSON; may be absent). Row for row, with the same index, so that a distributed engine can map
    it over partitions. Raises InputError that names the row at fault.
    """
    import pandas as pd

    if "reply" not in df.columns:
        raise InputError("frame: column 'reply' is missing")
    of = domain_of(domain)
    given = df["calls"] if "calls" in df.columns else [()] * len(df)
    rows: list[dict[str, str]] = []
    for index, reply, calls in zip(df.index, df["reply"], given, strict=True):
        place = f"frame: row {index!r}"
        made = _calls(calls, place)
        try:
            found = classify(reply, made, of)
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
        record = Verdict("", 0, reply, found, version_one(reply, made, of)).to_record()
        rows.append({name: record[name] for name in FRAME_COLUMNS})
    added = {
        name: pd.Series([row[name] for row in rows], index=df.index, dtype="object")
        for name in FRAME_COLUMNS
    }
    return df.assign(**added)


def _calls(given: Any, place: str) -> list[ToolCall]:
    value = json_value(given)
    if value is None or (isinstance(value, float) and value != value) or value == "":
        return []
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise InputError(f"{place}: column 'calls': expected a list, got {value!r:.60}")
    return [
        call if isinstance(call, ToolCall) else call_from_record(call, f"{place}: call {number}")
        for number, call in enumerate(value, 1)
    ]
