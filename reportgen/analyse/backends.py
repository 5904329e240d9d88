"""Infer the backend of a dump, and name its memory spaces.

The dump states neither. The file's name usually gives the backend away; otherwise a few marks in the text do.
The meaning of a memory space's number depends on the backend, and a bare number is better than a name
taken from another one: XLA's own usage report calls space 2 of a TPU "smem", which contradicts JAX, XProf and
XLA's documentation.
"""

from reportgen.input.names import Backend
from reportgen.model import Dump

_SPACE_NAMES: dict[Backend, dict[int, str]] = {
    "tpu": {
        0: "HBM",
        1: "VMEM",
        2: "semaphores",
        3: "CMEM",
        4: "SMEM",
        5: "host",
        8: "SparseCore scalar semaphores",
        10: "SparseCore vector semaphores",
        11: "SparseCore scalar SMEM",
        12: "SparseCore vector SMEM",
    },
    "gpu": {0: "device memory", 1: "collective memory", 2: "separate temp buffers", 5: "host"},
    "cpu": {0: "memory", 5: "host", 6: "unpinned host"},
    "unknown": {0: "default memory"},
}

_TEXT_MARKS: tuple[tuple[bytes, Backend], ...] = (
    (b'"__cublas$', "gpu"),
    (b'"__cudnn$', "gpu"),
    (b'"__triton', "gpu"),
    (b'"outer_dimension_partitions"', "cpu"),
)


def space_name(backend: Backend, color: int) -> str:
    """Return the usual name of memory space `color` on a backend, or `space 9`."""
    return _SPACE_NAMES[backend].get(color, f"space {color}")


def infer_backend(dump: Dump, named: Backend) -> tuple[Backend, str]:
    """Return the backend and the evidence for it; `named` is the backend that the file's name states."""
    if named != "unknown":
        return named, "the file's name"
    if any("T(" in shape for shape in set(dump.values.shapes)):
        return "tpu", "tiled layouts, T(…)"
    for mark, backend in _TEXT_MARKS:
        if dump.text.contains(mark):
            return backend, mark.decode().strip('"') + " in the instructions"
    return "unknown", "no tiled layouts, and nothing in the file's name"
