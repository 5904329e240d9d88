"""A page for each allocation: what it is, how it is packed, who lived where in it, and what is free in it when."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import Any, NamedTuple

from markupsafe import Markup

from reportgen.analyse.classes import memory_class
from reportgen.analyse.holes import Holes, holes
from reportgen.analyse.slots import Slot, slot_count, slots
from reportgen.analyse.spaces import occupancies
from reportgen.render.conflicts import overlap_box, real_conflicts
from reportgen.render.drawings.packing import MOST, Scale, packing
from reportgen.render.drawings.stairs import stairs
from reportgen.render.drawings.svg import Box
from reportgen.render.excerpts import excerpt
from reportgen.render.formats import bytes_markup, shortened
from reportgen.render.links import Links
from reportgen.render.module import Module, allocation_kinds, key_text
from reportgen.render.page import Page
from reportgen.render.routes import ALLOCATIONS_FOLDER, pages_of, rows_of
from reportgen.render.templates import Frame, fragment
from reportgen.render.value_rows import layout_life_shape

_MOST_SLOTS = 100
_MOST_TENANTS = 12


class Moment(NamedTuple):
    """How an allocation is used at a moment; used + free = size."""

    name: str
    moment: int
    used_bytes: int
    free_bytes: int
    largest_hole: int


@dataclass(frozen=True, slots=True)
class SlotRow:
    """A byte range with the links to its tenants in time order, as far as they are listed."""

    slot: Slot
    tenants: Markup
    unlisted: int


class AllocationRenderer:
    """Renders the allocation pages of one module; the table of values goes on over further pages."""

    def __init__(self, module: Module, site_title: str) -> None:
        self._module = module
        self._site_title = site_title
        self._links = Links(module, 1, ALLOCATIONS_FOLDER)
        self._peaks = {color: space.peak_resident for color, space in module.analysis.spaces.items()}

    def pages(self, number: int) -> Iterator[Page]:
        tenants = self._in_order(number)
        shared = self._facts(number)
        drawn = self._over_time(number)
        pages = pages_of(len(tenants))
        for page in range(1, pages + 1):
            path = self._module.routes.allocation(number, page)
            rows = Markup("\n".join(map(self._row, tenants[rows_of(page)])))
            only_first = drawn if page == 1 else {"moments": (), "map": None, "slots": ()}
            main = fragment("allocation_main.html", rows=rows, page=page, pages=pages, **shared, **only_first)
            index = str(self._module.analysis.dump.allocations[number].index)
            yield Page(path, self._frame.filled(index=index, main=main))

    @cached_property
    def _frame(self) -> Frame:
        module, path = self._module, self._module.routes.allocation(0)
        return Frame("allocation.html", path, tab="", site_title=self._site_title, module=module, links=self._links)

    def _facts(self, number: int) -> dict[str, Any]:
        module, analysis = self._module, self._module.analysis
        allocation = analysis.dump.allocations[number]
        location = analysis.dump.text.locate(allocation.place)
        return {
            "root": self._links.root,
            "links": self._links,
            "allocation": allocation,
            "steps": self._steps(number),
            "memory_class": memory_class(allocation),
            "kinds": allocation_kinds(module, number),
            "space": analysis.spaces[allocation.color],
            "location": f"{location.file}:{location.line}",
            "excerpt": excerpt(self._module, allocation.place),
            "count": len(analysis.tenants[number]),
            "href": partial(self._href, number),
        }

    def _href(self, number: int, page: int) -> str:
        return self._links.path(self._module.routes.allocation(number, page))

    def _steps(self, number: int) -> Markup:
        """To the allocations before and after it."""
        allocations = self._module.analysis.dump.allocations
        steps = []
        if number > 0:
            steps.append(f"<a rel=prev href={self._href(number - 1, 1)}>← {allocations[number - 1].index}</a>")
        if number + 1 < len(allocations):
            steps.append(f"<a rel=next href={self._href(number + 1, 1)}>{allocations[number + 1].index} →</a>")
        return Markup(" ".join(steps))

    def _in_order(self, number: int) -> list[int]:
        facts = self._module.analysis.facts

        def by_offset_and_time(value: int) -> tuple[int, int, int]:
            fact = facts[value]
            return fact.value.offset_bytes, fact.live.start if fact.live else -1, fact.value.id

        return sorted(self._module.analysis.tenants[number], key=by_offset_and_time)

    def _row(self, number: int) -> str:
        """A row of the table of values."""
        fact = self._module.analysis.facts[number]
        size, offset = bytes_markup(fact.value.size_bytes), fact.value.offset_bytes
        place = f"<td><data value={offset}>{offset:,}</data><td>{size}"
        return f"<tr><th scope=row>{self._links.value(number)}{place}{layout_life_shape(fact)}"

    def _over_time(self, number: int) -> dict[str, Any]:
        """What can be said where live ranges are known, and drawn where there is more than one value."""
        analysis = self._module.analysis
        tenants, size_bytes = analysis.tenants[number], analysis.dump.allocations[number].size_bytes
        peak = self._peaks[analysis.dump.allocations[number].color]
        if peak is None or not size_bytes:
            return {"moments": (), "map": None, "slots": ()}
        over_time = holes(occupancies(analysis.facts, tenants), size_bytes, analysis.moments)
        moments = _moments(over_time, size_bytes, peak.moment)
        if len(tenants) < 2:
            return {"moments": moments, "map": None, "slots": ()}
        scale = Scale(analysis.moments, size_bytes)
        count = slot_count(analysis.facts, tenants, size_bytes)
        return {
            "moments": moments,
            "map": Markup(
                packing(
                    [self._box(value) for value in tenants if analysis.facts[value].live],
                    scale,
                    peak.moment,
                    self._conflicts.get(number, ()),
                )
            ),
            "conflicts": len(self._conflicts.get(number, ())),
            "merged": max(0, len(tenants) - MOST),
            "shown": MOST,
            "stairs": Markup(stairs(*over_time, scale, peak.moment)) if max(over_time.free.amounts) else None,
            "last_moment": max(0, analysis.moments - 1),
            "is_reduced": scale.width < analysis.moments,
            "slots": self._slots(number) if count > 1 else (),
            "slots_more": max(0, count - _MOST_SLOTS),
        }

    @cached_property
    def _conflicts(self) -> Mapping[int, Sequence[Box]]:
        """By allocation, what two of its values hold at once."""
        analysis = self._module.analysis
        boxes: defaultdict[int, list[Box]] = defaultdict(list)
        for conflict in real_conflicts(analysis):
            boxes[analysis.facts[conflict.later].value.allocation].append(overlap_box(analysis, conflict))
        return boxes

    def _box(self, number: int) -> Box:
        value, live = self._module.analysis.facts[number].value, self._module.analysis.facts[number].live
        assert live is not None, "only what is live is drawn"
        low, high = value.offset_bytes, value.end_bytes
        title = f"{shortened(key_text(value.key))}: {live.start} to {live.end}, bytes {low:,} to {high:,}"
        return Box(live.start, live.end + 1, low, high, title, self._links.value_href(number))

    def _slots(self, number: int) -> list[SlotRow]:
        analysis = self._module.analysis
        size_bytes = analysis.dump.allocations[number].size_bytes
        return [*map(self._slot, islice(slots(analysis.facts, analysis.tenants[number], size_bytes), _MOST_SLOTS))]

    def _slot(self, slot: Slot) -> SlotRow:
        links = Markup(", ").join(map(self._links.value, slot.tenants[:_MOST_TENANTS]))
        return SlotRow(slot, links, max(0, len(slot.tenants) - _MOST_TENANTS))


def _moments(over_time: Holes, size_bytes: int, peak: int) -> list[Moment]:
    """The peak of the memory space, and when least and most of the allocation is free, if that ever changes."""
    free = over_time.free
    least, most = (free.moments[free.amounts.index(pick(free.amounts))] for pick in (min, max))
    named = {"peak of the memory space": peak, "least free, first": least, "most free, first": most}
    moments = [
        Moment(name, moment, size_bytes - free.at(moment), free.at(moment), over_time.largest.at(moment))
        for name, moment in named.items()
    ]
    return moments if min(free.amounts) < max(free.amounts) else moments[:1]
