"""What two values must have in common to be taken for the same, from everything to the dimensions alone."""

from collections.abc import Hashable
from typing import get_args

from reportgen.compare.evidence import Tier
from reportgen.compare.graph import Graph, base_name, shape_parts

# The first two are those of pairs that no key has found: the caller's arguments, and dumps with equal content.
TIERS: tuple[Tier, ...] = get_args(Tier)[2:]
"""The strictest first."""


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
            return (what.opcode, what.op_name) if what.op_name else None
        case "reopcoded":
            return what.op_name or None
        case "relabelled":
            return what.opcode, base_name(values.names[value]), shape
        case "relabelled and resized":
            return what.opcode, base_name(values.names[value]), element, rank
        case _:
            return rank, dimensions
