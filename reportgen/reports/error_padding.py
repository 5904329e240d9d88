"""Work out the padding of the buffers that an out-of-memory error lists, and the shape that would have little of it."""

from collections.abc import Iterable, Iterator, Sequence
from math import prod

from reportgen.analyse.sizes import dense_bytes, padded_bytes, physical_order, round_up
from reportgen.model.shapes import ArrayShape
from reportgen.oom.error_event import LoggedBuffer, OutOfMemory
from reportgen.oom.printed_size import SizeRange
from reportgen.parse.shape_parser import ShapeError, parse_shape
from reportgen.record import record
from reportgen.reports.formats import percent

MOST_DENSE = 0.75
"""The part of a buffer that is data from which on its padding is not worth a sentence."""
_LEAST_LEFT = 0.05
"""The part of a buffer in a suggested shape from which on its padding is said."""


@record
class ReshapedBuffer:
    """A padded buffer in another shape: both as XLA prints them without a layout, and the bytes that this saves.

    `used` says how much of a tile the dimension fills that is padded most, `why` what is better of the other shape, and
    what of that is still padding.
    """

    before: str
    after: str
    used: str
    why: str
    saving_bytes: int


@record
class _PaddedDimension:
    number: int
    size: int
    padded_size: int


def with_size(buffer: LoggedBuffer) -> LoggedBuffer:
    """Return a buffer with the size that its shape and layout need, where the text does not say it."""
    size = None if buffer.size else _laid_out_bytes(_array(buffer.shape))
    return buffer if size is None else buffer._replace(size=SizeRange(size, size))


def operands(event: OutOfMemory) -> Sequence[LoggedBuffer]:
    """Return what buffers are made from and is larger than they are, with sizes; none where the list has its start.

    Lists begin with what is largest, so only one without its start can lack what is larger than its entries.
    """
    if event.kind != "fragment":
        return ()
    found: dict[str, LoggedBuffer] = {}
    for reader in map(with_size, event.buffers):
        for name, shape in reader.made_from:
            operand = with_size(LoggedBuffer(shape=shape, instruction=name, is_cut=False))
            if operand.size and reader.size and operand.size.low_bytes > reader.size.high_bytes:
                found[name] = operand
    return list(found.values())


def _laid_out_bytes(shape: ArrayShape | None) -> int | None:
    """Return the size of an array with its padding; None where its layout is not known."""
    return padded_bytes(shape, pointer_bytes=0) if shape and shape.layout else None


def unpadded(buffer: LoggedBuffer) -> SizeRange | None:
    """Return the size of a buffer without padding, as the text or its shape says."""
    if buffer.unpadded:
        return buffer.unpadded
    shape = _array(buffer.shape)
    # Without a layout in the text, padding is unknown.
    dense = dense_bytes(shape, pointer_bytes=0) if shape and shape.layout else None
    return None if dense is None else SizeRange(dense, dense)


def is_dense(buffer: LoggedBuffer) -> bool:
    """Return whether the shape and layout of a buffer show that it has no padding at all, as its size does."""
    shape = _array(buffer.shape)
    size = _laid_out_bytes(shape)
    if shape is None or size is None or (buffer.size and size not in buffer.size):
        return False
    return size == dense_bytes(shape, pointer_bytes=0)


def padding_bytes(buffer: LoggedBuffer) -> int:
    """Return the bytes of a buffer that are padding, 0 where they are few or unknown."""
    dense = unpadded(buffer)
    if not dense or not buffer.size or not is_padded(dense, buffer.size):
        return 0
    return buffer.size.middle - dense.middle


def padding_words(buffer: LoggedBuffer) -> str:
    """Return which dimensions of a buffer are padded; empty if little of it is padding, or the shape does not say."""
    shape = _array(buffer.shape) if padding_bytes(buffer) else None
    dimensions = _padded_dimensions(shape) if shape else []
    if not shape or not dimensions:
        return ""
    places = {0: "first dimension", len(shape.dimensions) - 1: "last dimension"}
    words = (
        f"{places.get(one.number, f'dimension {one.number}')} of {one.size:,} is padded to {one.padded_size:,}"
        for one in dimensions
    )
    return f"its {' and its '.join(words)}"


