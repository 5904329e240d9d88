"""The schedule of a module: what runs at each moment, what it defines and uses for the last time, and its bytes."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from markupsafe import Markup

from reportgen.analyse.records import Analysis, Space
from reportgen.intervals.step_function import StepFunction
from reportgen.model import WHOLE
from reportgen.render.html.links import Links, listed
from reportgen.render.html.markup import bytes_markup, whole_name
from reportgen.render.module.view_page import view_page
from reportgen.render.routes import ROWS_ON_PAGE, moment_row
from reportgen.render.view import Module
from reportgen.reports.formats import LONGEST_NAME, human_bytes
from reportgen.work import Page

_MOST_NAMED = 6
_MOST_SPACES = 16
"""More than any compiler has; a cell for each space and moment would be the square of a hostile dump."""
_COLUMNS = ("moment", "instruction", "opcode", "defines", "last-use")


class BytesColumn(NamedTuple):
    """A column of bytes: its name for scripts, its head, and the amount at each moment; None without live ranges."""

    name: str
    head: str
    amounts: StepFunction | None
    added_bytes: int = 0

    def at(self, moment: int) -> int | None:
        """Return the bytes at a moment."""
        return None if self.amounts is None else self.added_bytes + self.amounts.at(moment)


class PeakMark(NamedTuple):
    """A peak in the schedule: its moment, and a label that says which amount peaks there."""

    moment: int
    label: str


def schedule_page(module: Module, site_title: str) -> Page:
    """Return the page of the schedule."""
    links, moments, marks = Links(module, 0), module.scheduled_moments, _marks(module.analysis)
    spaces = shown_spaces(module.analysis)
    columns = [column for space in spaces for column in bytes_columns(space)]
    rows, shown = _Rows(module, links, marks, columns), moments[:ROWS_ON_PAGE]
    return view_page(
        module,
        site_title,
        "schedule",
        "pages/schedule.html",
        links=links,
        bytes_columns=columns,
        spaces_left_out=len(module.analysis.spaces) - len(spaces),
        marks=[(mark, schedule_href(module, links, mark.moment)) for mark in marks],
        columns=" ".join([*_COLUMNS, *(column.name for column in columns)]),
        shown=shown,
        count=len(moments),
        rows=Markup("\n".join(map(rows.row, shown))),
    )


def schedule_href(module: Module, links: Links, moment: int) -> str | None:
    """Return the href of the row of a moment; None when the schedule does not list the moment."""
    moments = module.scheduled_moments
    row = bisect_left(moments, moment)
    if row == len(moments) or moments[row] != moment:
        return None
    return f"{links.listing('schedule')}#{moment_row(moment) if row < ROWS_ON_PAGE else f'moment={moment}'}"


def shown_spaces(analysis: Analysis) -> list[Space]:
    """Return the memory spaces that have columns: those that need most, by number."""
    largest = sorted(analysis.spaces.values(), key=lambda space: (-space.needed_bytes, space.color))
    return sorted(largest[:_MOST_SPACES], key=lambda space: space.color)


def bytes_columns(space: Space) -> list[BytesColumn]:
    """Return the columns of a space: resident and live bytes, or one for both where they are always the same."""
    name = f"{space.color} · {space.name}"
    live = BytesColumn(f"live-{space.color}", f"{name}, live", space.live)
    if not space.static_bytes and space.live is space.temp:
        return [live._replace(head=f"{name}, resident")]
    return [BytesColumn(f"resident-{space.color}", f"{name}, resident", space.temp, space.static_bytes), live]


def _marks(analysis: Analysis) -> list[PeakMark]:
    """Return the resident peak and the largest live amount of each space, then XLA's peak.

    Each is the largest amount of a column. They may be at two moments, because static allocations are resident whether
    a value is live in them or not.
    """
    marks = []
    for space in analysis.spaces.values():
        name, resident, live = f"{space.color} · {space.name}", space.peak_resident, space.peak_live
        if resident and resident.amount and resident == live:
            marks.append(PeakMark(live.moment, f"Peak of {name}, resident and live: {human_bytes(live.amount)}"))
            continue
        if resident and resident.amount:
            marks.append(PeakMark(resident.moment, f"Resident peak of {name}: {human_bytes(resident.amount)}"))
        if live and live.amount:
            marks.append(PeakMark(live.moment, f"Most live in {name}: {human_bytes(live.amount)}"))
    return [*marks, PeakMark(analysis.xla_peak.moment, "XLA’s peak")] if analysis.xla_peak else marks


class _Rows:
    """Make rows as strings; what they look up is collected once."""

    def __init__(self, module: Module, links: Links, marks: Sequence[PeakMark], columns: Sequence[BytesColumn]) -> None:
        self._module = module
        self._links = links
        self._columns = columns
        self._last_used = _last_used(module)
        self._labels: defaultdict[int, list[str]] = defaultdict(list)
        for mark in marks:
            self._labels[mark.moment].append(mark.label)

    def row(self, moment: int) -> str:
        """Return the row of a moment: what runs, what it defines, its last uses, and the bytes of each space."""
        name = self._module.analysis.dump.name_at[moment]
        facts, labels = self._module.analysis.facts, self._labels.get(moment, ())
        defined = sorted(self._module.analysis.dump.made_by.get(name, ()), key=lambda number: facts[number].value.id)
        opcode = escape(self._module.analysis.program.opcode(name)) if defined else ""
        marked = "".join(f' <strong class="mark">{escape(label)}</strong>' for label in labels)
        whole = whole_name(name) if len(name) > LONGEST_NAME else ""
        marker = ' class="peak"' if labels else ""
        last_used = listed(self._last_used.get(moment, ()), self._links.value, _MOST_NAMED)
        cells = "".join(f'<td class="number">{bytes_markup(column.at(moment))}</td>' for column in self._columns)
        return (
            f'<tr id="{moment_row(moment)}"{marker}><td class="number">{moment:,}</td>'
            f'<th scope="row">{self._links.instruction(name)}{whole}{marked}</th><td>{opcode}</td>'
            f"<td>{listed(defined, self._element, _MOST_NAMED)}</td><td>{last_used}</td>{cells}</tr>"
        )

    def _element(self, number: int) -> str:
        """Link a value of the row's own instruction, an element of a tuple by its index alone."""
        index = self._module.analysis.facts[number].value.key.shape_index
        if index == WHOLE:
            return self._links.value(number)
        return f'<a href="{self._links.value_href(number)}">{index}</a>'


def _last_used(module: Module) -> Mapping[int, list[int]]:
    """Return the values that are read at a moment and never after it, by the moment."""
    last_used: defaultdict[int, list[int]] = defaultdict(list)
    for number, moment in enumerate(module.last_uses):
        if moment is not None:
            last_used[moment].append(number)
    return last_used
