"""Compare two builds: which values are the same, how one peak became the other, and whether budgets are kept."""
