"""The lessons' plots. Each has a reading: one line of text that says what it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from claimlab.abstention import Cells
from claimlab.cases import Score
from claimlab.intervals import Share
from claimlab.jury_cases import Confusion
from claimlab.order_counts import Rates

BLUE, ORANGE = "#0072b2", "#d55e00"  # Okabe and Ito: told apart by colour-blind readers


def score_plot(scores: Sequence[Score], title: str = "") -> Any:
    """Return a figure: for each judge, the share of guesses it passed and of facts it failed."""
    passed = [s.false_passes / s.guessed for s in scores]
    failed = [s.false_fails / s.tool for s in scores]
    series = [("guesses passed", ORANGE, "///", passed), ("facts failed", BLUE, "", failed)]
    return _paired_bars([s.judge for s in scores], series, title)


def _paired_bars(
    names: Sequence[str], series: Sequence[tuple[str, str, str, list[float]]], title: str
) -> Any:
    """Return a figure of two bars a name: a label, a colour, a hatching and shares for each.

    Bars differ in hatching and carry their numbers, so the plot reads without colour.
    """
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.2, 1.3 + 0.45 * len(names)), layout="constrained")
    height = 0.36
    for place, (label, colour, hatch, shares) in zip((-0.5, 0.5), series, strict=True):
        bars = axes.barh(
            [n + place * height for n in range(len(names))],
            shares,
            height,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            label=label,
        )
        axes.bar_label(bars, [f"{share:.0%}" for share in shares], padding=4)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.12)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    axes.set_title(title, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return figure


def score_reading(scores: Sequence[Score]) -> str:
    """Return the plot in one line."""
    parts = [f"{s.judge} {s.false_passes / s.guessed:.0%}" for s in scores]
    failed = [f"{s.judge} {s.false_fails / s.tool:.0%}" for s in scores]
    return f"Guesses passed: {', '.join(parts)}. Facts failed: {', '.join(failed)}."


def confusion_plot(
    matrices: Mapping[str, Confusion],
    labels: tuple[str, str] = ("sound", "hollow"),
    title: str = "Rows that each jury locks",
) -> Any:
    """Return a figure: for each jury, the share of sound and of hollow rows that it locked."""
    sound = [m.sound_locked / m.sound for m in matrices.values()]
    hollow = [m.hollow_locked / m.hollow for m in matrices.values()]
    series = [(labels[0], BLUE, "", sound), (labels[1], ORANGE, "///", hollow)]
    return _paired_bars(list(matrices), series, title)


def release_plot(releases: Mapping[str, Rates]) -> Any:
    """Return a figure: for each release, the share that version one flags, and that does harm."""
    flagged = [r.flagged / r.total for r in releases.values()]
    harmful = [r.harmful / r.total for r in releases.values()]
    series = [("flagged by version one", BLUE, "", flagged), ("harm done", ORANGE, "///", harmful)]
    return _paired_bars(list(releases), series, "Of a release's replies")


def release_reading(releases: Mapping[str, Rates]) -> str:
    """Return the plot in one line."""
    parts = [
        f"{name}: flagged {r.flagged / r.total:.0%}, harm {r.harmful / r.total:.0%}"
        for name, r in releases.items()
    ]
    return "; ".join(parts) + "."


MARKERS = ("o", "s", "^", "D")


def interval_plot(series: Mapping[str, Mapping[str, Share]], title: str = "") -> Any:
    """Return a figure of shares with their 95 % intervals: a row a name, a marker a series.

    ``series`` maps a label to its shares by name. Markers differ in shape, so the plot reads
    without colour.
    """
    import matplotlib.pyplot as plt

    names = list(next(iter(series.values())))
    figure, axes = plt.subplots(figsize=(7.2, 1.3 + 0.5 * len(names)), layout="constrained")
    colours = (BLUE, ORANGE, "#009e73", "#56b4e9")
    step = 0.6 / max(len(series), 2)
    for number, (label, shares) in enumerate(series.items()):
        places = [n + (number - (len(series) - 1) / 2) * step for n in range(len(names))]
        values = [shares[name].value for name in names]
        below = [shares[name].value - shares[name].low for name in names]
        above = [shares[name].high - shares[name].value for name in names]
        axes.errorbar(
            values,
            places,
            xerr=[below, above],
            fmt=MARKERS[number],
            color=colours[number],
            capsize=3,
            label=label,
        )
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(-0.02, 1.02)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    axes.grid(axis="x", alpha=0.3)
    axes.set_title(title, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return figure


def coverage_plot(found: Mapping[str, Cells]) -> Any:
    """Return a figure: each answerer as a point, coverage to the right, risk upwards.

    An answerer without an answer has no risk, so it has no point: it is named at the edge.
    """
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.2, 4), layout="constrained")
    silent = [name for name, cells in found.items() if cells.risk is None]
    for number, (name, cells) in enumerate(found.items()):
        if cells.risk is not None and cells.coverage is not None:
            marker = MARKERS[number % len(MARKERS)]
            axes.plot(cells.coverage, cells.risk, marker, color=BLUE, markersize=9, clip_on=False)
            left = cells.coverage > 0.7
            axes.annotate(
                name,
                (cells.coverage, cells.risk),
                xytext=(-10 if left else 10, 6),
                textcoords="offset points",
                ha="right" if left else "left",
            )
    if silent:
        axes.axvline(0, color=ORANGE, linestyle=":", linewidth=3)
        axes.text(0.02, 0.94, f"{', '.join(silent)}: 0 of 0, no point", color=ORANGE)
    ticks = [0, 0.25, 0.5, 0.75, 1]
    axes.set_xticks(ticks, [f"{tick:.0%}" for tick in ticks])
    axes.set_yticks(ticks, [f"{tick:.0%}" for tick in ticks])
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_xlabel("coverage: the share of questions that are answered")
    axes.set_ylabel("risk: the share of answers that are wrong")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def coverage_reading(found: Mapping[str, Cells]) -> str:
    """Return the plot in one line."""
    parts = [
        f"{name}: coverage {_percent(cells.coverage)}, risk {_percent(cells.risk)}"
        for name, cells in found.items()
    ]
    return "; ".join(parts) + "."


def _percent(value: float | None) -> str:
    return "none (0 of 0)" if value is None else f"{value:.0%}"
