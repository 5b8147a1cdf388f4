"""An answer with each claim marked in place, and the verdict beside it in words."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass

from claimlab.ledger import Entry, Ledger
from claimlab.report import one_line


@dataclass(frozen=True)
class Marked:
    """A ledger's answer with its claims marked. ``print`` it, or let a notebook show it."""

    ledger: Ledger

    def text(self) -> str:
        """Return the answer with numbered claims, then a line a claim.

        >>> from claimlab.ledger import audit
        >>> from claimlab.trace import Reply
        >>> print(Marked(audit(Reply("It is easy. It is fun."), claims="text")).text())
        [1: It is easy]. [2: It is fun].
          1  GUESSED  no_call: no lookup was made: there is no row to compare with
          2  GUESSED  no_call: no lookup was made: there is no row to compare with
        """
        answer = "".join(
            piece if entry is None else f"[{number}: {piece}]"
            for piece, number, entry in self._parts()
        )
        lines = [one_line(answer, "")]
        for number, entry in enumerate(self._entries(), 1):
            lines.append(f"  {number}  {entry.finding.source:<7}  {_why(entry)}")
        return "\n".join(lines)

    def _entries(self) -> list[Entry]:
        found = [entry for entry in self.ledger.entries if entry.span is not None]
        return sorted(found, key=lambda entry: entry.span.start if entry.span else 0)

    def _parts(self) -> Iterator[tuple[str, int, Entry | None]]:
        text, position = self.ledger.reply.text, 0
        for number, entry in enumerate(self._entries(), 1):
            assert entry.span is not None
            yield text[position : entry.span.start], 0, None
            yield entry.span.text, number, entry
            position = entry.span.end
        yield text[position:], 0, None

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        answer = "".join(
            html.escape(piece).replace("\n", "<br>")
            if entry is None
            else _mark(piece, number, entry)
            for piece, number, entry in self._parts()
        )
        legend = "".join(
            f'<li dir="auto"><strong>{entry.finding.source}</strong> '
            f"{html.escape(_why(entry))}</li>"
            for entry in self._entries()
        )
        return (
            '<div class="claimlab-marked" '
            'style="line-height: 2.1; max-width: 60em; padding: 0 0.3em">'
            f'<p dir="auto" style="font-size: 110%; margin: 0.3em 0">{answer}</p>'
            f'<ol style="line-height: 1.5; margin: 0.3em 0">{legend}</ol></div>'
        )


_LINES = {"TOOL": "3px solid #0072b2", "GUESSED": "3px dashed #d55e00"}


def _mark(piece: str, number: int, entry: Entry) -> str:
    """A solid line under what a tool backs, a dashed one under a guess, and the word itself."""
    source = entry.finding.source
    return (
        '<mark style="background: transparent; color: inherit; padding-bottom: 2px; '
        f'border-bottom: {_LINES[source]}">{html.escape(piece)}</mark>'
        f'<small style="white-space: nowrap; margin: 0 0.3em"> {number} {source}</small>'
    )


def _why(entry: Entry) -> str:
    field = f" ({entry.finding.field})" if entry.finding.field else ""
    return f"{entry.finding.kind}{field}: {one_line(entry.finding.reason, '')}"
