"""What every lab returns: rows that print as the documented text and can be read by a program."""

from __future__ import annotations

import html
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1
"""The version of every ``--json`` output; it changes when a field changes its meaning."""


class Report(ABC):
    """The verdicts of one run. ``str(report)`` is the documented text."""

    @property
    @abstractmethod
    def passed(self) -> bool:
        """Whether the run passes: RESULT is PASS."""

    @abstractmethod
    def text(self) -> str:
        """Return the documented text: plain, stable, without a trailing newline."""

    @abstractmethod
    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a row, of plain values only."""

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame. Needs pandas (extra ``notebooks``)."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(
                "to_frame() needs pandas: run `import pandas` in a cell of its own first, "
                "or install claimlab[notebooks]"
            ) from None
        return pd.DataFrame.from_records(self.to_records())

    def to_json(self, ensure_ascii: bool = False) -> str:
        """Return the run as one JSON document with a ``schema_version``.

        ``ensure_ascii`` escapes all other letters, for an output that cannot show them.
        """
        document = {
            "schema_version": SCHEMA_VERSION,
            "report": type(self).__name__.lower(),
            "passed": self.passed,
            "rows": _plain(self.to_records()),
        }
        return json.dumps(document, ensure_ascii=ensure_ascii, indent=1, allow_nan=False)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_table(self.to_records(), caption=f"RESULT: {verdict(self.passed)}")


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: a date, a NaN or another object is told as text."""
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if value is None or isinstance(value, str | int):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)


def verdict(passed: bool) -> str:
    """Return the word for it: PASS or FAIL."""
    return "PASS" if passed else "FAIL"


def html_table(records: Sequence[dict[str, Any]], caption: str = "") -> str:
    """Return records as an HTML table; every text is escaped and shown with ``dir="auto"``."""
    names = list(records[0]) if records else []
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in names)
    body = "".join(
        "<tr>"
        + "".join(f'<td dir="auto">{html.escape(_cell(record.get(name)))}</td>' for name in names)
        + "</tr>"
        for record in records
    )
    return (
        f'<table class="claimlab"><caption>{html.escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _cell(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def flat(text: str) -> str:
    r"""Return text on one line: line breaks and control characters are written out.

    >>> print(flat("A\nRESULT: PASS"))
    A\nRESULT: PASS
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def one_line(text: str, indent: str = "   ") -> str:
    r"""Return text so that it cannot pass for a line of the report.

    Further lines are indented, and control characters are written out: a reply that contains a
    line break and ``RESULT: PASS`` must not forge a verdict.

    >>> print("A: " + one_line("Yes.\nRESULT: PASS"))
    A: Yes.
       RESULT: PASS
    """
    lines = [flat(line) for line in text.splitlines() or [""]]
    return ("\n" + indent).join(lines)
