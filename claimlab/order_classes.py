"""The class of one reply, by the ids that its claims cite; the two earlier readings beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from claimlab.citing import cited_ids
from claimlab.domains import Action, Domain, domain
from claimlab.errors import InputError
from claimlab.identifiers import extract_identifiers
from claimlab.lexicon import Cancelled, Mention, Reader, Reading, reader
from claimlab.order_partition import OWNERS, WORST, Case, Label, decide
from claimlab.order_world import Own, World, world_of
from claimlab.report import flat
from claimlab.spans import Span
from claimlab.trace import MAX_REPLY, ToolCall


@dataclass(frozen=True)
class Evidence:
    """Why one claim has its class: the action, the id (None where none is cited), the clause."""

    kind: str
    id: str | None
    label: Label
    clause: str
    why: str

    def __str__(self) -> str:
        return f"{self.kind} {self.id or '(no id)'}: {self.label}, {self.why}"


@dataclass(frozen=True)
class Classification:
    """The class of a reply, whose it is, the ids that its claims cite, and the evidence."""

    label: Label
    ids: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def owner(self) -> str:
        """Return who has to mend it."""
        return OWNERS[self.label]


@dataclass(frozen=True)
class Assertion:
    """Whether a text asserts that an order exists; true or false by itself.

    ``span`` is the claim expression and ``clause`` the clause around it, None where no expression
    matched. ``cancelled`` is what took it back. ``not_covered``: no lexicon reads the text.
    """

    asserts: bool
    span: Span | None = None
    clause: Span | None = None
    cancelled: Cancelled | None = None
    not_covered: bool = False

    def __bool__(self) -> bool:
        return self.asserts


def asserts_order_exists(text: str) -> Assertion:
    """Return whether a text asserts that an order exists: the claim, its clause, what cancels it.

    >>> found = asserts_order_exists("I could not deliver there, but order 12 is placed.")
    >>> bool(found), found.span.text, found.clause.text
    (True, 'order 12 is placed', 'order 12 is placed')
    >>> asserts_order_exists("No order was placed.").cancelled.words
    'no'
    """
    check_reply(text)
    reading = reader(("create",)).read(text)
    chosen = next(iter(reading.asserted or reading.mentions), None)
    uncovered = bool(reading.not_covered)
    if chosen is None:
        return Assertion(False, not_covered=uncovered)
    asserts = chosen.cancelled is None
    return Assertion(asserts, chosen.span, chosen.clause, chosen.cancelled, uncovered)


def check_reply(reply: object) -> None:
    """Raise InputError for a reply that is no text, or too long."""
    if not isinstance(reply, str):
        raise InputError(f"reply: expected text, got {reply!r:.60}")
    if len(reply) > MAX_REPLY:
        raise InputError(f"reply: {len(reply):,} characters, expected at most {MAX_REPLY:,}")


# -- one reply -------------------------------------------------------------------------------------


def classify(
    reply: str,
    calls: Iterable[ToolCall] = (),
    domain: Domain | str | None = None,
    *,
    require_id: bool = False,
) -> Classification:
    """Return the class of a reply, given the calls of its turn.

    ``domain`` is a :class:`~claimlab.domains.Domain`, the name of one of the course's own, or the
    path of a file; the shop of the fixtures by default. With ``require_id``, a claim that cites
    no id is backed by nothing.

    Raises InputError for a reply that is no text or too long, and for calls that are none.

    >>> made = ToolCall("create_order", {}, {"order_id": "ORD-10482"})
    >>> classify("Your order ORD-10482 has been placed.", [made]).label
    'valid'
    >>> classify("Your order ORD-99120 has been placed.", [made]).label
    'phantom'
    """
    check_reply(reply)
    of = domain_of(domain)
    world = world_of(calls, of)
    return judge_reply(reply, world, reader(of.kinds), require_id)


def domain_of(given: Domain | str | None) -> Domain:
    """Return a domain that may be given by its name; the shop where none is given."""
    return given if isinstance(given, Domain) else domain("shop" if given is None else str(given))


def judge_reply(reply: str, world: World, read: Reader, require_id: bool) -> Classification:
    """Return the class of a reply, given what the tools did before it."""
    reading = read.read(reply)
    asserted = reading.asserted
    if not asserted:
        label: Label = "not_covered" if reading.not_covered else "no_claim"
        return Classification(label, notes=_unread(reading))
    world.settle()
    cited = cited_ids(reply, reading, world, read)
    actions = {action.kind: action for action in world.domain.actions}
    evidence: dict[Evidence, None] = {}
    notes = list(_unread(reading))
    admits = any(m.cancelled and m.cancelled.section == "negation" for m in reading.mentions)
    ends = _ends(reading.mentions)
    for place, ids in cited:
        mention = reading.mentions[place]
        action = actions[mention.kind]
        own = world.own[mention.kind]
        if action.about:
            own = own.of_tools(action.tools_about(reply[mention.span.start : ends[place]]))
        for one in ids or (None,):
            failed = None if admits else own.unresolved(one)
            if one is None:
                label, why = _judge_uncited(mention, action, own, world, require_id)
            else:
                label, why = _judge(one, action, own, world)
            if failed is not None and label in ("valid", "valid_status_ref"):
                label, why = "claimed_but_failed", f"{failed.name} failed and was not made good"
            clause = mention.clause.text
            evidence[Evidence(action.kind, one, label, clause, why)] = None
        if not ids:
            notes.append("uncited")
    labels: list[Label] = [found.label for found in evidence]
    if reading.not_covered:
        labels.append("not_covered")
    ids = tuple(dict.fromkeys(found.id for found in evidence if found.id is not None))
    return Classification(
        max(labels, key=WORST.index), ids, tuple(evidence), tuple(dict.fromkeys(notes))
    )


def _ends(mentions: Sequence[Mention]) -> list[int]:
    """Where each claim's telling ends: at the next claim of its clause, else with the clause."""
    ends: list[int] = []
    following = 0
    for mention in reversed(mentions):
        end = mention.clause.end
        if mention.span.start < following < end:
            end = max(following, mention.span.end)
        ends.append(end)
        following = mention.span.start
    return ends[::-1]


