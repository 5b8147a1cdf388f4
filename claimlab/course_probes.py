"""The course's own judges, probed: every judge of lessons 1 to 5, from polite to strict.

The worlds are data (``data/probe_worlds.toml``), the mutants are made from them, and the figures
are computed each time. What the final judges get wrong has to be listed in
``data/probe_known.toml``, each with the lesson that shows it under its limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from claimlab.errors import InputError
from claimlab.files import DATA, Record, check_names, check_texts, read_records, read_toml
from claimlab.handbook import Source, handbook
from claimlab.jury import Fixture, decide, names_only, training_run
from claimlab.ledger import JUDGES, judge_claim
from claimlab.mutants import (
    FactClaim,
    RowClaim,
    SourceClaim,
    TraceClaim,
    fact_mutants,
    predicate_mutants,
    row_mutants,
    source_mutants,
    trace_mutants,
    wording_mutants,
)
from claimlab.orders import (
    Classification,
    asserts_order_exists,
    classify,
    first_reading,
    version_one,
)
from claimlab.probe import AS_IT_IS, Mutant, ProbeReport, probe
from claimlab.report import Report, flat, verdict
from claimlab.templates import check_conditions, render_template, templates_baseline
from claimlab.trace import ToolCall


class Known(NamedTuple):
    """A limit that is documented: which judge gets which change wrong, where, and why."""

    judge: str
    change: str
    lesson: int
    why: str


@dataclass(frozen=True)
class Probed:
    """One judge and what it did, ``final`` when the lab ends with it."""

    lab: str
    judge: str
    final: bool
    report: ProbeReport[Any]


# -- the worlds ----------------------------------------------------------------------------------


class TaggedWorld(NamedTuple):
    """A world with its mutants, and how a report calls it; wordings speak for themselves."""

    tag: str
    world: Any
    mutants: tuple[Mutant[Any], ...]


@lru_cache(maxsize=1)
def _given() -> Mapping[str, list[dict[str, Any]]]:
    return read_toml(DATA / "probe_worlds.toml")


def _rows() -> Iterator[TaggedWorld]:
    rows = {row["code"]: row for row in _given()["row"]}
    for number, given in enumerate(_given()["claim"], 1):
        row = rows[given["code"]]
        world = RowClaim(given["claim"], row, frozenset(given["about"]))
        others = [other for other in rows.values() if other is not row]
        yield TaggedWorld(given["claim"], world, row_mutants(world, others, seed=number))


def _facts() -> Iterator[TaggedWorld]:
    for given in _given()["fact"]:
        notes = training_run()
        notes = replace(notes, facts={**notes.facts, **given.get("facts", {})})
        fixture = Fixture("", given["claim"], True, given["predicate"])
        world = FactClaim(fixture, notes, given["truth"])
        yield TaggedWorld(given["claim"], world, (*fact_mutants(world), *predicate_mutants(world)))


def _sources() -> Iterator[TaggedWorld]:
    packet = tuple(handbook().values())
    for number, given in enumerate(_given()["source"], 1):
        name = given["question_id"]
        world = SourceClaim(name, templates_baseline()[name].source_id, packet)
        yield TaggedWorld(name, world, source_mutants(world, seed=number))


def _drafts() -> Iterator[TaggedWorld]:
    for given in _given()["draft"]:
        name = given["question_id"]
        drafts = tuple(
            Mutant(one.kind, one.name, (name, one.world), one.healthy)
            for one in wording_mutants(given["broken"], given["same"])
        )
        yield TaggedWorld("", (name, templates_baseline()[name].claim), drafts)


def _traces() -> Iterator[TaggedWorld]:
    for given in _given()["trace"]:
        calls = tuple(ToolCall(**call) for call in given.get("call", ()))
        cites = given.get("cites", True)
        world = TraceClaim(given["reply"], calls, given.get("backing"), cites)
        yield TaggedWorld(given["reply"], world, trace_mutants(world))


def _wordings() -> Iterator[TaggedWorld]:
    for given in _given()["wording"]:
        mutants = wording_mutants(given["broken"], given["same"])
        yield TaggedWorld("", given["text"], mutants)


# -- the judges, as checks -----------------------------------------------------------------------


Check = Callable[..., object]
"""What is probed: it takes what a lab's worlds give it and returns whether the claim passes."""


def _ledger(judge: str) -> Check:
    return lambda claim, row: judge_claim(claim, row, judge).source == "TOOL"


def _cited(question_id: str, packet: tuple[Source, ...]) -> bool:
    template = templates_baseline()[question_id]
    return any(source.id == template.source_id for source in packet)


def _labelled(question_id: str, packet: tuple[Source, ...]) -> bool:
    template = templates_baseline()[question_id]
    reviewed = (template.source_id, template.identifier, template.version)
    return any((one.id, one.identifier, one.version) == reviewed for one in packet)


def _backed(found: Classification) -> bool:
    return found.label in ("valid", "valid_status_ref", "no_claim")


