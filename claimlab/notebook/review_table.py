"""The review table of lesson 3. What it compares is a pure function: ``claimlab.claim_review``."""

from __future__ import annotations

import html
from typing import Any

import ipywidgets as widgets

from claimlab.claim_review import (
    ASKED,
    ClaimReview,
    SmallClaim,
    review_claims,
    small_claims,
    word,
)

_ANSWERS = [("–", None), ("yes", True), ("no", False)]
_HINTS = ["not answered", "yes", "no"]
_MARK = {True: "✔ as in the key", False: "✘ the key says otherwise", None: "not answered"}


class ReviewTable:
    """Each claim with its question and source, two answers, and the key when you ask for it.

    ``report()`` gives your answers beside the key to the next cell.
    """

    def __init__(self) -> None:
        """Build the table; it knows no other table, so two on a page do no harm."""
        self._rows = {claim.id: _answers(claim) for claim in small_claims().values()}
        self._shown = {claim.id: widgets.HTML() for claim in small_claims().values()}
        self.compare = widgets.Button(
            description="Compare with the key", layout=widgets.Layout(width="auto")
        )
        self.compare.on_click(lambda _button: self._compare())
        self.score = widgets.HTML()
        parts = [
            _claim_box(c, self._rows[c.id], self._shown[c.id]) for c in small_claims().values()
        ]
        self.box = widgets.VBox([*parts, self.compare, self.score])

    def answers(self) -> dict[str, tuple[bool | None, bool | None]]:
        """Return what is chosen now, by the claim's id."""
        return {name: (row[0].value, row[1].value) for name, row in self._rows.items()}

    def report(self) -> ClaimReview:
        """Return your answers beside the key, as a report for the next cell."""
        return review_claims(self.answers())

    def _compare(self) -> None:
        report = self.report()
        for claim in small_claims().values():
            self._shown[claim.id].value = _key(claim, report.answers[claim.id])
        lines = "<br>".join(map(html.escape, report.score().split("\n")))
        self.score.value = f'<div aria-live="polite" class="claimlab-score">{lines}</div>'

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(self.box._repr_mimebundle_(**kwargs))
        bundle["text/plain"] = "Review table: a live notebook shows it here."
        return bundle


def _answers(claim: SmallClaim) -> tuple[widgets.ToggleButtons, ...]:
    return tuple(
        widgets.ToggleButtons(
            options=_ANSWERS,
            value=None,
            tooltips=[f"Claim {claim.id}, {asked} {hint}" for hint in _HINTS],
            style={"button_width": "3.6em"},
        )
        for asked in ASKED
    )


def _claim_box(
    claim: SmallClaim, answers: tuple[widgets.ToggleButtons, ...], shown: widgets.HTML
) -> widgets.VBox:
    source = html.escape(claim.cites.text).replace("\n", "<br>")
    head = widgets.HTML(
        f'<div style="line-height: 1.5"><strong>{claim.id}. {html.escape(claim.text)}</strong><br>'
        f"asked: {html.escape(claim.question.text)}<br>"
        f"cites <code>{html.escape(claim.cites.id)}</code>: <em>{source}</em></div>"
    )
    lines = [
        widgets.HBox([widgets.Label(asked, layout=widgets.Layout(width="21em")), answer])
        for asked, answer in zip(ASKED, answers, strict=True)
    ]
    return widgets.VBox(
        [head, *lines, shown],
        layout=widgets.Layout(
            border="1px solid var(--jp-border-color2, #bbb)",
            padding="0.5em 0.8em",
            margin="0 0 0.5em 0",
        ),
    )


def _key(claim: SmallClaim, answer: tuple[bool | None, bool | None]) -> str:
    told = [
        f"{asked} {word(key)}: {_MARK[None if said is None else said == key]}"
        for asked, said, key in zip(ASKED, answer, claim.key, strict=True)
    ]
    lines = "<br>".join(map(html.escape, [*told, claim.reason]))
    return f'<div class="claimlab-key" style="line-height: 1.5; margin-top: 0.3em">{lines}</div>'


def review_table() -> ReviewTable:
    """Return a review table, to end a cell with."""
    return ReviewTable()
