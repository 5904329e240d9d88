"""Divide what an out-of-memory error is about into the parts of one bar, as far as its text names them."""

from collections import defaultdict
from collections.abc import Sequence

from reportgen.oom.error_event import LoggedBuffer, OutOfMemory
from reportgen.oom.forms import OF_COMPILER, OF_ONE_REQUEST, WARNINGS
from reportgen.oom.printed_size import SizeRange
from reportgen.record import record
from reportgen.render.module.need import Segment
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

_Part = tuple[str, str, int]  # the name, the kind and the bytes of a segment


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


ErrorBar = tuple[Sequence[Segment], str, int | None]
"""The parts of a bar, what they are compared with, and the bytes of that if they are known."""


def error_bar(event: OutOfMemory, groups: Sequence[BufferGroup], lone: SizeRange | None) -> ErrorBar | None:
    """Return the memory of an error as a bar; None where the text neither divides it nor says what it exceeds.

    A `lone` need without parts is drawn against the capacity once the reader names the device.
    """
    parts, limit, size = _divided(event, groups)
    parts = [part for part in parts if part[2] > 0]
    if not parts or (len(parts) == 1 and not size):
        parts = [(_WHOLE, "other", lone.middle)] if lone and lone.middle > 0 else []
        limit, size = "capacity", None
    if not parts:
        return None
    segments = [Segment(name=name, kind=kind, shade=0, size_bytes=part) for name, kind, part in parts]
    return segments, limit, size.middle if size else None


def buffer_groups(event: OutOfMemory) -> Sequence[BufferGroup]:
    """Return the listed buffers, the largest first; equal ones are one group, and the largest groups have a color."""
    found: defaultdict[tuple[str, str], list[LoggedBuffer]] = defaultdict(list)
    for buffer in event.buffers:
        found[_name(buffer), buffer.shape].append(buffer)
    whole = whole_of(event)
    least, groups, colored = max(whole.middle / _SMALL if whole else 0, 1), list[BufferGroup](), 0
    sized = [(sum(one.size.middle for one in buffers if one.size), key, buffers) for key, buffers in found.items()]
    for size, (name, _), buffers in sorted(sized, key=lambda group: -group[0]):
        look = "parameter" if buffers[0].is_parameter else "other"
        if size >= least and colored < _MOST_NAMED and look == "other":
            colored += 1
            look = f"source-{colored}"
        padding = sum(map(padding_bytes, buffers))
        groups.append(BufferGroup(name=name, buffers=buffers, size_bytes=size, padding_bytes=padding, look=look))
    return groups


def _name(buffer: LoggedBuffer) -> str:
    """Return the instruction of a padded buffer, which advice names, of others the last parts of their operation."""
    operation = end_of("/".join(buffer.op_name.split("/")[-2:]), _ROOM)
    first, second = (buffer.instruction, operation) if padding_bytes(buffer) else (operation, buffer.instruction)
    return first or second or buffer.opcode or ("parameter" if buffer.is_parameter else "not named")


def _divided(event: OutOfMemory, groups: Sequence[BufferGroup]) -> tuple[Sequence[_Part], str, SizeRange | None]:
    """Return the parts of the bar, and what they are compared with by its name."""
    missing, (free, piece) = missing_of(event), free_of(event)
    is_of_piece = missing is not None and missing.of == "largest free piece"
    if event.held and event.capacity and event.kind not in OF_COMPILER | WARNINGS and not is_of_piece:
        return _in_use(event, event.held.middle), "capacity", event.capacity
    limit = piece if is_of_piece else free
    if missing and event.needed and limit and event.kind in OF_ONE_REQUEST | {"load"}:
        return [(_WHOLE, "other", event.needed.middle)], missing.of, limit
    return _of_program(event, _of_groups(groups)), "capacity", event.capacity


def _in_use(event: OutOfMemory, held: int) -> Sequence[_Part]:
    """Return what was in use when memory ran out, as far as it is known, and what was asked for."""
    own = held_by_itself(event)
    holders = [(name, f"source-{number}", size.middle) for number, (name, size) in enumerate(chunks_of(event), start=1)]
    if own and (own[0] + own[1]).middle <= held:
        sizes = (own[0].middle, own[1].middle)
        holders += [("arguments of the program", "parameter", sizes[0]), ("its outputs, at most", "output", sizes[1])]
    rest = held - sum(size for *_, size in holders)
    others = ("other memory in use" if holders else "in use", "other", rest if rest >= _ROUNDED * held else 0)
    request = event.needed.middle if event.needed else 0
    return [*holders, others, ("the program" if event.kind == "load" else "the failed request", "failed", request)]


def _of_program(event: OutOfMemory, groups: Sequence[_Part]) -> Sequence[_Part]:
    """Return the parts of a program, only the whole of it where its text contradicts itself, or else its buffers."""
    whole = whole_of(event)
    if not whole or whole.middle <= 0:
        return groups
    parts = defaultdict(int, {part: size.middle for part, size in parts_of(event).items()})
    outputs = max(parts["outputs"] - parts["aliased"], 0)
    held: list[_Part] = [("arguments", "parameter", parts["arguments"]), ("outputs", "output", outputs)]
    for listed in (groups, ()):
        rest = whole.middle - sum(size for *_, size in (*held, *listed))
        if rest < -_ROUNDED * whole.middle:
            continue
        temporaries = max(min(parts["temporaries"] - sum(size for *_, size in listed), rest), 0)
        padding = 0 if listed else min(padding_of_temporaries(event), temporaries)
        name = "data of temporaries" if padding else "other temporaries" if listed else "temporaries"
        kind = "source-1" if padding else "other"
        of_run = parts_of(event).get("temporaries") if event.kind == "execution" and not listed else None
        if of_run and event.needed and event.needed.overlaps(of_run):
            name, kind = "temporaries, not allocated", "failed"
        seen = [
            ("padding of temporaries", "padding", padding),
            (name, kind, temporaries - padding),
            ("everything else" if rest < whole.middle or temporaries else _WHOLE, "other", rest - temporaries),
        ]
        return [*held, *listed, *(part for part in seen if part[2] >= _ROUNDED * whole.middle)]
    return [(_WHOLE, "other", whole.middle)]


def _of_groups(groups: Sequence[BufferGroup]) -> Sequence[_Part]:
    """Return the padding of the groups that have a color, and the data of each."""
    colored = [group for group in groups if group.look.startswith("source")]
    parts = [("padding", "padding", sum(group.padding_bytes for group in colored))]
    for group in colored:
        count = f"{len(group.buffers):,} × " if len(group.buffers) > 1 else ""
        name = f"{'data of ' if group.padding_bytes else ''}{count}{group.name}"
        parts.append((name, group.look, group.size_bytes - group.padding_bytes))
    return parts if colored else []
