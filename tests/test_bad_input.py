"""Whatever is wrong with what is handed in is said in one line: which file, where, what is wanted.

The library raises InputError; the command prints its line on standard error and exits with 2.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import Command, plain_environment

from claimlab.catalog import Catalog
from claimlab.cli import BAD, FAIL, PASS, main
from claimlab.errors import InputError
from claimlab.files import MAX_DEPTH, parse_json, read_records, read_text, read_toml
from claimlab.trace import MAX_REPLY, reply_from_record

ROW = {"code": "COMP 4081", "lab": "Wednesday 10:00"}


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(path: Path) -> str:
    """What read_records says about a file, after the file's name."""
    with pytest.raises(InputError) as caught:
        read_records(path)
    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith(f"{path}: ")
    return said.removeprefix(f"{path}: ")


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """What the command says about its arguments: one line, exit status 2, no output."""
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as bad_usage:
        status = int(bad_usage.code or 0)
    out, err = capsys.readouterr()
    assert (status, out) == (BAD, "")
    assert err.startswith("claimlab")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    return err.rstrip("\n")


# -- files that cannot be read at all ------------------------------------------------------------


def test_a_missing_file(tmp_path: Path) -> None:
    assert refusal(tmp_path / "rows.jsonl") == "no such file"


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").mkdir()
    assert refusal(tmp_path / "rows.jsonl") == "is a folder, expected a file"


def test_a_path_with_a_nul() -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_records("rows\0.jsonl")


def test_a_name_that_does_not_tell_the_kind(tmp_path: Path) -> None:
    for name in ("rows", "rows.txt", "rows.xlsx"):
        path = write(tmp_path, name, '{"code": "A 1"}')
        assert refusal(path) == "expected a file named .toml, .json, .jsonl or .csv"


@pytest.mark.parametrize("name", ["r.toml", "r.json", "r.jsonl", "r.csv"])
@pytest.mark.parametrize("content", [b"", b" \n\t\r\n", b"\xef\xbb\xbf\n"])
def test_an_empty_file(tmp_path: Path, name: str, content: bytes) -> None:
    assert refusal(write(tmp_path, name, content)) == "is empty, expected at least one entry"


@pytest.mark.parametrize(("name", "content"), [("r.json", "[]"), ("r.csv", "code,lab\n")])
def test_a_file_without_an_entry(tmp_path: Path, name: str, content: str) -> None:
    assert refusal(write(tmp_path, name, content)) == "holds no entry, expected at least one"


def test_a_binary_file(tmp_path: Path) -> None:
    path = write(tmp_path, "r.csv", b"PK\x03\x04\x14\x00\x06\x00")
    assert refusal(path) == "is a binary file (a NUL at byte 5), expected UTF-8 text"


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-16", "is written in UTF-16, expected UTF-8"),
        ("utf-16-le", "looks like UTF-16 without a mark, expected UTF-8"),
        ("utf-16-be", "looks like UTF-16 without a mark, expected UTF-8"),
        ("utf-32", "is written in UTF-32, expected UTF-8"),
    ],
)
def test_another_unicode_encoding_is_named(tmp_path: Path, encoding: str, said: str) -> None:
    path = write(tmp_path, "r.jsonl", json.dumps(ROW).encode(encoding))
    assert refusal(path) == said


def test_latin_1_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, "r.csv", "code,title\nA 1,Art\nA 2,Café\n".encode("latin-1"))
    assert refusal(path) == "line 3: byte 26 is not UTF-8, expected UTF-8 text"


def test_a_byte_order_mark_is_fine(tmp_path: Path) -> None:
    path = write(tmp_path, "r.jsonl", b"\xef\xbb\xbf" + json.dumps(ROW).encode())
    assert [record.fields for record in read_records(path)] == [ROW]
    assert read_text(path).startswith("{")


# -- what is in them -----------------------------------------------------------------------------

