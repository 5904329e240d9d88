"""Describe a shape and its layout in plain words.

`bf16[9,18]{1,0:T(8,128)(2,1)}` says everything to those who can read it: which dimension varies fastest, what a tile
pads, why 324 bytes take up 4,096. A value's view shows these sentences below that text. They leave out what is usual
(row-major order, no padding) and are plain text, to be escaped like any other.
"""

from collections.abc import Iterator

from reportgen.analyse.sizes import (
    dense_bytes,
    dynamic_metadata_bytes,
    element_bits,
    element_count,
    is_sparse,
    memory_bits,
    merged_under_tile,
    padded_bytes,
    physical_dimensions,
    physical_order,
    round_up,
    tile_levels,
    under_first_tile,
)
from reportgen.model.shapes import ArrayShape, BufferShape, OpaqueShape, Shape, Tile, TupleShape
from reportgen.reports.formats import counted, cut

_SMALL_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LANES = 128  # of a vector register of a TPU
_LONGEST_QUOTE = 200  # characters of attributes that this module has no words for
_NO_POINTERS = 0  # arrays hold no pointers, so their size does not matter


def layout_sentences(shape: Shape) -> list[str]:
    """Return sentences on what the shape holds, how it is laid out in memory and what that costs in bytes."""
    match shape:
        case ArrayShape():
            return [
                _elements_sentence(shape),
                *_dynamic_sentences(shape),
                *_order_sentences(shape),
                *_tile_sentences(shape),
                *_attribute_sentences(shape),
                *_size_sentences(shape),
            ]
        case TupleShape(()):
            return ["An empty tuple: it holds nothing."]
        case TupleShape(elements):
            table = "Its own buffer is a table with one pointer per element; each element has a buffer of its own."
            return [f"A tuple of {counted(len(elements), 'element')}.", table]
        case BufferShape(content):
            return ["A buffer type: it has the bytes of the shape inside.", *layout_sentences(content)]
        case OpaqueShape("token"):
            return ["A token: it orders side effects and holds no bytes."]
        case OpaqueShape():
            return ["An opaque value: a pointer to data that the compiler does not interpret."]


def padded_words(shape: Shape) -> str:
    """Return what the first tile of an array pads, `9 × 18 lies as 16 × 128`; empty where it pads nothing."""
    if not isinstance(shape, ArrayShape):
        return ""
    sizes, steps = under_first_tile(shape)
    padded = [round_up(size, step) for size, step in zip(sizes, steps, strict=True)]
    if padded == sizes:
        return ""
    before, after = (" × ".join(f"{size:,}" for size in dimensions) for dimensions in (sizes, padded))
    return f"{before} lies as {after}"


def _elements_sentence(shape: ArrayShape) -> str:
    """Return how many elements an array has, and of what type and size."""
    bits, own_bits = element_bits(shape.element_type), memory_bits(shape.element_type)
    has_stated_width = shape.layout is not None and shape.layout.element_bits is not None
    rounded = "" if bits == own_bits or has_stated_width else f" ({own_bits} in memory)"
    each = " each" if shape.dimensions else ""
    width = "size unknown" if bits is None else f"{counted(bits, 'bit')}{each}{rounded}"
    if not shape.dimensions:
        return f"A scalar of type {shape.element_type}, {width}."
    count = element_count(shape)
    total = f": {counted(count, 'element')}" if count is not None and len(shape.dimensions) > 1 else ""
    return f"An array of {_sizes(shape.dimensions)} elements of type {shape.element_type}, {width}{total}."


def _dynamic_sentences(shape: ArrayShape) -> Iterator[str]:
    """Yield sentences on the dimensions whose size is known only at run time."""
    sizes = list(enumerate(zip(shape.dimensions, shape.dynamic, strict=True)))
    bounded = [
        f"dimension {number} (at most {size:,})" for number, (size, dynamic) in sizes if dynamic and size is not None
    ]
    unbounded = [str(number) for number, (size, _) in sizes if size is None]
    if bounded:
        yield f"Known only at run time, with memory reserved for the maximum: {', '.join(bounded)}."
    if unbounded:
        dimensions = "dimensions" if len(unbounded) > 1 else "dimension"
        yield f"Unbounded: {dimensions} {', '.join(unbounded)}."
    if bounded and not unbounded:
        yield f"CPU and GPU store the sizes after the data, in {counted(dynamic_metadata_bytes(shape), 'byte')} more."


def _order_sentences(shape: ArrayShape) -> Iterator[str]:
    """Yield a sentence on the order in memory if it is not row-major or not known."""
    if shape.layout is None:
        if shape.dimensions:  # because XLA prints a scalar without a layout even if it has one
            yield "It is printed without a layout, so it is taken to be in row-major order and without padding."
        return
    order = physical_order(shape)
    row_major = tuple(range(len(order)))
    if order != row_major:
        names, sizes = ", ".join(map(str, order)), ", ".join(map(_size, physical_dimensions(shape)))
        column_major = " (column-major)" if order == row_major[::-1] else ""
        yield f"In memory, from slowest to fastest varying: dimensions {names}, of sizes {sizes}{column_major}."


