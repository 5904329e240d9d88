"""Say what an out-of-memory error is, what caused it and what it states, for pages and terminals alike.

Every sentence follows from the text of the error, so that none contradicts the tables in it.
"""

import re
from collections.abc import Iterator, Sequence

from reportgen.analyse.sizes import dense_bytes, physical_order, round_up
from reportgen.model.shapes import ArrayShape
from reportgen.oom.error_event import Kind, LoggedBuffer, OutOfMemory
from reportgen.oom.printed_size import SizeRange, read_size
from reportgen.parse.shape_parser import ShapeError, parse_shape
from reportgen.reports.formats import exact_bytes, range_words

VERDICTS: dict[Kind, str] = {
    "compile": "The compiler refused the program",
    "allocation": "One buffer is larger than the memory",
    "load": "The program compiled, but could not be loaded",
    "data": "Data could not be put on the device",
    "execution": "The program ran out of memory while it was running",
    "allocator": "What the runtime’s allocator held when memory ran out",
    "rematerialization": "A warning: recomputing values does not make the program small enough",
    "arguments": "A warning: arguments and results alone exceed the limit of the compiler",
    "fragment": "A part of an error whose beginning is missing",
}
LACKS: dict[Kind, str] = {
    "load": "Other programs and their data hold the rest of the memory; this text does not say which.",
    "data": "Programs and data hold the rest of the memory; this text does not say which.",
    "execution": "Other programs and data share the device; this text does not say which.",
    "allocator": "Nor does it say which programs and data hold the memory.",
}

_LEAST_CAUSE = 20  # parts of the needed memory, of which padding has to be one
_MOST_DENSE = 0.75  # of the bytes of a buffer, above which padding is not worth a sentence
_PADDED = re.compile(r"Unpadded \(([^()]*)\) Padded \(([^()]*)\)")


def figures(event: OutOfMemory) -> str:
    """Return what is needed, usable, in use, free and too much, as far as the text says so; empty if it does not."""
    needed, capacity = event.needed, event.capacity
    excess = excess_of(event)
    if needed and capacity and range_words(needed) == range_words(capacity):
        return _equal_figures(needed, capacity, excess)
    sizes = {total.name: total.size for total in event.totals}
    left = "left outside of its pool" if event.kind == "allocator" else "free"
    named = (
        (needed, "needed"),
        (capacity, "usable"),
        (sizes.get("total allocation"), "for the whole program"),
        (sizes.get("InUse"), "in use"),
        (event.free, left),
        (event.reservable if event.reservable != event.free else None, "of that in one piece"),
        (excess, "too much"),
    )
    return ", ".join(f"{range_words(size)} {words}" for size, words in named if size)


def excess_of(event: OutOfMemory) -> SizeRange | None:
    """Return by how much the needed memory exceeds the usable, as far as the text says so."""
    return event.excess or _difference(event.needed, event.capacity)


def _equal_figures(needed: SizeRange, capacity: SizeRange, excess: SizeRange | None) -> str:
    """Return two sizes that look equal when they are rounded: in bytes if these are known, else their difference."""
    if needed.is_exact and capacity.is_exact:
        too_much = f", {range_words(excess)} too much" if excess else ""
        return f"{exact_bytes(needed.low)} needed, {exact_bytes(capacity.low)} usable{too_much}"
    return f"{range_words(excess)} more than the {range_words(capacity)} usable" if excess else ""


def causes(event: OutOfMemory) -> list[str]:
    """Return the sentences on what the text shows to be the cause: padding, and arguments larger than the memory."""
    return [*_of_padding(event), *_of_arguments(event)]


def unpadded(buffer: LoggedBuffer) -> SizeRange | None:
    """Return the size of a buffer without padding, as the text or its shape says."""
    if buffer.unpadded:
        return buffer.unpadded
    shape = _array(buffer.shape)
    # Without a layout in the text, padding is unknown.
    dense = dense_bytes(shape, pointer_bytes=0) if shape and shape.layout else None
    return None if dense is None else SizeRange(dense, dense)