class Lab(NamedTuple):
    """What is probed together: worlds, what a check is called with, the judges.

    ``judges`` go from polite to strict, and the last one is final.
    """

    worlds: Callable[[], Iterator[TaggedWorld]]
    arguments: Callable[[Any], tuple[Any, ...]]
    judges: Mapping[str, Check]


LABS: Final[Mapping[str, Lab]] = {
    "rows": Lab(
        _rows,
        lambda world: (world.claim, world.row),
        {name: _ledger(name) for name in JUDGES},
    ),
    "facts": Lab(
        _facts,
        lambda world: (world.fixture, world.facts),
        {
            "self-grade": lambda fixture, world: fixture.nl_says,
            "names_only": lambda fixture, world: (
                names_only(fixture, world).verdict == "locked_pass"
            ),
            "decide": lambda fixture, world: decide(fixture, world).verdict == "locked_pass",
        },
    ),
    "sources": Lab(
        _sources,
        lambda world: (world.question_id, world.packet),
        {
            "cited": _cited,
            "labelled": _labelled,
            "render_template": lambda name, packet: (
                render_template(name, packet).answer is not None
            ),
        },
    ),
    "drafts": Lab(
        _drafts,
        lambda world: world,
        {
            "check_conditions": lambda name, draft: (
                not check_conditions(templates_baseline()[name], draft)
            ),
        },
    ),
    "traces": Lab(
        _traces,
        lambda world: (world.reply, world.calls),
        {
            "version_one": lambda reply, calls: not version_one(reply, calls),
            "first_reading": lambda reply, calls: _backed(first_reading(reply, calls)),
            "classify": lambda reply, calls: _backed(classify(reply, calls)),
        },
    ),
    "wordings": Lab(
        _wordings,
        lambda world: (world,),
        {
            "a claim word": lambda text: version_one(text),
            "asserts_order_exists": lambda text: bool(asserts_order_exists(text)),
        },
    ),
}
"""What is probed: rows (lesson 1), facts (2), sources and drafts (3), traces (4), wordings (5)."""


def worlds(lab: str) -> tuple[TaggedWorld, ...]:
    """Return the worlds of a lab, each with its mutants. Raises InputError for a lab that is none.

    >>> [one.tag for one in worlds("sources")]
    ['q-renew', 'q-loan-period', 'q-weekday-hours']
    """
    if lab not in LABS:
        raise InputError(f"lab: expected some of {', '.join(LABS)}, got {lab!r:.60}")
    return tuple(LABS[lab].worlds())


# -- the table -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class CourseProbe(Report):
    """What every judge did, and which limits are documented.

    It passes when each final judge is wrong exactly where a documented limit says so.
    """

    rows: tuple[Probed, ...]
    known: tuple[Known, ...]

    def undocumented(self) -> tuple[tuple[str, str], ...]:
        """Return what final judges get wrong and no limit documents: judge and change."""
        listed = {(one.judge, one.change) for one in self.known}
        wrong = [(row.judge, name) for row in self.rows if row.final for name in _changes(row)]
        return tuple(dict.fromkeys(pair for pair in wrong if pair not in listed))

    def outdated(self) -> tuple[Known, ...]:
        """Return the documented limits that none of the probed judges has any more."""
        probed = {row.judge for row in self.rows}
        wrong = {(row.judge, name) for row in self.rows for name in _changes(row)}
        return tuple(
            one for one in self.known
            if one.judge in probed and (one.judge, one.change) not in wrong
        )  # fmt: skip

    @property
    def passed(self) -> bool:
        """Whether the final judges are wrong only where it is documented, and there."""
        return not self.undocumented() and not self.outdated()

    def text(self) -> str:
        """Return the table, then each change that a final judge got wrong."""
        lines = [f"{'':<10} {'judge':<22} {'killed':>10} {'spared':>10}"]
        for row in self.rows:
            score = row.report.score
            killed = f"{score.killed} of {score.mutants}"
            spared = f"{score.spared} of {score.healthy}"
            mark = "  final" if row.final else ""
            lines.append(f"{row.lab:<10} {row.judge:<22} {killed:>10} {spared:>10}{mark}")
        listed = {(one.judge, one.change): one for one in self.known}
        for row in self.rows:
            if row.final and (wrong := row.report.wrong()):
                lines += ["", f"{row.judge}:"]
                for mutant, line in wrong:
                    limit = listed.get((row.judge, mutant.name))
                    told = f"known, lesson {limit.lesson}: {limit.why}" if limit else "UNDOCUMENTED"
                    lines += [f"  {line}", f"               {told}"]
        for one in self.outdated():
            lines += ["", f"{one.judge}: documented, and no longer so: {flat(one.change)}"]
        return "\n".join([*lines, "", f"RESULT: {verdict(self.passed)}"])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict a judge and kind of change: how many, and how many it got right."""
        return [
            {"lab": row.lab, "judge": row.judge, "final": row.final, **counts}
            for row in self.rows
            for counts in by_kind(row.report)
        ]


def _changes(row: Probed) -> list[str]:
    """The changes that a judge got wrong, in words."""
    return [mutant.name for mutant, _ in row.report.wrong()]


def probe_reading(course: CourseProbe) -> str:
    """Return the heat map in one line: each judge's two shares."""
    scores = [(row.judge, row.report.score) for row in course.rows]
    parts = [f"{j} kills {s.killed / s.mutants:.0%}, spares {s.spared / s.healthy:.0%}"
             for j, s in scores]  # fmt: skip
    return "; ".join(parts) + "."


