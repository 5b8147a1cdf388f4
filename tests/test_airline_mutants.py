"""Real agents' dialogs with a true claim made false: is the claim that was backed still backed?

For each text judged ``valid``, the calls of its turn that back its kind of claim are changed:
they fail, they were never made, or they returned another id. The claim is then false.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from support import SHARED

from claimlab.domains import domain
from claimlab.orders import evaluate_dialog
from claimlab.trace import ToolCall
from claimlab.trace_formats import Dialog, read_traces

LOG = SHARED / "corpora" / "airline_dialogs.jsonl"
AIRLINE = domain("airline")
HOW = ("failed", "dropped", "swapped")


def changed(call: ToolCall, how: str, ids: tuple[str, ...]) -> ToolCall:
    if how == "failed":
        return replace(call, ok=False, result="Error: payment method declined")
    if how == "dropped":
        return ToolCall("think", {"thought": "nothing was done"}, "")

    def swap(value: Any) -> Any:
        if isinstance(value, str):
            for one in ids:
                value = value.replace(one, one[::-1].translate(str.maketrans("A1", "Q7")))
            return value
        if isinstance(value, dict):
            return {swap(name): swap(inner) for name, inner in value.items()}
        return [swap(inner) for inner in value] if isinstance(value, list) else value

    return replace(call, args=swap(dict(call.args)), result=swap(call.result))


def mutants(dialog: Dialog) -> Iterator[tuple[str, int, Dialog]]:
    """How, the message whose claim is false now, and the dialog."""
    for verdict in evaluate_dialog(dialog, AIRLINE):
        if verdict.found.label != "valid":
            continue
        kinds = {evidence.kind for evidence in verdict.found.evidence}
        at = next(
            n for n, event in enumerate(dialog.events)
            if not isinstance(event, ToolCall) and event.message == verdict.message
        )  # fmt: skip
        start = max(
            (n for n in range(at) if getattr(dialog.events[n], "role", "") == "user"), default=0
        )
        turn = range(
            start, min(len(dialog.events), at + 1 + getattr(dialog.events[at], "calls", 0))
        )
        for how in HOW:
            if how == "swapped" and not verdict.found.ids:
                continue
            events = list(dialog.events)
            for n in turn:
                call = events[n]
                if isinstance(call, ToolCall) and any(
                    action.kind in kinds and action.made_by(call) for action in AIRLINE.actions
                ):
                    events[n] = changed(call, how, verdict.found.ids)
            if events != list(dialog.events):
                yield how, verdict.message, replace(dialog, events=tuple(events))


def test_a_claim_that_was_made_false_is_no_longer_backed() -> None:
    if not LOG.exists():
        pytest.skip("no shared/corpora/airline_dialogs.jsonl beside the project")
    missed: list[str] = []
    made = 0
    for dialog in read_traces(LOG):
        assert isinstance(dialog, Dialog)
        for how, message, mutant in mutants(dialog):
            made += 1
            found = next(v for v in evaluate_dialog(mutant, AIRLINE) if v.message == message).found
            if found.label in ("valid", "valid_status_ref"):
                missed.append(f"{how}: {dialog.name}, message {message}: {found.evidence}")
    assert made >= 70
    assert len(missed) <= 0.05 * made, "\n".join(missed)
