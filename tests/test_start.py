"""`claimlab start`: a learner's copy, and what is never done to it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimlab.errors import InputError
from claimlab.start import MANIFEST, Beside, StartReport, start

NEW = "01_lesson.new.ipynb"
LESSON = "01_lesson.ipynb"


def code(source: str, *, output: str | None = None) -> dict[str, Any]:
    """A code cell that was run when it has an output."""
    outputs = []
    if output is not None:
        outputs = [{"output_type": "stream", "name": "stdout", "text": [output]}]
    return {
        "cell_type": "code",
        "execution_count": None if output is None else 7,
        "id": f"id{len(source)}",
        "metadata": {"tags": ["kept"]},
        "outputs": outputs,
        "source": source,
    }


def markdown(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": "md", "metadata": {}, "source": [source]}


def save(path: Path, *cells: dict[str, Any], **metadata: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook), encoding="utf-8")


def load(path: Path) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def files(folder: Path) -> dict[str, bytes]:
    """Every file in a folder, by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MANIFEST
    }


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course of one lesson, as a checkout has it; returns the lessons' folder."""
    lessons = tmp_path / "course" / "notebooks"
    save(lessons / LESSON, code("print(1)", output="1\n"))
    return lessons


@pytest.fixture
def workbook(tmp_path: Path, course: Path) -> Path:
    """A learner's folder, started once."""
    target = tmp_path / "workbook"
    start(target, course)
    return target


def update(course: Path) -> None:
    """The course goes on."""
    save(course / LESSON, code("print(1)", output="1\n"), code("print(22)", output="22\n"))


def edit(path: Path, source: str = "mine = 1") -> None:
    notebook = load(path)
    notebook["cells"].append(code(source))
    path.write_text(json.dumps(notebook), encoding="utf-8")


# --- the copy -----------------------------------------------------------------------------------


def test_a_copy_has_no_outputs_counts_or_widget_state_and_keeps_the_rest(tmp_path: Path) -> None:
    lessons = tmp_path / "notebooks"
    cell = code("print('é ؟')", output="é ؟\n")
    cell["metadata"]["execution"] = {"iopub.status.busy": "2020"}
    save(
        lessons / LESSON, markdown("# Title"), cell, widgets={"state": {}}, kernelspec={"name": "k"}
    )
    start(tmp_path / "w", lessons)
    copy = load(tmp_path / "w" / LESSON)
    assert copy["cells"][0] == markdown("# Title")
    assert copy["cells"][1] == cell | {
        "outputs": [],
        "execution_count": None,
        "metadata": {"tags": ["kept"]},
    }
    assert copy["metadata"] == {"kernelspec": {"name": "k"}}
    assert "é ؟" in (tmp_path / "w" / LESSON).read_text(encoding="utf-8")


def test_the_course_is_only_read(tmp_path: Path, course: Path) -> None:
    before = files(tmp_path / "course")
    start(tmp_path / "workbook", course)
    assert files(tmp_path / "course") == before


def test_sheets_come_along_and_links_point_to_where_things_are(
    tmp_path: Path, course: Path
) -> None:
    save(course / LESSON, markdown("[a](../exercises/x/x.ipynb), see ../exercises/ yourself"))
    sheet = markdown("[back](../../notebooks/01_lesson.ipynb)")
    save(course.parent / "exercises" / "x" / "x.ipynb", sheet)
    save(course.parent / "exercises" / "x" / ".ipynb_checkpoints" / "x.ipynb", sheet)
    report = start(tmp_path / "w", course)
    assert report.created == (LESSON, "exercises/x/x.ipynb")
    lesson, sheet = load(tmp_path / "w" / LESSON), load(tmp_path / "w/exercises/x/x.ipynb")
    assert lesson["cells"][0]["source"] == ["[a](exercises/x/x.ipynb), see ../exercises/ yourself"]
    assert sheet["cells"][0]["source"] == ["[back](../../01_lesson.ipynb)"]