WRONG = {
    # JSON Lines
    "half-written line": (
        "r.jsonl",
        '{"code": "A 1"}\n{"code": "A 2", "la',
        "line 2: is not JSON (Unterminated string starting at, column 17)",
    ),
    "two objects on a line": (
        "r.jsonl",
        '{"code": "A 1"} {"code": "A 2"}',
        "line 1: is not JSON (Extra data, column 17)",
    ),
    "a row that is a list": (
        "r.jsonl",
        '{"code": "A 1"}\n\n["A 2"]\n',
        "line 3: expected an object with named fields, got a list",
    ),
    "a row that is text": (
        "r.jsonl",
        '"A 1"',
        "line 1: expected an object with named fields, got text",
    ),
    "a row that is null": (
        "r.jsonl",
        "null",
        "line 1: expected an object with named fields, got null",
    ),
    "a row that is a number": (
        "r.jsonl",
        "5",
        "line 1: expected an object with named fields, got a number",
    ),
    "NaN": ("r.jsonl", '{"code": "A 1", "n": NaN}', "line 1: NaN is not a JSON number"),
    "infinity": (
        "r.jsonl",
        '{"code": "A 1", "n": -Infinity}',
        "line 1: -Infinity is not a JSON number",
    ),
    "a field given twice": (
        "r.jsonl",
        '{"code": "A 1"}\n{"code": "A 2", "code": "A 3"}',
        "line 2: field 'code' is given twice in one object",
    ),
    "a field given twice inside": (
        "r.jsonl",
        '{"code": "A 1", "lab": {"day": 1, "day": 2}}',
        "line 1: field 'day' is given twice in one object",
    ),
    "deep nesting": ("r.jsonl", "[" * 5000 + "]" * 5000, "line 1: is nested too deeply"),
    "nesting just too deep": (
        "r.jsonl",
        '{"a": ' + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "}",
        "line 1: is nested too deeply",
    ),
    # JSON
    "an object instead of a list": (
        "r.json",
        '{"code": "A 1"}',
        "expected a list of objects, got dict",
    ),
    "half-written list": (
        "r.json",
        '[{"code": "A 1"},\n {"code"',
        "line 2: is not JSON (Expecting ':' delimiter, column 9)",
    ),
    "an entry that is no object": (
        "r.json",
        '[{"code": "A 1"}, 5]',
        "entry 2: expected an object with named fields, got a number",
    ),
    # TOML
    "no array of tables": (
        "r.toml",
        'code = "A 1"',
        "expected one array of tables such as [[course]]",
    ),
    "two arrays of tables": (
        "r.toml",
        '[[a]]\ncode = "A 1"\n[[b]]\ncode = "A 2"',
        "expected one array of tables such as [[course]]",
    ),
    "TOML that is none": (
        "r.toml",
        '[[course]]\ncode = "A 1"\nlab = Wednesday\n',
        "is not TOML (Invalid value (at line 3, column 7))",
    ),
    "a TOML field given twice": (
        "r.toml",
        '[[course]]\ncode = "A 1"\ncode = "A 2"\n',
        "is not TOML (Cannot overwrite a value (at line 3, column 13))",
    ),
    "a TOML number without end": (
        "r.toml",
        "[[course]]\ncode = 0x" + "f" * 5000,
        "a whole number has too many digits",
    ),
    "deep TOML": (
        "r.toml",
        '[[course]]\ncode = "A 1"\n' + "a." * 200 + "a = 1",
        "is nested too deeply",
    ),
    # CSV
    "a short line": ("r.csv", "code,lab\nA 1,\nA 2\n", "line 3: expected 2 values, got 1"),
    "a long line": ("r.csv", "code,lab\nA 1,x,y\n", "line 2: expected 2 values, got 3"),
    "a line after one with a line break": (
        "r.csv",
        'code,lab\n"A\n1",\nA 2\n',
        "line 4: expected 2 values, got 1",
    ),
    "a column named twice": (
        "r.csv",
        "code,lab,lab\nA 1,,\n",
        "line 1: expected a header of different, non-empty names",
    ),
    "a column without a name": (
        "r.csv",
        "code,\nA 1,\n",
        "line 1: expected a header of different, non-empty names",
    ),
    "a quote that does not end": (
        "r.csv",
        'code,lab\nA 1,"Wed\n',
        "line 2: is not CSV (unexpected end of data)",
    ),
    "text after a quote": (
        "r.csv",
        'code,lab\nA 1,"Wed"nesday\n',
        "line 2: is not CSV (',' expected after '\"')",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_in_a_file_is_said_with_its_place(tmp_path: Path, what: str) -> None:
    name, content, expected = WRONG[what]
    assert refusal(write(tmp_path, name, content)) == expected


@pytest.mark.parametrize("what", WRONG)
def test_the_command_says_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    name, content, expected = WRONG[what]
    path = write(tmp_path, name, content)
    assert refused(capsys, "ledger", "--replies", path) == f"claimlab: {path}: {expected}"


def test_nesting_that_is_just_deep_enough_is_read() -> None:
    text = "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)
    assert json.dumps(parse_json(text, "here")) == text


def test_a_number_of_endless_digits_is_refused() -> None:
    with pytest.raises(InputError, match=r"^here: Exceeds the limit"):
        parse_json("9" * 5000, "here")


def test_toml_that_nests_beyond_the_parser_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is nested too deeply$"):
        read_toml(write(tmp_path, "r.toml", "a = " + "[" * 5000))


# -- keys ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"lab": None, "term": "Fall"}, "field 'code' is missing, got 'lab', 'term'"),
        ({}, "field 'code' is missing, got no field at all"),
        ({"code": None}, "field 'code': expected a code, got None"),
        ({"code": ""}, "field 'code': expected a code, got ''"),
        ({"code": "  "}, "field 'code': expected a code, got '  '"),
        ({"code": 2.5}, "field 'code': expected a code, got 2.5"),
        ({"code": True}, "field 'code': expected a code, got True"),
        ({"code": ["A 1"]}, "field 'code': expected a code, got ['A 1']"),
    ],
)
def test_a_row_without_a_key_is_refused(tmp_path: Path, row: dict[str, Any], said: str) -> None:
    path = write(tmp_path, "r.jsonl", '{"code": "A 1"}\n' + json.dumps(row))
    with pytest.raises(InputError) as caught:
        Catalog.load(path)
    assert str(caught.value) == f"{path}: line 2: {said}"


