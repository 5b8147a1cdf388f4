"""What a model said and did: a reply, its tool calls, the turns of a conversation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from claimlab.errors import InputError

MAX_REPLY = 100_000
"""The longest reply that is judged, in characters."""


@dataclass(frozen=True)
class ToolCall:
    """One tool call of a trace.

    ``result`` is what the tool returned, ``ok`` whether it succeeded, ``latency_ms`` how long it
    took in milliseconds where somebody measured.
    """

    name: str
    args: Mapping[str, Any]
    result: Any = None
    ok: bool = True
    call_id: str | None = None
    latency_ms: float | None = None

    @property
    def args_hash(self) -> str:
        """Return a short hash of the arguments: equal arguments, equal hash, in any order.

        >>> a = ToolCall("lookup_course", {"code": "COMP 3170", "term": "Fall"})
        >>> b = ToolCall("lookup_course", {"term": "Fall", "code": "COMP 3170"})
        >>> a.args_hash == b.args_hash, len(a.args_hash)
        (True, 16)
        """
        plain = json.dumps(dict(self.args), sort_keys=True, ensure_ascii=True, default=repr)
        return hashlib.sha256(plain.encode()).hexdigest()[:16]


def code_sent(args: Mapping[str, Any], key: str) -> str | None:
    """Return the code that a lookup's arguments hold: under the key, ``code``, or the only text.

    >>> code_sent({"course_id": "AASP100"}, "course_id"), code_sent({"q": "COMP 3170"}, "code")
    ('AASP100', 'COMP 3170')
    """
    texts = [value for value in args.values() if isinstance(value, str)]
    given = args.get(key, args.get("code", texts[0] if len(texts) == 1 else None))
    return given if isinstance(given, str) else None


@dataclass(frozen=True)
class Reply:
    """What a model answered: its text, the calls that it made, the claims that it declared."""

    text: str
    calls: Sequence[ToolCall] = field(default=())
    claims: Sequence[str] = field(default=())

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise InputError(f"reply: expected text, got {self.text!r:.60}")
        if len(self.text) > MAX_REPLY:
            raise InputError(
                f"reply: {len(self.text):,} characters, expected at most {MAX_REPLY:,}"
            )
        if isinstance(self.claims, str):
            raise InputError(f"claims: expected a list of texts, got {self.claims!r:.60}")
        object.__setattr__(self, "calls", tuple(self.calls))
        object.__setattr__(self, "claims", tuple(self.claims))
        for call in self.calls:
            if not isinstance(call, ToolCall):
                raise InputError(f"calls: expected tool calls, got {call!r:.60}")
        for claim in self.claims:
            if not isinstance(claim, str):
                raise InputError(f"claim: expected text, got {claim!r:.60}")


@dataclass(frozen=True)
class Turn:
    """One question and its reply, as the next turn of a conversation sees them."""

    question: str
    reply: Reply


def reply_from_record(fields: Mapping[str, Any], place: str) -> Reply:
    """Return the reply of one record ``{"text", "claims"?, "calls"?}`` of a replies file.

    Raises InputError that names the place, the field and what was expected.
    """
    text = fields.get("text")
    if not isinstance(text, str):
        raise InputError(f"{place}: field 'text': expected text, got {text!r:.60}")
    claims, calls = fields.get("claims"), fields.get("calls")
    claims = [] if claims is None else claims
    if not isinstance(claims, list) or not all(isinstance(c, str) for c in claims):
        raise InputError(f"{place}: field 'claims': expected a list of texts, got {claims!r:.60}")
    calls = [] if calls is None else calls
    if not isinstance(calls, list):
        raise InputError(f"{place}: field 'calls': expected a list, got {calls!r:.60}")
    try:
        return Reply(
            text,
            tuple(call_from_record(c, f"{place}: call {n}") for n, c in enumerate(calls, 1)),
            claims,
        )
    except InputError as error:
        if str(error).startswith(place):
            raise
        raise InputError(f"{place}: {error}") from None


def call_from_record(fields: object, place: str) -> ToolCall:
    """Return the call of one record ``{"name", "args"?, "result"?, "ok"?, "call_id"?, ...}``.

    Raises InputError that names the place, the field and what was expected.
    """
    if not isinstance(fields, Mapping):
        raise InputError(f"{place}: expected an object, got {fields!r:.60}")
    name, args = fields.get("name"), fields.get("args", {})
    ok, call_id, latency = fields.get("ok", True), fields.get("call_id"), fields.get("latency_ms")
    if not isinstance(name, str) or not name:
        raise InputError(f"{place}: field 'name': expected a tool's name, got {name!r:.60}")
    if not isinstance(args, Mapping):
        raise InputError(f"{place}: field 'args': expected an object, got {args!r:.60}")
    if not isinstance(ok, bool):
        raise InputError(f"{place}: field 'ok': expected true or false, got {ok!r:.60}")
    if call_id is not None and not isinstance(call_id, str):
        raise InputError(f"{place}: field 'call_id': expected text, got {call_id!r:.60}")
    if latency is not None and (isinstance(latency, bool) or not isinstance(latency, int | float)):
        raise InputError(f"{place}: field 'latency_ms': expected a number, got {latency!r:.60}")
    return ToolCall(name, args, fields.get("result"), ok, call_id, latency)