def padding_words(buffer: LoggedBuffer) -> str:
    """Return how much of a buffer is padding, and which dimensions it pads; empty if that is little or unknown."""
    dense = unpadded(buffer)
    if not dense or not buffer.size or not _is_padded(dense, buffer.size):
        return ""
    share = f"{_share(dense, buffer.size)} of this buffer is padding"
    dimensions = _padded_dimensions(buffer.shape)
    return f"{share}: its {' and its '.join(dimensions)}" if dimensions else share


def _of_padding(event: OutOfMemory) -> Iterator[str]:
    """Yield a sentence on the buffer with most padding, or else on all temporaries."""
    least = event.needed.middle // _LEAST_CAUSE if event.needed else 0
    buffer = max(event.buffers, key=_padding, default=None)
    words = padding_words(buffer) if buffer and _padding(buffer) >= least else ""
    if buffer and buffer.size and words and (dense := unpadded(buffer)):
        name = buffer.instruction or buffer.opcode or buffer.shape
        yield f"{words}. It is {name}, with {range_words(buffer.size)} instead of {range_words(dense)}."
        return
    for total in event.totals:
        if total.name == "HLO temp" and (found := _PADDED.search(total.detail)):
            dense, size = read_size(found[1]), read_size(found[2])
            if dense and size and _is_padded(dense, size) and size.middle - dense.middle >= least:
                share = f"{_share(dense, size)} of the temporaries is padding"
                yield f"{share}: {range_words(size)} instead of {range_words(dense)}."


def _of_arguments(event: OutOfMemory) -> Iterator[str]:
    arguments = next(
        (total.size for total in event.totals if total.name in ("arguments", "parameter allocation")), None
    )
    if arguments and event.capacity and arguments.low > event.capacity.high:
        yield f"The arguments alone take {range_words(arguments)}, more than the {range_words(event.capacity)} usable."


def _is_padded(dense: SizeRange, size: SizeRange) -> bool:
    """Return whether enough of a size is padding to be said. A damaged text may have any sizes."""
    return 0 <= dense.middle < _MOST_DENSE * size.middle


def _share(dense: SizeRange, size: SizeRange) -> str:
    return f"{100 * (1 - dense.middle / size.middle):.1f} %"


def _padding(buffer: LoggedBuffer) -> int:
    dense = unpadded(buffer)
    return buffer.size.middle - dense.middle if buffer.size and dense else 0


def _padded_dimensions(text: str) -> Sequence[str]:
    """Return the dimensions that the first tile pads, the one that is padded most first."""
    shape = _array(text)
    if shape is None or shape.layout is None or not shape.layout.tiles:
        return []
    tile, order = shape.layout.tiles[0], physical_order(shape)
    padded = []
    for dimension, step in zip(reversed(order), reversed(tile), strict=False):
        size = shape.dimensions[dimension]
        if size and step and size % step:
            padded.append((round_up(size, step) / size, dimension, size, round_up(size, step)))
    places = {0: "first dimension", len(shape.dimensions) - 1: "last dimension"}
    return [
        f"{places.get(dimension, f'dimension {dimension}')} of {size:,} is padded to {to:,}"
        for ratio, dimension, size, to in sorted(padded, reverse=True)
        if ratio > 1 / _MOST_DENSE
    ]


def _array(text: str) -> ArrayShape | None:
    try:
        shape = parse_shape(text)
    except ShapeError:
        return None
    return shape if isinstance(shape, ArrayShape) else None


def _difference(needed: SizeRange | None, capacity: SizeRange | None) -> SizeRange | None:
    """Return by how much the needed memory exceeds the usable, where even the rounded sizes say that it does."""
    if not needed or not capacity or needed.low <= capacity.high:
        return None
    return needed - capacity
