"""How fast is it, and how much memory does it need: measured, held to bars, and written to docs/performance.md."""
