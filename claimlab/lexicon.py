"""Reading what a text asserts, with lexicons: one TOML file a language in ``data/lexicons/``.

A clause asserts an action when one of the lexicon's claim expressions matches in it and nothing in
the clause takes it back: no negation, no future or condition, no question, no report of somebody
else's words. What is a claim and what takes it back is data; this module only cuts a text into
clauses and looks. A text in a language that no lexicon reads is ``not_covered``: absence is not a
no.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from claimlab.errors import InputError
from claimlab.files import DATA, read_toml
from claimlab.late import late
from claimlab.morphology import (
    CLOSED,
    PLAIN,
    Morphology,
    closed,
    is_number,
    morphology,
    sounds,
    spell,
    take_apart,
    unstretched,
)
from claimlab.spans import Span
from claimlab.spelling import Normal, normalise

LEXICONS = DATA / "lexicons"
CANCELLERS: Final = ("negation", "future", "conditional", "reported", "policy")
"""The sections of a lexicon whose entries take a claim back."""
SECTIONS: Final = ("claim", *CANCELLERS, "look_alike", "boundary")
SCOPES: Final = ("before", "after", "around", "front")
_KIND_WORDS: Final = ("N", "Ns", "D", "S", "B", "E")
_DOES: Final = frozenset({"D", "S", "B", "event_done", "event_is"})
"""The lists whose words say that something was done; a claim's clause holds one of them."""


# -- a lexicon's file ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """One entry of a lexicon: its section, its form, what it means, where it comes from."""

    section: str
    form: str
    gloss: str
    source: str
    example: str | Mapping[str, str]
    kind: str | None = None
    scope: str = "before"
    tense: str | None = None
    joins: bool = False
    not_before: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lexicon:
    """What one file says about one language."""

    language: str
    name: str
    script: str
    review: str
    words: Mapping[str, tuple[str, ...]]
    kinds: Mapping[str, Mapping[str, tuple[str, ...]]]
    rewrite: Mapping[str, tuple[str, ...]]
    endings: tuple[tuple[str, str], ...]
    entries: tuple[Entry, ...]
    affixes: Morphology = PLAIN

    def key(self, words: str) -> str:
        """Return normalised words in the form under which their spellings meet."""
        if self.affixes == PLAIN:
            return words
        if self.affixes.spelling == "plain":
            return unstretched(words)
        return " ".join([sounds(word) for word in words.split()])


_FIELDS = {"form", "gloss", "source", "example", "kind", "scope", "tense", "joins", "not_before"}
_TOP = {"language", "name", "script", "review", "sources", "words", "kinds", "rewrite", "endings"}
_TOP |= {"morphology"}
_OPTIONAL: Final = (
    ("kind", str, "the name of a kind"),
    ("scope", str, f"one of {', '.join(SCOPES)}"),
    ("tense", str, '"present"'),
    ("joins", bool, "true or false"),
)


def read_lexicon(path: str | Path) -> Lexicon:
    """Return the lexicon of a TOML file.

    Raises InputError that names the file, the entry, the field and what was expected.
    """
    document = read_toml(path)
    for name in ("language", "name", "script", "review"):
        if not isinstance(document.get(name), str):
            raise InputError(f"{path}: field {name!r}: expected text, got {document.get(name)!r}")
    if extra := sorted(set(document) - _TOP - set(SECTIONS)):
        raise InputError(f"{path}: section {extra[0]!r}: expected some of {', '.join(SECTIONS)}")
    sources = _table(document, "sources", str(path))
    entries = []
    for section in SECTIONS:
        given = document.get(section, [])
        if not isinstance(given, list):
            raise InputError(f"{path}: {section}: expected tables [[{section}]]")
        for number, fields in enumerate(given, 1):
            entries.append(_entry(section, fields, f"{path}: {section} {number}", sources))
    affixes = morphology(
        _table(document, "morphology", str(path)), f"{path}: morphology", _one_spelling
    )
    kinds = {
        name: {key: _words(given.get(key, []), f"{path}: {name}.{key}") for key in _KIND_WORDS}
        for name, given in _tables(_table(document, "kinds", str(path)), f"{path}: kinds")
    }
    words = _table(document, "words", str(path))
    lexicon = Lexicon(
        document["language"],
        document["name"],
        document["script"],
        document["review"],
        {name: _words(given, f"{path}: words.{name}") for name, given in words.items()},
        kinds,
        {k: tuple(v.split()) for k, v in _texts(document, "rewrite", str(path)).items()},
        tuple(_texts(document, "endings", str(path)).items()),
        tuple(entries),
        affixes,
    )
    lexicon = _keyed(lexicon)
    for entry in lexicon.entries:  # a form that cannot be read is named here
        for kind in [entry.kind] if entry.kind else list(kinds) or [""]:
            _pattern(entry.form, lexicon, kind, f"{path}: {entry.section} {entry.form!r:.60}")
    return lexicon


def _table(document: Mapping[str, Any], name: str, path: str) -> dict[str, Any]:
    given = document.get(name, {})
    if not isinstance(given, dict):
        raise InputError(f"{path}: section {name!r}: expected a table, got {given!r:.60}")
    return given


def _tables(given: Mapping[str, Any], place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, table in given.items():
        if not isinstance(table, dict):
            raise InputError(f"{place}.{name}: expected a table, got {table!r:.60}")
        yield name, table


def _texts(document: Mapping[str, Any], name: str, path: str) -> dict[str, str]:
    given = _table(document, name, path)
    for key, text in given.items():
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"{path}: {name}.{key}: expected text, got {text!r:.60}")
    return given


def _words(given: object, place: str) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(w, str) and w.strip() for w in given):
        raise InputError(f"{place}: expected a list of words, got {given!r:.60}")
    return tuple(normalise(word).text for word in given)


def _one_spelling(words: str) -> str:
    return normalise(words).text


def _keyed(lexicon: Lexicon) -> Lexicon:
    """A lexicon with its words as they are compared, its nouns with article and owner."""
    if lexicon.affixes == PLAIN:
        return lexicon
    key = lexicon.key
    words = {
        name: given if name in _LETTERS else tuple(map(key, given))
        for name, given in lexicon.words.items()
    }
    kinds = {
        kind: {
            name: tuple(
                dict.fromkeys(
                    key(form)
                    for word in given
                    for form in (_owned(word, lexicon.affixes) if name in _NOUNS else (word,))
                )
            )
            for name, given in lists.items()
        }
        for kind, lists in lexicon.kinds.items()
    }
    return replace(lexicon, words=words, kinds=kinds)


