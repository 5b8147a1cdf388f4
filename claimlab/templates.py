"""Lab 3, reviewed templates: an answer that a human wrote, bound to the exact text it was read in.

A template renders when the packet holds the very source that it was reviewed against. Otherwise it
abstains and says why. No model is asked.
"""

from __future__ import annotations

import datetime
import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal

from claimlab.conditions import Condition, conditions_from, lost
from claimlab.errors import InputError
from claimlab.files import DATA, Record, check_names, check_text, check_texts, read_unique
from claimlab.handbook import Packet, Source, sources_of

Status = Literal["abstain", "template_rendered"]
Reason = Literal[
    "no_reviewed_template_for_question_id", "conflicting_sources", "missing_or_changed_source"
]
REASONS: Final[tuple[Reason, ...]] = (
    "no_reviewed_template_for_question_id",
    "conflicting_sources",
    "missing_or_changed_source",
)
"""Why a template abstains, in the order in which it is decided."""

GENERATOR: Final = "human_authored_template"
"""What every result of this lab names as its author."""


@dataclass(frozen=True)
class Template:
    """A reviewed answer: which question, which exact source, the claim, and the review.

    ``sha256`` is the fingerprint of the source's text on the day of the review; the renderer looks
    at nothing else of it. ``reviewed_text`` is that text, kept to show a reviewer what changed.
    ``conditions`` are the parts of the claim that no shorter draft may lose.
    """

    question_id: str
    source_id: str
    identifier: str
    version: str
    sha256: str
    claim: str
    reviewed: datetime.date
    note: str
    conditions: tuple[Condition, ...] = ()
    reviewed_text: str = ""


Baseline = Mapping[str, Template]
"""Reviewed templates by their question id."""


@dataclass(frozen=True)
class TemplateResult:
    """What came of a question: a rendered answer, or a declared abstention with its reason.

    ``detail`` says the reason in words.
    """

    question_id: str
    status: Status
    reason: Reason | None = None
    detail: str = ""
    answer: str | None = None
    citations: tuple[str, ...] = ()
    fingerprint: str | None = None
    generator: str = GENERATOR
    model_used: bool = False


# -- the fingerprint -----------------------------------------------------------------------------


def fingerprint(text: str) -> str:
    r"""Return the SHA-256 of a text in UTF-8, with line ends as ``\n`` and nothing else changed.

    Raises InputError for what is no text.

    >>> fingerprint("one\r\ntwo") == fingerprint("one\ntwo")
    True
    >>> fingerprint("one\ntwo") == fingerprint("one\nTwo")
    False
    """
    check_text(text, "fingerprint")
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return hashlib.sha256(plain.encode("utf-8")).hexdigest()


# -- the renderer --------------------------------------------------------------------------------


def render_template(
    question_id: str, packet: Packet, baseline: Baseline | None = None
) -> TemplateResult:
    """Return the reviewed answer to a question over an evidence packet, or the reason for none.

    ``baseline`` is the course's own frozen one when left out. The question id is taken as given:
    nothing here reads the question.

    Raises InputError for a packet that is none, naming entry and field.

    >>> render_template("q-laptop", []).reason
    'no_reviewed_template_for_question_id'
    """
    templates = templates_baseline() if baseline is None else baseline
    if not isinstance(templates, Mapping):
        raise InputError(f"baseline: expected templates by question id, got {baseline!r:.60}")
    sources = sources_of(packet)
    check_text(question_id, "question id")
    template = templates.get(question_id)
    if template is None:
        detail = f"nobody has reviewed an answer to {question_id!r:.60}"
        return _abstain(question_id, "no_reviewed_template_for_question_id", detail)
    found = {
        (source.identifier, source.version, fingerprint(source.text)): source
        for source in sources
        if source.id == template.source_id
    }
    if len(found) > 1:
        detail = f"the packet holds {template.source_id!r:.60} twice, and the two differ"
        return _abstain(question_id, "conflicting_sources", detail)
    reviewed = (template.identifier, template.version, template.sha256)
    if reviewed not in found:
        detail = "; ".join(_differences(template, next(iter(found.values()), None)))
        return _abstain(question_id, "missing_or_changed_source", detail)
    return TemplateResult(
        question_id,
        "template_rendered",
        answer=template.claim,
        citations=(template.source_id,),
        fingerprint=template.sha256,
    )


def _abstain(question_id: str, reason: Reason, detail: str) -> TemplateResult:
    return TemplateResult(question_id, "abstain", reason, detail)


