"""Where answers come from. A model takes a question and a history and returns a reply.

Three kinds, one shape: :class:`StubModel` is scripted, a liar on a schedule; :class:`ReplayModel`
replays the recorded answers of a real model; :class:`ChatModel` asks a live one.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from claimlab.catalog import Catalog, Missed, Row, exact
from claimlab.courses import courses, lookup_section
from claimlab.errors import InputError
from claimlab.files import DATA, read_toml
from claimlab.late import late
from claimlab.mentions import DAYS, clean, weekdays
from claimlab.trace import Reply, ToolCall, Turn

if TYPE_CHECKING:
    from claimlab.endpoint import Endpoint
    from claimlab.recordings import Completion, Recording


class Model(Protocol):
    """Anything that answers."""

    def reply(self, question: str, history: Sequence[Turn] = ()) -> Reply:
        """Return the answer to a question, given the turns before it."""


_CODE = late(r"(?<![^\W\d_])([^\W\d_]++)[\s\-_]{0,2}(\d{2,4}[A-Z]?)\b")
_TOLD_NOT_TO_LOOK = late(r"\b(?:don'?t|do not) look", re.I)
UNKNOWN = "UNKNOWN"
"""The code that the stub looks up when it saw none in the question."""


@dataclass(frozen=True)
class StubModel:
    """The scripted liar of lab 1.

    Told not to look, it looks nothing up and answers. Given a weekday, by the question or left
    over in the history, it repeats the weekday. Otherwise it reports the row. With ``sloppy`` it
    answers after a miss as well. Codes go through the catalog's normaliser, in prose and in the
    tool's argument: pass a catalog with ``exact`` to see what happens without one.

    >>> StubModel().reply("Does COMP 3170 have a Tuesday lab?").text
    'Yes, lab is Tuesday at 2pm.'
    """

    catalog: Catalog = field(default_factory=courses)
    sloppy: bool = False

    def reply(self, question: str, history: Sequence[Turn] = ()) -> Reply:
        """Return the scripted answer. Deterministic: the same question, the same reply."""
        text = clean(question)
        if _TOLD_NOT_TO_LOOK.search(text):
            return Reply("Yes, lab is Tuesday at 2pm.", (), ("COMP 3170 has a Tuesday lab",))
        code = self._code_in(text)
        day = _last_day(text)
        if day and re.search(r"\bsections?\b", text, re.I):
            return self._section_reply(code, day)
        day = day or _last_day(*(t for turn in history for t in (turn.question, turn.reply.text)))
        row = self.catalog.lookup(code)
        call = ToolCall("lookup_course", {"code": code}, row)
        if isinstance(row, Missed):
            if self.sloppy:
                return _copied(day or "Tuesday", code, call)
            return Reply("I could not find that course.", (call,), ("course missing from catalog",))
        if day and "lab" in row and day not in _days_of(row["lab"]):
            return _copied(day, str(row[self.catalog.key]), call)
        return self._report(row, call)

    def _code_in(self, text: str) -> str:
        departments = {re.split(r"[\s\d]", key, maxsplit=1)[0] for key in self.catalog.rows}
        for match in _CODE.finditer(text):
            if match[1].upper() in departments:
                return self.catalog.normalise(match.group())
        return UNKNOWN

    def _report(self, row: Row, call: ToolCall) -> Reply:
        code = str(row[self.catalog.key])
        if "term" in row and "lab" in row:
            lab = "no lab listed" if row["lab"] is None else f"lab on {row['lab']}"
            return Reply(
                f"{code} is listed for {row['term']}, {lab}.",
                (call,),
                (f"{code} offered in {row['term']}", f"{code} lab field is {row['lab']!r}"),
            )
        names = [name for name in row if name != self.catalog.key][:3]
        told = [f"{name.replace('_', ' ')} is {row[name]!r}" for name in names]
        return Reply(
            f"{code}: {', '.join(told)}.", (call,), tuple(f"{code} {fact}" for fact in told)
        )

    def _section_reply(self, code: str, day: str) -> Reply:
        row = lookup_section(code, day)
        call = ToolCall("lookup_section", {"code": code, "day": day}, row)
        if isinstance(row, Missed):
            return Reply("I could not find that section.", (call,), ("no such section found",))
        told = f"{row['code']} has a section on {row['day']} at {row['time']}"
        return Reply(f"{told}.", (call,), (told,))


def _copied(day: str, code: str, call: ToolCall) -> Reply:
    return Reply(f"Yes, lab is {day} at 2pm.", (call,), (f"{code} has a {day} lab",))


def _last_day(*texts: str) -> str | None:
    for text in reversed(texts):
        found = weekdays(clean(text))
        if found:
            return DAYS[min(found[-1].value)]
    return None


def _days_of(lab: Any) -> set[str]:
    if not isinstance(lab, str):
        return set()
    return {DAYS[number] for mention in weekdays(clean(lab)) for number in mention.value}


@dataclass(frozen=True)
class ReplayModel:
    """The recorded answers of a real model to the questions of lab 1, at one setting.

    The recording's prompt held the row that claimlab had looked up, so each reply carries that
    lookup, made again now. It declares no claims: its text is all that it claims.

    >>> from claimlab.recordings import read_recording
    >>> ReplayModel(read_recording("courses")).reply("Is COMP 3170 offered in Spring?").text
    'No, COMP 3170 is offered in Winter.'
    """

    recording: Recording
    temperature: float = 0.0

    def reply(self, question: str, history: Sequence[Turn] = ()) -> Reply:
        """Return the recorded answer. Raises InputError for a question that was not recorded."""
        asked = " ".join(clean(question).split())
        for completion in self.recording:
            if completion.temperature == self.temperature and asked == completion.about["question"]:
                return replayed(completion)
        raise InputError(
            f"question: not in the recording at {self.temperature:g}: {question!r:.80}"
        )


def replayed(completion: Completion) -> Reply:
    """Return the reply of one line of the recording ``courses``, with its lookup."""
    from claimlab.recording_plans import recorded_row

    code = completion.about["code"]
    call = ToolCall("lookup_course", {"code": code}, recorded_row(code))
    return Reply(completion.text.strip(), (call,))


_TEXT = {"type": "string"}
TOOLS: Mapping[str, Mapping[str, Any]] = {
    "lookup_course": {
        "description": "Return the catalog row of a course.",
        "parameters": {
            "type": "object",
            "properties": {"code": _TEXT},
            "required": ["code"],
            "additionalProperties": False,
        },
    },
    "lookup_section": {
        "description": "Return the section of a course on a weekday.",
        "parameters": {
            "type": "object",
            "properties": {"code": _TEXT, "day": _TEXT},
            "required": ["code", "day"],
            "additionalProperties": False,
        },
    },
}
"""The tools that a live model is offered, as JSON Schemas."""

ROUNDS = 4
"""How often a live model may call tools before it must answer."""

_SYSTEM = (
    "You answer questions about courses. Look a course up before you answer, and say no more than "
    "the row says."
)


@dataclass(frozen=True)
class ChatModel:
    """A live model behind an OpenAI-compatible chat endpoint.

    A tool call is carried out here, by claimlab, never by the model's word for it. With
    ``tool_choice="required"`` the first round must be a call. Each question, call and failure
    leaves a line in ``endpoint.log``.
    """

    endpoint: Endpoint
    catalog: Catalog = field(default_factory=courses)
    tool_choice: str = "auto"
    max_tokens: int = 400
    stop: Sequence[str] = ()

    def reply(self, question: str, history: Sequence[Turn] = ()) -> Reply:
        """Return the model's answer. Raises ModelError, whose ``outcome`` names what went wrong."""
        messages: list[Mapping[str, Any]] = [{"role": "system", "content": _SYSTEM}]
        for turn in history:
            messages.append({"role": "user", "content": turn.question})
            messages.append({"role": "assistant", "content": turn.reply.text})
        messages.append({"role": "user", "content": question})
        calls: list[ToolCall] = []
        choice = self.tool_choice
        for rounds in range(ROUNDS + 1):
            message = self._ask(messages, choice if rounds < ROUNDS else "none")
            wanted = message.get("tool_calls") or []
            if not wanted or rounds == ROUNDS:
                return Reply(str(message.get("content") or "").strip(), calls)
            messages.append({"role": "assistant", "content": None, "tool_calls": wanted})
            for call in wanted:
                calls.append(self._carried_out(call))
                told = json.dumps(_shown(calls[-1].result))
                messages.append({"role": "tool", "tool_call_id": call.get("id"), "content": told})
            choice = "auto" if self.tool_choice == "auto" else "none"
        raise AssertionError("the last round always returns")

    def _ask(self, messages: Sequence[Mapping[str, Any]], choice: str) -> Mapping[str, Any]:
        tools = [{"type": "function", "function": {"name": n, **tool}} for n, tool in TOOLS.items()]
        settings: dict[str, Any] = {"max_tokens": self.max_tokens, "temperature": 0}
        if self.stop:
            settings["stop"] = list(self.stop)
        return self.endpoint.chat(messages, tools, choice, **settings)

    def _carried_out(self, call: Mapping[str, Any]) -> ToolCall:
        """Carry out one call; a call that cannot be is a failed one, named in the log."""
        function = call.get("function") or {}
        name, text = str(function.get("name")), function.get("arguments")
        call_id = call.get("id")
        if name not in TOOLS:
            self.endpoint.note(name, "unknown_tool")
            failed = {"error": f"no such tool: {name}"}
            return ToolCall(name, {}, failed, ok=False, call_id=call_id)
        args = _arguments(text, TOOLS[name]["parameters"])
        if args is None:
            self.endpoint.note(name, "invalid_arguments")
            failed = {"error": f"expected an object with {', '.join(_names(name))}"}
            return ToolCall(name, {}, failed, ok=False, call_id=call_id)
        started = time.monotonic()
        result = self._looked_up(name, args)
        ms = round((time.monotonic() - started) * 1000, 3)
        self.endpoint.note(name, "ok", ms)
        return ToolCall(name, args, result, call_id=call_id, latency_ms=ms)

    def _looked_up(self, name: str, args: Mapping[str, str]) -> Row | Missed:
        if name == "lookup_course":
            return self.catalog.lookup(args["code"])
        return lookup_section(args["code"], args["day"])