_LETTERS: Final = frozenset({"habits", "elided"})
"""The lists that are no words but letters, as they are written."""
_NOUNS: Final = frozenset({"N", "Ns", "E"})


def _owned(noun: str, affixes: Morphology) -> Iterator[str]:
    """A noun by itself, with an article, with its owner: talab, eltalab, talabak."""
    for before in ("", *affixes.article):
        yield before + noun
        if not before or before in affixes.conjunction:
            stem = noun[:-1] if noun.endswith("ه") else noun
            yield from (before + stem + owner for owner in affixes.owner)


def _entry(section: str, fields: object, place: str, sources: Mapping[str, Any]) -> Entry:
    if not isinstance(fields, dict):
        raise InputError(f"{place}: expected a table, got {fields!r:.60}")
    if extra := sorted(set(fields) - _FIELDS):
        raise InputError(f"{place}: field {extra[0]!r} is not one of {', '.join(sorted(_FIELDS))}")
    for name in ("form", "gloss", "source"):
        if not isinstance(fields.get(name), str) or not fields[name].strip():
            raise InputError(
                f"{place}: field {name!r}: expected text, got {fields.get(name)!r:.60}"
            )
    if not isinstance(fields.get("example"), dict if section == "claim" else str):
        raise InputError(f"{place}: field 'example': expected an example")
    example = fields["example"]
    for said in example.values() if isinstance(example, dict) else (example,):
        if not isinstance(said, str) or not said.strip():
            raise InputError(f"{place}: field 'example': expected text, got {said!r:.60}")
    for name, kind, told in _OPTIONAL:
        if name in fields and not isinstance(fields[name], kind):
            raise InputError(f"{place}: field {name!r}: expected {told}, got {fields[name]!r:.60}")
    if "not_before" in fields:
        _words(fields["not_before"], f"{place}: field 'not_before'")
    if fields["source"] not in sources:
        raise InputError(f"{place}: field 'source': expected one of {', '.join(sources)}")
    if fields.get("scope", "before") not in SCOPES:
        raise InputError(f"{place}: field 'scope': expected one of {', '.join(SCOPES)}")
    return Entry(
        section,
        normalise(fields["form"]).text if not _CLASS.search(fields["form"]) else fields["form"],
        fields["gloss"],
        fields["source"],
        fields["example"],
        fields.get("kind"),
        fields.get("scope", "before"),
        fields.get("tense"),
        fields.get("joins", False),
        tuple(fields.get("not_before", ())),
    )


@lru_cache(maxsize=1)
def lexicons() -> tuple[Lexicon, ...]:
    """Return the course's own lexicons, by language."""
    found = [read_lexicon(path) for path in _files() if path.stem != "other"]
    return tuple(sorted(found, key=lambda one: _FIRST.index((one.script, one.language))))


_FIRST: Final = (
    ("Latin", "en"), ("Latin", "ary"), ("Latin", "arz"), ("Arabic", "arz"), ("Arabic", "ary")
)  # fmt: skip
"""Where a text fits several lexicons as well: the order in which they are believed."""


def _files() -> list[Path]:
    return sorted(LEXICONS.glob("*.toml"))


@lru_cache(maxsize=2)
def _foreign(language: str | None = None) -> frozenset[str]:
    """Small words of the languages that no lexicon reads, or of one of them."""
    words = read_toml(LEXICONS / "other.toml")["words"]
    names = words if language is None else [language]
    return frozenset(normalise(word).text for name in names for word in words[name])


# -- forms become patterns -----------------------------------------------------------------------

_CLASS = late(r"<(\w+)>")
_ID = r"[^ $€£¥]*\d[^ ]*"


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


class _Element(NamedTuple):
    words: tuple[str, ...]
    classes: tuple[str, ...]
    has_id: bool
    suffix: str


def _elements(form: str, lexicon: Lexicon, kind: str, place: str) -> Iterator[str | _Element]:
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
            named = _CLASS.fullmatch(choice)
            if named is None:
                words.append(lexicon.key(_one_spelling(choice.replace("_", " "))))
            elif named[1] == "id":
                has_id = True
            elif named[1] in _KIND_WORDS:
                classes.append(named[1])
                words.extend(lexicon.kinds.get(kind, {}).get(named[1], ()))
            elif named[1] in lexicon.words:
                classes.append(named[1])
                words.extend(lexicon.words[named[1]])
            else:
                raise InputError(f"{place}: no list {named[1]!r} among the words of the lexicon")
        yield _Element(tuple(words), tuple(classes), has_id, suffix)


def _pattern(form: str, lexicon: Lexicon, kind: str, place: str) -> str | None:
    """The pattern of a form over a clause ``" | word word |"``; None where the kind has no word."""
    stop = any_of((*lexicon.words.get("stop", ()), *lexicon.words.get("heads", ()))) or "(?!)"
    compound = any_of(_other_events(lexicon, kind)) or "(?!)"
    found = []
    elements = list(_elements(form, lexicon, kind, place))
    if not any(isinstance(one, _Element) and one.suffix in ("", ">") for one in elements):
        raise InputError(f"{place}: a form needs a word that must be there")
    for element in elements:
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


def _anchors(form: str, lexicon: Lexicon, kind: str) -> frozenset[str]:
    """Words of which one must stand in a clause for the form to match there."""
    needed = [
        element
        for element in _elements(form, lexicon, kind, form)
        if isinstance(element, _Element) and not element.suffix and not element.has_id
    ]
    acts = [e for e in needed if not _DOES.isdisjoint(e.classes)]
    chosen = (acts or needed)[-1]
    return frozenset(word.split()[-1] for word in chosen.words)


