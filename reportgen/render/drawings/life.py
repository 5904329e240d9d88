"""Draw when something is held, and when it only waits, as a strip on the time axis of the program."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from reportgen.analyse.records import Analysis
from reportgen.program.buffer_uses import reads, writes
from reportgen.program.buffers import stretches
from reportgen.program.program import Program
from reportgen.render.drawings.svg import path

STRIP_WIDTH, STRIP_HEIGHT = 120, 12
_Stretch = tuple[int, int]


class Life(NamedTuple):
    """A strip: the paths of what is held, of what only waits, and of the peak; the last two may be empty.

    `look` is the class of its color, as `source-1` or `class-output`; it is from instruction `start` to `end`.
    """

    look: str
    held: str
    waiting: str
    peak: str
    start: int
    end: int

    @property
    def words(self) -> str:
        """The same in words."""
        return f"live from instruction {self.start:,} to {self.end:,}{', idle at times' if self.waiting else ''}"


def life_of(analysis: Analysis, members: Sequence[int], look: str, peak: int | None) -> Life | None:
    """Return when values are held, with the moment of the peak; None for what is never live.

    They wait while they are held and none of them is written or read.
    """
    held = stretches(members, analysis.dump.starts, analysis.dump.ends)
    return life(held, uses(analysis.program, members), analysis.moments, look, peak) if held else None


def life(held: Sequence[_Stretch], used: Sequence[int], moments: int, look: str, peak: int | None) -> Life:
    """Return what is held for some stretches of a program's `moments`, and waits while it is not in use."""
    total = max(moments, 1)
    waiting = list(idle_within(held, used))
    (start, _), (_, end) = held[0], held[-1]
    return Life(
        look=look,
        held=_strokes(held, total),
        waiting=_strokes(waiting, total) if waiting else "",
        peak=f"M{_pixels(peak * STRIP_WIDTH / total)} 0v{STRIP_HEIGHT}" if peak is not None else "",
        start=start,
        end=end,
    )


def life_strip(life: Life | None, *, has_words: bool = True) -> Markup:
    """Draw a life: lighter where it only waits, before a line at the peak; nothing for what is never live.

    The words are left out where a sentence beside the strip says the same.
    """
    if life is None:
        return Markup()
    words = f' role="img"><title>{life.words}</title>' if has_words else ">"
    waiting = path(life.waiting, "waiting") if life.waiting else ""
    peak = path(life.peak, "peak") if life.peak else ""
    start = f'<svg class="life {life.look}" viewBox="0 0 {STRIP_WIDTH} {STRIP_HEIGHT}" preserveAspectRatio="none"'
    return Markup(f"{start}{words}{peak}{path(life.held)}{waiting}</svg>")


def idle_within(held: Sequence[_Stretch], used: Sequence[int]) -> Iterator[_Stretch]:
    """Yield the parts of some stretches at which nothing is used; `used` are moments in order."""
    for first, last in held:
        inside = [first - 1, *used[bisect_left(used, first) : bisect_right(used, last)], last + 1]
        yield from ((before + 1, after - 1) for before, after in pairwise(inside) if after - before > 1)


def uses(program: Program, members: Sequence[int]) -> Sequence[int]:
    """Return the moments at which the values of a buffer are written or read, in order."""
    return sorted({*writes(program, members), *reads(program, members)})


def _pixels(length: float) -> str:
    return f"{length:.1f}".removesuffix(".0")


def _strokes(held: Sequence[_Stretch], total: int) -> str:
    """Return the stretches as strokes of at least half a pixel; those that overlap on the strip become one."""
    strokes: list[tuple[float, float]] = []
    for first, last in held:
        left = first * STRIP_WIDTH / total
        right = max((last + 1) * STRIP_WIDTH / total, left + 0.5)
        if strokes and left <= strokes[-1][1]:
            strokes[-1] = strokes[-1][0], max(right, strokes[-1][1])
        else:
            strokes.append((left, right))
    return "".join(f"M{_pixels(left)} {STRIP_HEIGHT // 2}h{_pixels(right - left)}" for left, right in strokes)
