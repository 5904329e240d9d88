"""Work out what fills the memory of an out-of-memory error, from the figures in its own text.

Every sentence follows from the text, so that none contradicts the tables in it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from reportgen.oom.error_event import OutOfMemory
from reportgen.oom.forms import FIGURES, OF_ONE_REQUEST
from reportgen.oom.printed_size import SizeRange, read_size
from reportgen.reports.error_padding import is_padded, padding_bytes, padding_words, unpadded
from reportgen.reports.formats import counted, logged_bytes, percent, range_words

Part = Literal["arguments", "outputs", "temporaries", "constants", "code", "aliased"]
Cause = Literal[
    "padding", "arguments", "outputs", "temporaries", "fragmentation", "held by itself", "held before", "versions", ""
]

_PARTS: Mapping[Part, re.Pattern[str]] = {
    "temporaries": re.compile("HLO temp|preallocated[ -]temp( allocation|:)|temp_size_in_bytes|Intermediate tensor"),
    "arguments": re.compile(r"arguments|parameter (allocation|\d.*)|argument_size_in_bytes|Graph input"),
    "outputs": re.compile("maybe_live_out allocation|output (shape .*|.*:)|output_size_in_bytes|Graph output"),
    "constants": re.compile("constant( allocation|:)"),
    "code": re.compile("generated_code_size_in_bytes|Compiled program"),
    "aliased": re.compile("alias_size_in_bytes|Aliased Input"),
}
"""The names of the rows of each class, in tables of XLA and in usage reports."""
_FILLING: Mapping[Literal["arguments", "outputs", "temporaries"], str] = {
    "arguments": "The arguments",
    "outputs": "The outputs",
    "temporaries": "Temporaries",
}
"""The classes that may fill a memory, and what a sentence calls them."""

_MOST = 0.5  # of the memory, from which something is what fills it
_ROUNDED = 1.01  # times the whole that a part may be, because both are rounded
_TINY = 1 << 30  # bytes, less than the memory of any device: a program that needs less did not fill one
_FULL = 99  # hundredths of an allocator's pool in use, from which what was there before is the cause
_LEAST_CAUSE = 20  # parts of the needed memory, of which padding or fragmentation has to be one
_PADDED = re.compile(r"Unpadded \(([^()]*)\) Padded \(([^()]*)\)")
_CHUNKS = re.compile(r"(\d{1,9}) Chunks of size (\d{1,19})$")
_FRAGMENTS = re.compile(r"% fragmentation \(([^()]*)\)")
_SHARES = re.compile(r"shares (\S+) with arguments")
_LARGEST_CHUNKS = 3
_LEAST_CHUNKS = 200  # parts of all chunks, of which those of one size have to be one


class Missing(NamedTuple):
    """How much more is needed than there is of what it is short of."""

    size: SizeRange
    of: Literal["capacity", "free", "largest free piece"]


def parts_of(event: OutOfMemory) -> Mapping[Part, SizeRange]:
    """Return the sum of the rows of each class of memory, as far as the text has them."""
    parts: dict[Part, SizeRange] = {}
    for total in event.totals:
        part = next((part for part, names in _PARTS.items() if names.fullmatch(total.name)), None)
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
    whole = sum((size for part, size in parts.items() if part != "aliased"), start=SizeRange(0, 0))
    return whole - parts["aliased"] if "aliased" in parts else whole


def size_named(event: OutOfMemory, name: str) -> SizeRange | None:
    """Return the size of a row."""
    return next((total.size for total in event.totals if total.name == name), None)


def excess_of(event: OutOfMemory) -> SizeRange | None:
    """Return by how much the needed memory exceeds the usable, as far as the text says so."""
    return event.excess or _difference(event.needed, event.capacity)


def free_of(event: OutOfMemory) -> tuple[SizeRange | None, SizeRange | None]:
    """Return what was free, and the largest part of that in one piece, each None where the text does not say it."""
    block = size_named(event, "LargestFreeBlock") if event.kind in ("execution", "allocator") else None
    if block and block.high_bytes > 0:
        return _difference(event.capacity, event.held), block
    return event.free, event.reservable


def missing_of(event: OutOfMemory) -> Missing | None:
    """Return what is missing of the memory that is free, of its largest piece, or of all that may be used."""
    needed, (free, piece) = None if event.kind in FIGURES else event.needed, free_of(event)
    if short := _difference(needed, free):
        return Missing(short, "free")
    if free and (short := _difference(needed, piece)):
        return Missing(short, "largest free piece")
    excess = excess_of(event)
    return Missing(excess, "capacity") if excess else None


def held_by_itself(event: OutOfMemory) -> tuple[SizeRange, SizeRange] | None:
    """Return the program's own arguments and outputs among what is in use; outputs may share memory with arguments."""
    own = {row.name: row.size for row in event.totals if row.head.startswith("Persistent")}
    arguments, outputs = own.get("arguments"), own.get("output")
    return (arguments, outputs) if event.held and arguments and outputs else None


