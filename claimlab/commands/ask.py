"""``claimlab ask``: one question to a live model, and its ledger."""

from __future__ import annotations

import argparse
from typing import Any

from claimlab.commands.common import FAIL, PASS, print_json, say
from claimlab.commands.record import add_endpoint, endpoint
from claimlab.errors import InputError
from claimlab.files import DATA, read_text


def add(commands: Any) -> None:
    """Add ``ask`` to the command."""
    ask = commands.add_parser(
        "ask",
        help="ask a live model one question and judge its answer",
        description="Asks a model behind an OpenAI-compatible chat endpoint one question about the "
        "courses of lab 1, carries out the tool calls that it makes, and prints its ledger.",
        epilog="An API key is read from OPENAI_API_KEY. "
        'Example: claimlab ask "Does COMP 3170 have a Tuesday lab?" '
        "--base-url http://127.0.0.1:11434/v1 --model llama3.2",
    )
    ask.add_argument("question", metavar="QUESTION")
    add_endpoint(ask)
    ask.add_argument(
        "--must-call",
        action="store_true",
        help="make the model call a tool first; small models rarely do by themselves",
    )
    ask.add_argument("--reasons", action="store_true", help="print why, a line a claim")
    ask.add_argument("--json", action="store_true", help="print one JSON document instead")
    ask.set_defaults(run=_ask)


def _ask(arguments: argparse.Namespace) -> int:
    from claimlab.ledger import audit
    from claimlab.local_model import CHAT_STOP
    from claimlab.models import ChatModel

    if not arguments.question.strip():
        raise InputError("question: expected text, got nothing")
    template = read_text(DATA / "chat_template.jinja").rstrip("\n") if arguments.local else None
    with endpoint(arguments, template) as (asked, _, _):
        must = arguments.must_call or arguments.local
        model = ChatModel(
            asked,
            tool_choice="required" if must else "auto",
            stop=CHAT_STOP if arguments.local else (),
        )
        reply = model.reply(arguments.question)
    for line in asked.log:
        say(f"note: {line.what}: {line.outcome}, {line.tokens} tokens, {line.ms:.0f} ms")
    ledger = audit(reply, "field", "both", question=arguments.question)
    if arguments.json:
        print_json(ledger)
    else:
        print(ledger.text(arguments.reasons))
    return PASS if ledger.passed else FAIL
