"""XLA buffer-assignment dumps as a static, cross-linked memory report.

The command line is in `cli`; `build` composes the stages
discover → parse → analyse → render → write.
"""

__version__ = "0.1.0"
