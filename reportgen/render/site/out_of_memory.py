"""A page for each out-of-memory error in a text: what it says, added up where that is possible, and what it lacks.

A text has neither offsets nor live ranges, so there is no peak and no chart over time.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from reportgen.analyse.logged_errors import LoggedError
from reportgen.oom.error_event import LoggedBuffer, OutOfMemory, Total
from reportgen.oom.printed_size import SizeRange
from reportgen.record import record
from reportgen.render import routes
from reportgen.render.html.templates import render
from reportgen.reports.error_causes import padding_words, unpadded, whole_of
from reportgen.reports.error_words import excess_words, figures, next_step, told, unknown, verdict, would_fit
from reportgen.reports.formats import percent, range_words
from reportgen.work import Page


@record
class BufferGroup:
    """Buffers of one shape; `size_bytes` is the middle of what they can have."""

    name: str
    count: int
    size: str
    size_bytes: int


@record
class ListedBuffer:
    """A buffer with what it is called, its size without padding, and what is said of its padding."""

    buffer: LoggedBuffer
    name: str
    size_bytes: int
    share: str
    unpadded: SizeRange | None
    padding: str


@record
class ErrorView:
    """An error as the overview and its own page show it.

    `needed_bytes` and `capacity_bytes` are 0 where the text does not state them; `scale_bytes` is as long as the longer
    bar, and `largest_bytes` as the largest of the buffers.
    """

    error: LoggedError
    href: str
    verdict: str
    told: Sequence[str]
    figures: str
    next_step: str
    would_fit: str
    excess: str
    needed_bytes: int
    capacity_bytes: int
    scale_bytes: int
    largest_bytes: int
    listed: str
    unknown: Sequence[str]
    tables: Sequence[tuple[str, Sequence[Total]]]
    rows: Sequence[ListedBuffer]
    by_shape: Sequence[BufferGroup]


def error_views(errors: Iterable[LoggedError]) -> list[ErrorView]:
    """Return the errors in the order of the texts."""
    return [_view(error, number) for number, error in enumerate(errors, start=1)]


def error_pages(site_title: str, errors: Iterable[LoggedError]) -> Iterator[Page]:
    """Yield a page for each error."""
    for view in error_views(errors):
        yield Page(view.href, render("pages/out_of_memory.html", view.href, site_title=site_title, view=view))


def _view(error: LoggedError, number: int) -> ErrorView:
    """Return what the page of an error shows; `number` is its place among the errors, from 1."""
    event = error.event
    total = _sum(event.buffers)
    needed = f"; {range_words(event.needed)} are needed" if event.needed else ""
    needed_bytes, capacity_bytes = (size.middle if size else 0 for size in (event.needed, event.capacity))
    rows = _rows(event)
    return ErrorView(
        error=error,
        href=routes.out_of_memory(number),
        verdict=verdict(event),
        told=told(event),
        figures=figures(event),
        next_step=next_step(event),
        would_fit=would_fit(event),
        excess=excess_words(event),
        needed_bytes=needed_bytes,
        capacity_bytes=capacity_bytes,
        scale_bytes=max(needed_bytes, capacity_bytes, 1),
        largest_bytes=max((row.size_bytes for row in rows), default=0) or 1,
        listed=f"The listed sizes add up to {range_words(total)}{needed}." if total else "",
        unknown=unknown(event),
        tables=[(head, list(rows)) for head, rows in groupby(event.totals, key=lambda total: total.head)],
        rows=rows,
        by_shape=_groups((buffer.shape, buffer) for buffer in event.buffers),
    )


def _rows(event: OutOfMemory) -> list[ListedBuffer]:
    """Return the listed buffers in the order of the text; shares are of the whole program's memory."""
    whole = whole_of(event)
    return [
        ListedBuffer(
            buffer=buffer,
            name=_name(buffer),
            size_bytes=buffer.size.middle if buffer.size else 0,
            share=percent(buffer.size.middle, whole.middle) if buffer.size and whole else "",
            unpadded=unpadded(buffer),
            padding=padding_words(buffer),
        )
        for buffer in event.buffers
    ]


def _name(buffer: LoggedBuffer) -> str:
    """Return the last parts of the operation that makes a buffer, or what else it is called."""
    operation = "/".join(buffer.op_name.split("/")[-2:])
    return operation or buffer.instruction or buffer.opcode or ("parameter" if buffer.is_parameter else "not named")


def _sum(buffers: Iterable[LoggedBuffer]) -> SizeRange | None:
    sizes = [buffer.size for buffer in buffers if buffer.size]
    return sum(sizes[1:], sizes[0]) if sizes else None


def _groups(named: Iterable[tuple[str, LoggedBuffer]]) -> list[BufferGroup]:
    """Return the groups whose size is known, largest first."""
    groups: dict[str, list[LoggedBuffer]] = {}
    for name, buffer in named:
        groups.setdefault(name, []).append(buffer)
    sums = [(name, buffers, _sum(buffers)) for name, buffers in groups.items()]
    known = sorted(
        ((name, buffers, size) for name, buffers, size in sums if size), key=lambda group: -group[2].high_bytes
    )
    return [
        BufferGroup(name=name, count=len(buffers), size=range_words(size), size_bytes=size.middle)
        for name, buffers, size in known
    ]
