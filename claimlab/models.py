"""Where answers come from. A model takes a question and a history and returns a reply.

Lab 1 needs one kind: :class:`StubModel`, scripted, deterministic, a liar on a schedule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from claimlab.catalog import Catalog, Missed, Row, exact
from claimlab.courses import courses, lookup_section
from claimlab.errors import InputError
from claimlab.files import DATA, read_toml
from claimlab.late import late
from claimlab.mentions import DAYS, clean, weekdays
from claimlab.trace import Reply, ToolCall, Turn


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
