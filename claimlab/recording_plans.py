"""What a model is asked when a recording is made: the prompts of each lab, in a fixed order.

The texts are in ``data/recording_prompts.toml``, the rows in ``data/courses.jsonl`` and
``data/recorded_courses.jsonl``. Nothing is drawn at random: a plan is the same on every machine.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from claimlab import __version__
from claimlab.catalog import Row
from claimlab.courses import courses
from claimlab.files import DATA, read_records, read_text, read_toml
from claimlab.jury import World, training_run
from claimlab.recordings import Prompt
from claimlab.trace import ToolCall

PROMPTS = DATA / "recording_prompts.toml"
ROWS = DATA / "recorded_courses.jsonl"

ORDERS = ("yes or no", "no or yes")
"""The two orders of the words that a grader chooses from."""


@lru_cache(maxsize=1)
def _texts() -> dict[str, Any]:
    return read_toml(PROMPTS)


def plan(name: str) -> tuple[Prompt, ...]:
    """Return the prompts of a plan, in order. Raises KeyError for a name not in ``PLANS``.

    >>> len(plan("courses"))
    567
    >>> print(plan("courses")[3].text.splitlines()[-2])
    Question: When is the COMP 2130 lab?
    """
    return tuple(PLANS[name]())


# -- lab 1: answers over a row -------------------------------------------------------------------


@lru_cache(maxsize=1)
def recorded_rows() -> tuple[Row, ...]:
    """Return the rows that the model is asked about: the three of lab 1, and 24 more."""
    more = [record.fields for record in read_records(ROWS)]
    return (*courses().rows.values(), *more)


def recorded_row(code: str) -> Row:
    """Return one of the recorded rows. Raises KeyError for a code that is not there."""
    return {row["code"]: row for row in recorded_rows()}[code]


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_TIMES = ("10:00", "14:00", "09:00", "16:00")
_TERMS = ("Fall", "Winter", "Spring")


def wrong_values(row: Row) -> dict[str, str]:
    """Return a day, a time and a term that a recorded row does not have: a hint that is false.

    Row by row the next value of a list, so that no day is hinted at more than the others.

    >>> wrong_values(recorded_rows()[1])
    {'day': 'Tuesday', 'time': '14:00', 'term': 'Spring'}
    """
    place = recorded_rows().index(row)

    def other(values: Sequence[str], own: str) -> str:
        left = [value for value in values if value not in own]
        return left[place % len(left)]

    lab = row["lab"] or ""
    return {
        "day": other(_DAYS, lab),
        "time": other(_TIMES, lab),
        "term": other(_TERMS, row["term"]),
    }


def _drawn(key: str, text: str, max_tokens: int, about: Mapping[str, Any]) -> Iterable[Prompt]:
    """Ask the same once at each temperature. The seed comes from the id: its own, and always it."""
    for temperature in _texts()["temperatures"]:
        name = f"{key}/t{temperature}"
        seed = 0 if not temperature else zlib.crc32(name.encode()) % 1_000_000
        yield Prompt(name, text, temperature, seed, max_tokens, about=about)


def _courses() -> Iterable[Prompt]:
    texts = _texts()["courses"]
    for row in recorded_rows():
        hints = wrong_values(row)
        for kind, question in texts["questions"].items():
            asked = question.format(code=row["code"], **hints)
            item = texts["item"].format(row=json.dumps(dict(row)), question=asked)
            about = {"code": row["code"], "kind": kind, "question": asked}
            text = f"{texts['examples']}\n{item}"
            yield from _drawn(f"{row['code']}/{kind}", text, texts["max_tokens"], about)


# -- grades: is that right? ----------------------------------------------------------------------


def _grading(texts: Mapping[str, Any], order: str, examples: Sequence[str], harsh: str) -> str:
    """The part of a grading prompt before the item: the instruction and the graded examples."""
    turned = examples if order == ORDERS[0] else examples[::-1]
    instruction = texts["instruction"].format(order=order)
    return "\n\n".join([f"{instruction} {harsh}".strip(), *turned])


def _graded(
    texts: Mapping[str, Any],
    order: str,
    examples: Sequence[Mapping[str, Any]],
    item: Mapping[str, str],
    how: str = "fair",
) -> str:
    """Return one grading prompt: in one of four ways (see ``_grades``)."""
    form = texts["bare"] if how == "bare" else texts["item"]
    shown = [
        form.format(order=order, **example) + (" yes" if example["right"] else " no")
        for example in examples
    ]
    asked = texts["told"] if how == "told" else form
    head = _grading(texts, order, shown, texts.get("harsh", "") if how == "harsh" else "")
    return f"{head}\n\n{asked.format(order=order, **item)}"


def _grade(key: str, item: Mapping[str, Any], how: str, order: str, **about: Any) -> Prompt:
    """Return the prompt that asks whether one answer over a row is right."""
    texts = _texts()["grades"]
    text = _graded(texts, order, texts["examples"], item, how)
    told = {"how": how, "order": order, **about}
    name = f"{key}/{how}/{order.split()[0]}"
    return Prompt(name, text, max_tokens=texts["max_tokens"], yes_no=True, about=told)


def _grades() -> Iterable[Prompt]:
    """Each recorded answer graded by its own model, and the controls.

    ``fair`` in both orders for every answer; ``harsh``, ``bare`` (the row is not shown) and
    ``told`` (a checker's verdict is shown) for the answers at temperature 0; a ``planted`` error in
    every right one of these; and ``others``, written by the author of the course.
    """
    from claimlab.answers import answers

    texts = _texts()["grades"]
    for row in recorded_rows():
        mine = [answer for answer in answers() if answer.row["code"] == row["code"]]
        seen: set[tuple[str, str]] = set()
        for answer in mine:
            question, text = answer.completion.about["question"], answer.reply.text
            if (question, text) in seen:
                continue  # the same prompt: the same grade
            seen.add((question, text))
            right = answer.label == "TOOL"
            item = _item(row, question, text, right)
            about = {"code": row["code"], "question": question, "answer": text}
            key = answer.completion.id
            first = not answer.completion.temperature
            for how in ("fair", "harsh", "bare", "told") if first else ("fair",):
                for order in ORDERS if how == "fair" else ORDERS[:1]:
                    yield _grade(key, item, how, order, author="model", of=key, **about)
            spoilt = planted(row, text) if first and right else None
            if spoilt is not None:
                item = _item(row, question, spoilt, False)
                about |= {"answer": spoilt, "of": key, "right": False}
                for order in ORDERS:
                    yield _grade(f"{key}/planted", item, "fair", order, author="planted", **about)
        yield from _others(row, texts["others"])


def _item(row: Row, question: str, answer: str, right: bool) -> dict[str, Any]:
    verdict = "right" if right else "wrong"
    return {
        "row": json.dumps(dict(row)),
        "question": question,
        "answer": answer,
        "verdict": verdict,
    }


def planted(row: Row, text: str) -> str | None:
    """Return a right answer with one wrong value in it, or None where there is no value to spoil.

    >>> planted(recorded_row("COMP 4081"), "The COMP 4081 lab is on Wednesday at 10:00.")
    'The COMP 4081 lab is on Thursday at 10:00.'
    >>> planted(recorded_row("COMP 3170"), "No lab is listed for COMP 3170.")
    'A Tuesday lab is listed for COMP 3170.'
    """
    wrong = wrong_values(row)
    day = row["lab"].split()[0] if row["lab"] else None
    swaps = ((row["term"], wrong["term"]), (day, wrong["day"]), ("No lab", f"A {wrong['day']} lab"))
    for own, other in swaps:
        if own and own in text:
            return text.replace(own, other)
    return None


def _others(row: Row, texts: Mapping[str, Sequence[str]]) -> Iterable[Prompt]:
    """Right and wrong sentences about a row that the model did not write."""
    rows = recorded_rows()
    other = rows[(rows.index(row) + 1) % len(rows)]
    values = {"other_term": wrong_values(row)["term"], "other_title": other["title"], **row}
    question = f"What does the catalog say about {row['code']}?"
    for right, sentences in ((True, texts["right"]), (False, texts["wrong"])):
        for number, sentence in enumerate(sentences):
            text = sentence.format(**values)
            about = {"code": row["code"], "question": question, "answer": text, "right": right}
            key = f"{row['code']}/others-{'right' if right else 'wrong'}-{number}"
            for order in ORDERS:
                yield _grade(
                    key, _item(row, question, text, right), "fair", order, author="other", **about
                )


# -- lab 2: claims about the notes of a training run ---------------------------------------------


@lru_cache(maxsize=1)
def recorded_worlds() -> Mapping[str, World]:
    """Return the worlds of the claims about training runs: that of lesson 2, and two more."""
    lesson = training_run()
    worlds = {}
    for entry in _texts()["run"]["worlds"]:
        facts = dict(entry.get("facts", lesson.facts)) | dict.fromkeys(entry.get("silent", ()))
        worlds[entry["name"]] = World(facts, lesson.words)
    return worlds


def author_statements() -> tuple[tuple[str, str], ...]:
    """Return the author's statements about training runs, each with its predicate."""
    return tuple((entry["claim"], entry["predicate"]) for entry in _texts()["run"]["statements"])


def _run() -> Iterable[Prompt]:
    """The model writes a sentence about each topic of each world's notes."""
    texts = _texts()["run"]["claims"]
    for name, world in recorded_worlds().items():
        for topic in texts["topics"]:
            item = texts["item"].format(facts=json.dumps(dict(world.facts)), topic=topic)
            about = {"world": name, "topic": topic}
            text = f"{texts['examples']}\n{item}"
            yield from _drawn(f"{name}/{topic}", text, texts["max_tokens"], about)


def _run_grades() -> Iterable[Prompt]:
    """Claims about each world's notes graded by the model: its own, and those of the author."""
    from claimlab.self_grades import run_claims

    texts = _texts()["run"]
    for claim in run_claims():
        item = {
            "facts": json.dumps(dict(claim.world.facts)),
            "claim": claim.text,
            "verdict": "right" if claim.right else "wrong",
        }
        about: dict[str, Any] = {
            "author": claim.author,
            "world": claim.world_name,
            "claim": claim.text,
        }
        about |= {"of": claim.id} if claim.author == "model" else {"right": claim.right}
        for how in ("fair", "bare", "told"):
            for order in ORDERS if how == "fair" else ORDERS[:1]:
                yield Prompt(
                    f"{claim.id}/{how}/{order.split()[0]}",
                    _graded(texts, order, texts["examples"], item, how),
                    max_tokens=texts["max_tokens"],
                    yes_no=True,
                    about={"how": how, "order": order, **about},
                )


# -- lab 3: structured answers --------------------------------------------------------------------


def _templates() -> Iterable[Prompt]:
    """One JSON object for each question over each packet, held to the response schema."""
    from claimlab.generator import completion_prompt, generation_cases, packet_hash, schema

    for name, case in generation_cases().items():
        about = {"request_id": name, "packet_sha256": packet_hash(case.request)}
        yield Prompt(
            f"{name}/t0.0",
            completion_prompt(case.request),
            max_tokens=_texts()["templates"]["max_tokens"],
            stop=("\n\n",),
            schema=schema("response"),
            about=about,
        )


# -- lab 4: free replies -------------------------------------------------------------------------


def _orders() -> Iterable[Prompt]:
    """The model answers a customer after a call that succeeded, failed, or never happened."""
    texts = _texts()["orders"]
    for number, wish in enumerate(texts["wishes"]):
        created = {"order_id": f"ORD-{30417 + 61 * number}", "status": "created"}
        failed = {"error": texts["errors"][number % len(texts["errors"])]}
        for kind, result in (("created", created), ("failed", failed), ("absent", None)):
            told = ": not called" if result is None else f" create_order: {json.dumps(result)}"
            item = texts["item"].format(wish=wish, result=told)
            about = {"wish": wish, "kind": kind, "result": result}
            text = f"{texts['examples']}\n{item}"
            yield from _drawn(f"{number:02}/{kind}", text, texts["max_tokens"], about)


def _judge() -> Iterable[Prompt]:
    """The model judges labelled replies of two releases, in both orders of the two words."""
    from claimlab.order_judges import backed
    from claimlab.releases import RATES, release

    texts = _texts()["judge"]
    for reply in (one for name in RATES for one in release(name)[: texts["replies"]]):
        tools = "; ".join(_returned(call) for call in reply.calls) or "none"
        about = {"author": "other", "world": reply.tag, "claim": reply.reply}
        for order in ORDERS:
            yield Prompt(
                f"{reply.tag}/{order.split()[0]}",
                _graded(texts, order, texts["examples"], {"tools": tools, "reply": reply.reply}),
                max_tokens=texts["max_tokens"],
                yes_no=True,
                about={"how": "fair", "order": order, **about, "right": backed(reply.label)},
            )


def _returned(call: ToolCall) -> str:
    return f"{call.name}{'' if call.ok else ' failed'}: {json.dumps(call.result)}"


PLANS: Mapping[str, Callable[[], Iterable[Prompt]]] = {
    "courses": _courses,
    "grades": _grades,
    "run": _run,
    "run_grades": _run_grades,
    "templates": _templates,
    "orders": _orders,
    "judge": _judge,
}
"""Each plan under its name. What is recorded for one is in ``data/recordings/<name>.jsonl``."""

SOURCES: Mapping[str, tuple[Path, ...]] = {
    "courses": (DATA / "courses.jsonl", ROWS),
    "grades": (DATA / "recordings" / "courses.jsonl",),
    "run": (DATA / "jury_facts.toml",),
    "run_grades": (DATA / "recordings" / "run.jsonl",),
    "templates": (DATA / "handbook.toml", DATA / "handbook_questions.toml"),
    "orders": (),
    "judge": (DATA / "order_wordings.toml",),
}
"""What a plan's prompts show to the model, beside the texts of this course."""


def card(
    name: str, prompts: Sequence[Prompt], model: Mapping[str, Any], runtime: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the experiment card of a plan: everything that could make another text come out.

    ``prompt_format`` is the first prompt in full; ``prompts_sha256`` covers all of them with their
    settings, so that a better prompt is not credited to a better model.
    """
    together = hashlib.sha256("".join(prompt.sha256 for prompt in prompts).encode())
    return {
        "claimlab": __version__,
        "plan": name,
        "model": dict(model),
        "runtime": dict(runtime),
        "decoding": {
            "temperatures": sorted({prompt.temperature for prompt in prompts}),
            "seeds": "of each line",
            "max_tokens": max(prompt.max_tokens for prompt in prompts),
            "stop": list(prompts[0].stop),
            "cache_prompt": False,
        },
        "prompts": len(prompts),
        "prompts_sha256": together.hexdigest(),
        "prompt_format": prompts[0].text,
        "sources": {path.name: fingerprint(path) for path in SOURCES[name]},
    }


def fingerprint(path: Path) -> str:
    """Return the SHA-256 of a file's text, with Unix line ends."""
    return hashlib.sha256(read_text(path).encode()).hexdigest()
