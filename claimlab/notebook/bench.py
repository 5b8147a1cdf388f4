"""The claim bench of lesson 1: type a claim, choose what the lookup gave, read four verdicts."""

from __future__ import annotations

import html
from typing import Any

import ipywidgets as widgets

from claimlab.bench import Bench, before_all_judges
from claimlab.catalog import NOT_FOUND, Evidence, Row
from claimlab.courses import courses

_MARK = {"TOOL": "✔ TOOL", "GUESSED": "✘ GUESSED"}


class ClaimBench:
    """A text box, a row, and the verdict of each judge while you type. Use ``report()`` next."""

    def __init__(self, claim: str = "COMP 4081 has a Tuesday lab", code: str = "COMP 4081") -> None:
        """Build the bench; it knows no other bench, so two on a page do no harm."""
        rows: dict[str, Evidence] = {
            f"the row of {key}": row for key, row in courses().rows.items()
        }
        rows |= {"looked up, no row": NOT_FOUND, "nobody looked": None}
        self._rows = rows
        self.claim = widgets.Text(
            value=claim,
            description="Claim",
            continuous_update=True,
            layout=widgets.Layout(width="38em"),
        )
        self.row = widgets.Dropdown(
            options=list(rows), value=f"the row of {code}", description="Against"
        )
        self.verdicts = widgets.HTML()
        self.box = widgets.VBox([self.claim, self.row, self.verdicts])
        self.claim.observe(self._show, names="value")
        self.row.observe(self._show, names="value")
        self._show(None)

    def report(self) -> Bench:
        """Return what the bench shows, as a report for the next cell."""
        return before_all_judges(self.claim.value, self._rows[self.row.value], courses())

    def _show(self, _change: Any) -> None:
        bench = self.report()
        lines = "".join(
            f'<tr><th scope="row" style="text-align: left; padding: 0 1em 0 0">{judge}</th>'
            f'<td style="white-space: nowrap; padding: 0 1em 0 0">'
            f"<strong>{_MARK[finding.source]}</strong></td>"
            f'<td dir="auto" style="text-align: left">{html.escape(finding.reason)}</td></tr>'
            for judge, finding in bench.findings.items()
        )
        self.verdicts.value = (
            f'<div dir="auto"><code>{html.escape(_shown(bench.row))}</code></div>'
            f'<table aria-live="polite" aria-label="verdicts">{lines}</table>'
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(self.box._repr_mimebundle_(**kwargs))
        bundle["text/plain"] = (
            "Claim bench: a live notebook shows a text box and four verdicts here."
        )
        return bundle


def _shown(row: Row | Any) -> str:
    return repr(dict(row)) if hasattr(row, "items") else repr(row)


def claim_bench(claim: str = "COMP 4081 has a Tuesday lab", code: str = "COMP 4081") -> ClaimBench:
    """Return a claim bench, to end a cell with."""
    return ClaimBench(claim, code)
