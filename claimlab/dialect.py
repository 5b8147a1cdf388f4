"""Lesson 5: the rule for the circumfix, built step by step, and what one more entry would do.

The examples are the course's own (``data/dialect_examples.jsonl``); each was labelled when it was
written, before a reader saw it: ``negated``, ``look_alike`` (it only looks negated) or ``plain``.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from claimlab.errors import InputError
from claimlab.files import DATA, read_records
from claimlab.lexicon import Entry, Reader, lexicons, marked, negations
from claimlab.report import Report, flat

LABELS: Final = ("negated", "look_alike", "plain")
Rule = Callable[[str], bool]


@dataclass(frozen=True)
class Example:
    """A sentence of the course, what it means, and its label."""

    text: str
    gloss: str
    label: str


@lru_cache(maxsize=1)
def examples() -> tuple[Example, ...]:
    """Return the course's own labelled sentences."""
    found = []
    for record in read_records(DATA / "dialect_examples.jsonl"):
        fields = record.fields
        if fields.get("label") not in LABELS:
            raise InputError(f"{record.place}: field 'label': expected one of {', '.join(LABELS)}")
        found.append(Example(fields["text"], fields["gloss"], fields["label"]))
    return tuple(found)


# -- the rule, step by step ----------------------------------------------------------------------


def _words(text: str) -> list[str]:
    return text.lower().replace(",", " ").replace("?", " ").split()


def bare_ma(text: str) -> bool:
    """Step 1: there is a word ``ma``."""
    return "ma" in _words(text)


def circumfix(text: str) -> bool:
    """Step 2: or a word begins with ``ma`` and ends with ``ch``."""
    return bare_ma(text) or any(w.startswith("ma") and w.endswith("ch") for w in _words(text))


def spelled(text: str) -> bool:
    """Step 3: or with ``sh``, and the ``a`` may be left out."""
    return bare_ma(text) or any(
        w.startswith("m") and w.endswith(("ch", "sh")) for w in _words(text)
    )


def lexicon(text: str) -> bool:
    """Step 4: the lexicons, with particles, look-alikes and the other script."""
    return bool(negations(text))


STEPS: Final[Mapping[str, Rule]] = MappingProxyType(
    {"bare ma": bare_ma, "ma...ch": circumfix, "m...ch/sh": spelled, "lexicons": lexicon}
)
"""The steps of lesson 5, in order."""


@dataclass(frozen=True)
class Measured:
    """How a rule does on labelled sentences."""

    found: int
    negated: int
    alarms: tuple[Example, ...]
    missed: tuple[Example, ...]
    others: int

    def __str__(self) -> str:
        return (
            f"found {self.found} of {self.negated}, "
            f"false alarms {len(self.alarms)} of {self.others}"
        )


def measure(rule: Rule, rows: Sequence[Example] | None = None) -> Measured:
    """Return what a rule finds among the negated, and on how many of the others it alarms.

    >>> print(measure(lambda text: True))
    found 30 of 30, false alarms 30 of 30
    """
    rows = examples() if rows is None else rows
    says = [(row, rule(row.text)) for row in rows]
    missed = tuple(row for row, hit in says if row.label == "negated" and not hit)
    alarms = tuple(row for row, hit in says if row.label != "negated" and hit)
    negated = sum(row.label == "negated" for row in rows)
    return Measured(negated - len(missed), negated, alarms, missed, len(rows) - negated)


# -- one more entry ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Effect(Report):
    """What an entry would do to the first steps' rule: measured before and after."""

    form: str
    before: Measured
    after: Measured
    problem: str = ""

    @property
    def passed(self) -> bool:
        """Whether it finds more, and raises no new false alarm."""
        better = self.after.found > self.before.found
        return not self.problem and better and len(self.after.alarms) <= len(self.before.alarms)

    def headline(self) -> str:
        """Return the measured effect in one line."""
        if self.problem:
            return f"refused: {self.problem}"
        more = self.after.found - self.before.found
        alarms = len(self.after.alarms) - len(self.before.alarms)
        return f"recall {more:+d}, false alarms {alarms:+d}"

    def details(self) -> list[str]:
        """Return the sentences that it newly finds, and those on which it newly alarms."""
        if self.problem:
            return []
        found = [f"found: {_told(r)}" for r in self.before.missed if r not in self.after.missed]
        alarms = [
            f"false alarm: {_told(r)}" for r in self.after.alarms if r not in self.before.alarms
        ]
        return found + alarms

    def text(self) -> str:
        """Return the entry, its effect, and the sentences."""
        return "\n".join(
            [f"entry: {flat(self.form)}", self.headline(), *(f"  {d}" for d in self.details())]
        )

    def to_records(self) -> list[dict[str, Any]]:
        """Return one dict."""
        return [{"form": self.form, "effect": self.headline(), "details": self.details()}]


def _told(row: Example) -> str:
    return f"{row.text} ({row.gloss})"


@lru_cache(maxsize=1)
def _poor() -> Reader:
    """The Maghrebi lexicon in Latin letters with the attached circumfix alone: a start."""
    whole = next(one for one in lexicons() if one.script == "Latin" and one.language == "ary")
    kept = tuple(
        entry
        for entry in whole.entries
        if entry.form == "+neg" or (entry.section != "negation" and " ma" not in entry.form)
    )
    return Reader(("create",), [replace(whole, entries=kept)])


def _with(form: str) -> Reader:
    start = _poor().compiled[0].lexicon
    entry = Entry("negation", form, "a learner's entry", "own", "")
    return Reader(("create",), [replace(start, entries=(*start.entries, entry))])


def entry_effect(form: str) -> Effect:
    """Return what a negation entry with this form would do. Never raises.

    Measured on the examples in Latin letters, with a lexicon that so far knows only the attached
    circumfix and the words that look like it.

    >>> print(entry_effect("machi|mechi").headline())
    recall +1, false alarms +1
    """
    rows = [row for row in examples() if row.text.isascii()]
    before = measure(_rule(_poor()), rows)
    try:
        if not form.strip():
            raise InputError("an entry needs a form")
        after = measure(_rule(_with(form.lower())), rows)
    except InputError as error:
        return Effect(form, before, before, str(error).rpartition(": ")[2])
    return Effect(form, before, after)


def _rule(read: Reader) -> Rule:
    return lambda text: bool(marked(read, text, "ary", "negators"))


# -- shown ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Glossed:
    """Sentences with a gloss on every line, each in its own direction."""

    rows: tuple[Example, ...]

    def __str__(self) -> str:
        return "\n".join(f"{flat(row.text)} | {row.gloss}" for row in self.rows)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        lines = "".join(
            f'<tr><td dir="auto" style="font-size: 120%">{html.escape(row.text)}</td>'
            f'<td dir="ltr" style="text-align: left">{html.escape(row.gloss)}</td></tr>'
            for row in self.rows
        )
        return f'<table class="claimlab"><tbody>{lines}</tbody></table>'


def glossed(rows: Sequence[Example]) -> Glossed:
    """Return sentences to end a cell with: the gloss beside each."""
    return Glossed(tuple(rows))
