"""How sure were you, and how often right? The learner's own predictions, beside their confidence.

Calibration in the sense of Brier, Verification of Forecasts Expressed in Terms of Probability
(1950): of what you call 80 % sure, four in five should come true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from claimlab import state
from claimlab.predictions import predictions
from claimlab.report import Report


@dataclass(frozen=True)
class Calibration(Report):
    """For each confidence in per cent: how many predictions, and how many came true."""

    rows: tuple[tuple[int, int, int], ...]

    @property
    def passed(self) -> bool:
        """Always true: nobody marks predictions."""
        return True

    def brier(self) -> float | None:
        """Return the mean squared distance from what came true; None without a prediction."""
        count = sum(made for _, made, _ in self.rows)
        if not count:
            return None
        lost = sum(
            right * (1 - sure / 100) ** 2 + (made - right) * (sure / 100) ** 2
            for sure, made, right in self.rows
        )
        return lost / count

    def text(self) -> str:
        """Return a line a confidence, and the Brier score."""
        brier = self.brier()
        if brier is None:
            return "No prediction is stored beside this lesson, so there is nothing to calibrate."
        lines = ["said  came true"]
        lines += [f"{sure:3} %  {right} of {made}" for sure, made, right in self.rows]
        return "\n".join([*lines, f"Brier score {brier:.2f} (0 is best; always 50 % gives 0.25)"])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a confidence."""
        return [{"said": s, "predictions": made, "true": right} for s, made, right in self.rows]


def calibration(stored: Mapping[str, Any] | None = None) -> Calibration:
    """Return the calibration of stored predictions: id to ``choice`` and ``confidence``.

    Without an argument, of those in the progress file of this folder. What is none of the
    course's predictions is left out.

    >>> print(calibration({"L1b": {"choice": "nothing", "confidence": 80}}).rows)
    ()
    """
    if stored is None:
        kept = state.load().get("predictions")
        stored = kept if isinstance(kept, dict) else {}
    counts: dict[int, list[int]] = {}
    for name, entry in stored.items():
        asked = predictions().get(name)
        if asked is None or not isinstance(entry, Mapping):
            continue
        sure = entry.get("confidence", 70)
        if entry.get("choice") not in asked.options or type(sure) is not int:
            continue
        found = counts.setdefault(sure, [0, 0])
        found[0] += 1
        found[1] += entry["choice"] == asked.answer
    return Calibration(tuple((s, made, right) for s, (made, right) in sorted(counts.items())))
