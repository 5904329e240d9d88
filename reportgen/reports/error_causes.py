"""Work out what fills the memory of an out-of-memory error, from the figures in its own text.

Every sentence follows from the text, so that none contradicts the tables in it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from reportgen.oom.error_event import OutOfMemory, Total
from reportgen.oom.forms import OF_ONE_REQUEST
from reportgen.oom.printed_size import SizeRange, read_size
from reportgen.record import record
from reportgen.reports.error_padding import (
    is_padded,
    operands,
    padding_bytes,
    padding_words,
    share_of_padding,
    unpadded,
)
from reportgen.reports.formats import human_bytes, range_words

Part = Literal["arguments", "outputs", "temporaries", "constants", "code", "aliased"]
Cause = Literal["padding", "arguments", "outputs", "temporaries", "fragmentation", "held by itself", "held before", ""]

_PARTS: Mapping[str, Part] = {
    "arguments": "arguments",
    "parameter allocation": "arguments",
    "argument_size_in_bytes": "arguments",
    "Graph input": "arguments",
    "maybe_live_out allocation": "outputs",
    "output_size_in_bytes": "outputs",
    "Graph output": "outputs",
    "HLO temp": "temporaries",
    "preallocated temp allocation": "temporaries",
    "temp_size_in_bytes": "temporaries",
    "Intermediate tensor": "temporaries",
    "constant allocation": "constants",
    "generated_code_size_in_bytes": "code",
    "Compiled program": "code",
    "alias_size_in_bytes": "aliased",
    "Aliased Input": "aliased",
}
_PART_OF_ALLOCATION: Mapping[str, Part] = {
    "preallocated-temp": "temporaries",
    "parameter": "arguments",
    "constant": "constants",
    "output": "outputs",
    "maybe-live-out": "outputs",
}
Filling = Literal["arguments", "outputs", "temporaries"]
_FILLING: Mapping[Filling, str] = {
    "arguments": "The arguments",
    "outputs": "The outputs",
    "temporaries": "Temporaries",
}
"""The classes that may fill a memory, and what a sentence calls them."""

_MOST = 0.5
"""The share of the memory from which something is what fills it."""

_ROUNDED = 1.01
"""How much larger a part than the whole may be, because both are rounded."""

_TINY = 1 << 30
"""Less than the memory of any device, in bytes: a program that needs less did not fill one."""
_FULL = 99
"""Hundredths of an allocator's pool in use, from which what was there before is the cause."""
_LEAST_FRAGMENTED = 0.15
_LEAST_CAUSE = 20  # parts of the needed memory, of which padding has to be one
_PADDED = re.compile(r"Unpadded \(([^()]*)\) Padded \(([^()]*)\)")
_CHUNKS = re.compile(r"(\d{1,9}) Chunks of size (\d{1,19})$")
_FRAGMENTS = re.compile(r"(?<![\d.])([\d.]+)% fragmentation \(([^()]*)\)")
_SHARES = re.compile(r"shares (\S+) with arguments")
_SHARE = re.compile(r"([\d.]+) ?%")
_LARGEST_CHUNKS = 3
_LEAST_CHUNKS = 200  # parts of all chunks, of which those of one size have to be one


@record(kw_only=False)
class Chunks:
    """The chunks of one size that an allocator has given out."""

    count: int
    each_bytes: int
    size: SizeRange

    @property
    def words(self) -> str:
        """Return `124 chunks of 3.78 MiB`, or `1 chunk`."""
        return f"{self.count:,} chunks of {human_bytes(self.each_bytes)}" if self.count > 1 else "1 chunk"


@record
class Explained:
    """What fills the memory: the cause by its name, and sentences on it, the main one first."""

    cause: Cause
    sentences: Sequence[str]


def explained(event: OutOfMemory) -> Explained:
    """Return what the text shows to be the cause; no cause and no sentence if it does not show one."""
    known = [(cause, sentences) for cause, sentences in _causes(event) if sentences]
    return Explained(
        cause=next((cause for cause, _ in known if cause), ""),
        sentences=[sentence for _, sentences in known for sentence in sentences],
    )


def _causes(event: OutOfMemory) -> Iterator[tuple[Cause, Sequence[str]]]:
    """Yield what takes the memory, the main cause first; what is only worth a sentence has no name."""
    yield "fragmentation", [*_of_fragmentation(event)]
    if others := [*_of_others(event)]:
        yield "held before", others
        return
    yield "held by itself", [*_of_holders(event)]
    if too_many := [*_of_too_many_arguments(event)]:
        yield "arguments", too_many
        return
    padding, padded_bytes = _of_padding(event)
    most = _of_parts(event)
    needed = event.needed.middle if event.needed else 0
    if most:
        cause, _ = most
        # Padding is the cause instead if it is most of the memory, or if this would be the temporaries.
        if not padding or (padded_bytes <= _MOST * needed and cause != "temporaries"):
            yield most
    yield "padding", [padding] if padding else []
    lost = [*_of_lost_bytes(event), *_of_fragmented_temporaries(event)]
    yield "", [*lost, *_of_compiled(event), *_of_slots(event), *_of_chunks(event), *_of_pieces(event)]


