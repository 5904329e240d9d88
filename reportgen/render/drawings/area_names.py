"""Find a place for the name of each area of a stacked chart: a rectangle inside it, as wide as it can be found."""

from collections.abc import Iterator, Sequence

from reportgen.record import record

_NAME_HEIGHT = 16
LETTER_WIDTH = 7.2
"""The width of a letter on average, in pixels: a name that has no room is left out."""
_MOST_PLACES = 24
_BELOW, _ABOVE = 0.6, 1.9
"""How far the middle of a name is from a line that has its own name above it, in heights of a name."""

Row = tuple[int, int, int]
"""The moment from which on an area covers the bytes [low, high)."""


@record
class NamePlace:
    """A rectangle inside an area: moments [first, last), bytes [low, high)."""

    first: int
    last: int
    low: float
    high: float

    def has_room(self, name: str, length: int, width: int) -> bool:
        """Return whether it is as wide as a name where `length` moments are `width` pixels."""
        return (self.last - self.first) * width >= len(name) * LETTER_WIDTH * length


def name_place(rows: Sequence[Row], length: int, pixel: float, line: int | None) -> NamePlace | None:
    """Return the widest rectangle found for the name of an area that `rows` describe up to moment `length`.

    A pixel of its height is `pixel` bytes. The rectangle stays clear of a line at the bytes `line`, and of the
    name above that. None where the area is nowhere as high as a name.
    """
    height = pixel * _NAME_HEIGHT
    ends = [*(row[0] for row in rows[1:]), length]
    best: NamePlace | None = None
    for start in range(0, len(rows), max(1, len(rows) // _MOST_PLACES)):
        for middle in _middles(rows[start], height, line):
            low, high = middle - height / 2, middle + height / 2
            first = last = start
            while first > 0 and rows[first - 1][1] <= low and high <= rows[first - 1][2]:
                first -= 1
            while last + 1 < len(rows) and rows[last + 1][1] <= low and high <= rows[last + 1][2]:
                last += 1
            if best is None or ends[last] - rows[first][0] > best.last - best.first:
                best = NamePlace(first=rows[first][0], last=ends[last], low=low, high=high)
    return best


def _middles(row: Row, height: float, line: int | None) -> Iterator[float]:
    """Yield where the middle of a name may be at a moment: in the middle of the area or, at a line, beside that."""
    _, low, high = row
    middle = (low + high) / 2
    below, above = (middle, middle) if line is None else (line - _BELOW * height, line + _ABOVE * height)
    for found in (middle, below, above):
        if low + height / 2 <= found <= high - height / 2 and not below < found < above:
            yield found
