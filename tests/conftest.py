"""What several test files share: the command in a process of its own, and hypothesis' settings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support import Command, plain_environment

# No deadline: a busy machine is no failure. Every run tries the same examples.
settings.register_profile(
    "claimlab",
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("claimlab")


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
