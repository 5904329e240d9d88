"""XLA buffer-assignment dumps as a static, cross-linked memory report.

The command line is in `cli`; `build` composes the stages
discover → parse → analyse → render → write.

In Python and in notebooks there is `reportgen.report(function, *args)`, which needs JAX.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import what Python users call only when they call it: everything else imports this module first."""
    if name != "report":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module("reportgen.programs.functions").report
