"""Name the class of memory that an allocation belongs to, with one word used throughout the report."""

from typing import Literal

from reportgen.model import Allocation

MemoryClass = Literal["parameter", "output", "constant", "temporary", "thread-local"]
"""The class of memory that an allocation belongs to."""
CLASSES: tuple[MemoryClass, ...] = ("parameter", "output", "constant", "temporary", "thread-local")
HELD_CLASSES = CLASSES[:4]
"""The classes that count towards a peak: XLA leaves thread-local memory out of its plan."""


def memory_class(allocation: Allocation) -> MemoryClass:
    """Return the class of an allocation; a donated input counts as a parameter, one without any flag as an output."""
    if allocation.is_thread_local:
        return "thread-local"
    if allocation.is_preallocated_temp:
        return "temporary"
    if allocation.parameter is not None:
        return "parameter"
    return "constant" if allocation.is_constant else "output"
