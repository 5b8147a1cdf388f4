"""Predictions: a question asked before the cell that answers it (``data/predictions.toml``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from claimlab.errors import InputError
from claimlab.files import DATA, read_toml


@dataclass(frozen=True)
class Prediction:
    """A question, its options, the right one and why, and the idea behind each wrong one."""

    id: str
    question: str
    options: tuple[str, ...]
    answer: str
    why: str
    wrong: Mapping[str, str]

    def asked(self) -> str:
        """Return the question as text."""
        marks = (
            f"  {letter}  {option}" for letter, option in zip("ABCDEF", self.options, strict=False)
        )
        return "\n".join([f"Prediction {self.id}: {self.question}", *marks])

    def revealed(self) -> str:
        """Return the answer as text, the same whatever anybody predicted."""
        lines = [f"Prediction {self.id}: {self.answer}.", f"  {self.why}"]
        lines += [f"  Behind '{option}': {idea}." for option, idea in self.wrong.items()]
        return "\n".join(lines)


@lru_cache(maxsize=1)
def predictions() -> Mapping[str, Prediction]:
    """Return all predictions by their id. Raises InputError for an entry that does not fit."""
    place = DATA / "predictions.toml"
    found = {}
    for number, entry in enumerate(read_toml(place)["prediction"], 1):
        wrong = {w["option"]: w["idea"] for w in entry.get("wrong", [])}
        prediction = Prediction(
            entry["id"],
            entry["question"],
            tuple(entry["options"]),
            entry["answer"],
            entry["why"],
            MappingProxyType(wrong),
        )
        if sorted([prediction.answer, *wrong]) != sorted(prediction.options):
            raise InputError(
                f"{place.name}: prediction {number}: expected the options to be the answer and "
                "the wrong ones, each once"
            )
        found[prediction.id] = prediction
    return MappingProxyType(found)


def prediction(name: str) -> Prediction:
    """Return one prediction. Raises InputError for an id that is not there."""
    if name not in predictions():
        raise InputError(
            f"prediction: expected one of {', '.join(predictions())}, got {name!r:.60}"
        )
    return predictions()[name]
