"""A library with one rule broken must turn a lesson red: the lessons are checks of the library."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import notebook_checks as checks
import pytest

from claimlab.faults import Fault, faults, with_fault

ROOT = Path(__file__).resolve().parents[2]
LESSONS = {int(path.name[:2]): path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
FAULTS = tuple(faults().values())


def run(lesson: str, library: Path) -> subprocess.CompletedProcess[str]:
    """Run a lesson, cell by cell, with this library."""
    path = ROOT / "notebooks" / f"{lesson}.ipynb"
    return checks.nbval(path, env={"PYTHONPATH": str(library)})


def broken_library(folder: Path, fault: Fault | None) -> Path:
    """Return a folder with a copy of the library, with this fault in it."""
    copy = folder / "claimlab"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "claimlab", copy, ignore=ignored)
    if fault is not None:
        path = copy / fault.file
        path.write_text(with_fault(fault, path.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("lesson", sorted({LESSONS[fault.lesson] for fault in FAULTS}))
def test_a_copy_without_a_fault_stays_green(lesson: str, tmp_path: Path) -> None:
    result = run(lesson, broken_library(tmp_path, None))
    assert result.returncode == 0, result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_broken_rule_turns_the_lesson_red(fault: Fault, tmp_path: Path) -> None:
    result = run(LESSONS[fault.lesson], broken_library(tmp_path, fault))
    assert result.returncode == 1, f"{fault.name}: the lesson did not notice\n{result.stdout}"
    assert "Cell outputs differ" in result.stdout
