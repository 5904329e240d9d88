"""The class of memory that an allocation belongs to: one word, the same through the whole report."""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from reportgen.model import Allocation

MemoryClass = Literal["parameter", "output", "constant", "temporary", "thread-local"]
CLASSES: tuple[MemoryClass, ...] = ("parameter", "output", "constant", "temporary", "thread-local")
HELD_CLASSES = CLASSES[:4]
"""The classes that count for a peak: thread-local memory is no part of the plan."""


def memory_class(allocation: "Allocation") -> MemoryClass:
    """A donated input (parameter and live out) counts as a parameter; what has no kind as an output."""
    if allocation.is_thread_local:
        return "thread-local"
    if allocation.is_preallocated_temp:
        return "temporary"
    if allocation.parameter is not None:
        return "parameter"
    return "constant" if allocation.is_constant else "output"
