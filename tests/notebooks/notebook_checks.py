"""What a lesson's notebook must hold, as functions that any test can call.

nbval compares the outputs that a notebook stores. It passes a notebook that stores none, and it
does not know which lines the course promises. These checks do. Each returns what is wrong as a list
of texts, empty when all is well, so that a test can also show that the check says no.
"""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LESSONS = ROOT / "notebooks"
SOLUTIONS = ROOT / "solutions"
DOCUMENTED = Path(__file__).with_name("documented.toml")

MOST_LINES = 20
MEDIAN_LINES = 6

Notebook = dict[str, Any]


@cache
def tool() -> ModuleType:
    """``tools/notebooks.py`` as a module; it is a script, so it is not on the import path."""
    spec = importlib.util.spec_from_file_location("notebook_tool", ROOT / "tools" / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


def lesson_paths() -> list[Path]:
    """The lessons of the course, in order."""
    return sorted(LESSONS.glob("*.ipynb"))


def documented() -> dict[str, list[str]]:
    """The lines that each lesson must store, by the lesson's name without ``.ipynb``."""
    lines: dict[str, list[str]] = tomllib.loads(DOCUMENTED.read_text(encoding="utf-8"))
    return lines


def load(path: Path) -> Notebook:
    """A notebook as plain JSON: what is in the file, and nothing that a library adds."""
    notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def save(notebook: Notebook, path: Path) -> None:
    """Write a notebook as plain JSON."""
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1), encoding="utf-8")


def joined(text: str | list[str]) -> str:
    """The text of a source or an output, which a notebook stores as one text or as lines."""
    return text if isinstance(text, str) else "".join(text)


def code_cells(notebook: Notebook) -> list[dict[str, Any]]:
    """The cells that run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def stored_lines(notebook: Notebook) -> list[str]:
    """Every line of plain text that the notebook's outputs hold, in order."""
    lines: list[str] = []
    for cell in code_cells(notebook):
        for output in cell["outputs"]:
            if output["output_type"] == "stream" and output["name"] == "stdout":
                lines += joined(output["text"]).splitlines()
            elif "text/plain" in output.get("data", {}):
                lines += joined(output["data"]["text/plain"]).splitlines()
    return lines


# --- the guards ---------------------------------------------------------------------------------


def missing_lines(notebook: Notebook, promised: list[str]) -> list[str]:
    """Promised lines that no output holds, or no promise at all."""
    if not promised:
        return ["no line is documented for this notebook: add some to documented.toml"]
    stored = stored_lines(notebook)
    return [f"no output holds the line {line!r}" for line in promised if line not in stored]


def stripped_cells(notebook: Notebook) -> list[str]:
    """Cells that say they never ran, or that print and store nothing."""
    found = []
    for number, cell in enumerate(notebook["cells"], start=1):
        if cell["cell_type"] != "code":
            continue
        source = joined(cell["source"])
        if not source.strip():
            found.append(f"cell {number} is empty")
        elif cell["execution_count"] is None:
            found.append(f"cell {number} has no execution_count: {first_line(source)}")
        elif not cell["outputs"] and any(
            line.startswith(("print(", "display(")) for line in source.splitlines()
        ):
            found.append(f"cell {number} prints and stores no output: {first_line(source)}")
    return found


def long_cells(notebook: Notebook) -> list[str]:
    """Code cells of too many lines, and a median that is too high."""
    sources = [joined(cell["source"]) for cell in code_cells(notebook)]
    lengths = [len(source.strip().splitlines()) for source in sources]
    found = [
        f"a cell has {length} lines, at most {MOST_LINES}: {first_line(source)}"
        for source, length in zip(sources, lengths, strict=True)
        if length > MOST_LINES
    ]
    if lengths and statistics.median(lengths) > MEDIAN_LINES:
        median = statistics.median(lengths)
        found.append(f"the median code cell has {median:g} lines, at most {MEDIAN_LINES}")
    return found


def widget_state(notebook: Notebook) -> list[str]:
    """Saved widget state, or a view that would need it."""
    found = (
        ["the notebook's metadata holds widget state"] if "widgets" in notebook["metadata"] else []
    )
    for number, cell in enumerate(notebook["cells"], start=1):
        for output in cell.get("outputs", []):
            if any("widget-view" in kind for kind in output.get("data", {})):
                found.append(f"cell {number} stores a widget's view")
    return found


def standard_error(notebook: Notebook) -> list[str]:
    """Cells that wrote on standard error."""
    return [
        f"cell {number} wrote on standard error: {first_line(joined(output['text']))}"
        for number, cell in enumerate(notebook["cells"], start=1)
        for output in cell.get("outputs", [])
        if output["output_type"] == "stream" and output["name"] == "stderr"
    ]


def first_line(text: str) -> str:
    """The first line that says something."""
    return next((line for line in text.splitlines() if line.strip()), "")


# --- the check that runs a notebook -------------------------------------------------------------


def text_outputs(notebook: Notebook) -> Iterator[tuple[dict[str, Any], str]]:
    """Each place that stores plain text: a mapping and the key in it."""
    for cell in code_cells(notebook):
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                yield output, "text"
            elif "text/plain" in output.get("data", {}):
                yield output["data"], "text/plain"


def flipped(notebook: Notebook, verdict: str = "PASS", to: str = "FAIL") -> Notebook:
    """A copy in which the first stored verdict says the opposite.

    Raises:
        ValueError: the notebook stores no such verdict.
    """
    copy: Notebook = json.loads(json.dumps(notebook))
    for place, key in text_outputs(copy):
        text = joined(place[key])
        if verdict in text:
            place[key] = text.replace(verdict, to, 1)
            return copy
    raise ValueError(f"no stored output holds {verdict}")


def nbval(*paths: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Compare notebooks, strictly and in fresh kernels, as ``make test`` does.

    Args:
        paths: notebook files, anywhere.
        env: changes to the environment, such as a ``PYTHONPATH`` with a broken library first.

    Returns:
        The finished process: status 0 when every cell said what it stores, 1 when one did not.
    """
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval",
        "--nbval-current-env",
        "-q",
        "-W",
        "default",
    ]
    command += [
        "--nbval-cell-timeout=120",
        "--color=no",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
    ]
    command += ["-c", str(ROOT / "pyproject.toml"), *map(str, paths)]
    # The worker's own settings are for the outer pytest.
    outer = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    return subprocess.run(
        command,
        env=outer | (env or {}),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=600,
    )
