"""Write the few parts of SVG that the drawings need, in as few bytes as possible because 70,000 values have one.

A drawing is stretched to the width of its place, so it holds no text: the caption below it names the axes.
"""

from collections.abc import Iterable
from html import escape
from typing import NamedTuple


class Box(NamedTuple):
    """Bytes [low, high) held over the moments [first, end), with a tooltip, where a click leads, a color, its name."""

    first: int
    end: int
    low: int
    high: int
    tooltip: str
    href: str | None = None
    look: str = ""
    words: tuple[str, ...] = ()


def drawing(width: int, height: int, body: Iterable[str], *, label: str | None) -> str:
    """Return `body` as an `svg`; without a label it is hidden from screen readers, as an ornament of nearby text."""
    role = 'aria-hidden="true"' if label is None else f'role="group" aria-label="{escape(label)}"'
    return f'<svg viewBox="0 0 {width} {height}" preserveAspectRatio="none" {role}>{"".join(body)}</svg>'


def rectangle(x: int, y: int, width: int, height: int) -> str:
    """Return a rectangle as part of a path."""
    return f"M{x} {y}h{width}v{height}H{x}z"


def path(shape: str, classes: str = "") -> str:
    """Return `shape` as a `path` element."""
    return f'<path class="{classes}" d="{shape}"/>' if classes else f'<path d="{shape}"/>'


def linked(box: Box, shape: str, classes: str = "") -> str:
    """Return a path with the tooltip of a box and its link."""
    content = f"<title>{escape(box.tooltip)}</title>{path(shape, classes)}"
    return f"<g>{content}</g>" if box.href is None else f'<a href="{box.href}">{content}</a>'
