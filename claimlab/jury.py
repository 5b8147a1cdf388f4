"""Lab 2, the predicate jury: a yes/no must survive a predicate that can fail.

A fixture is a sentence, the yes/no that its author wants believed, and a predicate that sees only
frozen facts. Agreement is cheap: the jury also asks whether the predicate could have disagreed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from claimlab.clauses import split_claims
from claimlab.errors import InputError
from claimlab.files import DATA, Record, parse_json, read_text, read_toml, read_unique
from claimlab.late import late
from claimlab.mentions import clean, numbers
from claimlab.predicates import Facts, Predicate, UnsafePredicate, wrong_fact
from claimlab.report import Report, flat
from claimlab.report import verdict as pass_or_fail
from claimlab.vacuity import Vacuity, reads

Verdict = Literal[
    "unsafe",
    "echo_true",
    "echo_false",
    "cross_fail",
    "undecided",
    "loose",
    "locked_pass",
    "locked_reject",
]

VERDICTS: Final[Mapping[Verdict, str]] = MappingProxyType(
    {
        "unsafe": "refused: not in the language, or names a fact that nobody wrote down",
        "echo_true": "the predicate cannot fail, whatever values these facts had",
        "echo_false": "the predicate cannot hold, whatever values these facts had",
        "cross_fail": "the yes/no and the predicate disagree",
        "undecided": "they agree; whether the predicate could differ was not decided",
        "loose": "they agree, but the claim speaks of a fact that the predicate does not read",
        "locked_pass": "both say yes, and the predicate could have said no",
        "locked_reject": "both say no, and the predicate could have said yes",
    }
)
"""What each verdict means, in the order in which they are decided: the first that applies."""

LOCKED: Final = frozenset({"locked_pass", "locked_reject"})


@dataclass(frozen=True)
class Fixture:
    """A claim, the yes/no that its author wants believed, and the predicate that checks it."""

    tag: str
    claim: str
    nl_says: bool
    predicate: str


@dataclass(frozen=True)
class World:
    """Frozen facts, and the words by which a claim may speak of one beside its name and value."""

    facts: Facts
    words: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Finding:
    """What the jury says of one fixture.

    ``pred`` is the predicate's value, None where the verdict needs no evaluation. ``unread`` are
    the words of the claim that no fact which the predicate reads explains.
    """

    fixture: Fixture
    verdict: Verdict
    pred: bool | None = None
    reason: str = ""
    column: int | None = None
    hint: str = ""
    vacuity: Vacuity | None = None
    unread: tuple[str, ...] = ()


# -- what a claim speaks of ----------------------------------------------------------------------

_SMALL = frozenset(
    "a an the is are was were it its this that of for with to in on and we our".split()
)
_WORD = late(r"[^\W_]+(?:\.\d+)?")


def _said(text: str) -> str:
    """The words of a text in one form, with a space at both ends."""
    return f" {' '.join(w.lower() for w in _WORD.findall(clean(text)))} "


def speaks_of(claim: str, world: World) -> dict[str, frozenset[str]]:
    """Return the words of a claim that speak of facts, each with the facts that it may mean.

    A claim speaks of a fact by the words of its name, by the words that the facts file lists for
    it, and by its value.

    >>> world = World({"held_out": False, "claimed_acc": 0.91}, {"claimed_acc": ("accuracy",)})
    >>> spoken = speaks_of("held-out accuracy of 91 %", world)
    >>> {word: sorted(facts) for word, facts in spoken.items()}
    {'held out': ['held_out'], 'accuracy': ['claimed_acc'], '91 %': ['claimed_acc']}
    """
    said = _said(claim)
    found: dict[str, set[str]] = {}
    for name, value in world.facts.items():
        for word in (*_name_forms(name), *map(_plain, world.words.get(name, ()))):
            if word and f" {word} " in said:
                found.setdefault(word, set()).add(name)
        text = _plain(value) if isinstance(value, str) else ""
        if len(text) < 2 or text in _SMALL:
            continue  # "a", "of": a value that short speaks only beside the fact's name
        joined = text.replace(" ", "")
        if f" {text} " in said or (len(joined) >= 6 and f" {joined} " in said):
            found.setdefault(text, set()).add(name)
    for text, number in _numbers(claim):
        for name, value in world.facts.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                near = abs(number - value) <= 1e-12 * max(1.0, abs(value))
                if near:
                    found.setdefault(text, set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


_DIGITS = late(
    r"(?<![\w.\-/])(\d[\d,]*(?:\.\d+)?|\.\d+)(?:e([+-]?\d{1,3}))?"
    r"\s?(%|per ?cent\b|pct\b)?(?!\w)",
    re.I,
)
_LABEL = late(r"\b(?:table|figure|fig|section|page|step|version|row|line|item|no)\.? ?$", re.I)


def _numbers(claim: str) -> Iterator[tuple[str, float]]:
    """The numbers of a claim, in digits and in words: ``.91``, ``3e-4``, ``91 %``, ``three``.

    ``top-3`` and ``table 3`` name something else.
    """
    text = clean(claim)
    for match in _DIGITS.finditer(text):
        if _LABEL.search(text, max(0, match.start() - 12), match.start()):
            continue
        digits, exponent, percent = match.groups()
        value = float(digits.replace(",", "")) * 10.0 ** int(exponent or 0)
        yield (f"{digits} %", value / 100) if percent else (match.group().strip(), value)
    for mention in numbers(text):
        if mention.text[:1].isalpha():
            yield mention.text, mention.value


def _plain(text: str) -> str:
    return _said(text).strip()


def _name_forms(name: str) -> tuple[str, ...]:
    """A name in words, and its singular or plural: ``learningRate``, ``train_rows``."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()
    forms = [spaced, spaced.replace(" ", "")]
    if spaced.endswith("ies"):
        forms.append(spaced[:-3] + "y")
    elif spaced.endswith(("ses", "xes", "ches", "shes")):
        forms += [spaced[:-2], spaced[:-1]]
    elif spaced.endswith("s"):
        forms.append(spaced[:-1])
    elif spaced.endswith(("x", "ch", "sh")):
        forms.append(spaced + "es")
    else:
        forms += [spaced + "s", spaced[:-1] + "ies"] if spaced.endswith("y") else [spaced + "s"]
    return tuple(dict.fromkeys(forms))


