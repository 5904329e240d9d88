"""The few parts of SVG that the drawings need, in as few bytes as possible: they stand on 70,000 pages.

A drawing is stretched to the width of its place, so it holds no text: axes are named in the caption below it.
"""

from collections.abc import Iterable
from functools import cache
from html import escape
from typing import NamedTuple


class Box(NamedTuple):
    """Bytes [low, high) held over the moments [first, behind), with what the reader is told and led to."""

    first: int
    behind: int
    low: int
    high: int
    title: str
    href: str | None = None


def drawing(width: int, height: int, body: Iterable[str], *, label: str | None) -> str:
    """`body` as an `svg`; without a label it is only an ornament of the text beside it."""
    return f'<svg viewBox="0 0 {width} {height}" preserveAspectRatio=none {_role(label)}>{"".join(body)}</svg>'


@cache
def _role(label: str | None) -> str:
    """There are as many labels as kinds of drawings."""
    return "aria-hidden=true" if label is None else f'role=group aria-label="{escape(label)}"'


def rectangle(x: int, y: int, width: int, height: int) -> str:
    """A rectangle as part of a path."""
    return f"M{x} {y}h{width}v{height}H{x}z"


def path(shape: str, classes: str = "") -> str:
    return f'<path class={classes} d="{shape}"/>' if classes else f'<path d="{shape}"/>'


def linked(box: Box, shape: str, classes: str = "") -> str:
    """A path that tells what it is, and leads there."""
    told = f"<title>{escape(box.title)}</title>"
    if box.href is None:
        return f"<g>{told}{path(shape, classes)}</g>"
    return f"<a href={box.href}>{told}{path(shape, classes)}</a>"
