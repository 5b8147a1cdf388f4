"""A lexicon as patterns and sets, for the kinds of action that somebody asks about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from claimlab.forms import Element, Forms, anchors, any_of, elements, forms_of, rarest
from claimlab.lexicon_entries import CANCELLERS, Entry, Lexicon
from claimlab.morphology import CLOSED, PLAIN, closed, spell, take_apart


class Compiled(NamedTuple):
    """A lexicon as patterns, for the kinds of action that somebody asks about."""

    lexicon: Lexicon
    heads: Mapping[str, tuple[str, ...]]  # a word: the kinds that it may claim
    head_words: frozenset[str]
    claims: Mapping[str, Forms]
    joined: frozenset[str]
    events: frozenset[str]
    verbs: Mapping[str, frozenset[str]]
    joins: frozenset[str]
    past: frozenset[str]
    dated: frozenset[str]
    takes_back: frozenset[str]
    before: Forms
    after: Forms
    front: Forms
    masks: Forms
    negators: re.Pattern[str]
    futures: re.Pattern[str]
    frozen: frozenset[str]
    begin_frozen: tuple[str, ...]
    known: frozenset[str]
    parts: dict[str, tuple[str, ...]]
    scores: dict[str, int]  # in tenths
    boundary: Mapping[str, Entry]
    special: frozenset[str]  # words that are not simply themselves
    present: frozenset[str]
    been: frozenset[str]
    asks: frozenset[str]
    inverted: frozenset[str]
    subject: frozenset[str]
    opener: frozenset[str]
    adverbs: frozenset[str]
    tags: frozenset[str]
    abbreviations: frozenset[str]


def compile_lexicon(lexicon: Lexicon, kinds: tuple[str, ...]) -> Compiled:
    """Return a lexicon's patterns for some kinds of action."""
    heads: dict[str, tuple[str, ...]] = {}
    claims = {}
    for kind in kinds:
        forms = [e for e in lexicon.entries if e.section == "claim" and e.kind in (None, kind)]
        forms = [e for e in forms if kind in lexicon.kinds or e.kind == kind]
        claims[kind] = forms_of(forms, lexicon, [kind])
        for entry in claims[kind].owners:
            for word in anchors(entry.form, lexicon, kind):
                heads[word] = tuple(dict.fromkeys((*heads.get(word, ()), kind)))
    joined = {
        w for k in kinds for name in ("D", "S") for w in lexicon.kinds.get(k, {}).get(name, ())
    }
    taking = [entry for entry in lexicon.entries if entry.section in CANCELLERS]
    by_scope = {
        scope: forms_of([e for e in taking if e.scope in scopes], lexicon, kinds)
        for scope, scopes in (
            ("before", ("before", "around")),
            ("after", ("after", "around")),
            ("front", ("front",)),
        )
    }
    masks = forms_of([e for e in lexicon.entries if e.section == "look_alike"], lexicon, kinds)
    boundary = {lexicon.key(e.form): e for e in lexicon.entries if e.section == "boundary"}
    words = {name: frozenset(given) for name, given in lexicon.words.items()}
    none: frozenset[str] = frozenset()
    return Compiled(
        lexicon,
        heads,
        frozenset(heads),
        claims,
        frozenset(joined),
        words.get("event", none),
        {kind: _verbs(lexicon, kind) for kind in kinds},
        frozenset(e.form for e in lexicon.entries if e.section == "boundary" and e.joins),
        frozenset(lexicon.words.get("past", ())),
        frozenset(lexicon.words.get("dated", ())),
        frozenset(w for e in taking if e.scope != "after" for w in rarest(e, lexicon, kinds)),
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
        boundary,
        frozenset((*boundary, *lexicon.rewrite)),
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


def _verbs(lexicon: Lexicon, kind: str) -> frozenset[str]:
    words = lexicon.kinds.get(kind, {})
    nouns = {word for name in ("N", "Ns", "E") for word in words.get(name, ())}
    return frozenset(word for name in ("D", "S", "B") for word in words.get(name, ())) - nouns


def _marks(lexicon: Lexicon, section: str, kinds: Sequence[str]) -> re.Pattern[str]:
    """What is a negation, or a future, by itself: more than what takes a claim back, or less.

    A lexicon may list its words under ``[words]``; otherwise they are the section's entries.
    """
    listed = lexicon.words.get(section)
    if listed is not None:
        return re.compile(rf" {any_of(listed)}(?= )")
    entries = [entry for entry in lexicon.entries if entry.section == section]
    return forms_of(entries, lexicon, kinds).pattern


def _frozen(lexicon: Lexicon) -> tuple[frozenset[str], tuple[str, ...]]:
    """The words that stand in the lexicon by themselves: they are not taken apart."""
    words: set[str] = set()
    for entry in lexicon.entries:
        parts = list(elements(entry.form, lexicon, "", entry.form))
        if len(parts) == 1 and isinstance(parts[0], Element):
            words.update(parts[0].words)
    words.update(
        word for name in ("adv", "opener", "label") for word in lexicon.words.get(name, ())
    )
    return (
        frozenset(word for word in words if "~" not in word),
        tuple(word.removesuffix("~") for word in words if word.endswith("~")),
    )


def _known(lexicon: Lexicon) -> frozenset[str]:
    """Words by which a language is recognised: small ones, and how it says that it was done."""
    words = set(lexicon.words.get("common", ()))
    for kind in lexicon.kinds.values():
        words |= {word for name in ("D", "S", "E") for word in kind[name] if " " not in word}
    if lexicon.affixes == PLAIN:  # other languages write English nouns as well
        words -= {word for kind in lexicon.kinds.values() for word in kind["N"]}
    apart = {word + ending for word in words | {"i", "we"} for ending, _ in lexicon.endings}
    return frozenset(words | set(lexicon.rewrite) | apart)


# -- a word's parts --------------------------------------------------------------------------------


MOST_WORDS = 50_000
"""So many words are remembered with their parts."""


def word_parts(token: str, compiled: Compiled) -> tuple[str, ...]:
    """The words that a token stands for: itself, or the marks of what it holds and the rest."""
    found = compiled.parts.get(token)
    if found is None:
        found = _parts_of(token, compiled)
        if "8" in token and not _is_known(found, compiled):  # 8 is h here and gh there
            other = _parts_of(token.replace("8", "gh"), compiled)
            found = other if _is_known(other, compiled) else found
        if len(compiled.parts) < MOST_WORDS:
            compiled.parts[token] = found
    return found


def _is_known(parts: tuple[str, ...], compiled: Compiled) -> bool:
    return len(parts) > 1 or parts[0] in compiled.known or parts[0] in compiled.frozen


def _parts_of(token: str, compiled: Compiled) -> tuple[str, ...]:
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


def closing_parts(token: str, parts: tuple[str, ...], compiled: Compiled) -> tuple[str, ...]:
    """The parts of a word after a ``ma`` that stands by itself: it may hold the second half."""
    lexicon = compiled.lexicon
    body = closed(spell(token) if lexicon.affixes.spelling == "arabizi" else token, lexicon.affixes)
    return parts if body is None or parts[0] in compiled.frozen else (CLOSED, lexicon.key(body))


def _is_frozen(word: str, compiled: Compiled) -> bool:
    key = compiled.lexicon.key(word)
    return key in compiled.frozen or key.startswith(compiled.begin_frozen)
