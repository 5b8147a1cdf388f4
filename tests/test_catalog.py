"""The catalog: three outcomes of a lookup, one normaliser, four kinds of file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from claimlab.catalog import NOT_FOUND, Catalog, exact, normalise_code
from claimlab.courses import courses, lookup_course, lookup_section, sections
from claimlab.errors import InputError
from claimlab.trace import ToolCall

ROWS = [
    {"code": "COMP 2130", "seats": 30, "lab": None},
    {"code": "COMP 4081", "seats": 12, "lab": "Wednesday 10:00"},
]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# -- lookups -------------------------------------------------------------------------------------


def test_the_course_has_three_rows_and_one_lab() -> None:
    assert list(courses().rows) == ["COMP 2130", "COMP 3170", "COMP 4081"]
    assert [row["lab"] for row in courses().rows.values()] == [None, None, "Wednesday 10:00"]


def test_a_lookup_gives_the_row_or_not_found() -> None:
    assert lookup_course("COMP 2130") == {
        "code": "COMP 2130",
        "term": "Fall",
        "title": "Intro Systems",
        "lab": None,
    }
    assert lookup_course("COMP 9999") is NOT_FOUND
    assert not NOT_FOUND
    assert repr(NOT_FOUND) == "NOT_FOUND"


@pytest.mark.parametrize("code", [None, 5, b"COMP 2130", ["COMP 2130"]])
def test_a_code_that_is_no_text_is_refused(code: Any) -> None:
    with pytest.raises(InputError, match=r"^lookup: expected a code as text, got "):
        courses().lookup(code)


def test_a_row_cannot_be_changed_by_who_looked_it_up() -> None:
    row: Any = lookup_course("COMP 2130")
    with pytest.raises(TypeError):
        row["lab"] = "Tuesday"


def test_lookup_section_finds_a_section_by_its_day() -> None:
    found: Any = lookup_section("comp-2130", "Thu")
    assert (found["section"], found["time"]) == ("A02", "13:30")
    assert lookup_section("COMP 2130", "Tuesday") is NOT_FOUND
    assert lookup_section("COMP 9999", "Monday") is NOT_FOUND
    assert lookup_section("COMP 2130", "no day at all") is NOT_FOUND


def test_each_section_is_of_a_course_that_the_catalog_has() -> None:
    assert {row["code"] for row in sections()} == set(courses().rows)


# -- the normaliser ------------------------------------------------------------------------------

SPELLINGS = [
    "COMP 3170",
    "comp3170",
    "COMP-3170",
    "COMP  3170",
    " Comp_3170\n",
    "comp.3170",
    "COMP\u00a03170",
    "COMP\u20133170",
    "\uff23\uff2f\uff2d\uff30\uff13\uff11\uff17\uff10",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_all_spellings_are_one_course(spelling: str) -> None:
    assert normalise_code(spelling) == "COMP 3170"
    assert lookup_course(spelling) is lookup_course("COMP 3170")


@pytest.mark.parametrize("other", ["COMP 3171", "COMP 317", "COM 3170", "COMP 31700", "COMP 3170A"])
def test_another_code_is_another_course(other: str) -> None:
    assert normalise_code(other) != "COMP 3170"


def test_without_the_normaliser_two_spellings_make_two_universes() -> None:
    strict = Catalog(courses().rows, "code", normalise=exact)
    assert strict.lookup("COMP 3170") is not NOT_FOUND
    assert strict.lookup("COMP3170") is NOT_FOUND
    assert strict.spelt_otherwise("COMP3170") == "COMP 3170"
    assert strict.spelt_otherwise("COMP 9999") is None


# -- files ---------------------------------------------------------------------------------------

FILES = {
    "rows.toml": '[[course]]\ncode = "COMP 2130"\nseats = 30\n\n[[course]]\ncode = "COMP 4081"\n'
    'seats = 12\nlab = "Wednesday 10:00"\n',
    "rows.json": '[{"code": "COMP 2130", "seats": 30, "lab": null},\n'
    ' {"code": "COMP 4081", "seats": 12, "lab": "Wednesday 10:00"}]\n',
    "rows.jsonl": '{"code": "COMP 2130", "seats": 30, "lab": null}\n\n'
    '{"code": "COMP 4081", "seats": 12, "lab": "Wednesday 10:00"}\n',
    "rows.csv": "code,seats,lab\nCOMP 2130,30,\nCOMP 4081,12,Wednesday 10:00\n",
}


@pytest.mark.parametrize("name", FILES)
def test_four_kinds_of_file_hold_the_same_rows_with_types_as_found(
    tmp_path: Path, name: str
) -> None:
    catalog = Catalog.load(write(tmp_path, name, FILES[name]))
    expected = [dict(row) for row in ROWS]
    if name.endswith(".toml"):
        del expected[0]["lab"]  # TOML has no null: a field is left out
    if name.endswith(".csv"):
        expected = [row | {"seats": str(row["seats"]), "lab": row["lab"] or ""} for row in expected]
    assert [dict(row) for row in catalog.rows.values()] == expected
    assert catalog.notes == ()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.rstrip("\n").encode(),
    ],
    ids=["byte order mark", "Windows line ends", "no last line end"],
)
def test_a_file_from_another_editor_reads_alike(tmp_path: Path, name: str, change: Any) -> None:
    path = tmp_path / name
    path.write_bytes(change(FILES[name]))
    plain = Catalog.load(write(tmp_path, "plain" + path.suffix, FILES[name]))
    assert Catalog.load(path).rows == plain.rows


def test_csv_quotes_hold_commas_quotes_and_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b'code,title\r\nA 1,"Sets, ""maps""\r\nand more"\r\n')
    assert Catalog.load(path).rows["A 1"]["title"] == 'Sets, "maps"\nand more'


def test_a_path_may_have_spaces_and_accents(tmp_path: Path) -> None:
    folder = tmp_path / "cours d’été à Noël"
    folder.mkdir()
    assert len(Catalog.load(write(folder, "les données.jsonl", FILES["rows.jsonl"]))) == 2


def test_a_whole_number_may_be_a_key(tmp_path: Path) -> None:
    catalog = Catalog.load(write(tmp_path, "r.json", '[{"crn": 30412, "lab": null}]'), "crn")
    assert catalog.lookup("30412") == {"crn": 30412, "lab": None}


def test_columns_may_have_any_name(tmp_path: Path) -> None:
    path = write(tmp_path, "r.csv", "Código,Plätze frei\nÁB 1,3\n")
    assert Catalog.load(path, "Código").lookup("áb1") == {"Código": "ÁB 1", "Plätze frei": "3"}


# -- rows that repeat a key ----------------------------------------------------------------------

SAME = '{"code": "A 1", "n": 3}\n'
OTHER = '{"code": "A 1", "n": 4}\n'


def test_identical_repeats_collapse_with_one_counted_note(tmp_path: Path) -> None:
    path = write(tmp_path, "r.jsonl", SAME * 3 + '{"code": "B 1", "n": 3}\n' * 2)
    catalog = Catalog.load(path)
    assert len(catalog) == 2
    assert catalog.notes == (f"{path}: 3 rows repeated identically, collapsed",)


def test_the_order_of_fields_makes_no_other_row(tmp_path: Path) -> None:
    path = write(tmp_path, "r.jsonl", SAME + '{"n": 3, "code": "A 1"}\n')
    assert Catalog.load(path).notes == (f"{path}: 1 row repeated identically, collapsed",)


@pytest.mark.parametrize(
    "other",
    [
        OTHER,
        '{"code": "A 1", "n": 3.0}\n',
        '{"code": "A 1", "n": "3"}\n',
        '{"code": "A 1"}\n',
        '{"code": "a-1", "n": 3}\n',
    ],
    ids=["value", "float", "text", "missing field", "spelling"],
)
def test_a_conflicting_repeat_is_refused_with_both_lines(tmp_path: Path, other: str) -> None:
    path = write(tmp_path, "r.jsonl", SAME + '{"code": "B 1"}\n' + other)
    with pytest.raises(InputError) as caught:
        Catalog.load(path)
    assert str(caught.value) == (
        f"{path}: line 3: code 'A 1' was given before with other values ({path}: line 1); "
        "expected one row a key"
    )


def test_the_first_of_conflicting_rows_is_kept_on_request(tmp_path: Path) -> None:
    path = write(tmp_path, "r.jsonl", SAME + OTHER + SAME)
    catalog = Catalog.load(path, keep_first=True)
    assert catalog.lookup("A 1") == {"code": "A 1", "n": 3}
    assert catalog.notes == (
        f"{path}: 1 row repeated identically, collapsed",
        f"{path}: 1 row repeated a key with other values, first kept",
    )


# -- calls ---------------------------------------------------------------------------------------


def test_equal_arguments_have_equal_hashes_and_other_arguments_have_others() -> None:
    one = ToolCall("lookup_section", {"code": "COMP 3170", "day": "Tuesday"})
    same = ToolCall("lookup_section", {"day": "Tuesday", "code": "COMP 3170"})
    other = ToolCall("lookup_section", {"code": "Tuesday", "day": "COMP 3170"})
    assert one.args_hash == same.args_hash
    assert one.args_hash != other.args_hash
    assert ToolCall("t", {"n": 1}).args_hash != ToolCall("t", {"n": "1"}).args_hash
    assert ToolCall("t", {"when": {1, 2}.__class__}).args_hash  # what JSON lacks has a hash too
