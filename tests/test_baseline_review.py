"""`claimlab review`: what changed, side by side, and a baseline that only a yes changes."""

from __future__ import annotations

import builtins
import datetime
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import plain_environment
from test_bad_input import refused, write

from claimlab.cli import FAIL, PASS, main
from claimlab.conditions import Condition
from claimlab.errors import InputError
from claimlab.files import DATA
from claimlab.handbook import handbook
from claimlab.review import (
    Opened,
    Reviewed,
    accepted,
    review_baseline,
    side_by_side,
    template_toml,
    told,
    write_template,
)
from claimlab.templates import Template, fingerprint, read_baseline, templates_baseline

BASELINE = (DATA / "templates_baseline.toml").read_bytes()
SOURCES = (DATA / "handbook.toml").read_bytes()
FILMS = handbook()["films-v1"]
EDIT = (b"lent for three days", b"lent for four days")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A baseline, and sources of which two changed, in a folder with a difficult name."""
    folder = tmp_path / "les règles – ١"
    folder.mkdir()
    sources = SOURCES.replace(*EDIT).replace(b"20 cents a day", b"30 cents a day")
    assert sources.count(b"four days") == 1
    return write(folder, "base line.toml", BASELINE), write(folder, "sources.toml", sources)


def arguments(files: tuple[Path, Path], *more: str) -> list[str]:
    return ["review", "--baseline", str(files[0]), "--sources", str(files[1]), *more]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """``answers("yes", "")`` types these, then the input ends; gives the questions that came."""

    def typed(*lines: str | Callable[[], str]) -> list[str]:
        left: Iterator[str | Callable[[], str]] = iter(lines)
        asked: list[str] = []

        def answer(question: str = "") -> str:
            asked.append(question)
            line = next(left, None)
            if line is None:
                raise EOFError
            return line if isinstance(line, str) else line()

        monkeypatch.setattr(builtins, "input", answer)
        return asked

    return typed


# -- looking -------------------------------------------------------------------------------------


def test_the_course_s_own_baseline_has_not_drifted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", "--check"]) == PASS
    assert capsys.readouterr().out.endswith("RESULT: PASS\n")


def test_check_finds_drift_asks_nothing_and_writes_nothing(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str], answers: Callable[..., list[str]]
) -> None:
    asked = answers()
    assert main(arguments(files, "--check")) == FAIL
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines if line.startswith("changed")] == [
        ["changed", "q-films", "films-v1"],
        ["changed", "q-late-fee", "fees-v1"],
    ]
    assert lines[-1] == "RESULT: FAIL (2 changed)"
    assert (asked, files[0].read_bytes()) == ([], BASELINE)


def test_check_as_json(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(files, "--check", "--json")) == FAIL
    document = json.loads(capsys.readouterr().out)
    states = {row["question_id"]: row["state"] for row in document["rows"]}
    assert document["passed"] is False
    assert sorted(name for name, state in states.items() if state != "same") == [
        "q-films",
        "q-late-fee",
    ]


def test_each_kind_of_drift_has_its_state() -> None:
    template = templates_baseline()["q-films"]
    for source, state in (
        (FILMS, "same"),
        (replace(FILMS, text=FILMS.text.replace("\n", "\r\n")), "same"),
        (replace(FILMS, text=FILMS.text + " "), "changed"),
        (replace(FILMS, version="2"), "changed"),
        (replace(FILMS, identifier="library/x"), "changed"),
        (None, "gone"),
    ):
        assert Reviewed(template, source).state == state
        report = review_baseline({"q-films": template}, {source.id: source} if source else {})
        assert report.passed == (state == "same")


def test_an_empty_baseline_is_no_pass() -> None:
    assert not review_baseline({}, handbook()).passed


def test_side_by_side_shows_every_line_of_both_and_names_the_change() -> None:
    text = side_by_side("one\ntwo\nthree", "one\ntwoo\nthree\nfour")
    lines = text.split("\n")
    assert lines[1].split() == ["one", "one"]
    assert lines[2].split() == ["two", "|", "twoo"]
    assert lines[4].split() == [">", "four"]
    assert lines[5:] == ["  'two' -> 'twoo'", r"  '' -> '\nfour'"]


def test_a_change_that_nobody_sees_is_written_out() -> None:
    assert r"'caf\xe9' -> 'cafe\u0301'" in side_by_side("the café", "the cafe\u0301")
    assert r"' ' -> '\xa0'" in side_by_side("a b", "a\u00a0b")
    assert "->" not in side_by_side("a\r\nb", "a\nb")


def test_texts_too_long_for_a_close_look_are_compared_all_the_same() -> None:
    long = "a b " * 3_000
    rows = side_by_side(f"one {long} two", f"one x {long} two").split("\n")
    assert "->" in rows[-1]
    many = [f"line {n % 7}" for n in range(3_000)]
    text = side_by_side("\n".join(many), "\n".join([*many[:9], "new", *many[9:]]))
    assert text.count("line") >= 2 * len(many)
    assert "new" in text


def test_a_condition_that_the_text_no_longer_says_is_named() -> None:
    said = "the claim needs it, and the text no longer says it: three days"
    films = templates_baseline()["q-films"]
    four = replace(FILMS, text=FILMS.text.replace("three", "four"))
    assert said in told(Reviewed(films, four))
    assert "no longer" not in told(Reviewed(films, replace(FILMS, text=FILMS.text + " ")))


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_can_be_compared(reviewed: str, now: str) -> None:
    rows = side_by_side(reviewed, now).split("\n")
    assert all(row.startswith("  ") or not row for row in rows)  # none passes for a verdict
    assert any("->" in row for row in rows) or reviewed.split() == now.split()


def test_what_is_told_holds_the_claim_and_both_versions() -> None:
    text = told(Reviewed(templates_baseline()["q-films"], replace(FILMS, version="2")))
    assert "version: '1' -> '2'" in text
    assert templates_baseline()["q-films"].claim in text
    assert "the text is the one that was reviewed" in text


# -- saying yes ----------------------------------------------------------------------------------


def test_a_yes_binds_that_one_entry_and_leaves_every_other_byte(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str], answers: Callable[..., list[str]]
) -> None:
    asked = answers("yes", "Four days since the autumn.", "no")
    assert main(arguments(files)) == FAIL  # one is left
    out = capsys.readouterr().out
    assert "lent for three days" in out
    assert "lent for four days" in out
    assert out.rstrip().endswith("RESULT: FAIL (1 changed)")
    assert len(asked) == 3
    after = read_baseline(files[0])
    before = templates_baseline()
    assert {n: t for n, t in after.items() if n != "q-films"} == {
        n: t for n, t in before.items() if n != "q-films"
    }
    films = after["q-films"]
    assert films.sha256 == fingerprint(FILMS.text.replace("three", "four"))
    assert films.note == "Four days since the autumn."
    assert films.reviewed >= before["q-films"].reviewed
    assert films.claim == before["q-films"].claim
    blocks = [text.split(b"[[template]]") for text in (BASELINE, files[0].read_bytes())]
    changed = [n for n, (a, b) in enumerate(zip(*blocks, strict=True)) if a != b]
    assert len(changed) == 1


def test_two_yeses_and_the_run_passes(
    files: tuple[Path, Path], answers: Callable[..., list[str]]
) -> None:
    answers("yes", "", "YES", "")
    assert main(arguments(files)) == PASS
    assert main(arguments(files, "--check")) == PASS
    assert read_baseline(files[0])["q-films"].note == templates_baseline()["q-films"].note


@pytest.mark.parametrize("answer", ["", "y", "no", "yes!", "yess", "ja", "true", "1"])
def test_nothing_but_yes_is_a_yes(
    answer: str, files: tuple[Path, Path], answers: Callable[..., list[str]]
) -> None:
    answers(answer, answer)
    assert main(arguments(files)) == FAIL
    assert files[0].read_bytes() == BASELINE


def test_an_input_that_ends_is_a_no(
    files: tuple[Path, Path], answers: Callable[..., list[str]]
) -> None:
    asked = answers()
    assert main(arguments(files)) == FAIL
    assert len(asked) == 2
    assert files[0].read_bytes() == BASELINE


def test_ctrl_c_at_the_question_writes_nothing(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str], answers: Callable[..., list[str]]
) -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    for lines in ((interrupted,), ("yes", interrupted)):
        answers(*lines)
        assert main(arguments(files)) == 130
        assert capsys.readouterr().err == "claimlab: interrupted\n"
        assert files[0].read_bytes() == BASELINE


def test_a_source_that_is_gone_cannot_be_bound(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str], answers: Callable[..., list[str]]
) -> None:
    files[1].write_bytes(SOURCES.replace(b'id = "films-v1"', b'id = "films-v9"'))
    asked = answers("yes", "yes")
    assert main(arguments(files)) == FAIL
    assert asked == []
    assert "gone: q-films" in capsys.readouterr().out
    with pytest.raises(InputError, match="'q-films': its source is gone"):
        accepted(Reviewed(templates_baseline()["q-films"], None), datetime.date(2026, 1, 1))


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("when", ["at the question", "at the note"])
def test_a_file_that_changed_while_the_question_was_open_is_noticed(
    which: int,
    when: str,
    files: tuple[Path, Path],
    capsys: pytest.CaptureFixture[str],
    answers: Callable[..., list[str]],
) -> None:
    theirs = files[which].read_bytes() + b"\n# somebody else was here\n"

    def meanwhile(answer: str) -> Callable[[], str]:
        def typed() -> str:
            files[which].write_bytes(theirs)
            return answer

        return typed

    answers(*((meanwhile("yes"), "") if when == "at the question" else ("yes", meanwhile(""))))
    assert main(arguments(files)) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"claimlab: {files[which]}: changed while the question was open")
    assert files[which].read_bytes() == theirs
    assert files[0].read_bytes() == (theirs if which == 0 else BASELINE)


def test_a_file_that_vanished_meanwhile_is_noticed(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str], answers: Callable[..., list[str]]
) -> None:
    def typed() -> str:
        files[1].unlink()
        return "yes"

    answers(typed, "")
    assert main(arguments(files)) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert files[0].read_bytes() == BASELINE


# -- writing -------------------------------------------------------------------------------------


def bound(files: tuple[Path, Path]) -> Template:
    source = replace(FILMS, text=FILMS.text.replace("three", "four"))
    return accepted(
        Reviewed(templates_baseline()["q-films"], source), datetime.date(2026, 12, 24), None
    )


def test_a_write_that_fails_leaves_the_old_file(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="cannot be written"):
        write_template(files[0], bound(files), Opened.read(*files))
    assert files[0].read_bytes() == BASELINE
    assert sorted(path.name for path in files[0].parent.iterdir()) == [
        "base line.toml",
        "sources.toml",
    ]


@pytest.mark.skipif(os.name == "nt", reason="modes and links of Unix")
def test_the_mode_and_a_link_are_kept(files: tuple[Path, Path], tmp_path: Path) -> None:
    files[0].chmod(0o640)
    link = tmp_path / "link.toml"
    link.symlink_to(files[0])
    write_template(link, bound(files), Opened.read(link))
    assert link.is_symlink()
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o640
    assert read_baseline(files[0])["q-films"].reviewed == datetime.date(2026, 12, 24)


def test_comments_line_ends_and_a_mark_stay(files: tuple[Path, Path]) -> None:
    text = BASELINE.replace(b"[[template]]", b"# before\n[[template]]").replace(b"\n", b"\r\n")
    files[0].write_bytes(text + b"# the end\r\n")
    before = files[0].read_bytes()
    opened = write_template(files[0], bound(files), Opened.read(files[0]))
    after = files[0].read_bytes()
    assert opened.contents[files[0]] == after
    assert after.count(b"# before") == before.count(b"# before")
    assert after.endswith(b"# the end\r\n")
    assert after.count(b"\n") == after.count(b"\r\n")
    assert read_baseline(files[0])["q-films"].sha256 == bound(files).sha256


def test_a_layout_that_is_not_understood_is_left_alone(files: tuple[Path, Path]) -> None:
    tricky = BASELINE.replace(b"Nothing rebuilds", b"Nothing\n[[template]]\nrebuilds")
    text = BASELINE.decode().replace('note = "', 'note = """\n[[template]]\n"""\n# note = "', 1)
    files[0].write_bytes(text.encode())
    with pytest.raises(InputError, match="edit this one by hand"):
        write_template(files[0], bound(files), Opened.read(files[0]))
    assert files[0].read_bytes() == text.encode()
    files[0].write_bytes(tricky)
    with pytest.raises(InputError):
        write_template(files[0], bound(files), Opened.read(files[0]))
    assert files[0].read_bytes() == tricky


def test_only_toml_is_written(tmp_path: Path) -> None:
    path = write(tmp_path, "b.jsonl", "{}")
    with pytest.raises(InputError, match=r"expected a baseline named \.toml to write to"):
        write_template(path, templates_baseline()["q-films"], Opened.read(path))


def test_the_course_s_baseline_is_written_the_way_that_review_writes(tmp_path: Path) -> None:
    blocks = [template_toml(template) for template in templates_baseline().values()]
    assert BASELINE.decode("utf-8").split("\n[[template]]", 1)[1] == (
        "\n\n".join(blocks).removeprefix("[[template]]") + "\n"
    )


texts = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=40
).filter(str.strip)


@given(texts, texts, texts)
def test_whatever_a_template_holds_is_read_back(claim: str, note: str, text: str) -> None:
    import tempfile

    template = Template(
        "q", "s", "i", "1", fingerprint(text), "one " + claim, datetime.date(2026, 1, 2), note,
        (Condition(note, ("one",)),), text,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "b.toml"
        path.write_bytes(template_toml(template).encode("utf-8"))
        assert read_baseline(path) == {"q": template}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--json"], "--json asks no questions, it goes with --check"),
        (["--baseline", "b.toml"], "--baseline and --sources go together"),
        (["--baseline", "b.toml", "--sources", "s.toml"], "b.toml: cannot be read"),
    ],
)
def test_bad_usage(more: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in refused(capsys, "review", *more)


def test_sources_that_name_one_id_twice_are_refused(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    files[1].write_bytes(SOURCES.replace(b'"films-v1"', b'"loans-v1"'))
    assert "source 'loans-v1' is given twice" in refused(capsys, *arguments(files, "--check"))


# -- what a person, a pipe and a nightly job may type ---------------------------------------------


def asked_review(tmp_path: Path, typed: bytes | None) -> tuple[int, str, str, bytes]:
    """Run `claimlab review` over a changed source; return status, both outputs, the baseline."""
    baseline, sources = tmp_path / "ä b.toml", tmp_path / "s.toml"
    if not baseline.exists():
        baseline.write_bytes((DATA / "templates_baseline.toml").read_bytes())
    text = (DATA / "handbook.toml").read_text("utf-8")
    sources.write_text(text.replace("for seven days.", "for eight days."), "utf-8")
    command = [sys.executable, "-m", "claimlab.cli", "review", "--baseline", str(baseline)]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *command, "--sources", str(sources)]
        if typed is None
        else [*command, "--sources", str(sources)],
        input=typed,
        capture_output=True,
        env=plain_environment(),
        timeout=60,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode(), baseline.read_bytes()


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (b"yes\nn\xf6te\n", "claimlab: note: "),
        (b"yes\nyes\n", "claimlab: note: expected a few words or nothing, got 'yes'"),
    ],
)
def test_a_note_that_is_none_writes_nothing(tmp_path: Path, typed: bytes, says: str) -> None:
    status, _, error, after = asked_review(tmp_path, typed)
    assert (status, error.count("\n")) == (2, 1)
    assert error.startswith(says)
    assert after == (DATA / "templates_baseline.toml").read_bytes()


@pytest.mark.parametrize("typed", [None, b"", b"y\n", b"no\n"])
def test_no_input_is_a_no(tmp_path: Path, typed: bytes | None) -> None:
    status, out, error, after = asked_review(tmp_path, typed)
    assert (status, error) == (1, "")
    assert "left as it is: q-renew" in out
    assert after == (DATA / "templates_baseline.toml").read_bytes()


def test_a_yes_with_a_note_writes_and_a_read_only_baseline_is_left(tmp_path: Path) -> None:
    _, out, _, after = asked_review(tmp_path, "yes\nEight days, says the desk – café.\n".encode())
    assert "written: q-renew" in out
    assert "café" in after.decode()
    (tmp_path / "ä b.toml").chmod(0o444)
    status, out, error, kept = asked_review(tmp_path, b"yes\n\n")
    assert (status, out) == (2, "")
    assert "is read-only" in error
    assert kept == after
