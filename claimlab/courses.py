"""The world of lab 1: three courses, a small table of sections, and two tools that look there."""

from __future__ import annotations

from functools import lru_cache

from claimlab.catalog import NOT_FOUND, Catalog, Missed, Row, normalise_code
from claimlab.files import DATA, read_records
from claimlab.mentions import weekdays


@lru_cache(maxsize=1)
def courses() -> Catalog:
    """Return the course's own catalog: three courses under ``code``. ``lab`` null: not listed."""
    return Catalog.load(DATA / "courses.jsonl", key="code")


@lru_cache(maxsize=1)
def sections() -> tuple[Row, ...]:
    """Return the rows of the section table; a code has several."""
    return tuple(record.fields for record in read_records(DATA / "sections.jsonl"))


def lookup_course(code: str, catalog: Catalog | None = None) -> Row | Missed:
    """Return the row of a course, or NOT_FOUND.

    >>> lookup_course("comp-4081")["lab"]
    'Wednesday 10:00'
    >>> lookup_course("COMP 9999")
    NOT_FOUND
    """
    return (catalog or courses()).lookup(code)


def lookup_section(code: str, day: str) -> Row | Missed:
    """Return the section of a course on a weekday, or NOT_FOUND.

    >>> lookup_section("COMP 4081", "Tuesday")["time"]
    '14:00'
    >>> lookup_section("COMP 4081", "Wednesday")
    NOT_FOUND
    """
    wanted = normalise_code(code)
    days = {number for mention in weekdays(day) for number in mention.value}
    for row in sections():
        held = {number for mention in weekdays(row["day"]) for number in mention.value}
        if row["code"] == wanted and days and days <= held:
            return row
    return NOT_FOUND
