"""The schedule of a module: what runs at each moment, what it defines, what it reads last, what is live then."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from html import escape
from itertools import groupby, repeat
from typing import NamedTuple

from markupsafe import Markup

from reportgen.model import WHOLE
from reportgen.render.formats import LONGEST_NAME, bytes_markup, whole_name
from reportgen.render.links import Links, listed
from reportgen.render.module import Module
from reportgen.render.page import Page
from reportgen.render.routes import ROWS_PER_PAGE, pages_of, rows_of
from reportgen.render.templates import render
from reportgen.spans import StepFunction

_MOST_NAMED = 6


class Mark(NamedTuple):
    """A peak: the moment it is at, and what to call it."""

    moment: int
    label: str


def schedule_pages(module: Module, site_title: str) -> Iterator[Page]:
    links = Links(module, 0)
    rows = _Rows(module, links)
    moments = module.scheduled_moments
    marks = [(mark, schedule_href(module, links, mark.moment)) for mark in _marks(module)]
    pages = pages_of(len(moments))
    for page in range(1, pages + 1):
        path = module.routes.listing("schedule", page)
        shown = moments[rows_of(page)]
        content = render(
            "schedule.html",
            path,
            tab="schedule.html",
            site_title=site_title,
            module=module,
            links=links,
            spaces=list(module.analysis.spaces.values()),
            marks=marks,
            shown=shown,
            rows=Markup("\n".join(map(rows.row, shown))),
            count=len(moments),
            page=page,
            pages=pages,
            href=partial(links.listing, "schedule"),
        )
        yield Page(path, content)


def schedule_href(module: Module, links: Links, moment: int) -> str | None:
    """Where the row of a moment is; None when the schedule does not list it."""
    moments = module.scheduled_moments
    row = bisect_left(moments, moment)
    if row == len(moments) or moments[row] != moment:
        return None
    return f"{links.listing('schedule', row // ROWS_PER_PAGE + 1)}#t{moment}"


def _marks(module: Module) -> list[Mark]:
    """The peak of each space that has one, then XLA's."""
    analysis = module.analysis
    marks = []
    for space in analysis.spaces.values():
        peak = space.peak_resident
        if peak is not None and peak.amount:
            marks.append(Mark(peak.moment, f"Peak of space {space.color} · {space.name}"))
    return [*marks, Mark(analysis.xla_peak.moment, "XLA’s peak")] if analysis.xla_peak else marks


class _Rows:
    """Makes rows, which are tens of thousands, as strings; what they look up is collected once."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module = module
        self._links = links
        moments = module.scheduled_moments
        cells = [_cells(space.live, moments) for space in module.analysis.spaces.values()]
        self._live = {moment: "".join(row) for moment, *row in zip(moments, *cells, strict=True)}
        self._read_last = _read_last(module)
        self._marks: defaultdict[int, list[str]] = defaultdict(list)
        for mark in _marks(module):
            self._marks[mark.moment].append(mark.label)

    def row(self, moment: int) -> str:
        """A moment: what runs, what it defines, what is read last, and the live bytes of each space."""
        name = self._module.analysis.dump.name_at[moment]
        defined, marks = self._defined(name), self._marks.get(moment, ())
        opcode = escape(self._module.origin(defined[0]).opcode) if defined else ""
        labels = "".join(f" <strong class=mark>{escape(label)}</strong>" for label in marks)
        defines = listed(defined, self._leaf, _MOST_NAMED)
        whole = whole_name(name) if len(name) > LONGEST_NAME else ""
        reads_last = listed(self._read_last.get(moment, ()), self._links.value, _MOST_NAMED)
        return (
            f"<tr id=t{moment}{' class=peak' if marks else ''}><td class=number>{moment}"
            f"<th scope=row>{self._links.instruction(name)}{whole}{labels}"
            f"<td>{opcode}<td>{defines}<td>{reads_last}{self._live[moment]}"
        )

    def _defined(self, name: str) -> list[int]:
        """The values that an instruction defines, in the order of their ids."""
        facts = self._module.analysis.facts
        return sorted(self._module.made_by.get(name, ()), key=lambda number: facts[number].value.id)

    def _leaf(self, number: int) -> str:
        """A value of the row's own instruction: an element of a tuple by its index alone."""
        index = self._module.analysis.facts[number].value.key.shape_index
        if index == WHOLE:
            return self._links.value(number)
        return f"<a href={self._links.value_href(number)}>{index}</a>"


def _cells(live: StepFunction | None, moments: Sequence[int]) -> list[str]:
    """What a memory space has live at each of the moments; neighbours mostly share their cell."""
    amounts = live.at_each(moments) if live else repeat(None, len(moments))
    return [
        cell
        for amount, same in groupby(amounts)
        for cell in repeat(f"<td class=number>{bytes_markup(amount)}", len(list(same)))
    ]


def _read_last(module: Module) -> Mapping[int, list[int]]:
    """The values that are read at a moment and never after it."""
    moment_of = module.analysis.dump.moment_of_user
    read: defaultdict[int, list[int]] = defaultdict(list)
    for number in range(len(module.analysis.facts)):
        used = module.used(number)
        moments = [moment_of[user] for user in used.users if user in moment_of] if used else []
        if moments:
            read[max(moments)].append(number)
    return read
