"""A small map of who holds a value's bytes before it, meanwhile and after it.

Only moments in which something changes get a column, all of one width: a value that lives for two moments
between neighbours that live for thousands would otherwise be invisible. Bytes are to scale, offsets grow
upwards; what lies outside of the value's own bytes is cut off shortly beyond them.
"""

from collections.abc import Iterable, Sequence

from reportgen.render.drawings.svg import Box, drawing, linked, path, rectangle

MOST = 40
"""Neighbours that are drawn one by one."""

_HEIGHT = 99
_BEYOND = 8  # an eighth of the value's bytes is shown of what reaches beyond them


def neighbourhood(own: Box, others: Sequence[Box], conflicts: Sequence[Box] = ()) -> str:
    """`own` among `others`; neighbours beyond `MOST` are drawn in groups that lie side by side.

    `conflicts` are bytes and moments that `own` and another both have.
    """
    drawn = others if len(others) <= MOST else merged(others, MOST)
    low, high = _window(own, drawn)
    size = high - low
    moments = columns(own, (*drawn, *conflicts))
    column = {moment: number for number, moment in enumerate(moments)}

    def shape(box: Box) -> str:
        first, behind, box_low, box_high, *_ = box
        bottom = (max(box_low, low) - low) * _HEIGHT // size
        top = max(bottom + 1, (min(box_high, high) - low) * _HEIGHT // size)
        left = column[first]
        return rectangle(left, _HEIGHT - top, column[behind] - left, top - bottom)

    body = [linked(box, shape(box)) for box in drawn]
    marked = [linked(box, shape(box), "conflict") for box in conflicts[:MOST]]
    return drawing(len(moments) - 1, _HEIGHT, [*body, path(shape(own), "own"), *marked], label="Map")


def columns(own: Box, others: Iterable[Box]) -> list[int]:
    """The moments in which something changes: where the columns of the map begin, and where the last one ends."""
    return sorted({moment for first, behind, *_ in (own, *others) for moment in (first, behind)})


def merged(boxes: Sequence[Box], most: int) -> list[Box]:
    """At most `most` boxes: neighbours by time and bytes joined, each with the number of those in it."""
    ordered = sorted(boxes)
    share = -(-len(ordered) // most)
    return [_joined(ordered[start : start + share]) for start in range(0, len(ordered), share)]


def _joined(boxes: Sequence[Box]) -> Box:
    if len(boxes) == 1:
        return boxes[0]
    firsts, ends, lows, highs = (list(column) for column in zip(*(box[:4] for box in boxes), strict=True))
    return Box(min(firsts), max(ends), min(lows), max(highs), f"{len(boxes)} values, the first: {boxes[0].title}")


def _window(own: Box, others: Sequence[Box]) -> tuple[int, int]:
    """The value's own bytes, and a little of what reaches beyond them."""
    low = min([own.low, *[box.low for box in others]])
    high = max([own.high, *[box.high for box in others]])
    beyond = max(1, (own.high - own.low) // _BEYOND)
    return max(own.low - beyond, low), min(own.high + beyond, high)
