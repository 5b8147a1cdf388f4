"""An OpenAI-compatible endpoint, asked over HTTP: what came back, or the name of what went wrong.

The ``openai`` client (extra ``llm``) does the asking, the time-outs, and the retries: it waits
longer each time, and as long as a ``Retry-After`` says. Here each failure gets its name.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from claimlab.errors import ClaimlabError, InputError
from claimlab.recordings import Completion, Prompt

if TYPE_CHECKING:
    import openai

KEY_VARIABLE = "OPENAI_API_KEY"
"""The environment variable that holds the key, where the endpoint wants one."""

OUTCOMES: Mapping[str, str] = {
    "ok": "an answer came",
    "cut_off": "the answer ran into its token limit and stops in the middle",
    "over_ceiling": "this run has used up its tokens; nothing more was asked",
    "unreachable": "no connection: nothing listens there, or the name is not known",
    "timed_out": "no answer in time",
    "unauthorised": "401 or 403: the key is missing, wrong, or not allowed to do this",
    "rate_limited": "429: too many questions, after waiting as long as the endpoint said",
    "server_error": "5xx: the endpoint broke",
    "refused": "another 4xx: the endpoint does not do what it was asked",
    "malformed": "the answer is no JSON, stops in the middle, or lacks what an answer has",
    "invalid_arguments": "a tool call whose arguments are no JSON object or do not fit the tool",
    "unknown_tool": "a tool call for a tool that does not exist",
}
"""What can come of a question, each with its meaning."""

FATAL = ("unreachable", "unauthorised", "over_ceiling")
"""After one of these there is no sense in asking on."""


class ModelError(ClaimlabError):
    """A model that did not answer: ``outcome`` names why (see ``OUTCOMES``)."""

    def __init__(self, outcome: str, detail: str = "") -> None:
        self.outcome = outcome
        super().__init__(f"{outcome}: {OUTCOMES[outcome]}" + (f" ({detail})" if detail else ""))


@dataclass(frozen=True)
class Asked:
    """One line of an endpoint's log: what was asked, what came of it, what it cost."""

    what: str
    outcome: str
    tokens: int = 0
    ms: float = 0.0
    detail: str = ""