def test_sheets_inside_the_lessons_as_a_package_has_them(tmp_path: Path) -> None:
    save(tmp_path / "lessons" / LESSON, code("1"))
    save(tmp_path / "lessons" / "exercises" / "x" / "x.ipynb", code("2"))
    assert start(tmp_path / "w", tmp_path / "lessons").created == (LESSON, "exercises/x/x.ipynb")


def test_code_is_never_rewritten(tmp_path: Path, course: Path) -> None:
    save(course / LESSON, code("x = '[a](../exercises/x)'"))
    start(tmp_path / "w", course)
    assert load(tmp_path / "w" / LESSON)["cells"][0]["source"] == "x = '[a](../exercises/x)'"


# --- a second run -------------------------------------------------------------------------------


def test_a_second_run_changes_nothing(workbook: Path, course: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in workbook.iterdir()}
    report = start(workbook, course)
    assert report == StartReport(workbook, unchanged=(LESSON,))
    assert {path: path.stat().st_mtime_ns for path in workbook.iterdir()} == before


def test_an_untouched_file_is_refreshed(workbook: Path, course: Path) -> None:
    update(course)
    assert start(workbook, course) == StartReport(workbook, refreshed=(LESSON,))
    assert len(load(workbook / LESSON)["cells"]) == 2


def test_a_change_of_metadata_alone_reaches_an_untouched_file(workbook: Path, course: Path) -> None:
    cell = code("print(1)", output="1\n")
    cell["metadata"]["tags"] = ["raises-exception"]
    save(course / LESSON, cell)
    assert start(workbook, course).refreshed == (LESSON,)
    assert load(workbook / LESSON)["cells"][0]["metadata"] == {"tags": ["raises-exception"]}


def test_a_file_that_was_only_saved_again_is_refreshed(workbook: Path, course: Path) -> None:
    notebook = load(workbook / LESSON)
    notebook["metadata"]["language_info"] = {"version": "3.99"}
    notebook["cells"][0]["source"] = [notebook["cells"][0]["source"]]
    (workbook / LESSON).write_text(json.dumps(notebook, indent=4), encoding="utf-8")
    assert start(workbook, course).unchanged == (LESSON,)
    update(course)
    assert start(workbook, course).refreshed == (LESSON,)


def test_a_file_that_was_run_is_left_alone_then_joined(workbook: Path, course: Path) -> None:
    notebook = load(workbook / LESSON)
    notebook["cells"][0] = code("print(1)", output="1\n")
    (workbook / LESSON).write_text(json.dumps(notebook), encoding="utf-8")
    before = (workbook / LESSON).read_bytes()
    assert start(workbook, course).unchanged == (LESSON,)
    update(course)
    assert start(workbook, course).beside == (Beside(LESSON, NEW),)
    assert (workbook / LESSON).read_bytes() == before


def test_a_changed_file_is_kept(workbook: Path, course: Path) -> None:
    edit(workbook / LESSON)
    before = files(workbook)
    assert start(workbook, course) == StartReport(workbook, kept=(LESSON,))
    assert files(workbook) == before


def test_a_changed_file_is_joined_by_the_new_version_once(workbook: Path, course: Path) -> None:
    edit(workbook / LESSON)
    mine = (workbook / LESSON).read_bytes()
    update(course)
    report = start(workbook, course)
    assert report == StartReport(workbook, kept=(LESSON,), beside=(Beside(LESSON, NEW),))
    assert (workbook / LESSON).read_bytes() == mine
    assert len(load(workbook / NEW)["cells"]) == 2
    assert start(workbook, course) == StartReport(workbook, kept=(LESSON,))
    (workbook / NEW).unlink()
    assert start(workbook, course) == StartReport(workbook, kept=(LESSON,))
    assert not (workbook / NEW).exists()


def test_the_version_beside_is_itself_refreshed(workbook: Path, course: Path) -> None:
    edit(workbook / LESSON)
    update(course)
    start(workbook, course)
    save(course / LESSON, code("third = 3"))
    assert start(workbook, course).beside == (Beside(LESSON, NEW),)
    assert load(workbook / NEW)["cells"][0]["source"] == "third = 3"


