"""Divide what an out-of-memory error is about into the parts of one bar, as far as its text names them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from reportgen.oom.error_event import LoggedBuffer, OutOfMemory
from reportgen.oom.forms import OF_COMPILER, OF_ONE_REQUEST, WARNINGS
from reportgen.oom.printed_size import SizeRange
from reportgen.record import record
from reportgen.render.module.need import Need, Segment
from reportgen.reports.error_causes import (
    chunks_of,
    free_of,
    held_by_itself,
    missing_of,
    padding_of_temporaries,
    parts_of,
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


@record
class BufferGroup:
    """The listed buffers of one name and shape, with their bytes and those of them that are padding.

    `look` is the color that they have in the bar and in the list.
    """

    name: str
    buffers: Sequence[LoggedBuffer]
    size_bytes: int
    padding_bytes: int
    look: str


@record
class ErrorBar:
    """The bar of an error against a `limit`, and the parts to name below it: none for the whole, or its only buffer."""

    need: Need
    limit: str
    named: Sequence[Segment]


def error_bar(event: OutOfMemory, lone: SizeRange | None) -> ErrorBar | None:
    """Return the memory of an error as a bar; None where the text neither divides it nor says what it exceeds.

    A `lone` need without parts is drawn against the capacity once the reader names the device.
    """
    segments, limit, size = _divided(event)
    if not segments or (len(segments) < 2 and not size):
        segments, limit, size = [*_named(_WHOLE, "other", lone.middle if lone else 0)], "capacity", None
    if not segments:
        return None
    needed, bytes_of_limit = sum(segment.size_bytes for segment in segments), size.middle if size else None
    scale = max(needed, bytes_of_limit or 0)
    return ErrorBar(
        need=Need(needed_bytes=needed, capacity_bytes=bytes_of_limit, scale_bytes=scale, segments=segments),
        limit=limit,
        named=[] if len(segments) == 1 and segments[0].kind in ("other", "source-1") else segments,
    )


def buffer_groups(event: OutOfMemory) -> Sequence[BufferGroup]:
    """Return the listed buffers, the largest first; equal ones are one group, and the largest groups have a color."""
    found: defaultdict[tuple[str, str], list[LoggedBuffer]] = defaultdict(list)
    for buffer in event.buffers:
        found[_name(buffer), buffer.shape].append(buffer)
    whole = whole_of(event)
    least, groups = max(whole.middle / _SMALL if whole else 0, 1), list[BufferGroup]()
    sized = [(sum(one.size.middle for one in buffers if one.size), key, buffers) for key, buffers in found.items()]
    for size, (name, _), buffers in sorted(sized, key=lambda group: -group[0]):
        colored = sum(group.look != "other" for group in groups) + 1
        is_colored = size >= least and colored <= _MOST_NAMED and not buffers[0].is_parameter
        groups.append(
            BufferGroup(
                name=name,
                buffers=buffers,
                size_bytes=size,
                padding_bytes=sum(map(padding_bytes, buffers)),
                look=f"source-{colored}" if is_colored else "other",
            )
        )
    return groups


def _name(buffer: LoggedBuffer) -> str:
    """Return the instruction of a padded buffer, which advice names, of others the last parts of their operation."""
    operation = end_of("/".join(buffer.op_name.split("/")[-2:]), _ROOM)
    first, second = (buffer.instruction, operation) if padding_bytes(buffer) else (operation, buffer.instruction)
    return first or second or buffer.opcode or ("parameter" if buffer.is_parameter else "not named")


def _divided(event: OutOfMemory) -> tuple[Sequence[Segment], str, SizeRange | None]:
    """Return the parts of the bar, and what they are compared with by its name."""
    missing, (free, piece) = missing_of(event), free_of(event)
    is_of_piece = missing is not None and missing.of == "largest free piece"
    if event.held and event.capacity and event.kind not in OF_COMPILER | WARNINGS and not is_of_piece:
        return [*_in_use(event, event.held.middle)], "capacity", event.capacity
    limit = piece if is_of_piece else free
    if missing and event.needed and limit and event.kind in OF_ONE_REQUEST | {"load"}:
        return [*_named(_WHOLE, "other", event.needed.middle)], missing.of, limit
    return _of_program(event) or [*_of_groups(event)], "capacity", event.capacity


def _in_use(event: OutOfMemory, held: int) -> Iterator[Segment]:
    """Yield what was in use when memory ran out, as far as it is known, and what was asked for."""
    own = held_by_itself(event)
    holders = [(name, f"source-{number}", size) for number, (name, size) in enumerate(chunks_of(event), start=1)]
    if own and (own[0] + own[1]).middle <= held:
        holders += [("arguments of the program", "parameter", own[0]), ("its outputs, at most", "output", own[1])]
    for name, kind, size in holders:
        yield from _named(name, kind, size.middle)
    rest = held - sum(size.middle for *_, size in holders)
    yield from _named("other memory in use" if holders else "in use", "other", rest if rest >= _ROUNDED * held else 0)
    request = event.needed.middle if event.needed else 0
    yield from _named("the program" if event.kind == "load" else "the failed request", "failed", request)


def _of_program(event: OutOfMemory) -> Sequence[Segment]:
    """Return the parts of a program, or only the whole of it where its text contradicts itself."""
    whole = whole_of(event)
    if not whole or whole.middle <= 0:
        return []
    parts = {part: size.middle for part, size in parts_of(event).items()}
    outputs = max(parts.get("outputs", 0) - parts.get("aliased", 0), 0)
    held = [*_named("arguments", "parameter", parts.get("arguments", 0)), *_named("outputs", "output", outputs)]
    for listed in ([*_of_groups(event)], []):
        rest = whole.middle - sum(segment.size_bytes for segment in (*held, *listed))
        if rest >= -_ROUNDED * whole.middle:
            listed_bytes = sum(segment.size_bytes for segment in listed)
            temporaries = min(max(parts.get("temporaries", 0) - listed_bytes, 0), max(rest, 0))
            seen = [
                *_temporaries(event, temporaries, are_listed=bool(listed)),
                *_named("everything else" if held or listed or temporaries else _WHOLE, "other", rest - temporaries),
            ]
            return [*held, *listed, *(one for one in seen if one.size_bytes >= _ROUNDED * whole.middle)]
    return [*_named(_WHOLE, "other", whole.middle)]


def _temporaries(event: OutOfMemory, size: int, *, are_listed: bool) -> Iterator[Segment]:
    """Yield the temporaries, or those that are not listed."""
    padding = 0 if are_listed else min(padding_of_temporaries(event), size)
    yield from _named("padding of temporaries", "padding", padding)
    whole, is_run = parts_of(event).get("temporaries"), event.kind == "execution" and not are_listed
    if is_run and whole and event.needed and event.needed.middle in whole:
        yield from _named("temporaries, not allocated", "failed", size)
    else:
        name = "data of temporaries" if padding else "other temporaries" if are_listed else "temporaries"
        yield from _named(name, "source-1" if padding else "other", size - padding)


def _of_groups(event: OutOfMemory) -> Iterator[Segment]:
    """Yield the padding of the groups that have a color, and the data of each."""
    groups = [group for group in buffer_groups(event) if group.look != "other"]
    yield from _named("padding", "padding", sum(group.padding_bytes for group in groups))
    for group in groups:
        count = f"{len(group.buffers):,} × " if len(group.buffers) > 1 else ""
        name = f"{'data of ' if group.padding_bytes else ''}{count}{group.name}"
        yield from _named(name, group.look, group.size_bytes - group.padding_bytes)


def _named(name: str, kind: str, size: int) -> Iterator[Segment]:
    if size > 0:
        yield Segment(name=name, kind=kind, shade=0, size_bytes=size)
