"""Predictions in a notebook: radio buttons and a confidence, stored beside the lesson."""

from __future__ import annotations

import html
from typing import Any

import ipywidgets as widgets
from IPython.display import display

from claimlab import state
from claimlab.predictions import Prediction, prediction

_SURE = [("a guess", 50), ("60 %", 60), ("70 %", 70), ("80 %", 80), ("90 %", 90), ("certain", 100)]


class PredictionCard:
    """A question to answer before you run the next cell. Its text form is the question."""

    def __init__(self, asked: Prediction) -> None:
        """Build the card; a prediction that was stored before is shown again."""
        self.prediction = asked
        stored = _stored(asked)
        self.choice = widgets.RadioButtons(
            options=list(asked.options),
            value=stored.get("choice"),
            layout=widgets.Layout(width="auto", margin="0 0 0 1em"),
        )
        self.sure = widgets.SelectionSlider(
            options=_SURE,
            value=stored.get("confidence", 70),
            description="How sure?",
            continuous_update=False,
            layout=widgets.Layout(width="22em"),
        )
        self.note = widgets.HTML(_note(stored))
        question = widgets.HTML(
            f'<div dir="auto"><strong>Predict ({asked.id}).</strong> '
            f"{html.escape(asked.question)}</div>"
        )
        self.box = widgets.VBox(
            [question, self.choice, self.sure, self.note],
            layout=widgets.Layout(
                border="1px solid var(--jp-border-color2, #bbb)", padding="0.6em 1em"
            ),
        )
        self.choice.observe(self._store, names="value")
        self.sure.observe(self._store, names="value")

    def _store(self, _change: Any) -> None:
        if self.choice.value is None:
            return
        value = {"choice": self.choice.value, "confidence": self.sure.value}
        saved = state.save("predictions", self.prediction.id, value)
        self.note.value = " ".join(filter(None, [_note(value) if saved.stored else "", saved.note]))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(self.box._repr_mimebundle_(**kwargs))
        bundle["text/plain"] = self.prediction.asked()
        return bundle


def _stored(asked: Prediction) -> dict[str, Any]:
    kept = state.load().get("predictions", {})
    entry = kept.get(asked.id, {}) if isinstance(kept, dict) else {}
    if not isinstance(entry, dict) or entry.get("choice") not in asked.options:
        return {}
    if entry.get("confidence") not in [value for _, value in _SURE]:
        return {"choice": entry["choice"]}
    return entry


def _note(stored: dict[str, Any]) -> str:
    if not stored:
        return "<em>Choose one, then run the next cells. Nobody marks it.</em>"
    return f"<em>Stored. You said you were {stored.get('confidence', 70)} % sure.</em>"


def predict(name: str) -> PredictionCard:
    """Return the card of one prediction, to end a cell with: ``predict("L1a")``."""
    return PredictionCard(prediction(name))


def reveal(name: str) -> None:
    """Print the answer of a prediction; show what you said beside it, if you said something."""
    asked = prediction(name)
    print(asked.revealed())
    stored = _stored(asked)
    if stored:
        right = "as it turned out" if stored["choice"] == asked.answer else "not this time"
        said = f"<em>You said “{html.escape(stored['choice'])}”: {right}.</em>"
        display({"text/html": said, "text/plain": ""}, raw=True)  # type: ignore[no-untyped-call]