def test_work_in_the_version_beside_is_kept_too(workbook: Path, course: Path) -> None:
    edit(workbook / LESSON)
    update(course)
    start(workbook, course)
    edit(workbook / NEW, "mine too")
    mine = (workbook / NEW).read_bytes()
    save(course / LESSON, code("third = 3"))
    assert start(workbook, course).beside == (Beside(LESSON, "01_lesson.new2.ipynb"),)
    assert (workbook / NEW).read_bytes() == mine


def test_taking_the_new_version_over(workbook: Path, course: Path) -> None:
    edit(workbook / LESSON)
    update(course)
    start(workbook, course)
    (workbook / NEW).replace(workbook / LESSON)
    assert start(workbook, course) == StartReport(workbook, unchanged=(LESSON,))
    save(course / LESSON, code("third = 3"))
    assert start(workbook, course) == StartReport(workbook, refreshed=(LESSON,))


def test_a_new_version_taken_over_late_is_still_ours(workbook: Path, course: Path) -> None:
    edit(workbook / LESSON)
    update(course)
    start(workbook, course)
    (workbook / NEW).replace(workbook / LESSON)
    save(course / LESSON, code("third = 3"))
    assert start(workbook, course).refreshed == (LESSON,)


def test_a_deleted_file_is_created_again(workbook: Path, course: Path) -> None:
    (workbook / LESSON).unlink()
    assert start(workbook, course) == StartReport(workbook, created=(LESSON,))


def test_files_that_are_no_notebook_any_more_are_kept(workbook: Path, course: Path) -> None:
    (workbook / LESSON).write_bytes(b"\xff not json")
    update(course)
    assert start(workbook, course).beside == (Beside(LESSON, NEW),)
    assert (workbook / LESSON).read_bytes() == b"\xff not json"


# --- the manifest -------------------------------------------------------------------------------

DAMAGED = [
    "",
    "{",
    "[]",
    "null",
    '{"version": 2, "files": {}}',
    '{"version": 1, "files": []}',
    '{"version": 1, "files": {"01_lesson.ipynb": {"base": 1, "offered": null, "written": {}}}}',
    '{"version": 1, "files": {"01_lesson.ipynb": {"base": null, "offered": null, "written": []}}}',
]


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_manifest_makes_every_file_the_learners(
    text: str, workbook: Path, course: Path
) -> None:
    update(course)
    before = (workbook / LESSON).read_bytes()
    (workbook / MANIFEST).write_text(text)
    report = start(workbook, course)
    assert report.beside == (Beside(LESSON, NEW),)
    (note,) = report.notes
    assert "damaged, so every file there counts as yours" in note
    assert (workbook / LESSON).read_bytes() == before
    assert start(workbook, course) == StartReport(workbook, kept=(LESSON,))


def test_a_lost_manifest_takes_todays_version_for_granted(workbook: Path, course: Path) -> None:
    (workbook / MANIFEST).unlink()
    assert start(workbook, course) == StartReport(workbook, unchanged=(LESSON,))
    update(course)
    assert start(workbook, course).refreshed == (LESSON,)


def test_a_lost_manifest_does_not_double_the_version_beside(workbook: Path, course: Path) -> None:
    edit(workbook / LESSON)
    update(course)
    start(workbook, course)
    (workbook / MANIFEST).unlink()
    assert start(workbook, course) == StartReport(workbook, kept=(LESSON,))
    assert sorted(files(workbook)) == [LESSON, NEW]


def test_a_file_of_the_learners_that_has_a_lessons_name(tmp_path: Path, course: Path) -> None:
    save(tmp_path / "w" / LESSON, code("my own"))
    assert start(tmp_path / "w", course).beside == (Beside(LESSON, NEW),)


# --- what cannot be used ------------------------------------------------------------------------


