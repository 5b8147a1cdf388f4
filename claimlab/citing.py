"""Which ids a claim cites: those of its expression, of its clause, or only named nearby."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from claimlab.identifiers import Identifier, find_identifiers
from claimlab.late import late
from claimlab.lexicon import Mention, Reader, Reading
from claimlab.order_world import World


def cited_ids(
    reply: str, reading: Reading, world: World, read: Reader
) -> list[tuple[Mention, tuple[str, ...]]]:
    """Each asserted claim with the ids that it cites.

    An id belongs to the claim in whose expression it stands, else to the last one before it in
    its clause, else to the first after it. A claim without one has those that are only named
    nearby: "order number: 17", the lines of a list.
    """
    of = world.domain
    found = find_identifiers(reply, world.ids, of.regions, of.id_shape)
    if any(one.value not in world.ids and not one.named for one in found):
        others = world.others()
        found = [o for o in found if o.named or o.value in world.ids or o.value not in others]
    by_clause: dict[int, list[Identifier]] = {}
    for one in found:
        number = _clause_of(one, reading.clauses)
        if number is not None:
            by_clause.setdefault(number, []).append(one)
    owners: dict[int, list[Mention]] = {}
    for mention in reading.mentions:
        owners.setdefault(mention.number, []).append(mention)
    named: dict[Mention, list[str]] = {mention: [] for mention in reading.asserted}
    citing_kinds = {action.kind for action in of.actions if action.id_keys}
    for number, mentions in owners.items():
        for one in by_clause.get(number, ()):
            for owner in _owners(one, [m for m in mentions if m.kind in citing_kinds]):
                if owner in named:
                    named[owner].append(one.value)
    for mention, ids in named.items():
        if not ids and mention.kind in citing_kinds:
            ids += _named_nearby(reply, mention, reading, found, read)
    citing = {mention.kind for mention, ids in named.items() if ids}
    return [
        (mention, tuple(dict.fromkeys(ids)))
        for mention, ids in named.items()
        if ids or mention.kind not in citing
    ]


def _clause_of(one: Identifier, clauses: Sequence[tuple[int, int]]) -> int | None:
    number = bisect_right(clauses, one.start, key=lambda place: place[1])
    return number if number < len(clauses) and clauses[number][0] < one.end else None


def _owners(one: Identifier, mentions: Sequence[Mention]) -> Sequence[Mention]:
    """The claims of a clause that an id of that clause belongs to."""
    within = [m for m in mentions if m.span.start <= one.start < m.span.end]
    before = [m for m in mentions if m.span.start <= one.start]
    return within or before[-1:] or mentions[:1]


_NAMES = frozenset({"number", "id", "no", "code", "reference", "ref", "confirmation"})
_ITEM = late(r"\s*(?:[-*•+–>]+|\d{1,2}[.)])\s")
_ENDS = frozenset(".!?;\n")
_NEAR = 120
"""How far before an id, in characters, its line may begin."""


def _between(found: Sequence[Identifier], start: int, end: int) -> Sequence[Identifier]:
    low = bisect_left(found, start, key=lambda one: one.start)
    return found[low : bisect_left(found, end, key=lambda one: one.start)]


def _named_nearby(
    reply: str, mention: Mention, reading: Reading, found: Sequence[Identifier], read: Reader
) -> list[str]:
    """The ids near a claim that are only named: "order number: 17", the lines of a list.

    Looked for up to the next clause that claims or asks something.
    """

    def only_named(start: int, end: int) -> set[str] | None:
        """The words before an id, or None where they say more than its name."""
        if end - start > _NEAR:
            return None
        said = {word.strip("*_`#-:.,;'\"()").lower() for word in reply[start:end].split()} - {""}
        said = {word for word in said if not word.isdigit()}
        return said if said <= read.labels else None

    named: list[str] = []
    clauses, acting = reading.clauses, reading.acting[mention.kind]
    at = bisect_left(acting, mention.number - 1)
    if mention.number and acting[at : at + 1] != (mention.number - 1,):
        start, end = clauses[mention.number - 1]
        if not _ENDS & set(reply[end : mention.clause.start]):
            for one in _between(found, start, end):
                named += [one.value] if only_named(start, one.start) is not None else []
    after = bisect_right(acting, mention.number)
    stop = clauses[acting[after]][0] if after < len(acting) else len(reply)
    in_row, row_end = True, mention.clause.end
    for one in _between(found, mention.clause.end, stop):
        near = max(mention.clause.end, one.start - _NEAR - 1)
        line = max(reply.rfind("\n", near, one.start) + 1, near)
        words = only_named(line, one.start)
        if line > row_end:  # the lines between must be such items as well, or hold no word
            between = reply[row_end:line].splitlines()[1:]
            in_row = in_row and not any(map(str.strip, between))
        item = line == mention.clause.end or bool(_ITEM.match(reply, line))
        in_row = in_row and item
        sentence_ends = line == mention.clause.end and bool(_ENDS & set(reply[line : one.start]))
        if words is not None and (words & _NAMES or (in_row and not sentence_ends)):
            named.append(one.value)
        if one.end >= row_end:
            end = reply.find("\n", one.end)
            row_end = len(reply) if end < 0 else end
    return named
