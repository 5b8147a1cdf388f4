"""tools/notebooks.py on small notebooks: the normal form, what it refuses, running."""

from __future__ import annotations

import base64
import json
import os
import signal
import stat
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from notebook_checks import ROOT, load, tool

nb_tool = tool()
ELSEWHERE = nb_tool.Machine(folders=(("/srv/lab", "the home folder"),), user="annabel")


def code(source: str, *outputs: dict[str, Any], **extra: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": 1,
        "id": f"c{zlib.crc32(source.encode())}",
        "metadata": {},
        "outputs": list(outputs),
        "source": source,
    } | extra


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def shown(**data: Any) -> dict[str, Any]:
    kinds = {key.replace("__", "/").replace("_", "+"): value for key, value in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": kinds}


def error(ename: str, *traceback: str) -> dict[str, Any]:
    return {
        "output_type": "error",
        "ename": ename,
        "evalue": "no",
        "traceback": list(traceback),
    }


def text_of(*cells: dict[str, Any], **metadata: Any) -> str:
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def normal(*cells: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """The normal form, read back as plain JSON."""
    nb = nb_tool.normalise(nb_tool.parse(text_of(*cells, **metadata), "x"))
    result: dict[str, Any] = json.loads(nb_tool.render(nb))
    return result


def complaints(*cells: dict[str, Any]) -> list[str]:
    nb = nb_tool.normalise(nb_tool.parse(text_of(*cells), "x"))
    return [str(problem) for problem in nb_tool.problems(nb, ELSEWHERE)]


def png(*remarks: tuple[bytes, bytes]) -> bytes:
    """A picture of one grey dot."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), *remarks, (b"IDAT", zlib.compress(b"\0\x80")), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*c) for c in chunks)


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


# --- the normal form ----------------------------------------------------------------------------


def test_metadata_is_what_an_author_meant() -> None:
    cell = code("x", metadata={"tags": ["t"], "scrolled": True, "execution": {"a": "b"}})
    nb = normal(cell, title="T", widgets={"s": 1}, language_info={"name": "p", "version": "3.11.7"})
    assert nb["metadata"] == {
        "title": "T",
        "kernelspec": nb_tool.KERNELSPEC,
        "language_info": nb_tool.LANGUAGE_INFO,
    }
    assert "3.11" not in json.dumps(nb)
    assert nb["cells"][0]["metadata"] == {"tags": ["t"]}


def test_folding_an_output_is_dropped_and_hiding_a_source_is_kept() -> None:
    both = code("x", metadata={"jupyter": {"source_hidden": True, "outputs_hidden": False}})
    one = code("y", metadata={"jupyter": {"outputs_hidden": True}})
    cells = normal(both, one)["cells"]
    assert cells[0]["metadata"] == {"jupyter": {"source_hidden": True}}
    assert cells[1]["metadata"] == {}


def test_counts_run_from_1_over_the_cells_that_ran() -> None:
    result = {"output_type": "execute_result", "metadata": {}, "data": {"text/plain": "1"}}
    cells = [
        code("a", execution_count=7),
        {"cell_type": "markdown", "metadata": {}, "source": "m", "id": "m"},
        code("", execution_count=None),
        code("b", result | {"execution_count": 9}, execution_count=9),
    ]
    nb = normal(*cells)
    counts = [cell.get("execution_count") for cell in nb["cells"]]
    assert counts == [1, None, None, 2]
    assert nb["cells"][3]["outputs"][0]["execution_count"] == 2


def test_valid_ids_are_kept_and_others_derived_the_same_each_time() -> None:
    cells = [code(s, id=i) for s, i in [("a", "ok"), ("b", "ok"), ("b", "no good"), ("c", "")]]
    del cells[3]["id"]
    first, second = normal(*cells), normal(*cells)
    assert first == second
    ids = [cell["id"] for cell in first["cells"]]
    assert ids[0] == "ok"
    assert len(set(ids)) == 4
    # An id does not depend on where the cell stands.
    assert normal(cells[3])["cells"][0]["id"] == ids[3]


def test_an_id_that_is_derived_never_takes_one_that_a_later_cell_owns() -> None:
    derived = normal(code("a", id="!"))["cells"][0]["id"]
    ids = [cell["id"] for cell in normal(code("a", id="!"), code("b", id=derived))["cells"]]
    assert ids[1] == derived
    assert ids[0] != derived


def test_prints_are_joined_however_they_were_cut() -> None:
    cut = code("x", stream("a"), stream("b\n"), stream("c"), shown(text__plain="d"), stream("e"))
    outputs = normal(cut)["cells"][0]["outputs"]
    assert [o.get("text") for o in outputs] == [["ab\n", "c"], None, ["e"]]


def test_a_widgets_view_is_dropped_and_its_text_stays() -> None:
    view = {nb_tool.WIDGET_VIEW: {"model_id": "1"}}
    with_text = {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "W"} | view}
    alone = {"output_type": "display_data", "metadata": {}, "data": dict(view)}
    outputs = normal(code("x", with_text, alone))["cells"][0]["outputs"]
    assert [o["data"] for o in outputs] == [{"text/plain": ["W"]}]


def test_a_picture_keeps_its_pixels_and_loses_its_remarks() -> None:
    dated = png((b"tEXt", b"Software\0Matplotlib"), (b"tIME", b"\x07\xe0\1\1\1\1\1"))
    broken_up = "\n".join([b64(dated)[:40], b64(dated)[40:]]) + "\n"
    (output,) = normal(code("x", shown(image__png=broken_up)))["cells"][0]["outputs"]
    assert output["data"]["image/png"] == b64(png())


def test_a_traceback_loses_the_frames_of_local_files() -> None:
    local = "\x1b[36mFile \x1b[32m/srv/lab/x.py:3\x1b[39m, in f()"
    raised = error(
        "KeyError", "KeyError  Traceback", "Cell In[1], line 1\n x", local, "KeyError: no"
    )
    cell = code("x", raised, metadata={"tags": ["raises-exception"]})
    (output,) = normal(cell)["cells"][0]["outputs"]
    assert output["traceback"] == ["KeyError  Traceback", "Cell In[1], line 1\n x", "KeyError: no"]
    assert complaints(cell) == []


def test_text_is_readable_and_ends_with_a_line_end() -> None:
    text = nb_tool.render(nb_tool.parse(text_of(code("print('é ؟')")), "x"))
    assert "é ؟" in text
    assert text.endswith("}\n")
    assert '\n "cells": [' in text


SOURCES = st.text(alphabet="ab \né؟", max_size=8)
OUTPUTS = st.one_of(
    st.builds(
        stream, st.text("ab\n", min_size=1, max_size=4), st.sampled_from(["stdout", "stderr"])
    ),
    st.builds(lambda t: shown(text__plain=t), SOURCES),
    st.builds(lambda r: shown(image__png=b64(png((b"tEXt", r)))), st.binary(max_size=4)),
    st.just(shown(image__png="no picture")),
)
CELLS = st.builds(
    lambda source, outputs, count, cell_id: code(
        source, *outputs, execution_count=count, id=cell_id
    ),
    SOURCES,
    st.lists(OUTPUTS, max_size=3),
    st.none() | st.integers(1, 99),
    st.sampled_from(["a", "b", "", "é", "x" * 65, None]),
)


@settings(max_examples=200, deadline=None)
@given(cells=st.lists(CELLS, max_size=4))
def test_normalising_again_changes_nothing(cells: list[dict[str, Any]]) -> None:
    once = nb_tool.render(nb_tool.normalise(nb_tool.parse(text_of(*cells), "x")))
    again = nb_tool.render(nb_tool.normalise(nb_tool.parse(once, "x")))
    assert once == again
    before, after = [c["source"] for c in cells], json.loads(once)["cells"]
    assert ["".join(c["source"]) for c in after] == before
    assert len({c["id"] for c in after}) == len(cells)


def test_normalising_leaves_its_argument_alone() -> None:
    nb = nb_tool.parse(text_of(code("x", shown(image__png=b64(png((b"tEXt", b"x")))))), "x")
    before = nb_tool.render(nb)
    nb_tool.normalise(nb)
    assert nb_tool.render(nb) == before


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<object object at 0x7fb30b6673d0>", "an object's address, at 0x7fb30b6673d0"),
        ("/srv/lab/notes.txt", "the home folder, /srv/lab"),
        ("in /home/someone/x", "a local path, /home/someone"),
        ("/tmp/ipykernel_12/1.py", "a local path, /tmp"),
        ("ipykernel_123", "a local path, ipykernel_123"),
        (r"C:\Users\someone\x", "a local path"),
        ("hello annabel!", "the user's name, annabel"),
    ],
)
def test_an_output_that_tells_about_the_machine(text: str, says: str) -> None:
    for output in (stream(text), shown(text__plain=text), shown(text__html=f"<p>{text}</p>")):
        (complaint,) = complaints(code("fine = 1"), code("\nlook()", output))
        assert complaint.startswith("cell 2 (look()): its output (")
        assert says in complaint


@pytest.mark.parametrize(
    "text",
    [
        "sha256 0f3a at 10:00, 0xff",
        "/srv/laboratory and /srv/lab-2",
        "the root cause; annabelle; a/home/run",
        "see https://example.org/home/page and ./tmp/x",
    ],
)
def test_an_output_that_only_looks_like_it(text: str) -> None:
    assert complaints(code("x", stream(text))) == []


def test_random_ids_and_dates() -> None:
    (styler,) = complaints(code("x", shown(text__html='<table id="T_0a1b2">')))
    assert "uuid" in styler
    (svg,) = complaints(code("x", shown(image__svg_xml="<dc:date>2020</dc:date>")))
    assert "Date" in svg


def test_a_path_across_colours_is_still_a_path() -> None:
    (complaint,) = complaints(code("x", stream("/srv\x1b[31m/lab/x")))
    assert "/srv/lab" in complaint


def test_a_generic_user_name_is_a_word() -> None:
    nb = nb_tool.parse(text_of(code("x", stream("the root of it"))), "x")
    assert nb_tool.problems(nb, nb_tool.Machine(folders=(), user="root")) == []


def test_standard_error_is_refused() -> None:
    (complaint,) = complaints(code("x", stream("Warning: old\n", "stderr")))
    assert complaint == "cell 1 (x): wrote on standard error: Warning: old"


def test_errors_are_refused_unless_expected_and_expected_unless_they_come() -> None:
    expected = {"tags": ["raises-exception"]}
    (unexpected,) = complaints(code("x", error("KeyError")))
    assert unexpected == "cell 1 (x): KeyError: no (not tagged as expected)"
    assert complaints(code("x", error("KeyError"), metadata=expected)) == []
    (quiet,) = complaints(code("x", metadata=expected))
    assert quiet.endswith("raised nothing")


def test_half_run_is_refused_and_not_run_at_all_is_a_clean_copy() -> None:
    unrun = {"execution_count": None}
    (complaint,) = complaints(code("a"), code("b", **unrun))
    assert complaint == "cell 2 (b): was never run, and others were"
    assert complaints(code("a", **unrun), code("b", **unrun)) == []
    assert complaints(code("a"), code("b", **unrun, metadata={"tags": ["skip-execution"]})) == []


@pytest.mark.parametrize("data", [b"not a PNG", png()[:-4], png()[:20]])
def test_a_broken_picture_is_refused(data: bytes) -> None:
    (complaint,) = complaints(code("x", shown(image__png=b64(data))))
    assert "image/png" in complaint


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"nbformat": 3}', '{"nbformat": 4}', '{"nbformat": 4, "cells": [1]}'],
)
def test_what_is_no_notebook(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text(text)
    assert nb_tool.main(["check", str(path)]) == 1
    assert capsys.readouterr().err.startswith("x.ipynb: not a ")
    assert path.read_text() == text


# --- the commands -------------------------------------------------------------------------------


def put(path: Path, *cells: dict[str, Any]) -> Path:
    path.write_text(text_of(*cells), encoding="utf-8")
    return path


def test_check_then_normalise_then_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = put(tmp_path / "good.ipynb", code("a")), put(tmp_path / "bad.ipynb", code("b"))
    assert nb_tool.main(["normalise", str(good)]) == 0
    assert nb_tool.main(["check", str(good), str(bad)]) == 1
    said = capsys.readouterr()
    assert "good.ipynb" not in said.err
    assert "bad.ipynb: not in normal form" in said.err
    assert nb_tool.main(["normalise", str(good), str(bad)]) == 0
    assert capsys.readouterr().out == "good.ipynb: unchanged\nbad.ipynb: updated\n"
    assert nb_tool.main(["check", str(good), str(bad)]) == 0


def test_writing_keeps_the_mode_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = put(tmp_path / "é x.ipynb", code("a"))
    path.chmod(0o640)
    assert nb_tool.main(["normalise", str(path)]) == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_problem_leaves_the_file_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(tmp_path / "x.ipynb", code("a", stream(f"{tmp_path}/data")))
    before = path.read_bytes()
    assert nb_tool.main(["normalise", str(path)]) == 1
    assert "x.ipynb: cell 1 (a): its output (stdout) holds the notebook's folder" in (
        capsys.readouterr().err
    )
    assert path.read_bytes() == before


def test_a_carriage_return_in_the_file_is_not_normal(tmp_path: Path) -> None:
    path = put(tmp_path / "x.ipynb", code("a"))
    nb_tool.main(["normalise", str(path)])
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert nb_tool.main(["check", str(path)]) == 1


def test_running(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One kernel for many questions, as a kernel takes a second or two to start."""
    (tmp_path / "beside.txt").write_text("found")
    plot = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
    path = put(
        tmp_path / "x.ipynb",
        code("print('stale')", stream("stale output of long ago\n")),
        code("print(open('beside.txt').read())"),  # the folder is the notebook's
        code("for i in range(3): print(i, flush=True)"),
        code("import json\njson.loads('x')", metadata={"tags": ["raises-exception"]}),
        code("import ipywidgets\nipywidgets.IntSlider()"),
        code(plot),
        code("print('no')", stream("stale\n"), metadata={"tags": ["skip-execution"]}),
    )
    assert nb_tool.main(["run", str(path)]) == 0
    assert "7 cells in" in capsys.readouterr().out
    nb = load(path)
    assert nb["cells"][0]["outputs"] == [stream(["stale\n"])]  # type: ignore[arg-type]
    assert nb["cells"][1]["outputs"] == [stream(["found\n"])]  # type: ignore[arg-type]
    assert nb["cells"][2]["outputs"] == [stream(["0\n", "1\n", "2\n"])]  # type: ignore[arg-type]
    assert nb["cells"][3]["outputs"][0]["ename"] == "JSONDecodeError"
    assert nb["cells"][4]["outputs"][0]["data"] == {"text/plain": ["IntSlider(value=0)"]}
    assert "Software" not in base64.b64decode(
        nb["cells"][5]["outputs"][0]["data"]["image/png"]
    ).decode("latin-1")
    assert [cell["execution_count"] for cell in nb["cells"]] == [1, 2, 3, 4, 5, 6, None]
    assert nb["cells"][6]["outputs"] == []

    # A re-run without a change leaves no difference, pictures included.
    before, written = path.read_bytes(), path.stat().st_mtime_ns
    assert nb_tool.main(["run", str(path)]) == 0
    assert path.read_bytes() == before
    assert path.stat().st_mtime_ns == written
    assert "unchanged" in capsys.readouterr().out


def test_an_error_is_reported_and_the_rest_still_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = put(tmp_path / "bad.ipynb", code("x = 1"), code("raise ValueError('é\\nno')"), code("x"))
    good = put(tmp_path / "good.ipynb", code("x = 1"))
    before = bad.read_bytes()
    assert nb_tool.main(["run", str(bad), str(good)]) == 1
    said = capsys.readouterr()
    assert said.err.splitlines() == [
        "bad.ipynb: cell 2 (raise ValueError('é\\nno')): ValueError: é no",
        "1 of 2 notebooks are not right, see above",
    ]
    assert said.out.startswith("good.ipynb: 1 cells")
    assert bad.read_bytes() == before


def test_a_kernel_that_dies_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = put(tmp_path / "x.ipynb", code("import os\nos._exit(3)"))
    before = path.read_bytes()
    assert nb_tool.main(["run", str(path)]) == 1
    assert "x.ipynb: cell 1 (import os): Kernel died" in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C as a signal")
def test_ctrl_c_leaves_the_old_file(tmp_path: Path) -> None:
    started = tmp_path / "started"
    source = f"open({str(started)!r}, 'w').close()\nimport time\ntime.sleep(60)"
    path = put(tmp_path / "x.ipynb", code(source))
    before = path.read_bytes()
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "tools" / "notebooks.py"), "run", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(600):
        if started.exists():
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "x.ipynb: interrupted, left as it was\n")
    assert path.read_bytes() == before
    assert {p.name for p in tmp_path.iterdir()} == {"x.ipynb", "started"}