def one_line(error: pytest.ExceptionInfo[InputError]) -> str:
    text = str(error.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize("name", ["with space", "été", "دفتر", "a'b\"c", "deep/down/here"])
def test_any_name_will_do(name: str, tmp_path: Path, course: Path) -> None:
    target = tmp_path / name
    assert start(target, course).created == (LESSON,)
    assert f"{target}: 1 notebook, 1 created" in start_text(tmp_path / "again" / name, course, name)


def start_text(target: Path, course: Path, name: str) -> str:
    return start(target, course).text().replace(f"again{os.sep}{name}", name)


def test_target_is_a_file(tmp_path: Path, course: Path) -> None:
    (tmp_path / "w").write_text("mine")
    with pytest.raises(InputError) as error:
        start(tmp_path / "w", course)
    assert "is a file" in one_line(error)
    assert (tmp_path / "w").read_text() == "mine"


def test_target_is_under_a_file(tmp_path: Path, course: Path) -> None:
    (tmp_path / "w").write_text("mine")
    with pytest.raises(InputError) as error:
        start(tmp_path / "w" / "x", course)
    assert str(tmp_path / "w") in one_line(error)


@pytest.mark.parametrize("inside", [".", "deeper/still"])
def test_target_is_in_the_lessons(inside: str, course: Path) -> None:
    before = files(course)
    with pytest.raises(InputError, match="inside the course's own notebooks/"):
        start(course / inside, course)
    assert files(course) == before
    assert not (course / "deeper").exists()


def test_target_is_in_the_sheets(course: Path) -> None:
    save(course.parent / "exercises" / "x" / "x.ipynb", code("1"))
    with pytest.raises(InputError, match="inside the course's own exercises/"):
        start(course.parent / "exercises" / "x", course)


def test_target_is_the_checkout(course: Path) -> None:
    with pytest.raises(InputError, match="is the course's own folder"):
        start(course.parent, course)


def test_target_reaches_the_lessons_by_a_link(tmp_path: Path, course: Path) -> None:
    (tmp_path / "link").symlink_to(course)
    with pytest.raises(InputError, match="inside the course's own"):
        start(tmp_path / "link" / "w", course)


def test_target_is_a_link_to_a_folder(tmp_path: Path, course: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert start(tmp_path / "link", course).created == (LESSON,)
    assert (tmp_path / "real" / LESSON).is_file()


@pytest.mark.parametrize("leads_to", ["nowhere", "link"])
def test_target_is_a_link_that_leads_nowhere(leads_to: str, tmp_path: Path, course: Path) -> None:
    (tmp_path / "link").symlink_to(leads_to)
    with pytest.raises(InputError) as error:
        start(tmp_path / "link", course)
    assert "link" in one_line(error)


@pytest.mark.parametrize("name", [LESSON, MANIFEST, "exercises"])
def test_nothing_is_written_through_a_link_in_the_workbook(
    name: str, tmp_path: Path, course: Path
) -> None:
    save(course.parent / "exercises" / "x" / "x.ipynb", code("1"))
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / name).symlink_to(outside / "precious")
    with pytest.raises(InputError, match="is a symbolic link"):
        start(tmp_path / "w", course)
    assert files(outside) == files(tmp_path / "w") == {}


def test_a_folder_where_a_lesson_belongs(tmp_path: Path, course: Path) -> None:
    (tmp_path / "w" / LESSON).mkdir(parents=True)
    with pytest.raises(InputError, match="expected a notebook file"):
        start(tmp_path / "w", course)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_target_is_read_only(tmp_path: Path, course: Path) -> None:
    (tmp_path / "w").mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(InputError, match="cannot be written"):
        start(tmp_path / "w", course)


def test_a_disk_that_fills_up_leaves_whole_files_and_a_true_manifest(
    tmp_path: Path, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(course / "02_next.ipynb", code("2"))
    replace_file = Path.replace

    def full(self: Path, target: Path) -> Path:
        if target.name == "02_next.ipynb":
            raise OSError(28, "No space left on device")
        return replace_file(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        with pytest.raises(InputError, match=r"02_next\.ipynb: cannot be written .No space"):
            start(tmp_path / "w", course)
    assert list(files(tmp_path / "w")) == [LESSON]
    update(course)
    report = start(tmp_path / "w", course)
    assert (report.refreshed, report.created) == ((LESSON,), ("02_next.ipynb",))


def test_a_name_with_nul(course: Path) -> None:
    with pytest.raises(InputError, match="cannot be used as a folder"):
        start(Path("a\0b"), course)


def test_source_without_lessons(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no lessons here"):
        start(tmp_path / "w", tmp_path / "empty")
    with pytest.raises(InputError, match="cannot read the lessons"):
        start(tmp_path / "w", tmp_path / "absent")
    assert not (tmp_path / "w").exists()


@pytest.mark.parametrize("text", ["", "{}", '{"metadata": {}, "cells": [{}]}', "[1]", "{"])
def test_source_that_is_no_notebook(text: str, tmp_path: Path, course: Path) -> None:
    (course / "02.ipynb").write_text(text)
    with pytest.raises(InputError, match=r"02\.ipynb: not a notebook"):
        start(tmp_path / "w", course)
    assert not (tmp_path / "w").exists()


def test_this_installation_has_lessons_of_its_own(tmp_path: Path) -> None:
    assert "00_start_here.ipynb" in start(tmp_path / "w").created


# --- the one promise, whatever happens ----------------------------------------------------------

VERSIONS = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=2)
ACTS = st.one_of(
    st.tuples(st.just("publish"), VERSIONS),
    st.tuples(st.just("work"), st.sampled_from([LESSON, NEW, "01_lesson.new2.ipynb"])),
    st.tuples(st.just("run"), st.sampled_from([LESSON, NEW])),
    st.tuples(st.just("save again"), st.sampled_from([LESSON, NEW])),
    st.tuples(st.just("delete"), st.sampled_from([LESSON, NEW, MANIFEST])),
    st.tuples(st.just("damage"), st.just(MANIFEST)),
)


@settings(max_examples=200, deadline=None)
@given(acts=st.lists(ACTS, max_size=8))
def test_no_course_of_events_loses_work(
    acts: list[tuple[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """After each act `start` runs; whatever the learner made is somewhere until they delete it."""
    root = tmp_path_factory.mktemp("course")
    lessons, target = root / "notebooks", root / "w"
    save(lessons / LESSON, code("first"))
    start(target, lessons)
    work: dict[str, bytes] = {}
    for number, (act, what) in enumerate(acts):
        if act == "publish":
            save(lessons / LESSON, *(code(source, output="x") for source in what))
        elif act == "damage":
            (target / what).write_text("{")
        elif act == "delete":
            (target / what).unlink(missing_ok=True)
            work.pop(what, None)
        elif (target / what).exists():
            if act == "work":
                edit(target / what, f"mine {number}")
            notebook = load(target / what)
            if act == "run":
                for cell in notebook["cells"]:
                    cell.update(code(cell["source"], output=f"model said {number}"))
            (target / what).write_text(json.dumps(notebook), encoding="utf-8")
            if act != "save again" or what in work:
                work[what] = (target / what).read_bytes()
        report = start(target, lessons)
        for name, content in work.items():
            assert (target / name).read_bytes() == content
        # Today's version is in place, or the learner's own file is, and they were told so.
        assert {*report.created, *report.refreshed, *report.unchanged, *report.kept} == {LESSON}
        assert all((target / b.new).is_file() and b.own in report.kept for b in report.beside)
        # Running again at once has nothing to do.
        seen = files(target)
        again = start(target, lessons)
        assert again == StartReport(target, unchanged=again.unchanged, kept=again.kept)
        assert files(target) == seen


def test_the_report_reads_well() -> None:
    report = StartReport(
        Path("workbook"),
        created=("00.ipynb",),
        refreshed=("01.ipynb",),
        unchanged=("02.ipynb",),
        kept=("03.ipynb",),
        beside=(Beside("03.ipynb", "03.new.ipynb"),),
    )
    assert report.text() == (
        "created    00.ipynb\n"
        "refreshed  01.ipynb (the course has a newer version; you had not changed yours)\n"
        "kept       03.ipynb (yours)\n"
        "new        03.new.ipynb (the course's newer version; 03.ipynb is yours and was kept)\n"
        "workbook: 4 notebooks, 1 created, 1 refreshed, 1 unchanged, 1 kept, 1 put beside"
    )
