"""Draw the life of a value below the memory of its space over the program.

The curve, the passes and the peak are the same for all values of a space, so a page has them once, as symbols, and each
drawing uses them. The texts keep their size at each width, because only the shapes are stretched.
"""

from html import escape

from reportgen.analyse.records import Space
from reportgen.intervals.step_function import Peak
from reportgen.render.drawings.chart_data import thinned
from reportgen.render.drawings.life import STRIP_HEIGHT, STRIP_WIDTH, Life
from reportgen.render.drawings.svg import path
from reportgen.render.drawings.time_axis import ROOM_FOR_NUMBER, TimeAxis
from reportgen.render.html.marks import percent_of

_WIDTH, _POINTS = 1000, 150
_PASSES, _CURVE, _BAR, _NUMBERS = 18, 56, 24, 18
"""The height of each part from the top, in pixels: passes, curve, bar of the life, numbers of instructions."""
_TOP_OF_BAR = _PASSES + _CURVE + 6
_HEIGHT = _TOP_OF_BAR + _BAR + _NUMBERS
_ROOM = 0.92
"""The part of the height of the curve that the peak takes, below its dot."""


def symbols(space: Space, peak: Peak, axis: TimeAxis, length: int) -> str:
    """Return the parts that drawings of values of a space share: `curve-0` is below the bar, and `peak-0` above it."""
    marks = "".join(
        f"<g{' class=narrow' if one.is_narrow else ''}>"
        f'<rect x="{one.left}" width="{one.width}" height="{_PASSES - 2}"/>'
        f'<text x="{one.left}" dx="4" y="12">{escape(one.name)}</text></g>'
        for one in axis.passes
    )
    below = _HEIGHT - 4
    numbers = f'<text y="{below}">{axis.first}</text><text x="100%" y="{below}" class="end">{axis.last}</text>'
    top = _PASSES + 2 + _CURVE * (1 - _ROOM)
    line = f'<line x1="{axis.peak_at}" x2="{axis.peak_at}" y1="{_TOP_OF_BAR - 4}" y2="{_TOP_OF_BAR + _BAR + 4}"/>'
    dot = f'<circle cx="{axis.peak_at}" cy="{top:.1f}" r="4"/>'
    name = f'<text x="{axis.peak_at}" y="{below}" class="peak {axis.side}">peak {axis.peak:,}</text>'
    curve = (
        f'<svg y="{_PASSES + 2}" height="{_CURVE}" viewBox="0 0 {_WIDTH} {_CURVE}" preserveAspectRatio="none">'
        f"{path(_curve(space, peak, length))}</svg>"
    )
    return (
        f'<symbol id="curve-{space.color}">{marks}{curve}{numbers}</symbol>'
        f'<symbol id="peak-{space.color}">{line}{dot}{name}</symbol>'
    )


def life_below_curve(space: Space, life: Life, buffer: str, axis: TimeAxis, length: int) -> str:
    """Return the drawing of a value's life on a page that has the symbols, with the numbers of its ends.

    A line below it is when its buffer is held, if other values hold that before or after; `buffer` is its path.
    """
    shapes = (path(buffer, "buffer") if buffer != life.held else "") + life.shapes
    box = f'viewBox="0 0 {STRIP_WIDTH} {STRIP_HEIGHT}" preserveAspectRatio="none"'
    return (
        f'<svg class="life-curve {life.look}" height="{_HEIGHT}" aria-hidden="true">'
        f'<use href="#curve-{space.color}"/>'
        f'<svg y="{_TOP_OF_BAR}" height="{_BAR}" {box}>{shapes}</svg>'
        f'<use href="#peak-{space.color}"/>{_edges(life, axis, length)}</svg>'
    )


def _edges(life: Life, axis: TimeAxis, length: int) -> str:
    """Return the numbers of the first and the last instruction of a life beside its bar, where they have room."""
    start, end = life.start, life.end
    room, middle = ROOM_FOR_NUMBER * length, _TOP_OF_BAR + _BAR // 2 + 4
    before = start >= room and not start - room <= axis.peak <= start
    after = end + 1 <= length - room and not end <= axis.peak <= end + room
    left = f'<text x="{percent_of(start, length)}" dx="-4" y="{middle}" class="end">{start:,}</text>' if before else ""
    right = f'<text x="{percent_of(end + 1, length)}" dx="4" y="{middle}">{end:,}</text>' if after else ""
    return left + right


def _curve(space: Space, peak: Peak, length: int) -> str:
    """Return what is resident over the program as an area."""
    assert space.temp is not None, "a space with a peak"
    shape, shown = "", -1
    for moment, amount in thinned(space.temp, _POINTS):
        height = round(_CURVE * (1 - _ROOM * (space.static_bytes + amount) / max(peak.amount, 1)))
        if height != shown:
            x = moment * _WIDTH // max(length, 1)
            shape, shown = f"{shape}H{x}V{height}" if shape else f"M0 {_CURVE}V{height}", height
    return f"{shape}H{_WIDTH}V{_CURVE}z"
