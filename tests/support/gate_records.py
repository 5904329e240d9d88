"""Make the records that a gate judges, with what a test does not state."""

from typing import Any

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.matmul_work import WorkFigures
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


def step_of(peak: int | None, **stated: Any) -> GateModule:
    """Return a training step for a TPU with this peak."""
    spaces = {MAIN_SPACE: space_of("HBM", peak)}
    work = WorkFigures(matmul_flops=None, again_by_checkpoint=None, again_by_xla=None)
    return gate_module_of(
        **({"path": "a", "name": "jit_step", "backend": "tpu", "spaces": spaces, "work": work} | stated)
    )
