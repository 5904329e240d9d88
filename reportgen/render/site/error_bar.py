"""Divide what an out-of-memory error is about into the parts of one bar, as far as its text names them."""

from collections.abc import Iterator, Sequence
from operator import attrgetter

from reportgen.oom.error_event import LoggedBuffer, OutOfMemory
from reportgen.oom.forms import OF_COMPILER, WARNINGS
from reportgen.record import record
from reportgen.render.module.need import Need, Segment
from reportgen.reports.error_causes import parts_of, whole_of
from reportgen.reports.error_padding import padding_bytes
from reportgen.reports.formats import end_of

_MOST_NAMED, _ROOM = 4, 40
_SMALL = 50
"""What takes less than this part of the memory is not named."""
_ROUNDED = 0.01
"""The part of the memory by which its parts may exceed it, because all are rounded."""


@record
class BufferGroup:
    """The listed buffers of one operation and shape, with their bytes and those of them that are padding."""

    name: str
    buffers: Sequence[LoggedBuffer]
    size_bytes: int
    padding_bytes: int


def error_bar(event: OutOfMemory) -> Need | None:
    """Return the memory of an error as a bar; None where the text neither divides it nor says what it exceeds."""
    segments = _in_use(event) or _of_program(event)
    if not segments or (len(segments) < 2 and not event.capacity):
        return None
    needed = sum(segment.size_bytes for segment in segments)
    capacity = event.capacity.middle if event.capacity else None
    return Need(needed_bytes=needed, capacity_bytes=capacity, scale_bytes=max(needed, capacity or 0), segments=segments)


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
    """Return what was in use when a request failed, and the request; empty where the text is about a program."""
    if not event.held or not event.needed or not event.capacity or event.kind in OF_COMPILER | WARNINGS:
        return []
    name = "the program" if event.kind == "load" else "the failed request"
    return [*_named("in use", "other", event.held.middle), *_named(name, "source-1", event.needed.middle)]


def _of_program(event: OutOfMemory) -> Sequence[Segment]:
    """Return the parts of a program, or only the whole of it where its text contradicts itself."""
    whole = whole_of(event)
    if not whole or whole.middle <= 0:
        return []
    parts = {part: size.middle for part, size in parts_of(event).items()}
    outputs = max(parts.get("outputs", 0) - parts.get("aliased", 0), 0)
    held = [*_named("arguments", "parameter", parts.get("arguments", 0)), *_named("outputs", "output", outputs)]
    for segments in ([*held, *_of_groups(colored_groups(event))], held):
        rest = whole.middle - sum(segment.size_bytes for segment in segments)
        if rest >= -_ROUNDED * whole.middle:
            listed = sum(segment.size_bytes for segment in segments if segment not in held)
            others = min(max(parts.get("temporaries", 0) - listed, 0), max(rest, 0))
            rows = [
                ("other temporaries" if listed else "temporaries", others),
                ("everything else" if segments or others else "needed", rest - others),
            ]
            seen = (segment for name, size in rows for segment in _named(name, "other", size))
            return [*segments, *(segment for segment in seen if segment.size_bytes >= _ROUNDED * whole.middle)]
    return [*_named("needed", "other", whole.middle)]


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
