"""What two values must have in common to be taken for the same, from everything to the dimensions alone."""

from collections.abc import Callable, Hashable, Mapping

from reportgen.compare.graph import Graph, base_name, shape_parts
from reportgen.compare.records import Tier

Key = Callable[[Graph, int], Hashable]


def _exact(graph: Graph, value: int) -> Hashable:
    what, values = graph.operation(value), graph.analysis.dump.values
    return what.opcode, values.shapes[value], what.op_name, what.source, values.colors[value], graph.indexes[value]


def _same_operation(graph: Graph, value: int) -> Hashable:
    what = graph.operation(value)
    return what.opcode, _shape(graph, value)[0], what.op_name


def _resized(graph: Graph, value: int) -> Hashable:
    what = graph.operation(value)
    return what.opcode, what.op_name, *_shape(graph, value)[1:3]


def _retyped(graph: Graph, value: int) -> Hashable:
    what = graph.operation(value)
    return (what.opcode, what.op_name) if what.op_name else None


def _reopcoded(graph: Graph, value: int) -> Hashable:
    return graph.operation(value).op_name or None


def _relabelled(graph: Graph, value: int) -> Hashable:
    return graph.operation(value).opcode, _base(graph, value), _shape(graph, value)[0]


def _relabelled_resized(graph: Graph, value: int) -> Hashable:
    return graph.operation(value).opcode, _base(graph, value), *_shape(graph, value)[1:3]


def _dimensions(graph: Graph, value: int) -> Hashable:
    _, _, rank, dimensions = _shape(graph, value)
    return rank, dimensions


def _shape(graph: Graph, value: int) -> tuple[str, str, int, str]:
    return shape_parts(graph.analysis.dump.values.shapes[value])


def _base(graph: Graph, value: int) -> str:
    return base_name(graph.instructions[graph.instruction[value]])


TIERS: Mapping[Tier, Key] = {
    "exact": _exact,
    "operation": _same_operation,
    "resized": _resized,
    "retyped": _retyped,
    "reopcoded": _reopcoded,
    "relabelled": _relabelled,
    "relabelled and resized": _relabelled_resized,
    "dimensions": _dimensions,
}
"""What must be equal, the strictest first; None where a value has too little to be recognised by."""
