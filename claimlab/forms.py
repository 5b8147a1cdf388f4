"""A lexicon's forms become patterns over a clause that is written ``" | word word |"``.

``docs/lexicons.md`` has the language of the forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from claimlab.errors import InputError
from claimlab.late import late
from claimlab.lexicon_entries import KIND_WORDS, Entry, Lexicon
from claimlab.spelling import normalise

CLASS = late(r"<(\w+)>")
_ID = r"[^ $€£¥]*\d[^ ]*"
_DOES: Final = frozenset({"D", "S", "B", "event_done", "event_is"})
"""The lists whose words say that something was done; a claim's clause holds one of them."""


def one_spelling(words: str) -> str:
    """Return words in the spelling in which they are compared."""
    return normalise(words).text


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of these words, with common beginnings read once.

    >>> any_of(["booked", "book", "placed"])
    '(?:book(?:ed)?|placed)'
    """
    tree: dict[str, Any] = {}
    for word in words:
        node = tree
        for char in word:
            node = node.setdefault(char, {})
        node[""] = {}
    return _branch(tree)


def _branch(tree: Mapping[str, Any]) -> str:
    """The pattern of a tree of characters; where a word may end here, the rest is optional."""
    parts, ends = [], "" in tree
    for char, node in tree.items():
        if char:
            said = "[^ ]*" if char == "~" else re.escape(char)
            while len(node) == 1 and "" not in node:
                ((char, node),) = node.items()
                said += "[^ ]*" if char == "~" else re.escape(char)
            parts.append(said + ("" if set(node) == {""} else _branch(node)))
    if not parts:
        return ""
    whole = parts[0] if len(parts) == 1 and not ends else f"(?:{'|'.join(parts)})"
    return f"{whole}?" if ends else whole


class Element(NamedTuple):
    """A choice of words in a form, the lists that it names, and whether an id may stand there."""

    words: tuple[str, ...]
    classes: tuple[str, ...]
    has_id: bool
    suffix: str


def elements(form: str, lexicon: Lexicon, kind: str, place: str) -> Iterator[str | Element]:
    """The parts of a form: ``^``, ``$``, ``..n``, or a choice of words."""
    for part in form.split():
        if part in ("^", "$") or re.fullmatch(r"\.\.\d", part):
            yield part
            continue
        suffix = part[-1] if part[-1] in "?*" else ""
        if part[0] == ">":
            part, suffix = part[1:], ">"
        words: list[str] = []
        classes: list[str] = []
        has_id = False
        for choice in part.removesuffix(suffix).split("|"):
            if not choice.strip("_"):
                raise InputError(f"{place}: a choice in {part!r:.40} is empty")
            named = CLASS.fullmatch(choice)
            if named is None:
                words.append(lexicon.key(one_spelling(choice.replace("_", " "))))
            elif named[1] == "id":
                has_id = True
            elif named[1] in KIND_WORDS:
                classes.append(named[1])
                words.extend(lexicon.kinds.get(kind, {}).get(named[1], ()))
            elif named[1] in lexicon.words:
                classes.append(named[1])
                words.extend(lexicon.words[named[1]])
            else:
                raise InputError(f"{place}: no list {named[1]!r} among the words of the lexicon")
        yield Element(tuple(words), tuple(classes), has_id, suffix)


def pattern_of(form: str, lexicon: Lexicon, kind: str, place: str) -> str | None:
    """The pattern of a form over a clause ``" | word word |"``; None where the kind has no word."""
    stop = any_of((*lexicon.words.get("stop", ()), *lexicon.words.get("heads", ()))) or "(?!)"
    compound = any_of(_other_events(lexicon, kind)) or "(?!)"
    found = []
    parts = list(elements(form, lexicon, kind, place))
    if not any(isinstance(one, Element) and one.suffix in ("", ">") for one in parts):
        raise InputError(f"{place}: a form needs a word that must be there")
    for element in parts:
        if element == "^":
            found.append(r"(?<= \|)")
        elif element == "$":
            found.append(r"(?= \|)")
        elif isinstance(element, str):
            found.append(rf"(?: (?!\||{stop}(?= ))[^ ]++){{0,{element[2:]}}}?")
        else:
            choices = [any_of(element.words)] if element.words else []
            choices += [_ID] if element.has_id else []
            if not choices:
                if element.suffix:
                    continue
                return None
            if element.suffix == ">":
                found.append(rf"(?= (?:{'|'.join(choices)})(?= ))")
                continue
            repeat = {"": "", "?": "?", "*": "{0,3}"}[element.suffix]
            inner = rf" (?:{'|'.join(choices)})(?= )"
            if {"N", "Ns"} & set(element.classes):  # in "flight change", the flight is no head
                inner += rf"(?! {compound} )"
            found.append(f"(?:{inner}){repeat}" if repeat else inner)
    return "".join(found)


def _other_events(lexicon: Lexicon, kind: str) -> list[str]:
    """The nouns for actions of other kinds, and what else a noun may only be the first half of."""
    own = lexicon.kinds.get(kind, {})
    mine = {word for name in ("N", "Ns", "E") for word in own.get(name, ())}
    others = (word for name in lexicon.kinds for word in lexicon.kinds[name]["E"])
    return [word for word in (*others, *lexicon.words.get("heads", ())) if word not in mine]


def _uses_kind(form: str) -> bool:
    return any(name in KIND_WORDS for name in CLASS.findall(form))


class Forms(NamedTuple):
    """Several forms as one pattern; the number of its group tells which entry matched.

    A match begins with one of the words ``begins``, with a word that begins with one of ``starts``,
    or, with ``ids``, with an id.
    """

    pattern: re.Pattern[str]
    owners: tuple[Entry, ...]
    begins: frozenset[str]
    starts: tuple[str, ...]
    ids: bool

    def may_match(self, words: Iterable[str]) -> bool:
        """Whether a clause of these words may hold a match."""
        return not self.begins.isdisjoint(words) or (
            (self.ids or bool(self.starts)) and any(map(self._may_begin, words))
        )

    def _may_begin(self, word: str) -> bool:
        return (self.ids and not word.isalpha()) or word.startswith(self.starts)

    def found(self, stream: str, end: int) -> Iterator[re.Match[str]]:
        """Yield what ``pattern.finditer`` does, looking only where a match may begin."""
        begins, others = self.begins, self.ids or bool(self.starts)
        at, last = 2, 0
        for word in stream.split(" ")[2:-1]:
            if (word in begins or (others and self._may_begin(word))) and last <= at:
                match = self.pattern.match(stream, at, end)
                if match is not None:
                    last = match.end()
                    yield match
            at += len(word) + 1


def forms_of(entries: Sequence[Entry], lexicon: Lexicon, kinds: Sequence[str]) -> Forms:
    """Return several entries as one pattern."""
    parts, owners = [], []
    first: set[str] = set()
    ids = False
    for entry in entries:
        for kind in kinds if _uses_kind(entry.form) else kinds[:1]:
            pattern = pattern_of(entry.form, lexicon, kind, entry.form)
            if pattern is not None:
                parts.append(f"({pattern})")
                owners.append(entry)
                for element in _first_elements(entry.form, lexicon, kind):
                    first.update(word.split()[0] for word in element.words)
                    ids = ids or element.has_id
    return Forms(
        re.compile("|".join(parts) or "(?!)"),
        tuple(owners),
        frozenset(word for word in first if "~" not in word),
        tuple(sorted(word.partition("~")[0] for word in first if "~" in word)),
        ids,
    )


def _first_elements(form: str, lexicon: Lexicon, kind: str) -> Iterator[Element]:
    """The elements with which a match of a form may begin: those that may be left out, one more."""
    for element in elements(form, lexicon, kind, form):
        if element == "^":
            continue
        if isinstance(element, str):  # any words, or none
            yield Element(("~",), (), False, "")
            return
        yield element
        if element.suffix in ("", ">"):
            return


def anchors(form: str, lexicon: Lexicon, kind: str) -> frozenset[str]:
    """Words of which one must stand in a clause for the form to match there."""
    needed = [
        element
        for element in elements(form, lexicon, kind, form)
        if isinstance(element, Element) and not element.suffix and not element.has_id
    ]
    acts = [e for e in needed if not _DOES.isdisjoint(e.classes)]
    chosen = (acts or needed)[-1]
    return frozenset(word.split()[-1] for word in chosen.words)


def rarest(entry: Entry, lexicon: Lexicon, kinds: Sequence[str]) -> frozenset[str]:
    """Words of which one must stand in a clause for an entry to match: of its rarest element.

    An element with parts of words names none; the bar that is in every clause stands for it.
    """
    common = {w for n in ("be", "have", "det", "subject") for w in lexicon.words.get(n, ())}
    found: set[str] = set()
    for kind in kinds if _uses_kind(entry.form) else kinds[:1]:
        needed = [
            [word.split()[-1] for word in element.words]
            for element in elements(entry.form, lexicon, kind, entry.form)
            if isinstance(element, Element) and not element.suffix and not element.has_id
        ]
        needed = [words for words in needed if not any("~" in word for word in words)] or [["|"]]
        found.update(min(needed, key=lambda words: len(common.intersection(words)), default=()))
    return frozenset(found)