def test_conflicting_repeats_are_refused_with_both_lines_and_kept_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "r.csv", "code,lab\nA 1,Mon\nB 1,\na-1,Tue\n")
    said = refused(capsys, "ledger", "--catalog", path)
    assert said == (
        f"claimlab: {path}: line 4: code 'A 1' was given before with other values "
        f"({path}: line 2); expected one row a key"
    )
    assert main(["ledger", "--catalog", str(path), "--keep-first"]) == PASS
    out, err = capsys.readouterr()
    assert out.startswith("2 rows under 'code'")
    assert err == (f"claimlab: note: {path}: 1 row repeated a key with other values, first kept\n")


# -- replies -------------------------------------------------------------------------------------

GOOD_CALL = {"name": "lookup_course", "args": {"code": "A 1"}, "result": None}
WRONG_REPLIES: list[tuple[dict[str, Any], str]] = [
    ({}, "field 'text': expected text, got None"),
    ({"text": None}, "field 'text': expected text, got None"),
    ({"text": 5}, "field 'text': expected text, got 5"),
    ({"text": ["Yes"]}, "field 'text': expected text, got ['Yes']"),
    ({"text": "x" * (MAX_REPLY + 1)}, "reply: 100,001 characters, expected at most 100,000"),
    *[
        (
            {"text": "", "claims": claims},
            f"field 'claims': expected a list of texts, got {claims!r}",
        )
        for claims in ("a claim", "", 0, False, {}, [5], ["a", None], [["a"]])
    ],
    *[
        ({"text": "", "calls": calls}, f"field 'calls': expected a list, got {calls!r}")
        for calls in ("lookup_course", "", 0, False, {})
    ],
    ({"text": "", "calls": [5]}, "call 1: expected an object, got 5"),
    ({"text": "", "calls": [GOOD_CALL, None]}, "call 2: expected an object, got None"),
    ({"text": "", "calls": [{}]}, "call 1: field 'name': expected a tool's name, got None"),
    (
        {"text": "", "calls": [GOOD_CALL | {"args": "A 1"}]},
        "call 1: field 'args': expected an object, got 'A 1'",
    ),
    (
        {"text": "", "calls": [GOOD_CALL | {"ok": "yes"}]},
        "call 1: field 'ok': expected true or false, got 'yes'",
    ),
    (
        {"text": "", "calls": [GOOD_CALL | {"call_id": 7}]},
        "call 1: field 'call_id': expected text, got 7",
    ),
    (
        {"text": "", "calls": [GOOD_CALL | {"latency_ms": "7"}]},
        "call 1: field 'latency_ms': expected a number, got '7'",
    ),
    (
        {"text": "It is on Monday.", "calls": [GOOD_CALL | {"result": 5}]},
        "call lookup_course: expected a row (a mapping of fields) or NOT_FOUND as its result, "
        "got 5",
    ),
    ({"text": "", "question": 5}, "field 'question': expected text, got 5"),
]


