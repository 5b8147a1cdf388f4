"""What several test files share."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
"""Material beside the project that is not part of it; tests that read it skip without it."""

Command = Callable[..., "subprocess.CompletedProcess[str]"]


def plain_environment(**more: str) -> dict[str, str]:
    """The environment without anybody's Python settings, with this library on the path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"} | more
