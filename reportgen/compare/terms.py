"""The terms between two peaks: what happened to some bytes, and how many they are."""

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal[
    "elsewhere",
    "argument new",
    "argument gone",
    "argument resized",
    "result new",
    "result gone",
    "result resized",
    "result donated",
    "result not donated",
    "result was temporary",
    "result is temporary",
    "constant new",
    "constant gone",
    "constant resized",
    "gone",
    "new",
    "replaced",
    "shape",
    "element type",
    "padding",
    "sharing",
    "not live any more",
    "live now",
    "held now",
    "held before",
    "to another space",
    "from another space",
]

KINDS: tuple[Kind, ...] = get_args(Kind)
"""In the order of a page: the place first, then what the caller holds, then temporaries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """Bytes of the difference under one kind.

    `before` and `after` are values, `before_allocation` and `after_allocation` allocations of a side; those that a
    term is not about are None.
    """

    kind: Kind
    change_bytes: int
    before: int | None = None
    after: int | None = None
    before_allocation: int | None = None
    after_allocation: int | None = None
