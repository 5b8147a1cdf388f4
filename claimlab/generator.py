"""The interface of a generator: what it is asked, what it answers, and what sends that to a reader.

The two JSON Schemas are in ``data/``. :func:`validate_response` adds the rules that no schema
holds. A response without an issue is well made; whether it is right, no rule here decides.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from claimlab.conditions import Condition, lost, new_words
from claimlab.errors import InputError
from claimlab.files import DATA, parse_json, read_text
from claimlab.handbook import Question, Source, handbook, questions

IssueKind = Literal[
    "malformed_output",
    "over_long",
    "missing_citation",
    "unknown_citation",
    "missing_reason",
    "invented_claim",
    "lost_condition",
]
ISSUES: Final[Mapping[IssueKind, str]] = {
    "malformed_output": "no JSON object, or a field that is missing, unknown or of another type",
    "over_long": "more text, claims or citations than the schema allows",
    "missing_citation": "a claim, and nothing cited for it",
    "unknown_citation": "a cited id that the evidence does not hold",
    "missing_reason": "insufficient evidence, and no word about what is missing",
    "invented_claim": "a word that is not in the cited evidence, nor in the question of an answer",
    "lost_condition": "an answer without a part that it must keep",
}
"""What sends a response to a reader. Each issue names its field."""

MAX_RESPONSE = 4_000
"""The longest output of a generator that is read, in characters."""


@dataclass(frozen=True)
class Issue:
    """One thing that is wrong with a response: which kind, in which field, and what."""

    kind: IssueKind
    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.field}: {self.message}"


@dataclass(frozen=True)
class Validation:
    """The issues of a response, and the response itself where it is well-formed."""

    issues: tuple[Issue, ...]
    response: Mapping[str, Any] | None

    @property
    def route(self) -> Literal["accept", "review"]:
        """Where the response goes: one issue is enough to send it to a reader."""
        return "review" if self.issues else "accept"

    @property
    def kinds(self) -> tuple[IssueKind, ...]:
        """The kinds of issues, each once."""
        return tuple(dict.fromkeys(issue.kind for issue in self.issues))


def schema(name: Literal["request", "response"]) -> dict[str, Any]:
    """Return the JSON Schema of the generator's request or response."""
    place = DATA / f"generator_{name}.schema.json"
    document: dict[str, Any] = parse_json(read_text(place), place.name)
    return document


@lru_cache(maxsize=2)
def _compiled(name: Literal["request", "response"]) -> Callable[[Any], Any]:
    import fastjsonschema

    compiled: Callable[[Any], Any] = fastjsonschema.compile(schema(name))
    return compiled


_TOO_MUCH = frozenset({"maxLength", "maxItems"})


def _schema_issue(name: Literal["request", "response"], value: Any) -> Issue | None:
    """The first thing that a schema has against a value."""
    import fastjsonschema

    try:
        _compiled(name)(value)
    except fastjsonschema.JsonSchemaValueException as error:
        whole = str(error.name)
        field = whole.removeprefix("data").removeprefix(".") or name
        kind: IssueKind = "over_long" if error.rule in _TOO_MUCH else "malformed_output"
        inside = "" if field == name else f"{field}."
        if error.rule == "required":
            gone = next(n for n in error.rule_definition if n not in error.value)
            return Issue(kind, f"{inside}{gone}", "is missing")
        if error.rule == "additionalProperties":
            known = list(error.definition["properties"])
            extra = next(n for n in error.value if n not in known)
            return Issue(kind, f"{inside}{extra!s:.60}", f"is not one of {', '.join(known)}")
        return Issue(kind, field, error.message.removeprefix(whole).strip())
    return None


def check_request(request: object) -> None:
    """Raise InputError, naming the field, for a request that its schema refuses."""
    if issue := _schema_issue("request", request):
        raise InputError(f"request: field {issue.field!r}: {issue.message}")