def unread_words(claim: str, world: World, read: frozenset[str]) -> tuple[str, ...]:
    """Return the words of a claim that no fact which is read explains."""
    spoken = speaks_of(claim, world)
    return tuple(word for word, names in spoken.items() if not names & read)


_FIELDS: Final[Mapping[str, type]] = MappingProxyType(
    {"tag": str, "claim": str, "nl_says": bool, "predicate": str}
)
_KINDS: Final[Mapping[type, str]] = MappingProxyType({str: "text", bool: "true or false"})


# -- the two juries ------------------------------------------------------------------------------


def decide(fixture: Fixture, world: World) -> Finding:
    """Return the jury's verdict on one fixture: the first of :data:`VERDICTS` that applies."""
    if wrong := _wrong_row(fixture):
        return Finding(fixture, "unsafe", reason=wrong)
    try:
        predicate = Predicate.parse(fixture.predicate, world.facts)
        vacuity = predicate.vacuity()
        if vacuity.kind in ("always_true", "always_false"):
            echo: Verdict = "echo_true" if vacuity.kind == "always_true" else "echo_false"
            return Finding(fixture, echo, vacuity=vacuity)
        pred = predicate.holds(world.facts)
    except UnsafePredicate as refusal:
        return _refused(fixture, refusal)
    if pred != fixture.nl_says:
        return Finding(fixture, "cross_fail", pred, vacuity=vacuity)
    if vacuity.kind == "undecided":
        return Finding(fixture, "undecided", pred, vacuity=vacuity)
    unread = unread_words(fixture.claim, world, reads(predicate))
    if unread:
        return Finding(fixture, "loose", pred, vacuity=vacuity, unread=unread)
    return Finding(fixture, "locked_pass" if pred else "locked_reject", pred, vacuity=vacuity)


def _wrong_row(fixture: Fixture) -> str:
    """What is wrong with a fixture that was made in Python, where nobody checked its types."""
    for name, kind in _FIELDS.items():
        if type(getattr(fixture, name)) is not kind:
            return f"field {name}: expected {_KINDS[kind]}, got {getattr(fixture, name)!r:.60}"
    return ""


def _refused(fixture: Fixture, refusal: UnsafePredicate) -> Finding:
    return Finding(
        fixture, "unsafe", reason=refusal.reason, column=refusal.column, hint=refusal.hint
    )