def _tile_sentences(shape: ArrayShape) -> Iterator[str]:
    """Yield a sentence for each tile: the first pads the array, and each later one regroups what results."""
    if shape.layout is None or not shape.layout.tiles:
        return
    first, *later = shape.layout.tiles
    levels = tile_levels(shape)
    if not levels:
        tiles = "".join(map(_tile_text, shape.layout.tiles))
        yield f"Tiles {tiles} pad it by an amount that depends on the unknown sizes."
        return
    yield _padding_sentence(first, shape)
    # The last level is what results, which no tile divides.
    yield from (_regrouping_sentence(tile, sizes) for tile, sizes in zip(later, levels[1:-1], strict=True))


def _padding_sentence(tile: Tile, shape: ArrayShape) -> str:
    """Describe the first tile: XLA `ShapeUtil::ArraySize` rounds up the dimensions under it."""
    rank = len(shape.dimensions)
    merged, steps = under_first_tile(shape)
    padded = [round_up(size, step) for size, step in zip(merged, steps, strict=True)]
    if merged == padded:
        counts = [size // step for size, step in zip(merged, steps, strict=True)]
        tiles = "tile" if counts == [1] else "tiles"
        return f"Tile {_tile_text(tile)}: {_sizes(merged)} fills {_sizes(counts)} {tiles} exactly."
    dimensions = _fastest(len(tile))
    if rank < len(tile):
        dimensions += f" (after adding {_number(len(tile) - rank)} of size 1)"
    if None in tile:
        dimensions += f", merged into {_number(len(steps))},"
    are = "is" if len(tile) == 1 else "are"
    multiples = "a multiple" if len(steps) == 1 else "multiples"
    rule = f"{are} padded to {multiples} of {_sizes(steps)}"
    used = f", with {merged[-1]} of {_LANES} lanes used" if merged[-1] < steps[-1] == _LANES else ""
    return f"Tile {_tile_text(tile)}: {dimensions} {rule}; here {_sizes(merged)} becomes {_sizes(padded)}{used}."


def _regrouping_sentence(tile: Tile, sizes: list[int]) -> str:
    """Describe a later tile, which divides the tiled array again."""
    covered = [1] * (len(tile) - len(sizes)) + sizes[max(0, len(sizes) - len(tile)) :]
    merged, steps = merged_under_tile(covered, tile)
    divides = all(size % step == 0 for size, step in zip(merged, steps, strict=True))
    outcome = (
        ": another order, no further padding"
        if divides
        else ", which do not divide it evenly; XLA's size counts only the first tile"
    )
    regrouped = f"{_fastest(len(tile))} of the tiled array, {_sizes(merged)}, in blocks of {_sizes(steps)}"
    return f"Tile {_tile_text(tile)} then regroups {regrouped}{outcome}."


def _attribute_sentences(shape: ArrayShape) -> Iterator[str]:
    """Yield sentences on the other attributes of the layout, in the order in which XLA prints them."""
    layout, own_bits = shape.layout, memory_bits(shape.element_type)
    if layout is None:
        return
    if (bits := layout.element_bits) is not None:
        usual = "" if own_bits in {None, bits} else f" instead of {own_bits}"
        is_packed = own_bits is not None and bits < own_bits
        takes = "is packed into" if is_packed else "takes up"
        yield f"E({bits}): each element {takes} {counted(bits, 'bit')}{usual}."
    if (multiple := layout.tail_padding) is not None:
        rounded = f"the number of elements is rounded up to a multiple of {multiple:,}"
        effect = rounded if layout.tiles else "used only with tiles"
        yield f"L({multiple}): {effect}."
    order = layout.minor_to_major[::-1]
    for split in layout.split_configs:
        dimension = order[split.dimension] if split.dimension < len(order) else "?"
        cuts = ", ".join(map(_size, split.indices))
        yield f"SC: dimension {dimension} is split at {cuts} across several memories; the largest piece counts."
    if text := "".join(name + arguments for name, arguments in layout.other_attributes):
        yield f"The layout also has {cut(text, _LONGEST_QUOTE)}, which XLA's size ignores."


def _size_sentences(shape: ArrayShape) -> Iterator[str]:
    """Yield a sentence on the bytes where padding changes them or they are unknown."""
    dense = dense_bytes(shape, pointer_bytes=_NO_POINTERS)
    padded = padded_bytes(shape, pointer_bytes=_NO_POINTERS)
    if dense is None or padded is None:
        yield "A sparse array: its size is unknown." if is_sparse(shape.layout) else "Its size in bytes is unknown."
    elif padded < dense:
        yield f"It has {counted(dense, 'byte')} without padding; its largest piece has {padded:,} in this layout."
    elif padded > dense:
        sizes = f"{counted(dense, 'byte')} without padding and {padded:,} in this layout"
        # Counted in integers, because the quotient may be too large for a float.
        hundredths = (200 * padded + dense) // (2 * dense)
        factor = f"{hundredths // 100:,}.{hundredths % 100:02}".removesuffix(".00")
        more = "less than 1 % more" if hundredths == 100 else f"{factor} times as much"
        yield f"It has {sizes}, {more}."


def _fastest(count: int) -> str:
    return "the fastest dimension" if count == 1 else f"the {_number(count)} fastest dimensions"


def _number(count: int) -> str:
    return _SMALL_NUMBERS[count] if count < len(_SMALL_NUMBERS) else str(count)


def _size(size: int | None) -> str:
    return "?" if size is None else str(size)


def _sizes(sizes: list[int] | tuple[int | None, ...]) -> str:
    return "×".join(map(_size, sizes))


def _tile_text(tile: Tile) -> str:
    return f"({','.join('*' if step is None else str(step) for step in tile)})"
