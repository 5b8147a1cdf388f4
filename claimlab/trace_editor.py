"""What the trace editor shows, as a pure function of the reply and the calls that stand in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from claimlab.errors import InputError
from claimlab.files import parse_json
from claimlab.orders import (
    FAILING,
    Assertion,
    Classification,
    Verdict,
    asserts_order_exists,
    classify,
    first_reading,
    version_one,
)
from claimlab.report import Report, flat, one_line
from claimlab.trace import ToolCall, call_from_record


@dataclass(frozen=True)
class TraceReading(Report):
    """The class of the reply in the editor, told in words; or why there is none.

    ``problem`` says what is wrong with the reply or the calls; then nothing was judged.
    """

    reply: str
    calls: tuple[ToolCall, ...] = ()
    found: Classification | None = None
    first: Classification | None = None
    assertion: Assertion | None = None
    problem: str = ""

    @property
    def passed(self) -> bool:
        """Whether it was judged, and nobody has to mend anything."""
        return self.found is not None and self.found.label not in FAILING

    def headline(self) -> str:
        """Return the class and its owner, or the problem."""
        if self.found is None:
            return f"not judged: {self.problem}"
        return f"{self.found.label}, owner: {self.found.owner}"

    def details(self) -> list[str]:
        """Return the evidence, what took a claim back, and what the older checks say."""
        if self.found is None or self.first is None or self.assertion is None:
            return []
        lines = [f"{flat(e.clause)!r}: {e}" for e in self.found.evidence]
        cancelled = self.assertion.cancelled
        if cancelled is not None and self.assertion.clause is not None:
            said = flat(self.assertion.clause.text)
            lines.append(f"{said!r}: taken back by {cancelled.section}, {cancelled.words!r}")
        lines += [note for note in self.found.notes if note != "uncited"]
        lines.append(f"version one: {'flag' if version_one(self.reply, self.calls) else 'ok'}")
        if self.first.label != self.found.label:
            lines.append(f"first reading: {self.first.label}")
        return lines

    def text(self) -> str:
        """Return the reply, the calls, the class and the details."""
        lines = [f"reply: {one_line(self.reply, '       ')}"]
        lines += [f"call:  {told_call(call)}" for call in self.calls]
        return "\n".join([*lines, self.headline(), *(f"  {line}" for line in self.details())])

    def to_records(self) -> list[dict[str, Any]]:
        """Return one dict."""
        if self.found is None:
            return [{"reply": self.reply, "label": None, "problem": self.problem}]
        flagged = version_one(self.reply, self.calls)
        record = Verdict("", 0, self.reply, self.found, flagged).to_record()
        del record["dialog"], record["message"]
        return [record]


def told_call(call: ToolCall) -> str:
    """Return a call on one line.

    >>> told_call(ToolCall("create_order", {"sku": "TEA-2"}, {"error": "declined"}, ok=False))
    'create_order({"sku": "TEA-2"}) failed: {"error": "declined"}'
    """
    args, result = (json.dumps(part, ensure_ascii=False) for part in (call.args, call.result))
    return flat(f"{call.name}({args}) {'returned' if call.ok else 'failed'}: {result}")


def read_trace(reply: str, calls: str = "[]", require_id: bool = False) -> TraceReading:
    """Return what the editor shows for a reply and its calls, a JSON list as in a log.

    Never raises: what cannot be read is a reading with a problem.
    """
    try:
        made = calls_from_text(calls)
        found = classify(reply, made, require_id=require_id)
        return TraceReading(
            reply, made, found, first_reading(reply, made), asserts_order_exists(reply)
        )
    except InputError as error:
        return TraceReading(reply, problem=str(error))


def calls_from_text(text: str) -> tuple[ToolCall, ...]:
    """Return the calls of a JSON list; empty text is no call.

    Raises InputError that names the line, or the call and the field.
    """
    value = parse_json(text, "calls") if text.strip() else []
    if not isinstance(value, list):
        raise InputError(f"calls: expected a list, got {value!r:.60}")
    return tuple(call_from_record(c, f"call {number}") for number, c in enumerate(value, 1))


def calls_text(calls: Sequence[ToolCall]) -> str:
    """Return calls as the text that stands in the editor, one a line.

    >>> calls_from_text(calls_text([ToolCall("find", {"q": "tea"}, None)]))[0].name
    'find'
    """
    lines = [json.dumps(_call_record(call), ensure_ascii=False) for call in calls]
    return "[\n " + ",\n ".join(lines) + "\n]" if lines else "[]"


def _call_record(call: ToolCall) -> dict[str, Any]:
    return {"name": call.name, "args": dict(call.args), "ok": call.ok, "result": call.result}


def trace_line(reading: TraceReading) -> str:
    """Return what stands in the editor as one line of a log."""
    calls = [_call_record(call) for call in reading.calls]
    return json.dumps({"reply": reading.reply, "calls": calls}, ensure_ascii=False)
