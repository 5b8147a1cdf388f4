"""Whoever answers the questions of lab 3, and how their responses are marked: one way for all.

An answerer takes a case and gives a response of the generator's schema. Three are written here; a
recorded model is a fourth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from claimlab.abstention import Cells, Mark, count_cells, share
from claimlab.conditions import content_words, lost, words
from claimlab.errors import InputError
from claimlab.files import DATA, Record, check_names, check_texts, read_unique
from claimlab.generator import GenerationCase, generation_cases, validate_response
from claimlab.report import Report
from claimlab.templates import render_template

if TYPE_CHECKING:
    from claimlab.recordings import Completion

Response = dict[str, Any]
Answerer = Callable[[GenerationCase], Response]


def always_abstain(case: GenerationCase) -> Response:
    """Say nothing, whatever is asked."""
    return _response(False, (), (), "the answer")


def always_answer(case: GenerationCase) -> Response:
    """Quote the source that shares most words with the question, whatever it says."""
    asked = content_words(case.question.text)
    best = max(case.packet, key=lambda source: len(asked & content_words(source.text)))
    return _response(True, best.text.split("\n"), (best.id,), "")


def template_only(case: GenerationCase) -> Response:
    """Render the reviewed template of the question, or abstain with its reason."""
    result = render_template(case.question.id, case.packet)
    if result.answer is None:
        return _response(False, (), (), str(result.reason))
    return _response(True, (result.answer,), result.citations, "")


def _response(
    answered: bool, claims: Iterable[str], citations: Iterable[str], missing: str
) -> Response:
    return {
        "status": "answered" if answered else "insufficient_evidence",
        "claims": list(claims),
        "citation_ids": list(citations),
        "missing": missing[:120],
    }


ANSWERERS: Final[Mapping[str, Answerer]] = MappingProxyType(
    {
        "always abstain": always_abstain,
        "always answer": always_answer,
        "template only": template_only,
    }
)
"""The answerers that are written here, from silent to careful."""


# -- marking -------------------------------------------------------------------------------------


def supported_by_rule(case: GenerationCase, response: Mapping[str, Any]) -> bool | None:
    """Return whether the cited sources establish every claim, where a rule can tell.

    A claim that is a run of words of a cited source, from the start of a sentence to the end of
    one, is supported. A claim with a number that neither the cited sources nor the question hold is
    not ("one" may be "once" or "a", so 1 decides nothing), and neither is anything when no cited
    source is in the packet. The rest takes a reader.
    """
    cited = [source.text for source in case.packet if source.id in response["citation_ids"]]
    if not cited:
        return False
    known = {"1"} | {word for text in (*cited, case.question.text) for word in words(text)}
    claimed = [words(claim) for claim in response["claims"]]
    if any(word[0].isdigit() and word not in known for claim in claimed for word in claim):
        return False
    runs = [_run(words(text)) for text in cited]
    return True if all(any(_run(c) in run for run in runs) for c in claimed) else None


def _run(found: list[str]) -> str:
    """Words as one text in which only whole sentences are found: each begins and ends with |."""
    return "|" + " ".join(found).removesuffix("|").replace(" | ", "|").strip() + "|"


def complete_by_rule(case: GenerationCase, response: Mapping[str, Any]) -> bool | None:
    """Return whether an answer keeps what the question needs, where a rule can tell.

    It is not complete when no source of the packet that establishes the answer is cited, or when it
    answers a question in part and does not say so. It is complete when every condition of the key
    is kept in a listed wording, and what is missing is named. Otherwise it takes a reader.
    """
    question = case.question
    cited = {source.id for source in case.packet if source.id in response["citation_ids"]}
    if not cited & set(question.sources):
        return False
    kept = not lost(question.keep, " . ".join(response["claims"]))
    if question.kind == "partial":
        if not response["missing"].strip():
            return False
        kept = kept and bool(content_words(question.missing) & content_words(response["missing"]))
    return True if kept else None


def names_what_is_missing(case: GenerationCase, response: Mapping[str, Any]) -> bool:
    """Return whether an abstention names its subject: a word of the key, or of the question."""
    subject = content_words(f"{case.question.missing} {case.question.text}")
    return bool(subject & content_words(response["missing"]))


@dataclass(frozen=True)
class Judged:
    """One response and what was found of it; None where the question does not arise."""

    id: str
    case: GenerationCase
    response: Mapping[str, Any] | None
    cited: bool | None = None
    supported: bool | None = None
    complete: bool | None = None

    @property
    def answered(self) -> bool | None:
        """Whether it is an answer; None for output that nobody can use."""
        return None if self.response is None else self.response["status"] == "answered"

    @property
    def mark(self) -> Mark:
        """Its mark: a right answer is supported and complete."""
        named = self.response is not None and names_what_is_missing(self.case, self.response)
        right = bool(self.supported and self.complete)
        return Mark(self.id, self.case.answerable, self.answered, right, named)


@dataclass(frozen=True)
class Label:
    """What a reader found where no rule decides, and why; None for what a rule decides."""

    id: str
    supported: bool | None
    complete: bool | None
    reason: str


def judge_output(
    name: str, case: GenerationCase, output: object, label: Label | None = None
) -> Judged:
    """Return what is found of an answerer's output, by rule, and by a reader's label elsewhere.

    Output that is malformed or over-long is unusable. Where neither a rule nor a label decides,
    ``supported`` or ``complete`` stays None: not shown to be right.
    """
    checked = validate_response(output, case.request)
    response = checked.response
    if response is None or "malformed_output" in checked.kinds:
        return Judged(name, case, None)
    if response["status"] != "answered":
        return Judged(name, case, response)
    supported, complete = supported_by_rule(case, response), complete_by_rule(case, response)
    if label is not None:
        supported = label.supported if supported is None else supported
        complete = label.complete if complete is None else complete
    cited = not {"missing_citation", "unknown_citation"} & set(checked.kinds)
    return Judged(name, case, response, cited, supported, complete)


_REVIEWED: Final = Label("*", True, None, "a human read it beside its source")


def cells_of(answerer: Answerer) -> Cells:
    """Return the four cells of an answerer over all cases.

    A rendered template needs no rule for whether it is supported: a human read it beside its
    source, and the renderer made sure that the source is still that one.
    """
    label = _REVIEWED if answerer is template_only else None
    judged = (judge_output(c.id, c, answerer(c), label) for c in generation_cases().values())
    return count_cells(one.mark for one in judged)


# -- a recorded model ----------------------------------------------------------------------------


@dataclass(frozen=True)
class RecordedScore(Report):
    """What was found of every completion of a recording."""

    judged: tuple[Judged, ...]

    @property
    def passed(self) -> bool:
        """Whether every completion is usable, and every answer cited, supported and complete."""
        return bool(self.judged) and all(
            one.answered is not None
            and (not one.answered or (one.cited and one.mark.cell == "right_answer"))
            for one in self.judged
        )

    @property
    def cells(self) -> Cells:
        """The four cells."""
        return count_cells(one.mark for one in self.judged)

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return how many of how many: well-formed of all, the rest of the answers."""
        answers = [one for one in self.judged if one.answered]
        usable = sum(one.answered is not None for one in self.judged)
        return {
            "well-formed": (usable, len(self.judged)),
            "cited": (sum(bool(one.cited) for one in answers), len(answers)),
            "supported": (sum(bool(one.supported) for one in answers), len(answers)),
            "complete": (sum(bool(one.complete) for one in answers), len(answers)),
        }

    def text(self) -> str:
        """Return a line a count."""
        return "\n".join(f"{name:<12} {share(*count)}" for name, count in self.counts().items())

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a completion."""
        return [
            {
                "id": one.id,
                "request_id": one.case.id,
                "answerable": one.case.answerable,
                "well_formed": one.answered is not None,
                "answered": one.answered,
                "cited": one.cited,
                "supported": one.supported,
                "complete": one.complete,
                "cell": one.mark.cell,
            }
            for one in self.judged
        ]


def score_recorded(
    completions: Iterable[Completion], labels: Mapping[str, Label] | None = None
) -> RecordedScore:
    """Return the score of recorded completions, each ``about`` a ``request_id``.

    ``labels`` are a reader's, by the completion's id; the course's own when left out.

    Raises InputError for a completion of a request that nobody made, and for one that takes a
    reader and has no label: nothing is counted that nobody decided.
    """
    known = recorded_labels() if labels is None else labels
    judged = []
    for completion in completions:
        place, request = f"completion {completion.id!r:.60}", completion.about.get("request_id")
        if not isinstance(request, str) or request not in generation_cases():
            raise InputError(f"{place}: field 'request_id': there is no request {request!r:.60}")
        case = generation_cases()[request]
        one = judge_output(completion.id, case, completion.text, known.get(completion.id))
        if one.answered and None in (one.supported, one.complete):
            raise InputError(f"{place}: takes a reader, and there is no label for it")
        judged.append(one)
    return RecordedScore(tuple(judged))


LABELS: Final = DATA / "generation_labels.jsonl"


@lru_cache(maxsize=1)
def recorded_labels() -> Mapping[str, Label]:
    """Return the labels of the recorded answers: one author's reading, before any judge ran."""
    return read_labels(LABELS) if LABELS.exists() else MappingProxyType({})


def read_labels(path: str | Path) -> Mapping[str, Label]:
    """Return the labels of a file ``{id, supported, complete, reason}`` by their id.

    Raises InputError that names the entry and the field.
    """
    return read_unique(path, _label, "id")


def _label(record: Record) -> Label:
    fields, place = record.fields, record.place
    check_names(fields, ("id", "supported", "complete", "reason"), place)
    check_texts({name: fields[name] for name in ("id", "reason")}, place)
    for name in ("supported", "complete"):
        if fields[name] is not None and not isinstance(fields[name], bool):
            raise InputError(
                f"{place}: field {name!r}: expected true, false or null, got {fields[name]!r:.60}"
            )
    return Label(**fields)
