"""A learner's own copy of the lessons: ``claimlab start DIR``.

The course's notebooks hold their outputs, because those are the contract that its tests compare
with. A learner who is asked to predict must not see them, so ``start`` copies the lessons (and the
exercise sheets) **without** outputs into a folder of the learner's own, the *workbook*. Running it
again brings the workbook up to date and never overwrites what the learner did.

What happens to one file, in the order of the questions asked:

==========================================================  ====================================
the file in the workbook                                    then it is
==========================================================  ====================================
does not exist (never copied, or deleted)                   **created**
holds the course's version of today, run or not             **unchanged**: left alone
is what ``start`` wrote earlier, as it was                  **refreshed** in place
is the learner's, and the course is where they left it      **kept**
is the learner's, and the course has gone on                kept, and today's version is
                                                            **put beside** it: ``NAME.new.ipynb``
==========================================================  ====================================

Whose is a file?

- JupyterLab re-saves a notebook that was only opened: other spacing, other metadata. Nothing of the
  learner is in it, so a file without outputs whose cells (kind and source, in order) are those that
  ``start`` wrote counts as *what start wrote*.
- A file with **outputs** is the learner's even if no source was changed: an output can hold what no
  re-run brings back, such as a live model's answer. So it is never refreshed, only joined by a new
  version.
- A file that ``start`` did not write is the learner's. So is every file when the manifest (see
  below) is lost or damaged, unless it holds the course's version of today.

A version beside is offered once: whoever deletes ``NAME.new.ipynb`` is not asked again until the
course has changed again. A version beside that the learner works in is the learner's too; the next
one is then called ``NAME.new2.ipynb``. Who wants the course's version in place deletes the own file
(or renames it) and runs ``start`` again.

What was written is remembered in ``.claimlab-start.json`` in the workbook, as SHA-256 of the bytes
and of the cells.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from claimlab.errors import InputError
from claimlab.files import write_whole

MANIFEST = ".claimlab-start.json"
_MANIFEST_VERSION = 1
_SHEETS = "exercises"


@dataclass(frozen=True)
class Beside:
    """A new version that was put beside a learner's own file."""

    own: str
    new: str


@dataclass(frozen=True)
class StartReport:
    """What ``start`` did; every name is relative to the target, with ``/``."""

    target: Path
    created: tuple[str, ...] = ()
    refreshed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    beside: tuple[Beside, ...] = ()
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """What happened, as plain text: a line for each file that needs one, then a sum.

        >>> print(StartReport(Path("workbook"), created=("b.ipynb",), kept=("a.ipynb",)).text())
        created    b.ipynb
        kept       a.ipynb (yours)
        workbook: 2 notebooks, 1 created, 1 kept
        """
        lines = [*self.notes]
        lines += [f"created    {name}" for name in self.created]
        lines += [
            f"refreshed  {name} (the course has a newer version; you had not changed yours)"
            for name in self.refreshed
        ]
        lines += [f"kept       {name} (yours)" for name in self.kept]
        lines += [
            f"new        {b.new} (the course's newer version; {b.own} is yours and was kept)"
            for b in self.beside
        ]
        counts = {
            "created": len(self.created),
            "refreshed": len(self.refreshed),
            "unchanged": len(self.unchanged),
            "kept": len(self.kept),
            "put beside": len(self.beside),
        }
        total = sum(counts.values()) - counts["put beside"]
        parts = [f"{total} notebook{'' if total == 1 else 's'}"]
        parts += [f"{count} {what}" for what, count in counts.items() if count]
        lines.append(f"{self.target}: {', '.join(parts)}")
        return "\n".join(lines)


def start(target: Path, source: Path | None = None) -> StartReport:
    """Copy the lessons and exercise sheets into a learner's folder, without their outputs.

    Args:
        target: the learner's folder; created when it does not exist.
        source: the folder that holds the lessons; by default this installation's own: a checkout's
            ``notebooks/`` (with ``exercises/`` beside it), else what the package carries.

    Returns:
        What was created, refreshed, left alone, kept, and put beside. A second run right after the
        first leaves everything alone.

    Raises:
        InputError: the source or the target cannot be used. Nothing of the learner's was touched.
    """
    lessons = _default_lessons() if source is None else source
    sheets = _sheets_of(lessons)
    course = {name: _learners_copy(name, path) for name, path in _course_files(lessons, sheets)}
    if not course:
        raise InputError(f"{lessons}: no lessons here; expected a folder with .ipynb files")
    _check_target(target, (lessons, sheets))
    manifest, notes = _read_manifest(target)
    steps = [_decide(target, name, data, manifest.get(name)) for name, data in course.items()]
    _write(target, steps, manifest)
    by_action = {
        action: tuple(step.name for step in steps if step.action == action)
        for action in ("created", "refreshed", "unchanged")
    }
    return StartReport(
        target=target,
        **by_action,
        kept=tuple(step.name for step in steps if step.action in ("kept", "beside")),
        beside=tuple(Beside(step.name, step.write_to) for step in steps if step.action == "beside"),
        notes=notes,
    )


