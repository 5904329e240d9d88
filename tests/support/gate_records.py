"""Make the records that a gate judges, with what a test does not state."""

from typing import Any

from reportgen.compare.figures import FIGURES
from reportgen.reports.report_document import GateModule, GateSpace


def space_of(name: str, amount: int | None) -> GateSpace:
    """Return a memory space all of whose figures are one number."""
    figures: Any = {f"{figure}_bytes": amount for figure in FIGURES}
    return GateSpace(name=name, **figures)


def gate_module_of(**stated: Any) -> GateModule:
    """Return a module with these fields, about which nothing else is known."""
    unknown: dict[str, Any] = {
        "shapes": "",
        "findings": (),
        "arguments": (),
        "refused": None,
        "checks": (),
        "spaces": {},
    }
    return GateModule(**(unknown | stated))
