"""Divide what an out-of-memory error is about into the parts of one bar, as far as its text names them."""

from collections.abc import Iterator, Sequence
from operator import attrgetter

from reportgen.oom.error_event import LoggedBuffer, OutOfMemory
from reportgen.oom.forms import OF_COMPILER, WARNINGS
from reportgen.oom.printed_size import SizeRange, read_size
from reportgen.record import record
from reportgen.render.module.need import Need, Segment
from reportgen.reports.error_causes import (
    chunks_of,
    free_of,
    held_by_itself,
    padding_of_temporaries,
    parts_of,
    shortage_of,
    whole_of,
)
from reportgen.reports.error_padding import padding_bytes
from reportgen.reports.formats import end_of

_MOST_NAMED, _ROOM = 4, 40
_SMALL = 50
"""What takes less than this part of the memory is not named."""
_ROUNDED = 0.01
"""The part of the memory by which its parts may exceed it, because all are rounded."""
_WHOLE = "needed"
_CORES = {"tensor_core_size": "TensorCores", "sparse_core_size": "SparseCores"}


@record
class BufferGroup:
    """The listed buffers of one operation and shape, with their bytes and those of them that are padding."""

    name: str
    buffers: Sequence[LoggedBuffer]
    size_bytes: int
    padding_bytes: int


@record
class ErrorBar:
    """The bar of an error against a `limit`, and the parts to name below it: none for the whole, or its only buffer."""

    need: Need
    limit: str
    named: Sequence[Segment]


def error_bar(event: OutOfMemory) -> ErrorBar | None:
    """Return the memory of an error as a bar; None where the text neither divides it nor says what it exceeds."""
    segments, limit, size = _divided(event)
    if not segments or (len(segments) < 2 and not size):
        return None
    needed, bytes_of_limit = sum(segment.size_bytes for segment in segments), size.middle if size else None
    scale = max(needed, bytes_of_limit or 0)
    return ErrorBar(
        need=Need(needed_bytes=needed, capacity_bytes=bytes_of_limit, scale_bytes=scale, segments=segments),
        limit=limit,
        named=[] if len(segments) == 1 and segments[0].kind in ("other", "source-1") else segments,
    )


def lone_bar(size: SizeRange) -> ErrorBar:
    """Return the bar of a need without parts, which is drawn against the capacity once the reader names the device."""
    segments = [*_named(_WHOLE, "other", size.middle)]
    need = Need(needed_bytes=size.middle, capacity_bytes=None, scale_bytes=size.middle, segments=segments)
    return ErrorBar(need=need, limit="capacity", named=[])


def _divided(event: OutOfMemory) -> tuple[Sequence[Segment], str, SizeRange | None]:
    """Return the parts of the bar, and what they are compared with by its name."""
    if segments := _in_use(event):
        return segments, "capacity", event.capacity
    if segments := _of_request(event):
        return segments, *_free_limit(event)
    return _of_program(event) or [*_of_groups(colored_groups(event))], "capacity", event.capacity


def buffer_name(buffer: LoggedBuffer) -> str:
    """Return the last parts of the operation that makes a buffer, or what else it is called."""
    operation = "/".join(buffer.op_name.split("/")[-2:])
    name = end_of(operation, _ROOM) or buffer.instruction or buffer.opcode
    return name or ("parameter" if buffer.is_parameter else "not named")


def colored_groups(event: OutOfMemory) -> Sequence[BufferGroup]:
    """Return the groups of listed buffers that have a color in the bar, in the order of the colors.

    That with most padding comes first, then the largest.
    """
    whole = whole_of(event)
    found: dict[tuple[str, str], list[LoggedBuffer]] = {}
    for buffer in event.buffers:
        if buffer.size and not buffer.is_parameter:
            found.setdefault((buffer_name(buffer), buffer.shape), []).append(buffer)
    groups = [
        BufferGroup(
            name=(buffers[0].instruction or name) if any(map(padding_bytes, buffers)) else name,
            buffers=buffers,
            size_bytes=sum(buffer.size.middle for buffer in buffers if buffer.size),
            padding_bytes=sum(map(padding_bytes, buffers)),
        )
        for (name, _), buffers in found.items()
    ]
    groups.sort(key=attrgetter("padding_bytes", "size_bytes"), reverse=True)
    padded, others = groups[:1], sorted(groups[1:], key=attrgetter("size_bytes"), reverse=True)
    least = max(whole.middle / _SMALL if whole else 0, 1)
    return [group for group in (*padded, *others)[:_MOST_NAMED] if group.size_bytes >= least]


