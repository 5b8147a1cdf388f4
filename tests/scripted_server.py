"""A real HTTP server on this machine that answers as a test tells it to."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """One answer: a status, a body, headers. ``promised`` is a Content-Length that is not kept."""

    body: str | Mapping[str, Any] = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    promised: int | None = None
    hang: bool = False


@dataclass
class Scripted:
    """What the server will answer, in order (the last one for ever), and what it was asked."""

    answers: list[Answer] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    url: str = ""


@contextlib.contextmanager
def scripted_server() -> Iterator[Scripted]:
    """Run the server for a while."""
    script = Scripted()
    released = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            script.asked.append({"path": self.path, **json.loads(self.rfile.read(length))})
            script.keys.append(self.headers.get("Authorization", ""))
            answer = script.answers.pop(0) if len(script.answers) > 1 else script.answers[0]
            if answer.hang:
                released.wait()
                self.close_connection = True
                return
            body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
            raw = body.encode()
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(answer.promised or len(raw)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)
            if answer.promised:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield script
    finally:
        released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def completion(text: str, finish: str = "stop", **more: Any) -> Answer:
    """A well-formed answer of the completion endpoint."""
    choice = {"index": 0, "text": text, "finish_reason": finish, "logprobs": None} | more
    usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
    return Answer(
        {"id": "c", "object": "text_completion", "created": 1, "model": "m", "choices": [choice]}
        | {"usage": usage}
    )


def message(content: str | None, calls: list[dict[str, Any]] | None = None) -> Answer:
    """A well-formed answer of the chat endpoint."""
    told: dict[str, Any] = {"role": "assistant", "content": content}
    if calls:
        told["tool_calls"] = calls
    choice = {"index": 0, "message": told, "finish_reason": "tool_calls" if calls else "stop"}
    usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
    return Answer(
        {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        | {"usage": usage}
    )


def call(name: str, arguments: str) -> dict[str, Any]:
    """One tool call as a chat endpoint writes it."""
    return {"id": "t1", "type": "function", "function": {"name": name, "arguments": arguments}}
