"""The shapes that a module takes and gives, as its dump prints them."""

import re
from collections.abc import Iterator

from reportgen.analyse.identity import Leaf, Signature
from reportgen.model import WHOLE, Allocation, Dump
from reportgen.parse.shapes import Shape, ShapeError, TupleShape, parse_shape


def signature(dump: Dump) -> Signature:
    """The parameters in their order, then the output, as far as the dump's dialect prints them."""
    parameters = sorted((one for one in dump.allocations if one.parameter is not None), key=_parameter_order)
    outputs = [allocation.output_shape for allocation in dump.allocations if allocation.output_shape]
    return (*map(_parameter_leaf, parameters), *(leaf for shape in outputs for leaf in _output_leaves(shape)))


def _parameter_order(allocation: Allocation) -> tuple[int, list[int]]:
    index = re.findall(r"\d+", allocation.parameter_shape_index or WHOLE)
    return (allocation.parameter or 0, [int(number) for number in index])


def _parameter_leaf(allocation: Allocation) -> Leaf:
    index = allocation.parameter_shape_index or WHOLE
    return Leaf(f"parameter {allocation.parameter}{'' if index == WHOLE else index}", allocation.parameter_shape or "")


def _output_leaves(text: str) -> Iterator[Leaf]:
    try:
        leaves = list(_leaves(parse_shape(text)))
    except ShapeError:
        leaves = [((), text)]
    for index, shape in leaves:
        yield Leaf("output" + (f"{{{','.join(map(str, index))}}}" if index else ""), shape)


def _leaves(shape: Shape, index: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], str]]:
    if not isinstance(shape, TupleShape):
        yield index, str(shape)
        return
    for number, element in enumerate(shape.elements):
        yield from _leaves(element, (*index, number))
