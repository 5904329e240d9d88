"""A shape and its layout in plain words.

`bf16[9,18]{1,0:T(8,128)(2,1)}` says everything, to those who can read it: which dimension varies fastest,
what a tile pads, why 324 bytes take up 4,096. Pages show these sentences beside the text. They are plain text,
to be escaped like any other.
"""

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
)
from reportgen.parse.shapes import ArrayShape, BufferShape, Layout, OpaqueShape, Shape, Tile, TupleShape

_SMALL_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LONGEST_QUOTE = 200  # characters of the attributes that have no words here
_NO_POINTERS = 0  # an array holds none, so their size does not matter


def layout_sentences(shape: Shape, *, size_bytes: int | None = None, brief: bool = False) -> list[str]:
    """What the shape holds, how it lies in memory and what that costs; `size_bytes` is the dump's size of it.

    `brief` is for those who see the sizes beside it: it leaves out row-major order, the memory space, and how
    tiles that fit are found to fit.
    """
    match shape:
        case ArrayShape():
            return _array_sentences(shape, size_bytes, brief=brief)
        case TupleShape():
            return [*_tuple_sentences(shape), *_stated_size(size_bytes, None)]
        case BufferShape(content):
            inner = layout_sentences(content, size_bytes=size_bytes, brief=brief)
            return ["A buffer type: its bytes are those of the shape within.", *inner]
        case OpaqueShape():
            return [_opaque_sentence(shape), *_stated_size(size_bytes, None)]


def _array_sentences(shape: ArrayShape, size_bytes: int | None, *, brief: bool) -> list[str]:
    padded = padded_bytes(shape, pointer_bytes=_NO_POINTERS)
    is_padded = padded is None or padded != dense_bytes(shape, pointer_bytes=_NO_POINTERS)
    return [
        _elements_sentence(shape),
        *_dynamic_sentences(shape),
        *(_order_sentences(shape) if not (brief and _is_row_major(shape)) else []),
        *_tile_sentences(shape, brief=brief),
        *_attribute_sentences(shape, brief=brief),
        *([_bytes_sentence(shape, padded)] if is_padded or not brief else []),
        *_stated_size(size_bytes, padded),
    ]


def _is_row_major(shape: ArrayShape) -> bool:
    return shape.layout is not None and physical_order(shape) == tuple(range(len(shape.dimensions)))


def _tuple_sentences(shape: TupleShape) -> list[str]:
    if not shape.elements:
        return ["An empty tuple: it holds nothing."]
    return [
        f"A tuple of {_counted(len(shape.elements), 'element')}.",
        "Its own buffer is only a table with a pointer for each element; the elements lie in buffers of their own.",
    ]


def _opaque_sentence(shape: OpaqueShape) -> str:
    if shape.kind == "token":
        return "A token: it orders side effects and holds no bytes."
    return "An opaque value: a pointer to something that the compiler does not look into."


def _elements_sentence(shape: ArrayShape) -> str:
    width = _width(shape)
    if not shape.dimensions:
        return f"A scalar of type {shape.element_type}, {width.replace(' each', '')}."
    sizes = "×".join(map(_size, shape.dimensions))
    count = element_count(shape)
    total = f": {_counted(count, 'element')}" if count is not None and len(shape.dimensions) > 1 else ""
    return f"An array of {sizes} elements of type {shape.element_type}, {width}{total}."


def _width(shape: ArrayShape) -> str:
    bits, own_bits = element_bits(shape.element_type), memory_bits(shape.element_type)
    if bits is None:
        return "size unknown"
    stored = shape.layout.element_bits if shape.layout else None
    rounded = f" ({own_bits} in memory)" if bits != own_bits and stored is None else ""
    return f"{_counted(bits, 'bit')} each{rounded}"


