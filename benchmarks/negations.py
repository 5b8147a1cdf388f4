"""How well negations and futures are found in real dialect: precision and recall as they are.

Run ``python benchmarks/negations.py``. It reads the corpora beside the project
(``../shared/corpora``) and prints: an Algerian treebank whose negated words are tagged,
by halves (the half with even sentence ids is what the lexicons were tuned on); Moroccan sentences
with weak labels, whether the English translation negates; and 200 sentences of both, adjudicated by
hand (``claimlab/data/negation_labels.jsonl``; docs/dialects.md has the guideline). ``--misses``
prints what was missed and what was found in vain.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from claimlab.files import DATA, read_records
from claimlab.lexicon import futures, negations

CORPORA = Path(__file__).resolve().parent.parent.parent / "shared" / "corpora"
Place = tuple[int, int]


@dataclass
class Score:
    """Counts, and the words that were missed or found in vain."""

    right: int = 0
    found: int = 0
    recalled: int = 0
    wanted: int = 0
    missed: Counter[str] = field(default_factory=Counter)
    in_vain: Counter[str] = field(default_factory=Counter)

    def line(self, name: str) -> str:
        """Return the figures as a line of a table."""
        precision = self.right / self.found if self.found else 0.0
        recall = self.recalled / self.wanted if self.wanted else 0.0
        return (
            f"{name:34s} precision {precision:.3f} ({self.right} of {self.found})   "
            f"recall {recall:.3f} ({self.recalled} of {self.wanted})"
        )


class Sentence(NamedTuple):
    """A sentence of the treebank: its id, its text, the places of its negated words."""

    name: str
    text: str
    negated: tuple[Place, ...]


def overlap(one: Place, other: Place) -> bool:
    """Whether two places share a character."""
    return one[0] < other[1] and other[0] < one[1]


def count(
    score: Score,
    text: str,
    wanted: Iterable[Sequence[Place]],
    either: Iterable[Place] = (),
    language: str | None = None,
) -> None:
    """Count one sentence: a negation is found if a span meets one of its words.

    ``either`` are places on which two readers would differ; what is found there counts nowhere.
    """
    groups = [tuple(group) for group in wanted]
    spans = [(s.start, s.end) for s in negations(text, language)]
    for group in groups:
        hit = any(overlap(span, place) for span in spans for place in group)
        score.wanted += 1
        score.recalled += hit
        if not hit:
            score.missed[" ".join(text[a:b] for a, b in group).lower()] += 1
    for span in spans:
        hit = any(overlap(span, place) for group in groups for place in group)
        if not hit and any(overlap(span, place) for place in either):
            continue
        score.found += 1
        score.right += hit
        if not hit:
            score.in_vain[text[span[0] : span[1]].lower()] += 1


def treebank(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a CoNLL-U file with the places of the words tagged Polarity=Neg."""
    name = text = ""
    rows: list[list[str]] = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("# sent_id = "):
            name = line[12:]
        elif line.startswith("# text = "):
            text = line[9:]
        elif line and not line.startswith("#"):
            rows.append(line.split("\t"))
        elif not line and rows:
            yield Sentence(name, text, tuple(_negated(text, rows)))
            rows = []


def _negated(text: str, rows: Sequence[Sequence[str]]) -> Iterator[Place]:
    """The places of tagged words; a word inside a written one has the place of that."""
    at, until = 0, 0
    place: Place = (0, 0)
    for row in rows:
        number, form, features = row[0], row[1], row[5]
        if "." in number:
            continue
        if "-" in number or int(number) > until:
            start = text.find(form, at)
            if start >= 0:
                place = (start, start + len(form))
                at = place[1]
            if "-" in number:
                until = int(number.partition("-")[2])
                continue
        if "Polarity=Neg" in features.split("|"):
            yield place


def is_even(name: str) -> bool:
    """Whether a sentence belongs to the half that the lexicons were tuned on."""
    return int(re.sub(r"\D", "", name)) % 2 == 0


_NOT = re.compile(r"\b(?:not|never|no|nothing|nobody|none|cannot|without)\b|n't", re.I)
_WILL = re.compile(
    r"\b(?:will|won't|shall|gonna)\b|\b\w+'ll\b|\b(?:am|is|are|'m|'re|'s) going to\b", re.I
)


def weak(rows: Sequence[dict[str, str]], find: str) -> Score:
    """Count sentences, not words: does the reader find what the translation has?"""
    score = Score()
    english, finder = (_NOT, negations) if find == "negations" else (_WILL, futures)
    for row in rows:
        wanted = english.search(row["english"]) is not None
        found = bool(finder(row["darija"], "ary"))
        score.wanted += wanted
        score.found += found
        score.right += wanted and found
        score.recalled += wanted and found
        told = f"{row['darija']} = {row['english']}"
        if wanted and not found:
            score.missed[told] += 1
        if found and not wanted:
            score.in_vain[told] += 1
    return score


def adjudicated(sentences: dict[str, str]) -> Score:
    """Count the sentences that were adjudicated by hand."""
    score = Score()
    for record in read_records(DATA / "negation_labels.jsonl"):
        text = sentences[record.fields["id"]]
        places = [m.span() for m in re.finditer(r"\S+", text)]
        groups = [[places[n] for n in group] for group in record.fields["negations"]]
        either = [places[n] for group in record.fields["unsure"] for n in group]
        count(score, text, groups, either)
    return score


def measured(corpora: Path = CORPORA) -> dict[str, Score]:
    """Return the score of each corpus and half, by name."""
    sentences = list(treebank(corpora / "arabizi_train.conllu"))
    with (corpora / "darija_english.csv").open(encoding="utf-8", newline="") as file:
        pairs = list(csv.DictReader(file))
    scores = {}
    for name, even in (("treebank, tuned half (even ids)", True), ("treebank, other half", False)):
        scores[name] = score = Score()
        for sentence in sentences:
            if is_even(sentence.name) == even:
                count(score, sentence.text, [(place,) for place in sentence.negated])
    for name, part in (("tuned half (even rows)", 1), ("other half", 0)):
        scores[f"Darija negation, {name}"] = weak(pairs[part::2], "negations")
        scores[f"Darija future, {name}"] = weak(pairs[part::2], "futures")
    texts = {f"treebank {one.name}": one.text for one in sentences}
    texts |= {f"darija {n}": row["darija"] for n, row in enumerate(pairs, 1)}
    scores["200 adjudicated"] = adjudicated(texts)
    return scores


def main() -> None:
    """Print the figures, and with ``--misses`` the words."""
    if not CORPORA.is_dir():
        print(f"skipped: no corpora in {CORPORA}")
        return
    for name, score in measured().items():
        print(score.line(name))
        if "--misses" in sys.argv[1:]:
            print("  missed: ", score.missed.most_common(80))
            print("  in vain:", score.in_vain.most_common(80))


if __name__ == "__main__":
    main()
