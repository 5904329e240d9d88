"""What tells two modules apart: the content of their dumps, and the shapes that they take and give.

A program that compiles the same function again and again fills a directory with modules of one name: some
are copies of each other, others were compiled anew because a shape changed.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from reportgen.model import WHOLE, Allocation, Dump
from reportgen.parse.shapes import Shape, ShapeError, TupleShape, parse_shape
from reportgen.source import DumpText

_HEAD = 4096  # a dialect with addresses prints one with the first allocation
_ADDRESS = re.compile(rb"(?<=\nallocation )(\d+: )0x[0-9a-f]+")


class Leaf(NamedTuple):
    """A leaf of what a module takes or gives: `parameter 1{0}`, `output{2}`, and its shape."""

    place: str
    shape: str


Signature = tuple[Leaf, ...]


class Digests(NamedTuple):
    """`exact` tells any two contents apart; `content` is the same whatever addresses a compiler's objects had."""

    exact: str
    content: str


def digests(text: DumpText) -> Digests:
    """Of everything in a dump's text, its parts told apart."""
    exact = _digest(part.data[part.start : part.end] for part in text.parts)
    if not any(_ADDRESS.search(part.data, part.start, min(part.end, part.start + _HEAD)) for part in text.parts):
        return Digests(exact, exact)
    return Digests(exact, _digest(_ADDRESS.sub(rb"\1", part.data[part.start : part.end]) for part in text.parts))


def _digest(contents: Iterable[bytes]) -> str:
    made = hashlib.sha256()
    for content in contents:
        made.update(content)
        made.update(b"\0")
    return made.hexdigest()


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
