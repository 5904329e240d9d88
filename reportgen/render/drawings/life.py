"""Draw when something is held, and when it only waits, as a strip on the time axis of the program."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from reportgen.analyse.records import Analysis
from reportgen.program.buffer_uses import reads, writes
from reportgen.program.buffers import stretches
from reportgen.program.program import Program
from reportgen.render.drawings.svg import path

STRIP_WIDTH, STRIP_HEIGHT = 120, 12
_Stretch = tuple[int, int]
_Span = tuple[float, float]


class Life(NamedTuple):
    """A strip: the paths of what is held, of when it is used, of what is idle at the peak, and of the peak.

    All but the first may be empty. `look` is the class of its color, as `source-1` or `class-output`; it is from
    instruction `start` to `end`.
    """

    look: str
    held: str
    used: str
    idle: str
    peak: str
    start: int
    end: int

    @property
    def words(self) -> str:
        """The same in words."""
        return f"live from instruction {self.start:,} to {self.end:,}{', idle at the peak' if self.idle else ''}"

    @property
    def shapes(self) -> str:
        """The parts of the strip, but for the peak, as SVG."""
        parts = ("held", self.held), ("idle", self.idle), ("used", self.used)
        return "".join(path(shape, look) for look, shape in parts if shape)


def life_of(analysis: Analysis, members: Sequence[int], look: str, peak: int | None) -> Life | None:
    """Return when values are held, with the moment of the peak; None for what is never live.

    They are used when one of them is written or read, if the dump says what reads them.
    """
    held, total = stretches(members, analysis.dump.starts, analysis.dump.ends), max(analysis.moments, 1)
    if not held:
        return None
    used = uses(analysis.program, members) if analysis.dump.used_values is not None else ()
    idle = _idle_at(held, used, peak) if used and peak is not None else ()
    (start, _), (_, end) = held[0], held[-1]
    return Life(
        look=look,
        held=_strokes(_spans(held, total)),
        used=_strokes(_spans([(moment, moment) for moment in used if start <= moment <= end], total)),
        idle=_strokes(_spans(idle, total)),
        peak=f"M{_pixels(peak * STRIP_WIDTH / total)} 0v{STRIP_HEIGHT}" if peak is not None else "",
        start=start,
        end=end,
    )


def held_strip(analysis: Analysis, members: Sequence[int]) -> str:
    """Return the path of when values are held; empty for what is never live."""
    held = stretches(members, analysis.dump.starts, analysis.dump.ends)
    return _strokes(_spans(held, max(analysis.moments, 1)))


def life_strip(life: Life | None) -> Markup:
    """Draw a life: a band, dashed where it is idle at the peak, with its uses; nothing for what is never live."""
    if life is None:
        return Markup()
    peak = path(life.peak, "peak") if life.peak else ""
    start = f'<svg class="life {life.look}" viewBox="0 0 {STRIP_WIDTH} {STRIP_HEIGHT}" preserveAspectRatio="none"'
    return Markup(f'{start} role="img"><title>{life.words}</title>{peak}{life.shapes}</svg>')


def uses(program: Program, members: Sequence[int]) -> Sequence[int]:
    """Return the moments at which the values of a buffer are written or read, in order."""
    return sorted({*writes(program, members), *reads(program, members)})


def _idle_at(held: Sequence[_Stretch], used: Sequence[int], moment: int) -> Sequence[_Stretch]:
    """Return the one stretch around a moment in which something is held and not used; nothing where there is none."""
    start, end = next(((first, last) for first, last in held if first <= moment <= last), (moment, moment - 1))
    before, after = bisect_left(used, moment), bisect_right(used, moment)
    first = max(start, used[before - 1] + 1) if before else start
    last = min(end, used[after] - 1) if after < len(used) else end
    return [(first, last)] if before == after and first <= last else []


def _pixels(length: float) -> str:
    return f"{length:.1f}".removesuffix(".0")


def _spans(held: Sequence[_Stretch], total: int) -> Sequence[_Span]:
    """Return stretches as parts of the strip, each of at least half a pixel; those that overlap become one."""
    spans: list[_Span] = []
    for first, last in held:
        left = first * STRIP_WIDTH / total
        right = max((last + 1) * STRIP_WIDTH / total, left + 0.5)
        if spans and left <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], right)
        else:
            spans.append((left, right))
    return spans


def _strokes(spans: Sequence[_Span]) -> str:
    edges = ((round(left, 1), round(right, 1)) for left, right in spans)
    return "".join(f"M{_pixels(left)} {STRIP_HEIGHT // 2}h{_pixels(right - left)}" for left, right in edges)