def _rarest(entry: Entry, lexicon: Lexicon, kinds: Sequence[str]) -> frozenset[str]:
    """Words of which one must stand in a clause for an entry to match: of its rarest element.

    An element with parts of words names none; the bar that is in every clause stands for it.
    """
    common = {w for n in ("be", "have", "det", "subject") for w in lexicon.words.get(n, ())}
    found: set[str] = set()
    for kind in kinds if _uses_kind(entry.form) else kinds[:1]:
        needed = [
            [word.split()[-1] for word in element.words]
            for element in _elements(entry.form, lexicon, kind, entry.form)
            if isinstance(element, _Element) and not element.suffix and not element.has_id
        ]
        needed = [words for words in needed if not any("~" in word for word in words)] or [["|"]]
        found.update(min(needed, key=lambda words: len(common.intersection(words)), default=()))
    return frozenset(found)


def _front(clause: Clause, one: _Compiled) -> tuple[Entry, str] | None:
    """The entry by which a clause governs those after it in its sentence, and its words."""
    pattern, owners = one.front
    begins = pattern.search(one.masks.sub(_mask, clause.stream()))
    if begins is None:
        return None
    return owners[(begins.lastindex or 1) - 1], begins.group().strip(" |")


def _verbs(lexicon: Lexicon, kind: str) -> frozenset[str]:
    words = lexicon.kinds.get(kind, {})
    nouns = {word for name in ("N", "Ns", "E") for word in words.get(name, ())}
    return frozenset(word for name in ("D", "S", "B") for word in words.get(name, ())) - nouns


class _Compiled(NamedTuple):
    """A lexicon as patterns, for the kinds of action that somebody asks about."""

    lexicon: Lexicon
    heads: Mapping[str, tuple[str, ...]]  # a word: the kinds that it may claim
    claims: Mapping[str, re.Pattern[str]]
    joined: frozenset[str]
    events: frozenset[str]
    verbs: Mapping[str, frozenset[str]]
    joins: frozenset[str]
    past: frozenset[str]
    dated: frozenset[str]
    takes_back: frozenset[str]
    before: tuple[re.Pattern[str], tuple[Entry, ...]]
    after: tuple[re.Pattern[str], tuple[Entry, ...]]
    front: tuple[re.Pattern[str], tuple[Entry, ...]]
    masks: re.Pattern[str]
    negators: re.Pattern[str]
    futures: re.Pattern[str]
    frozen: frozenset[str]
    begin_frozen: tuple[str, ...]
    known: frozenset[str]
    parts: dict[str, tuple[str, ...]]
    scores: dict[str, float]
    boundary: Mapping[str, Entry]
    present: frozenset[str]
    been: frozenset[str]
    asks: frozenset[str]
    inverted: frozenset[str]
    subject: frozenset[str]
    opener: frozenset[str]
    adverbs: frozenset[str]
    tags: frozenset[str]
    abbreviations: frozenset[str]


def _alternatives(
    entries: Sequence[Entry], lexicon: Lexicon, kinds: Sequence[str]
) -> tuple[re.Pattern[str], tuple[Entry, ...]]:
    """One pattern for several entries; the number of its group tells which entry matched."""
    parts, owners = [], []
    for entry in entries:
        for kind in kinds if _uses_kind(entry.form) else kinds[:1]:
            pattern = _pattern(entry.form, lexicon, kind, entry.form)
            if pattern is not None:
                parts.append(f"({pattern})")
                owners.append(entry)
    return re.compile("|".join(parts) or "(?!)"), tuple(owners)


def _uses_kind(form: str) -> bool:
    return any(name in _KIND_WORDS for name in _CLASS.findall(form))


def _compiled(lexicon: Lexicon, kinds: tuple[str, ...]) -> _Compiled:
    heads: dict[str, tuple[str, ...]] = {}
    claims = {}
    for kind in kinds:
        forms = [e for e in lexicon.entries if e.section == "claim" and e.kind in (None, kind)]
        forms = [e for e in forms if kind in lexicon.kinds or e.kind == kind]
        patterns = [(_pattern(e.form, lexicon, kind, e.form), e.form) for e in forms]
        claims[kind] = re.compile("|".join(p for p, _ in patterns if p) or "(?!)")
        for pattern, form in patterns:
            for word in _anchors(form, lexicon, kind) if pattern else ():
                heads[word] = tuple(dict.fromkeys((*heads.get(word, ()), kind)))
    joined = {
        w for k in kinds for name in ("D", "S") for w in lexicon.kinds.get(k, {}).get(name, ())
    }
    taking = [entry for entry in lexicon.entries if entry.section in CANCELLERS]
    by_scope = {
        scope: _alternatives([e for e in taking if e.scope in scopes], lexicon, kinds)
        for scope, scopes in (
            ("before", ("before", "around")),
            ("after", ("after", "around")),
            ("front", ("front",)),
        )
    }
    masks, _ = _alternatives(
        [e for e in lexicon.entries if e.section == "look_alike"], lexicon, kinds
    )
    words = {name: frozenset(given) for name, given in lexicon.words.items()}
    none: frozenset[str] = frozenset()
    return _Compiled(
        lexicon,
        heads,
        claims,
        frozenset(joined),
        words.get("event", none),
        {kind: _verbs(lexicon, kind) for kind in kinds},
        frozenset(e.form for e in lexicon.entries if e.section == "boundary" and e.joins),
        frozenset(lexicon.words.get("past", ())),
        frozenset(lexicon.words.get("dated", ())),
        frozenset(w for e in taking if e.scope != "after" for w in _rarest(e, lexicon, kinds)),
        by_scope["before"],
        by_scope["after"],
        by_scope["front"],
        masks,
        _marks(lexicon, "negation", kinds),
        _marks(lexicon, "future", kinds),
        *_frozen(lexicon),
        _known(lexicon),
        {},
        {},
        {
            lexicon.key(entry.form): entry
            for entry in lexicon.entries
            if entry.section == "boundary"
        },
        words.get("present", none),
        words.get("been", none),
        words.get("asks", none),
        words.get("inverted", none),
        words.get("subject", none),
        words.get("opener", none),
        words.get("adv", none),
        words.get("tag", none),
        words.get("abbreviations", none),
    )


def _marks(lexicon: Lexicon, section: str, kinds: Sequence[str]) -> re.Pattern[str]:
    """What is a negation, or a future, by itself: more than what takes a claim back, or less.

    A lexicon may list its words under ``[words]``; otherwise they are the section's entries.
    """
    listed = lexicon.words.get(section)
    if listed is not None:
        return re.compile(rf" {any_of(listed)}(?= )")
    entries = [entry for entry in lexicon.entries if entry.section == section]
    return _alternatives(entries, lexicon, kinds)[0]


