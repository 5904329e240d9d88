"""The pages that belong to no module: overview, help, assets, and the summaries they need."""
