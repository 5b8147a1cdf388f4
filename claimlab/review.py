"""Reviewing the baseline: what changed between the reviewed texts and the sources as they are now.

Nothing here decides that a claim still holds. A person reads both texts side by side and says yes,
entry by entry; only then is a new fingerprint written.
"""

from __future__ import annotations

import datetime
import difflib
import json
import re
import tempfile
import textwrap
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from claimlab.conditions import Condition, lost
from claimlab.errors import InputError
from claimlab.files import write_whole
from claimlab.handbook import Source
from claimlab.late import late
from claimlab.report import Report, flat
from claimlab.report import verdict as pass_or_fail
from claimlab.templates import Baseline, Template, fingerprint, read_baseline

State = Literal["same", "changed", "gone"]
STATES: Final[Mapping[State, str]] = {
    "same": "the source is the one that was reviewed",
    "changed": "its text, version or identifier is another one",
    "gone": "there is no source of that id any more",
}
"""What can have become of a reviewed source."""


@dataclass(frozen=True)
class Reviewed:
    """A template, and what its source is now; None when it is gone."""

    template: Template
    source: Source | None

    @property
    def state(self) -> State:
        """What became of the source."""
        template, source = self.template, self.source
        if source is None:
            return "gone"
        now = (source.identifier, source.version, fingerprint(source.text))
        then = (template.identifier, template.version, template.sha256)
        return "same" if now == then else "changed"


@dataclass(frozen=True)
class BaselineReview(Report):
    """Every template of a baseline, and what became of its source."""

    entries: tuple[Reviewed, ...]

    @property
    def passed(self) -> bool:
        """Whether there are templates and every source is the one that was reviewed."""
        return bool(self.entries) and all(entry.state == "same" for entry in self.entries)

    def text(self) -> str:
        """Return a line a template, and RESULT."""
        lines = [
            f"{entry.state:<7}  {flat(entry.template.question_id):<22}  "
            f"{flat(entry.template.source_id)}"
            for entry in self.entries
        ]
        states = [entry.state for entry in self.entries]
        counts = [f"{states.count(s)} {s}" for s in STATES if s != "same" and s in states]
        told = f" ({', '.join(counts)})" if counts else ""
        return "\n".join([*lines, f"RESULT: {pass_or_fail(self.passed)}{told}"])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a template."""
        return [
            {
                "question_id": entry.template.question_id,
                "source_id": entry.template.source_id,
                "state": entry.state,
                "reviewed_sha256": entry.template.sha256,
                "sha256": None if entry.source is None else fingerprint(entry.source.text),
            }
            for entry in self.entries
        ]


def review_baseline(baseline: Baseline, sources: Mapping[str, Source]) -> BaselineReview:
    """Return what became of every template's source."""
    return BaselineReview(tuple(Reviewed(t, sources.get(t.source_id)) for t in baseline.values()))


# -- side by side --------------------------------------------------------------------------------

COLUMN: Final = 44
"""How wide a column of the side-by-side difference is, in characters."""


def side_by_side(reviewed: str, now: str) -> str:
    """Return two texts in two columns, a mark between them, and the words that changed.

    ``|`` marks a line that changed, ``<`` one that is gone, ``>`` one that is new. Every row is
    indented, so that no text passes for a line of a report.
    """
    left, right = _lines(reviewed), _lines(now)
    rows = [f"  {'reviewed':<{COLUMN}}    now"]
    rows += [
        f"  {a:<{COLUMN}} {mark}  {b}".rstrip()
        for mark, old, new in _pairs(left, right)
        for mark, a, b in _wrapped(mark, old, new)
    ]
    return "\n".join([*rows, *_changed_words(reviewed, now)])


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _pairs(left: list[str], right: list[str]) -> Iterator[tuple[str, str, str]]:
    for tag, a, b, c, d in _changes(left, right):
        both = min(b - a, d - c)
        for n in range(both):
            yield (" " if tag == "equal" else "|"), left[a + n], right[c + n]
        yield from (("<", line, "") for line in left[a + both : b])
        yield from ((">", "", line) for line in right[c + both : d])


_MOST_PAIRS = 4_000_000