def _frozen(lexicon: Lexicon) -> tuple[frozenset[str], tuple[str, ...]]:
    """The words that stand in the lexicon by themselves: they are not taken apart."""
    words: set[str] = set()
    for entry in lexicon.entries:
        elements = list(_elements(entry.form, lexicon, "", entry.form))
        if len(elements) == 1 and isinstance(elements[0], _Element):
            words.update(elements[0].words)
    words.update(
        word for name in ("adv", "opener", "label") for word in lexicon.words.get(name, ())
    )
    return (
        frozenset(word for word in words if "~" not in word),
        tuple(word.removesuffix("~") for word in words if word.endswith("~")),
    )


# -- a text becomes clauses ----------------------------------------------------------------------


class Word(NamedTuple):
    """A word in its one spelling, with its place in the normalised text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Clause:
    """A clause: its words, the number of its sentence, and whether it asks."""

    words: tuple[Word, ...]
    sentence: int
    asks: bool = False

    def stream(self) -> str:
        """Return the clause as forms are matched with it."""
        return " | " + " ".join([word.text for word in self.words]) + " |"


_TOKEN = late(
    r"[$€£¥]?[^\W_]+(?:[-'][^\W_]+)*|[.!?…؟۔。！？]+|[\n;؛:,،()\[\]—–|]|(?<=\s)-+(?=\s)",
)
_WORDS = late(r"[^\W\d_]+(?:[-'][^\W\d_]+)*(?!\w|-\d)")
_LONGEST = 120
"""A clause of more words is no clause of a language; it is cut, so that time stays linear."""
_LOOK_BACK = 6
"""How many clauses of its sentence before a claim may hold the condition that governs it."""
_SHORT_ASIDE = 80
"""A bracket of at most so many characters is left out: "your order (ORD-5, two mugs) is placed"."""


def _clauses(normal: Normal, compiled: _Compiled, start: int, end: int) -> list[Clause]:
    """Cut a stretch of text into clauses: at marks, line breaks and boundary words."""
    text, stretch_end = normal.text, end
    tokens = [(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(text, start, end)]
    if compiled.lexicon.affixes != PLAIN:
        tokens = [part for token in tokens for part in _elisions(*token, compiled.lexicon)]
    rewrite, boundary = compiled.lexicon.rewrite, compiled.boundary
    clauses: list[Clause] = []
    words: list[Word] = []
    sentence = first = 0

    def close() -> None:
        if words:
            clauses.append(Clause(tuple(words), sentence))
            words.clear()

    aside_until = -1
    for index, (token, start, end) in enumerate(tokens):
        if start < aside_until:
            continue
        if token[-1].isalnum():
            if len(words) >= _LONGEST:
                close()
            parts = _parts(token, compiled)
            if len(parts) == 1 and words and words[-1].text in compiled.lexicon.affixes.open:
                parts = _closing(token, parts, compiled)
            key = parts[0]
            if key in boundary and _divides(boundary[key], tokens, index, compiled):
                close()
                if not boundary[key].joins:
                    continue
            if token in rewrite:
                words.extend([Word(w, start, end) for w in rewrite[token]])
            elif "'" in token:
                words.extend(_taken_apart(token, start, end, compiled.lexicon))
            else:
                words.extend([Word(w, start, end) for w in parts])
        elif token[0] in ".!?…؟۔。！？":
            if token == "." and _no_end(text, end, words, compiled):
                continue
            close()
            if "?" in token or "؟" in token or "？" in token:
                _mark_questions(clauses, first, compiled)
            sentence, first = sentence + 1, len(clauses)
        elif token in "([":
            limit = min(end + _SHORT_ASIDE, stretch_end)
            closing = text.find(")" if token == "(" else "]", end, limit)
            inside = _WORDS.findall(text, end, closing) if closing >= 0 else []
            if words and closing >= 0 and compiled.heads.keys().isdisjoint(inside):
                aside_until = closing
            else:
                close()
        elif token in ")]":
            if start != aside_until:
                close()
        else:
            close()
            if token in "\n;؛":
                sentence, first = sentence + 1, len(clauses)
    close()
    return clauses


def _divides(
    entry: Entry, tokens: Sequence[tuple[str, int, int]], index: int, compiled: _Compiled
) -> bool:
    """Whether a boundary word ends the clause here: "and" does not before a second participle."""
    after = index + 1
    while after < len(tokens) and tokens[after][0] in compiled.adverbs:
        after += 1
    follows = tokens[after][0] if after < len(tokens) else ""
    if follows in entry.not_before:
        return False
    if entry.joins:
        then = tokens[after + 1][0] if after + 1 < len(tokens) else ""
        goes_on = follows in compiled.joined or not compiled.events.isdisjoint((follows, then))
        return not goes_on and not any(c.isdigit() for c in follows)
    return True


def _parts(token: str, compiled: _Compiled) -> tuple[str, ...]:
    """The words that a token stands for: itself, or the marks of what it holds and the rest."""
    found = compiled.parts.get(token)
    if found is None:
        found = _parts_of(token, compiled)
        if "8" in token and not _is_known(found, compiled):  # 8 is h here and gh there
            other = _parts_of(token.replace("8", "gh"), compiled)
            found = other if _is_known(other, compiled) else found
        if len(compiled.parts) < _MOST_WORDS:
            compiled.parts[token] = found
    return found


def _is_known(parts: tuple[str, ...], compiled: _Compiled) -> bool:
    return len(parts) > 1 or parts[0] in compiled.known or parts[0] in compiled.frozen


def _parts_of(token: str, compiled: _Compiled) -> tuple[str, ...]:
    if compiled.lexicon.affixes == PLAIN:
        return (token,)
    lexicon = compiled.lexicon
    spelt = spell(token) if lexicon.affixes.spelling == "arabizi" else lexicon.key(token)
    taken = take_apart(spelt, lexicon.affixes, lambda word: _is_frozen(word, compiled))
    if taken is not None:
        return tuple(map(lexicon.key, taken))
    whole = lexicon.key(token)
    if whole not in compiled.frozen:
        least = 2 if lexicon.affixes.spelling == "plain" else 4
        for joined in lexicon.affixes.conjunction:  # "and not" in one word
            rest = lexicon.key(spelt[len(joined) :])
            if spelt.startswith(joined) and rest in compiled.frozen and len(rest) >= least:
                return (rest,)
    return (whole,)


def _closing(token: str, parts: tuple[str, ...], compiled: _Compiled) -> tuple[str, ...]:
    """The parts of a word after a ``ma`` that stands by itself: it may hold the second half."""
    lexicon = compiled.lexicon
    body = closed(spell(token) if lexicon.affixes.spelling == "arabizi" else token, lexicon.affixes)
    return parts if body is None or parts[0] in compiled.frozen else (CLOSED, lexicon.key(body))


_MOST_WORDS = 50_000
"""So many words are remembered with their parts."""


def _is_frozen(word: str, compiled: _Compiled) -> bool:
    key = compiled.lexicon.key(word)
    return key in compiled.frozen or key.startswith(compiled.begin_frozen)


def _elisions(token: str, start: int, end: int, lexicon: Lexicon) -> Iterator[tuple[str, int, int]]:
    """A token, without the elided French words before it: "n'est" is "n" and "est"."""
    first, mark, rest = token.partition("'")
    while mark and rest and first in lexicon.words.get("elided", ()):
        yield first, start, start + len(first)
        start += len(first) + 1
        token = rest
        first, mark, rest = token.partition("'")
    yield token, start, end


def _taken_apart(token: str, start: int, end: int, lexicon: Lexicon) -> list[Word]:
    for ending, stands_for in lexicon.endings:
        if token.endswith(ending) and len(token) > len(ending):
            cut = end - len(ending)
            stem = lexicon.rewrite.get(token[: -len(ending)], (token[: -len(ending)],))
            return [*(Word(w, start, cut) for w in stem), Word(stands_for, cut, end)]
    return [Word(token, start, end)]


def _no_end(text: str, end: int, words: Sequence[Word], compiled: _Compiled) -> bool:
    """A full stop inside a number or word, or after an abbreviation."""
    if text[end : end + 1].isalnum():
        return True
    last = words[-1].text if words else ""
    return last in compiled.abbreviations and text[end : end + 2].strip()[:1].isdigit()


def _mark_questions(clauses: list[Clause], first: int, compiled: _Compiled) -> None:
    """Mark what a question mark makes a question: the last clause, and more if the sentence asks.

    "Order 17 is placed, would you like a receipt?" asserts its first clause; "order 17 was
    placed, right?" and "did you mean that, after all, it was placed?" assert nothing.
    """
    if first >= len(clauses):
        return
    last = len(clauses) - 1
    is_tag = " ".join(word.text for word in clauses[last].words) in compiled.tags
    from_here = last
    if is_tag:
        from_here = max(first, last - 1)
    if _opens(clauses[first], compiled) in compiled.asks:
        from_here = first
    for index in range(from_here, last + 1):
        clauses[index] = Clause(clauses[index].words, clauses[index].sentence, True)


def _opens(clause: Clause, compiled: _Compiled) -> str:
    """The first word of a clause that is no opening word."""
    for word in clause.words:
        if word.text not in compiled.opener and word.text not in compiled.adverbs:
            return word.text
    return ""


# -- what is asserted ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Cancelled:
    """What took a claim back: the lexicon's section, the words that matched, what they mean."""

    section: str
    words: str
    gloss: str = ""


