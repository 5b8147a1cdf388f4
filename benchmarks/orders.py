"""Replies per second of the order evaluator, as ratios; and whether a long run costs the same.

Beside it: a plain-Python reading of the five definitions (two patterns, no scope, no ids of other
shapes), and negspacy where it is installed (``pip install spacy negspacy``), which only tells
whether an entity is negated. The replies are those of the two releases, each with a number of its
own so that no two are the same text; no reply is remembered, only words and their parts are.

    python benchmarks/orders.py            # up to 100,000 replies
    python benchmarks/orders.py 1000000
"""

from __future__ import annotations

import re
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from claimlab.domains import domain
from claimlab.order_logs import evaluate_log
from claimlab.orders import classify
from claimlab.releases import release
from claimlab.trace import ToolCall
from claimlab.trace_formats import Dialog, Said

SIZES = (1_000, 10_000, 100_000, 1_000_000)
SAMPLE = 5_000


def replies(count: int) -> Iterator[tuple[str, tuple[ToolCall, ...]]]:
    """So many replies with their calls, all different."""
    made = (*release("first"), *release("second"))
    for number, one in enumerate(islice(cycle(made), count)):
        yield f"{one.reply} [{number}]", one.calls


PLACED = re.compile(r"\border\b.*\b(?:placed|confirmed|submitted|created)\b", re.I)
ID = re.compile(r"\bORD-\d+\b")


def plain(reply: str, calls: tuple[ToolCall, ...]) -> str:
    """The five definitions, read literally."""
    if not PLACED.search(reply):
        return "no_claim"
    creates = [call for call in calls if call.name == "create_order"]
    if creates and not any(call.ok for call in creates):
        return "claimed_but_failed"
    ids = ID.findall(reply)
    if any(call.ok and call.result.get("order_id") in ids for call in creates):
        return "valid"
    if any(call.result.get("order_id") in ids for call in calls if call not in creates):
        return "valid_status_ref"
    return "phantom"


def rate(act: Callable[[str, tuple[ToolCall, ...]], object], count: int) -> float:
    """Replies per second of this process's time; making them is not timed."""
    made = list(replies(count))
    act(*made[0])
    start = process_time()
    for reply, calls in made:
        act(reply, calls)
    return count / (process_time() - start)


def negspacy() -> Callable[[str, tuple[ToolCall, ...]], object] | None:
    try:
        import negspacy.negation  # noqa: F401  # registers the pipe
        import spacy
    except ImportError:
        return None
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    ruler = nlp.add_pipe("entity_ruler")
    words = ("placed", "confirmed", "submitted", "created", "ordered")
    ruler.add_patterns([{"label": "CLAIM", "pattern": word} for word in words])
    nlp.add_pipe("negex", config={"ent_types": ["CLAIM"]})
    return lambda reply, calls: [ent._.negex for ent in nlp(reply).ents]


def flatness(most: int) -> None:
    print("streaming: cost a reply as ratio to the first, and the peak of memory")
    of, first = domain("shop"), None
    for size in [size for size in SIZES if size <= most]:
        entries = (Dialog((*calls, Said("assistant", r, 1))) for r, calls in replies(size))
        start = process_time()
        evaluate_log(entries, of)
        cost = (process_time() - start) / size
        first = first or cost
        few = (Dialog((*c, Said("assistant", r, 1))) for r, c in replies(min(size, 20_000)))
        tracemalloc.start()
        evaluate_log(few, of)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        print(
            f"  {size:>9,} replies {cost * 1e6:7.1f} us   ratio {cost / first:.2f}   {peak:.1f} MB"
        )


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    peers: dict[str, Callable[[str, tuple[ToolCall, ...]], object] | None] = {
        "classify": classify,
        "plain reading": plain,
        "negspacy": negspacy(),
    }
    found = {name: rate(act, SAMPLE) for name, act in peers.items() if act is not None}
    print(f"replies per second and core, {SAMPLE:,} replies")
    for name in peers:
        if name in found:
            ratio = found["classify"] / found[name]
            print(f"  {name:<14} {found[name]:>10,.0f}   classify is {ratio:5.2f} x")
        else:
            print(f"  {name:<14} not installed: pip install spacy negspacy")
    flatness(most)


if __name__ == "__main__":
    main()
