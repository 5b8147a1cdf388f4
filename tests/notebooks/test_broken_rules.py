"""A library with one rule broken must turn a lesson red: the lessons are checks of the library."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import notebook_checks as checks
import pytest

ROOT = Path(__file__).resolve().parents[2]
LESSON_1 = "01_claim_ledger"
LESSON_2 = "02_self_grade_collapse"
LESSON_3 = "03_reviewed_templates"
LESSON_4 = "04_order_evaluator"
LESSON_5 = "05_reading_a_dialect"


@dataclass(frozen=True)
class Fault:
    """One line of one file, and what somebody might have written instead."""

    name: str
    file: str
    line: str
    broken: str
    lesson: str = LESSON_1


FAULTS = [
    Fault(
        "weekday compares nothing",
        "ledger.py",
        "    wrong = sorted(said - has)\n",
        "    wrong = sorted(said - said)\n",
    ),
    Fault(
        "null means no",
        "values.py",
        '        return Value("null")\n',
        '        return Value("none")\n',
    ),
    Fault(
        "codes are not normalised",
        "catalog.py",
        "        return self.rows.get(self.normalise(code), NOT_FOUND)\n",
        "        return self.rows.get(code, NOT_FOUND)\n",
    ),
    Fault(
        "undeclared clauses are not judged",
        "ledger.py",
        '    if claims != "declared":\n',
        '    if claims == "text":\n',
    ),
    Fault(
        "closed leaves words unaccounted",
        "ledger.py",
        "    if not left:\n        return finding\n",
        "    return finding\n",
    ),
    Fault(
        "whoever names no hint repeats it",
        "answers.py",
        "        repeats = hint.lower() in said.lower()\n",
        "        repeats = True\n",
    ),
    Fault(
        "answers over one row count as independent",
        "self_grades.py",
        "        groups.setdefault(grade.group, []).append(grade)\n",
        "        groups.setdefault(grade.completion.id, []).append(grade)\n",
        LESSON_2,
    ),
    Fault(
        "a wrong answer counts as a right one",
        "self_grades.py",
        "    pairs = len(right) * (len(grades) - len(right))\n",
        "    pairs = len(grades) * (len(grades) - len(right))\n",
        LESSON_2,
    ),
    Fault(
        "the jury backs what it could not judge",
        "self_grades.py",
        '    return decide(fixture, claim.world).verdict == "locked_pass"\n',
        '    return decide(fixture, claim.world).verdict in ("locked_pass", "unsafe")\n',
        LESSON_2,
    ),
    Fault(
        "the text of a source is not compared",
        "templates.py",
        "    reviewed = (template.identifier, template.version, template.sha256)\n",
        "    reviewed = next(iter(found), None)\n",
        LESSON_3,
    ),
    Fault(
        "raw bytes are hashed",
        "templates.py",
        '    plain = text.replace("\\r\\n", "\\n").replace("\\r", "\\n")\n',
        "    plain = text\n",
        LESSON_3,
    ),
    Fault(
        "of two sources the first is taken",
        "templates.py",
        "    if len(found) > 1:\n",
        "    if len(found) > 2:\n",
        LESSON_3,
    ),
    Fault(
        "no condition is ever lost",
        "conditions.py",
        "    return any(says(wording, text) for wording in condition.says)\n",
        "    return True\n",
        LESSON_3,
    ),
    Fault(
        "any citation will do",
        "generator.py",
        "        if name not in quotes:\n",
        "        if not name:\n",
        LESSON_3,
    ),
    Fault(
        "silence has no risk",
        "abstention.py",
        "        return self.wrong_answer / self.answered if self.answered else None\n",
        "        return self.wrong_answer / self.answered if self.answered else 0.0\n",
        LESSON_3,
    ),
    Fault(
        "a changed source passes the review",
        "review.py",
        '        return "same" if now == then else "changed"\n',
        '        return "same"\n',
        LESSON_3,
    ),
    Fault(
        "a failed call backs its order",
        "order_world.py",
        "            if ok and any(same_id(one, other) for other in ids):\n",
        "            if any(same_id(one, other) for other in ids):\n",
        LESSON_4,
    ),
    Fault(
        "a reply gets the best of its claims",
        "order_classes.py",
        "max(labels, key=WORST.index), ids, tuple(evidence)",
        "min(labels, key=WORST.index), ids, tuple(evidence)",
        LESSON_4,
    ),
    Fault(
        "a failure taints the whole turn",
        "data/orders_truth.toml",
        'label = "valid_status_ref"\nreason = "the create failed',
        'label = "claimed_but_failed"\nreason = "the create failed',
        LESSON_4,
    ),
    Fault(
        "digits under any key are an order",
        "identifiers.py",
        "inner.append((held, key in wanted or (named and key in _OWN), value))",
        "inner.append((held, True, value))",
        LESSON_4,
    ),
    Fault(
        "a question is a claim",
        "lexicon.py",
        "        if clause.asks:\n",
        "        if not clause.words:\n",
        LESSON_4,
    ),
    Fault(
        "the strict reading is not strict",
        "order_classes.py",
        "    if own.succeeded and not (require_id and action.id_keys):\n",
        "    if own.succeeded:\n",
        LESSON_4,
    ),
    Fault(
        "version one does not look at the calls",
        "order_classes.py",
        "    return reader(of.kinds).has_act(reply) and not any(map(of.acts, calls))\n",
        "    return reader(of.kinds).has_act(reply)\n",
        LESSON_4,
    ),
    Fault(
        "a failure is confirmed",
        "confirmation.py",
        "    if action is not None and of.succeeded(call):\n",
        "    if action is not None:\n",
        LESSON_4,
    ),
    Fault(
        "replies to one wish count as independent",
        "order_answers.py",
        '        wishes.setdefault(answer.completion.about["wish"], []).append(hit(answer))\n',
        "        wishes.setdefault(answer.tag, []).append(hit(answer))\n",
        LESSON_4,
    ),
    Fault(
        "the circumfix has no second half",
        "morphology.py",
        "        if word.endswith(close):\n",
        "        if word.endswith(close + close):\n",
        LESSON_5,
    ),
    Fault(
        "look-alikes are taken apart",
        "morphology.py",
        "    if not 3 <= len(word) <= MAX_WORD or is_frozen(word):\n",
        "    if not 3 <= len(word) <= MAX_WORD:\n",
        LESSON_5,
    ),
    Fault(
        "the future is no part of a verb",
        "morphology.py",
        "            return FUTURE, rest\n",
        "            return None\n",
        LESSON_5,
    ),
    Fault(
        "all dialects are one",
        "languages.py",
        "            score = _score(words, one) + (0.1 if one is before else 0)\n",
        "            score = 0.0\n",
        LESSON_5,
    ),
    Fault(
        "what nobody reads passes",
        "languages.py",
        "            return (Span(text, 0, len(text)),)\n",
        "            return ()\n",
        LESSON_5,
    ),
]


def run(lesson: str, library: Path) -> subprocess.CompletedProcess[str]:
    """Run a lesson, cell by cell, with this library."""
    path = ROOT / "notebooks" / f"{lesson}.ipynb"
    return checks.nbval(path, env={"PYTHONPATH": str(library)})


def broken_library(folder: Path, fault: Fault | None) -> Path:
    """Return a folder with a copy of the library, with this fault in it."""
    copy = folder / "claimlab"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "claimlab", copy, ignore=ignored)
    if fault is not None:
        path = copy / fault.file
        source = path.read_text(encoding="utf-8")
        assert source.count(fault.line) == 1, f"the line of {fault.name!r} is not there once"
        path.write_text(source.replace(fault.line, fault.broken), encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("lesson", sorted({fault.lesson for fault in FAULTS}))
def test_a_copy_without_a_fault_stays_green(lesson: str, tmp_path: Path) -> None:
    result = run(lesson, broken_library(tmp_path, None))
    assert result.returncode == 0, result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_broken_rule_turns_the_lesson_red(fault: Fault, tmp_path: Path) -> None:
    result = run(fault.lesson, broken_library(tmp_path, fault))
    assert result.returncode == 1, f"{fault.name}: the lesson did not notice\n{result.stdout}"
    assert "Cell outputs differ" in result.stdout