def _dynamic_sentences(shape: ArrayShape) -> list[str]:
    """The dimensions whose size the program learns only when it runs."""
    sizes = list(enumerate(zip(shape.dimensions, shape.dynamic, strict=True)))
    bounded = [
        f"dimension {number} (at most {size:,})" for number, (size, dynamic) in sizes if dynamic and size is not None
    ]
    unbounded = [str(number) for number, (size, _) in sizes if size is None]
    sentences = []
    if bounded:
        sentences.append(f"Known only at run time, with memory reserved for the most: {', '.join(bounded)}.")
    if unbounded:
        sentences.append(f"Without any bound: {_dimensions(unbounded)}.")
    if bounded and not unbounded:
        extra = dynamic_metadata_bytes(shape)
        sentences.append(f"CPU and GPU keep the sizes behind the data, in {_counted(extra, 'byte')} more.")
    return sentences


def _order_sentences(shape: ArrayShape) -> list[str]:
    if shape.layout is None:
        return ["The text has no layout, so it says neither the order in memory nor any padding."]
    order = physical_order(shape)
    if len(order) < 2:
        return []
    names = ", ".join(map(str, order))
    sizes = ", ".join(map(_size, physical_dimensions(shape)))
    return [f"In memory, from slowest to fastest varying: dimensions {names}, of sizes {sizes}{_order_name(order)}."]


def _order_name(order: tuple[int, ...]) -> str:
    if order == tuple(sorted(order)):
        return " (row-major)"
    return " (column-major)" if order == tuple(sorted(order, reverse=True)) else ""


def _tile_sentences(shape: ArrayShape, *, brief: bool) -> list[str]:
    if shape.layout is None or not shape.layout.tiles:
        return []
    first, *later = shape.layout.tiles
    levels = tile_levels(shape)
    if not levels:
        return [f"Tiles {''.join(map(_tile_text, shape.layout.tiles))} pad it by what depends on the unknown sizes."]
    sentences = [_padding_sentence(first, levels[0], len(shape.dimensions), brief=brief)]
    sentences += [_regrouping_sentence(tile, sizes) for tile, sizes in zip(later, levels[1:-1], strict=True)]
    return sentences


