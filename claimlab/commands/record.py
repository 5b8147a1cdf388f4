"""``claimlab record``: ask a model what the lessons replay."""

from __future__ import annotations

import argparse
import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claimlab.commands.common import FAIL, PASS, progress
from claimlab.errors import InputError

if TYPE_CHECKING:
    from claimlab.endpoint import Endpoint


def add(commands: Any) -> None:
    """Add ``record`` to the command."""
    record = commands.add_parser(
        "record",
        help="ask a real model what the lessons replay, and write its answers down",
        description="Runs a plan of prompts through a model and writes a recording: an experiment "
        "card, then a line a completion. Interrupted, it goes on where it stopped when you run "
        "it again.",
        epilog="The order matters: courses first, then grades, which grades those answers. "
        "An API key is read from OPENAI_API_KEY.",
    )
    record.add_argument("plan", metavar="PLAN", help="courses, grades, run, run_grades or orders")
    record.add_argument(
        "--out", metavar="F", type=Path, help="the file (default: recordings/PLAN.jsonl)"
    )
    add_endpoint(record)
    record.add_argument(
        "--chat",
        action="store_true",
        help="ask the chat endpoint, where there is none that continues a text",
    )
    record.set_defaults(run=_record)


def add_endpoint(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which model is asked."""
    parser.add_argument("--base-url", metavar="URL", help="an OpenAI-compatible endpoint, …/v1")
    parser.add_argument("--model", metavar="NAME", help="the model's name at that endpoint")
    parser.add_argument(
        "--local",
        action="store_true",
        help="start the small model of the course on this machine (needs claimlab[local])",
    )
    parser.add_argument(
        "--timeout", metavar="S", type=float, default=60.0, help="seconds (default: 60)"
    )
    parser.add_argument(
        "--ceiling",
        metavar="N",
        type=int,
        default=2_000_000,
        help="stop after this many tokens, of prompts and answers (default: 2,000,000)",
    )


@contextlib.contextmanager
def endpoint(
    arguments: argparse.Namespace, chat_template: str | None = None, chat_only: bool = False
) -> Iterator[tuple[Endpoint, dict[str, Any], dict[str, Any]]]:
    """Give the endpoint that the options name, and what a card says of model and runtime."""
    from claimlab.endpoint import Endpoint

    limits = {
        "timeout": arguments.timeout,
        "ceiling": arguments.ceiling,
        "chat_only": chat_only,
    }
    if arguments.local:
        if arguments.base_url or arguments.model:
            raise InputError("--local goes without --base-url and --model")
        from claimlab.local_model import local_server, model_file, runtime, weights

        path = weights()
        with (
            local_server(path, chat_template) as url,
            Endpoint(url, path.stem, **limits) as asked,
        ):
            yield asked, model_file(path), runtime()
    elif arguments.base_url and arguments.model:
        model = {"name": arguments.model, "sha256": None}
        server = {"name": "OpenAI-compatible endpoint", "version": None}
        with Endpoint(arguments.base_url, arguments.model, **limits) as asked:
            yield asked, model, server
    else:
        raise InputError("which model? give --base-url and --model, or --local")


def _record(arguments: argparse.Namespace) -> int:
    from claimlab.endpoint import FATAL, OUTCOMES, ModelError
    from claimlab.recording_plans import PLANS, card, plan
    from claimlab.recordings import read_recording, record

    if arguments.plan not in PLANS:
        raise InputError(f"plan: expected one of {', '.join(PLANS)}, got {arguments.plan!r:.60}")
    prompts = plan(arguments.plan)
    out = arguments.out or Path("recordings") / f"{arguments.plan}.jsonl"
    with endpoint(arguments, chat_only=arguments.chat) as (asked, model, runtime):
        made = card(arguments.plan, prompts, model, runtime)
        for completion in progress(
            record(prompts, asked.complete, out, made), "answers", len(prompts), every=1
        ):
            if completion.outcome in FATAL:
                raise ModelError(completion.outcome, f"what came before it is in {out}")
    outcomes = Counter(completion.outcome for completion in read_recording(out))
    print(f"{out}: {sum(outcomes.values())} of {len(prompts)} answers")
    for outcome, count in outcomes.most_common():
        print(f"  {outcome:<18} {count:>5}   {OUTCOMES[outcome]}")
    return PASS if outcomes["ok"] + outcomes["cut_off"] == len(prompts) else FAIL
