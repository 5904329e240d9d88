"""Tell modules apart by the content of their dumps and by the shapes that they take and return.

A program that keeps recompiling one function fills a directory with modules of the same name: some are copies
of each other, others were compiled again because a shape changed.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from reportgen.input.dump_text import DumpText
from reportgen.model import WHOLE, Allocation, Dump
from reportgen.model.shapes import Shape, TupleShape
from reportgen.parse.shape_parser import ShapeError, parse_shape

_HEAD = 4096  # enough, because a dialect with addresses prints one with its first allocation
_ADDRESS = re.compile(rb"(?<=\nallocation )(\d+: )0x[0-9a-f]+")


class Leaf(NamedTuple):
    """A leaf of a parameter or of the output, with its shape; `place` is as in `parameter 1{0}` or `output{2}`."""

    place: str
    shape: str


class Digests(NamedTuple):
    """Two digests of a text; `exact` covers every byte, `content` ignores the addresses of the compiler's objects."""

    exact: str
    content: str


def digests(text: DumpText) -> Digests:
    """Return the digests of a dump's whole text, in which the ends of parts count.

    They may be computed from a text with its repeats cut, because a line is cut only if it equals another one in every
    byte, and the mark at its end says so.
    """
    exact = _digest(part.data for part in text.parts)
    if not any(_ADDRESS.search(part.data, 0, _HEAD) for part in text.parts):
        return Digests(exact, exact)
    return Digests(exact, _digest(_ADDRESS.sub(rb"\1", part.data) for part in text.parts))


def _digest(contents: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for content in contents:
        digest.update(content)
        digest.update(b"\0")
    return digest.hexdigest()


def signature(dump: Dump) -> tuple[Leaf, ...]:
    """Return the parameters in order, then the output, as far as the dump's dialect prints them."""
    parameters = sorted(
        (allocation for allocation in dump.allocations if allocation.parameter is not None), key=_parameter_order
    )
    leaves = [
        Leaf(
            f"parameter {parameter.parameter}{_part(parameter.parameter_shape_index)}", parameter.parameter_shape or ""
        )
        for parameter in parameters
    ]
    for text in filter(None, (allocation.output_shape for allocation in dump.allocations)):
        try:
            outputs = list(_leaves(parse_shape(text)))
        except ShapeError:
            outputs = [((), text)]
        for index, shape in outputs:
            leaves.append(Leaf("output" + _part(f"{{{','.join(map(str, index))}}}"), shape))
    return tuple(leaves)


def _part(index: str | None) -> str:
    """Return the index of a part of a tuple, such as `{0,1}`; empty for the whole."""
    return "" if index is None or index == WHOLE else index


def signature_digest(dump: Dump) -> str:
    """Return a short digest of the shapes that a module takes and returns."""
    return hashlib.sha256(json.dumps(signature(dump)).encode()).hexdigest()[:8]


def _parameter_order(allocation: Allocation) -> tuple[int, list[int]]:
    index = re.findall(r"\d+", allocation.parameter_shape_index or WHOLE)
    return (allocation.parameter or 0, [int(number) for number in index])


def _leaves(shape: Shape, index: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield the leaves of a shape, which may be a tuple of tuples, each with its index."""
    if not isinstance(shape, TupleShape):
        yield index, str(shape)
        return
    for number, element in enumerate(shape.elements):
        yield from _leaves(element, (*index, number))