def names_only(fixture: Fixture, world: World) -> Finding:
    """The first jury: a predicate is locked when the name of a fact occurs in it.

    It gives a medal to ``held_out == held_out`` and to ``… or True``. Kept for lesson 2.
    """
    if wrong := _wrong_row(fixture):
        return Finding(fixture, "unsafe", reason=wrong)
    try:
        predicate = Predicate.parse(fixture.predicate, world.facts)
        pred = predicate.holds(world.facts)
    except UnsafePredicate as refusal:
        return _refused(fixture, refusal)
    if not predicate.names:
        return Finding(fixture, "echo_true" if pred else "echo_false")
    if pred != fixture.nl_says:
        return Finding(fixture, "cross_fail", pred)
    return Finding(fixture, "locked_pass" if pred else "locked_reject", pred)


Jury = Callable[[Fixture, World], Finding]


# -- the report ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class JuryReport(Report):
    """The verdicts on all fixtures, and the sentences of the recap that have none."""

    findings: tuple[Finding, ...]
    unjudged: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether there are rows, each is locked, and each sentence of the recap has one."""
        locked = all(f.verdict in LOCKED for f in self.findings)
        return bool(self.findings) and locked and not self.unjudged

    def result(self) -> str:
        """Return the RESULT line: what is not locked, counted in the order of the verdicts."""
        counts = [
            f"{sum(f.verdict == name for f in self.findings)} {name}"
            for name in VERDICTS
            if name not in LOCKED and any(f.verdict == name for f in self.findings)
        ]
        if self.unjudged:
            counts.append(f"{len(self.unjudged)} unjudged")
        if not self.findings:
            counts.append("nothing judged")
        told = f" ({', '.join(counts)})" if counts else ""
        return f"RESULT: {pass_or_fail(self.passed)}{told}"

    def text(self) -> str:
        """Return the documented text: a line a fixture, a line an unjudged sentence, RESULT."""
        lines = [_line(finding) for finding in self.findings]
        lines += [f"-  {'unjudged':<13}  sentence={sentence!r}" for sentence in self.unjudged]
        return "\n".join([*lines, "", self.result()])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a fixture, then one an unjudged sentence."""
        rows = [_record(finding) for finding in self.findings]
        empty = dict.fromkeys(rows[0] if rows else ("tag", "verdict", "claim"))
        return rows + [{**empty, "verdict": "unjudged", "claim": s} for s in self.unjudged]


def _line(finding: Finding) -> str:
    fixture = finding.fixture
    start = f"{flat(str(fixture.tag))}  {finding.verdict:<13}  "
    if finding.verdict == "unsafe":
        return f"{start}reason={flat(finding.reason)}"
    pred = "skipped" if finding.pred is None else str(finding.pred)
    nl = f"nl={fixture.nl_says}"
    return f"{start}{nl:<8}  pred={pred:<7}  claim={fixture.claim!r}"


def _record(finding: Finding) -> dict[str, Any]:
    fixture, vacuity = finding.fixture, finding.vacuity
    return {
        "tag": fixture.tag,
        "verdict": finding.verdict,
        "nl_says": fixture.nl_says,
        "pred": finding.pred,
        "claim": fixture.claim,
        "predicate": fixture.predicate,
        "reason": finding.reason or None,
        "column": finding.column,
        "holds_when": vacuity.holds_when if vacuity else None,
        "fails_when": vacuity.fails_when if vacuity else None,
        "unread": list(finding.unread),
    }


def judge(
    fixtures: Iterable[Fixture],
    facts: World | Facts,
    recap: str | None = None,
    jury: Jury = decide,
) -> JuryReport:
    """Return the jury's report over fixtures; one bad row never ends it.

    ``facts`` is a mapping, or a :class:`World` where words are listed for facts. With ``recap``, a
    text, its sentences that no fixture's claim covers are listed as ``unjudged``.

    Raises InputError for facts that are none: a list, NaN, a name that is a word of the language.
    """
    world = facts if isinstance(facts, World) else World(facts, {})
    check_facts(world.facts)
    rows = tuple(fixtures)
    unjudged = () if recap is None else tuple(_unjudged(recap, rows, world))
    return JuryReport(tuple(jury(fixture, world) for fixture in rows), unjudged)


def _unjudged(recap: str, fixtures: Sequence[Fixture], world: World) -> Iterable[str]:
    """The sentences of a recap that no claim covers; a question may carry one as well."""
    for span in split_claims(recap.replace("?", ".")):
        words = set(_said(span.text).split()) - _SMALL
        if words and not any(_covers(fixture.claim, span.text, world) for fixture in fixtures):
            yield span.text


