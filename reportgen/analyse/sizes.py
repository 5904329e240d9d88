"""Compute how many bytes a shape needs, both dense and padded to its layout.

The difference between the two is what another shape or layout could save, so both follow XLA's own rules
(`ShapeUtil::ArraySize`, `ShapeUtil::ByteSizeOf`) and never the sizes that a dump prints: those belong to
buffers, which values share, and the TPU compiler rounds some of them up further.

A size is None where it cannot be known: for a new element type, an unbounded dimension or a sparse array.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from reportgen.model.shapes import ArrayShape, BufferShape, Layout, OpaqueShape, Shape, Tile, TupleShape
from reportgen.parse.shape_parser import ShapeError, parse_shape

_BYTE_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_BITS_PER_BYTE = 8
_METADATA_BYTES_PER_DIMENSION = 4

_TYPES_BY_BITS = {
    1: "pred s1 u1",
    2: "s2 u2",
    4: "s4 u4 f4e2m1fn",
    6: "f6e3m2fn f6e2m3fn",
    8: "s8 u8 f8e5m2 f8e4m3 f8e4m3fn f8e4m3b11fnuz f8e3m4 f8e5m2fnuz f8e4m3fnuz f8e8m0fnu",
    16: "s16 u16 f16 bf16",
    32: "s32 u32 f32",
    64: "s64 u64 f64 c64",
    128: "c128",
}
_ELEMENT_BITS = {name: bits for bits, names in _TYPES_BY_BITS.items() for name in names.split()}


def element_bits(element_type: str) -> int | None:
    """Return the bits of information in an element (XLA `primitive_util::BitWidth`); None for an unknown type.

    In memory an element takes whole bytes unless its layout says `E(n)`: see `memory_bits`.
    """
    return _ELEMENT_BITS.get(element_type)


def memory_bits(element_type: str) -> int | None:
    """Return the bits of an element without `E(n)`: whole bytes (XLA `ShapeUtil::ByteSizeOfPrimitiveType`)."""
    bits = element_bits(element_type)
    return None if bits is None else round_up(bits, _BITS_PER_BYTE)


def dense_bytes(shape: Shape, *, pointer_bytes: int) -> int | None:
    """Return the bytes without any padding: elements times element bits; for a tuple its table of pointers.

    An `E(n)` below the type's own width packs the elements, so it counts here. One above it pads every
    element, so it does not.
    """
    match shape:
        case ArrayShape():
            own_bits = memory_bits(shape.element_type)
            packed_bits = _layout_bits(shape)
            bits = own_bits if own_bits is None or packed_bits is None else min(own_bits, packed_bits)
            return _bytes(element_count(shape), bits, shape.layout)
        case BufferShape(content):
            return dense_bytes(content, pointer_bytes=pointer_bytes)
        case _:
            return _pointer_bytes(shape, pointer_bytes)


def padded_bytes(shape: Shape, *, pointer_bytes: int) -> int | None:
    """Return the bytes that the layout needs (XLA `ShapeUtil::ArraySize`); for a tuple its table of pointers.

    Only the first tile pads. Without tiles, XLA ignores `L(n)` and split configs. `M(n)`, the metadata in
    front of a dynamic array, is never included.
    """
    match shape:
        case ArrayShape():
            levels = tile_levels(shape)
            if levels and shape.layout is not None:
                elements: int | None = round_up(math.prod(levels[1]), shape.layout.tail_padding or 1)
            else:
                elements = element_count(shape)
            return _bytes(elements, _layout_bits(shape) or memory_bits(shape.element_type), shape.layout)
        case BufferShape(content):
            return padded_bytes(content, pointer_bytes=pointer_bytes)
        case _:
            return _pointer_bytes(shape, pointer_bytes)


def dynamic_metadata_bytes(shape: Shape) -> int:
    """Return the bytes that CPU and GPU append to an array with dynamic dimensions: 4 for each run-time size."""
    if isinstance(shape, ArrayShape) and any(shape.dynamic):
        return _METADATA_BYTES_PER_DIMENSION * len(shape.dimensions)
    return 0


def element_count(shape: ArrayShape) -> int | None:
    """Return the elements without padding, taking dynamic dimensions at their bound; None if one is unbounded."""
    sizes = _bounded(shape.dimensions)
    return None if sizes is None else math.prod(sizes)


def is_sparse(layout: Layout | None) -> bool:
    """Return whether the layout has a level that is not dense, as in `D(D,C)`; XLA knows no size for such arrays."""
    levels = dict(layout.other_attributes).get("D", "") if layout else ""
    return any(not level.startswith("D") for level in levels[1:-1].split(",") if level)


def physical_order(shape: ArrayShape) -> tuple[int, ...]:
    """Return the numbers of the logical dimensions as they nest in memory, slowest varying (most major) first."""
    if shape.layout is None:
        return tuple(range(len(shape.dimensions)))
    return shape.layout.minor_to_major[::-1]


def physical_dimensions(shape: ArrayShape) -> tuple[int | None, ...]:
    """Return the sizes of the dimensions as they nest in memory, most major first; None for an unbounded one."""
    return tuple(shape.dimensions[dimension] for dimension in physical_order(shape))


def tile_levels(shape: ArrayShape) -> list[list[int]]:
    """Return the sizes, most major first, to which each tile level is applied, and finally those that result.

    The first tile applies to the physical dimensions. A split dimension counts with its largest piece (XLA
    `LayoutUtil::MaxSplitSize`), and a shape of lower rank than the tile gets leading ones. The list is empty
    without tiles or with an unbounded dimension.
    """
    sizes = _bounded(physical_dimensions(shape))
    if sizes is None or shape.layout is None or not shape.layout.tiles:
        return []
    for split in shape.layout.split_configs:
        if split.dimension < len(sizes):
            cuts = pairwise((0, *split.indices, sizes[split.dimension]))
            sizes[split.dimension] = max(0, *(end - start for start, end in cuts))
    levels = [_with_leading_ones(sizes, shape.layout.tiles[0])]
    for tile in shape.layout.tiles:
        sizes = _with_leading_ones(levels[-1], tile)
        outer = len(sizes) - len(tile)
        merged, steps = merged_under_tile(sizes[outer:], tile)
        levels.append(sizes[:outer] + [-(-size // step) for size, step in zip(merged, steps, strict=True)] + steps)
    return levels


def merged_under_tile(sizes: Sequence[int], tile: Tile) -> tuple[list[int], list[int]]:
    """Return sizes and tile without `*`, which merges its dimension into the next more minor one.

    XLA documents this in `tiled_layout.md`, but its size function does not handle it. A `*` at the very end has
    nothing to merge into and counts as 1.
    """
    merged, steps = [], []
    pending = 1
    for count, (size, step) in enumerate(zip(sizes, tile, strict=True), start=1):
        pending *= size
        if step is not None or count == len(tile):
            merged.append(pending)
            steps.append(step or 1)
            pending = 1
    return merged, steps


def under_first_tile(shape: ArrayShape) -> tuple[list[int], list[int]]:
    """Return the sizes under the first tile, which it pads to multiples of the steps; both are empty without one."""
    levels = tile_levels(shape)
    if not levels or shape.layout is None:
        return [], []
    tile = shape.layout.tiles[0]
    return merged_under_tile(levels[0][len(levels[0]) - len(tile) :], tile)


def round_up(number: int, multiple: int) -> int:
    """Return the smallest multiple of `multiple` that is not below `number`."""
    return -(-number // multiple) * multiple


def _with_leading_ones(sizes: list[int], tile: Tile) -> list[int]:
    return [1] * (len(tile) - len(sizes)) + sizes


def _layout_bits(shape: ArrayShape) -> int | None:
    return None if shape.layout is None else shape.layout.element_bits


def _bounded(dimensions: Sequence[int | None]) -> list[int] | None:
    sizes = [size for size in dimensions if size is not None]
    return sizes if len(sizes) == len(dimensions) else None


def _bytes(elements: int | None, bits: int | None, layout: Layout | None) -> int | None:
    if elements is None or bits is None or is_sparse(layout):
        return None
    return round_up(elements * bits, _BITS_PER_BYTE) // _BITS_PER_BYTE


def _pointer_bytes(shape: TupleShape | OpaqueShape, pointer_bytes: int) -> int:
    if isinstance(shape, TupleShape):
        return pointer_bytes * len(shape.elements)
    return 0 if shape.kind == "token" else pointer_bytes


def rounded_by_xla(size_bytes: int) -> str:
    """Return a size as XLA prints it: whole bytes, KiB with one decimal, larger units with two.

    Like XLA (`HumanReadableNumBytes`), drop the remainder of each division but the last.
    """
    if size_bytes < 1024:
        return f"{size_bytes}B"
    unit = 1
    while size_bytes >= 1024 * 1024 and unit < len(_BYTE_UNITS) - 1:
        size_bytes, unit = size_bytes // 1024, unit + 1
    return f"{size_bytes / 1024:.{min(unit, 2)}f}{_BYTE_UNITS[unit]}"


def printed_bytes(shape: str) -> int:
    """Return the dense bytes of a printed shape; 0 where it cannot be read or its type is unknown."""
    try:
        return dense_bytes(parse_shape(shape), pointer_bytes=0) or 0
    except ShapeError:
        return 0
