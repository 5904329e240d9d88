"""The schedule of a module: what runs at each moment, what it defines and uses for the last time, and its bytes."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from markupsafe import Markup

from reportgen.analyse.matmul_work import Recomputed
from reportgen.analyse.records import Analysis, Space
from reportgen.model import WHOLE
from reportgen.render.html.links import Links, listed
from reportgen.render.html.markup import whole_name
from reportgen.render.html.page_table import PageTable, table
from reportgen.render.module.view_page import view_page
from reportgen.render.routes import ROWS_ON_PAGE, moment_row
from reportgen.render.view import Module
from reportgen.reports.column import Column
from reportgen.reports.formats import LONGEST_NAME, human_bytes, human_flops, percent
from reportgen.reports.source_words import line_words
from reportgen.work import Page

_MOST_NAMED = 6
_MOST_SPACES = 16
"""More than any compiler has; a cell for each space and moment would be the square of a hostile dump."""


class PeakMark(NamedTuple):
    """A peak in the schedule: its moment, and a label that says which amount peaks there."""

    moment: int
    label: str


def schedule_page(module: Module, site_title: str) -> Page:
    """Return the page of the schedule."""
    links, moments, marks = Links(module, 0), module.scheduled_moments, _marks(module.analysis)
    spaces = shown_spaces(module.analysis)
    columns = [column for space in spaces for column in bytes_columns(space)]
    shown = moments[:ROWS_ON_PAGE]
    return view_page(
        module,
        site_title,
        "schedule",
        "pages/schedule.html",
        links=links,
        spaces_left_out=len(module.analysis.spaces) - len(spaces),
        marks=[(mark, schedule_href(module, links, mark.moment)) for mark in marks],
        shown=shown,
        count=len(moments),
        work=module.analysis.work,
        recomputed=_recomputed(module, links),
        table=_Schedule(module, links, marks).table(shown, columns),
    )


def schedule_href(module: Module, links: Links, moment: int) -> str | None:
    """Return the href of the row of a moment; None when the schedule does not list the moment."""
    moments = module.scheduled_moments
    row = bisect_left(moments, moment)
    if row == len(moments) or moments[row] != moment:
        return None
    anchor = moment_row(moment) if row < ROWS_ON_PAGE else f"moment={moment}"
    return f"{links.listing('schedule')}#{anchor}"


def shown_spaces(analysis: Analysis) -> list[Space]:
    """Return the memory spaces that have columns: those that need most, by number."""
    largest = sorted(analysis.spaces.values(), key=lambda space: (-space.needed_bytes, space.color))
    return sorted(largest[:_MOST_SPACES], key=lambda space: space.color)


def bytes_columns(space: Space) -> Sequence[Column[int]]:
    """Return the columns of a space: resident and live bytes, or one for both where they are always the same.

    They are None without live ranges.
    """
    name, live, temp = f"{space.color} · {space.name}", space.live, space.temp
    is_same = not space.static_bytes and live is temp
    what = "resident" if is_same else "live"
    of_live = Column[int](f"live-{space.color}", f"{name}, {what}", "bytes", lambda moment: live and live.at(moment))
    if is_same:
        return [of_live]
    return [
        Column(
            f"resident-{space.color}",
            f"{name}, resident",
            "bytes",
            lambda moment: temp and space.static_bytes + temp.at(moment),
        ),
        of_live,
    ]


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


def _recomputed(module: Module, links: Links) -> PageTable:
    """Return what is recomputed, by scope and line."""
    work, moment_of = module.analysis.work, module.analysis.dump.moment_of

    def instructions(row: Recomputed) -> Markup:
        return Markup(listed([name for name in row.instructions if name in moment_of], row_of, _MOST_NAMED))

    def row_of(name: str) -> str:
        href = schedule_href(module, links, moment_of[name])
        return f'<a href="{href}" title="{escape(name)}">{moment_of[name]:,}</a>'

    def line(row: Recomputed) -> Markup:
        words, href = escape(line_words(row.source)), links.line_href(row.source)
        return Markup(f'<a href="{href}">{words}</a>' if href else words)

    columns: Sequence[Column[Recomputed]] = (
        Column("scope", "Scope", "code", lambda row: row.scope, names_rows=True),
        Column("line", "Line", "markup", line),
        Column("by", "By", "text", lambda row: row.by),
        Column("times", "Products", "count", lambda row: row.times),
        Column("work", "Matrix work", "amount", lambda row: human_flops(row.flops)),
        Column("instructions", "At instruction", "markup", instructions),
        Column("part", "Part of all", "amount", lambda row: percent(row.flops, work.matmul_flops or 0)),
    )
    return table(columns, work.rows)


class _Schedule:
    """Makes the table; what its rows look up is collected once."""

    def __init__(self, module: Module, links: Links, marks: Sequence[PeakMark]) -> None:
        self._dump, self._facts, self._program = module.analysis.dump, module.analysis.facts, module.analysis.program
        self._links = links
        self._last_used = _last_used(module)
        self._labels: defaultdict[int, list[str]] = defaultdict(list)
        for mark in marks:
            self._labels[mark.moment].append(mark.label)

    def table(self, moments: Sequence[int], of_spaces: Sequence[Column[int]]) -> PageTable:
        """Return a row for each moment: what runs, what it defines, its last uses, and the bytes of each space."""
        columns: Sequence[Column[int]] = (
            Column("moment", "Number", "moment", lambda moment: moment),
            Column("instruction", "Instruction", "instruction", self._instruction, names_rows=True),
            Column("opcode", "Opcode", "text", self._opcode),
            Column("defines", "Defines", "values", self._defined),
            Column("last-use", "Last use of", "values", self._last_uses),
            *of_spaces,
        )
        return table(columns, moments, attributes=self._attributes, for_scripts=True)

    def _attributes(self, moment: int) -> str:
        return f' id="{moment_row(moment)}"' + (' class="peak"' if moment in self._labels else "")

    def _instruction(self, moment: int) -> Markup:
        name = self._dump.name_at[moment]
        marked = "".join(f' <strong class="mark">{escape(label)}</strong>' for label in self._labels.get(moment, ()))
        whole = whole_name(name) if len(name) > LONGEST_NAME else ""
        first = self._program.repeated_from.get(name)
        again = f" <small>recomputes {self._links.instruction(first)}</small>" if first else ""
        return Markup(f"{self._links.instruction(name)}{whole}{again}{marked}")

    def _opcode(self, moment: int) -> str:
        name = self._dump.name_at[moment]
        return self._program.opcode(name) if name in self._dump.made_by else ""

    def _defined(self, moment: int) -> Markup:
        numbers = self._dump.made_by.get(self._dump.name_at[moment], ())
        in_order = sorted(numbers, key=lambda number: self._facts[number].value.id)
        return Markup(listed(in_order, self._element, _MOST_NAMED))

    def _last_uses(self, moment: int) -> Markup:
        return Markup(listed(self._last_used.get(moment, ()), self._links.value, _MOST_NAMED))

    def _element(self, number: int) -> str:
        """Link a value of the row's own instruction, an element of a tuple by its index alone."""
        index = self._facts[number].value.key.shape_index
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
