"""What installs claimlab says the same thing everywhere: ranges, pins, conda, the wheel, make."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

import claimlab

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CONSTRAINTS = (ROOT / "constraints.txt").read_text("utf-8")
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
CORE: list[str] = PROJECT["dependencies"]
DIRECT = [Requirement(text) for texts in (CORE, *EXTRAS.values()) for text in texts]
PYTHONS = ("3.11", "3.12", "3.13")


def pins() -> dict[str, Version]:
    """What constraints.txt pins."""
    lines = [line for line in CONSTRAINTS.splitlines() if line and not line.startswith("#")]
    found = [re.fullmatch(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.+!]+)", line) for line in lines]
    assert None not in found, "only NAME==VERSION lines"
    names = [canonicalize_name(match[1]) for match in found if match]
    assert len(set(names)) == len(names), "a package is pinned twice"
    return {canonicalize_name(match[1]): Version(match[2]) for match in found if match}


# --- ranges, pins, conda ------------------------------------------------------------------------


def test_constraints_hold_no_address() -> None:
    assert "://" not in CONSTRAINTS
    assert " @ " not in CONSTRAINTS
    assert "@ file" not in CONSTRAINTS
    assert not re.search(r"^\s*-", CONSTRAINTS, re.MULTILINE), "options such as --find-links"


@pytest.mark.parametrize("requirement", DIRECT, ids=lambda requirement: requirement.name)
def test_each_dependency_has_a_range_and_a_pin_inside_it(requirement: Requirement) -> None:
    assert requirement.specifier, "no range"
    assert pins()[canonicalize_name(requirement.name)] in requirement.specifier


def needed(python: str, system: dict[str, str]) -> Iterator[tuple[str, Requirement]]:
    """Everything that the extras bring in on some machine, with who asked for it."""
    environment = default_environment() | system
    environment |= {"python_version": python, "python_full_version": f"{python}.0", "extra": ""}
    waiting = [("pyproject.toml", requirement) for requirement in DIRECT]
    seen = set()
    while waiting:
        asker, requirement = waiting.pop()
        key = (canonicalize_name(requirement.name), str(requirement.specifier))
        if key in seen:
            continue
        seen.add(key)
        yield asker, requirement
        try:
            lines = importlib.metadata.requires(requirement.name) or []
        except importlib.metadata.PackageNotFoundError:  # not for the machine that this runs on
            continue
        for child in map(Requirement, lines):
            extras = ["", *requirement.extras]
            if child.marker is None or any(
                child.marker.evaluate(environment | {"extra": extra}) for extra in extras
            ):
                waiting.append((requirement.name, child))


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize(
    "system",
    [
        {"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux"},
        {"sys_platform": "darwin", "os_name": "posix", "platform_system": "Darwin"},
        {"sys_platform": "win32", "os_name": "nt", "platform_system": "Windows"},
    ],
    ids=lambda system: system["platform_system"],
)
def test_everything_that_comes_along_is_pinned_within_every_range(
    python: str, system: dict[str, str]
) -> None:
    pinned = pins()
    wrong = [
        f"{asker} needs {requirement}, pinned: {pinned.get(canonicalize_name(requirement.name))}"
        for asker, requirement in needed(python, system)
        if canonicalize_name(requirement.name) not in pinned
        or pinned[canonicalize_name(requirement.name)] not in requirement.specifier
    ]
    assert wrong == []


@pytest.mark.skipif(
    Path(sys.prefix).resolve() != ROOT / ".venv", reason="not in the .venv that make makes"
)
def test_what_is_installed_is_what_is_pinned() -> None:
    names = {canonicalize_name(r.name) for _, r in needed("{}.{}".format(*sys.version_info), {})}
    for name in names:
        assert Version(importlib.metadata.version(name)) == pins()[name], name


def test_each_dependency_says_why_it_is_there() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    for requirement in [line for lines in (CORE, *EXTRAS.values()) for line in lines]:
        assert re.search(rf'"{re.escape(requirement)}", +# \w', text), requirement


def test_the_core_needs_pure_python_alone_and_no_newest_python_is_shut_out() -> None:
    assert {Requirement(text).name for text in CORE} == {"phonenumbers"}
    assert importlib.metadata.distribution("phonenumbers").read_text("WHEEL") is not None
    assert "py3-none-any" in str(importlib.metadata.distribution("phonenumbers").read_text("WHEEL"))
    allowed = SpecifierSet(PROJECT["requires-python"])
    assert all(Version(python) in allowed for python in (*PYTHONS, "3.14", "3.99"))
    assert Version("3.10.13") not in allowed


def test_conda_installs_the_same_set() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    plain = [item for item in environment["dependencies"] if isinstance(item, str)]
    (pip,) = [item["pip"] for item in environment["dependencies"] if isinstance(item, dict)]
    assert pip == ["-c constraints.txt", "-e .[notebooks]"]
    assert "pip" in plain
    (python,) = [item.partition("=")[2] for item in plain if item.startswith("python=")]
    assert Version(python) in SpecifierSet(PROJECT["requires-python"])
    assert python in PYTHONS
    assert environment["name"] == PROJECT["name"]


def test_one_version() -> None:
    assert claimlab.__version__ == PROJECT["version"]


# --- the core without Jupyter -------------------------------------------------------------------


def core_modules() -> list[str]:
    """Every module outside claimlab/notebook."""
    names = []
    for path in sorted((ROOT / "claimlab").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if "notebook" not in parts and parts[-1] != "__main__":
            names.append(".".join(parts).removesuffix(".__init__"))
    return names


def bare_python(code: str, path: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run code with the standard library and one folder, and no installed package at all."""
    return subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_core_module_imports_on_the_standard_library_alone(tmp_path: Path) -> None:
    modules = core_modules()
    assert "claimlab.start" in modules
    code = "import importlib\nfor m in " + repr(modules) + ": importlib.import_module(m)"
    done = bare_python(code, ROOT, tmp_path)
    assert done.returncode == 0, done.stderr
    # And the bare Python is bare: this test could not fail in a full one.
    assert bare_python("import pandas", ROOT, tmp_path).returncode == 1


