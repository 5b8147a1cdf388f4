"""The predicate language says the same on each Python that is found, and warns on none."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
from support import ROOT, plain_environment
from test_predicates import FACTS, corpus, source_of, verdict_on

pytestmark = pytest.mark.slow

ATTACKS = ["epochs == 3", "epochs == 3 or True", "(" * 999, "lambda x=" * 60 + "1", "a.f(" * 60]
ASK = """
import json, sys, time
sys.path.insert(0, "tests")
from claimlab.predicates import Predicate, PredicateSyntaxError, UnsafePredicate

facts, sources = json.load(sys.stdin)
answers = []
for source in sources:
    began = time.perf_counter()
    try:
        predicate = Predicate.parse(source, facts)
        value = str(predicate.holds(facts)).lower()
        kind = predicate.vacuity().kind
        answer = kind if kind == "undecided" else (
            ("contingent_" if kind == "contingent" else "vacuous_") + value)
    except PredicateSyntaxError:
        answer = "syntax"
    except UnsafePredicate:
        answer = "unsafe"
    answers.append([answer, time.perf_counter() - began])
json.dump(answers, sys.stdout)
"""


def sources() -> list[str]:
    rows = [source_of(row) for row in corpus()]
    # A lone surrogate is no text that a pipe carries.
    texts = [s for s in [*ATTACKS, *rows] if isinstance(s, str)]
    whole = (s for s in texts if s.encode("utf-8", "ignore").decode() == s)
    return list(whole)


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_each_python_that_is_found_says_the_same(version: str) -> None:
    python = shutil.which(f"python{version}")
    works = python and subprocess.run([python, "--version"], capture_output=True, check=False)
    if not python or not works or works.returncode:
        pytest.skip(f"no Python {version} here")
    asked = sources()
    done = subprocess.run(
        [python, "-W", "error", "-c", ASK],
        input=json.dumps([dict(FACTS), asked]),
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        env=plain_environment(),
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    answers = json.loads(done.stdout)
    assert [answer for answer, _ in answers] == [verdict_on(source) for source in asked]
    assert max(seconds for _, seconds in answers) < 1, f"on {sys.executable}"
