"""Draw the packing of an allocation to scale: which bytes each value holds, and when."""

from collections.abc import Iterable

from reportgen.render.drawings.svg import Box, drawing, linked, path, rectangle

_MOST_COLUMNS, _HEIGHT = 400, 240


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
    body = [linked(box, scale.rectangle(box)) for box in sorted(boxes)]
    if peak is not None:
        body.append(scale.marker(peak))
    body.extend(linked(box, scale.rectangle(box), "conflict") for box in conflicts)
    return drawing(scale.width, scale.height, body, label="Packing map")