@dataclass
class Endpoint:
    """Where to ask, and how patiently. ``log`` gets a line for each question.

    ``base_url`` ends in ``/v1``, as with llama.cpp, Ollama and vLLM. The key is read from the
    environment (``OPENAI_API_KEY``) and never shown. ``ceiling`` bounds the tokens of all answers
    and prompts together; ``timeout`` is in seconds; ``retries`` counts tries after the first.
    """

    base_url: str
    model: str
    timeout: float = 60.0
    retries: int = 2
    ceiling: int = 2_000_000
    chat_only: bool = False
    log: list[Asked] = field(default_factory=list)

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise InputError(
                f"base URL: expected http://host:port/v1 or https://…, got {parts.scheme!r:.20}"
            )
        if "@" in parts.netloc or parts.query:
            raise InputError(
                f"base URL: holds a name, a key or a query; put the key into {KEY_VARIABLE}"
            )
        if not self.model:
            raise InputError("model: expected the name of a model, got ''")
        if not self.timeout > 0 or self.retries < 0 or self.ceiling < 1:
            raise InputError("timeout, retries, ceiling: expected positive numbers")

    @cached_property
    def _client(self) -> openai.OpenAI:
        """One client for all questions: making one reads every certificate of the machine."""
        client: openai.OpenAI = _client_library().OpenAI(
            base_url=self.base_url,
            api_key=os.environ.get(KEY_VARIABLE) or "none",
            timeout=self.timeout,
            max_retries=self.retries,
        )
        return client

    def close(self) -> None:
        """Close the connections. ``with`` does it by itself."""
        if "_client" in self.__dict__:
            self._client.close()

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def used(self) -> int:
        """The tokens of this run so far."""
        return sum(line.tokens for line in self.log)

    def note(self, what: str, outcome: str, ms: float = 0.0) -> None:
        """Add a line to the log for what was done on this side, such as a tool call."""
        self.log.append(Asked(what, outcome, ms=ms))

    def complete(self, prompt: Prompt) -> Completion:
        """Return the completion of one prompt. Nothing is raised: the outcome says what came."""
        started = time.monotonic()
        text, p_yes, p_word, detail = "", None, None, ""
        try:
            answer = self._asked(prompt.id, lambda client: self._completed(client, prompt))
            text, (p_yes, p_word) = answer.text, answer.p
            outcome = self.log[-1].outcome
        except ModelError as error:
            outcome, detail = error.outcome, str(error)
        ms = round((time.monotonic() - started) * 1000, 1)
        return Completion(
            prompt.id,
            text,
            self.log[-1].tokens if not detail else 0,
            ms,
            outcome,
            prompt.temperature,
            prompt.seed,
            prompt.sha256,
            p_yes,
            p_word,
            prompt.about,
        )

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        tool_choice: str = "auto",
        **settings: Any,
    ) -> Mapping[str, Any]:
        """Return the message that a chat endpoint answers with: ``content``, ``tool_calls``.

        Raises ModelError with the outcome's name.
        """
        if tools:
            settings |= {"tools": list(tools), "tool_choice": tool_choice}

        def ask(client: openai.OpenAI) -> _Answered:
            asked: Any = list(messages)
            raw = client.chat.completions.create(model=self.model, messages=asked, **settings)
            choice = _first(raw)
            message: Any = choice.message
            if message is None:
                raise ModelError("malformed", "no message")
            return _Answered(
                message.content or "",
                _total(raw),
                choice.finish_reason,
                message=message.model_dump(exclude_none=True),
            )

        return self._asked("chat", ask).message

    def _completed(self, client: openai.OpenAI, prompt: Prompt) -> _Answered:
        settings: dict[str, Any] = {
            "model": self.model,
            "max_tokens": prompt.max_tokens,
            "temperature": prompt.temperature,
            "seed": prompt.seed,
            "stop": list(prompt.stop),
        }
        if self.chat_only:
            if prompt.schema is not None:
                held = {"name": "answer", "schema": prompt.schema, "strict": True}
                settings["response_format"] = {"type": "json_schema", "json_schema": held}
            if prompt.yes_no:
                settings |= {"logprobs": True, "top_logprobs": 20}
            asked: Any = [{"role": "user", "content": f"{CONTINUE}\n\n{prompt.text}"}]
            raw = client.chat.completions.create(messages=asked, **settings)
            text = _first(raw).message.content
        else:
            # llama.cpp: a prompt that is read anew each time gives the same text each time.
            extra: dict[str, Any] = {"cache_prompt": False}
            if prompt.schema is not None:
                extra["json_schema"] = prompt.schema
            if prompt.yes_no:
                settings["logprobs"] = 20
            raw = client.completions.create(prompt=prompt.text, extra_body=extra, **settings)
            text = _first(raw).text
        if not isinstance(text, str):
            raise ModelError("malformed", "no text")
        choice = _first(raw)
        finish = None if prompt.yes_no else choice.finish_reason
        return _Answered(
            text, _total(raw), finish, p=_yes_or_no(choice) if prompt.yes_no else (None, None)
        )

    def _asked(self, what: str, ask: Callable[[openai.OpenAI], _Answered]) -> _Answered:
        """Ask once; note what came of it; raise ModelError for what is no answer."""
        started = time.monotonic()
        outcome, tokens, detail = "ok", 0, ""
        try:
            if self.used >= self.ceiling:
                raise ModelError("over_ceiling", f"{self.used:,} of {self.ceiling:,} tokens")
            answer = self._named(ask)
            tokens = answer.tokens
            if answer.finish == "length":
                outcome = "cut_off"
            return answer
        except ModelError as error:
            outcome, detail = error.outcome, str(error)
            raise
        finally:
            ms = round((time.monotonic() - started) * 1000, 1)
            self.log.append(Asked(what, outcome, tokens, ms, detail))

    def _named(self, ask: Callable[[openai.OpenAI], _Answered]) -> _Answered:
        """Run one question; whatever the client raises becomes a ModelError with a name."""
        openai = _client_library()
        try:
            return _without_key(ask(self._client), os.environ.get(KEY_VARIABLE))
        except ModelError:
            raise
        except openai.APITimeoutError:
            raise ModelError("timed_out", f"{self.timeout:g} s") from None
        except openai.APIConnectionError as error:
            cause = type(error.__cause__).__name__
            # the connection stood, and broke off before the answer was whole
            outcome = "malformed" if cause == "RemoteProtocolError" else "unreachable"
            raise ModelError(outcome, cause) from None
        except openai.APIStatusError as error:
            raise ModelError(_status_outcome(error.status_code), str(error.status_code)) from None
        except (
            openai.APIError,
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
            RecursionError,
        ) as error:
            # no JSON, or JSON of another shape than an answer has
            raise ModelError("malformed", type(error).__name__) from None


