"""Name a place in a program: an instruction, and a leaf of its result."""

from functools import lru_cache
from typing import NamedTuple

Leaf = tuple[int, ...]
"""An index into a tuple of tuples; empty for the whole."""

WHOLE_LEAF: Leaf = ()

ASYNC_OPERANDS, ASYNC_RESULT, ASYNC_SCRATCH = range(3)
"""The elements of what an asynchronous operation makes: operands, result, and scratch memory or a semaphore."""


class Place(NamedTuple):
    """A leaf of the result of an instruction."""

    name: str
    leaf: Leaf = WHOLE_LEAF

    @property
    def key(self) -> str:
        """Return the place as a dump prints it: `fusion.10{0,1}`."""
        return self.name + index_of(self.leaf)


@lru_cache(maxsize=1024)
def leaf_of(shape_index: str) -> Leaf:
    """Return the leaf that an index such as `{0,1}` or `{0, 1}` names."""
    return tuple(int(number) for number in shape_index[1:-1].replace(" ", "").split(",") if number)


def index_of(leaf: Leaf) -> str:
    """Return a leaf as a dump prints it: `{0,1}`."""
    return "{" + ",".join(map(str, leaf)) + "}"
