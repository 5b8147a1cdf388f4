"""Run notebooks in place and keep them in one normal form.

A lesson is saved with its outputs, because they are the contract: nbval compares every cell with
them. So a saved lesson must say the same on every machine and on every day. This tool runs a
notebook, brings it to a form in which a re-run leaves no difference, and refuses what could not be
the same elsewhere: an object's address, a path of this machine, a line on standard error.

    python tools/notebooks.py run [FILES]         run each in a fresh kernel, then normalise
    python tools/notebooks.py normalise [FILES]   bring to normal form without running
    python tools/notebooks.py check [FILES]       exit status 1 and names when one is not

Without FILES: every lesson in notebooks/ and every solution in solutions/*/. A notebook is written
only when all is well, and in one step: after an error or Ctrl-C the old file is still there.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import copy
import getpass
import hashlib
import json
import logging
import os
import re
import stat
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
# JupyterLab also saves the version of the Python that ran last. That changes; this does not.
LANGUAGE_INFO = {
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "pygments_lexer": "ipython3",
}

# What editors and runners leave behind, as opposed to what an author means.
VOLATILE_NOTEBOOK_METADATA = frozenset(
    {"colab", "interpreter", "orig_nbformat", "papermill", "signature", "vscode", "widgets"}
)
VOLATILE_CELL_METADATA = frozenset(
    {
        "ExecuteTime",
        "collapsed",
        "colab",
        "execution",
        "id",
        "outputId",
        "papermill",
        "pycharm",
        "scrolled",
        "trusted",
        "vscode",
    }
)
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

ANSI = re.compile(r"\x1b\[[0-9;]*m")
CELL_TIMEOUT_SECONDS = 600


class NotebookError(Exception):
    """A notebook that cannot be used as it is; the message names the file."""


@dataclass(frozen=True)
class Problem:
    """Something in a notebook that no normal form can mend."""

    cell: str
    what: str

    def __str__(self) -> str:
        return f"{self.cell}: {self.what}"


# --- reading and writing ------------------------------------------------------------------------


def parse(text: str, name: str) -> NotebookNode:
    """Read notebook text as it is: unlike ``nbformat.reads``, this invents no cell ids.

    Args:
        text: the content of an ``.ipynb`` file.
        name: what errors call it.
    """
    try:
        raw = json.loads(text)
    except ValueError as error:
        raise NotebookError(f"{name}: not a notebook: {error}") from None
    if not isinstance(raw, dict) or raw.get("nbformat") != 4:
        raise NotebookError(f"{name}: not a notebook of format 4")
    try:
        nb: NotebookNode = nbformat.v4.reads(text)
        for cell in nb.cells:
            _ = cell.cell_type, cell.source, cell.metadata
            if cell.cell_type == "code":
                _ = cell.outputs, cell.execution_count
    except (AttributeError, KeyError, TypeError) as error:
        raise NotebookError(f"{name}: not a whole notebook: {error}") from None
    return nb


def render(nb: NotebookNode) -> str:
    """The text of a notebook as this project saves it (JupyterLab saves the same keys alike)."""
    text: str = nbformat.v4.writes(copy.deepcopy(nb))
    return text.rstrip("\n") + "\n"


def read(path: Path) -> NotebookNode:
    """Read a notebook file."""
    return parse(read_text(path), display_name(path))


def read_text(path: Path) -> str:
    """The text of a file, with its line endings as they are."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise NotebookError(f"{display_name(path)}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise NotebookError(f"{display_name(path)}: not UTF-8") from None


def write_text(path: Path, text: str) -> None:
    """Replace a file in one step, with the old file's mode: there is never half a notebook."""
    path = path.resolve()  # through a link to the file itself, not over the link
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(text.encode("utf-8"))
        if path.exists():
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def display_name(path: Path) -> str:
    """A path as messages show it: relative to the project where it is inside."""
    try:
        return path.resolve().relative_to(ROOT).as_posix()
    except ValueError:
        return path.name


