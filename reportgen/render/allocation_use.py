"""How the bytes of an allocation are used over time: what is free when, a packing map, and who lived where."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from reportgen.analyse.classes import memory_class
from reportgen.analyse.holes import Holes, holes
from reportgen.analyse.slots import Slot, slot_count, slots
from reportgen.analyse.spaces import occupancies
from reportgen.render.allocation_about import Moment
from reportgen.render.conflicts import overlap_box, real_conflicts
from reportgen.render.drawings.packing import MOST, Scale, packing
from reportgen.render.drawings.stairs import stairs
from reportgen.render.drawings.svg import Box
from reportgen.render.formats import bytes_markup, shortened
from reportgen.render.links import Links, listed
from reportgen.render.module import Module, key_text

_MOST_SLOTS = 100
_MOST_TENANTS = 12


class Use(NamedTuple):
    """How an allocation is used at the moments that count, and the sections that show it."""

    moments: Sequence[Moment] = ()
    sections: str = ""


class AllocationUse:
    """The use of one module's allocations; what they share is looked up once."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module = module
        self._links = links
        self._peaks = {color: space.peak_resident for color, space in module.analysis.spaces.items()}

    def of(self, number: int) -> Use:
        """What can be said where live ranges are known, and drawn where there is more than one value."""
        analysis = self._module.analysis
        tenants, allocation = analysis.tenants[number], analysis.dump.allocations[number]
        peak = self._peaks[allocation.color]
        if peak is None or not allocation.size_bytes:
            return Use()
        over_time = holes(occupancies(analysis.facts, tenants), allocation.size_bytes, analysis.moments)
        moments = _moments(over_time, allocation.size_bytes, peak.moment)
        if len(tenants) < 2:
            return Use(moments)
        return Use(moments, "".join(self._sections(number, over_time, peak.moment)))

    def _sections(self, number: int, over_time: Holes, peak: int) -> Iterator[str]:
        analysis = self._module.analysis
        tenants, allocation = analysis.tenants[number], analysis.dump.allocations[number]
        scale, held = Scale(analysis.moments, allocation.size_bytes), memory_class(allocation)
        drawn = self._packing(number, scale, peak)
        yield f'<h2>Packing</h2>\n<figure class="map packing class-{held}">{drawn}</figure>\n'
        if max(over_time.free.amounts):
            drawn = f"{stairs(*over_time, scale, peak)}{_stairs_caption(scale)}"
            yield f'<h2>Free bytes</h2>\n<figure class="map stairs class-{held}">{drawn}</figure>\n'
        count = slot_count(analysis.facts, tenants, allocation.size_bytes)
        if count > 1:
            yield self._slots(number, count)
        else:
            yield "<p>All of them hold the same bytes, one after another.\n"

    def _packing(self, number: int, scale: Scale, peak: int) -> str:
        analysis, conflicts = self._module.analysis, self._conflicts.get(number, ())
        tenants = analysis.tenants[number]
        live = [value for value in tenants if analysis.facts[value].live]
        boxes = [self._box(value) for value in live]
        drawn = packing(boxes, scale, peak, conflicts, lambda shown: self._told(live[shown], boxes[shown]))
        size_bytes, last = analysis.dump.allocations[number].size_bytes, max(0, analysis.moments - 1)
        return f"{drawn}{_packing_caption(size_bytes, last, len(tenants), len(conflicts))}"

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
        return Box(live.start, live.end + 1, value.offset_bytes, value.end_bytes, "")

    def _told(self, number: int, box: Box) -> Box:
        """With the value's name, life and bytes, and the way to its page."""
        first, behind, low, high, *_ = box
        name = shortened(key_text(self._module.analysis.facts[number].value.key))
        title = f"{name}: {first} to {behind - 1}, bytes {low:,} to {high:,}"
        return Box(first, behind, low, high, title, self._links.value_href(number))

    def _slots(self, number: int, count: int) -> str:
        analysis = self._module.analysis
        found = slots(analysis.facts, analysis.tenants[number], analysis.dump.allocations[number].size_bytes)
        rows = [self._slot(slot) for slot in islice(found, _MOST_SLOTS)]
        left_out = count - _MOST_SLOTS
        more = f"<p>The first {len(rows)} ranges; {left_out:,} more follow." if left_out > 0 else ""
        return (
            "<h2>Who lived where</h2>\n"
            '<div class=scroll tabindex=0 role=region aria-label="Tenants of byte ranges"><table class=plain>'
            "<caption>Byte ranges and their tenants in time order</caption>\n"
            "<thead><tr><th scope=col class=number>From byte<th scope=col class=number>To"
            f"<th scope=col class=number>Size<th scope=col>Tenants\n<tbody>\n{''.join(rows)}</table></div>\n{more}"
        )

    def _slot(self, slot: Slot) -> str:
        tenants = listed(slot.tenants, self._links.value, _MOST_TENANTS) or "nobody"
        size = bytes_markup(slot.high - slot.low)
        return f"<tr><td class=number>{slot.low:,}<td class=number>{slot.high:,}<td class=number>{size}<td>{tenants}\n"


def _packing_caption(size_bytes: int, last_moment: int, values: int, conflicts: int) -> str:
    words = [f"Upwards: bytes 0 to {size_bytes:,}. Rightwards: moments 0 to {last_moment}."]
    words.append("The line is the peak of the memory space.")
    if conflicts:
        where = "see the <a href=../findings.html>findings</a>"
        words.append(f"Red: bytes that two values hold at once, {conflicts:,} times; {where}.")
    if values > MOST:
        words.append(
            f"The {MOST} values that take up most bytes × moments are drawn one by one and lead to their pages; "
            f"the other {values - MOST:,} are merged into what a column of the drawing can show."
        )
    words.append("The table below has every value.")
    return f"<figcaption>{' '.join(words)}</figcaption>"


def _stairs_caption(scale: Scale) -> str:
    words = "Area: bytes free. Line: the largest hole, free bytes in one piece. To the same scale as the packing."
    reduced = " A column of several moments shows the least of them." if scale.is_reduced else ""
    return f"<figcaption>{words}{reduced}</figcaption>"


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
