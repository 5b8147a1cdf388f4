"""A real JupyterLab over a learner's copy, and a real Chromium in front of it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from lab import Lab
from playwright.sync_api import Browser, Page, sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        message = f"no browser here (looked for {', '.join(BROWSERS)})"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(f"BROWSER TESTS SKIPPED: {message}")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """JupyterLab on a fresh copy of the lessons; gives its address."""
    folder = tmp_path_factory.mktemp("lab")
    workbook = folder / "my workbook é"
    subprocess.run([sys.executable, "-m", "claimlab.cli", "start", str(workbook)], check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}"]
    command += ["--allow-root", "--IdentityProvider.token=", "--ServerApp.password="]
    command += [f"--ServerApp.root_dir={workbook}", "--LabApp.expose_app_in_browser=True"]
    command += ["--LabApp.news_url=None", "--ServerApp.port_retries=0"]
    own = {name: str(folder / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR")}
    log = (folder / "server.log").open("w")
    process = subprocess.Popen(
        command, env={**os.environ, **own}, stdin=subprocess.DEVNULL, stdout=log, stderr=log
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address, process, folder / "server.log")
        yield address
    finally:
        process.terminate()
        process.wait(30)
        log.close()


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    import time

    until = time.monotonic() + 90
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{address}/api", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"JupyterLab did not answer:\n{log.read_text(errors='replace')[-2000:]}")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1280, "height": 1400})
    opened.set_default_timeout(60_000)
    yield opened
    opened.close()


@pytest.fixture
def lab(page: Page, server: str) -> Any:
    return Lab(page, server)
