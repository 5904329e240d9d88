"""The schedule of a module: what runs at each moment, what it defines, what it reads last, what is live then."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from reportgen.analyse.records import Space
from reportgen.render.links import Links
from reportgen.render.module import Module
from reportgen.render.page import Page
from reportgen.render.routes import ROWS_PER_PAGE, pages_of, rows_of
from reportgen.render.templates import render

_MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class Named:
    """The first few of some values, and how many more there are."""

    values: Sequence[int]
    more: int

    @classmethod
    def few(cls, values: Sequence[int]) -> "Named":
        return cls(values[:_MOST_NAMED], max(0, len(values) - _MOST_NAMED))


@dataclass(frozen=True, slots=True)
class Row:
    """One moment; `live_bytes` has an amount for each space, `marks` say which peaks are here."""

    moment: int
    name: str
    opcode: str
    defines: Named
    reads_last: Named
    live_bytes: list[int | None]
    marks: Sequence[str]


class Mark(NamedTuple):
    """A peak: the moment it is at, and what to call it."""

    moment: int
    label: str


def schedule_pages(module: Module, site_title: str) -> Iterator[Page]:
    rows, links = _Rows(module), Links(module, 0)
    moments = sorted(dict(module.analysis.dump.schedule))
    marks = [(mark, schedule_href(module, links, mark.moment)) for mark in _marks(module)]
    pages = pages_of(len(moments))
    for page in range(1, pages + 1):
        path = module.routes.listing("schedule", page)
        content = render(
            "schedule.html",
            path,
            tab="schedule.html",
            site_title=site_title,
            module=module,
            links=links,
            facts=module.analysis.facts,
            spaces=list(module.analysis.spaces.values()),
            marks=marks,
            rows=[rows.row(moment) for moment in moments[rows_of(page)]],
            count=len(moments),
            page=page,
            pages=pages,
            href=partial(links.listing, "schedule"),
        )
        yield Page(path, content)


def schedule_href(module: Module, links: Links, moment: int) -> str | None:
    """Where the row of a moment is; None when the schedule does not list it."""
    moments = sorted(dict(module.analysis.dump.schedule))
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
    """Makes rows; what they look up is collected once."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._spaces: list[Space] = list(module.analysis.spaces.values())
        self._defined = _defined(module)
        self._read_last = _read_last(module)
        self._marks: defaultdict[int, list[str]] = defaultdict(list)
        for mark in _marks(module):
            self._marks[mark.moment].append(mark.label)

    def row(self, moment: int) -> Row:
        name = self._module.instruction_at(moment) or ""
        defined = self._defined.get(name, ())
        return Row(
            moment=moment,
            name=name,
            opcode=self._module.origin(defined[0]).opcode if defined else "",
            defines=Named.few(defined),
            reads_last=Named.few(self._read_last.get(moment, ())),
            live_bytes=[space.live.at(moment) if space.live else None for space in self._spaces],
            marks=self._marks.get(moment, ()),
        )


def _defined(module: Module) -> Mapping[str, list[int]]:
    """The values that each instruction defines, in the order of their ids."""
    defined: defaultdict[str, list[int]] = defaultdict(list)
    facts = module.analysis.facts
    for number in sorted(range(len(facts)), key=lambda number: facts[number].value.id):
        defined[facts[number].value.key.name].append(number)
    return defined


def _read_last(module: Module) -> Mapping[int, list[int]]:
    """The values that are read at a moment and never after it."""
    moment_of = module.analysis.dump.moment_of
    read: defaultdict[int, list[int]] = defaultdict(list)
    for number in range(len(module.analysis.facts)):
        used = module.used(number)
        moments = [moment_of[use.name] for use in used.uses if use.name in moment_of] if used else []
        if moments:
            read[max(moments)].append(number)
    return read
