"""Which values not to hold while they are idle, so that a program fits: a plan for recomputation or offloading.

At the highest moment, take the idle value that removes most of the excess there, until nothing is above the limit. The
plan found is not the smallest; `at_least` says how many values any plan needs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from reportgen.analyse.advice.memory import Memory, Stretch
from reportgen.analyse.advice.program import Program
from reportgen.analyse.advice.scopes import pattern

MOST_STEPS = 300
_CARRIES = frozenset(("while", "call", "conditional", "parameter", "tuple", "get-tuple-element", "bitcast", ""))


class Gap(NamedTuple):
    """A stretch in which a value is held, but neither made nor read."""

    number: int
    size_bytes: int
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The stretches to cut; `peak_bytes` is what is left, `families` the operations of the values, largest first."""

    fits: bool
    cuts: tuple[Gap, ...]
    peak_bytes: int
    at_least: int
    families: tuple[str, ...]

    def stretches(self) -> dict[int, list[Stretch]]:
        """Return the stretches of each value."""
        found: dict[int, list[Stretch]] = {}
        for gap in self.cuts:
            found.setdefault(gap.number, []).append((gap.first, gap.last))
        return found


def plan(program: Program, memory: Memory, limit_bytes: int) -> Plan:
    """Return what to cut so that a space stays at or below a limit, as far as that is found in `MOST_STEPS` steps."""
    curve = list(memory.curve)
    gaps = [gap for gap in _gaps(program, memory) if max(curve[gap.first : gap.last + 1]) > limit_bytes]
    at_first = sorted((gap.size_bytes for gap in gaps if gap.first <= memory.peak.moment <= gap.last), reverse=True)
    cuts: list[Gap] = []
    while (peak := max(curve)) > limit_bytes and len(cuts) < MOST_STEPS:
        moment = curve.index(peak)
        here = [gap for gap in gaps if gap.first <= moment <= gap.last]
        if not here:
            break
        best = max(here, key=lambda gap: (min(gap.size_bytes, peak - limit_bytes), gap.last - gap.first, -gap.number))
        gaps.remove(best)
        cuts.append(best)
        curve[best.first : best.last + 1] = [held - best.size_bytes for held in curve[best.first : best.last + 1]]
    sizes: dict[str, int] = {}
    for gap in cuts:
        name = pattern(program.scope(gap.number))
        sizes[name] = sizes.get(name, 0) + gap.size_bytes
    return Plan(
        fits=max(curve) <= limit_bytes,
        cuts=tuple(cuts),
        peak_bytes=max(curve),
        at_least=_fewest(at_first, memory.peak.peak_bytes - limit_bytes),
        families=tuple(sorted(sizes, key=lambda name: (-sizes[name], name))),
    )


def _gaps(program: Program, memory: Memory) -> Iterator[Gap]:
    """Yield the gaps in which an array is alone in its bytes, so that cutting it frees them."""
    if not memory.buffers_are_apart:
        return
    for number, held in memory.temps.items():
        if number < 0 or program.is_table(number) or program.opcode(program.dump.values.names[number]) in _CARRIES:
            continue
        others = [other for other in memory.groups[number] if other.number != number]
        for before, after in pairwise([held.first, *program.reads(number)]):
            first, last = before + 1, min(after, held.last + 1, memory.moments) - 1
            if first <= last and not any(other.first <= last and first <= other.last for other in others):
                yield Gap(number, held.size_bytes, first, last)


def _fewest(sizes: list[int], excess_bytes: int) -> int:
    """Return how many of the largest values it takes to remove an excess; all of them where they do not suffice."""
    count = 0
    while excess_bytes > 0 and count < len(sizes):
        excess_bytes -= sizes[count]
        count += 1
    return count