@dataclass(frozen=True)
class Mention:
    """A claim expression in a text: the kind of action, its place, what took it back.

    ``number`` is the number of its clause. ``past``: it is told of a dated past.
    """

    kind: str
    span: Span
    clause: Span
    number: int
    cancelled: Cancelled | None = None
    past: bool = False


@dataclass(frozen=True)
class Reading:
    """What a text says. ``mentions`` holds every claim expression, asserted or taken back.

    ``clauses`` are all clauses of a text that has a word of a claim; ``acting`` tells, by kind, the
    numbers of those that have such a verb or that ask. ``not_covered`` are the stretches in a
    language that no lexicon reads.
    """

    mentions: tuple[Mention, ...] = ()
    clauses: tuple[tuple[int, int], ...] = ()
    acting: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    not_covered: tuple[Span, ...] = ()

    def over(self, text: str) -> Reading:
        """Return the same reading of a text that differs in the digits of its numbers alone."""

        def part(span: Span) -> Span:
            return Span(text[span.start : span.end], span.start, span.end)

        mentions = tuple(
            replace(m, span=part(m.span), clause=part(m.clause)) for m in self.mentions
        )
        return replace(self, mentions=mentions, not_covered=tuple(map(part, self.not_covered)))

    @property
    def asserted(self) -> tuple[Mention, ...]:
        """The mentions that nothing takes back."""
        return tuple(m for m in self.mentions if m.cancelled is None)


NOTHING = Reading()
_ZEROS = str.maketrans("123456789", "000000000")
_REMEMBERED = 1_000
"""The longest text whose reading is remembered, in characters."""
_MOST_REMEMBERED = 4_096


