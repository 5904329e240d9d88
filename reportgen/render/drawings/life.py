"""Draw when a group of buffers is held, and when it only waits, as a strip on the time axis of the program."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from markupsafe import Markup

from reportgen.analyse.classes import MemoryClass
from reportgen.analyse.records import Analysis
from reportgen.program.buffers import stretches
from reportgen.program.program import Program

_WIDTH, _HEIGHT, _BAR = 120, 12, 4
_Stretch = tuple[int, int]


def life_strip(analysis: Analysis, buffers: Sequence[int], kind: MemoryClass, peak: int | None) -> Markup:
    """Return the strip of some buffers of a class, with the moment of the peak; empty for what is never live.

    A group waits while it is held and none of its values is written or read.
    """
    members = [one for number in buffers for one in analysis.program.buffers.members(number)]
    held = stretches(members, analysis.dump.starts, analysis.dump.ends)
    if not held:
        return Markup("")
    total = max(analysis.moments, 1)
    waiting = list(idle_within(held, _uses(analysis.program, members)))
    words = f"held from moment {held[0][0]:,} to {held[-1][1]:,}" + (", waits at times" if waiting else "")
    parts = [f'<path class="held" d="{_boxes(held, total)}"/>']
    if waiting:
        parts.append(f'<path class="waiting" d="{_boxes(waiting, total)}"/>')
    if peak is not None:
        parts.append(f'<path class="peak" d="M{_at(peak, total)} 0v{_HEIGHT}"/>')
    return Markup(
        f'<svg class="life of-{kind}" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"><title>{words}</title>'
        f"{''.join(parts)}</svg>"
    )


def idle_within(held: Sequence[_Stretch], uses: Sequence[int]) -> Iterator[_Stretch]:
    """Yield the parts of some stretches at which nothing is used; `uses` are moments in order."""
    for first, last in held:
        inside = [first - 1, *uses[bisect_left(uses, first) : bisect_right(uses, last)], last + 1]
        yield from ((before + 1, after - 1) for before, after in pairwise(inside) if after - before > 1)


def _uses(program: Program, members: Sequence[int]) -> Sequence[int]:
    """Return the moments at which values are written or read; an argument is there before it is read."""
    starts, values = program.dump.starts, program.dump.values
    written = {starts[one] for one in members if program.dump.allocations[values.allocations[one]].parameter is None}
    return sorted(written.union(*(program.reads(one) for one in members)))


def _at(moment: int, total: int) -> str:
    return _pixels(moment * _WIDTH / total)


def _pixels(length: float) -> str:
    return f"{length:.1f}".removesuffix(".0")


def _boxes(held: Sequence[_Stretch], total: int) -> str:
    """Return the stretches as boxes of at least half a pixel; those that overlap on the strip become one."""
    boxes: list[tuple[float, float]] = []
    for first, last in held:
        left = first * _WIDTH / total
        right = max((last + 1) * _WIDTH / total, left + 0.5)
        if boxes and left <= boxes[-1][1]:
            boxes[-1] = boxes[-1][0], max(right, boxes[-1][1])
        else:
            boxes.append((left, right))
    top = (_HEIGHT - _BAR) // 2
    widths = ((_pixels(left), _pixels(right - left)) for left, right in boxes)
    return "".join(f"M{left} {top}h{width}v{_BAR}h-{width}z" for left, width in widths)