@dataclass(frozen=True)
class _Answered:
    text: str
    tokens: int
    finish: str | None
    p: tuple[float | None, float | None] = (None, None)
    message: Mapping[str, Any] = field(default_factory=dict)


HIDDEN = "[key]"
"""What stands for the key where an endpoint sent it back."""

CONTINUE = "Continue this text with its next line. Write that line and nothing else."
"""What a chat model is told before a prompt that was written for a base model."""


def _without_key(answer: _Answered, key: str | None) -> _Answered:
    """A key that comes back in an answer goes no further."""
    if not key or key not in f"{answer.text} {answer.message}":
        return answer
    message = json.loads(json.dumps(answer.message).replace(key, HIDDEN))
    return replace(answer, text=answer.text.replace(key, HIDDEN), message=message)


def _client_library() -> Any:
    try:
        import openai
    except ImportError:
        raise InputError(
            "asking a live model needs the openai client: pip install 'claimlab[llm]'"
        ) from None
    return openai


def _status_outcome(status: int) -> str:
    if status in (401, 403):
        return "unauthorised"
    if status == 429:
        return "rate_limited"
    return "server_error" if status >= 500 else "refused"


def _first(raw: Any) -> Any:
    if not getattr(raw, "choices", None):
        raise ModelError("malformed", "no choices")
    return raw.choices[0]


def _total(raw: Any) -> int:
    usage = getattr(raw, "usage", None)
    total = getattr(usage, "total_tokens", None)
    return total if isinstance(total, int) else 0


def _yes_or_no(choice: Any) -> tuple[float | None, float | None]:
    """Return how probable "yes" is against "no", and how probable one of the two is at all.

    Words count in any case and with or without a space before them. (None, None) where the
    endpoint gives no probabilities.
    """
    probabilities = {"yes": 0.0, "no": 0.0}
    for token, logprob in _top(choice):
        word = token.strip().lower()
        if word in probabilities:
            probabilities[word] += math.exp(logprob)
    either = sum(probabilities.values())
    if not either:
        return None, None
    return round(probabilities["yes"] / either, 4), round(either, 4)


def _top(choice: Any) -> list[tuple[str, float]]:
    """The most probable first tokens, in either of the two shapes that endpoints use."""
    found = choice.logprobs
    if found is None:
        return []
    content = getattr(found, "content", None)
    if content:
        entries = [e if isinstance(e, dict) else e.model_dump() for e in content]
        return [(top["token"], top["logprob"]) for top in entries[0]["top_logprobs"]]
    top = getattr(found, "top_logprobs", None)
    return list(top[0].items()) if top else []
