"""Run a user's program so that XLA dumps what it compiles, and build the report from that."""