def _names(tool: str) -> list[str]:
    names: list[str] = TOOLS[tool]["parameters"]["required"]
    return names


def _arguments(text: object, schema: Mapping[str, Any]) -> dict[str, str] | None:
    """Return the arguments of a call, or None when they are not what the tool takes."""
    try:
        args = json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return None
    if not isinstance(args, dict) or set(args) != set(schema["required"]):
        return None
    return args if all(isinstance(value, str) for value in args.values()) else None


def _shown(result: Any) -> Any:
    return dict(result) if isinstance(result, Mapping) else {"error": "not found"}


def conversation(model: Model, questions: Sequence[str], *, remember: bool = False) -> list[Turn]:
    """Ask the questions in order; with ``remember``, each sees the turns before it."""
    turns: list[Turn] = []
    for question in questions:
        turns.append(Turn(question, model.reply(question, tuple(turns) if remember else ())))
    return turns


def documented_runs() -> tuple[str, ...]:
    """Return the names of the documented runs of lab 1."""
    return tuple(run["name"] for run in _runs())


def documented_run(name: str) -> list[Turn]:
    """Return the turns of a documented run of lab 1 (``data/ledger_runs.toml``)."""
    for run in _runs():
        if run["name"] == name:
            catalog = courses()
            if not run.get("normalise", True):
                catalog = replace(catalog, normalise=exact)
            model = StubModel(catalog, sloppy=run.get("sloppy", False))
            return conversation(model, run["questions"], remember=run.get("remember", False))
    raise InputError(f"run: expected one of {', '.join(documented_runs())}, got {name!r:.60}")


def _runs() -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = read_toml(DATA / "ledger_runs.toml")["run"]
    return runs


@dataclass(frozen=True)
class Grade:
    """What a grader says of a claim: yes or no, and in which words."""

    says: bool
    text: str


def self_grade(claim: str, *, harsh: bool = False, told: bool | None = None) -> Grade:
    """Return the scripted self-grade of lab 2: a model that grades what it wrote.

    It says yes. Asked to be ``harsh`` it sounds harsh and says yes. When the answer leaked into its
    prompt (``told``), it repeats the answer.

    >>> self_grade("the run was solid", harsh=True)
    Grade(says=True, text='However, one could look closer. Still, "the run was solid" is right.')
    """
    if told is not None:
        word = "right" if told else "wrong"
        return Grade(told, f'The facts in my prompt show that "{claim}" is {word}.')
    if harsh:
        return Grade(True, f'However, one could look closer. Still, "{claim}" is right.')
    return Grade(True, f'Yes, "{claim}" is right.')
