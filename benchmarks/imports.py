"""Import time of claimlab's core against the standard library's modules that it uses, as a ratio.

Each sample is a fresh interpreter that imports one of the two sets and says how long that took.
The goal is a ratio of at most 1.5.

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
TIMED = """
from time import perf_counter
start = perf_counter()
import {names}
print(perf_counter() - start)
"""


def core() -> list[str]:
    """The modules outside claimlab/notebook."""
    names = sorted(path.stem for path in PACKAGE.glob("*.py"))
    return ["claimlab"] + [
        f"claimlab.{name}" for name in names if name not in COMMAND_ONLY | {"__init__"}
    ]


def used() -> list[str]:
    """The modules that the core imports at its top level, claimlab's own left out."""
    found: set[str] = set()
    for name in core():
        path = PACKAGE / f"{name.rpartition('.')[2]}.py"
        if name == "claimlab":
            path = PACKAGE / "__init__.py"
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                found.add(str(node.module))
    return sorted(name for name in found if name.split(".")[0] not in ("claimlab", "__future__"))


def sample(names: list[str], cache: str) -> float:
    """Seconds that one fresh interpreter takes to import these, from byte code kept in a folder."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ran = subprocess.run(
        [sys.executable, "-c", TIMED.format(names=", ".join(names))],
        env=env | {"PYTHONPYCACHEPREFIX": cache},
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(ran.stdout)


def measure(samples: int) -> tuple[float, float]:
    """Median seconds of the core and of the standard library's part, sampled in turn."""
    with tempfile.TemporaryDirectory() as cache:
        for names in (core(), used()):
            sample(names, cache)  # writes the byte code
        pairs = [(sample(core(), cache), sample(used(), cache)) for _ in range(samples)]
    return statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs)


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 41
    ours, alone = measure(samples)
    ratio = ours / alone
    print(f"standard library alone: {', '.join(used())}")
    print(f"claimlab's core:        {', '.join(core())}")
    print(f"medians of {samples} fresh interpreters: {alone * 1e3:.1f} ms and {ours * 1e3:.1f} ms")
    print(f"ratio {ratio:.2f} (goal: at most {GOAL}, {'met' if ratio <= GOAL else 'missed'})")


if __name__ == "__main__":
    main()
