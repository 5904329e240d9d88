"""Describe who else holds a value's bytes before, during and after its life, in words and on a small map.

What follows in the same slice is either more of the same buffer, or another buffer that the allocator hands the slice
to. The words keep the two apart.

Only moments at which something changes get a column of the map, all of one width: a value that lives for two moments
between neighbours that live for thousands would otherwise be invisible. Bytes are to scale, offsets grow upwards;
neighbours are cut off shortly beyond the value's own bytes.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from reportgen.analyse.classes import memory_class
from reportgen.analyse.records import Conflict
from reportgen.render.drawings.conflicts import conflicts_by_value, overlap_box
from reportgen.render.drawings.svg import Box, drawing, linked, path, rectangle
from reportgen.render.html.links import Links, listed
from reportgen.render.view import Module
from reportgen.reports.formats import shortened
from reportgen.reports.report import key_text

MOST_BOXES = 40
"""Neighbours on the map; more are merged into groups."""

_MOST_MOMENTS = 10
_MOST_CONFLICTS = 20
_BUFFERS_BEFORE_AND_AFTER = 5
_HEIGHT = 99
_MARGIN = 8  # an eighth of the value's bytes is shown of what reaches beyond them


class ValueNeighbours:
    """The sections on address reuse of one module's value pages; what they share is looked up once."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module = module
        self._links = links
        self._facts = module.analysis.facts
        self._buffers = module.analysis.program.buffers
        self._handovers = _handovers(module)
        self._simultaneous = _simultaneous(module)
        self._conflicts = conflicts_by_value(module.analysis)

    def section(self, number: int) -> str:
        """Return the map and the list of neighbours, or a sentence if it has none."""
        reuse = self._module.analysis.reuse
        before, during, after = reuse.predecessors[number], self._simultaneous.get(number, ()), reuse.successors[number]
        if not (before or during or after):
            alone = len(self._module.analysis.occupants[self._facts[number].value.allocation]) == 1
            return "<p>Not reused: it is the only value in its allocation." if alone else "<p>Not reused."
        words = "\n".join(self._rows(number, before, during, after))
        return f'{self._map(number, (*before, *during, *after))}\n<dl class="about">\n{words}\n</dl>'

    def _rows(self, number: int, before: Sequence[int], during: Sequence[int], after: Sequence[int]) -> Iterator[str]:
        """Yield who held the bytes before, at the same time and after, and the buffers that hand the slice on."""

        def neighbour(other: int) -> str:
            return f"{self._links.value(other)}{self._relation(number, other)}"

        yield f"<dt>Predecessors<dd>{listed(before, neighbour) or 'none'}"
        if during:
            yield f"<dt>Meanwhile<dd>{listed(during, self._links.value)}"
        if conflicts := self._conflicts.get(number):
            yield f"<dt><span class='severity error'>Conflict</span><dd>{self._conflict_words(number, conflicts)}"
        yield f"<dt>Successors<dd>{listed(after, neighbour) or 'none'}"
        if number in self._handovers:
            yield f"<dt>Hand-over<dd>{self._handover_words(*self._handovers[number])}"

    def _relation(self, number: int, other: int) -> str:
        """Return how a value is related to another one that has its bytes just before or after it."""
        if self._buffers.members(other)[0] == self._buffers.members(number)[0]:
            return " (same buffer)"
        chains = self._module.chains
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

    def _map(self, number: int, neighbours: Sequence[int]) -> str:
        """Return a value drawn among its neighbours, with a caption that names axes and colors."""
        own = self._box(number)
        boxes = [self._box(near, own) for near in dict.fromkeys(neighbours)]
        conflicts = [overlap_box(self._module.analysis, conflict) for conflict in self._conflicts.get(number, ())]
        moments = columns(own, boxes)
        shown = ", ".join(f"{moment:,}" for moment in moments)
        if len(moments) > _MOST_MOMENTS:
            shown = f"{moments[0]:,} to {moments[-1]:,}, only those at which something changes"
        grouped = f" Its {len(boxes)} neighbours are drawn in groups." if len(boxes) > MOST_BOXES else ""
        red = " Red: bytes that two values hold at once." if conflicts else ""
        # The page says at the top how its maps are read.
        caption = f"Instructions {shown}.{grouped}{red}"
        held = memory_class(self._module.analysis.dump.allocations[self._facts[number].value.allocation])
        drawn = neighbourhood(own, boxes, conflicts)
        return f'<figure class="map class-{held}">{drawn}<figcaption>{caption}</figcaption></figure>'

    def _box(self, number: int, own: Box | None = None) -> Box:
        """Return a value's box; its tooltip gives the bytes where they differ from those of `own`."""
        value, live = self._facts[number].value, self._facts[number].live
        assert live is not None, "only live values have neighbours"
        low, high = value.offset_bytes, value.end_bytes
        if own is None:
            return Box(live.start, live.end + 1, low, high, "")
        tooltip = f"{shortened(key_text(value.key))}: {live.start:,} to {live.end:,}"
        if (low, high) != (own.low, own.high):
            tooltip = f"{tooltip}, bytes {low:,} to {high:,}"
        return Box(live.start, live.end + 1, low, high, tooltip, self._links.value_href(number))