class Reader:
    """Reads texts for some kinds of action, with all lexicons at once.

    >>> reader = Reader(("create",))
    >>> [m.span.text for m in reader.read("I did not cancel 1001; I placed 1002.").asserted]
    ['I placed 1002']
    """

    def __init__(self, kinds: Sequence[str], given: Sequence[Lexicon] | None = None) -> None:
        self.kinds = tuple(kinds)
        self.compiled = [_compiled(one, self.kinds) for one in given or lexicons()]
        self.heads = frozenset(word for one in self.compiled for word in one.heads)
        self.remembered: dict[str, Reading] = {}
        self.digits_matter = any(_has_digits(one.lexicon) for one in self.compiled)
        self.plain = [one for one in self.compiled if one.lexicon.affixes == PLAIN]
        self.all_known = frozenset().union(*(one.known for one in self.plain))
        self.shared = frozenset(
            word for one in self.plain for word in one.lexicon.words.get("shared", ())
        )
        self.foreign = _foreign() - self.all_known - self.shared
        self.french = _foreign("fr") & self.foreign
        self.dialect: dict[str, bool] = {}
        self.labels = frozenset(word for one in self.compiled for word in _labels(one.lexicon))

    def has_act(self, text: str) -> bool:
        """Whether a text holds a word of a claim, asserted or not: what version one looks for."""
        words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
        if any(not one.joined.isdisjoint(words) for one in self.plain):
            return True
        normal = normalise(text)
        return any(
            one not in self.plain and any(not one.joined.isdisjoint(c) for c in said)
            for start, end, one in self.pieces(text, normal, _WORDS.findall(normal.text))
            for said in [[_parts(m.group(), one) for m in _TOKEN.finditer(normal.text, start, end)]]
        )

    def read(self, text: str) -> Reading:
        """Return what a text asserts. Takes time linear in the text's length.

        No lexicon asks which digits a number has, so texts that differ in those alone are read
        once: an agent says the same sentences all day.
        """
        if len(text) > _REMEMBERED or (self.digits_matter and _MIXED.search(text)):
            return self._read(text)
        key = text.translate(_ZEROS)
        known = self.remembered.get(key)
        if known is None:
            known = self._read(key)
            if len(self.remembered) >= _MOST_REMEMBERED:
                self.remembered.clear()
            self.remembered[key] = known
        return known if known is NOTHING or key == text else known.over(text)

    def _read(self, text: str) -> Reading:
        normal = normalise(text)
        said = _WORDS.findall(normal.text)
        if not said:
            return NOTHING
        not_covered = self._not_covered(text, normal, said)
        mentions: list[Mention] = []
        clauses: list[Clause] = []
        acting: dict[str, tuple[int, ...]] = {}
        for start, end, one in self.pieces(text, normal, said):
            if one in self.plain and one.heads.keys().isdisjoint(said):
                continue
            cut = _clauses(normal, one, start, end)
            mentions += self._mentions(text, normal, one, cut, len(clauses))
            for kind, numbers in _acting(cut, one).items():
                shifted = tuple(number + len(clauses) for number in numbers)
                acting[kind] = acting.get(kind, ()) + shifted
            clauses += cut
        if not any(word.text in self.heads for clause in clauses for word in clause.words):
            return Reading(not_covered=not_covered) if not_covered else NOTHING
        places = tuple(normal.original(c.words[0].start, c.words[-1].end) for c in clauses)
        return Reading(tuple(mentions), places, acting, not_covered)

    def pieces(
        self, text: str, normal: Normal, said: Sequence[str], language: str | None = None
    ) -> list[tuple[int, int, _Compiled]]:
        """Return the stretches of a text with the lexicon that reads each, in order.

        Language and script are guessed a sentence, and a run of words of one script.
        """
        if language is None and len(self.plain) == len(self.compiled) == 1:
            return [(0, len(normal.text), self.plain[0])]
        if language is None and self.plain and text.isascii():
            known = sum(map(self.all_known.__contains__, said))
            if known * 2 >= len(said):
                return [(0, len(normal.text), self.plain[0])]
        found: list[tuple[int, int, _Compiled]] = []
        for line in _SENTENCE.finditer(normal.text):
            for script, start, words in _runs(normal.text, line.start(), line.end()):
                before = found[-1][2] if found else None
                one = self._guess(words, script, before, language)
                if one is None:
                    continue
                if found and found[-1][2] is one:
                    start = found.pop()[0]
                elif found:
                    found[-1] = (found[-1][0], start, found[-1][2])
                found.append((start if found else 0, len(normal.text), one))
        return found

    def _guess(
        self, words: Sequence[str], script: str, before: _Compiled | None, language: str | None
    ) -> _Compiled | None:
        """The lexicon that knows most of these words; of equals, the one that read so far."""
        best, most = None, -1.0
        for one in self.compiled:
            if one.lexicon.script != script or language not in (None, one.lexicon.language):
                continue
            score = _score(words, one) + (0.1 if one is before else 0)
            if score > most:
                best, most = one, score
        return best

    def _mentions(
        self,
        text: str,
        normal: Normal,
        one: _Compiled,
        clauses: Sequence[Clause],
        before: int,
    ) -> list[Mention]:
        """The mentions in clauses that one lexicon reads; ``before`` clauses came before them."""
        found: list[Mention] = []
        fronts: dict[int, tuple[Entry, str] | None] = {}
        for number, clause in enumerate(clauses):
            kinds = dict.fromkeys(k for w in clause.words for k in one.heads.get(w.text, ()))
            if not kinds:
                continue
            stream = clause.stream()
            masked = one.masks.sub(_mask, stream)
            for kind in kinds:
                for match in one.claims[kind].finditer(masked):
                    first = masked.count(" ", 0, match.start())
                    last = masked.count(" ", 0, match.end()) - 1
                    words = clause.words[first - 1 : last]
                    cancelled = self._cancelled(clauses, number, masked, match, one, fronts)
                    span = _span(text, normal, words)
                    whole = _span(text, normal, clause.words)
                    past = self._is_past(match.group(), stream, one)
                    found.append(Mention(kind, span, whole, number + before, cancelled, past))
        return _one_a_verb(found, one.joins)

    def _cancelled(
        self,
        clauses: Sequence[Clause],
        number: int,
        stream: str,
        match: re.Match[str],
        one: _Compiled,
        fronts: dict[int, tuple[Entry, str] | None],
    ) -> Cancelled | None:
        clause = clauses[number]
        if clause.asks:
            return Cancelled("question", "?")
        first = _opens(clause, one)
        if first in one.inverted and _inverted(clause, first, one):
            return Cancelled("question", first)
        present = self._is_present(match.group(), one)
        pattern, owners = one.before
        could = not one.takes_back.isdisjoint(stream.split())
        for hit in pattern.finditer(stream, 0, match.end() + 1) if could else ():
            entry = owners[(hit.lastindex or 1) - 1]
            if entry.tense != "present" or present:
                return Cancelled(entry.section, hit.group().strip(" |"), entry.gloss)
        pattern, owners = one.after
        for hit in pattern.finditer(stream, match.end()):
            entry = owners[(hit.lastindex or 1) - 1]
            if entry.tense != "present" or present:
                return Cancelled(entry.section, hit.group().strip(" |"), entry.gloss)
        nearest = max(0, number - _LOOK_BACK)
        for earlier in range(number - 1, nearest - 1, -1):
            if clauses[earlier].sentence != clause.sentence:
                break
            if earlier not in fronts:
                fronts[earlier] = _front(clauses[earlier], one)
            found = fronts[earlier]
            if found is not None and (found[0].tense != "present" or present):
                return Cancelled(found[0].section, found[1], found[0].gloss)
        return None

    @staticmethod
    def _is_present(matched: str, one: _Compiled) -> bool:
        words = matched.split()
        return not one.present.isdisjoint(words) and one.been.isdisjoint(words)

    @staticmethod
    def _is_past(matched: str, stream: str, one: _Compiled) -> bool:
        said = matched.split()
        told = one.been.isdisjoint(said) and not one.past.isdisjoint(said)
        return told and not one.dated.isdisjoint(stream.split())

    # -- languages -------------------------------------------------------------------------------

    def _not_covered(self, text: str, normal: Normal, said: Sequence[str]) -> tuple[Span, ...]:
        """The stretches of a text that no lexicon reads; () for most texts, at little cost."""
        known = sum(map(self.all_known.__contains__, said))
        if known * 5 >= len(said) and text.isascii() and self.foreign.isdisjoint(said):
            return ()
        tokens = _SAID.findall(normal.text)
        own = sum(map(self._knows, tokens))
        foreign = sum(map(self.foreign.__contains__, said))
        if own >= 2:  # dialect mixed with French, as it is written
            foreign -= sum(map(self.french.__contains__, said)) * 2 // 3
        shared = sum(map(self.shared.__contains__, said))
        if shared == len(said):
            return ()  # "OK": says nothing in any language
        known += own
        if not known or known + shared / 2 < max(len(tokens) / 7, foreign):
            return (Span(text, 0, len(text)),)
        found = []
        for line in _SENTENCE.finditer(normal.text):
            words = list(_WORDS.finditer(normal.text, line.start(), line.end()))
            if words and self._is_foreign(text, normal, words):
                start, end = normal.original(words[0].start(), words[-1].end())
                found.append(Span(text[start:end], start, end))
        return tuple(found)

    def _is_foreign(self, text: str, normal: Normal, words: Sequence[re.Match[str]]) -> bool:
        """A sentence without a known word, and with signs of another language or script."""
        said = [match.group() for match in words]
        other = sum(_script(word) not in self._scripts() for word in said)
        if other * 2 > len(said):
            return True
        if any(word in self.all_known for word in said):
            return False
        stretch = normal.text[words[0].start() : words[-1].end()]
        if any(map(self._knows, _SAID.findall(stretch))):
            return False
        marks = 0
        for match in words:
            if match.group() in self.foreign:
                start, _ = normal.original(match.start(), match.end())
                marks += text[start].islower() or start == 0
        return marks >= 2 or (marks == 1 and len(said) >= 3)

    def _knows(self, word: str) -> bool:
        """Whether a word shows that a text is in one of the dialects."""
        known = self.dialect.get(word)
        if known is None:
            known = any(_is_own(word, one) for one in self.compiled if one not in self.plain)
            known = known and word not in self.foreign | self.shared and any(map(str.isalpha, word))
            if len(self.dialect) < _MOST_WORDS:
                self.dialect[word] = known
        return known

    def _scripts(self) -> frozenset[str]:
        return frozenset(one.lexicon.script for one in self.compiled)


