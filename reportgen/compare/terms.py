"""The terms between two peaks: what happened to some bytes, and how many they are."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

from reportgen.record import record

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
    "held or temporary",
    "to another space",
    "from another space",
]
"""The step of the difference. docs/compare.md has the meanings."""

KINDS: tuple[Kind, ...] = get_args(Kind)
"""In the order of a page: the place first, then what the caller holds, then temporaries."""


@record
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


def by_kind(terms: Iterable[Term]) -> Mapping[Kind, Sequence[Term]]:
    """Return the terms of each kind that occurs, in the order of `KINDS`."""
    found: defaultdict[Kind, list[Term]] = defaultdict(list)
    for term in terms:
        found[term.kind].append(term)
    return {kind: found[kind] for kind in KINDS if kind in found}


def total(terms: Iterable[Term]) -> int:
    """Return the bytes that terms add to the peak."""
    return sum(term.change_bytes for term in terms)
