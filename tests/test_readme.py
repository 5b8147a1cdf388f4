"""What the README says is true: its table of lessons, its commands, its snippets."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import notebook_checks as checks
import pytest
from support import ROOT, Command

README = (ROOT / "README.md").read_text(encoding="utf-8")


def fenced(language: str) -> list[str]:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.S | re.M)
    return [text for kind, text in blocks if kind == language]


def test_the_table_names_each_lesson_with_lines_that_it_stores() -> None:
    rows = re.findall(
        r"\| \[[^]]*\]\((notebooks/[^)]*)\) \|[^|]*\|[^|]*\| `([^`]*)` \| `([^`]*)` \|", README
    )
    assert [name for name, _, _ in rows] == [
        f"notebooks/{path.name}" for path in checks.lesson_paths()
    ]
    for name, passes, fails in rows:
        assert checks.missing_lines(checks.load(ROOT / name), [passes, fails]) == []


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


@pytest.mark.parametrize("snippet", fenced("python"))
def test_each_python_snippet_prints_what_its_comment_says(
    snippet: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(snippet, "README.md", "exec"), {})
    said = [line[2:] for line in snippet.splitlines() if line.startswith("# ")]
    assert capsys.readouterr().out.splitlines() == said


def test_the_commands_on_own_data_run(tmp_path: Path, claimlab: Command) -> None:
    reply, row = (json.loads(text) for text in fenced("json"))
    (tmp_path / "courses.csv").write_text("code,term,lab\nCOMP 4081,Fall,Wednesday 10:00\n")
    (tmp_path / "replies.jsonl").write_text(json.dumps(reply))
    (tmp_path / "facts.json").write_text('{"epochs": 3}')
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    shop = ROOT / "claimlab" / "data" / "domains" / "shop.toml"
    (tmp_path / "my_shop.toml").write_bytes(shop.read_bytes())
    lexicon = ROOT / "claimlab" / "data" / "lexicons" / "arz.toml"
    (tmp_path / "my_lexicon.toml").write_bytes(lexicon.read_bytes())
    (tmp_path / "log.jsonl").write_text('{"reply": "Order ORD-1 has been placed."}')
    commands = [
        shlex.split(line)[1:]
        for text in fenced("")
        for line in text.splitlines()
        if line.startswith("claimlab ") and line.split()[1] not in ("start", "ask")
    ]
    names = [command[0] for command in commands]
    assert names == ["ledger", "jury", "orders", "orders", "lexicon", "lexicon"]
    done = [claimlab(*command, cwd=tmp_path) for command in commands]
    assert [run.returncode for run in done] == [1, 0, 1, 1, 0, 0], done
    assert done[2].stdout.endswith("RESULT: FAIL (1 phantom)\n")
    assert "'lab' is 'Wednesday 10:00', not 'Tuesday'" in done[0].stdout
