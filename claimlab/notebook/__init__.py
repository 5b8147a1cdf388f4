"""Everything that needs Jupyter: predictions, the claim bench, plots. The core never imports it."""

from claimlab.notebook.bench import claim_bench
from claimlab.notebook.plots import score_plot, score_reading
from claimlab.notebook.predict import predict, reveal

__all__ = ["claim_bench", "predict", "reveal", "score_plot", "score_reading"]