def parts_of(event: OutOfMemory) -> Mapping[Part, SizeRange]:
    """Return the sum of the rows of each class of memory, as far as the text has them."""
    parts: dict[Part, SizeRange] = {}
    for total in event.totals:
        part = _PARTS.get(total.name) or _part_of_allocation(total)
        if part and total.size:
            parts[part] = parts[part] + total.size if part in parts else total.size
    return parts


def whole_of(event: OutOfMemory) -> SizeRange | None:
    """Return all the memory that the classes of `parts_of` and the buffers are part of; None if it is unknown."""
    parts = parts_of(event)
    stated = size_named(event, "total allocation") or (None if event.kind in OF_ONE_REQUEST else event.needed)
    if stated:
        listed = [*parts.values(), *(buffer.size for buffer in event.buffers if buffer.size)]
        return stated if all(size.low_bytes <= _ROUNDED * stated.high_bytes for size in listed) else None
    if event.kind != "compiled" or not any(parts[name].high_bytes for name in _FILLING if name in parts):
        return None
    sizes = [size for part, size in parts.items() if part != "aliased"]
    whole = sum(sizes[1:], sizes[0]) if sizes else SizeRange(0, 0)
    return whole - parts["aliased"] if "aliased" in parts else whole


def size_named(event: OutOfMemory, name: str) -> SizeRange | None:
    """Return the size of a row."""
    return next((total.size for total in event.totals if total.name == name), None)


def excess_of(event: OutOfMemory) -> SizeRange | None:
    """Return by how much the needed memory exceeds the usable, as far as the text says so."""
    return event.excess or _difference(event.needed, event.capacity)


def free_of(event: OutOfMemory) -> tuple[SizeRange | None, SizeRange | None]:
    """Return what was free, and the largest part of that in one piece, each None where the text does not say it."""
    if event.kind in ("execution", "allocator") and (block := _largest_block(event)):
        return _difference(event.capacity, event.held), block
    return event.free, event.reservable


def shortage_of(event: OutOfMemory) -> tuple[SizeRange, bool] | None:
    """Return how much more a request needed than was free, and whether that is only of the largest free piece."""
    free, piece = free_of(event)
    if short := _difference(event.needed, free):
        return short, False
    if free and (short := _difference(event.needed, piece)):
        return short, True
    excess = excess_of(event)
    return (excess, False) if excess else None


def _part_of_allocation(total: Total) -> Part | None:
    """Return the class of an allocation in a usage report, which describes it as a dump does."""
    if total.head != "usage-report":
        return None
    return next((part for word, part in _PART_OF_ALLOCATION.items() if word in total.name), None)


def _of_parts(event: OutOfMemory) -> tuple[Cause, Sequence[str]] | None:
    """Return the class that takes most of the memory, with a sentence."""
    whole, parts = whole_of(event), parts_of(event)
    if not whole or whole.middle <= 0 or event.kind == "load":  # then the rest of the device is the matter
        return None
    for part in _FILLING:
        size = parts.get(part)
        if size and _MOST * whole.middle < size.middle <= _ROUNDED * whole.middle:
            return part, [*_part_words(event, part, size, whole)]
    return None


def _part_words(event: OutOfMemory, part: Filling, size: SizeRange, whole: SizeRange) -> Iterator[str]:
    share = f"{100 * size.middle / whole.middle:.1f}"
    if share == "100.0":
        yield f"{_FILLING[part]} take nearly all of it: {range_words(size)}."
        return
    verb = "allocated" if whole != event.needed or event.kind == "compiled" else "needed"
    yield f"{_FILLING[part]} take {range_words(size)} of the {range_words(whole)} {verb} ({share} %)."
    if part == "arguments" and event.capacity and size.high_bytes < event.capacity.low_bytes:
        left, rest = event.capacity - size, whole - size
        words = f"That leaves about {human_bytes(left.middle)} of the {range_words(event.capacity)} usable for the rest"
        yield f"{words}, which is about {human_bytes(rest.middle)}." if rest.low_bytes > 0 else f"{words}."


def _of_too_many_arguments(event: OutOfMemory) -> Iterator[str]:
    arguments = parts_of(event).get("arguments")
    if arguments and event.capacity and arguments.low_bytes > event.capacity.high_bytes:
        yield f"The arguments alone take {range_words(arguments)}, more than the {range_words(event.capacity)} usable."