def neighbourhood(own: Box, others: Sequence[Box], conflicts: Sequence[Box] = ()) -> str:
    """Draw `own` among `others`, merged into groups beyond `MOST_BOXES`, and the `conflicts` between them on top."""
    drawn = others if len(others) <= MOST_BOXES else _merged(others)
    margin = max(1, (own.high - own.low) // _MARGIN)
    low = max(own.low - margin, min([own.low, *[box.low for box in drawn]]))
    high = min(own.high + margin, max([own.high, *[box.high for box in drawn]]))
    moments = columns(own, (*drawn, *conflicts))
    column = {moment: number for number, moment in enumerate(moments)}

    def shape(box: Box) -> str:
        bottom = (max(box.low, low) - low) * _HEIGHT // (high - low)
        # Nothing becomes thinner than a pixel.
        top = max(bottom + 1, (min(box.high, high) - low) * _HEIGHT // (high - low))
        left = column[box.first]
        return rectangle(left, _HEIGHT - top, column[box.end] - left, top - bottom)

    body = [linked(box, shape(box)) for box in drawn]
    marked = [linked(box, shape(box), "conflict") for box in conflicts[:MOST_BOXES]]
    return drawing(len(moments) - 1, _HEIGHT, [*body, path(shape(own), "own"), *marked], label="Map")


def columns(own: Box, others: Iterable[Box]) -> list[int]:
    """Return the moments at which something changes: where each column of the map begins, and the end of the last."""
    return sorted({moment for box in (own, *others) for moment in (box.first, box.end)})


def _merged(boxes: Sequence[Box]) -> list[Box]:
    """Merge neighbours by time and bytes into at most `MOST_BOXES` boxes, each with the number of values in it."""
    ordered = sorted(boxes)
    share = -(-len(ordered) // MOST_BOXES)
    groups = (ordered[start : start + share] for start in range(0, len(ordered), share))
    return [
        group[0]
        if len(group) == 1
        else Box(
            first=min(box.first for box in group),
            end=max(box.end for box in group),
            low=min(box.low for box in group),
            high=max(box.high for box in group),
            tooltip=f"{len(group)} values, the first: {group[0].tooltip}",
        )
        for group in groups
    ]


def _handovers(module: Module) -> Mapping[int, tuple[Sequence[int], int]]:
    """Return for each value the buffers that hand its slice on to one another, and the place of its own among them.

    Each stands for itself by its first value there. Of two values, the rows of neighbours say all.
    """
    members, found = module.analysis.program.buffers.members, {}
    for chain in (chain for number, chain in module.chains.items() if chain[0] == number and len(chain) > 2):
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