def validate_response(response: object, request: Mapping[str, Any]) -> Validation:
    """Return what is wrong with a generator's response to a request; one issue sends it to review.

    ``response`` is the generator's output as text, or an object that was read from it.

    Raises InputError for a request that is none. A response never raises.
    """
    check_request(request)
    if isinstance(response, str):
        if len(response) > MAX_RESPONSE:
            message = f"{len(response):,} characters, expected at most {MAX_RESPONSE:,}"
            return Validation((Issue("over_long", "response", message),), None)
        try:
            response = parse_json(response, "response")
        except InputError as error:
            message = str(error).removeprefix("response: ")
            return Validation((Issue("malformed_output", "response", message),), None)
    if issue := _schema_issue("response", response):
        return Validation((issue,), None)
    assert isinstance(response, Mapping)
    return Validation(tuple(_rules(response, request)), response)


def _rules(response: Mapping[str, Any], request: Mapping[str, Any]) -> Iterator[Issue]:
    """The rules that no schema holds."""
    answered = response["status"] == "answered"
    quotes = {entry["id"]: entry["quote"] for entry in request["evidence"]}
    cited = response["citation_ids"]
    if answered and not response["claims"]:
        yield Issue("malformed_output", "claims", "answered, and there is no claim")
    if response["claims"] and not cited:
        yield Issue("missing_citation", "citation_ids", "nothing is cited for the claims")
    for number, name in enumerate(cited):
        if name not in quotes:
            yield Issue("unknown_citation", f"citation_ids[{number}]", f"no evidence is {name!r}")
    if not answered and not response["missing"].strip():
        yield Issue("missing_reason", "missing", "does not say what the evidence lacks")
    known = [quotes[name] for name in cited if name in quotes] or list(quotes.values())
    if answered:  # what an abstention claims beside it, the evidence alone must say
        known.append(request["question"])
    for number, claim in enumerate(response["claims"]):
        if new := new_words(claim, known):
            yield Issue("invented_claim", f"claims[{number}]", f"not in the evidence: {new[0]}")
    if answered:
        needed = [Condition(c["name"], tuple(c["says"])) for c in request.get("conditions", [])]
        for name in lost(needed, " . ".join(response["claims"])):
            yield Issue("lost_condition", "claims", f"lost: {name}")


# -- the requests of the recording ---------------------------------------------------------------

PacketKind = Literal["with", "without", "beside"]

INSTRUCTIONS: Final = (
    "Answer from the evidence alone. Keep every condition. Cite the ids that you used. "
    "When the evidence does not settle the question, say so and name what is missing."
)
_OTHERS = 2
"""How many sources about something else are in each packet."""


@dataclass(frozen=True)
class GenerationCase:
    """A question over one packet: what a generator is asked, and whether it can be answered."""

    id: str
    question: Question
    packet_kind: PacketKind
    packet: tuple[Source, ...]

    @property
    def answerable(self) -> bool:
        """Whether the packet establishes an answer, at least in part: abstaining is needless."""
        return self.question.answerable_from(self.packet)

    @property
    def request(self) -> dict[str, Any]:
        """The request, as its schema has it."""
        return {
            "id": self.id,
            "question": self.question.text,
            "instructions": INSTRUCTIONS,
            "evidence": [{"id": s.id, "version": s.version, "quote": s.text} for s in self.packet],
            "conditions": [{"name": c.name, "says": list(c.says)} for c in self.question.keep],
        }


@lru_cache(maxsize=1)
def generation_cases() -> Mapping[str, GenerationCase]:
    """Return every case by its id, ``q-renew.with``: question by question, packet by packet.

    ``with`` holds the sources that establish the answer (for a question without an answer: those
    about something close by), ``without`` does not, ``beside`` adds to ``with`` what is easily
    taken for the right source. Each packet also holds two sources about something else.
    """
    cases = [case for number, q in enumerate(questions().values()) for case in _cases(q, number)]
    return {case.id: case for case in cases}


