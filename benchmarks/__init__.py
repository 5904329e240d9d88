"""Measurements of speed and memory, each a command of its own: `python -m benchmarks.watch`."""