def _runs(text: str, start: int, end: int) -> Iterator[tuple[str, int, list[str]]]:
    """The runs of words of one script in a stretch of text, each with its first place."""
    script, first = "", start
    words: list[str] = []
    for match in _TOKEN.finditer(text, start, end):
        token = match.group()
        letter = next(filter(str.isalpha, token), None)
        if letter is None:
            continue
        written = _script(letter)
        if written != script and words:
            yield script, first, words
            first, words = match.start(), []
        script = written
        words.append(token)
    if words:
        yield script, first, words


def _score(words: Sequence[str], one: _Compiled) -> float:
    """How well a lexicon knows these words: its own, the shared ones, the habits of its writers."""
    score = 0.0
    for word in words:
        known = one.scores.get(word)
        if known is None:
            known = _score_of(word, one)
            if len(one.scores) < _MOST_WORDS:
                one.scores[word] = known
        score += known
    return score


def _score_of(word: str, one: _Compiled) -> float:
    parts, score = _parts(word, one), 0.0
    if parts[-1] in one.known or word in one.known:
        score = 1.0
    elif parts[-1] in one.frozen:
        score = 1.0 if len(parts[-1]) > 2 else 0.3
    elif len(parts) > 1:
        score = 0.7
    elif parts[-1] in one.lexicon.words.get("shared", ()):
        score = 0.3
    elif (parts := _closing(word, parts, one))[0] == CLOSED and parts[-1] in one.known:
        score = 1.0
    if any(habit in word for habit in one.lexicon.words.get("habits", ())) and not is_number(word):
        score += 0.4
    return score


_SENTENCE = late(r"[^\n.!?…؟。！？;:]+")


def _script(word: str) -> str:
    """The script of a word, by its first letter: only the ones that a lexicon may have."""
    code = ord(word[0])
    if code < 0x250 or 0x1E00 <= code < 0x1F00:
        return "Latin"
    return "Arabic" if 0x600 <= code < 0x700 else "other"


def _known(lexicon: Lexicon) -> frozenset[str]:
    """Words by which a language is recognised: small ones, and how it says that it was done."""
    words = set(lexicon.words.get("common", ()))
    for kind in lexicon.kinds.values():
        words |= {word for name in ("D", "S", "E") for word in kind[name] if " " not in word}
    if lexicon.affixes == PLAIN:  # other languages write English nouns as well
        words -= {word for kind in lexicon.kinds.values() for word in kind["N"]}
    apart = {word + ending for word in words | {"i", "we"} for ending, _ in lexicon.endings}
    return frozenset(words | set(lexicon.rewrite) | apart)


_SAID = late(r"[^\W_]+(?:'[^\W_]+)*")


def _is_own(word: str, one: _Compiled) -> bool:
    """Whether a word is one of a dialect's own, not one that it shares with French or English."""
    if not word or (_script(word[0]) != one.lexicon.script and not word[0].isdigit()):
        return False
    parts = _parts(word, one)
    words = one.lexicon.words
    if parts[0] in words.get("loan", ()) or parts[0] in words.get("shared", ()):
        return False
    if one.lexicon.affixes.spelling == "arabizi" and not is_number(word):
        letters = sum(map(str.isalpha, word))
        if letters >= 2 and not {"3", "5", "7", "9"}.isdisjoint(word):
            return True  # a digit that is a letter: 3lach, l7al
    return len(parts) > 1 or parts[0] in one.known or (len(parts[0]) > 2 and parts[0] in one.frozen)


