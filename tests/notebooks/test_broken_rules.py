"""A library with one rule broken must turn a lesson red: the lessons are checks of the library."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import notebook_checks as checks
import pytest

ROOT = Path(__file__).resolve().parents[2]
LESSON_1 = ROOT / "notebooks" / "01_claim_ledger.ipynb"
LESSON_5 = ROOT / "notebooks" / "05_reading_a_dialect.ipynb"


@dataclass(frozen=True)
class Fault:
    """One line of one file, and what somebody might have written instead."""

    name: str
    file: str
    line: str
    broken: str


FAULTS = [
    Fault(
        "weekday compares nothing",
        "ledger.py",
        "    wrong = sorted(said - has)\n",
        "    wrong = sorted(said - said)\n",
    ),
    Fault(
        "null means no",
        "values.py",
        '        return Value("null")\n',
        '        return Value("none")\n',
    ),
    Fault(
        "codes are not normalised",
        "catalog.py",
        "        return self.rows.get(self.normalise(code), NOT_FOUND)\n",
        "        return self.rows.get(code, NOT_FOUND)\n",
    ),
    Fault(
        "undeclared clauses are not judged",
        "ledger.py",
        '    if claims != "declared":\n',
        '    if claims == "text":\n',
    ),
    Fault(
        "closed leaves words unaccounted",
        "ledger.py",
        "    if not left:\n        return finding\n",
        "    return finding\n",
    ),
]


FAULTS_5 = [
    Fault(
        "the circumfix has no second half",
        "morphology.py",
        "        if word.endswith(close):\n",
        "        if word.endswith(close + close):\n",
    ),
    Fault(
        "look-alikes are taken apart",
        "morphology.py",
        "    if not 3 <= len(word) <= MAX_WORD or is_frozen(word):\n",
        "    if not 3 <= len(word) <= MAX_WORD:\n",
    ),
    Fault(
        "the future is no part of a verb",
        "morphology.py",
        "            return FUTURE, rest\n",
        "            return None\n",
    ),
    Fault(
        "all dialects are one",
        "lexicon.py",
        "            score = _score(words, one) + (0.1 if one is before else 0)\n",
        "            score = 0.0\n",
    ),
    Fault(
        "what nobody reads passes",
        "lexicon.py",
        "            return (Span(text, 0, len(text)),)\n",
        "            return ()\n",
    ),
]


def broken_library(folder: Path, fault: Fault | None) -> Path:
    """Return a folder with a copy of the library, with this fault in it."""
    copy = folder / "claimlab"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "claimlab", copy, ignore=ignored)
    if fault is not None:
        path = copy / fault.file
        source = path.read_text(encoding="utf-8")
        assert source.count(fault.line) == 1, f"the line of {fault.name!r} is not there once"
        path.write_text(source.replace(fault.line, fault.broken), encoding="utf-8")
    return folder


@pytest.mark.slow
def test_a_copy_without_a_fault_stays_green(tmp_path: Path) -> None:
    library = broken_library(tmp_path, None)
    result = checks.nbval(LESSON_1, env={"PYTHONPATH": str(library)})
    assert result.returncode == 0, result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "lesson"),
    [*((fault, LESSON_1) for fault in FAULTS), *((fault, LESSON_5) for fault in FAULTS_5)],
    ids=lambda given: given.name,
)
def test_a_broken_rule_turns_the_lesson_red(fault: Fault, lesson: Path, tmp_path: Path) -> None:
    library = broken_library(tmp_path, fault)
    result = checks.nbval(lesson, env={"PYTHONPATH": str(library)})
    assert result.returncode == 1, f"{fault.name}: the lesson did not notice\n{result.stdout}"
    assert "Cell outputs differ" in result.stdout