def _padding_sentence(tile: Tile, sizes: list[int], rank: int, *, brief: bool) -> str:
    """What the first tile does: XLA `ShapeUtil::ArraySize` rounds up the dimensions under it."""
    merged, steps = merged_under_tile(sizes[len(sizes) - len(tile) :], tile)
    padded = [round_up(size, step) for size, step in zip(merged, steps, strict=True)]
    if brief and merged == padded:
        counts = [size // step for size, step in zip(merged, steps, strict=True)]
        return f"Tile {_tile_text(tile)}: {_sizes(merged)} fills {_sizes(counts)} of them."
    dimensions = _fastest(len(tile))
    if rank < len(tile):
        dimensions += f" (after adding {_number(len(tile) - rank)} of size 1)"
    if None in tile:
        dimensions += f", merged into {_number(len(steps))},"
    rule = f"{_are(len(tile))} padded to {'a multiple' if len(steps) == 1 else 'multiples'} of {_sizes(steps)}"
    outcome = "needs no padding" if merged == padded else f"becomes {_sizes(padded)}"
    return f"Tile {_tile_text(tile)}: {dimensions} {rule}; here {_sizes(merged)} {outcome}."


def _regrouping_sentence(tile: Tile, sizes: list[int]) -> str:
    """What a later tile does: it divides the tiled array again."""
    covered = [1] * (len(tile) - len(sizes)) + sizes[max(0, len(sizes) - len(tile)) :]
    merged, steps = merged_under_tile(covered, tile)
    text = f"Tile {_tile_text(tile)} then regroups {_fastest(len(tile))} of the tiled array, {_sizes(merged)},"
    if all(size % step == 0 for size, step in zip(merged, steps, strict=True)):
        return f"{text} in blocks of {_sizes(steps)}: another order, no further padding."
    return f"{text} in blocks of {_sizes(steps)}, which do not divide it; XLA's size counts the first tile only."


def _attribute_sentences(shape: ArrayShape, *, brief: bool) -> list[str]:
    layout = shape.layout
    if layout is None:
        return []
    sentences = []
    if layout.element_bits is not None:
        sentences.append(_element_bits_sentence(layout.element_bits, memory_bits(shape.element_type)))
    if layout.tail_padding is not None:
        sentences.append(_tail_padding_sentence(layout.tail_padding, tiled=bool(layout.tiles)))
    if layout.memory_space and not brief:
        sentences.append(f"S({layout.memory_space}): it is kept in memory space {layout.memory_space}.")
    return [*sentences, *_split_sentences(layout), *_other_sentences(layout)]


def _element_bits_sentence(bits: int, own_bits: int | None) -> str:
    usual = "" if own_bits in {None, bits} else f" instead of {own_bits}"
    packed = own_bits is not None and bits < own_bits
    return f"E({bits}): each element {'is packed into' if packed else 'takes up'} {_counted(bits, 'bit')}{usual}."


def _tail_padding_sentence(multiple: int, *, tiled: bool) -> str:
    if tiled:
        return f"L({multiple}): the number of elements is rounded up to a multiple of {multiple:,}."
    return f"L({multiple}): XLA's size rule heeds this only together with tiles."


def _split_sentences(layout: Layout) -> list[str]:
    """One for each split config; the size of a buffer is that of its largest piece."""
    order = layout.minor_to_major[::-1]
    return [
        f"SC: dimension {order[split.dimension] if split.dimension < len(order) else '?'} is cut at "
        f"{', '.join(map(_size, split.indices))} and spread over several memories; the largest piece counts."
        for split in layout.split_configs
    ]


def _other_sentences(layout: Layout) -> list[str]:
    """The attributes that do not bear on the size."""
    text = "".join(name + arguments for name, arguments in layout.other)
    if not text:
        return []
    quote = text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "…"
    return [f"The layout also says {quote}, which XLA's size leaves out."]


def _bytes_sentence(shape: ArrayShape, padded: int | None) -> str:
    dense = dense_bytes(shape, pointer_bytes=_NO_POINTERS)
    if dense is None or padded is None:
        return "A sparse array: its size is unknown." if is_sparse(shape.layout) else "Its size in bytes is unknown."
    text = f"It has {_counted(dense, 'byte')}"
    if shape.layout is None:
        return f"{text} without padding."
    if padded == dense:
        return f"{text}; this layout adds no padding."
    if padded < dense:
        return f"{text} without padding; its largest piece has {padded:,} in this layout."
    return f"{text} without padding and {padded:,} in this layout, {_growth(padded, dense)}."


def _stated_size(size_bytes: int | None, padded: int | None) -> list[str]:
    """How the dump's size compares; a shared slice is as large as the largest value in it."""
    if size_bytes is None:
        return []
    text = f"The dump gives it {_counted(size_bytes, 'byte')}"
    if padded is None:
        return [f"{text}."]
    if size_bytes == padded:
        return [f"{text}, just what the layout asks for."]
    more_or_less = "more" if size_bytes > padded else "fewer"
    return [f"{text}, {abs(size_bytes - padded):,} {more_or_less} than the layout asks for."]


def _growth(padded: int, dense: int) -> str:
    """To two decimals, and in whole numbers, because the quotient may be too large for a float."""
    hundredths = (200 * padded + dense) // (2 * dense)
    if hundredths == 100:
        return "less than 1 % more"
    factor = f"{hundredths // 100:,}.{hundredths % 100:02}".removesuffix(".00")
    return f"{factor} times as much"


def _fastest(count: int) -> str:
    return "the fastest dimension" if count == 1 else f"the {_number(count)} fastest dimensions"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _dimensions(names: list[str]) -> str:
    return f"dimension{'s' if len(names) > 1 else ''} {', '.join(names)}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _number(count: int) -> str:
    return _SMALL_NUMBERS[count] if count < len(_SMALL_NUMBERS) else str(count)


def _size(size: int | None) -> str:
    return "?" if size is None else str(size)


def _sizes(sizes: list[int]) -> str:
    return "×".join(map(str, sizes))


def _tile_text(tile: Tile) -> str:
    return f"({','.join(map(_step, tile))})"


def _step(step: int | None) -> str:
    return "*" if step is None else str(step)
