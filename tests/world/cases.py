"""What the programs in `programs.py` are compiled for, known without JAX."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """`topology` names a TPU to compile for ahead of time; None stands for the CPU of this machine.

    `loops` is how many loops are so long that a report shows them as phases.
    """

    loops: int
    topology: str | None = None
    devices: int = 1
    is_offloaded: bool = False
    """Whether libtpu gives a gather to the SparseCore."""


CASES = {
    "cpu": Case(2),
    "embedding": Case(2, "v5p:2x2x1", is_offloaded=True),
    "decode": Case(1, "v6e:2x2"),
    "sharded": Case(2, "v5e:2x2", devices=4),
}
