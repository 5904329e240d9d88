"""Tell where the dimensions of an array lie in memory, and which dimensions have the same bytes before a reshape.

A dimension that several were merged of has one factor for each, and a tiled layout cuts dimensions into several pieces:
`s32[2,2048]{1,0:T(2,128)}` lies in memory as 16 tiles of 2 by 128 elements.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple

from reportgen.patterns import repeated

_SHAPE = re.compile(r"\w+\[([\d,<=]*)\](?:\{([\d,]*)(?::T(" + repeated(r"\([\d,]+\)", 1) + r"))?)?")


class Factor(NamedTuple):
    """One of the parts that a dimension was merged of: its indices in steps of `first`, below `end`.

    What is sliced or gathered keeps the size of a step, so the end of a part that goes on to the last index is 0.
    """

    first: int = 1
    end: int = 0


WHOLE = Factor()


class _Strided(NamedTuple):
    """Indices of a dimension that lie in memory in steps of `stride`; tiles cut a dimension into several pieces."""

    dimension: int
    first: int
    end: int
    stride: int


class Strides(NamedTuple):
    """The sizes of the dimensions of an array and, from the major to the minor, where their pieces lie in memory."""

    sizes: tuple[int, ...]
    pieces: tuple[_Strided, ...]

    @classmethod
    def of(cls, sizes: tuple[int, ...], order: Sequence[int] = (), tiles: Sequence[Sequence[int]] = ()) -> "Strides":
        """Return an array whose dimensions lie in memory in `order` or, if that lacks some, as they are numbered."""
        order = order if sorted(order) == list(range(len(sizes))) else range(len(sizes))
        steps = [(dimension, 1, sizes[dimension]) for dimension in order]
        for tile in tiles:
            if len(tile) <= len(steps):
                cut = list(zip(steps[-len(tile) :], tile, strict=True))
                outside = [(dimension, first * size, -(-count // size)) for (dimension, first, count), size in cut]
                steps[-len(tile) :] = [*outside, *((dimension, first, size) for (dimension, first, _), size in cut)]
        counts = [count for _, _, count in steps]
        strides = (prod(counts[at + 1 :]) for at in range(len(steps)))
        pieces = (
            _Strided(dimension, first, first * count, stride)
            for (dimension, first, count), stride in zip(steps, strides, strict=True)
        )
        return cls(sizes, tuple(pieces))

    @property
    def elements(self) -> int:
        """Return the number of elements in memory, with the padding of tiles."""
        first = self.pieces[0] if self.pieces else None
        return first.end // first.first * first.stride if first else 1


@lru_cache(maxsize=4096)
def strides_of(shape: str) -> Strides:
    """Return the strides of an array from its shape as XLA prints it; empty for a tuple."""
    match = _SHAPE.match(shape)
    if match is None:
        return Strides((), ())
    sizes = tuple(int(size.lstrip("<=")) for size in match[1].split(",") if size)
    order = [int(number) for number in reversed((match[2] or "").split(",")) if number]
    tiles = [[int(size) for size in tile.split(",")] for tile in re.findall(r"\(([\d,]+)\)", match[3] or "")]
    return Strides.of(sizes, order, tiles)


@lru_cache(maxsize=4096)
def sources(before: Strides, after: Strides, dimension: int, factor: Factor = WHOLE) -> Sequence[tuple[int, Factor]]:
    """Return the dimensions of `before`, and the parts of them, that a part of a dimension of `after` is made of.

    Both are the same bytes in memory; an element of one may be several of the other. Those that are major there are
    first. Nothing is returned where sizes do not agree, or for no element.
    """
    most, least = max(before.elements, after.elements), min(before.elements, after.elements)
    if not least or most % least:
        return ()
    # An element that is several of the other has as many more steps.
    wide_before, wide_after = most // before.elements, most // after.elements
    parts: list[tuple[int, Factor]] = []
    for piece in after.pieces:
        first, end = max(piece.first, factor.first), min(piece.end, factor.end or piece.end)
        if piece.dimension == dimension and first < end:
            step = piece.stride * wide_after
            low, high = step * (first // piece.first), step * -(-end // piece.first)
            for source in before.pieces:
                _add(parts, source, source.stride * wide_before, low, high)
    major = dict(reversed(parts))
    return [
        (axis, Factor(first, 0 if end >= before.sizes[axis] else end)) for axis, (first, end) in reversed(major.items())
    ]


def _add(parts: list[tuple[int, Factor]], source: _Strided, step: int, low: int, high: int) -> None:
    """Add the part of a piece between two places in memory, joined with the part of its dimension that follows it."""
    low, high = max(low, step), min(high, step * (source.end // source.first))
    if low >= high:
        return
    first, end = source.first * (low // step), source.first * -(-high // step)
    for at, (dimension, above) in enumerate(parts):
        if dimension == source.dimension and above.first == end:
            parts[at] = (dimension, Factor(first, above.end))
            return
    parts.append((source.dimension, Factor(first, end)))
