"""Reading agents' logs: OpenAI-style messages, Anthropic-style blocks, this project's JSON Lines.

One line is one dialog, and its shape is seen from the line itself. A log is read line by line, so
that it may be larger than memory. A line that cannot be read becomes a :class:`Reject` with its
number and its reason, and the rest goes on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Literal

from claimlab.errors import InputError
from claimlab.files import open_bytes, parse_json, read_text
from claimlab.trace import MAX_REPLY, ToolCall, call_from_record

MAX_LINE = 64_000_000
"""The longest line of a log that is read, in bytes."""

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class Said:
    """A text of a dialog, with the number of its message, counted from 1.

    ``calls`` is how many of the calls that follow belong to the same message.
    """

    role: Role
    text: str
    message: int
    calls: int = 0


@dataclass(frozen=True)
class Dialog:
    """Texts and tool calls in their order; a call stands where it was made and has its result.

    ``notes`` name what is odd: a call without a result, a result without a call, a doubled call
    id. ``fields`` are the other fields of the line (a tag, a label, the cost).
    """

    events: tuple[Said | ToolCall, ...]
    notes: tuple[str, ...] = ()
    line: int | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return what the log calls this dialog, else the number of its line."""
        for key in ("tag", "dialog", "id", "task_id", "conversation_id"):
            if isinstance(self.fields.get(key), str | int):
                return str(self.fields[key])
        return "-" if self.line is None else f"line {self.line}"


@dataclass(frozen=True)
class Reject:
    """A line of a log that could not be read: its number, why, and the line itself."""

    line: int
    reason: str
    text: str

    def to_line(self) -> str:
        """Return the reject as one line of JSON; a rejects file is a log that can be read again."""
        record = {"line": self.line, "reason": self.reason, "text": self.text}
        return json.dumps(record, ensure_ascii=False)


# -- a file --------------------------------------------------------------------------------------


def read_traces(path: str | Path) -> Iterator[Dialog | Reject]:
    """Yield the dialogs of a log, and the lines that could not be read, in the log's order.

    A ``.json`` file holds a list of dialogs and is read whole; any other is JSON Lines. A file of
    rejects (:meth:`Reject.to_line`) is read again.

    Raises InputError for a file that cannot be opened or that holds no line.
    """
    if Path(path).suffix.lower() == ".json":
        yield from _whole(path)
        return
    with open_bytes(path) as stream:
        empty = True
        for number, raw in _lines(stream):
            if isinstance(raw, bytes) and not raw.strip(b" \t\r\n\xef\xbb\xbf"):
                continue
            empty = False
            yield _read_line(raw, number)
        if empty:
            raise InputError(f"{path}: is empty, expected at least one dialog")


def _lines(stream: IO[bytes]) -> Iterator[tuple[int, bytes | str]]:
    """The lines with their numbers; of a line that is too long, the reason instead."""
    number = 0
    while raw := stream.readline(MAX_LINE + 1):
        number += 1
        if len(raw) <= MAX_LINE:
            yield number, raw
            continue
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(MAX_LINE)
        yield number, f"longer than {MAX_LINE:,} bytes"


def _read_line(raw: bytes | str, number: int) -> Dialog | Reject:
    if isinstance(raw, str):
        return Reject(number, raw, "")
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
    except UnicodeDecodeError as error:
        shown = raw.decode("utf-8", "backslashreplace").strip()
        return Reject(number, f"byte {error.start} of the line is not UTF-8", shown)
    ended = raw.endswith(b"\n")
    try:
        value = parse_json(text, f"line {number}", number)
        if isinstance(value, dict) and set(value) == {"line", "reason", "text"}:
            return _again(value, number)
        return dialog_from_record(value, f"line {number}", number)
    except InputError as error:
        reason = str(error).removeprefix(f"line {number}: ")
        cut = "" if ended or "is not JSON" not in reason else "; the log ends in the middle"
        return Reject(number, reason + cut, text)


def _again(reject: dict[str, Any], number: int) -> Dialog | Reject:
    """Read the line that a reject holds, under the number that it had."""
    line = reject["line"] if isinstance(reject["line"], int) else number
    text = reject["text"] if isinstance(reject["text"], str) else ""
    try:
        return dialog_from_record(parse_json(text, f"line {line}", line), f"line {line}", line)
    except InputError as error:
        return Reject(line, str(error).removeprefix(f"line {line}: "), text)


def _whole(path: str | Path) -> Iterator[Dialog | Reject]:
    document = parse_json(read_text(path), str(path))
    if isinstance(document, dict):
        document = [document]
    if not isinstance(document, list) or not document:
        raise InputError(f"{path}: expected a list of dialogs")
    if all(isinstance(entry, dict) and "role" in entry for entry in document):
        document = [document]  # the messages of one dialog
    for number, entry in enumerate(document, 1):
        try:
            yield dialog_from_record(entry, f"entry {number}", number)
        except InputError as error:
            text = json.dumps(entry, ensure_ascii=False)
            yield Reject(number, str(error).removeprefix(f"entry {number}: "), text)


