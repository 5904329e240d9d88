"""XLA buffer-assignment dumps as a static, cross-linked memory report.

The command line is in `cli`; `build` composes the stages
discover → parse → analyse → render → write.

In Python and in notebooks there are `reportgen.report(function, *args)` and `%load_ext reportgen`; they need JAX.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "report": "reportgen.programs.functions",
    "load_ipython_extension": "reportgen.programs.notebook",
}


def __getattr__(name: str) -> Any:
    """Import what Python users call only when they call it: everything else imports this module first."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