# --- the normal form ----------------------------------------------------------------------------


def normalise(nb: NotebookNode) -> NotebookNode:
    """The normal form of a notebook, as a new notebook. Doing it twice changes nothing more."""
    nb = copy.deepcopy(nb)
    kept = {k: v for k, v in nb.metadata.items() if k not in VOLATILE_NOTEBOOK_METADATA}
    kept |= {"kernelspec": dict(KERNELSPEC), "language_info": dict(LANGUAGE_INFO)}
    nb.metadata = nbformat.from_dict(kept)
    # 5 is the minor version in which cells have ids.
    nb.nbformat, nb.nbformat_minor = 4, 5
    for cell, cell_id in zip(nb.cells, _stable_ids(nb.cells), strict=True):
        cell.id = cell_id
        cell.metadata = _cell_metadata(cell.metadata)
    count = 0
    for cell in nb.cells:
        if cell.cell_type != "code":
            cell.pop("outputs", None)
            cell.pop("execution_count", None)
            continue
        cell.outputs = _outputs(cell.outputs)
        # A cell that never ran gets no number: the number says that it did run.
        if cell.execution_count is not None:
            count += 1
            cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = cell.execution_count
    return nb


def _cell_metadata(metadata: dict[str, Any]) -> NotebookNode:
    kept = {k: v for k, v in metadata.items() if k not in VOLATILE_CELL_METADATA}
    folded = kept.get("jupyter")
    if isinstance(folded, dict):  # folding an output is a reader's click, hiding a source is meant
        folded = {k: v for k, v in folded.items() if k != "outputs_hidden"}
        kept.pop("jupyter")
        if folded:
            kept["jupyter"] = folded
    node: NotebookNode = nbformat.from_dict(kept)
    return node


def _stable_ids(cells: Sequence[NotebookNode]) -> Iterator[str]:
    """Each cell's id: its own where it is valid and the first of its name, else from its source."""
    own = {str(cell.get("id")) for cell in cells if _valid_id(cell.get("id"))}
    seen: set[str] = set()
    for cell in cells:
        cell_id = cell.get("id")
        attempt = 0
        while not _valid_id(cell_id) or cell_id in seen:
            seed = f"{cell.cell_type}\0{cell.source}\0{attempt}"
            derived = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            cell_id = None if derived in own else derived
            attempt += 1
        seen.add(str(cell_id))
        yield str(cell_id)


def _valid_id(cell_id: object) -> bool:
    return isinstance(cell_id, str) and CELL_ID.fullmatch(cell_id) is not None


def _outputs(outputs: Sequence[NotebookNode]) -> list[NotebookNode]:
    kept: list[NotebookNode] = []
    for output in outputs:
        if output.output_type == "stream":
            # How one print is cut into messages is a matter of timing.
            previous = kept[-1] if kept else None
            if previous is not None and previous.get("name") == output.name:
                previous.text += output.text
                continue
        elif output.output_type == "error":
            output.traceback = [part for part in output.traceback if not _outside(part)]
        elif "data" in output:
            # Without its saved state a widget's view is a hole in the page; its text stays.
            output.data.pop(WIDGET_VIEW, None)
            if not output.data:
                continue
            if isinstance(output.data.get("image/png"), str):
                output.data["image/png"] = _plain_png(output.data["image/png"])
        kept.append(output)
    return kept


def _outside(frame: str) -> bool:
    """Whether a part of a traceback shows a frame outside the notebook: it names a local file."""
    return ANSI.sub("", frame).lstrip().startswith("File ")


PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Text (with matplotlib's version), dates and camera data. Pixels and colours are elsewhere.
PNG_REMARKS = frozenset({b"tEXt", b"zTXt", b"iTXt", b"tIME", b"eXIf"})


def png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The chunks of a PNG file: each one's type, and all its bytes.

    Raises:
        ValueError: the data is not a whole PNG.
    """
    if not data.startswith(PNG_SIGNATURE):
        raise ValueError("not a PNG")
    position = len(PNG_SIGNATURE)
    kind = b""
    while kind != b"IEND":
        if position + 12 > len(data):
            raise ValueError("a PNG that is cut short")
        (length,) = struct.unpack_from(">I", data, position)
        kind = data[position + 4 : position + 8]
        end = position + 12 + length
        yield kind, data[position:end]
        position = end


def _plain_png(encoded: str) -> str:
    """The same picture without remarks, in one line of base64; what is no PNG stays as it is."""
    try:
        chunks = list(png_chunks(base64.b64decode("".join(encoded.split()), validate=True)))
    except (ValueError, binascii.Error):
        return encoded  # `problems` names it
    kept = b"".join(chunk for kind, chunk in chunks if kind not in PNG_REMARKS)
    return base64.b64encode(PNG_SIGNATURE + kept).decode("ascii")


# --- what no normal form can mend ---------------------------------------------------------------


@dataclass(frozen=True)
class Machine:
    """What a stored output must not tell about the machine that it was made on."""

    folders: tuple[tuple[str, str], ...]
    user: str

    @classmethod
    def here(cls, notebook: Path) -> Machine:
        """This machine, for a notebook at this place."""
        folders = {
            str(notebook.resolve().parent): "the notebook's folder",
            str(ROOT): "the project's folder",
            str(Path.cwd()): "the current folder",
            str(Path(sys.prefix)): "this Python's folder",
            tempfile.gettempdir(): "the folder for temporary files",
            os.path.expanduser("~"): "the home folder",  # noqa: PTH111 - may not exist
        }
        try:
            user = getpass.getuser()
        except (KeyError, OSError):  # a container's nameless user
            user = ""
        # The longest first: the most telling name for a path.
        named = sorted(folders.items(), key=lambda item: -len(item[0]))
        return cls(tuple((f, name) for f, name in named if len(Path(f).parts) > 1), user)


# On any machine: home folders, temporary folders, a kernel's own source names.
LOCAL_PATH = re.compile(
    r"(?<![\w.])/(?:home|Users)/[\w.-]+|(?<![\w.])/root(?=/)|(?<![\w.])/tmp(?=/)"
    r"|/var/folders/\w+|\b[A-Za-z]:\\+Users\\+\w+|ipykernel_\d+"
)
ADDRESS = re.compile(r"\bat 0x[0-9A-Fa-f]+|\b0x[0-9A-Fa-f]{9,}\b")
STYLER_ID = re.compile(r'\bid="?T_[0-9a-f]{5}\b')
SVG_DATE = re.compile(r"<dc:date>")
# As a word, these names of accounts mean something else in a lesson.
GENERIC_USERS = frozenset(
    "admin administrator build ci debian guest jovyan nobody root runner student teacher test "
    "ubuntu user vagrant".split()
)


def tells(text: str, machine: Machine) -> str | None:
    """What a text tells about one machine or one run, in words, or ``None``."""
    for folder, name in machine.folders:
        if re.search(rf"(?<![\w.]){re.escape(folder)}(?![\w-])", text):
            return f"{name}, {folder}"
    if found := LOCAL_PATH.search(text):
        return f"a local path, {found[0]}"
    if found := ADDRESS.search(text):
        return f"an object's address, {found[0]}"
    if found := STYLER_ID.search(text):
        return f"a random id, {found[0]} (pandas' Styler: give it a uuid)"
    if SVG_DATE.search(text):
        return "the date in an SVG (matplotlib: metadata={'Date': None})"
    if len(machine.user) > 3 and machine.user.lower() not in GENERIC_USERS:
        named = re.search(rf"\b{re.escape(machine.user)}\b", text)
        return f"the user's name, {named[0]}" if named else None
    return None


def problems(nb: NotebookNode, machine: Machine) -> list[Problem]:
    """What is wrong with a notebook that has been brought to normal form."""
    found: list[Problem] = []
    code = [cell for cell in nb.cells if cell.cell_type == "code" and cell.source.strip()]
    was_run = any(cell.execution_count is not None or cell.outputs for cell in code)
    for number, cell in enumerate(nb.cells, start=1):
        if cell.cell_type != "code":
            continue
        where = cell_name(number, cell)
        tags = cell.metadata.get("tags", [])
        may_raise = "raises-exception" in tags
        # All cells unrun is a clean copy, such as an exercise sheet. Some unrun is an accident.
        if (
            was_run
            and cell.execution_count is None
            and cell.source.strip()
            and "skip-execution" not in tags
        ):
            found.append(Problem(where, "was never run, and others were"))
        raised = False
        for output in cell.outputs:
            found += [Problem(where, what) for what in _output_problems(output, machine)]
            if output.output_type == "error":
                raised = True
                if not may_raise:
                    found.append(Problem(where, f"{error_line(output)} (not tagged as expected)"))
        if may_raise and not raised and cell.execution_count is not None:
            found.append(Problem(where, "is tagged raises-exception and raised nothing"))
    return found


def _output_problems(output: NotebookNode, machine: Machine) -> Iterator[str]:
    if output.output_type == "stream" and output.name == "stderr":
        yield f"wrote on standard error: {_shortened(output.text)}"
    for kind, text in _texts(output):
        if what := tells(ANSI.sub("", text), machine):
            yield f"its output ({kind}) holds {what}"
    for kind in ("image/png",):
        encoded = output.get("data", {}).get(kind)
        if encoded is not None:
            try:
                list(png_chunks(base64.b64decode(encoded, validate=True)))
            except (TypeError, ValueError) as error:
                yield f"its output ({kind}) cannot be read: {error}"


def _texts(output: NotebookNode) -> Iterator[tuple[str, str]]:
    """Every readable text in an output, with what to call it."""
    if output.output_type == "stream":
        yield output.name, output.text
    elif output.output_type == "error":
        yield "error", "\n".join([output.ename, output.evalue, *output.traceback])
    else:
        for kind, value in output.get("data", {}).items():
            if kind.startswith("image/") and kind != "image/svg+xml":
                continue
            yield kind, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def error_line(output: NotebookNode) -> str:
    """An error output as one line."""
    return _shortened(f"{output.ename}: {output.evalue}" if output.evalue else output.ename)


def cell_name(number: int, cell: NotebookNode) -> str:
    """How messages call a cell: its number, and the line it begins with."""
    first = next((line for line in cell.source.splitlines() if line.strip()), "(empty)")
    return f"cell {number} ({_shortened(first)})"


def _shortened(text: str, width: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


# --- running ------------------------------------------------------------------------------------


def execute(nb: NotebookNode, folder: Path, name: str) -> NotebookNode:
    """Run every cell in a fresh kernel, in a folder; the outputs are in the returned notebook.

    The kernel is this Python's, and starts as on a new machine: a user's own kernels and IPython
    start-up files have no part in a lesson.

    Raises:
        NotebookError: a cell raised that was not expected to, ran too long, or killed the kernel.
    """
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    client = NotebookClient(
        nb,
        timeout=CELL_TIMEOUT_SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
    )
    with (
        tempfile.TemporaryDirectory(prefix="ipython-") as ipython,
        tempfile.TemporaryFile() as log,  # the kernel's own remarks: shown when it dies
    ):
        environment = {**os.environ, "IPYTHONDIR": ipython, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        where = "the kernel did not start"
        try:
            # Cell by cell and not client.execute(), which takes Ctrl-C away from us.
            with client.setup_kernel(env=environment, stderr=log):
                for index, cell in enumerate(nb.cells):
                    where = cell_name(index + 1, cell)
                    client.execute_cell(cell, index, client.code_cells_executed + 1)
        except CellControlSignal as error:
            raised = [o for o in nb.cells[index].outputs if o.output_type == "error"]
            what = error_line(raised[-1]) if raised else _shortened(str(error))
            raise NotebookError(f"{name}: {where}: {what}") from None
        except RuntimeError as error:  # DeadKernelError is one
            log.seek(0)
            said = log.read().decode("utf-8", "replace").strip().splitlines()
            lines = [f"{name}: {where}: {error}", *(f"  kernel: {line}" for line in said[-5:])]
            raise NotebookError("\n".join(lines)) from None
    return nb


# --- the commands -------------------------------------------------------------------------------


def finished(nb: NotebookNode, path: Path) -> str:
    """The text to save for a notebook at a path.

    Raises:
        NotebookError: it holds what no normal form can mend; one line for each.
    """
    name = display_name(path)
    nb = normalise(nb)
    if found := problems(nb, Machine.here(path)):
        raise NotebookError("\n".join(f"{name}: {problem}" for problem in found))
    try:
        nbformat.validate(nb)
        text = render(nb)
        text.encode("utf-8")
    except nbformat.ValidationError as error:
        raise NotebookError(f"{name}: not a valid notebook: {_shortened(str(error))}") from None
    except UnicodeEncodeError:
        raise NotebookError(f"{name}: holds half a character (a lone surrogate)") from None
    return text


def run(path: Path) -> str:
    """Run a notebook in place; returns what to say about it."""
    before = read_text(path)
    nb = parse(before, display_name(path))
    start = time.monotonic()
    text = finished(execute(nb, path.resolve().parent, display_name(path)), path)
    seconds = time.monotonic() - start
    return f"{len(nb.cells)} cells in {seconds:.1f} s, {_save(path, before, text)}"


def normalise_file(path: Path) -> str:
    """Bring a notebook to normal form in place; returns what to say about it."""
    before = read_text(path)
    return _save(path, before, finished(parse(before, display_name(path)), path))


def check(path: Path) -> str:
    """Say that a notebook is in normal form.

    Raises:
        NotebookError: it is not.
    """
    before = read_text(path)
    if finished(parse(before, display_name(path)), path) != before:
        raise NotebookError(
            f"{display_name(path)}: not in normal form; to mend it: "
            f"python tools/notebooks.py normalise {display_name(path)}"
        )
    return "in normal form"


def _save(path: Path, before: str, text: str) -> str:
    if text == before:
        return "unchanged"
    try:
        write_text(path, text)
    except OSError as error:
        raise NotebookError(f"{display_name(path)}: not written: {error.strerror}") from None
    return "updated"


COMMANDS: dict[str, Callable[[Path], str]] = {
    "run": run,
    "normalise": normalise_file,
    "check": check,
}


def all_notebooks(root: Path = ROOT) -> list[Path]:
    """Every notebook that is saved with its outputs: lessons, then solutions."""
    return [*sorted(root.glob("notebooks/*.ipynb")), *sorted(root.glob("solutions/*/*.ipynb"))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command over notebooks; returns the exit status."""
    summary, _, details = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        prog="python tools/notebooks.py",
        description=summary,
        epilog=details,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    paths: list[Path] = options.files or all_notebooks()
    if not paths:
        print("no notebooks here", file=sys.stderr)
        return 1
    failed = 0
    for path in paths:
        try:
            said = COMMANDS[options.command](path)
        except NotebookError as error:
            print(error, file=sys.stderr)
            failed += 1
        except KeyboardInterrupt:
            # The cell's task was abandoned on purpose: its dead kernel is no news for anybody.
            logging.getLogger("asyncio").setLevel(logging.CRITICAL)
            print(f"{display_name(path)}: interrupted, left as it was", file=sys.stderr)
            return 130
        else:
            print(f"{display_name(path)}: {said}", flush=True)
    if failed:
        print(f"{failed} of {len(paths)} notebooks are not right, see above", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
