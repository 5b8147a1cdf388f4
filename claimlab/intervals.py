"""How sure a share is. Answers over the same row are not independent, so rows are resampled.

The interval is a percentile bootstrap over rows (Efron 1979), by ``scipy`` (extra ``notebooks``).
Where all rows agree, resampling cannot say anything: there the exact binomial interval (Clopper
and Pearson 1934) counts each row once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

_Row = TypeVar("_Row")

RESAMPLES = 1_000
SEED = 20_240
LEVEL = 0.95


@dataclass(frozen=True)
class Share:
    """A share and its interval: ``hits`` of ``total``, over ``rows`` rows."""

    hits: int
    total: int
    rows: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The share itself; NaN over nothing: 0 of 0 is not 0."""
        return self.hits / self.total if self.total else float("nan")

    def __str__(self) -> str:
        if not self.total:
            return "0 of 0"
        return f"{self.hits} of {self.total} ({self.low:.0%} to {self.high:.0%})"


def share_by_rows(rows: Sequence[Sequence[bool]]) -> Share:
    """Return the share of True over all rows, with its interval from resampling rows.

    >>> share = share_by_rows([[True, True], [False, False], [True, False]])
    >>> share.hits, share.total, share.rows, round(share.value, 2)
    (3, 6, 3, 0.5)
    """
    filled = [row for row in rows if row]
    hits, total = sum(map(sum, filled)), sum(map(len, filled))
    if not total:
        return Share(0, 0, 0, 0.0, 1.0)
    if hits in (0, total):
        exact = _stats().binomtest(len(filled) if hits else 0, len(filled)).proportion_ci(LEVEL)
        return Share(hits, total, len(filled), float(exact.low), float(exact.high))
    low, high = interval(filled, lambda drawn: sum(map(sum, drawn)) / sum(map(len, drawn)))
    return Share(hits, total, len(filled), low, high)


def interval(
    rows: Sequence[_Row], statistic: Callable[[Sequence[_Row]], float]
) -> tuple[float, float]:
    """Return the 95 % interval of a statistic over rows, by drawing rows with replacement.

    One row says nothing about another: (0, 1), the statistic being a share.
    """
    import numpy as np

    if len(rows) < 2:
        return 0.0, 1.0

    drawn = _stats().bootstrap(
        (np.arange(len(rows)),),
        lambda places: statistic([rows[place] for place in places]),
        n_resamples=RESAMPLES,
        confidence_level=LEVEL,
        method="percentile",
        vectorized=False,
        rng=np.random.default_rng(SEED),
    )
    return float(drawn.confidence_interval.low), float(drawn.confidence_interval.high)


def _stats() -> Any:
    try:
        from scipy import stats
    except ImportError:
        raise ImportError(
            "intervals need scipy: run `import scipy` in a cell of its own first, "
            "or install claimlab[notebooks]"
        ) from None
    return stats
