"""The calls of a dialog so far: what each action did, and which ids tools showed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from claimlab.domains import Domain, fits
from claimlab.errors import InputError
from claimlab.identifiers import canonical, other_values, same_id
from claimlab.trace import ToolCall


class Ids:
    """Ids, found again with or without their prefix."""

    def __init__(self) -> None:
        self.all: dict[str, str] = {}  # the id: where it was seen
        self.plain: dict[str, list[str]] = {}

    def add(self, one: str, where: str) -> None:
        """Keep an id, and where it was seen."""
        if one not in self.all:
            self.plain.setdefault(one.rpartition("-")[2], []).append(one)
        self.all[one] = where

    def drop(self, one: str) -> None:
        """Forget an id."""
        if self.all.pop(one, None) is not None:
            self.plain[one.rpartition("-")[2]].remove(one)

    def find(self, one: str) -> str | None:
        """Where an id was seen, or None."""
        if one in self.all:
            return self.all[one]
        for other in self.plain.get(one.rpartition("-")[2], ()):
            if same_id(one, other):
                return self.all[other]
        return None


@dataclass
class Own:
    """What the calls of one action did since the last user message."""

    calls: list[tuple[ToolCall, bool, tuple[str, ...]]] = field(default_factory=list)

    @property
    def succeeded(self) -> bool:
        """Whether any of the calls succeeded."""
        return any(ok for _, ok, _ in self.calls)

    def of_tools(self, tools: tuple[str, ...]) -> Own:
        """The calls of some of its tools alone; of all where none is named."""
        if not tools or not self.succeeded:
            return self
        return Own([made for made in self.calls if fits(made[0].name, tools)])

    def created(self, one: str) -> ToolCall | None:
        """The first call that succeeded and returned an id, or None."""
        for call, ok, ids in self.calls:
            if ok and any(same_id(one, other) for other in ids):
                return call
        return None

    def failed_for(self, one: str) -> ToolCall | None:
        """The last call that failed, unless it names other ids alone."""
        for call, ok, ids in reversed(self.calls):
            if not ok and (not ids or any(same_id(one, other) for other in ids)):
                return call
        return None

    def unresolved(self, one: str | None) -> ToolCall | None:
        """A call that failed and was not made good by a later one of the same tool and target.

        Only where something else succeeded: a flight was changed, and its bags were not.
        """
        if not self.succeeded:
            return None
        last: dict[tuple[str, tuple[str, ...]], tuple[ToolCall, bool]] = {}
        for call, ok, ids in self.calls:
            if one is None or any(same_id(one, other) for other in ids):
                targets = tuple(held for held in ids if held in map(canonical, _texts(call.args)))
                last[call.name, targets] = call, ok
        return next((call for call, ok in last.values() if not ok), None)


def _texts(args: Mapping[str, Any]) -> Iterator[str]:
    return (value for value in args.values() if isinstance(value, str))


class World:
    """The calls of a dialog so far. A result is looked into when a claim asks for it."""

    def __init__(self, of: Domain) -> None:
        self.domain = of
        self.waiting: list[ToolCall] = []
        self.own: dict[str, Own] = {kind: Own() for kind in of.kinds}
        self.seen: dict[str, Ids] = {kind: Ids() for kind in of.kinds}
        self.done: dict[str, ToolCall] = {}  # by kind: a success before this turn
        self.shown: set[str] = set()  # kinds that a lookup's status shows, whatever the id
        self.ids: set[str] = set()
        self.unread: list[tuple[ToolCall, frozenset[str]]] = []
        self.other: set[str] = set()
        self.acted = False

    def add(self, call: ToolCall) -> None:
        """Keep a call; it is looked into when a claim asks."""
        self.waiting.append(call)
        self.acted = self.acted or self.domain.acts(call)

    def next_turn(self) -> None:
        """The user spoke: what was created before counts as something that can be looked up."""
        self.settle()
        for kind, own in self.own.items():
            for call, ok, ids in own.calls:
                for one in ids if ok else ():
                    self.seen[kind].add(one, f"an earlier {call.name} returned it")
                if ok:
                    self.done[kind] = call
            own.calls.clear()
        self.acted = False

    def settle(self) -> None:
        """Look into the results that nobody looked into yet."""
        for call in self.waiting:
            self._look_into(call)
        self.waiting.clear()

    def _look_into(self, call: ToolCall) -> None:
        ok = self.domain.succeeded(call)
        own = any(action.made_by(call) for action in self.domain.actions)
        keys: set[str] = set()
        for action in self.domain.actions:
            keys.update(action.keys_of(call))
            held = list(self.domain.ids_in(call, action)) if ok or own else []
            self.ids.update(one.id for one in held)
            if action.made_by(call):
                self.own[action.kind].calls.append((call, ok, tuple(one.id for one in held)))
            elif ok and not own and self.domain.looks_up(call):
                for one in held:
                    if self.domain.shows(one, action):
                        self.seen[action.kind].add(one.id, f"{call.name} returned it")
                        if action.backed_by_lookup == "status":
                            self.shown.add(action.kind)
                    else:
                        self.seen[action.kind].drop(one.id)
        self.unread.append((call, frozenset(keys)))

    def others(self) -> set[str]:
        """The values under other keys: phones, article numbers."""
        for call, keys in self.unread:
            for given in (call.args, call.result):
                self.other.update(other_values(given, keys))
        self.unread.clear()
        return self.other


def world_of(calls: Iterable[ToolCall], of: Domain) -> World:
    """Return the world after these calls. Raises InputError for calls that are none."""
    world = World(of)
    for call in calls:
        if not isinstance(call, ToolCall):
            raise InputError(f"calls: expected tool calls, got {call!r:.60}")
        world.add(call)
    return world
