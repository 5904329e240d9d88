"""Draw the packing of an allocation or of a memory space to scale: which bytes each value holds, and when."""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest

from markupsafe import Markup

from reportgen.analyse.classes import memory_class
from reportgen.analyse.records import Space
from reportgen.render.drawings.area_names import LETTER_WIDTH
from reportgen.render.drawings.chart_data import byte_ticks
from reportgen.render.drawings.memory_chart import axis_words, words_over
from reportgen.render.drawings.svg import Box, drawing, linked, path, rectangle
from reportgen.render.html.links import Links
from reportgen.render.html.marks import percent_of
from reportgen.render.view import Module
from reportgen.reports.formats import human_bytes, shortened
from reportgen.reports.report import key_text
from reportgen.reports.source_words import line_words

_MOST_COLUMNS, _HEIGHT = 400, 240
_PIXELS_WIDE, _LEAST_HIGH = 1000, 0.055
"""About how wide a picture is, and the part of its height that a name takes."""
MOST_BLOCKS = 60
"""Values that a picture has: more of them are a picture of nothing."""
_PEAK_WEIGHT = 16
"""How many times as large another has to be to be drawn instead of a value that is live at the peak."""
_ORDER = ("parameter", "constant", "output", "temporary")
"""The classes of memory from the bottom of a picture, as the map of scripts stacks them."""


def packing(
    boxes: Iterable[Box], moments: int, size_bytes: int, peak: int | None, conflicts: Iterable[Box] = ()
) -> str:
    """Draw every box with its name where it has room, a line at the peak, and the conflicts on top, between axes.

    Nothing becomes thinner than 1.
    """
    moments, size_bytes = max(1, moments), max(1, size_bytes)
    width = min(moments, _MOST_COLUMNS)

    def column(moment: int) -> int:
        return min(moment, moments - 1) * width // moments

    def shape(box: Box) -> str:
        left = column(box.first)
        right = max(left, column(box.end - 1)) + 1
        # The highest offset is at the top.
        bottom = min(box.low * _HEIGHT // size_bytes, _HEIGHT - 1)
        top = min(max(bottom + 1, box.high * _HEIGHT // size_bytes), _HEIGHT)
        return rectangle(left, _HEIGHT - top, right - left, top - bottom)

    # In order of time, in which the Tab key then visits the links.
    body = [linked(box, shape(box), box.look) for box in sorted(boxes)]
    if peak is not None:
        body.append(path(f"M{column(peak)} 0v{_HEIGHT}", "peak"))
    body.extend(linked(box, shape(box), "conflict") for box in conflicts)
    words = [*axis_words(byte_ticks(size_bytes), size_bytes, moments)]
    words.append(words_over("level", "bottom:100%", human_bytes(size_bytes)))
    if peak is not None:
        side = "right" if 2 * peak > moments else "left"
        words.append(words_over(f"name {side}", f"left:{percent_of(peak, moments)}", f"peak {peak:,}"))
    words.extend(_name(box, moments, size_bytes) for box in boxes)
    svg = drawing(width, _HEIGHT, body, label="Packing map")
    return f'<div class="drawing packing">{svg}{"".join(words)}</div>'


def _name(box: Box, moments: int, size_bytes: int) -> str:
    """Return the name of a box, where it has room for it."""
    length, high = box.end - box.first, box.high - box.low
    letters = sum(map(len, box.words))
    if high < _LEAST_HIGH * size_bytes or length * _PIXELS_WIDE < letters * LETTER_WIDTH * moments:
        return ""
    left, width = percent_of(box.first, moments), percent_of(length, moments)
    place = f"left:{left};width:{width};bottom:{percent_of(box.low + high // 2, size_bytes)}"
    return words_over(f"inside {box.look.replace('fill-', 'on-')}", place, *box.words)


def largest_boxes(
    module: Module, links: Links, numbers: Iterable[int], peak: int | None, bases: Mapping[int, int] | None = None
) -> Sequence[Box]:
    """Return the places of the largest values, rather of those that are live at the peak.

    `bases` are the places of their allocations.
    """
    dump = module.analysis.dump

    def weight(number: int) -> int:
        is_at_peak = peak is not None and dump.starts[number] <= peak <= dump.ends[number]
        return dump.values.sizes[number] * (_PEAK_WEIGHT if is_at_peak else 1)

    shown = nlargest(MOST_BLOCKS, (number for number in numbers if dump.starts[number] >= 0), key=weight)
    return [_box(module, links, number, (bases or {}).get(dump.values.allocations[number], 0)) for number in shown]


def _box(module: Module, links: Links, number: int, base: int) -> Box:
    """Return the place of a value that is live, in its allocation, which begins at `base`."""
    value, live = module.analysis.facts[number].value, module.analysis.facts[number].live
    assert live is not None, "a value that is live"
    low, high = value.offset_bytes, value.end_bytes
    tooltip = f"{shortened(key_text(value.key))}: {live.start:,} to {live.end:,}, bytes {low:,} to {high:,}"
    look = f"fill-{module.color(number).removeprefix('class-')}"
    author = module.attribution(number)
    line = f" · {line_words(author.source)}" if author.source else ""
    words = author.name.rpartition("/")[2], line
    return Box(live.start, live.end + 1, base + low, base + high, tooltip, links.value_href(number), look, words)


def picture_of_space(module: Module, space: Space, links: Links) -> Markup:
    """Return the largest values of a memory space, its allocations above one another by class."""
    analysis, height, bases = module.analysis, 0, dict[int, int]()
    for kind in _ORDER:
        for number in space.allocations:
            allocation = analysis.dump.allocations[number]
            if memory_class(allocation) == kind:
                bases[number] = height
                height += allocation.size_bytes
    numbers = (value for number in bases for value in analysis.occupants[number])
    peak = space.peak_resident.moment if space.peak_resident else None
    boxes = largest_boxes(module, links, numbers, peak, bases)
    return Markup(packing(boxes, analysis.moments, height, peak))