@pytest.mark.parametrize(("reply", "said"), WRONG_REPLIES)
def test_a_wrong_reply_is_refused_with_its_line_and_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reply: dict[str, Any], said: str
) -> None:
    path = write(tmp_path, "r.jsonl", '{"text": "Thanks!"}\n' + json.dumps(reply))
    assert refused(capsys, "ledger", "--replies", path) == f"claimlab: {path}: line 2: {said}"


def test_what_may_be_left_out_may_be_null() -> None:
    reply = reply_from_record({"text": "Yes.", "claims": None, "calls": None}, "here")
    assert (reply.claims, reply.calls) == ((), ())


# -- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["leger"], "invalid choice: 'leger'"),
        (["ledger", "--judge", "stern"], "invalid choice: 'stern'"),
        (["ledger", "--run", "third"], "invalid choice: 'third'"),
        (["ledger", "--jugde", "field"], "unrecognized arguments: --jugde"),
        (["ledger", "--question"], "expected one argument"),
        (["ledger", "--question", "a", "--run", "leftover"], "not allowed with argument"),
        (["ledger", "--key", "crn"], "--key and --keep-first go with --catalog"),
        (["ledger", "--key", ""], "--key and --keep-first go with --catalog"),
        (["ledger", "--keep-first"], "--key and --keep-first go with --catalog"),
        (["ledger", "--replies", ""], "expected a file named"),
        (["ledger", "--catalog", ""], "expected a file named"),
        (["ledger", "--config", ""], "folder"),
        (["ledger", "--config", "no-such.toml"], "no-such.toml: no such file"),
    ],
)
def test_bad_usage_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert said in refused(capsys, *arguments)


def test_options_that_do_not_go_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "r.json", json.dumps([ROW]))
    assert "--run" in refused(capsys, "ledger", "--catalog", path, "--run", "leftover")
    assert "--json" in refused(capsys, "ledger", "--catalog", path, "--json")
    assert "field '' is missing" in refused(capsys, "ledger", "--catalog", path, "--key", "")
    assert "field 'crn' is missing" in refused(capsys, "ledger", "--catalog", path, "--key", "crn")


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("keys = 'crn'", "field 'keys': expected only key, normalise and [synonyms]"),
        ("key = 5", "field 'key': expected a field's name, got 5"),
        ("normalise = 'strict'", "field 'normalise': expected one of code, exact, got 'strict'"),
        ("synonyms = 5", "field 'synonyms': expected a table, got 5"),
        ("[synonyms]\nlab = 'practical'", "synonyms of 'lab': expected a list of words"),
        ("[synonyms]\nlab = ['']", "synonyms of 'lab': expected a list of words"),
        ("[synonyms]\nlab = [1]", "synonyms of 'lab': expected a list of words"),
        ("key =", "is not TOML (Invalid value"),
    ],
)
def test_a_wrong_configuration_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], config: str, said: str
) -> None:
    path = write(tmp_path, "c.toml", config)
    rows = write(tmp_path, "r.json", json.dumps([ROW]))
    assert f"{path}: {said}" in refused(capsys, "ledger", "--catalog", rows, "--config", path)


