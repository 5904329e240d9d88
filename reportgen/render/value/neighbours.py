"""Say where a value lies, and who else holds its bytes before, during and after its life.

What follows in the same slice is either more of the same buffer, or another buffer that the allocator hands the slice
to. The words keep the two apart.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby

from reportgen.analyse.classes import memory_class
from reportgen.analyse.records import Conflict
from reportgen.render.drawings.conflicts import conflicts_by_value
from reportgen.render.drawings.time_axis import percent_of
from reportgen.render.html.links import Links, listed
from reportgen.render.value.buffer import BufferRow
from reportgen.render.view import Module
from reportgen.reports.formats import human_bytes

_MOST_CONFLICTS = 20
_BUFFERS_BEFORE_AND_AFTER = 5
_MOST_NAMED = 5


class ValueNeighbours:
    """Where one module's values lie, and who shares their bytes; what they share is looked up once."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module = module
        self._links = links
        self._facts = module.analysis.facts
        self._buffers = module.analysis.program.buffers
        self._buffer = BufferRow(module, links)
        self._handovers = _handovers(module)
        self._simultaneous = _simultaneous(module)
        self._conflicts = conflicts_by_value(module.analysis)
        self._spaces = {color: escape(space.name) for color, space in module.analysis.spaces.items()}

    def section(self, number: int) -> str:
        """Return the place of a value in its allocation, and the list of those that share its bytes."""
        rows = "\n".join(self._rows(number))
        return f'{self._place(number)}\n<dl class="about">\n{rows}\n</dl>' if rows else self._place(number)

    def _place(self, number: int) -> str:
        """Return a bar of the allocation with the value on it, and its bytes; only words where it is all of it."""
        value = self._facts[number].value
        allocation = self._module.analysis.dump.allocations[value.allocation]
        link = self._links.allocation(value.allocation)
        size, space = human_bytes(allocation.size_bytes), self._spaces[allocation.color]
        where = f"{link}, {memory_class(allocation)}, {size} of {space}"
        is_alone = len(self._module.analysis.occupants[value.allocation]) == 1
        if value.size_bytes == allocation.size_bytes:
            return f"<p>All of {where}{', alone' if is_alone else ''}."
        edges = value.offset_bytes, value.end_bytes
        exact = "bytes {:,} to {:,}".format(*edges)
        words = f'<p><span title="{exact}">{" to ".join(map(human_bytes, edges))}</span> of {where}.'
        if not allocation.size_bytes:
            return words
        left, width = (percent_of(part, allocation.size_bytes) for part in (value.offset_bytes, value.size_bytes))
        bar = f'<i style="left:{left};width:{width}"></i>'
        return f'<div class="place {self._module.color(number)}" aria-hidden="true">{bar}</div>{words}'

    def _rows(self, number: int) -> Iterator[str]:
        """Yield who held the bytes before, at the same time and after, and the buffers that hand the slice on."""
        reuse = self._module.analysis.reuse
        during = self._simultaneous.get(number, ())

        def neighbour(other: int) -> str:
            return f"{self._links.value(other)}{self._relation(number, other)}"

        own = self._buffers.members(number)
        before, after = (
            [other for other in others[number] if other not in own] for others in (reuse.predecessors, reuse.successors)
        )
        if shared := self._buffer.row(number):
            yield shared
        if before:
            yield f"<dt>Before<dd>{listed(before, neighbour, _MOST_NAMED)}"
        if during:
            yield f"<dt>Meanwhile<dd>{listed(during, self._links.value)}"
        if conflicts := self._conflicts.get(number):
            yield f"<dt><span class='severity error'>Conflict</span><dd>{self._conflict_words(number, conflicts)}"
        if after:
            yield f"<dt>After<dd>{listed(after, neighbour, _MOST_NAMED)}"
        if number in self._handovers:
            yield f"<dt>Hand-over<dd>{self._handover_words(*self._handovers[number])}"

    def _relation(self, number: int, other: int) -> str:
        """Return how a value is related to one of another buffer that has its bytes just before or after it."""
        chains = self._module.analysis.reuse.chains
        is_handed_over = number in chains and other in chains and chains[number][0] == chains[other][0]
        return " (handed over)" if is_handed_over else ""

    def _handover_words(self, buffers: Sequence[int], place: int) -> str:
        """Return the nearest buffers in a chain of hand-overs, each by the first of its values there."""
        start, end = max(0, place - _BUFFERS_BEFORE_AND_AFTER), place + _BUFFERS_BEFORE_AND_AFTER + 1
        links = [
            "<b>this buffer</b>" if other == place else self._links.value(buffers[other])
            for other in range(start, min(end, len(buffers)))
        ]
        earlier = [f"{start:,} earlier"] if start else []
        later = [f"{len(buffers) - end:,} later"] if end < len(buffers) else []
        return " → ".join([*earlier, *links, *later])

    def _conflict_words(self, number: int, conflicts: Sequence[Conflict]) -> str:
        """Return which bytes are shared with which value and when; the lines of the dump are with the findings."""
        words = []
        for conflict in conflicts[:_MOST_CONFLICTS]:
            other = conflict.earlier if conflict.later == number else conflict.later
            bytes_and_moments = (
                f"bytes {conflict.low:,} to {conflict.high:,}, instructions {conflict.first:,} to {conflict.last:,}"
            )
            words.append(f"{self._links.value(other)}: {bytes_and_moments}")
        if len(conflicts) > _MOST_CONFLICTS:
            words.append(f"and {len(conflicts) - _MOST_CONFLICTS:,} more")
        return "<br>".join(words)


def _handovers(module: Module) -> Mapping[int, tuple[Sequence[int], int]]:
    """Return for each value the buffers that hand its slice on to one another, and the place of its own among them.

    Each stands for itself by its first value there. Of two values, the rows of neighbours say all.
    """
    members, found = module.analysis.program.buffers.members, {}
    for chain in (
        chain for number, chain in module.analysis.reuse.chains.items() if chain[0] == number and len(chain) > 2
    ):
        runs = [list(run) for _, run in groupby(chain, lambda number: members(number)[0])]
        firsts = tuple(run[0] for run in runs)
        if len(runs) > 1:
            found.update({number: (firsts, place) for place, run in enumerate(runs) for number in run})
    return found


def _simultaneous(module: Module) -> Mapping[int, list[int]]:
    """Return for each value the others that hold some of its bytes for longer than one moment of in-place reuse."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    # In two passes, so that each list has the values that come later before those that came earlier.
    for conflict in module.analysis.reuse.conflicts:
        found[conflict.earlier].append(conflict.later)
    for conflict in module.analysis.reuse.conflicts:
        found[conflict.later].append(conflict.earlier)
    return found