def _of_padding(event: OutOfMemory) -> tuple[str, int]:
    """Return a sentence on the buffer with most padding, or else on all temporaries, and the bytes of padding."""
    least = event.needed.middle // _LEAST_CAUSE if event.needed else 0
    return _of_padded_buffer(event, least) or _of_padded_temporaries(event, least) or ("", 0)


def _of_padded_buffer(event: OutOfMemory, least: int) -> tuple[str, int] | None:
    """Return a sentence on the buffer with most padding, and its bytes; None if they are less than the `least`."""
    buffer = max((*event.buffers, *operands(event)), key=padding_bytes, default=None)
    dense = unpadded(buffer) if buffer else None
    if buffer is None or not buffer.size or not dense or padding_bytes(buffer) < max(least, 1):
        return None
    name = buffer.instruction or buffer.opcode or buffer.shape
    share = share_of_padding(dense, buffer.size)
    takes = f"{name} takes {range_words(buffer.size)} for {range_words(dense)} of data ({share} padding)"
    words = padding_words(buffer)
    return f"{takes}: {words}." if words else f"{takes}.", padding_bytes(buffer)


def _of_padded_temporaries(event: OutOfMemory, least: int) -> tuple[str, int] | None:
    """Return a sentence on the padding of all temporaries, and its bytes; None if they are less than the `least`."""
    padding = padding_of_temporaries(event)
    if not padding or padding < least:
        return None
    dense, size = next(filter(None, map(_padded_temporaries, event.totals)))
    share = f"{share_of_padding(dense, size)} of the temporaries is padding"
    return f"{share}: {range_words(size)} instead of {range_words(dense)}.", padding


def padding_of_temporaries(event: OutOfMemory) -> int:
    """Return the bytes of the temporaries that are padding, 0 where they are few or the text does not say."""
    return next((size.middle - dense.middle for dense, size in filter(None, map(_padded_temporaries, event.totals))), 0)


def _padded_temporaries(total: Total) -> tuple[SizeRange, SizeRange] | None:
    """Return the size of the temporaries without padding and with it, if a row says that much of it is padding."""
    match = _PADDED.search(total.detail) if total.name == "HLO temp" else None
    dense, size = (read_size(match[1]), read_size(match[2])) if match else (None, None)
    return (dense, size) if dense and size and is_padded(dense, size) else None


def _of_fragmentation(event: OutOfMemory) -> Iterator[str]:
    needed, (free, piece) = event.needed, free_of(event)
    if needed and free and piece and free.low_bytes >= needed.high_bytes and piece.high_bytes < needed.low_bytes:
        yield (
            f"{range_words(free)} are free, which would be enough for {range_words(needed)}, but at most"
            f" {range_words(piece)} of that in one piece: the memory is fragmented."
        )


def _largest_block(event: OutOfMemory) -> SizeRange | None:
    """Return the largest free block of an allocator; None where it has none, or does not say."""
    largest = size_named(event, "LargestFreeBlock")
    return largest if largest and largest.high_bytes > 0 else None


def _of_lost_bytes(event: OutOfMemory) -> Iterator[str]:
    total, lost = size_named(event, "total allocation"), size_named(event, "total fragmentation")
    if total and lost and lost.middle >= _LEAST_FRAGMENTED * total.middle > 0:
        detail = next(row.detail for row in event.totals if row.name == "total fragmentation")
        printed = _SHARE.match(detail)
        share = f" ({printed[1]} %)" if printed else ""
        yield f"{range_words(lost)}{share} of it is lost to fragmentation."


def _of_others(event: OutOfMemory) -> Iterator[str]:
    """Yield that something else holds the memory, where a program is small or the pool was full before."""
    plan = size_named(event, "total allocation") if event.kind == "execution" else None
    if plan and plan.high_bytes < _TINY:
        yield f"The whole program needs {range_words(plan)}, which any device has: something else holds the memory."
    elif int(dict(event.words).get("pool_share", "0 %")[:-2]) >= _FULL:
        yield "What was put on the device before fills the pool."


def _of_compiled(event: OutOfMemory) -> Iterator[str]:
    """Yield the sum of what XLA planned for a program, or that its runtime does not fill that in."""
    parts = parts_of(event)
    if event.kind != "compiled" or not parts.keys() & {"code"} or event.needed:
        return
    named = {name: range_words(size) for name, size in parts.items()}
    if not any(parts[name].high_bytes for name in _FILLING if name in parts):
        yield f"This runtime fills in nothing but the code, {named['code']}: the program has arguments and outputs."
    elif whole := whole_of(event):
        known = [f"{name} {named[name]}" for name in ("arguments", "outputs", "temporaries") if name in named]
        shared = f", less {named['aliased']} that arguments and outputs share" if "aliased" in named else ""
        yield f"What XLA planned for the program adds up to {range_words(whole)}: {', '.join(known)}{shared}."