# --- the wheel ----------------------------------------------------------------------------------


def build(source: Path, out: Path) -> dict[str, bytes]:
    """Build the wheel, without the network; returns its files."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
        cwd=source,
        capture_output=True,
        check=True,
    )
    (wheel,) = out.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of what goes into a wheel, in a folder with a difficult name."""
    folder = tmp_path / "a course, été"
    folder.mkdir()
    for name in ("pyproject.toml", "LICENSE", "README.md"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, folder)
    junk = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    shutil.copytree(ROOT / "claimlab", folder / "claimlab", ignore=junk)
    (folder / "notebooks" / ".ipynb_checkpoints").mkdir(parents=True)
    lesson = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n'
    for name in ("00_start_here.ipynb", "01_lesson.ipynb", ".ipynb_checkpoints/01_lesson.ipynb"):
        (folder / "notebooks" / name).write_text(lesson)
    return folder


def test_the_wheel_holds_the_library_its_data_and_the_lessons(source: Path, tmp_path: Path) -> None:
    files = build(source, tmp_path / "out")
    assert "claimlab/py.typed" in files
    library = {
        path.relative_to(source).as_posix(): path.read_bytes()
        for path in (source / "claimlab").rglob("*")
        if path.is_file()
    }
    lessons = {f"claimlab/lessons/{name}.ipynb" for name in ("00_start_here", "01_lesson")}
    ours = {name: data for name, data in files.items() if ".dist-info/" not in name}
    assert set(ours) == set(library) | lessons
    assert all(ours[name] == data for name, data in library.items()), "bytes count: data is hashed"
    (entry_points,) = [data for name, data in files.items() if name.endswith("entry_points.txt")]
    assert b"claimlab = claimlab.cli:main" in entry_points


def test_sheets_go_along_when_there_are_some_and_an_installed_package_starts(
    source: Path, tmp_path: Path
) -> None:
    sheet = source / "exercises" / "x" / "x.ipynb"
    sheet.parent.mkdir(parents=True)
    shutil.copy(source / "notebooks" / "01_lesson.ipynb", sheet)
    (sheet.parent / "gradebook.db").write_text("private")
    files = build(source, tmp_path / "out")
    assert "claimlab/lessons/exercises/x/x.ipynb" in files
    assert not any("gradebook" in name for name in files)

    (wheel,) = (tmp_path / "out").glob("*.whl")
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    code = (
        "from pathlib import Path\nfrom claimlab.start import start\n"
        "print(start(Path('my copy')).text())"
    )
    done = bare_python(code, site, tmp_path)
    assert done.stdout.splitlines() == [
        "created    00_start_here.ipynb",
        "created    01_lesson.ipynb",
        "created    exercises/x/x.ipynb",
        "my copy: 3 notebooks, 3 created",
    ], done.stderr


