"""Work out the padding of the buffers that an out-of-memory error lists, and the shape that would have little of it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod

from reportgen.analyse.sizes import dense_bytes, padded_bytes, physical_order, round_up, under_first_tile
from reportgen.model.shapes import ArrayShape
from reportgen.oom.error_event import LoggedBuffer, OutOfMemory
from reportgen.oom.printed_size import SizeRange
from reportgen.parse.shape_parser import ShapeError, parse_shape
from reportgen.record import record

MOST_DENSE = 0.75
"""The part of a buffer that is data from which on its padding is not worth a sentence."""


@record
class ReshapedBuffer:
    """A padded buffer in another shape: both as XLA prints them without a layout, and the bytes that this saves."""

    before: str
    after: str
    saving_bytes: int


def completed(event: OutOfMemory) -> OutOfMemory:
    """Return an event whose buffers have the sizes that follow from their shapes, where the text does not say them.

    Lists begin with what is largest. Of one that lacks all before its last entry, what that is made from comes first.
    """
    buffers = [*map(_with_size, event.buffers)]
    if event.kind == "fragment" and len(buffers) == 1 and (size := buffers[0].size):
        operands = (
            _with_size(LoggedBuffer(shape=shape, instruction=name, is_cut=False))
            for name, shape in dict(buffers[0].made_from).items()
        )
        buffers[:0] = [one for one in operands if one.size and one.size.low_bytes > size.high_bytes]
    return event._replace(buffers=tuple(buffers))


def _with_size(buffer: LoggedBuffer) -> LoggedBuffer:
    shape = None if buffer.size else _array(buffer.shape)
    size = padded_bytes(shape, pointer_bytes=0) if shape and shape.layout else None
    return buffer if size is None else buffer._replace(size=SizeRange(size, size))


def unpadded(buffer: LoggedBuffer) -> SizeRange | None:
    """Return the size of a buffer without padding, as the text or its shape says."""
    if buffer.unpadded:
        return buffer.unpadded
    shape = _array(buffer.shape)
    # Without a layout in the text, padding is unknown.
    dense = dense_bytes(shape, pointer_bytes=0) if shape and shape.layout else None
    return None if dense is None else SizeRange(dense, dense)


def padding_bytes(buffer: LoggedBuffer) -> int:
    """Return the bytes of a buffer that are padding, 0 where they are few or unknown."""
    dense = unpadded(buffer)
    if not dense or not buffer.size or not is_padded(dense, buffer.size):
        return 0
    return buffer.size.middle - dense.middle


def padding_words(buffer: LoggedBuffer) -> str:
    """Return which dimensions of a buffer are padded; empty if little of it is padding, or the shape does not say."""
    shape = _array(buffer.shape) if padding_bytes(buffer) else None
    if not shape:
        return ""
    places = {0: "first dimension", len(shape.dimensions) - 1: "last dimension"}
    words = (
        f"its {places.get(number, f'dimension {number}')} of {size:,} is padded to {padded:,}"
        for number, size, padded in _padded_dimensions(shape)
    )
    return " and ".join(words)


def reshaped(buffers: Iterable[LoggedBuffer]) -> ReshapedBuffer | None:
    """Return how the buffers of the shape with most padding could have less of it; None where the shape does not say.

    The longest dimension goes last or, where that is too short to fill a tile, the last one is merged with others.
    """
    padded = [buffer for buffer in buffers if padding_bytes(buffer)]
    largest = max(padded, key=padding_bytes, default=None)
    shape = _array(largest.shape) if largest else None
    if (
        largest is None
        or largest.size is None
        or shape is None
        or shape.layout is None
        or not _padded_dimensions(shape)
    ):
        return None
    sizes = sorted(size or 1 for size in shape.dimensions)
    row_major = replace(shape.layout, minor_to_major=tuple(reversed(range(len(sizes)))))
    other = replace(shape, dimensions=tuple(sizes), layout=row_major)
    now, after = padded_bytes(shape, pointer_bytes=0) or 0, padded_bytes(other, pointer_bytes=0) or 0
    dense = dense_bytes(shape, pointer_bytes=0) or 0
    if now - after < MOST_DENSE * (now - dense):
        other, after = replace(shape, dimensions=(prod(sizes),)), dense
    return ReshapedBuffer(
        before=_plain(shape),
        after=_plain(other),
        saving_bytes=sum(
            largest.size.middle * (now - after) // now for buffer in padded if buffer.shape == largest.shape
        ),
    )


def is_padded(dense: SizeRange, size: SizeRange) -> bool:
    """Return whether enough of a size is padding to be said. A damaged text may have any sizes."""
    return 0 <= dense.middle < MOST_DENSE * size.middle


def _padded_dimensions(shape: ArrayShape) -> Sequence[tuple[int, int, int]]:
    """Return the dimensions that the first tile pads: the number, the size and the padded size of each, worst first."""
    sizes, steps = under_first_tile(shape)
    if shape.layout is None or not sizes or None in shape.layout.tiles[0]:  # which merges dimensions
        return []
    numbered = zip(reversed(physical_order(shape)), reversed(sizes), reversed(steps), strict=False)
    padded = [(number, size, round_up(size, step)) for number, size, step in numbered if size]
    worst = [one for one in padded if one[2] > one[1] / MOST_DENSE]
    return sorted(worst, key=lambda one: (one[2] / one[1], one[0]), reverse=True)


def _plain(shape: ArrayShape) -> str:
    return f"{shape.element_type}[{','.join(map(str, shape.dimensions))}]"


def _array(text: str) -> ArrayShape | None:
    try:
        shape = parse_shape(text)
    except ShapeError:
        return None
    return shape if isinstance(shape, ArrayShape) else None
