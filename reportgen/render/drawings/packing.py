"""Draw the packing of an allocation to scale: which bytes each value holds, and when.

A screen shows a few hundred rectangles, so of more values only the largest are drawn one by one, linked to their pages.
The rest becomes one shape: a column of it covers every byte that one of its moments covers.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from reportgen.render.drawings.svg import Box, drawing, linked, path, rectangle

MOST_BOXES = 400
"""Values that are drawn one by one."""

_MOST_COLUMNS, _HEIGHT = 400, 240


class Scale:
    """The scale that maps moments and bytes to columns and rows of a drawing; nothing becomes thinner than 1."""

    def __init__(self, moments: int, size_bytes: int) -> None:
        self.moments = max(1, moments)
        self.size_bytes = max(1, size_bytes)
        self.width = min(self.moments, _MOST_COLUMNS)
        self.height = _HEIGHT

    @property
    def is_reduced(self) -> bool:
        """Return whether a column shows several moments."""
        return self.width < self.moments

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


def packing(boxes: Sequence[Box], scale: Scale, peak: int | None, conflicts: Sequence[Box] = ()) -> str:
    """Draw every box, those beyond `MOST_BOXES` merged, a line at the peak, and the conflicts on top."""
    largest = sorted(boxes, key=lambda box: (box.high - box.low) * (box.end - box.first), reverse=True)
    # In order of time, in which the Tab key then visits the links.
    body = [linked(box, scale.rectangle(box)) for box in sorted(largest[:MOST_BOXES])]
    if len(boxes) > MOST_BOXES:
        body.insert(0, path(_merged(largest[MOST_BOXES:], scale), "rest"))
    if peak is not None:
        body.append(scale.marker(peak))
    body.extend(linked(box, scale.rectangle(box), "conflict") for box in conflicts[:MOST_BOXES])
    return drawing(scale.width, scale.height, body, label="Packing map")


def _merged(boxes: Iterable[Box], scale: Scale) -> str:
    """Merge boxes into one path; each column is kept as a number with a bit for each row that is covered."""
    covered = [0] * scale.width
    for box in boxes:
        top, bottom = scale.rows(box.low, box.high)
        rows = (1 << bottom) - (1 << top)
        for column in range(*scale.columns(box.first, box.end)):
            covered[column] |= rows
    shapes: list[str] = []
    left = 0
    for bits, equal in groupby(covered):
        width = len(list(equal))
        shapes += [rectangle(left, top, width, bottom - top) for top, bottom in _runs_of_ones(bits)]
        left += width
    return "".join(shapes)


def _runs_of_ones(bits: int) -> Iterator[tuple[int, int]]:
    """Yield each run of ones as the numbers of its first bit and of the bit after its last."""
    while bits:
        first = (bits & -bits).bit_length() - 1
        # Adding one to a run of ones carries into the first zero above it.
        ones = (~(bits >> first) & ((bits >> first) + 1)).bit_length() - 1
        yield first, first + ones
        bits &= -1 << (first + ones)