# --- the course's side --------------------------------------------------------------------------


def _default_lessons() -> Path:
    package = Path(__file__).resolve().parent
    checkout = package.parent / "notebooks"
    if checkout.is_dir() and (package.parent / "pyproject.toml").is_file():
        return checkout
    installed = package / "lessons"
    if installed.is_dir():
        return installed
    raise InputError(f"{installed}: this claimlab was installed without its lessons")


def _sheets_of(lessons: Path) -> Path:
    """Where the exercise sheets are: inside a package's lessons, beside a checkout's."""
    inside = lessons / _SHEETS
    return inside if inside.is_dir() else lessons.parent / _SHEETS


def _course_files(lessons: Path, sheets: Path) -> Iterator[tuple[str, Path]]:
    """Each course notebook: its name in the workbook, and where it is."""
    try:
        for path in sorted(lessons.iterdir()):
            if path.suffix == ".ipynb" and not path.name.startswith("."):
                yield path.name, path
    except OSError as error:
        raise InputError(
            f"{lessons}: cannot read the lessons ({error.strerror}); expected a folder"
        ) from None
    for path in sorted(sheets.rglob("*.ipynb")):
        parts = path.relative_to(sheets).parts
        if not any(part.startswith(".") for part in parts):
            yield PurePosixPath(_SHEETS, *parts).as_posix(), path


# The repository has the sheets beside the lessons' folder, the workbook has them inside.
_LESSON_LINK = (re.compile(r"""(\]\(|\]:\s*|(?:href|src)=["'])\.\./exercises/"""), r"\1exercises/")
_SHEET_LINK = (re.compile(r"""(\]\(|\]:\s*|(?:href|src)=["'])\.\./\.\./notebooks/"""), r"\1../../")


def _learners_copy(name: str, path: Path) -> bytes:
    """A course notebook without outputs, run counts and widget state, links pointing right."""
    pattern, replacement = _SHEET_LINK if name.startswith(f"{_SHEETS}/") else _LESSON_LINK
    try:
        notebook = json.loads(path.read_bytes().decode("utf-8"))
        notebook["metadata"].pop("widgets", None)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"] = []
                cell["execution_count"] = None
                cell["metadata"].pop("execution", None)
            elif isinstance(cell["source"], str):
                cell["source"] = pattern.sub(replacement, cell["source"])
            else:
                cell["source"] = [pattern.sub(replacement, line) for line in cell["source"]]
        data = (json.dumps(notebook, ensure_ascii=False, indent=1) + "\n").encode("utf-8")
        if _Copy.of(data).cells is None:
            raise TypeError
        return data
    except OSError as error:
        raise InputError(f"{path}: cannot read this notebook ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{path}: not a notebook of format 4") from None


# --- the learner's side -------------------------------------------------------------------------


@dataclass(frozen=True)
class _Entry:
    """What the manifest remembers of one course notebook.

    ``base`` is the version that the learner's file came from, ``offered`` the last one put beside
    it, ``written`` every version ever written for it: SHA-256 of the bytes to that of the cells.
    """

    base: str | None = None
    offered: str | None = None
    written: Mapping[str, str] = field(default_factory=dict)

    def wrote(self, copy: _Copy) -> bool:
        """Whether a file holds nothing of the learner's: as written, or only re-saved."""
        return copy.digest in self.written or (
            not copy.outputs and copy.cells in self.written.values()
        )


@dataclass(frozen=True)
class _Copy:
    """A notebook file: digest of its bytes, digest of its cells, whether it holds outputs."""

    digest: str
    cells: str | None
    outputs: bool

    @classmethod
    def of(cls, data: bytes) -> _Copy:
        digest = hashlib.sha256(data).hexdigest()
        try:
            cells = json.loads(data.decode("utf-8"))["cells"]
            what = [
                (cell["cell_type"], "".join(cell["source"]), cell.get("attachments"))
                for cell in cells
            ]
            outputs = any(cell.get("outputs") for cell in cells)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return cls(digest, None, outputs=True)  # no notebook any more: certainly the learner's
        text = json.dumps(what, sort_keys=True)
        return cls(digest, hashlib.sha256(text.encode("utf-8")).hexdigest(), outputs)


@dataclass(frozen=True)
class _Step:
    """What to do for one course notebook, decided before anything is written."""

    name: str
    action: Literal["created", "refreshed", "unchanged", "kept", "beside"]
    entry: _Entry
    write_to: str = ""
    data: bytes = b""


