"""Measure reportgen: its time and memory, held to bars in docs/performance.md, and how right it is."""
