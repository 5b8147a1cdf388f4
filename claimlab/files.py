"""Reading the files that people hand in: TOML, JSON, JSON Lines and CSV, each entry with its place.

Every failure is an :class:`~claimlab.errors.InputError` that names the file, the line or entry,
and what was expected.
"""

from __future__ import annotations

import csv
import io
import json
import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, TypeGuard, TypeVar

from claimlab.errors import InputError

_T = TypeVar("_T")

DATA = Path(__file__).parent / "data"
"""The folder of the course's own data files."""

STAND_INS: dict[Path, str] = {}
"""Texts that are read instead of a file's own, while a fault is planted (`claimlab.faults`)."""

MAX_DEPTH = 100
"""The deepest nesting of lists and objects that is read."""
MAX_BITS = 10_000
"""The longest whole number that is read: about 3,000 digits."""

_BYTE_ORDER_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


@dataclass(frozen=True)
class Record:
    """One entry of a file: its fields, and the place to name when something is wrong with it."""

    place: str
    fields: dict[str, Any]
    line: int | None = None


def read_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file, without a byte order mark, with Unix line ends.

    Raises InputError for a file that cannot be opened, is empty, binary, or in another encoding.
    """
    if STAND_INS and (stand_in := STAND_INS.get(Path(path))) is not None:
        return stand_in
    with open_bytes(path) as stream:
        raw = stream.read()
    for mark, name in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            raise InputError(f"{path}: is written in {name}, expected UTF-8")
    if b"\0" in raw:
        where = raw.index(b"\0")
        if where <= 1 and raw.count(b"\0") * 3 > len(raw):
            raise InputError(f"{path}: looks like UTF-16 without a mark, expected UTF-8")
        raise InputError(f"{path}: is a binary file (a NUL at byte {where}), expected UTF-8 text")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}: line {line}: byte {error.start} is not UTF-8, expected UTF-8 text"
        ) from None
    if not text.strip():
        raise InputError(f"{path}: is empty, expected at least one entry")
    return text.replace("\r\n", "\n").replace("\r", "\n")


@contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes. Raises InputError when that fails, or reading it does."""
    if "\0" in str(path):
        raise InputError(f"{path}: cannot be read (a name holds no NUL)")
    try:
        with Path(path).open("rb") as stream:
            yield stream
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, expected a file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({_cause(error)})") from None


def _cause(error: OSError) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def read_records(path: str | Path, *, empty: bool = False) -> list[Record]:
    """Return the entries of a TOML, JSON, JSON Lines or CSV file, in the file's order.

    TOML: the tables of the one array of tables (``[[course]]``). JSON: a list of objects. JSON
    Lines: an object a line. CSV: a header, then a row a line; every value is text, blank is ``""``.
    With ``empty``, a list of no entries is one; a file without a word never is.

    Raises InputError for anything else, with the line or entry at fault.
    """
    suffix = Path(path).suffix.lower()
    readers = {
        ".toml": _toml_records,
        ".json": _json_records,
        ".jsonl": _jsonl_records,
        ".ndjson": _jsonl_records,
        ".csv": _csv_records,
    }
    if suffix not in readers:
        raise InputError(f"{path}: expected a file named .toml, .json, .jsonl or .csv")
    records = list(readers[suffix](str(path), read_text(path)))
    if not records and not empty:
        raise InputError(f"{path}: holds no entry, expected at least one")
    return records


def read_unique(path: str | Path, entry: Callable[[Record], _T], name: str) -> Mapping[str, _T]:
    """Return what ``entry`` makes of each entry of a file, by its attribute ``name``.

    Raises InputError for one that is given twice, and what read_records and ``entry`` raise.
    """
    found: dict[str, _T] = {}
    for record in read_records(path):
        made = entry(record)
        key = getattr(made, name)
        if key in found:
            raise InputError(f"{record.place}: {name} {key!r:.60} is given twice")
        found[key] = made
    return MappingProxyType(found)


def check_text(value: object, place: str) -> None:
    """Raise InputError for a value that is no text, or that UTF-8 cannot hold."""
    if not isinstance(value, str):
        raise InputError(f"{place}: expected text, got {value!r:.60}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"{place}: expected text, got half a letter (a lone surrogate) at {error.start}"
        ) from None


def check_texts(texts: Mapping[str, Any], place: str) -> None:
    """Raise InputError for a field that is not text or is blank."""
    for name, value in texts.items():
        check_text(value, f"{place}: field {name!r}")
        if not value.strip():
            raise InputError(f"{place}: field {name!r}: expected text, got nothing but space")


