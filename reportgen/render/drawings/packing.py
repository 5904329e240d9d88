"""The packing of an allocation: which bytes each value holds, and when, to scale.

A screen shows a few hundred rectangles; of more, only the largest are drawn one by one and lead to their pages.
The rest becomes one shape: each column of it is what its moments have in common.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup

from reportgen.render.drawings.svg import Box, drawing, linked, path, rectangle

MOST = 400
"""Values that are drawn one by one."""

_MOST_COLUMNS, _HEIGHT = 400, 240


class Scale(NamedTuple):
    """Moments and bytes to the numbers of a drawing; nothing becomes thinner than 1."""

    moments: int
    size_bytes: int

    @property
    def width(self) -> int:
        return max(1, min(self.moments, _MOST_COLUMNS))

    @property
    def height(self) -> int:
        return _HEIGHT

    def column(self, moment: int) -> int:
        return min(moment, self.moments) * self.width // max(1, self.moments)

    def columns(self, box: Box) -> tuple[int, int]:
        first = min(self.column(box.first), self.width - 1)
        return first, max(first + 1, -(-min(box.behind, self.moments) * self.width // max(1, self.moments)))

    def rows(self, box: Box) -> tuple[int, int]:
        """Counted from the top, where the highest offset is."""
        bottom = min(box.low * _HEIGHT // max(1, self.size_bytes), _HEIGHT - 1)
        top = max(bottom + 1, box.high * _HEIGHT // max(1, self.size_bytes))
        return _HEIGHT - min(top, _HEIGHT), _HEIGHT - bottom


def packing(boxes: Sequence[Box], scale: Scale, peak: int | None) -> Markup:
    """Every box, those beyond `MOST` merged, and a line at the moment of the peak."""
    largest = sorted(boxes, key=lambda box: (box.low - box.high) * (box.behind - box.first))
    one_by_one = sorted(largest[:MOST])
    body = [linked(box, _shape(scale.columns(box), scale.rows(box))) for box in one_by_one]
    if len(boxes) > MOST:
        body.insert(0, path(_merged(largest[MOST:], scale), "rest"))
    if peak is not None:
        body.append(path(f"M{scale.column(peak)} 0v{scale.height}", "peak"))
    return drawing(scale.width, scale.height, body, classes="map", label="Packing map")


def _shape(columns: tuple[int, int], rows: tuple[int, int]) -> str:
    return rectangle(columns[0], rows[0], columns[1] - columns[0], rows[1] - rows[0])


def _merged(boxes: Iterable[Box], scale: Scale) -> str:
    """All boxes as one path; a column is kept as a number with a bit for each row that is covered."""
    covered = [0] * scale.width
    for box in boxes:
        (left, right), (top, bottom) = scale.columns(box), scale.rows(box)
        rows = (1 << bottom) - (1 << top)
        for column in range(left, right):
            covered[column] |= rows
    return "".join(_shape(columns, rows) for columns, bits in _runs(covered) for rows in _rows(bits))


def _runs(covered: Sequence[int]) -> Iterator[tuple[tuple[int, int], int]]:
    """Neighbouring columns that are the same, together."""
    left = 0
    for bits, group in groupby(covered):
        right = left + sum(1 for _ in group)
        yield (left, right), bits
        left = right


def _rows(bits: int) -> Iterator[tuple[int, int]]:
    """The runs of ones, as first and behind the last."""
    while bits:
        first = (bits & -bits).bit_length() - 1
        ones = (~(bits >> first) & ((bits >> first) + 1)).bit_length() - 1
        yield first, first + ones
        bits &= -1 << (first + ones)