def _differences(template: Template, source: Source | None) -> Iterator[str]:
    """What tells a packet's source from the reviewed one, in words."""
    if source is None:
        yield f"the packet does not hold {template.source_id!r:.60}"
        return
    for name in ("identifier", "version"):
        given, reviewed = getattr(source, name), getattr(template, name)
        if given != reviewed:
            yield f"{name} is {given!r:.60}, reviewed was {reviewed!r:.60}"
    if fingerprint(source.text) != template.sha256:
        yield f"the text is not the one that was reviewed{_almost(source.text, template.sha256)}"


_LONGEST_COMPARED = 100_000


def _almost(text: str, sha256: str) -> str:
    """How a text that looks like the reviewed one differs from it, where that can be told."""
    if len(text) > _LONGEST_COMPARED:
        return ""
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        if fingerprint(unicodedata.normalize(form, text)) == sha256:
            return f": its {form} form is, and another Unicode form is a different text"
    stripped = text.strip()
    for edge in ("", "\n"):
        if stripped and fingerprint(stripped + edge) == sha256:
            return ": it differs in space at its ends, and that is a different text"
    return ""


def check_conditions(template: Template, draft: str) -> tuple[str, ...]:
    """Return the names of a template's conditions that a draft lost; none is ``()``.

    Raises InputError for a draft that is no text.

    >>> check_conditions(templates_baseline()["q-renew"], "Renewal is allowed for seven days.")
    ('one renewal', 'no hold')
    """
    check_text(draft, "draft")
    return lost(template.conditions, draft)


# -- the frozen baseline -------------------------------------------------------------------------

_FIELDS = (
    "question_id",
    "source_id",
    "identifier",
    "version",
    "sha256",
    "claim",
    "reviewed",
    "note",
    "conditions",
    "reviewed_text",
)


@lru_cache(maxsize=1)
def templates_baseline() -> Baseline:
    """Return the course's own reviewed templates, as they were frozen."""
    return read_baseline(DATA / "templates_baseline.toml")


@lru_cache(maxsize=1)
def drifted_baseline() -> Baseline:
    """Return the baseline that somebody rebuilt from changed sources, kept to show what it does."""
    return read_baseline(DATA / "templates_drifted.toml")


def read_baseline(path: str | Path) -> Baseline:
    """Return the templates of a baseline file by their question id.

    Raises InputError, with entry and field, for a field that is missing, unknown or of another
    type, for a fingerprint that is none, and for two templates for one question. A baseline that
    was edited by hand gives itself away where the fingerprint is not that of the reviewed text, or
    the claim does not keep its own conditions.
    """
    return read_unique(path, _template, "question_id")


def _template(record: Record) -> Template:
    fields: dict[str, Any] = record.fields
    check_names(fields, _FIELDS, record.place)
    texts = [name for name in _FIELDS if name not in ("reviewed", "conditions")]
    check_texts({name: fields[name] for name in texts}, record.place)
    if not re.fullmatch(r"[0-9a-f]{64}", fields["sha256"]):
        raise InputError(
            f"{record.place}: field 'sha256': expected 64 digits 0-9a-f, "
            f"got {len(fields['sha256'])} characters, {fields['sha256']!r:.60}"
        )
    if fingerprint(fields["reviewed_text"]) != fields["sha256"]:
        raise InputError(
            f"{record.place}: field 'sha256': is not the fingerprint of 'reviewed_text'; "
            "expected both as `claimlab review` writes them"
        )
    conditions = conditions_from(fields["conditions"], f"{record.place}: field 'conditions'")
    if not conditions:
        raise InputError(f"{record.place}: field 'conditions': expected at least one")
    if gone := lost(conditions, fields["claim"]):
        raise InputError(
            f"{record.place}: field 'claim': does not keep its own condition {gone[0]!r:.60}"
        )
    return Template(**{**fields, "reviewed": _date(record), "conditions": conditions})


def _date(record: Record) -> datetime.date:
    """The day of the review: a TOML date, or text in the same form, as JSON has it."""
    given = record.fields["reviewed"]
    if isinstance(given, datetime.date) and not isinstance(given, datetime.datetime):
        return given
    try:
        return datetime.date.fromisoformat(given)
    except (TypeError, ValueError):
        raise InputError(
            f"{record.place}: field 'reviewed': expected a date such as 2026-01-31, "
            f"got {given!r:.60}"
        ) from None