_MIXED = late(r"[^\W\d_]\d|\d[^\W\d_]")
"""A digit beside a letter may be one: 3lach, 7aja."""


def _has_digits(lexicon: Lexicon) -> bool:
    """Whether digits are letters in this language, as in Arabizi."""
    lists = [
        *lexicon.words.values(),
        *(w for kind in lexicon.kinds.values() for w in kind.values()),
    ]
    forms = (entry.form for entry in lexicon.entries)
    said = itertools.chain(lexicon.rewrite, (word for words in lists for word in words))
    return any(map(_DIGIT.search, said)) or any(_DIGIT.search(_GAP.sub("", f)) for f in forms)


_DIGIT = late(r"\d")
_GAP = late(r"\.\.\d")


def _labels(lexicon: Lexicon) -> Iterator[str]:
    """The words that may stand beside an id which is only named: "order number", "under"."""
    for name in ("label", "det", "opener", "beside"):
        yield from (part for word in lexicon.words.get(name, ()) for part in word.split())
    for kind in lexicon.kinds.values():
        yield from (word for name in ("N", "Ns") for word in kind[name])


def _acting(clauses: Sequence[Clause], one: _Compiled) -> dict[str, tuple[int, ...]]:
    """By kind, the numbers of the clauses with a verb of its claims, and of those that ask."""
    found: dict[str, set[int]] = {kind: set() for kind in one.claims}
    for kind, numbers in found.items():
        verbs = one.verbs[kind]
        numbers.update(n for n, c in enumerate(clauses) if any(w.text in verbs for w in c.words))
    asks = {number for number, clause in enumerate(clauses) if clause.asks}
    return {kind: tuple(sorted(numbers | asks)) for kind, numbers in found.items()}


def _one_a_verb(found: Sequence[Mention], joins: frozenset[str]) -> list[Mention]:
    """Keep one mention a verb, in the text's order.

    In "the changes to your booking were made" it is the changes that were made: the longest of
    those that end at one verb. In "I processed the cancellation of the booking" it is the
    cancellation: the shortest of those that begin with one. "The upgrade and the cancellation were
    completed" says both.
    """
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda m: (m.span.end, m.span.start)):
        if not any(_same_verb(other, mention, joins) for other in kept[-3:]):
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.span.start)


def _same_verb(one: Mention, other: Mention, joins: frozenset[str]) -> bool:
    """Whether two mentions share an edge, with no "and" in what one has beyond the other."""
    if one.kind == other.kind:
        return False
    if one.span.end == other.span.end:
        beyond = one.span.text[: other.span.start - one.span.start]
    elif one.span.start == other.span.start:
        beyond = other.span.text[len(one.span.text) :]
    else:
        return False
    return joins.isdisjoint(beyond.lower().split())


def _mask(match: re.Match[str]) -> str:
    """As many words that mean nothing."""
    return " ~" * match.group().count(" ")


def _inverted(clause: Clause, first: str, one: _Compiled) -> bool:
    """Whether verb and subject have changed places: "is your order placed"."""
    words = [word.text for word in clause.words]
    after = words.index(first) + 1
    while after < len(words) and words[after] == "not":
        after += 1
    return after < len(words) and words[after] in one.subject


# -- negation and future by themselves -----------------------------------------------------------


def negations(text: str, language: str | None = None) -> list[Span]:
    """Return every negation of a text, in order: the negated word, or from ``ma`` to its ``sh``.

    ``language`` is ``en``, ``arz`` (Egyptian) or ``ary`` (Moroccan, Maghrebi); without it the
    language is guessed, a sentence at a time. What :func:`not_covered` returns was read by nobody.
    Raises InputError for a language without a lexicon.

    >>> [span.text for span in negations("ma3rafch 3lach, machi mouchkil. الطلب متسجلش")]
    ['ma3rafch', 'machi', 'متسجلش']
    """
    return marked(reader(), text, language, "negators")


def futures(text: str, language: str | None = None) -> list[Span]:
    """Return every future of a text, in order: the marker, or the verb that holds it in itself.

    >>> [span.text for span in futures("ghadi nchoufou, ghanjawbek. الطلب هيتسجل بكرة")]
    ['ghadi', 'ghanjawbek', 'هيتسجل']
    """
    return marked(reader(), text, language, "futures")


def not_covered(text: str) -> list[Span]:
    """Return the stretches of a text in a language that no lexicon reads.

    >>> [span.text for span in not_covered("Der Auftrag wurde nicht erteilt.")]
    ['Der Auftrag wurde nicht erteilt.']
    """
    return list(reader().read(text).not_covered)


def marked(read: Reader, text: str, language: str | None, marks: str) -> list[Span]:
    """Return what a reader finds: ``marks`` is ``negators`` or ``futures``."""
    languages = {one.lexicon.language for one in read.compiled}
    if language is not None and language not in languages:
        expected = ", ".join(sorted(languages))
        raise InputError(f"language: expected one of {expected}, got {language!r:.60}")
    normal = normalise(text)
    found = []
    for start, end, one in read.pieces(text, normal, _WORDS.findall(normal.text), language):
        pattern: re.Pattern[str] = getattr(one, marks)
        for clause in _clauses(normal, one, start, end):
            masked = one.masks.sub(_mask, clause.stream())
            first = at = 0
            for match in pattern.finditer(masked):
                first += masked.count(" ", at, match.start())
                at = match.start()
                count = match.group().count(" ")
                found.append(_span(text, normal, clause.words[max(0, first - 1) :][:count]))
    return found


def _span(text: str, normal: Normal, words: Sequence[Word]) -> Span:
    start, end = normal.original(words[0].start, words[-1].end)
    return Span(text[start:end], start, end)


@lru_cache(maxsize=16)
def reader(kinds: tuple[str, ...] = ("create",)) -> Reader:
    """Return the reader for some kinds of action, with the course's own lexicons."""
    return Reader(kinds)