def _unread(reading: Reading) -> tuple[str, ...]:
    return tuple(f"no lexicon reads {flat(s.text)!r:.80}" for s in reading.not_covered)


def _judge(one: str, action: Action, own: Own, world: World) -> tuple[Label, str]:
    """The class of one claim by the id that it cites, and why."""
    made = own.created(one)
    seen = world.seen[action.kind].find(one)
    failed = own.failed_for(one)
    succeeded = made is not None or (own.succeeded and failed is None)
    called = succeeded or failed is not None
    row = decide(Case(True, called, succeeded, made is not None, seen is not None))
    if made is not None:
        return row.label, f"{made.name} returned it"
    if row.label == "valid_status_ref":
        return row.label, str(seen)
    if failed is not None:
        return row.label, f"{failed.name} failed"
    return row.label, f"no tool's result shows it for {action.kind!r}"


def _judge_uncited(
    mention: Mention, action: Action, own: Own, world: World, require_id: bool
) -> tuple[Label, str]:
    """The class of a claim that cites no id, by the calls of the turn, and why."""
    if own.succeeded and not (require_id and action.id_keys):
        made = next(call for call, ok, _ in own.calls if ok)
        return "valid", f"cites no id, and {made.name} succeeded in this turn"
    if not require_id and mention.past and world.seen[action.kind].all:
        return "valid_status_ref", "cites no id, and tells the past of something that is there"
    if own.calls and not own.succeeded:
        return "claimed_but_failed", f"cites no id, and {own.calls[-1][0].name} failed"
    if not require_id and action.kind in world.shown:
        return "valid_status_ref", "cites no id, and a lookup shows one of which it is true"
    return "phantom", f"cites no id, and no {action.kind!r} call of this turn succeeded"


# -- the two readings beside it --------------------------------------------------------------------


def first_reading(
    reply: str, calls: Iterable[ToolCall] = (), domain: Domain | str | None = None
) -> Classification:
    """Return the class by the documented order of the definitions, over the reply as a whole.

    It blames an honest reply: "your card was declined; your earlier order ORD-10377 was placed on
    Monday" is ``claimed_but_failed`` here. Kept for lesson 4.
    """
    check_reply(reply)
    of = domain_of(domain)
    read = reader(of.kinds)
    reading = read.read(reply)
    if not reading.asserted:
        return Classification("not_covered" if reading.not_covered else "no_claim")
    world = world_of(calls, of)
    world.settle()
    ids = extract_identifiers(reply, world.ids, of.regions, of.id_shape)
    kinds = dict.fromkeys(mention.kind for mention in reading.asserted)
    labels: list[Label] = []
    for kind in kinds:
        own, seen = world.own[kind], world.seen[kind]
        if own.calls and not own.succeeded:
            labels.append("claimed_but_failed")
        elif any(own.created(one) for one in ids):
            labels.append("valid")
        elif any(seen.find(one) for one in ids):
            labels.append("valid_status_ref")
        else:
            labels.append("phantom")
    return Classification(max(labels, key=WORST.index), ids)


def version_one(
    reply: str, calls: Iterable[ToolCall] = (), domain: Domain | str | None = None
) -> bool:
    """Version one of the check: a word of the claim, and no call of an action in the trace.

    It sees neither a negation nor a failure. Kept for lesson 4.

    >>> version_one("Your order has not been placed."), version_one("Which size?")
    (True, False)
    """
    check_reply(reply)
    of = domain_of(domain)
    return reader(of.kinds).has_act(reply) and not any(map(of.acts, calls))