_DENIES = late(r"\b(?:not|no|never|none|nothing|nor|neither|without|cannot|\w+n't)\b", re.I)
_MOST_MORE = 3
"""How many words of its own a covered sentence may have beside the claim's."""


def _covers(claim: str, sentence: str, world: World) -> bool:
    """Whether a sentence says what a claim says and no more: no other fact, number or denial."""
    claimed = set(_said(claim).split()) - _SMALL
    words = set(_said(sentence).split()) - _SMALL
    if bool(_DENIES.search(claim)) != bool(_DENIES.search(sentence)):
        return False
    more = words - claimed
    if not claimed <= words or len(more) > _MOST_MORE or any(c.isdigit() for w in more for c in w):
        return False
    return set(speaks_of(sentence, world)) <= set(speaks_of(claim, world))


# -- files ---------------------------------------------------------------------------------------


def check_facts(facts: Facts, place: str = "facts") -> None:
    """Raise InputError when something among the facts cannot be one."""
    if not isinstance(facts, Mapping):
        raise InputError(f"{place}: expected a mapping of facts, got {facts!r:.60}")
    for name, value in facts.items():
        if wrong := wrong_fact(name, value):
            raise InputError(f"{place}: {wrong}")


def read_world(path: str | Path) -> World:
    """Return facts from a JSON or TOML file: a mapping, or tables ``facts`` and ``words``."""
    place = str(path)
    if Path(path).suffix.lower() == ".toml":
        document: Any = read_toml(path)
    else:
        document = parse_json(read_text(path), place)
    if not isinstance(document, dict):
        raise InputError(f"{place}: expected an object of facts, got {document!r:.60}")
    tables = isinstance(document.get("facts"), dict)
    facts = document["facts"] if tables else document
    words = document.get("words", {}) if tables else {}
    if tables and (extra := sorted(set(document) - {"facts", "words"})):
        raise InputError(f"{place}: field {extra[0]!r}: expected only facts and words")
    check_facts(facts, place)
    if not isinstance(words, dict):
        raise InputError(f"{place}: words: expected a table of lists, got {words!r:.60}")
    for name, given in words.items():
        if name not in facts:
            raise InputError(f"{place}: words of {name!r}: there is no such fact")
        if not isinstance(given, list) or not all(isinstance(w, str) and w.strip() for w in given):
            raise InputError(f"{place}: words of {name!r}: expected a list of words")
    return World(MappingProxyType(dict(facts)), {n: tuple(w) for n, w in words.items()})


def read_fixtures(path: str | Path) -> tuple[Fixture, ...]:
    """Return the fixtures of a JSON Lines (or JSON, TOML) file.

    Raises InputError for a field that is missing, of another type, or not known.
    """
    return tuple(read_unique(path, _fixture, "tag").values())


def _fixture(record: Record) -> Fixture:
    for name, kind in _FIELDS.items():
        if name not in record.fields:
            raise InputError(f"{record.place}: field {name!r} is missing")
        if not isinstance(record.fields[name], kind):
            raise InputError(
                f"{record.place}: field {name!r}: expected {_KINDS[kind]}, "
                f"got {record.fields[name]!r:.60}"
            )
    if extra := sorted(set(record.fields) - set(_FIELDS)):
        raise InputError(f"{record.place}: field {extra[0]!r} is not one of {', '.join(_FIELDS)}")
    tag = record.fields["tag"]
    if not tag.strip() or "," in tag or tag != tag.strip() or not tag.isprintable():
        raise InputError(f"{record.place}: tag {tag!r:.60}: expected a short name without commas")
    return Fixture(**{name: record.fields[name] for name in _FIELDS})


@lru_cache(maxsize=1)
def training_run() -> World:
    """Return the course's own facts: the notes of one training run."""
    return read_world(DATA / "jury_facts.toml")


@lru_cache(maxsize=1)
def jury_fixtures() -> tuple[Fixture, ...]:
    """Return the course's own fixtures, A to K."""
    return read_fixtures(DATA / "jury_fixtures.jsonl")


def recap() -> str:
    """Return the bot's own summary of the training run: five claims, the fifth has no fixture."""
    return read_text(DATA / "jury_recap.txt").strip()