# -- a line --------------------------------------------------------------------------------------

_MESSAGES = ("messages", "traj", "conversation")


def dialog_from_record(value: object, place: str = "dialog", line: int | None = None) -> Dialog:
    """Return the dialog of one record, whatever its shape.

    A list of messages, an object with ``messages``, or an object with ``reply`` (or ``text``) and
    ``calls``. Raises InputError that names the place, the message and what was expected.

    >>> record = {"reply": "Placed.", "calls": [{"name": "create_order", "result": {"id": 7}}]}
    >>> [type(event).__name__ for event in dialog_from_record(record).events]
    ['ToolCall', 'Said']
    """
    if isinstance(value, list):
        return dialog_from_messages(value, place, line)
    if not isinstance(value, Mapping):
        raise InputError(f"{place}: expected an object or a list of messages, got {value!r:.60}")
    for name in _MESSAGES:
        if name in value:
            given = value[name]
            if not isinstance(given, list):
                raise InputError(f"{place}: field {name!r}: expected a list, got {given!r:.60}")
            rest = {key: value[key] for key in value if key != name}
            return dialog_from_messages(given, place, line, rest)
    return _dialog_from_reply(value, place, line)


def _dialog_from_reply(value: Mapping[str, Any], place: str, line: int | None) -> Dialog:
    """This project's own line: a reply, its calls, perhaps the question."""
    name = "reply" if "reply" in value else "text"
    if name not in value:
        raise InputError(f"{place}: expected a field 'messages', or 'reply' and 'calls'")
    text, calls, question = value[name], value.get("calls"), value.get("question")
    if not isinstance(text, str):
        raise InputError(f"{place}: field {name!r}: expected text, got {text!r:.60}")
    if question is not None and not isinstance(question, str):
        raise InputError(f"{place}: field 'question': expected text, got {question!r:.60}")
    calls = [] if calls is None else calls
    if not isinstance(calls, list):
        raise InputError(f"{place}: field 'calls': expected a list, got {calls!r:.60}")
    events: list[Said | ToolCall] = [] if question is None else [Said("user", question, 1)]
    notes = []
    for count, given in enumerate(calls, 1):
        call = call_from_record(given, f"{place}: call {count}")
        if "result" not in given and "ok" not in given:
            call = replace(call, ok=False)
            notes.append(f"call {count} of {call.name!r:.60} has no result")
        events.append(call)
    events.append(Said("assistant", _short_enough(text, place), len(events) + 1))
    named = [call.call_id for call in events if isinstance(call, ToolCall) and call.call_id]
    twice = sorted({name for name in named if named.count(name) > 1})
    notes += [f"call id {name!r:.60} is given twice" for name in twice]
    rest = {key: value[key] for key in value if key not in (name, "calls", "question")}
    return Dialog(tuple(events), tuple(notes), line, rest)


def _short_enough(text: str, place: str) -> str:
    if len(text) > MAX_REPLY:
        raise InputError(f"{place}: {len(text):,} characters, expected at most {MAX_REPLY:,}")
    return text


@dataclass
class _Open:
    """A call that waits for its result."""

    where: int
    call: ToolCall
    message: int
    answered: bool = False


