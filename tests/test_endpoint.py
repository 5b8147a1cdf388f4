"""Every way in which a model does not answer, by a real server over HTTP; each has its name."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripted_server import Answer, Scripted, call, completion, message, scripted_server
from support import Command

from claimlab.endpoint import KEY_VARIABLE, OUTCOMES, Endpoint, ModelError
from claimlab.errors import InputError
from claimlab.ledger import audit
from claimlab.models import ROUNDS, ChatModel
from claimlab.recordings import Prompt, read_recording, record

KEY = "sk-a-secret-that-nobody-may-read"
PROMPT = Prompt("p", "Two and two is")
QUESTION = "Does COMP 3170 have a Tuesday lab?"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with scripted_server() as script:
        yield script


def closed_port() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


FAILURES = {
    "unauthorised": Answer({"error": {"message": f"Incorrect API key provided: {KEY}"}}, 401),
    "rate_limited": Answer({"error": {"message": "slow down"}}, 429, {"Retry-After": "0.01"}),
    "server_error": Answer({"error": {"message": "broke"}}, 500, {"Retry-After": "0.01"}),
    "refused": Answer({"error": {"message": "no such model"}}, 404),
    "malformed": Answer('{"choices": [{"text": "fo'),
    "timed_out": Answer(hang=True),
}


def patience(outcome: str) -> float:
    """Seconds to wait: short only where nothing will come, so that a busy machine is no failure."""
    return 1.5 if outcome == "timed_out" else 60


@pytest.mark.parametrize("outcome", FAILURES)
def test_a_failure_has_its_name(server: Scripted, outcome: str) -> None:
    server.answers = [FAILURES[outcome]]
    endpoint = Endpoint(server.url, "m", timeout=patience(outcome), retries=1)
    made = endpoint.complete(PROMPT)
    assert (made.outcome, made.text) == (outcome, "")
    assert [line.outcome for line in endpoint.log] == [outcome]
    with pytest.raises(ModelError) as raised:
        ChatModel(endpoint).reply(QUESTION)
    assert raised.value.outcome == outcome


def test_a_403_is_unauthorised_as_well(server: Scripted) -> None:
    server.answers = [Answer({}, 403)]
    assert Endpoint(server.url, "m").complete(PROMPT).outcome == "unauthorised"


def test_nothing_listens(server: Scripted) -> None:
    assert Endpoint(closed_port(), "m", retries=0).complete(PROMPT).outcome == "unreachable"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"choices": []}',
        '{"choices": null}',
        '{"choices": [{}]}',
        '{"choices": [{"text": null, "finish_reason": "stop"}]}',
        '{"choices": [{"text": 7, "finish_reason": "stop"}]}',
        '{"choices": "abc"}',
        "<html>502 Bad Gateway</html>",
        "\ufeff{}",
        "[" * 100_000,
    ],
)
def test_what_is_no_answer_is_malformed(server: Scripted, body: str) -> None:
    server.answers = [Answer(body)]
    assert Endpoint(server.url, "m", retries=0).complete(PROMPT).outcome == "malformed"


def test_a_body_that_stops_in_the_middle(server: Scripted) -> None:
    server.answers = [Answer('{"choices": [{"te', promised=500)]
    assert Endpoint(server.url, "m", retries=0).complete(PROMPT).outcome == "malformed"


def test_it_waits_as_long_as_it_is_told_and_asks_again(server: Scripted) -> None:
    server.answers = [Answer({}, 429, {"Retry-After": "1"}), completion(" four")]
    started = time.monotonic()
    made = Endpoint(server.url, "m", retries=1).complete(PROMPT)
    assert (made.outcome, made.text, len(server.asked)) == ("ok", " four", 2)
    assert time.monotonic() - started >= 1


def test_it_gives_up_after_its_retries(server: Scripted) -> None:
    server.answers = [FAILURES["server_error"]]
    Endpoint(server.url, "m", retries=2).complete(PROMPT)
    assert len(server.asked) == 3


def test_an_answer_that_runs_into_its_limit_is_cut_off(server: Scripted) -> None:
    server.answers = [completion(" four and", finish="length")]
    made = Endpoint(server.url, "m").complete(PROMPT)
    assert (made.outcome, made.text) == ("cut_off", " four and")


def test_one_word_is_meant_to_stop_at_its_limit(server: Scripted) -> None:
    top = {" yes": -0.5, " No": -1.5, "maybe": -3.0}
    given = {"tokens": [" yes"], "token_logprobs": [-0.5], "top_logprobs": [top]}
    server.answers = [completion(" yes", finish="length", logprobs=given)]
    made = Endpoint(server.url, "m").complete(Prompt("p", "Right?", max_tokens=1, yes_no=True))
    # e^-0.5 / (e^-0.5 + e^-1.5) = 1 / (1 + e^-1); their sum is 0.6065 + 0.2231
    assert (made.outcome, made.p_yes, made.p_word) == ("ok", 0.7311, 0.8297)


def test_nothing_is_asked_beyond_the_ceiling(server: Scripted) -> None:
    server.answers = [completion(" four")]
    endpoint = Endpoint(server.url, "m", ceiling=20)
    outcomes = [endpoint.complete(PROMPT).outcome for _ in range(4)]
    assert outcomes == ["ok", "ok", "over_ceiling", "over_ceiling"]
    assert (endpoint.used, len(server.asked)) == (24, 2)


# -- tool calls ----------------------------------------------------------------------------------


def test_the_call_is_carried_out_here_and_its_row_goes_back(server: Scripted) -> None:
    server.answers = [
        message(None, [call("lookup_course", '{"code": "comp-3170"}')]),
        message("Yes, the COMP 3170 lab is on Tuesday."),
    ]
    reply = ChatModel(Endpoint(server.url, "m")).reply(QUESTION)
    assert reply.calls[0].result["title"] == "Analysis of Algorithms"
    told = server.asked[1]["messages"][-1]
    assert told["role"] == "tool"
    assert json.loads(told["content"])["lab"] is None
    assert not audit(reply, "field").passed


@pytest.mark.parametrize(
    "arguments",
    [
        *("", "{", "[]", "null", '"COMP 3170"', "{}", '{"code": 7}', '{"code": "A", "x": "B"}'),
        '{"course": "COMP 3170"}',
        "[" * 50_000,
    ],
)
def test_arguments_that_do_not_fit_are_named_and_the_model_is_told(
    server: Scripted, arguments: str
) -> None:
    server.answers = [message(None, [call("lookup_course", arguments)]), message("I do not know.")]
    endpoint = Endpoint(server.url, "m")
    reply = ChatModel(endpoint).reply(QUESTION)
    assert [line.outcome for line in endpoint.log] == ["ok", "invalid_arguments", "ok"]
    assert [(c.ok, c.name) for c in reply.calls] == [(False, "lookup_course")]
    assert "expected an object with code" in server.asked[1]["messages"][-1]["content"]


def test_a_tool_that_does_not_exist(server: Scripted) -> None:
    server.answers = [message(None, [call("cancel_course", "{}")]), message("Done, cancelled.")]
    endpoint = Endpoint(server.url, "m")
    reply = ChatModel(endpoint).reply(QUESTION)
    assert [line.outcome for line in endpoint.log] == ["ok", "unknown_tool", "ok"]
    assert [(c.ok, c.name) for c in reply.calls] == [(False, "cancel_course")]


def test_a_model_that_only_ever_calls_is_stopped(server: Scripted) -> None:
    server.answers = [message(None, [call("lookup_course", '{"code": "COMP 3170"}')])]
    reply = ChatModel(Endpoint(server.url, "m")).reply(QUESTION)
    assert (reply.text, len(reply.calls), len(server.asked)) == ("", ROUNDS, ROUNDS + 1)
    assert server.asked[-1]["tool_choice"] == "none"


def test_a_call_written_into_the_text_is_text(server: Scripted) -> None:
    written = '{"name": "lookup_course", "arguments": {"code": "COMP 3170"}}'
    server.answers = [message(written)]
    reply = ChatModel(Endpoint(server.url, "m")).reply(QUESTION)
    assert (reply.text, reply.calls) == (written, ())


# -- recordings ----------------------------------------------------------------------------------

PROMPTS = [Prompt(f"p{number}", f"{number} and one is") for number in range(5)]
CARD = {"claimlab": "0", "plan": "sums"}


def test_an_interrupted_recording_goes_on_where_it_stopped(
    server: Scripted, tmp_path: Path
) -> None:
    path = tmp_path / "Übung 1" / "sums.jsonl"
    server.answers = [completion(" some")]
    endpoint = Endpoint(server.url, "m")
    loop = record(PROMPTS, endpoint.complete, path, CARD)
    next(loop), next(loop)
    loop.close()
    with path.open("a", encoding="utf-8") as file:
        file.write('{"id": "p2", "text": "so')  # the third was being written
    assert [made.id for made in record(PROMPTS, endpoint.complete, path, CARD)] == [
        "p2",
        "p3",
        "p4",
    ]
    assert [made.id for made in read_recording(path)] == ["p0", "p1", "p2", "p3", "p4"]
    assert list(record(PROMPTS, endpoint.complete, path, CARD)) == []
    assert len(server.asked) == 5


@pytest.mark.parametrize("outcome", FAILURES)
def test_a_failure_loses_nothing_and_is_asked_again(
    server: Scripted, tmp_path: Path, outcome: str
) -> None:
    path = tmp_path / "sums.jsonl"
    endpoint = Endpoint(server.url, "m", timeout=patience(outcome), retries=0)
    server.answers = [completion(" one"), completion(" two"), FAILURES[outcome]]
    assert [made.outcome for made in record(PROMPTS, endpoint.complete, path, CARD)][:2] == [
        "ok"
    ] * 2
    kept = [(made.id, made.outcome) for made in read_recording(path)]
    assert kept == [("p0", "ok"), ("p1", "ok")] + [(f"p{n}", outcome) for n in (2, 3, 4)]
    server.answers = [completion(" more")]
    assert [made.id for made in record(PROMPTS, endpoint.complete, path, CARD)] == [
        "p2",
        "p3",
        "p4",
    ]
    texts = {made.id: made.text for made in read_recording(path)}
    assert texts == {"p0": " one", "p1": " two", "p2": " more", "p3": " more", "p4": " more"}


def test_another_card_or_prompt_is_refused_and_the_file_stays(
    server: Scripted, tmp_path: Path
) -> None:
    path = tmp_path / "sums.jsonl"
    server.answers = [completion(" one")]
    endpoint = Endpoint(server.url, "m")
    list(record(PROMPTS, endpoint.complete, path, CARD))
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"another card .field 'plan' differs"):
        list(record(PROMPTS, endpoint.complete, path, CARD | {"plan": "other"}))
    with pytest.raises(InputError, match="id 'p0': was recorded with another prompt"):
        list(record([Prompt("p0", "Nought and one is")], endpoint.complete, path, CARD))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"id": "p0"}', "line 2: field 'text' is missing"),
        ('{"id": 7, "text": ""}', "line 2: field 'id': expected str, got 7"),
        ("[1]", "line 2"),
        ("{", "line 2"),
    ],
)
def test_a_damaged_recording_names_its_line(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(CARD) + "\n" + line + "\n", "utf-8")
    with pytest.raises(InputError, match=says):
        read_recording(path)


def test_a_recording_without_a_card_or_twice_an_id(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    line = {
        "id": "a",
        "text": "",
        "tokens": 1,
        "ms": 1,
        "outcome": "ok",
        "temperature": 0,
        "seed": 0,
    }
    body = json.dumps(line | {"sha256": "0"}) + "\n"
    path.write_text(body, "utf-8")
    with pytest.raises(InputError, match="expected the experiment card"):
        read_recording(path)
    path.write_text(json.dumps(CARD) + "\n" + body + body, "utf-8")
    with pytest.raises(InputError, match="id 'a': expected once, came twice"):
        read_recording(path)
    with pytest.raises(InputError, match="no such recording, expected one of "):
        read_recording("songs")


# -- the command ---------------------------------------------------------------------------------


def test_ask_prints_the_ledger_of_a_live_answer(server: Scripted, claimlab: Command) -> None:
    server.answers = [
        message(None, [call("lookup_course", '{"code": "COMP 3170"}')]),
        message("Yes, the COMP 3170 lab is on Tuesday."),
    ]
    done = claimlab("ask", QUESTION, "--base-url", server.url, "--model", "m")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "RESULT: FAIL (unbacked claim)"
    assert "note: lookup_course: ok" in done.stderr


def test_ask_says_in_one_line_what_went_wrong(server: Scripted, claimlab: Command) -> None:
    server.answers = [FAILURES["unauthorised"]]
    done = claimlab("ask", QUESTION, "--base-url", server.url, "--model", "m")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("claimlab: unauthorised: 401 or 403: the key is missing")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "which model? give --base-url and --model, or --local"),
        (("--base-url", "http://x/v1"), "which model?"),
        (("--local", "--model", "m"), "--local goes without"),
        (("--base-url", "localhost:1", "--model", "m"), "base URL: expected http"),
        (("--base-url", f"http://u:{KEY}@x/v1", "--model", "m"), "put the key into"),
        (("--base-url", f"http://x/v1?key={KEY}", "--model", "m"), "put the key into"),
        (("--base-url", "http://x/v1", "--model", "m", "--timeout", "0"), "expected positive"),
    ],
)
def test_options_that_name_no_model(claimlab: Command, options: tuple[str, ...], says: str) -> None:
    for words in (("ask", QUESTION), ("record", "courses")):
        done = claimlab(*words, *options)
        assert done.returncode == 2
        assert says in done.stderr
        assert KEY not in done.stderr


def test_record_stops_where_asking_on_makes_no_sense(
    server: Scripted, claimlab: Command, tmp_path: Path
) -> None:
    server.answers = [completion(" one"), completion(" two"), FAILURES["unauthorised"]]
    out = tmp_path / "courses.jsonl"
    options = ("record", "courses", "--base-url", server.url, "--model", "m", "--out", out)
    done = claimlab(*options)
    assert done.returncode == 2
    assert "unauthorised" in done.stderr
    assert [made.outcome for made in read_recording(out)] == ["ok", "ok", "unauthorised"]
    assert len(server.asked) == 3
    assert "answers" in claimlab("record", "--help").stdout
    assert claimlab("record", "songs", "--local").returncode == 2


def test_no_key_in_any_output(server: Scripted, claimlab: Command, tmp_path: Path) -> None:
    out = tmp_path / "courses.jsonl"
    echo = completion(f" Your key is {KEY}.")
    server.answers = [echo, echo, FAILURES["refused"], FAILURES["unauthorised"]]
    recorded = claimlab("record", "courses", "--base-url", server.url, "--model", "m", "--out", out)
    server.answers = [message(f"Your key is {KEY}.", [call(KEY, f'{{"{KEY}": 1}}')]), message(KEY)]
    asked = claimlab("ask", QUESTION, "--base-url", server.url, "--model", "m", "--json")
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert "Your key is [key]." in out.read_text("utf-8")
    for text in (
        recorded.stdout,
        recorded.stderr,
        out.read_text("utf-8"),
        asked.stdout,
        asked.stderr,
    ):
        assert KEY not in text


def test_every_outcome_has_a_meaning() -> None:
    assert all(text == text.strip() and text for text in OUTCOMES.values())