def by_kind(report: ProbeReport[Any]) -> list[dict[str, Any]]:
    """Return a dict a kind of change: its name, whether healthy, how many worlds, how many right.

    >>> from claimlab.probe import Mutant
    >>> report = probe(bool, 1, [Mutant("zero", "it is 0", 0), Mutant("two", "it is 2", 2)])
    >>> [(row["kind"], row["right"], row["worlds"]) for row in by_kind(report)]
    [('as it is', 1, 1), ('zero', 1, 1), ('two', 0, 1)]
    """
    counts: dict[tuple[str, bool], list[int]] = {}
    for row in report.to_records():
        found = counts.setdefault((row["kind"], row["healthy"]), [0, 0])
        found[0] += row["did"] in ("killed", "spared")
        found[1] += 1
    kinds = sorted(counts, key=lambda pair: (not pair[1], pair[0] != AS_IT_IS))
    return [
        {"kind": kind, "healthy": healthy, "worlds": counts[kind, healthy][1],
         "right": counts[kind, healthy][0]}
        for kind, healthy in kinds
    ]  # fmt: skip


def probe_course(
    labs: Iterable[str] = LABS, progress: Callable[[list[Any]], Iterable[Any]] = iter
) -> CourseProbe:
    """Return the course's judges, probed. ``progress`` goes over the judges, to show how far it is.

    Raises InputError for a lab that is none.
    """
    judges = [
        (lab, found, name, name == list(LABS[lab].judges)[-1])
        for lab, found in [(lab, worlds(lab)) for lab in labs]
        for name in LABS[lab].judges
    ]
    rows = [
        Probed(lab, name, final, _probe_worlds(found, LABS[lab], LABS[lab].judges[name], name))
        for lab, found, name, final in progress(judges)
    ]
    return CourseProbe(tuple(rows), known_limits())


def probe_lab(lab: str, check: Check, name: str) -> ProbeReport[Any]:
    """Return what a check does in all the worlds of a lab; docs/probing.md says what it is given.

    >>> print(probe_lab("wordings", lambda text: False, "always FAIL").score)
    killed 15 of 15, spared 0 of 10
    """
    return _probe_worlds(worlds(lab), LABS[lab], check, name)


def _probe_worlds(
    found: Iterable[TaggedWorld], lab: Lab, check: Check, name: str
) -> ProbeReport[Any]:
    def checked(world: Any) -> object:
        given = deepcopy(lab.arguments(world))  # a check that empties a row spoils its own only
        return check(*given)

    return joined(name, [_named(one, probe(checked, one.world, one.mutants)) for one in found])


def _named(one: TaggedWorld, report: ProbeReport[Any]) -> ProbeReport[Any]:
    """The report with each change named together with its world."""

    def told(mutant: Mutant[Any]) -> Mutant[Any]:
        return replace(mutant, name=f"{one.tag}: {mutant.name}") if one.tag else mutant

    return replace(
        report,
        killed=tuple(map(told, report.killed)),
        survived=tuple(map(told, report.survived)),
        spared=tuple(map(told, report.spared)),
        false_alarms=tuple(map(told, report.false_alarms)),
        crashed=tuple(crash._replace(mutant=told(crash.mutant)) for crash in report.crashed),
    )


def joined(name: str, reports: Iterable[ProbeReport[Any]]) -> ProbeReport[Any]:
    """Return one report of several, over all their worlds.

    >>> from claimlab.probe import Mutant
    >>> one = probe(bool, 1, [Mutant("zero", "it is 0", 0)])
    >>> print(joined("bool, twice", [one, one]))
    bool, twice: killed 2 of 2, spared 2 of 2
    """
    found = list(reports)
    groups = ("killed", "survived", "spared", "false_alarms", "crashed")
    parts: dict[str, Any] = {
        group: tuple(one for report in found for one in getattr(report, group)) for group in groups
    }
    return ProbeReport(name, **parts)


@lru_cache(maxsize=1)
def known_limits() -> tuple[Known, ...]:
    """Return the documented limits of the final judges."""

    def limit(record: Record) -> Known:
        given = record.fields
        check_names(given, Known._fields, record.place)
        check_texts({name: given[name] for name in Known._fields if name != "lesson"}, record.place)
        return Known(**given)

    return tuple(map(limit, read_records(DATA / "probe_known.toml", empty=True)))