class _Reader:
    """Puts the messages of one dialog in order and each result with its call."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.events: list[Said | ToolCall] = []
        self.waiting: dict[str | None, list[_Open]] = {}
        self.notes: list[str] = []

    def say(self, role: Role, text: str, number: int, calls: int = 0) -> None:
        if text.strip():
            where = f"{self.place}: message {number}"
            self.events.append(Said(role, _short_enough(text, where), number, calls))

    def call(self, call: ToolCall, number: int) -> None:
        same = self.waiting.setdefault(call.call_id, [])
        if same and call.call_id is not None:
            self.notes.append(f"message {number}: call id {call.call_id!r:.60} is given twice")
        same.append(_Open(len(self.events), call, number))
        self.events.append(call)

    def result(
        self, call_id: str | None, result: Any, ok: bool, number: int, name: str | None
    ) -> None:
        given = [w for w in self.waiting.get(call_id, []) if not w.answered]
        given = [w for w in given if name in (None, w.call.name)] or given
        # An id that was used again answers the latest message's calls, in their order.
        opened = next((w for w in given if w.message == given[-1].message), None)
        if opened is None:
            self.notes.append(f"message {number}: a result without a call ({call_id!r:.60})")
            return
        opened.answered = True
        call = opened.call
        self.events[opened.where] = ToolCall(
            call.name, call.args, result, ok, call.call_id, call.latency_ms
        )

    def close(self) -> None:
        """A call without a result did not succeed, as far as anybody knows."""
        for same in self.waiting.values():
            for opened in same:
                if not opened.answered:
                    call = opened.call
                    self.events[opened.where] = ToolCall(
                        call.name, call.args, None, False, call.call_id, call.latency_ms
                    )
                    self.notes.append(
                        f"message {opened.message}: call of {call.name!r:.60} has no result"
                    )


def dialog_from_messages(
    messages: Sequence[Any],
    place: str = "dialog",
    line: int | None = None,
    fields: Mapping[str, Any] | None = None,
) -> Dialog:
    """Return the dialog of OpenAI-style or Anthropic-style messages (also mixed).

    Tool calls that are written into a text as JSON are text. Raises InputError for a message that
    is none.
    """
    reader = _Reader(place)
    for number, message in enumerate(messages, 1):
        where = f"{place}: message {number}"
        if not isinstance(message, Mapping):
            raise InputError(f"{where}: expected an object, got {message!r:.60}")
        _read_message(reader, message, number, where)
    reader.close()
    return Dialog(tuple(reader.events), tuple(reader.notes), line, fields or {})


_ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
}


def _read_message(reader: _Reader, message: Mapping[str, Any], number: int, where: str) -> None:
    role, content = message.get("role"), message.get("content")
    if role in ("tool", "function"):
        call_id = message.get("tool_call_id")
        name = message.get("name")
        reader.result(
            call_id if isinstance(call_id, str) else None,
            json_value(_joined(content)),
            not message.get("is_error", False),
            number,
            name if isinstance(name, str) else None,
        )
        return
    if not isinstance(role, str) or role not in _ROLES:
        raise InputError(
            f"{where}: field 'role': expected system, user, assistant or tool, got {role!r:.60}"
        )
    known = _ROLES[role]
    if content is not None and not isinstance(content, str | list):
        raise InputError(
            f"{where}: field 'content': expected text or a list of blocks, got {content!r:.60}"
        )
    given = message.get("tool_calls")
    calls = [] if given is None else given
    if not isinstance(calls, list):
        raise InputError(f"{where}: field 'tool_calls': expected a list, got {calls!r:.60}")
    if isinstance(message.get("function_call"), Mapping):
        calls = [*calls, {"function": message["function_call"]}]
    if isinstance(content, list):
        _read_blocks(reader, content, known, number, where)
    else:
        reader.say(known, content or "", number, len(calls))
    for count, call in enumerate(calls, 1):
        reader.call(_openai_call(call, f"{where}: call {count}"), number)


def _read_blocks(
    reader: _Reader, blocks: Sequence[Any], role: Role, number: int, where: str
) -> None:
    """The content blocks of one message; its texts are one text, said before its calls' results."""
    texts, calls = [], []
    for count, block in enumerate(blocks, 1):
        if isinstance(block, str):
            texts.append(block)
            continue
        if not isinstance(block, Mapping):
            raise InputError(f"{where}: block {count}: expected an object, got {block!r:.60}")
        kind = block.get("type")
        if kind in ("text", "input_text", "output_text") and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif kind in ("tool_use", "server_tool_use"):
            name, given = block.get("name"), block.get("input")
            if not isinstance(name, str) or not name:
                raise InputError(
                    f"{where}: block {count}: field 'name': expected a tool's name, "
                    f"got {name!r:.60}"
                )
            args = given if isinstance(given, Mapping) else {}
            calls.append(ToolCall(name, args, call_id=_text_or_none(block.get("id"))))
        elif kind == "tool_result":
            reader.result(
                _text_or_none(block.get("tool_use_id")),
                json_value(_joined(block.get("content"))),
                block.get("is_error") is not True,
                number,
                None,
            )
    reader.say(role, "\n".join(texts), number, len(calls))
    for call in calls:
        reader.call(call, number)


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _openai_call(value: object, where: str) -> ToolCall:
    function = value.get("function", value) if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(function, Mapping):
        raise InputError(f"{where}: expected an object with 'function', got {value!r:.60}")
    name, given = function.get("name"), function.get("arguments", function.get("args"))
    if not isinstance(name, str) or not name:
        raise InputError(f"{where}: field 'name': expected a tool's name, got {name!r:.60}")
    args = json_value(given)
    latency = value.get("latency_ms")
    number = isinstance(latency, int | float) and not isinstance(latency, bool)
    return ToolCall(
        name,
        args if isinstance(args, Mapping) else {},
        call_id=_text_or_none(value.get("id")),
        latency_ms=latency if number else None,
    )


def _joined(content: object) -> object:
    """The text of a result that came as a list of text blocks; anything else as it is."""
    if isinstance(content, list) and content:
        texts = [
            b.get("text") for b in content if isinstance(b, Mapping) and b.get("type") == "text"
        ]
        if len(texts) == len(content) and all(isinstance(t, str) for t in texts):
            return "\n".join(map(str, texts))
    return content


def json_value(value: object) -> Any:
    """Return what a text says as JSON where it is an object or a list, else the value as it is.

    >>> json_value('{"order_id": "ORD-1"}'), json_value("Error: no such order"), json_value("17")
    ({'order_id': 'ORD-1'}, 'Error: no such order', '17')
    """
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value
