"""The evidence that two values are the same: what is equal, how one was chosen, and how far that can be trusted."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Literal, NamedTuple, get_args

from reportgen.compare.graph import Graph, base_name, elements, shape_parts
from reportgen.record import record

Tier = Literal[
    "boundary",
    "content",
    "exact",
    "operation",
    "resized",
    "retyped",
    "reopcoded",
    "relabelled",
    "relabelled and resized",
    "dimensions",
]
"""What two values have in common, from everything to the dimensions alone."""

# The first two are those of pairs that no key has found: the caller's arguments, and dumps with equal content.
TIERS: tuple[Tier, ...] = get_args(Tier)[2:]
"""The strictest first."""

How = Literal["path", "number", "result", "content", "graph", "unique", "name", "order"]
"""How one of several candidates was chosen."""

Grade = Literal["sure", "likely", "in its place"]
"""How far a pair of values can be trusted."""

_SURE = frozenset({("exact", "graph"), ("operation", "name")})
_LIKELY = frozenset(
    {
        ("exact", "unique"),
        ("operation", "graph"),
        ("operation", "unique"),
        ("operation", "order"),
        ("resized", "graph"),
        ("resized", "unique"),
        ("retyped", "graph"),
        ("retyped", "unique"),
        ("reopcoded", "graph"),
    }
)
"""As measured by `tests/compare/accuracy.py` on pairs with a known truth."""


class Match(NamedTuple):
    """A value's partner, and the evidence: what is equal, and how one of several candidates was chosen."""

    value: int
    tier: Tier
    how: How

    @property
    def grade(self) -> Grade:
        """Return how far the pair can be trusted."""
        if self.tier in {"boundary", "content"} or (self.tier, self.how) in _SURE:
            return "sure"
        return "likely" if (self.tier, self.how) in _LIKELY else "in its place"


@record(kw_only=False)
class Matching:
    """For each value of either side its partner on the other, or None. Pairs are one to one."""

    before: tuple[Match | None, ...]
    after: tuple[Match | None, ...]

    @property
    def grades(self) -> Mapping[Grade, int]:
        """Return the number of matched values by grade."""
        counts = Counter(match.grade for match in self.before if match)
        return {grade: counts[grade] for grade in get_args(Grade)}


def key_in_tier(tier: Tier, graph: Graph, value: int) -> Hashable:
    """Return what must be equal; None where a value has too little to be recognised by."""
    what, values = graph.operation(value), graph.analysis.dump.values
    shape, element, rank, dimensions = shape_parts(values.shapes[value])
    match tier:
        case "exact":
            index, color = graph.indexes[value], values.colors[value]
            return what.opcode, values.shapes[value], what.op_name, what.source, color, index
        case "operation":
            return what.opcode, shape, what.op_name
        case "resized":
            return what.opcode, what.op_name, element, rank
        case "retyped":
            return (what.opcode, what.op_name, elements(dimensions)) if what.op_name else None
        case "reopcoded":
            return (what.op_name, elements(dimensions)) if what.op_name else None
        case "relabelled":
            return what.opcode, base_name(values.names[value]), shape
        case "relabelled and resized":
            return what.opcode, base_name(values.names[value]), element, rank
        case _:
            return rank, dimensions
