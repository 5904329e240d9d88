"""The packing of an allocation: which bytes each value holds, and when, to scale.

A screen shows a few hundred rectangles; of more, only the largest are drawn one by one and lead to their pages.
The rest becomes one shape: each column of it is what its moments have in common.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from reportgen.render.drawings.svg import Box, drawing, linked, path, rectangle

MOST = 400
"""Values that are drawn one by one."""

_MOST_COLUMNS, _HEIGHT = 400, 240


class Scale:
    """Moments and bytes to the numbers of a drawing; nothing becomes thinner than 1."""

    def __init__(self, moments: int, size_bytes: int) -> None:
        self.moments = max(1, moments)
        self.size_bytes = max(1, size_bytes)
        self.width = min(self.moments, _MOST_COLUMNS)
        self.height = _HEIGHT

    @property
    def is_reduced(self) -> bool:
        """Whether a column stands for several moments."""
        return self.width < self.moments

    def column(self, moment: int) -> int:
        return min(moment, self.moments - 1) * self.width // self.moments

    def columns(self, first: int, behind: int) -> tuple[int, int]:
        """The columns of the moments [first, behind), as first and behind the last."""
        last = self.moments - 1
        left = min(first, last) * self.width // self.moments
        return left, max(left, min(behind - 1, last) * self.width // self.moments) + 1

    def rows(self, low: int, high: int) -> tuple[int, int]:
        """The rows of the bytes [low, high), counted from the top, where the highest offset is."""
        bottom = min(low * _HEIGHT // self.size_bytes, _HEIGHT - 1)
        top = max(bottom + 1, high * _HEIGHT // self.size_bytes)
        return _HEIGHT - min(top, _HEIGHT), _HEIGHT - bottom


def packing(
    boxes: Sequence[Box],
    scale: Scale,
    peak: int | None,
    conflicts: Sequence[Box] = (),
    told: Callable[[int], Box] | None = None,
) -> str:
    """Every box, those beyond `MOST` merged, a line at the moment of the peak, and what two values hold at once.

    `told` gives a box by its number with what the reader is told: only those that are drawn one by one need it.
    """
    largest = sorted(range(len(boxes)), key=lambda number: _negative_area(boxes[number]))
    one_by_one = sorted(map(told or boxes.__getitem__, largest[:MOST]))
    body = [linked(box, _shape(box, scale)) for box in one_by_one]
    if len(boxes) > MOST:
        body.insert(0, path(_merged([boxes[number] for number in largest[MOST:]], scale), "rest"))
    if peak is not None:
        body.append(path(f"M{scale.column(peak)} 0v{scale.height}", "peak"))
    body.extend(linked(box, _shape(box, scale), "conflict") for box in conflicts[:MOST])
    return drawing(scale.width, scale.height, body, label="Packing map")


def _negative_area(box: Box) -> int:
    first, behind, low, high, *_ = box
    return (low - high) * (behind - first)


def _shape(box: Box, scale: Scale) -> str:
    left, right = scale.columns(box.first, box.behind)
    top, bottom = scale.rows(box.low, box.high)
    return rectangle(left, top, right - left, bottom - top)


def _merged(boxes: Iterable[Box], scale: Scale) -> str:
    """All boxes as one path; a column is kept as a number with a bit for each row that is covered."""
    covered = [0] * scale.width
    for box in boxes:
        left, right = scale.columns(box.first, box.behind)
        top, bottom = scale.rows(box.low, box.high)
        rows = (1 << bottom) - (1 << top)
        for column in range(left, right):
            covered[column] |= rows
    return "".join(
        rectangle(left, top, width, bottom - top) for left, width, bits in _runs(covered) for top, bottom in _rows(bits)
    )


def _runs(covered: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Neighbouring columns that are the same, together: the first, how many, and what they have."""
    left = 0
    for bits, group in groupby(covered):
        width = len(list(group))
        yield left, width, bits
        left += width


def _rows(bits: int) -> Iterator[tuple[int, int]]:
    """The runs of ones, as first and behind the last."""
    while bits:
        first = (bits & -bits).bit_length() - 1
        ones = (~(bits >> first) & ((bits >> first) + 1)).bit_length() - 1
        yield first, first + ones
        bits &= -1 << (first + ones)