def _in_use(event: OutOfMemory) -> Sequence[Segment]:
    """Return what was in use when memory ran out, and what was asked for; empty where the text is about a program."""
    shortage, is_request = shortage_of(event), event.kind not in OF_COMPILER | WARNINGS
    if not event.held or not event.capacity or not is_request or (shortage and shortage[1]):
        return []
    holders = [*_holders(event)]
    rest = event.held.middle - sum(segment.size_bytes for segment in holders)
    if rest < _ROUNDED * event.held.middle:
        rest = 0
    request = event.needed.middle if event.needed else 0
    return [
        *holders,
        *_named("other memory in use" if holders else "in use", "other", rest),
        *_named("the program" if event.kind == "load" else "the failed request", "failed", request),
    ]


def _holders(event: OutOfMemory) -> Iterator[Segment]:
    """Yield the parts of what is in use: the program's own arguments and outputs, or the chunks of an allocator."""
    for number, chunks in enumerate(chunks_of(event), start=1):
        yield from _named(chunks.words, f"source-{number}", chunks.size.middle)
    arguments, outputs = held_by_itself(event)
    if event.held and arguments and outputs and (arguments + outputs).middle <= event.held.middle:
        yield from _named("arguments of the program", "parameter", arguments.middle)
        yield from _named("its outputs, at most", "output", outputs.middle)


def _free_limit(event: OutOfMemory) -> tuple[str, SizeRange | None]:
    """Return what a request is short of: what is free or, if that is enough, the largest free piece."""
    free, piece = free_of(event)
    shortage = shortage_of(event)
    return ("largest free piece", piece) if shortage and shortage[1] else ("free", free)


def _of_request(event: OutOfMemory) -> Sequence[Segment]:
    """Return what was asked for beside other programs and data; empty where nothing says how much was free."""
    is_request = event.kind in ("execution", "data", "attempt", "load")
    size = event.needed if is_request and shortage_of(event) and _free_limit(event)[1] else None
    return [*_named(_WHOLE, "other", size.middle)] if size else []


def _of_program(event: OutOfMemory) -> Sequence[Segment]:
    """Return the parts of a program, or only the whole of it where its text contradicts itself."""
    whole = whole_of(event)
    if not whole or whole.middle <= 0:
        return []
    parts = {part: size.middle for part, size in parts_of(event).items()}
    outputs = max(parts.get("outputs", 0) - parts.get("aliased", 0), 0)
    held = [*_named("arguments", "parameter", parts.get("arguments", 0)), *_named("outputs", "output", outputs)]
    for segments in ([*held, *_cores(event), *_of_groups(colored_groups(event))], held):
        rest = whole.middle - sum(segment.size_bytes for segment in segments)
        if rest >= -_ROUNDED * whole.middle:
            listed = sum(segment.size_bytes for segment in segments if segment not in held)
            others = min(max(parts.get("temporaries", 0) - listed, 0), max(rest, 0))
            seen = [
                *_temporaries(event, others, are_listed=listed > 0),
                *_named("everything else" if segments or others else _WHOLE, "other", rest - others),
            ]
            return [*segments, *(segment for segment in seen if segment.size_bytes >= _ROUNDED * whole.middle)]
    return [*_named(_WHOLE, "other", whole.middle)]


def _temporaries(event: OutOfMemory, size: int, *, are_listed: bool) -> Iterator[Segment]:
    """Yield the temporaries, or those that are not listed."""
    padding = min(padding_of_temporaries(event), size)
    temporaries = parts_of(event).get("temporaries")
    if are_listed:
        yield from _named("other temporaries", "other", size)
    elif padding:
        yield from _named("padding of temporaries", "padding", padding)
        yield from _named("data of temporaries", "source-1", size - padding)
    elif event.kind == "execution" and event.needed and temporaries and event.needed.middle in temporaries:
        yield from _named("temporaries, not allocated", "failed", size)
    else:
        yield from _named("temporaries", "other", size)


def _cores(event: OutOfMemory) -> Iterator[Segment]:
    """Yield what the cores of a chip need, where the text is about two kinds of them."""
    sizes = [(_CORES[name], read_size(words)) for name, words in event.words if name in _CORES]
    for number, (name, size) in enumerate(sizes, start=1):
        yield from _named(name, f"source-{number}", size.middle if size else 0)


def _of_groups(groups: Sequence[BufferGroup]) -> Iterator[Segment]:
    """Yield the padding of all groups, and the data of each."""
    padding = sum(group.padding_bytes for group in groups)
    yield from _named("padding", "padding", padding)
    for number, group in enumerate(groups, start=1):
        count = len(group.buffers)
        name = f"{count:,} × {group.name}" if count > 1 else group.name
        data = group.size_bytes - group.padding_bytes
        yield from _named(f"data of {name}" if group.padding_bytes else name, f"source-{number}", data)


def _named(name: str, kind: str, size: int) -> Iterator[Segment]:
    if size > 0:
        yield Segment(name=name, kind=kind, shade=0, size_bytes=size)
