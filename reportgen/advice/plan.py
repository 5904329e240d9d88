"""Choose values not to hold while they are idle, so that a program fits: a plan to recompute or offload them.

At the highest moment, take the idle value that removes most of the excess there, until nothing is above the limit. The
plan found is not the smallest; `at_least` says how many buffers any plan needs.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from reportgen.advice.memory import Memory, Stretch
from reportgen.analyse.records import Analysis
from reportgen.program.program import Program
from reportgen.program.scopes import pattern
from reportgen.record import record

MOST_STEPS = 300
"""The most values that a plan cuts; each step looks at all others."""

_CARRIES = frozenset(("while", "call", "conditional", "parameter", "tuple", "get-tuple-element", "bitcast", ""))


class Gap(NamedTuple):
    """A stretch in which a value is held, but neither made nor read."""

    number: int
    size_bytes: int
    first: int
    last: int


@record
class Plan:
    """The stretches to cut, and how many buffers they are of.

    `peak_bytes` is what is left, `families` the operations of the buffers, largest first.
    """

    fits: bool
    cuts: tuple[Gap, ...]
    buffers: int
    peak_bytes: int
    at_least: int
    families: tuple[str, ...]

    def stretches(self) -> Mapping[int, list[Stretch]]:
        """Return the stretches of each value."""
        return _by_value(self.cuts)


def plan(analysis: Analysis, memory: Memory, limit_bytes: int) -> Plan:
    """Return what to cut so that a space stays at or below a limit, as far as that is found in `MOST_STEPS` steps.

    It is not looked for where any plan needs more.
    """
    above = [moment for moment, held in enumerate(memory.curve) if held > limit_bytes]
    gaps = list(_gaps(analysis.program, memory, above))
    at_peak = [gap.size_bytes for gap in gaps if gap.first <= memory.peak.moment <= gap.last]
    at_least = _fewest(sorted(at_peak, reverse=True), memory.peak.peak_bytes - limit_bytes)
    cuts = tuple(_cuts(memory, gaps, limit_bytes)) if at_least <= MOST_STEPS else ()
    sizes: Counter[str] = Counter()
    for gap in cuts:
        sizes[pattern(analysis.authors.of(gap.number).name)] += gap.size_bytes
    left = memory.without(_by_value(cuts)).peak_bytes
    return Plan(
        fits=left <= limit_bytes,
        cuts=cuts,
        buffers=len(analysis.program.buffers.one_of_each(gap.number for gap in cuts)),
        peak_bytes=left,
        at_least=at_least,
        families=tuple(sorted(sizes, key=lambda name: (-sizes[name], name))),
    )


def _by_value(cuts: Iterable[Gap]) -> Mapping[int, list[Stretch]]:
    found: defaultdict[int, list[Stretch]] = defaultdict(list)
    for gap in cuts:
        found[gap.number].append((gap.first, gap.last))
    return found


def _cuts(memory: Memory, gaps: list[Gap], limit_bytes: int) -> Iterator[Gap]:
    """Yield the gap that removes most at the highest moment, until none is above the limit."""
    moments = _highest(memory, gaps)
    curve = [memory.curve[moment] for moment in moments]
    for _ in range(MOST_STEPS):
        peak = max(curve)
        moment = moments[curve.index(peak)]
        here = [gap for gap in gaps if gap.first <= moment <= gap.last]
        if peak <= limit_bytes or not here:
            return
        best = max(here, key=lambda gap: (min(gap.size_bytes, peak - limit_bytes), gap.last - gap.first, -gap.number))
        gaps.remove(best)
        yield best
        low, high = bisect_left(moments, best.first), bisect_right(moments, best.last)
        curve[low:high] = [held - best.size_bytes for held in curve[low:high]]


def _highest(memory: Memory, gaps: Iterable[Gap]) -> Sequence[int]:
    """Return the highest moment between each two ends of gaps, because a cut lowers all moments there equally."""
    ends = {0, memory.moments, *(gap.first for gap in gaps), *(gap.last + 1 for gap in gaps)}
    return [max(range(first, end), key=memory.curve.__getitem__) for first, end in pairwise(sorted(ends))]


def _gaps(program: Program, memory: Memory, above: Sequence[int]) -> Iterator[Gap]:
    """Yield the gaps over some moments in which an array is alone in its bytes, so that cutting it frees them."""
    if not memory.parts_are_apart:
        return
    names = program.dump.values.names
    for number, held in memory.temps.items():
        if number < 0 or not _is_over(above, held.first, held.last) or program.is_table(number):
            continue
        if program.opcode(names[number]) in _CARRIES:
            continue
        others = [other for other in memory.groups[number] if other.number != number]
        for before, after in pairwise([held.first, *program.reads(number)]):
            first, last = before + 1, min(after, held.last + 1, memory.moments) - 1
            is_alone = not any(other.first <= last and first <= other.last for other in others)
            if first <= last and is_alone and _is_over(above, first, last):
                yield Gap(number, held.size_bytes, first, last)


def _is_over(above: Sequence[int], first: int, last: int) -> bool:
    """Return whether any of some moments, which are in order, lies in a stretch."""
    return bisect_left(above, first) < bisect_right(above, last)


def _fewest(sizes: list[int], excess_bytes: int) -> int:
    """Return how many of the largest values it takes to remove an excess; all of them where they do not suffice."""
    count = 0
    while excess_bytes > 0 and count < len(sizes):
        excess_bytes -= sizes[count]
        count += 1
    return count
