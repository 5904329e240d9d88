"""How many bytes a shape needs: dense, and padded as its layout asks.

The difference between the two is what a reader can win back by another shape or layout, so both follow
XLA's own rules (`ShapeUtil::ArraySize`, `ShapeUtil::ByteSizeOf`) and never the sizes that a dump prints:
those belong to buffers, which values share, and the compiler for TPUs rounds some of them further.

None stands for a size that cannot be known: a new element type, an unbounded dimension, a sparse array.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from reportgen.parse.shapes import ArrayShape, BufferShape, Layout, OpaqueShape, Shape, Tile, TupleShape

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
    """Bits that carry information in an element (XLA `primitive_util::BitWidth`); None for an unknown type.

    Memory holds whole bytes of them, unless a layout says `E(n)`: see `memory_bits`.
    """
    return _ELEMENT_BITS.get(element_type)


def memory_bits(element_type: str) -> int | None:
    """Bits that an element takes up without `E(n)`: whole bytes (XLA `ShapeUtil::ByteSizeOfPrimitiveType`)."""
    bits = element_bits(element_type)
    return None if bits is None else round_up(bits, _BITS_PER_BYTE)


def dense_bytes(shape: Shape, *, pointer_bytes: int) -> int | None:
    """Bytes without any padding: elements times element bits; for a tuple its table of pointers.

    An `E(n)` below the type's own width packs the elements, which is no padding, so it counts. One above
    it widens every element, which is, so it does not.
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
    """Bytes that the layout asks for (XLA `ShapeUtil::ArraySize`); for a tuple its table of pointers.

    Only the first tile pads. Without tiles, XLA heeds neither `L(n)` nor split configs. `M(n)`, metadata in
    front of a dynamic array, is never part of it.
    """
    match shape:
        case ArrayShape():
            return _bytes(_padded_elements(shape), _layout_bits(shape) or memory_bits(shape.element_type), shape.layout)
        case BufferShape(content):
            return padded_bytes(content, pointer_bytes=pointer_bytes)
        case _:
            return _pointer_bytes(shape, pointer_bytes)


def dynamic_metadata_bytes(shape: Shape) -> int:
    """Bytes that CPU and GPU add behind an array with dynamic dimensions: its run-time sizes, 4 for each dimension."""
    if isinstance(shape, ArrayShape) and any(shape.dynamic):
        return _METADATA_BYTES_PER_DIMENSION * len(shape.dimensions)
    return 0


def element_count(shape: ArrayShape) -> int | None:
    """Elements without padding; a dynamic dimension counts with its bound, an unbounded one gives None."""
    sizes = _bounded(shape.dimensions)
    return None if sizes is None else math.prod(sizes)


def is_sparse(layout: Layout | None) -> bool:
    """Whether a level type other than dense is printed, as in `D(D,C)`; XLA has no size for such arrays."""
    levels = dict(layout.other).get("D", "") if layout else ""
    return any(not level.startswith("D") for level in levels[1:-1].split(",") if level)


def physical_order(shape: ArrayShape) -> tuple[int, ...]:
    """Numbers of the logical dimensions as memory nests them, slowest varying (most major) first."""
    if shape.layout is None:
        return tuple(range(len(shape.dimensions)))
    return shape.layout.minor_to_major[::-1]


def physical_dimensions(shape: ArrayShape) -> tuple[int | None, ...]:
    """Sizes of the dimensions as memory nests them, most major first; None for an unbounded one."""
    return tuple(shape.dimensions[dimension] for dimension in physical_order(shape))


def tile_levels(shape: ArrayShape) -> list[list[int]]:
    """Sizes, most major first, that each tile level in turn meets, and at the end those that the last one leaves.

    The first tile meets the physical dimensions; a split one counts with its largest piece, and ones are put
    before a shape of lower rank than the tile. Empty where there is no tile, or a dimension without bound.
    """
    sizes = _bounded(physical_dimensions(shape))
    if sizes is None or shape.layout is None or not shape.layout.tiles:
        return []
    for split in shape.layout.split_configs:
        if split.dimension < len(sizes):
            sizes[split.dimension] = _largest_piece(sizes[split.dimension], split.indices)
    levels = [_ones_before(sizes, shape.layout.tiles[0])]
    for tile in shape.layout.tiles:
        levels.append(_tile_counts(levels[-1], tile))
    return levels


def merged_under_tile(sizes: Sequence[int], tile: Tile) -> tuple[list[int], list[int]]:
    """Sizes and tile of one length without `*`: a dimension under it is multiplied into the next more minor one.

    XLA documents that in `tiled_layout.md`; its size function does not handle it. A `*` at the very end has
    nothing to merge into and is read as 1.
    """
    merged, steps = [], []
    pending = 1
    for place, (size, step) in enumerate(zip(sizes, tile, strict=True), start=1):
        pending *= size
        if step is not None or place == len(tile):
            merged.append(pending)
            steps.append(step or 1)
            pending = 1
    return merged, steps


def round_up(number: int, multiple: int) -> int:
    """The smallest multiple of `multiple` that is not below `number`."""
    return -(-number // multiple) * multiple


def _padded_elements(shape: ArrayShape) -> int | None:
    levels = tile_levels(shape)
    if not levels or shape.layout is None:
        return element_count(shape)
    return round_up(math.prod(levels[1]), shape.layout.tail_padding or 1)


def _tile_counts(sizes: list[int], tile: Tile) -> list[int]:
    """The dimensions of the array of tiles, then those within a tile (XLA's tiled layout, one level)."""
    sizes = _ones_before(sizes, tile)
    kept = len(sizes) - len(tile)
    merged, steps = merged_under_tile(sizes[kept:], tile)
    return sizes[:kept] + [-(-size // step) for size, step in zip(merged, steps, strict=True)] + steps


def _ones_before(sizes: list[int], tile: Tile) -> list[int]:
    return [1] * (len(tile) - len(sizes)) + sizes


def _largest_piece(size: int, indices: Sequence[int]) -> int:
    """Of a dimension cut at `indices` (XLA `LayoutUtil::MaxSplitSize`)."""
    cuts = (0, *indices, size)
    return max(0, *(end - start for start, end in pairwise(cuts)))


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