def _changes(left: list[str], right: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """Difflib's opcodes. Lists too long for it are one change between the ends that agree."""
    if len(left) * len(right) <= _MOST_PAIRS:
        return difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    most = min(len(left), len(right))
    start = next((n for n in range(most) if left[n] != right[n]), most)
    most -= start
    end = next((n for n in range(most) if left[-1 - n] != right[-1 - n]), most)
    a, b = len(left) - end, len(right) - end
    return [
        ("equal", 0, start, 0, start),
        ("replace", start, a, start, b),
        ("equal", a, len(left), b, len(right)),
    ]


def _wrapped(mark: str, old: str, new: str) -> Iterator[tuple[str, str, str]]:
    columns = [textwrap.wrap(flat(line), COLUMN) or [""] for line in (old, new)]
    for n in range(max(map(len, columns))):
        a, b = (column[n] if n < len(column) else "" for column in columns)
        yield mark, a, b


_PIECE = late(r"\w+|\s+|[^\w\s]")


def _changed_words(reviewed: str, now: str) -> Iterator[str]:
    """A line a change: a letter is easily overlooked in a column of text."""
    left, right = (_PIECE.findall("\n".join(_lines(text))) for text in (reviewed, now))
    for tag, a, b, c, d in _changes(left, right):
        if tag != "equal":
            old, new = "".join(left[a:b]), "".join(right[c:d])
            alike = unicodedata.normalize("NFKC", old) == unicodedata.normalize("NFKC", new)
            shown = ascii if alike else repr
            yield f"  {shown(old)} -> {shown(new)}"


def told(entry: Reviewed) -> str:
    """Return what a reviewer is shown of a template: its claim, its review, and what changed."""
    template, source = entry.template, entry.source
    lines = [
        f"{entry.state}: {flat(template.question_id)}, {STATES[entry.state]}",
        f"  claim:    {flat(template.claim)}",
        f"  reviewed: {template.reviewed.isoformat()}, {flat(template.note)}",
    ]
    if source is None:
        return "\n".join([*lines, f"  source:   {flat(template.source_id)}"])
    for name in ("identifier", "version"):
        old, new = getattr(template, name), getattr(source, name)
        if old != new:
            lines.append(f"  {name}: {old!r} -> {new!r}")
    if fingerprint(source.text) == template.sha256:
        return "\n".join([*lines, "  the text is the one that was reviewed"])
    lines.append(side_by_side(template.reviewed_text, source.text))
    before = lost(template.conditions, template.reviewed_text)
    gone = [name for name in lost(template.conditions, source.text) if name not in before]
    lines += [
        f"  the claim needs it, and the text no longer says it: {flat(name)}" for name in gone
    ]
    return "\n".join(lines)


# -- writing -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Opened:
    """Files as they were when a review began: nothing is written over a file that changed since."""

    contents: Mapping[Path, bytes]

    @classmethod
    def read(cls, *paths: Path) -> Opened:
        """Return what the files hold now."""
        return cls({path: _content(path) for path in paths})

    def check(self) -> None:
        """Raise InputError when one of the files is no longer what it was."""
        for path, content in self.contents.items():
            if _content(path) != content:
                raise InputError(
                    f"{path}: changed while the question was open, so nothing was written; "
                    "expected the file as it was, run the review again"
                )


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None


def accepted(entry: Reviewed, today: datetime.date, note: str | None = None) -> Template:
    """Return a template bound to its source as it is now, reviewed today.

    Raises InputError when there is no source to bind it to.
    """
    if entry.source is None:
        raise InputError(f"template {entry.template.question_id!r:.60}: its source is gone")
    return replace(
        entry.template,
        identifier=entry.source.identifier,
        version=entry.source.version,
        sha256=fingerprint(entry.source.text),
        reviewed=today,
        note=note or entry.template.note,
        reviewed_text=entry.source.text,
    )


_HEADER = late(r"^\[\[[^\]\n]+\]\][ \t]*(?:#.*)?$", re.M)


def write_template(path: Path, template: Template, opened: Opened) -> Opened:
    """Write one template into a baseline file, in one step, and leave every other entry as it is.

    Returns the files as they are now. Raises InputError, with nothing written, when a file changed
    since ``opened``, when the baseline is no TOML file, or when the entry cannot be found in it.
    """
    if path.suffix.lower() != ".toml":
        raise InputError(f"{path}: expected a baseline named .toml to write to")
    opened.check()
    text = opened.contents[path].decode("utf-8-sig")
    before = read_baseline(path)
    ends = "\r\n" if "\r\n" in text else "\n"
    plain = text.replace("\r\n", "\n")
    number = list(before).index(template.question_id)
    headers = [match.start() for match in _HEADER.finditer(plain)]
    if len(headers) != len(before):
        raise InputError(
            f"{path}: expected nothing but [[template]] entries; edit this one by hand"
        )
    start, end = headers[number], [*headers, len(plain)][number + 1]
    entry = re.sub(r"(\n([ \t]*#.*)?)*\Z", "", plain[start:end])
    rest = plain[start + len(entry) :]
    written = (plain[:start] + template_toml(template) + (rest or "\n")).replace("\n", ends)
    _check_written(path, written, {**before, template.question_id: template})
    target = path.resolve()
    opened.check()
    try:
        write_whole(target, written.encode("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None
    return Opened({**opened.contents, path: _content(path)})


def _check_written(path: Path, text: str, wanted: Baseline) -> None:
    """Read the new text before it takes the old one's place: it must hold what was meant."""
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / "baseline.toml"
        trial.write_bytes(text.encode("utf-8"))
        try:
            same = dict(read_baseline(trial)) == dict(wanted)
        except InputError:
            same = False
    if not same:
        raise InputError(f"{path}: its layout is not understood, so nothing was written")


def template_toml(template: Template) -> str:
    """Return a template as an entry of a baseline file, without a line end after it."""
    lines = ["[[template]]"]
    for name in ("question_id", "source_id", "identifier", "version", "sha256", "claim"):
        lines.append(f"{name} = {_quoted(getattr(template, name))}")
    lines.append(f"reviewed = {template.reviewed.isoformat()}")
    lines.append(f"note = {_quoted(template.note)}")
    lines += ["conditions = [", *map(_condition_toml, template.conditions), "]"]
    text = "\n".join(_quoted(line)[1:-1] for line in template.reviewed_text.split("\n"))
    lines.append(f'reviewed_text = """\n{text}"""')
    return "\n".join(lines)


def _condition_toml(condition: Condition) -> str:
    wordings = ", ".join(map(_quoted, condition.says))
    return f"  {{ name = {_quoted(condition.name)}, says = [{wordings}] }},"


def _quoted(text: str) -> str:
    """A text as TOML writes it: JSON's form, and the one control character that JSON leaves."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