def _of_slots(event: OutOfMemory) -> Iterator[str]:
    """Yield the largest slots of a usage report, and the values that take turns in them."""
    slots = [total for total in event.totals if total.detail.endswith(" ") or " take turns: " in total.detail]
    largest = max((slot.size.middle for slot in slots if slot.size), default=0)
    equal = [slot for slot in slots if slot.size and slot.size.middle == largest]
    if equal:
        turns = "; ".join(slot.detail for slot in equal[:_LARGEST_CHUNKS])
        count = (
            f"{len(equal)} slots of {human_bytes(largest)} each"
            if len(equal) > 1
            else f"one slot of {human_bytes(largest)}"
        )
        yield f"The largest memory is {count}, in which {turns}."


def _of_pieces(event: OutOfMemory) -> Iterator[str]:
    free, piece = _difference(event.capacity, event.held), _largest_block(event)
    if event.form.backend == "gpu" and free and piece and piece.high_bytes < free.low_bytes:
        yield f"{range_words(free)} are free, at most {range_words(piece)} of that in one piece."


def _of_fragmented_temporaries(event: OutOfMemory) -> Iterator[str]:
    needed = event.needed.middle if event.needed else 0
    for total in event.totals:
        if total.name == "HLO temp" and (match := _FRAGMENTS.search(total.detail)):
            lost = read_size(match[2])
            if lost and lost.middle * _LEAST_CAUSE >= needed > 0:
                yield f"{match[1]} % of the temporaries is lost to fragmentation: {range_words(lost)}."


def _unshared_outputs(event: OutOfMemory) -> SizeRange | None:
    """Return the bytes of outputs that do not share memory with arguments; None where the text does not say it."""
    parts = parts_of(event)
    arguments, outputs, whole = parts.get("arguments"), parts.get("outputs"), size_named(event, "total allocation")
    if whole and outputs and arguments == outputs and outputs.middle > _TINY:  # a state that is returned
        return outputs
    for total in event.totals:
        if total.head == "Output size" and total.size and (match := _SHARES.search(total.detail)):
            shared = read_size(match[1])
            return total.size - shared if shared else None
    return None


def _is_held_twice(event: OutOfMemory) -> bool:
    """Return whether outputs could take the place of arguments and do not, for a part of the memory that matters."""
    arguments, outputs = parts_of(event).get("arguments"), _unshared_outputs(event)
    needed = event.needed.middle if event.needed else 0
    return bool(arguments and outputs and min(arguments.middle, outputs.middle) > needed / _LEAST_CAUSE > 0)


def held_by_itself(event: OutOfMemory) -> tuple[SizeRange | None, SizeRange | None]:
    """Return the program's own arguments and outputs among what is in use; outputs may share memory with arguments."""
    persistent = {row.name: row.size for row in event.totals if row.head.startswith("Persistent")}
    return persistent.get("arguments"), persistent.get("output")


def _of_holders(event: OutOfMemory) -> Iterator[str]:
    """Yield what the program itself holds beside what it needs: its arguments and outputs."""
    outputs = _unshared_outputs(event)
    if outputs and _is_held_twice(event):
        yield f"Outputs of {range_words(outputs)} have memory of their own: no argument is donated for them."
    arguments, outputs = held_by_itself(event)
    if event.held and arguments and outputs:
        yield (
            f"Of the {range_words(event.held)} in use this program’s own arguments are {range_words(arguments)} and its"
            f" outputs up to {range_words(outputs)}, as far as these do not share memory."
        )


def chunks_of(event: OutOfMemory) -> Sequence[Chunks]:
    """Return what an allocator has given out, the sizes that take most first and without those that take little."""
    named = [(_CHUNKS.match(row.name), row.size) for row in event.totals]
    chunks = [Chunks(int(match[1]), int(match[2]), size) for match, size in named if match and size]
    least = sum(each.size.middle for each in chunks) / _LEAST_CHUNKS
    chunks.sort(key=lambda each: -each.size.middle)
    return [each for each in chunks[:_LARGEST_CHUNKS] if each.size.middle >= least]


def _of_chunks(event: OutOfMemory) -> Iterator[str]:
    largest = [f"{range_words(chunks.size)} in {chunks.words}" for chunks in chunks_of(event)]
    if largest:
        yield f"What holds it: {', '.join(largest)}."


def _difference(one: SizeRange | None, other: SizeRange | None) -> SizeRange | None:
    """Return by how much one size exceeds another, where even the rounded sizes say that it does."""
    if not one or not other or one.low_bytes <= other.high_bytes:
        return None
    return one - other
