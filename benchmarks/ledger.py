"""Claims per second of each judge, and whether a claim costs the same in a long run as in a short.

The claims are the labelled cases' claims over their rows, again and again, each with a number of
its own so that no two are the same text.

    python benchmarks/ledger.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from claimlab.cases import Case, ledger_cases
from claimlab.clauses import split_claims
from claimlab.ledger import JUDGES, audit, judge_claim
from claimlab.trace import Reply, ToolCall

RATE_CLAIMS = 1_000
SIZES = (1_000, 10_000, 100_000)
BLOCK = 1_000
"""Claims that are judged one after the other before the clock is read."""
REPLY_SENTENCES = (10, 100, 1_000)


def claims(count: int) -> Iterator[tuple[str, Case]]:
    """So many claims, all different."""
    for number, case in enumerate(islice(cycle(ledger_cases()), count)):
        yield f"Answer {number}: {case.claim}", case


def seconds(count: int, judge: str) -> Iterator[tuple[int, float]]:
    """After each block: claims judged so far, and seconds for them; making them is not timed."""
    done, spent, waiting = 0, 0.0, claims(count)
    while block := list(islice(waiting, BLOCK)):
        start = perf_counter()
        for claim, case in block:
            judge_claim(claim, case.row, judge)
        spent += perf_counter() - start
        done += len(block)
        yield done, spent


def rates() -> None:
    print(f"claims per second, {RATE_CLAIMS:,} claims a judge")
    rate = {}
    for judge in JUDGES:
        for done, spent in seconds(RATE_CLAIMS, judge):
            rate[judge] = done / spent
    for judge in JUDGES:
        print(f"  {judge:<8} {rate[judge]:>10,.0f}   {rate[judge] / rate['field']:7.2f} x field")


def flatness() -> None:
    print("cost per claim in one long run (judge field), as ratio to the first")
    first = None
    for done, spent in seconds(max(SIZES), "field"):
        if done in SIZES:
            cost = spent / done
            first = first or cost
            print(f"  {done:>7,} claims {cost * 1e6:8.0f} us a claim   ratio {cost / first:.2f}")


def replies() -> None:
    print("cost per sentence of one reply (split and audit), as ratio to the first")
    row = {"code": "COMP 4081", "term": "Fall", "title": "NLP", "lab": "Wednesday 10:00"}
    call = ToolCall("lookup_course", {"code": "COMP 4081"}, row)
    first = None
    for count in REPLY_SENTENCES:
        text = "The lab is on Wednesday at 10:00. " * count
        start = perf_counter()
        assert len(split_claims(text)) == count
        audit(Reply(text, (call,)))
        cost = (perf_counter() - start) / count
        first = first or cost
        print(f"  {count:>7,} sentences {cost * 1e6:8.0f} us each   ratio {cost / first:.2f}")


def main() -> None:
    list(seconds(BLOCK, "closed"))  # reads the vocabulary, compiles the patterns
    rates()
    flatness()
    replies()


if __name__ == "__main__":
    main()
