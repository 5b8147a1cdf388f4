"""Checking a lexicon's file line by line, and telling what a lexicon finds in a text."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from claimlab.errors import InputError
from claimlab.files import read_text
from claimlab.lexicon import (
    CANCELLERS,
    SECTIONS,
    Entry,
    Lexicon,
    Mention,
    Reader,
    futures,
    negations,
    read_lexicon,
    reader,
)
from claimlab.report import Report, flat, one_line, verdict
from claimlab.spans import Span

KINDS: Final = ("create", "cancel", "change", "book", "compensate")
"""The kinds of action that ``claimlab lexicon try`` looks for."""


class Problem(NamedTuple):
    """Something wrong in a lexicon: the line, the entry, and what."""

    line: int
    entry: str
    what: str


@dataclass(frozen=True)
class LexiconReport(Report):
    """What a check of a lexicon's file found."""

    path: str
    lexicon: Lexicon | None
    problems: tuple[Problem, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def text(self) -> str:
        """Return a line a problem, what the file holds, and RESULT."""
        lines = [
            f"{flat(self.path)}: line {one.line}: {flat(one.entry)}: {flat(one.what)}"
            for one in self.problems
        ]
        if self.lexicon is not None:
            held = {s: sum(e.section == s for e in self.lexicon.entries) for s in SECTIONS}
            told = ", ".join(f"{count} {section}" for section, count in held.items() if count)
            lines += [f"{flat(self.lexicon.name)}: {told}", f"review: {flat(self.lexicon.review)}"]
        return "\n".join([*lines, "", f"RESULT: {verdict(self.passed)}{self._count()}"])

    def _count(self) -> str:
        count = len(self.problems)
        return f" ({count} problem{'s' * (count > 1)})" if count else ""

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a problem."""
        return [one._asdict() for one in self.problems]


def check_lexicon(path: str | Path) -> LexiconReport:
    """Return what is wrong in a lexicon's file: the schema first, then each entry's example.

    A claim's example must assert its kind. The example of an entry that takes claims back must
    hold a claim that is taken back, a boundary's must assert, a look-alike's must not be taken
    back. Raises InputError for a file that cannot be read at all.
    """
    text = read_text(path)
    try:
        tomllib.loads(text)
    except ValueError as error:
        raise InputError(f"{path}: is not TOML ({error})") from None
    lines = _entry_lines(text)
    try:
        lexicon = read_lexicon(path)
    except InputError as error:
        what = str(error).removeprefix(f"{path}: ")
        return LexiconReport(str(path), None, (_placed(what, lines, text),))
    problems = []
    places: dict[str, int] = {}
    for entry in lexicon.entries:
        number = places[entry.section] = places.get(entry.section, 0) + 1
        for what in _example_fails(entry, lexicon):
            line = lines.get((entry.section, number), 1)
            problems.append(Problem(line, f"{entry.section} {number} ({entry.form:.40})", what))
    problems.sort()
    return LexiconReport(str(path), lexicon, tuple(problems))


def _entry_lines(text: str) -> dict[tuple[str, int], int]:
    """The line on which each entry of each section begins."""
    found: dict[tuple[str, int], int] = {}
    counts: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        name = line.split("#")[0].strip()
        if name.startswith("[[") and name.endswith("]]"):
            section = name[2:-2].strip()
            counts[section] = counts.get(section, 0) + 1
            found[section, counts[section]] = number
    return found


def _placed(what: str, lines: Mapping[tuple[str, int], int], text: str) -> Problem:
    """A problem that the loader named, with the line of its entry or of its section."""
    where, _, rest = what.partition(": ")
    section, _, number = where.partition(" ")
    if number.isdigit() and (section, int(number)) in lines:
        return Problem(lines[section, int(number)], where, rest)
    quoted = number.strip("'\"")
    for line, said in enumerate(text.split("\n"), 1):
        name = where.split(".")[-1]
        if (quoted and quoted in said) or (
            not quoted and said.strip().startswith((name, f"[{name}"))
        ):
            return Problem(line, where, rest or what)
    return Problem(1, where, rest or what)


def _example_fails(entry: Entry, lexicon: Lexicon) -> Iterator[str]:
    kinds = tuple(lexicon.kinds) or ("create",)
    if not isinstance(entry.example, str):
        for kind, example in entry.example.items():
            asserted = _reader(lexicon, (kind,)).read(example).asserted if kind in kinds else ()
            if kind not in {mention.kind for mention in asserted}:
                yield f"example {example!r:.80} does not assert {kind!r:.20}"
        return
    read = _reader(lexicon, kinds).read(entry.example)
    if entry.section in CANCELLERS and (read.asserted or not read.mentions):
        told = "asserts" if read.asserted else "holds no claim that could be taken back"
        yield f"example {entry.example!r:.80} {told}"
    if entry.section == "boundary" and not read.asserted:
        yield f"example {entry.example!r:.80} asserts nothing"
    if entry.section == "look_alike" and any(m.cancelled for m in read.mentions):
        yield f"example {entry.example!r:.80} is taken back"


def _reader(lexicon: Lexicon, kinds: tuple[str, ...]) -> Reader:
    return Reader(kinds, [lexicon])


# -- trying a text -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tried(Report):
    """What the lexicons find in a text."""

    said: str
    mentions: tuple[Mention, ...]
    negated: tuple[Span, ...]
    future: tuple[Span, ...]
    not_covered: tuple[Span, ...]

    @property
    def passed(self) -> bool:
        """Whether every word of it could be read: nothing is in a language without a lexicon."""
        return not self.not_covered

    def text(self) -> str:
        """Return what matched, what took it back, with glosses, and RESULT."""
        lines = []
        for mention in self.mentions:
            taken = mention.cancelled
            told = "asserted"
            if taken is not None:
                told = f"taken back by {taken.section}"
                told += f" ({flat(taken.gloss)})" if taken.gloss else ""
            lines.append(f"{mention.kind}: {one_line(mention.span.text)}: {told}")
        lines += [f"negation: {one_line(span.text)}" for span in self.negated]
        lines += [f"future: {one_line(span.text)}" for span in self.future]
        lines += [f"not_covered: {one_line(span.text)}" for span in self.not_covered]
        if not lines:
            lines = ["nothing that a lexicon knows"]
        reason = "" if self.passed else " (not_covered)"
        return "\n".join([*lines, "", f"RESULT: {verdict(self.passed)}{reason}"])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a finding."""
        found: list[dict[str, Any]] = []
        for mention in self.mentions:
            taken = mention.cancelled
            why = {"taken_back_by": taken and taken.section, "gloss": taken.gloss if taken else ""}
            found.append({**_record(mention.kind, mention.span), **why})
        for name, spans in (
            ("negation", self.negated),
            ("future", self.future),
            ("not_covered", self.not_covered),
        ):
            found += [{**_record(name, span), "taken_back_by": None, "gloss": ""} for span in spans]
        return found


def _record(what: str, span: Span) -> dict[str, Any]:
    return {"what": what, "text": span.text, "start": span.start, "end": span.end}


def try_text(text: str, language: str | None = None) -> Tried:
    """Return what the course's lexicons find in a text.

    Raises InputError for a language without a lexicon.

    >>> print(try_text("talabak matsaggelsh"))
    create: talabak matsaggelsh: taken back by negation (the circumfix in the word: ma- … -sh, or \
a word that is negated like a verb)
    negation: matsaggelsh
    <BLANKLINE>
    RESULT: PASS
    """
    negated, future = negations(text, language), futures(text, language)
    read = reader(KINDS).read(text)
    return Tried(text, read.mentions, tuple(negated), tuple(future), read.not_covered)