def _decide(target: Path, name: str, data: bytes, entry: _Entry | None) -> _Step:
    entry = entry or _Entry()
    today = _Copy.of(data)
    written = {**entry.written, today.digest: str(today.cells)}
    in_place = replace(entry, base=today.digest, written=written)
    own = _existing(target, name)
    if own is None:
        return _Step(name, "created", in_place, name, data)
    if own.digest == today.digest:
        return _Step(name, "unchanged", in_place)
    if own.digest in entry.written:
        return _Step(name, "refreshed", in_place, name, data)
    if own.cells == today.cells:
        return _Step(name, "unchanged", in_place)
    if entry.wrote(own):
        return _Step(name, "refreshed", in_place, name, data)
    if today.digest in (entry.base, entry.offered):
        return _Step(name, "kept", entry)
    offered = replace(entry, offered=today.digest, written=written)
    for beside in _names_beside(name):
        new = _existing(target, beside)
        if new is not None and new.digest == today.digest:
            return _Step(name, "kept", offered)
        if new is None or entry.wrote(new):
            return _Step(name, "beside", offered, beside, data)
    raise AssertionError("names do not run out")


def _names_beside(name: str) -> Iterator[str]:
    stem = name.removesuffix(".ipynb")
    yield f"{stem}.new.ipynb"
    number = 2
    while True:
        yield f"{stem}.new{number}.ipynb"
        number += 1


def _existing(target: Path, name: str) -> _Copy | None:
    """The file of this name in the workbook, or ``None`` when there is none."""
    path = target
    for part in PurePosixPath(name).parts:
        path = path / part
        if path.is_symlink():
            raise InputError(f"{path}: is a symbolic link; expected a real file or folder here")
    try:
        return _Copy.of(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(
            f"{path}: cannot read what is there ({error.strerror}); expected a notebook file"
        ) from None


def _check_target(target: Path, course: tuple[Path, ...]) -> None:
    try:
        folder = target.resolve()
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{target}: is a file; expected a folder, or a name for a new one")
        if target.is_symlink() and not folder.exists():
            raise InputError(f"{target}: is a symbolic link that leads nowhere")
        for own in (path for path in course if path.exists()):
            if any(above.exists() and above.samefile(own) for above in (folder, *folder.parents)):
                raise InputError(
                    f"{target}: lies inside the course's own {own.name}/; expected another folder"
                )
            if folder.exists() and folder.samefile(own.parent):
                raise InputError(
                    f"{target}: is the course's own folder; expected another, such as workbook"
                )
    except (
        OSError,
        RuntimeError,
        ValueError,
    ) as error:  # a loop of links, a NUL, a forbidden folder
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{target}: cannot be used as a folder ({reason})") from None


# --- the manifest -------------------------------------------------------------------------------


def _read_manifest(target: Path) -> tuple[dict[str, _Entry], tuple[str, ...]]:
    """What earlier runs remembered, and a note when that cannot be read."""
    path = target / MANIFEST
    if path.is_symlink():
        raise InputError(f"{path}: is a symbolic link; expected a real file here")
    try:
        return _parse_manifest(json.loads(path.read_bytes().decode("utf-8"))), ()
    except FileNotFoundError:
        return {}, ()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}, (f"{path}: damaged, so every file there counts as yours; it was made anew",)


def _parse_manifest(raw: Any) -> dict[str, _Entry]:
    if raw["version"] != _MANIFEST_VERSION:
        raise ValueError(raw["version"])
    return {
        str(name): _Entry(
            base=_digest_or_none(entry["base"]),
            offered=_digest_or_none(entry["offered"]),
            written={_digest(key): _digest(value) for key, value in entry["written"].items()},
        )
        for name, entry in raw["files"].items()
    }


def _digest(value: Any) -> str:
    if not isinstance(value, str) or re.fullmatch(r"[0-9a-f]{64}", value) is None:
        raise ValueError(value)
    return value


def _digest_or_none(value: Any) -> str | None:
    return None if value is None else _digest(value)


def _render_manifest(manifest: Mapping[str, _Entry]) -> bytes:
    files = {
        name: {"base": entry.base, "offered": entry.offered, "written": dict(entry.written)}
        for name, entry in sorted(manifest.items())
    }
    content = {
        "about": "What `claimlab start` wrote here, so that it never overwrites what you changed.",
        "version": _MANIFEST_VERSION,
        "files": files,
    }
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


# --- writing ------------------------------------------------------------------------------------


def _write(target: Path, steps: list[_Step], before: Mapping[str, _Entry]) -> None:
    """Carry out what was decided, and remember it even when the disk fills up half-way."""
    manifest = dict(before)
    path = target
    try:
        target.mkdir(parents=True, exist_ok=True)
        for step in steps:
            if step.write_to:
                path = target / step.write_to
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, step.data)
            manifest[step.name] = step.entry
        path = target / MANIFEST
        if not path.exists() or manifest != before:
            write_whole(path, _render_manifest(manifest))
    except OSError as error:
        with suppress(OSError):
            write_whole(target / MANIFEST, _render_manifest(manifest))
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
