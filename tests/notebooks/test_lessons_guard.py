"""The lessons as they are saved, and that each guard can say no."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import notebook_checks as checks
import pytest

LESSONS = checks.lesson_paths()
GUARDS: list[Callable[[checks.Notebook], list[str]]] = [
    checks.stripped_cells,
    checks.long_cells,
    checks.widget_state,
    checks.standard_error,
]
each_lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


def test_there_are_lessons_and_each_is_documented() -> None:
    assert LESSONS
    assert sorted(checks.documented()) == [path.stem for path in LESSONS]


@each_lesson
def test_a_lesson_stores_what_it_promises(path: Path) -> None:
    assert checks.missing_lines(checks.load(path), checks.documented().get(path.stem, [])) == []


@each_lesson
@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
def test_a_lesson_is_in_order(guard: Callable[[checks.Notebook], list[str]], path: Path) -> None:
    assert guard(checks.load(path)) == []


@pytest.mark.parametrize(
    "path", checks.tool().all_notebooks(), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_a_notebook_is_in_normal_form(path: Path) -> None:
    assert checks.tool().check(path) == "in normal form"


# --- each guard can say no ----------------------------------------------------------------------


def cell(source: str, *outputs: dict[str, Any], count: int | None = 1) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": count,
        "id": "a",
        "metadata": {},
        "outputs": list(outputs),
        "source": source,
    }


def stream(text: str | list[str], name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def notebook(*cells: dict[str, Any], **metadata: Any) -> checks.Notebook:
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


GOOD = notebook(cell("print('RESULT: PASS')", stream(["one\n", "RESULT: PASS\n"])), cell("x = 1"))


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
def test_every_guard_passes_a_good_notebook(guard: Callable[[checks.Notebook], list[str]]) -> None:
    assert guard(GOOD) == []


def test_missing_lines() -> None:
    assert checks.missing_lines(GOOD, ["RESULT: PASS", "one"]) == []
    assert checks.missing_lines(GOOD, ["RESULT: FAIL"]) == [
        "no output holds the line 'RESULT: FAIL'"
    ]
    # A part of a line is not the line: `RESULT: PASS` must not be found in `NOT A RESULT: PASS`.
    assert checks.missing_lines(GOOD, ["RESULT"]) != []
    assert checks.missing_lines(GOOD, []) != []


def test_a_line_in_a_source_or_on_standard_error_is_no_output() -> None:
    only_source = notebook(cell("# RESULT: PASS"), cell("x", stream("RESULT: PASS", "stderr")))
    assert checks.missing_lines(only_source, ["RESULT: PASS"]) != []


def test_a_value_shown_by_naming_it_is_an_output() -> None:
    result = {
        "output_type": "execute_result",
        "execution_count": 1,
        "metadata": {},
        "data": {"text/plain": ["one\n", "RESULT: PASS"]},
    }
    assert checks.missing_lines(notebook(cell("report", result)), ["one", "RESULT: PASS"]) == []


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (cell("x = 1", count=None), "no execution_count"),
        (cell("  \n", count=None), "is empty"),
        (cell("x = 1\nprint(x)"), "prints and stores no output"),
    ],
)
def test_stripped_cells(bad: dict[str, Any], says: str) -> None:
    (found,) = checks.stripped_cells(notebook(cell("x"), bad))
    assert found.startswith("cell 2")
    assert says in found


def test_long_cells() -> None:
    longest = "\n".join(["x"] * 20)
    assert checks.long_cells(notebook(cell(longest), cell("x"), cell("x"))) == []
    (found,) = checks.long_cells(notebook(cell(longest + "\ny"), cell("x"), cell("x")))
    assert "21 lines" in found
    six, seven = "\n".join(["x"] * 6), "\n".join(["x"] * 7)
    assert checks.long_cells(notebook(cell(six), cell(six), cell(seven))) == []
    (found,) = checks.long_cells(notebook(cell(six), cell(seven), cell(seven)))
    assert "median" in found


def test_widget_state() -> None:
    view = {
        "output_type": "display_data",
        "metadata": {},
        "data": {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}},
    }
    assert len(checks.widget_state(notebook(cell("x", view), widgets={}))) == 2


def test_standard_error() -> None:
    (found,) = checks.standard_error(notebook(cell("x", stream("Warning\n", "stderr"))))
    assert "Warning" in found


# --- nbval compares what is stored --------------------------------------------------------------


@pytest.mark.slow
def test_a_flipped_verdict_is_caught(tmp_path: Path) -> None:
    """A copy of a lesson passes; the same copy whose stored PASS says FAIL does not."""
    stores_a_verdict = [
        p for p in LESSONS if any("PASS" in x for x in checks.stored_lines(checks.load(p)))
    ]
    assert stores_a_verdict, "no lesson stores a verdict"
    lesson = checks.load(stores_a_verdict[0])
    (tmp_path / "as_it_is").mkdir()
    checks.save(lesson, tmp_path / "as_it_is" / "lesson.ipynb")
    checks.save(checks.flipped(lesson), tmp_path / "flipped.ipynb")
    as_it_is = checks.nbval(tmp_path / "as_it_is" / "lesson.ipynb")
    assert as_it_is.returncode == 0, as_it_is.stdout
    flipped = checks.nbval(tmp_path / "flipped.ipynb")
    assert flipped.returncode == 1, flipped.stdout
    assert "Cell outputs differ" in flipped.stdout
    assert " 1 failed" in f" {flipped.stdout.splitlines()[-1]}"


def test_flipping_needs_a_verdict() -> None:
    assert checks.stored_lines(checks.flipped(GOOD)) == ["one", "RESULT: FAIL"]
    assert checks.stored_lines(GOOD) == ["one", "RESULT: PASS"]
    with pytest.raises(ValueError, match="no stored output holds MAYBE"):
        checks.flipped(GOOD, "MAYBE")
