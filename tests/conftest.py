"""What several test files share: the command in a process of its own, and hypothesis' settings."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
"""Material beside the project that is not part of it; tests that read it skip without it."""

# No deadline: a busy machine is no failure. Every run tries the same examples.
settings.register_profile(
    "claimlab",
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("claimlab")

Command = Callable[..., "subprocess.CompletedProcess[str]"]


def plain_environment(**more: str) -> dict[str, str]:
    """The environment without anybody's Python settings, with this library on the path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"} | more


@pytest.fixture
def claimlab() -> Command:
    """``claimlab("ledger", "--json")`` runs the command; keywords are environment variables."""

    def run(
        *arguments: str | Path, cwd: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "claimlab.cli", *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            cwd=cwd,
            env=plain_environment(**environment),
            stdin=subprocess.DEVNULL,
            timeout=60,
        )

    return run
