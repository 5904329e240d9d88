"""A page for each out-of-memory error in a text: its cause, what is needed against the capacity, and what to do next.

A text has neither offsets nor live ranges, so there is no peak and no chart over time.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from reportgen.analyse.logged_errors import LoggedError
from reportgen.oom.error_event import LoggedBuffer, OutOfMemory, Total
from reportgen.oom.forms import OF_COMPILER, OF_ONE_REQUEST, WARNINGS
from reportgen.oom.printed_size import SizeRange
from reportgen.render import routes
from reportgen.render.html.templates import render
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
from reportgen.reports.error_padding import padding_bytes, padding_words, reshaped, unpadded
from reportgen.reports.error_story import RUN_AGAIN, ErrorStory, listed_bytes, story_of
from reportgen.reports.formats import capital, end_of, percent, range_words
from reportgen.work import Page

_MOST_FIGURES, _COMMAND = 4, "`reportgen run -- COMMAND`"
_LIMITS = {"largest free piece": "of that in one piece", "free": "free", "capacity": "usable"}
"""What a bar is drawn against, and the words of that size."""
_MOST_NAMED, _ROOM = 4, 40
_SMALL = 50
"""What takes less than this part of the memory is not named."""
_ROUNDED = 0.01
"""The part of the memory by which its parts may exceed it, because all are rounded."""
_WHOLE = "needed"

_Part = tuple[str, str, int]  # the name, the kind and the bytes of a segment


class BufferGroup:
    """The listed buffers of one name and shape, with their bytes and those of them that are padding.

    `look` is the color that they have in the bar and in the list.
    """

    def __init__(self, name: str, buffers: Sequence[LoggedBuffer]) -> None:
        self.name, self.buffers = name, buffers
        self.look = "parameter" if buffers[0].is_parameter else "other"
        self.size_bytes = sum(buffer.size.middle for buffer in buffers if buffer.size)
        self.padding_bytes = sum(map(padding_bytes, buffers))

    def notes(self, whole: SizeRange | None) -> Iterator[str]:
        """Yield what else a text says of the buffers; shares are of the `whole` program's memory."""
        buffer = self.buffers[0]
        if buffer.instruction and buffer.instruction != self.name:
            yield buffer.instruction
        if buffer.size and whole:
            yield f"{percent(buffer.size.middle, whole.middle)}{' each' if len(self.buffers) > 1 else ''}"
        if self.padding_bytes and (dense := unpadded(buffer)):
            yield ", ".join(filter(None, (f"{range_words(dense)} of data", padding_words(buffer))))
        if any(one.is_cut for one in self.buffers):
            yield "the message is cut off here"


ErrorBar = tuple[Sequence[Segment], str, int | None]
"""The parts of a bar, what they are compared with, and the bytes of that if they are known."""


def error_pages(site_title: str, errors: Iterable[LoggedError]) -> Iterator[Page]:
    """Yield a page for each error, in the order of the texts."""
    for number, error in enumerate(errors, start=1):
        href, context = routes.out_of_memory(number), {"site_title": site_title, "label": error.label}
        yield Page(href, render("pages/out_of_memory.html", href, **context, **_shown(story_of(error.event))))


def _shown(story: ErrorStory) -> Mapping[str, Any]:
    """Return what the page shows.

    `asked` is the need of a program whose device the reader can name, `remedy` the shape that would have less padding,
    and `saving_bytes` what that or full tiles would save, at most. `next_step` is without the command that runs the
    program again. `scale_bytes` is as long as the longest bar of a buffer, and `unlisted` what the listed buffers leave
    of the memory that is needed. `runs_again` says why to run that command; it is empty where the step is another.
    """
    event = story.event
    asked = None if event.capacity else story.least_need
    remedy = reshaped(event.buffers) if story.cause == "padding" else None
    of_temporaries = padding_of_temporaries(event) if story.cause == "padding" else 0
    groups, listed, whole = buffer_groups(event), listed_bytes(event), whole_of(event)
    unlisted = whole - listed if whole and listed and whole.low_bytes > listed.high_bytes else None
    bar = error_bar(event, groups, asked)
    return {
        "story": story,
        "figures": _figures(story, bar),
        "bar_of_error": bar,
        "asked": asked,
        "next_step": story.next_step.replace(RUN_AGAIN, "").rstrip(),
        "runs_again": RUN_AGAIN.replace(_COMMAND, "This command") if RUN_AGAIN in story.next_step else "",
        "remedy": remedy,
        "saving_bytes": remedy.saving_bytes if remedy else of_temporaries,
        "scale_bytes": max(1, *(group.size_bytes for group in groups), unlisted.middle if unlisted else 0),
        "unlisted": unlisted,
        "tables": [*_tables(event)],
        "groups": groups,
        "whole": whole,
    }


def _figures(story: ErrorStory, bar: ErrorBar | None) -> Sequence[tuple[str, str]]:
    """Return the sizes that differ, each once and without the limit that the bar names."""
    limit = _LIMITS[bar[1]] if bar and bar[2] else ""
    found = {range_words(size): words for words, size in reversed(story.sizes) if words != limit}
    return [(capital(words), size) for size, words in reversed(found.items())][:_MOST_FIGURES]


def _tables(event: OutOfMemory) -> Iterator[tuple[str, Sequence[Total]]]:
    """Yield the tables of a text, each with its largest row first and without rows that have no bytes."""
    for head, rows in groupby(event.totals, key=lambda total: total.head):
        sized = [(total.size.middle, total) for total in rows if total.size and total.size.middle]
        if sized:
            yield head, [total for _, total in sorted(sized, key=lambda row: -row[0])]


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
    groups = [BufferGroup(name, buffers) for (name, _), buffers in found.items()]
    groups.sort(key=lambda group: -group.size_bytes)
    whole = whole_of(event)
    least = max(whole.middle / _SMALL if whole else 0, 1)
    large = [group for group in groups if group.look == "other" and group.size_bytes >= least]
    for number, group in enumerate(large[:_MOST_NAMED], 1):
        group.look = f"source-{number}"
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
