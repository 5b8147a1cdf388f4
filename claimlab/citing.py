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
) -> list[tuple[int, tuple[str, ...]]]:
    """Each asserted claim, by its place among the mentions, with the ids that it cites.

    An id belongs to the claim in whose expression it stands, else to the last one before it in
    its clause, else to the first after it. A claim without one has those that are only named
    nearby: "order number: 17", the lines of a list.
    """
    of, mentions = world.domain, reading.mentions
    found = find_identifiers(reply, world.ids, of.regions, of.id_shape)
    if any(one.value not in world.ids and not one.named for one in found):
        others = world.others()
        found = [o for o in found if o.named or o.value in world.ids or o.value not in others]
    citing_kinds = {action.kind for action in of.actions if action.id_keys}
    by_clause: dict[int, list[int]] = {}
    for place, mention in enumerate(mentions):
        if mention.kind in citing_kinds:
            by_clause.setdefault(mention.number, []).append(place)
    named: list[list[str]] = [[] for _ in mentions]
    for one in found:
        number = _clause_of(one, reading.clauses)
        for owner in _owners(one, mentions, by_clause.get(number, ())):
            named[owner].append(one.value)
    asserted = [place for place, mention in enumerate(mentions) if mention.cancelled is None]
    for place in asserted:
        if not named[place] and mentions[place].kind in citing_kinds:
            named[place] = _named_nearby(reply, mentions[place], reading, found, read)
    citing = {mentions[place].kind for place in asserted if named[place]}
    return [
        (place, tuple(dict.fromkeys(named[place])))
        for place in asserted
        if named[place] or mentions[place].kind not in citing
    ]


def _clause_of(one: Identifier, clauses: Sequence[tuple[int, int]]) -> int:
    """The number of the clause that holds an id, -1 where none does."""
    number = bisect_right(clauses, one.start, key=lambda place: place[1])
    return number if number < len(clauses) and clauses[number][0] < one.end else -1


def _owners(one: Identifier, mentions: Sequence[Mention], places: Sequence[int]) -> Sequence[int]:
    """The claims of a clause, given by their places, that an id of that clause belongs to."""
    before = [place for place in places if mentions[place].span.start <= one.start]
    within = [place for place in before if one.start < mentions[place].span.end]
    return within or before[-1:] or places[:1]


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