# --- make ---------------------------------------------------------------------------------------

needs_make = pytest.mark.skipif(
    shutil.which("make") is None or os.name != "posix", reason="needs make"
)


def make(
    folder: Path, *arguments: str, umask: int = -1, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run make as somebody else would: without what an outer make left in the environment."""
    outer = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES", "PYTHON", "ARGS", "FILES"}
    return subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env={k: v for k, v in os.environ.items() if k not in outer} | env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        umask=umask,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the Makefile alone, whose name has all that names can have."""
    folder = tmp_path / "ma leçon, l'été (2)"
    folder.mkdir()
    shutil.copy(ROOT / "Makefile", folder)
    return folder


@needs_make
def test_make_alone_lists_what_there_is(folder: Path) -> None:
    done = make(folder)
    assert done.returncode == 0
    listed = re.findall(r"^  make (\w+) ", done.stdout, re.MULTILINE)
    assert {"lab", "test", "check", "notebooks", "bench", "clean", "help"} <= set(listed)
    assert [path.name for path in folder.iterdir()] == ["Makefile"]


@needs_make
def test_make_says_it_when_there_is_no_python(folder: Path) -> None:
    done = make(folder, "lab", "PYTHON=no-such-python")
    assert done.returncode == 2
    assert done.stderr.startswith("claimlab: no Python 3.11 or newer here (tried: no-such-python).")
    (folder / "old").write_text("#!/bin/sh\nexit 1\n")
    (folder / "old").chmod(0o755)
    assert "no Python 3.11" in make(folder, "lab", "PYTHON=./old").stderr


def python_of(folder: Path) -> str:
    """Where the .venv's Python thinks that it is."""
    done = subprocess.run(
        [folder / ".venv" / "bin" / "python", "-c", "import sys; print(sys.prefix)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@needs_make
@pytest.mark.slow
def test_make_mends_its_environment(folder: Path, tmp_path: Path) -> None:
    """An odd umask, a Python that vanished, a half-made environment, a folder that was moved."""
    first = make(folder, "venv", f"PYTHON={sys.executable}", umask=0o777)
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("Set-up: making .venv with ")
    assert python_of(folder) == str(folder / ".venv")
    again = make(folder, "venv")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")

    for python in (folder / ".venv" / "bin").glob("python*"):
        python.unlink()
        python.symlink_to("/nowhere/python3")
    vanished = make(folder, "venv", f"PYTHON={sys.executable}")
    assert "it has no working Python" in vanished.stdout, vanished.stderr
    assert python_of(folder) == str(folder / ".venv")

    moved = folder.rename(tmp_path / "moved")
    done = make(moved, "venv", f"PYTHON={sys.executable}")
    assert "it was made in another folder" in done.stdout
    assert python_of(moved) == str(moved / ".venv")


@needs_make
@pytest.mark.slow
def test_cleaning_keeps_a_learners_work(folder: Path) -> None:
    for name in ("workbook/.ipynb_checkpoints", "workbook/__pycache__", "x/__pycache__", ".venv"):
        (folder / name).mkdir(parents=True)
    (folder / "workbook" / "mine.ipynb").write_text("mine")
    assert make(folder, "distclean").returncode == 0
    left = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    assert left == [
        "Makefile",
        "workbook",
        "workbook/.ipynb_checkpoints",
        "workbook/__pycache__",
        "workbook/mine.ipynb",
        "x",
    ]


# --- the whole project --------------------------------------------------------------------------


def test_no_file_names_a_folder_of_this_machine() -> None:
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if done.returncode != 0 or len(ROOT.parts) < 3:
        pytest.skip("no checkout, or a folder with a name of one word")
    names = [name for name in done.stdout.decode().split("\0") if (ROOT / name).is_file()]
    assert "Makefile" in names
    for name in names:
        assert str(ROOT).encode() not in (ROOT / name).read_bytes(), name
