"""What a learner did, in one JSON file beside the lessons: never half-written, never lost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimlab.files import write_whole

FILE = "claimlab-progress.json"
SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Saved:
    """What came of a save: the note is for the learner, empty when there is nothing to say."""

    stored: bool
    note: str = ""


def load(folder: Path | None = None) -> dict[str, Any]:
    """Return the stored state; an empty one when there is none or it cannot be read."""
    return _read((folder or Path.cwd()) / FILE) or {}


def save(part: str, name: str, value: Mapping[str, Any], folder: Path | None = None) -> Saved:
    """Store ``value`` under ``part`` and ``name`` and keep everything else as it is in the file.

    The file is read again first, so two notebooks that are open at once do not undo each other.
    A damaged file is put aside under a name of its own. Where nothing can be written, nothing is
    stored and the note says so.
    """
    path = (folder or Path.cwd()) / FILE
    note = ""
    try:
        state = _read(path)
        if state is None and path.exists():
            aside = _aside(path)
            path.replace(aside)
            note = f"{FILE} was damaged; it is kept as {aside.name}."
        state = state or {}
        entries = state.get(part)
        state = {
            **state,
            "schema_version": SCHEMA_VERSION,
            part: {**(entries if isinstance(entries, dict) else {}), name: dict(value)},
        }
        text = json.dumps(state, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        write_whole(path, text.encode("utf-8"))
    except OSError:
        return Saved(False, "This folder cannot be written to, so nothing is stored.")
    return Saved(True, note)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return state if isinstance(state, dict) else None


def _aside(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.stem}.damaged-{number}.json")).exists():
        number += 1
    return aside