def reshaped(buffers: Iterable[LoggedBuffer]) -> ReshapedBuffer | None:
    """Return how the buffers of the shape with most padding could have less of it; None where the shape does not say.

    The program itself may reshape it to one that has little. Else the longest dimension goes last or, where that is too
    short to fill a tile, the last one is merged with others.
    """
    listed = list(buffers)
    padded = [buffer for buffer in listed if padding_bytes(buffer)]
    largest = max(padded, key=padding_bytes, default=None)
    shape = _array(largest.shape) if largest else None
    dimensions = _padded_dimensions(shape) if shape else []
    if largest is None or largest.size is None or shape is None or shape.layout is None or not dimensions:
        return None
    sizes = [size or 1 for size in shape.dimensions]
    tile = [step or 1 for step in shape.layout.tiles[0]]
    now, dense = _tiled(sizes, tile, physical_order(shape)), prod(sizes)
    in_order = sorted(sizes)
    choices = [*_own_reshapes(largest, shape.element_type, listed)]
    choices += [("the longest dimension last", in_order, _tiled(in_order, tile, range(len(sizes))))]
    enough = (choice for choice in choices if now - choice[2] >= MOST_DENSE * (now - dense))
    why, others, after = next(enough, ("merged", [dense], dense))
    still = f", still {percent(after - dense, after)} padding" if after - dense > _LEAST_LEFT * after else ""
    worst = dimensions[0]
    return ReshapedBuffer(
        before=_plain(shape, sizes),
        after=_plain(shape, others),
        used=f"{worst.size:,} of each {worst.padded_size:,} used",
        why=why + still,
        saving_bytes=sum(
            largest.size.middle * (now - after) // now for buffer in padded if buffer.shape == largest.shape
        ),
    )


def _own_reshapes(
    padded: LoggedBuffer, element_type: str, listed: Sequence[LoggedBuffer]
) -> Iterator[tuple[str, Sequence[int], int]]:
    """Yield other shapes that a program has of an array, each with where, and the elements that it takes in tiles."""
    printed = (padded.instruction, padded.shape)
    reshapes = [buffer for buffer in listed if buffer.opcode == "reshape"]
    given = [(f"{one.instruction} gives it", one.shape) for one in reshapes if printed in one.made_from]
    read = [(f"{name} has", text) for name, text in (padded.made_from if padded in reshapes else ())]
    for where, text in given + read:
        shape = _array(text)
        if shape and shape.layout and shape.layout.tiles and shape.element_type == element_type:
            sizes, tile = [size or 1 for size in shape.dimensions], [step or 1 for step in shape.layout.tiles[0]]
            yield f"the shape that {where}", sizes, _tiled(sizes, tile, physical_order(shape))


def is_padded(dense: SizeRange, size: SizeRange) -> bool:
    """Return whether enough of a size is padding to be said. A damaged text may have any sizes."""
    return 0 <= dense.middle < MOST_DENSE * size.middle


def share_of_padding(dense: SizeRange, size: SizeRange) -> str:
    """Return `96.9 %`."""
    return f"{100 * (1 - dense.middle / size.middle):.1f} %"


def _padded_dimensions(shape: ArrayShape) -> Sequence[_PaddedDimension]:
    """Return the dimensions that the first tile pads, the one that is padded most first."""
    if shape.layout is None or not shape.layout.tiles:
        return []
    tile, order = shape.layout.tiles[0], physical_order(shape)
    padded = []
    for dimension, step in zip(reversed(order), reversed(tile), strict=False):
        size = shape.dimensions[dimension]
        if size and step and size % step and round_up(size, step) > size / MOST_DENSE:
            padded.append(_PaddedDimension(number=dimension, size=size, padded_size=round_up(size, step)))
    return sorted(padded, key=lambda one: (one.padded_size / one.size, one.number), reverse=True)


def _tiled(sizes: Sequence[int], tile: Sequence[int], order: Sequence[int]) -> int:
    """Return how many elements an array takes in tiles; `order` are its dimensions as they nest, most major first."""
    nested = [sizes[dimension] for dimension in order]
    nested = [1] * (len(tile) - len(nested)) + nested
    major = len(nested) - len(tile)
    return prod(nested[:major]) * prod(map(round_up, nested[major:], tile))


def _plain(shape: ArrayShape, sizes: Sequence[int]) -> str:
    return f"{shape.element_type}[{','.join(map(str, sizes))}]"


def _array(text: str) -> ArrayShape | None:
    try:
        shape = parse_shape(text)
    except ShapeError:
        return None
    return shape if isinstance(shape, ArrayShape) else None
