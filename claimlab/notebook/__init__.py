"""Everything that needs Jupyter: predictions, marked answers, plots. The core never imports it."""
