"""Draw the packing of an allocation or of a memory space to scale: which bytes each value holds, and when."""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest

from markupsafe import Markup

from reportgen.analyse.classes import memory_class
from reportgen.analyse.records import Space
from reportgen.render.drawings.svg import Box, drawing, linked, path, rectangle
from reportgen.render.html.links import Links
from reportgen.render.view import Module
from reportgen.reports.formats import shortened
from reportgen.reports.report import key_text

_MOST_COLUMNS, _HEIGHT = 400, 240
MOST_BLOCKS = 60
"""Values that a picture has: more of them are a picture of nothing."""
_ORDER = ("parameter", "constant", "output", "temporary")
"""The classes of memory from the bottom of a picture, as the map of scripts stacks them."""


class Scale:
    """The scale that maps moments and bytes to columns and rows of a drawing; nothing becomes thinner than 1."""

    def __init__(self, moments: int, size_bytes: int) -> None:
        self.moments = max(1, moments)
        self.size_bytes = max(1, size_bytes)
        self.width = min(self.moments, _MOST_COLUMNS)
        self.height = _HEIGHT

    def column(self, moment: int) -> int:
        """Return the column of a moment."""
        return min(moment, self.moments - 1) * self.width // self.moments

    def columns(self, first: int, end: int) -> tuple[int, int]:
        """Return the columns of the moments [first, end), as first and end."""
        left = self.column(first)
        return left, max(left, self.column(end - 1)) + 1

    def rows(self, low: int, high: int) -> tuple[int, int]:
        """Return the rows of the bytes [low, high) as first and end, from the top, where the highest offset is."""
        bottom = min(low * _HEIGHT // self.size_bytes, _HEIGHT - 1)
        top = max(bottom + 1, high * _HEIGHT // self.size_bytes)
        return _HEIGHT - min(top, _HEIGHT), _HEIGHT - bottom

    def rectangle(self, box: Box) -> str:
        """Return the shape of a box."""
        left, right = self.columns(box.first, box.end)
        top, bottom = self.rows(box.low, box.high)
        return rectangle(left, top, right - left, bottom - top)

    def marker(self, moment: int) -> str:
        """Return a line at a moment, from top to bottom."""
        return path(f"M{self.column(moment)} 0v{self.height}", "peak")


def packing(boxes: Iterable[Box], scale: Scale, peak: int | None, conflicts: Iterable[Box] = ()) -> str:
    """Draw every box, a line at the peak, and the conflicts on top."""
    # In order of time, in which the Tab key then visits the links.
    body = [linked(box, scale.rectangle(box), box.look) for box in sorted(boxes)]
    if peak is not None:
        body.append(scale.marker(peak))
    body.extend(linked(box, scale.rectangle(box), "conflict") for box in conflicts)
    return drawing(scale.width, scale.height, body, label="Packing map")


def largest_boxes(
    module: Module, links: Links, numbers: Iterable[int], most: int, bases: Mapping[int, int] | None = None
) -> Sequence[Box]:
    """Return the places of the largest of some values that are live; `bases` are those of their allocations."""
    dump = module.analysis.dump
    live = (number for number in numbers if dump.starts[number] >= 0)
    shown = nlargest(most, live, key=dump.values.sizes.__getitem__)
    return [_box(module, links, number, (bases or {}).get(dump.values.allocations[number], 0)) for number in shown]


def _box(module: Module, links: Links, number: int, base: int) -> Box:
    """Return the place of a value that is live, in its allocation, which begins at `base`."""
    value, live = module.analysis.facts[number].value, module.analysis.facts[number].live
    assert live is not None, "a value that is live"
    low, high = value.offset_bytes, value.end_bytes
    tooltip = f"{shortened(key_text(value.key))}: {live.start:,} to {live.end:,}, bytes {low:,} to {high:,}"
    look = f"fill-{module.color(number).removeprefix('class-')}"
    return Box(live.start, live.end + 1, base + low, base + high, tooltip, links.value_href(number), look)


def picture_of_space(module: Module, space: Space, links: Links) -> Markup:
    """Return the largest values of a memory space, its allocations above one another by class."""
    analysis, height, bases = module.analysis, 0, dict[int, int]()
    held = {number: memory_class(analysis.dump.allocations[number]) for number in space.allocations}
    for number in sorted(
        (one for one, kind in held.items() if kind in _ORDER), key=lambda one: _ORDER.index(held[one])
    ):
        bases[number] = height
        height += analysis.dump.allocations[number].size_bytes
    numbers = (value for number in bases for value in analysis.occupants[number])
    boxes = largest_boxes(module, links, numbers, MOST_BLOCKS, bases)
    peak = space.peak_resident.moment if space.peak_resident else None
    return Markup(packing(boxes, Scale(analysis.moments, height), peak))