def check_names(
    record: Mapping[str, Any], required: Iterable[str], place: str, optional: Iterable[str] = ()
) -> None:
    """Raise InputError for a field that is missing, or that nobody reads."""
    required, known = tuple(required), (*required, *optional)
    for name in required:
        if name not in record:
            raise InputError(f"{place}: field {name!r} is missing")
    if extra := sorted(str(name) for name in record if name not in known):
        raise InputError(f"{place}: field {extra[0]!r:.60} is not one of {', '.join(known)}")


def write_whole(path: Path, data: bytes) -> None:
    """Write beside the file, then rename: whoever reads it sees the old content or the new.

    A file that was there keeps its mode. Raises OSError where nothing can be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read_toml(path: str | Path) -> dict[str, Any]:
    """Return a TOML file as a dict. Raises InputError that names the line at fault."""
    text = read_text(path)
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise InputError(f"{path}: is nested too deeply") from None
    except ValueError as error:
        raise InputError(f"{path}: is not TOML ({_short(error)})") from None
    _refuse_extremes(document, str(path))
    return document


def parse_json(text: str, place: str, first_line: int = 1) -> Any:
    """Return the value of a JSON text; InputError with the line for text that is not JSON.

    Stricter than ``json.loads``: a name given twice in one object, NaN and infinities are errors.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"{place}: field {twice!r} is given twice in one object")
        return fields

    def constant(name: str) -> Any:
        raise InputError(f"{place}: {name} is not a JSON number")

    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=constant)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        where = place if f"line {line}" in place else f"{place}: line {line}"
        raise InputError(f"{where}: is not JSON ({error.msg}, column {error.colno})") from None
    except RecursionError:
        raise InputError(f"{place}: is nested too deeply") from None
    except ValueError as error:  # a whole number of more digits than Python converts
        raise InputError(f"{place}: {_short(error)}") from None
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _refuse_extremes(value, place)
    return value


def _refuse_extremes(value: object, place: str) -> None:
    """Refuse what Python reads and then cannot print: deep nesting, numbers of endless digits."""
    level = [value]
    for _ in range(MAX_DEPTH):
        if any(isinstance(v, int) and v.bit_length() > MAX_BITS for v in level):
            raise InputError(f"{place}: a whole number has too many digits")
        inner = [v.values() if isinstance(v, dict) else v for v in level if _holds_others(v)]
        level = [v for values in inner for v in values]
        if not level:
            return
    raise InputError(f"{place}: is nested too deeply")


def _holds_others(value: object) -> TypeGuard[dict[str, Any] | list[Any]]:
    return isinstance(value, dict | list)


def _short(error: Exception) -> str:
    return str(error).split("\n")[0].split(";")[0] or type(error).__name__


def _mapping(value: object, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{place}: expected an object with named fields, got {_named(value)}")
    return value


def _named(value: object) -> str:
    names = {list: "a list", str: "text", bool: "a yes/no", int: "a number", float: "a number"}
    return "null" if value is None else names.get(type(value), type(value).__name__)


def _toml_records(path: str, text: str) -> Iterator[Record]:
    document = read_toml(path)
    tables = {
        name: value
        for name, value in document.items()
        if isinstance(value, list) and value and isinstance(value[0], dict)
    }
    if len(tables) != 1:
        raise InputError(f"{path}: expected one array of tables such as [[course]]")
    ((name, entries),) = tables.items()
    for number, entry in enumerate(entries, 1):
        place = f"{path}: entry {number} of [[{name}]]"
        yield Record(place, _mapping(entry, place))


def _json_records(path: str, text: str) -> Iterator[Record]:
    document = parse_json(text, path)
    if not isinstance(document, list):
        raise InputError(f"{path}: expected a list of objects, got {_named(document)}")
    for number, entry in enumerate(document, 1):
        place = f"{path}: entry {number}"
        yield Record(place, _mapping(entry, place))


def _jsonl_records(path: str, text: str) -> Iterator[Record]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            place = f"{path}: line {number}"
            yield Record(place, _mapping(parse_json(line, place, number), place), number)


def _csv_records(path: str, text: str) -> Iterator[Record]:
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(rows)
        if len(set(header)) < len(header) or not all(name.strip() for name in header):
            raise InputError(f"{path}: line 1: expected a header of different, non-empty names")
        start = rows.line_num + 1
        for row in rows:
            if row:
                if len(row) != len(header):
                    raise InputError(
                        f"{path}: line {start}: expected {len(header)} values, got {len(row)}"
                    )
                yield Record(f"{path}: line {start}", dict(zip(header, row, strict=True)), start)
            start = rows.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}: line {rows.line_num}: is not CSV ({error})") from None