# -- the command in a process of its own ---------------------------------------------------------


def test_an_error_ends_with_status_2_one_line_and_no_traceback(
    claimlab: Command, tmp_path: Path
) -> None:
    ran = claimlab("ledger", "--replies", tmp_path / "absent.jsonl")
    assert (ran.returncode, ran.stdout) == (BAD, "")
    assert ran.stderr == f"claimlab: {tmp_path / 'absent.jsonl'}: no such file\n"


def test_a_path_may_have_spaces_accents_and_arabic(claimlab: Command, tmp_path: Path) -> None:
    folder = tmp_path / "mes données – دروس"
    folder.mkdir()
    write(folder, "le cours.json", json.dumps([ROW]))
    said = {
        "text": "COMP 4081 lab: Wednesday.",
        "calls": [{"name": "l", "args": {"c": "COMP 4081"}}],
    }
    write(folder, "les réponses.jsonl", json.dumps(said))
    arguments = ["--catalog", "le cours.json", "--replies", "les réponses.jsonl"]
    ran = claimlab("ledger", *arguments, cwd=folder)
    assert (ran.returncode, ran.stderr) == (PASS, "")
    assert ran.stdout.endswith('RESULT: PASS\n\nSUMMARY ["PASS"]\n')


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONIOENCODING": "", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
    ids=["ascii", "locale C", "latin-1"],
)
def test_an_output_that_knows_few_letters_loses_nothing(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    said = "Le laboratoire – مختبر – \U0001f600 – \ud800 is on Tuesday"
    path = write(tmp_path, "r.jsonl", json.dumps({"text": said}))
    arguments = [sys.executable, "-m", "claimlab.cli", "ledger", "--replies", str(path)]
    for more in ([], ["--json"]):
        ran = subprocess.run(
            [*arguments, *more], capture_output=True, env=plain_environment(**environment)
        )
        assert (ran.returncode, ran.stderr) == (FAIL, b"")
        if more:
            assert json.loads(ran.stdout.decode("latin-1"))["rows"][0]["claim"] in said
        else:
            assert b"RESULT: FAIL" in ran.stdout
            assert b"\\u0645" in ran.stdout


def closed_pipe() -> int:
    """A pipe's end to write to that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.mark.parametrize("arguments", [["ledger"], ["ledger", "--json"], ["ledger", "--help"]])
def test_output_to_a_closed_pipe_ends_quietly(arguments: list[str]) -> None:
    writer = closed_pipe()
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "claimlab.cli", *arguments],
            stdout=writer,
            stderr=subprocess.PIPE,
            env=plain_environment(),
        )
    finally:
        os.close(writer)
    assert (ran.returncode, ran.stderr) == (PASS, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here to write to")
def test_a_full_disk_is_said_in_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "claimlab.cli", "ledger"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=plain_environment(),
        )
    assert ran.returncode == BAD
    assert ran.stderr.startswith(b"claimlab: the output cannot be written")
    assert ran.stderr.count(b"\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="closes descriptors the way of Unix")
@pytest.mark.parametrize("closed", ["1", "2"])
def test_a_closed_standard_stream_is_no_crash(closed: str) -> None:
    ran = subprocess.run(
        ["sh", "-c", f'exec {closed}>&-; exec "$0" -m claimlab.cli "$@"', sys.executable, "ledger"],
        capture_output=True,
        env=plain_environment(),
    )
    assert ran.returncode == FAIL
    assert b"Traceback" not in ran.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_ctrl_c_ends_with_one_line_and_no_traceback(tmp_path: Path) -> None:
    """The command waits for a pipe that somebody has opened: there it is interrupted."""
    pipe = tmp_path / "replies.jsonl"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [sys.executable, "-m", "claimlab.cli", "ledger", "--replies", str(pipe)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=plain_environment(),
    )
    with pipe.open("wb"):  # returns once the command has opened the other end
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"claimlab: interrupted\n")
