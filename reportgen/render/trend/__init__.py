"""Show the figures of builds over time."""
