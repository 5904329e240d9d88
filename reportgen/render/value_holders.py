"""Who else holds a value's bytes: those before it, meanwhile and after it, in words and on a small map."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from reportgen.analyse.chains import chains
from reportgen.analyse.classes import memory_class
from reportgen.analyse.records import Conflict
from reportgen.model import Value
from reportgen.render.conflicts import conflicts_by_value, overlap_box
from reportgen.render.drawings.neighbourhood import MOST, columns, neighbourhood
from reportgen.render.drawings.svg import Box
from reportgen.render.formats import shortened
from reportgen.render.links import Links, listed
from reportgen.render.module import Module, key_text

_MOST_MOMENTS = 10
_CHAIN_BEFORE_AND_AFTER = 5
_MOST_CONFLICTS = 20


class ValueHolders:
    """The sections of one module's values; what they share is looked up once."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module = module
        self._links = links
        self._facts = module.analysis.facts
        self._chains = chains(self._facts)
        self._places = _places(self._chains)
        self._sharers = _sharers(module)
        self._conflicts = conflicts_by_value(module.analysis)

    def section(self, number: int) -> str:
        tenancy = self._module.analysis.tenancy
        before, after = tenancy.before[number], tenancy.after[number]
        sharers = self._sharers.get(number, ())
        if before or sharers or after:
            return f"{self._map(number, before, sharers, after)}\n{self._words(number, before, sharers, after)}"
        alone = len(self._module.analysis.tenants[self._facts[number].value.allocation]) == 1
        return "<p>Nobody: it is the only value of its allocation." if alone else "<p>Nobody, before or after it."

    def _words(self, number: int, before: Sequence[int], sharers: Sequence[int], after: Sequence[int]) -> str:
        chain, value = self._chains.get(number, (number,)), self._links.value
        taken = "Taken over from" if chain[0] != number else "Before"
        handed = "Handed on to" if chain[-1] != number else "After"
        rows = [f"<dl class=about>\n<dt>{taken}<dd>{listed(before, value) or 'nobody'}"]
        if sharers:
            rows.append(f"<dt>Meanwhile<dd>{listed(sharers, value)}")
        if conflicts := self._conflicts.get(number):
            rows.append(f"<dt><span class='severity error'>Conflict</span><dd>{self._conflict(number, conflicts)}")
        rows.append(f"<dt>{handed}<dd>{listed(after, value) or 'nobody'}")
        if len(chain) > 2:
            term = f"<a href={self._links.root}help/glossary.html#hand-over>Hand-overs</a>"
            rows.append(f"<dt>{term}<dd>{self._chain(number, chain)}")
        return "\n".join([*rows, "</dl>"])

    def _map(self, number: int, before: Sequence[int], sharers: Sequence[int], after: Sequence[int]) -> str:
        value = self._facts[number].value
        own = self._own(number)
        boxes = [self._box(other, value) for other in dict.fromkeys((*before, *sharers, *after))]
        merged = f" The {len(boxes)} others are drawn in groups." if len(boxes) > MOST else ""
        caption = f"Filled: this value. Up: bytes. Right: moments {_columns(own, boxes)}.{merged}"
        conflicts = [overlap_box(self._module.analysis, conflict) for conflict in self._conflicts.get(number, ())]
        drawn = neighbourhood(own, boxes, conflicts)
        caption += " Red: bytes that two values hold at once." if conflicts else ""
        held = memory_class(self._module.analysis.dump.allocations[value.allocation])
        return f'<figure class="map class-{held}">{drawn}<figcaption>{caption}</figcaption></figure>'

    def _conflict(self, number: int, conflicts: Sequence[Conflict]) -> str:
        """With whom, which bytes and when; the lines stand with the findings."""
        told = []
        for conflict in conflicts[:_MOST_CONFLICTS]:
            other = conflict.earlier if conflict.later == number else conflict.later
            box = overlap_box(self._module.analysis, conflict)
            moments = f"moment {conflict.first} to {conflict.last}"
            told.append(f"{self._links.value(other)}: bytes {box.low:,} to {box.high:,}, {moments}")
        more = len(conflicts) - len(told)
        return "<br>".join([*told, *([f"and {more:,} more"] if more else [])])

    def _own(self, number: int) -> Box:
        value, live = self._facts[number].value, self._facts[number].live
        assert live is not None, "what holds no bytes over time has no neighbours"
        return Box(live.start, live.end + 1, value.offset_bytes, value.end_bytes, "")

    def _box(self, number: int, own: Value) -> Box:
        """The bytes are told where they are others than those of the value that the map is about."""
        value, live = self._facts[number].value, self._facts[number].live
        assert live is not None, "only what is live holds bytes before or after another"
        low, high = value.offset_bytes, value.end_bytes
        title = f"{shortened(key_text(value.key))}: {live.start} to {live.end}"
        if (low, high) != (own.offset_bytes, own.end_bytes):
            title = f"{title}, bytes {low:,} to {high:,}"
        return Box(live.start, live.end + 1, low, high, title, self._links.value_href(number))

    def _chain(self, number: int, chain: Sequence[int]) -> str:
        """The buffer from hand to hand, cut to the neighbours of the value."""
        place = self._places[number]
        start, end = max(0, place - _CHAIN_BEFORE_AND_AFTER), place + _CHAIN_BEFORE_AND_AFTER + 1
        links = ["<b>this</b>" if other == number else self._links.value(other) for other in chain[start:end]]
        earlier = [f"{start:,} earlier"] if start else []
        later = [f"{len(chain) - end:,} later"] if end < len(chain) else []
        return " → ".join([*earlier, *links, *later])


def _places(chains: Mapping[int, Sequence[int]]) -> Mapping[int, int]:
    """Where in its chain each value stands; a chain may have thousands of them."""
    firsts = (chain for number, chain in chains.items() if chain[0] == number)
    return {number: place for chain in firsts for place, number in enumerate(chain)}


def _columns(own: Box, others: Sequence[Box]) -> str:
    """The moments at which the columns of the map begin, and where the last one ends."""
    moments = columns(own, others)
    if len(moments) <= _MOST_MOMENTS:
        return ", ".join(map(str, moments))
    return f"{moments[0]} to {moments[-1]}, those in which something changes"


def _sharers(module: Module) -> Mapping[int, list[int]]:
    """Values that hold some of the same bytes for more than the moment of a hand-over."""
    sharers: defaultdict[int, list[int]] = defaultdict(list)
    for conflict in module.analysis.tenancy.conflicts:
        sharers[conflict.earlier].append(conflict.later)
    for conflict in module.analysis.tenancy.conflicts:
        sharers[conflict.later].append(conflict.earlier)
    return sharers