def _cases(question: Question, number: int) -> Iterator[GenerationCase]:
    used = {*question.sources, *question.near, *question.beside}
    documents = {handbook()[name].identifier for name in used} | {"library/notice-board"}
    rest = [
        source
        for source in handbook().values()
        if source.identifier not in documents and not source.id.endswith("-v0")
    ]
    others = tuple(rest[(3 * number + 5 * n) % len(rest)] for n in range(_OTHERS))
    right = tuple(handbook()[name] for name in question.sources or question.near)
    alike = tuple(handbook()[name] for name in question.beside)
    packets: dict[PacketKind, tuple[Source, ...]] = {
        "with": (others[0], *right, others[1]),
        "without": others,
    }
    if alike:
        packets["beside"] = (*alike, others[0], *right)
    for kind, packet in packets.items():
        yield GenerationCase(f"{question.id}.{kind}", question, kind, packet)


def generation_requests() -> tuple[dict[str, Any], ...]:
    """Return the requests of all cases, in their order."""
    return tuple(case.request for case in generation_cases().values())


_EXAMPLES: Final[tuple[tuple[tuple[tuple[str, str], ...], str, dict[str, Any]], ...]] = (
    (
        (
            ("pool-v2", "Children under six swim free when an adult pays."),
            ("sauna-v1", "The sauna is closed in July."),
        ),
        "Do small children pay?",
        {
            "status": "answered",
            "claims": ["Children under six swim free when an adult pays."],
            "citation_ids": ["pool-v2"],
            "missing": "",
        },
    ),
    (
        (
            ("sauna-v1", "The sauna is closed in July."),
            ("towels-v1", "Towels are rented for 2 euros."),
        ),
        "Is there a diving course?",
        {
            "status": "insufficient_evidence",
            "claims": [],
            "citation_ids": [],
            "missing": "nothing about diving courses",
        },
    ),
    (
        (
            ("lockers-v1", "A locker needs a 1 euro coin."),
            ("lanes-v3", "Lane one may be reserved by clubs, but not on Mondays."),
        ),
        "May a club reserve lane one?",
        {
            "status": "answered",
            "claims": ["Clubs may reserve lane one, but not on Mondays."],
            "citation_ids": ["lanes-v3"],
            "missing": "",
        },
    ),
    (
        (
            ("towels-v1", "Towels are rented for 2 euros."),
            ("lockers-v1", "A locker needs a 1 euro coin."),
        ),
        "May I rent swimming goggles?",
        {
            "status": "insufficient_evidence",
            "claims": ["Towels are rented for 2 euros."],
            "citation_ids": ["towels-v1"],
            "missing": "nothing about goggles",
        },
    ),
)
"""Two answers and two abstentions from a swimming pool, in turn: none leans one way."""


def completion_prompt(request: Mapping[str, Any]) -> str:
    """Return a prompt that a base model completes with one JSON object of the response schema.

    A base model follows no instructions; it goes on as the examples do. What the checker alone
    knows, the conditions, is not in it.

    Raises InputError for a request that is none.
    """
    check_request(request)
    blocks = [
        _block([{"id": name, "quote": text} for name, text in evidence], question)
        + json.dumps(response)
        for evidence, question, response in _EXAMPLES
    ]
    blocks.append(_block(request["evidence"], request["question"]))
    return f"{request['instructions']}\n\n" + "\n\n".join(blocks)


def _block(evidence: list[dict[str, str]], question: str) -> str:
    quotes = [f"[{e['id']}] {' '.join(e['quote'].split())}" for e in evidence] or ["(none)"]
    return "\n".join(["Evidence:", *quotes, f"Question: {question}", "Answer:", ""])


def packet_hash(request: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a request's evidence, for the card of a run.

    A better packet is not to be credited to a better generator.
    """
    plain = json.dumps(request["evidence"], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(plain.encode("ascii")).hexdigest()
