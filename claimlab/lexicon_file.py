"""A lexicon's file: one TOML file a language in ``data/lexicons/``, or your own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from claimlab.errors import InputError
from claimlab.files import DATA, read_toml
from claimlab.forms import CLASS, one_spelling, pattern_of
from claimlab.lexicon_entries import KIND_WORDS, SCOPES, SECTIONS, Entry, Lexicon
from claimlab.morphology import PLAIN, Morphology, morphology
from claimlab.spelling import normalise

LEXICONS = DATA / "lexicons"
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
        _table(document, "morphology", str(path)), f"{path}: morphology", one_spelling
    )
    kinds = {
        name: {key: _words(given.get(key, []), f"{path}: {name}.{key}") for key in KIND_WORDS}
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
            pattern_of(entry.form, lexicon, kind, f"{path}: {entry.section} {entry.form!r:.60}")
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
        normalise(fields["form"]).text if not CLASS.search(fields["form"]) else fields["form"],
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
def foreign_words(language: str | None = None) -> frozenset[str]:
    """Small words of the languages that no lexicon reads, or of one of them."""
    words = read_toml(LEXICONS / "other.toml")["words"]
    names = words if language is None else [language]
    return frozenset(normalise(word).text for name in names for word in words[name])
