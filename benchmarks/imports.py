"""Import time of claimlab's core against the standard library's modules that it uses, as a ratio.

Each sample is a fresh interpreter that imports one set of modules and says how much processor time
that took: a busy machine counts less. The goal is a ratio of at most 1.5. Two parts of the core are
measured: what the command imports when it starts, and every module outside claimlab/notebook.

    python benchmarks/imports.py [SAMPLES]
"""

from __future__ import annotations

import ast
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

GOAL = 1.5
PACKAGE = Path(__file__).resolve().parent.parent / "claimlab"
COMMAND_ONLY = {"start"}  # imported by one subcommand when it runs
LOADED = "import sys, claimlab.cli; print(*(m for m in sys.modules if m.startswith('claimlab')))"
TIMED = """
from time import process_time
start = process_time()
import {names}
print(process_time() - start)
"""


def run(code: str, cache: str) -> str:
    """What a fresh interpreter prints; it keeps its byte code in this folder."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=env | {"PYTHONPYCACHEPREFIX": cache},
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def core() -> list[str]:
    """The modules outside claimlab/notebook."""
    names = {path.stem for path in PACKAGE.glob("*.py")} - COMMAND_ONLY - {"__init__"}
    return ["claimlab", *(f"claimlab.{name}" for name in sorted(names))]


def used(modules: list[str]) -> list[str]:
    """The modules of the standard library that these import at their top level."""
    found: set[str] = set()
    for module in modules:
        place = PACKAGE.joinpath(*module.split(".")[1:])
        file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                found.add(str(node.module))
    return sorted(name for name in found if name.split(".")[0] not in ("claimlab", "__future__"))


def compare(what: str, modules: list[str], samples: int, cache: str) -> None:
    """Print the medians of both sets, sampled in turn, and their ratio."""
    ours, alone = (TIMED.format(names=", ".join(names)) for names in (modules, used(modules)))
    run(ours, cache)  # writes the byte code
    run(alone, cache)
    pairs = [(float(run(ours, cache)), float(run(alone, cache))) for _ in range(samples)]
    mine, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = mine / theirs
    print(f"{what}: {', '.join(name.removeprefix('claimlab.') for name in modules)}")
    print(f"  with the standard library's {', '.join(used(modules))}")
    print(f"  {mine * 1e3:.1f} ms, the standard library alone {theirs * 1e3:.1f} ms")
    print(f"  ratio {ratio:.2f} (goal: at most {GOAL}, {'met' if ratio <= GOAL else 'missed'})")


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 31
    print(f"medians of {samples} fresh interpreters")
    with tempfile.TemporaryDirectory() as cache:
        compare("the command", sorted(run(LOADED, cache).split()), samples, cache)
        compare("the whole core", core(), samples, cache)


if __name__ == "__main__":
    main()
