"""A page for each out-of-memory error in a text: what it says, added up where that is possible, and what it lacks.

A text has neither offsets nor live ranges, so there is no peak and no chart over time.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from reportgen.analyse.logged_errors import LoggedError
from reportgen.parse.oom_records import Kind, LoggedBuffer, SizeRange, Total
from reportgen.render import routes
from reportgen.render.html.templates import render
from reportgen.reports.formats import range_words
from reportgen.work import Page

_VERDICTS: dict[Kind, str] = {
    "compile": "The compiler refused the program",
    "allocation": "One buffer is larger than the memory",
    "load": "The program compiled, but could not be loaded",
    "data": "Data could not be put on the device",
    "execution": "The program ran out of memory while it was running",
    "rematerialization": "A warning: recomputing values does not make the program small enough",
    "fragment": "A part of an error whose beginning is missing",
}
_MISSING: dict[Kind, str] = {
    "load": "Other programs and their data hold the rest of the memory; this text does not say which.",
    "data": "Programs and data hold the rest of the memory; this text does not say which.",
    "execution": "Other programs and data share the device; this text does not say which.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferGroup:
    """Buffers that have a shape or a scope in common."""

    name: str
    count: int
    size: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorView:
    """An error as the overview and its own page show it."""

    error: LoggedError
    href: str
    verdict: str
    figures: str
    listed: str
    lacks: str
    tables: Sequence[tuple[str, Sequence[Total]]]
    by_shape: Sequence[BufferGroup]
    by_scope: Sequence[BufferGroup]


def error_views(errors: Iterable[LoggedError]) -> list[ErrorView]:
    """Return the errors in the order of the texts."""
    return [_view(error, number) for number, error in enumerate(errors, start=1)]


def error_pages(site_title: str, errors: Iterable[LoggedError]) -> Iterator[Page]:
    """Yield a page for each error."""
    for view in error_views(errors):
        yield Page(view.href, render("out_of_memory.html", view.href, site_title=site_title, view=view))


def _view(error: LoggedError, number: int) -> ErrorView:
    event = error.event
    named = (("needed", event.needed), ("usable", event.capacity), ("free", event.free), ("too much", event.excess))
    total = _sum(event.buffers)
    needed = f"; {range_words(event.needed)} are needed" if event.needed else ""
    return ErrorView(
        error=error,
        href=routes.out_of_memory(number),
        verdict=_VERDICTS[event.kind],
        figures=", ".join(f"{range_words(size)} {name}" for name, size in named if size),
        listed=f"The listed sizes add up to {range_words(total)}{needed}." if total else "",
        lacks=_MISSING.get(event.kind, ""),
        tables=[(head, list(rows)) for head, rows in groupby(event.totals, key=lambda total: total.head)],
        by_shape=_groups((buffer.shape, buffer) for buffer in event.buffers),
        by_scope=_groups((buffer.op_name.rpartition("/")[0], buffer) for buffer in event.buffers),
    )


def _sum(buffers: Iterable[LoggedBuffer]) -> SizeRange | None:
    sizes = [buffer.size for buffer in buffers if buffer.size]
    return sum(sizes[1:], sizes[0]) if sizes else None


def _groups(named: Iterable[tuple[str, LoggedBuffer]]) -> list[BufferGroup]:
    """Return the groups whose size is known, largest first."""
    groups: dict[str, list[LoggedBuffer]] = {}
    for name, buffer in named:
        groups.setdefault(name, []).append(buffer)
    sums = [(name, buffers, _sum(buffers)) for name, buffers in groups.items()]
    known = sorted(((name, buffers, size) for name, buffers, size in sums if size), key=lambda group: -group[2].high)
    return [BufferGroup(name=name, count=len(buffers), size=range_words(size)) for name, buffers, size in known]
