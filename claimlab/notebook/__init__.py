"""Everything that needs Jupyter: predictions, editors, plots. The core never imports it."""

from claimlab.notebook.bench import claim_bench
from claimlab.notebook.plots import (
    confusion_plot,
    coverage_plot,
    coverage_reading,
    interval_plot,
    release_plot,
    release_reading,
    score_plot,
    score_reading,
)
from claimlab.notebook.predict import predict, reveal
from claimlab.notebook.review_table import review_table
from claimlab.notebook.trace_editor import trace_editor
from claimlab.notebook.widgets import lexicon_editor, predicate_editor

__all__ = [
    "claim_bench",
    "confusion_plot",
    "coverage_plot",
    "coverage_reading",
    "interval_plot",
    "lexicon_editor",
    "predicate_editor",
    "predict",
    "release_plot",
    "release_reading",
    "reveal",
    "review_table",
    "score_plot",
    "score_reading",
    "trace_editor",
]