def chunks_of(event: OutOfMemory) -> Sequence[tuple[str, SizeRange]]:
    """Return what an allocator has given out, as `124 chunks of 3.78 MiB`: the most first, without what is little."""
    named = [(match, row.size) for row in event.totals if row.size and (match := _CHUNKS.match(row.name))]
    least = max(sum(size.middle for _, size in named), event.held.middle if event.held else 0) / _LEAST_CHUNKS
    largest = sorted(named, key=lambda one: -one[1].middle)[:_LARGEST_CHUNKS]
    return [
        (f"{int(match[1]):,} chunks of {logged_bytes(int(match[2]))}" if int(match[1]) > 1 else "1 chunk", size)
        for match, size in largest
        if size.middle >= least
    ]


def padding_of_temporaries(event: OutOfMemory) -> int:
    """Return the bytes of the temporaries that are padding, 0 where they are few or the text does not say."""
    sizes = _padded_temporaries(event)
    return sizes[1].middle - sizes[0].middle if sizes else 0


def causes_of(event: OutOfMemory) -> Iterator[tuple[Cause, str]]:
    """Yield sentences on what fills the memory, the main one first, each with the cause that it shows, if any."""
    if event.kind == "library" and event.free and event.capacity and event.free.middle > _MOST * event.capacity.middle:
        yield "versions", f"{range_words(event.free)} were free, so memory is hardly the reason."
    missing, (free, piece) = missing_of(event), free_of(event)
    if missing and missing.of == "largest free piece" and event.needed and free and piece:
        enough = f"{range_words(free)} are free, which would be enough for {range_words(event.needed)}"
        words = f"{enough}, but at most {range_words(piece)} of that in one piece: the memory is fragmented."
        yield "fragmentation", words
    plan = size_named(event, "total allocation") if event.kind == "execution" else None
    if plan and plan.high_bytes < _TINY:
        words = f"The whole program needs {range_words(plan)}, which any device has: something else holds the memory."
        yield "held before", words
        return
    if int(dict(event.words).get("pool_share", "0 %")[:-2]) >= _FULL:
        yield "held before", "What was put on the device before fills the pool."
        return
    yield from _of_state(event)
    arguments = parts_of(event).get("arguments")
    if arguments and event.capacity and arguments.low_bytes > event.capacity.high_bytes:
        words = f"more than the {range_words(event.capacity)} usable"
        yield "arguments", f"The arguments alone take {range_words(arguments)}, {words}."
        return
    padding, padded_bytes = _of_padding(event)
    filled = [*_of_parts(event)]
    # Padding is the cause instead if it is most of the memory, or if this would be the temporaries.
    is_most = padded_bytes > _MOST * (event.needed.middle if event.needed else 0)
    if not (padding and filled and (is_most or filled[0][0] == "temporaries")):
        yield from filled
    if padding:
        yield "padding", padding
    for sentence in (*_of_losses(event), *_of_slots(event)):
        yield "", sentence
    if largest := [f"{range_words(size)} in {name}" for name, size in chunks_of(event)]:
        yield "", f"What holds it: {', '.join(largest)}."


def _of_state(event: OutOfMemory) -> Iterator[tuple[Cause, str]]:
    """Yield what the program itself holds beside what it needs: its arguments and outputs."""
    state, unshared = parts_of(event).get("arguments"), _unshared_outputs(event)
    least = event.needed.middle / _LEAST_CAUSE if event.needed else 0
    if state and unshared and min(state.middle, unshared.middle) > least > 0:
        words = f"Outputs of {range_words(unshared)} have memory of their own: no argument is donated for them."
        yield "held by itself", words
    if event.held and (own := held_by_itself(event)):
        which = "this program’s own arguments are {} and its outputs up to {}".format(*map(range_words, own))
        words = f"Of the {range_words(event.held)} in use {which}, as far as these do not share memory."
        yield "held by itself", words


def _unshared_outputs(event: OutOfMemory) -> SizeRange | None:
    """Return the bytes of outputs that do not share memory with arguments; None where the text does not say it."""
    parts = parts_of(event)
    outputs, row = parts.get("outputs"), next((row for row in event.totals if row.head == "Output size"), None)
    if (
        outputs
        and outputs.middle > _TINY
        and outputs == parts.get("arguments")
        and size_named(event, "total allocation")
    ):
        return outputs  # a state that is returned
    shared = read_size(match[1]) if row and (match := _SHARES.search(row.detail)) else None
    return row.size - shared if row and row.size and shared else None


def _of_parts(event: OutOfMemory) -> Iterator[tuple[Cause, str]]:
    """Yield the class that takes most of the memory."""
    whole, parts = whole_of(event), parts_of(event)
    if not whole or whole.middle <= 0 or event.kind == "load":  # then the rest of the device is the matter
        return
    for part, words in _FILLING.items():
        size = parts.get(part)
        if size and _MOST * whole.middle < size.middle <= _ROUNDED * whole.middle:
            share = percent(size.middle, whole.middle)
            verb = "allocated" if whole != event.needed or event.kind == "compiled" else "needed"
            all_of = f"take {range_words(size)} of the {range_words(whole)} {verb} ({share})"
            yield part, f"{words} {f'take nearly all of it: {range_words(size)}' if share == '100.0 %' else all_of}."
            return


def _of_padding(event: OutOfMemory) -> tuple[str, int]:
    """Return a sentence on the buffer with most padding, or else on all temporaries, and the bytes of padding."""
    least = max(event.needed.middle // _LEAST_CAUSE if event.needed else 0, 1)
    buffer = max(event.buffers, key=padding_bytes, default=None)
    if buffer and buffer.size and (dense := unpadded(buffer)) and padding_bytes(buffer) >= least:
        takes = f"{buffer.instruction or buffer.opcode or buffer.shape} takes {range_words(buffer.size)}"
        words = f": {found}" if (found := padding_words(buffer)) else ""
        padding = padding_bytes(buffer)
        share = percent(padding, buffer.size.middle)
        return f"{takes} for {range_words(dense)} of data ({share} padding){words}.", padding
    sizes, padding = _padded_temporaries(event), padding_of_temporaries(event)
    if not sizes or padding < least:
        return "", 0
    instead = f"{range_words(sizes[1])} instead of {range_words(sizes[0])}"
    return f"{percent(padding, sizes[1].middle)} of the temporaries is padding: {instead}.", padding


def _padded_temporaries(event: OutOfMemory) -> tuple[SizeRange, SizeRange] | None:
    """Return the size of the temporaries without padding and with it, if a row says that much of it is padding."""
    for total in event.totals:
        match = _PADDED.search(total.detail) if total.name == "HLO temp" else None
        dense, size = (read_size(match[1]), read_size(match[2])) if match else (None, None)
        if dense and size and is_padded(dense, size):
            return dense, size
    return None


def _of_losses(event: OutOfMemory) -> Iterator[str]:
    """Yield what is lost to fragmentation within a program, and that a runtime does not fill in its figures."""
    whole, parts = size_named(event, "total allocation") or event.needed, parts_of(event)
    for row in event.totals:
        match = _FRAGMENTS.search(row.detail) if row.name == "HLO temp" else None
        lost = read_size(match[1]) if match else row.size if row.name == "total fragmentation" else None
        if whole and lost and lost.middle * _LEAST_CAUSE >= whole.middle > 0:
            yield f"{percent(lost.middle, whole.middle)} of it is lost to fragmentation: {range_words(lost)}."
    if (
        event.kind == "compiled"
        and "code" in parts
        and not any(parts[one].high_bytes for one in _FILLING if one in parts)
    ):
        code = range_words(parts["code"])
        yield f"This runtime fills in nothing but the code, {code}: the program has arguments and outputs."


def _of_slots(event: OutOfMemory) -> Iterator[str]:
    """Yield the largest slots of a usage report, and the values that take turns in them."""
    slots = [(row.size, row.detail) for row in event.totals if row.size and " in turn: " in row.detail]
    largest = max((size.middle for size, _ in slots), default=0)
    if equal := [detail for size, detail in slots if size.middle == largest]:
        turns = "; ".join(equal[:_LARGEST_CHUNKS])
        yield f"The largest: {counted(len(equal), 'slot')} of {logged_bytes(largest)}, which hold {turns}."


def _difference(one: SizeRange | None, other: SizeRange | None) -> SizeRange | None:
    """Return by how much one size exceeds another, where even the rounded sizes say that it does."""
    if not one or not other or one.low_bytes <= other.high_bytes:
        return None
    return one - other
