"""Find out how well buffers lie in an arena: what no placement can go below, and whether a better one exists.

The lower bound is the most that is live at once. Bytes above it are slack. They are only worth a word if a placement
with less is known, so one is searched for with XLA's own algorithm (`GlobalDecreasingSizeBestFitHeap`) in a few
orders, and every placement goes through `verify`, which shares nothing with the search.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from reportgen.advice.memory import Memory
from reportgen.analyse.records import Analysis, Backend, Space

MOST_BUFFERS = 600
"""Buffers of an arena that are placed; the search looks at each pair of them."""

_ALIGNMENTS: Mapping[Backend, int] = {"cpu": 64, "gpu": 256}
_TABLE_BYTES = 16 << 10
_WORTH_PART = 200
"""A placement is worth a word if it saves more than this part of the arena: half a percent."""

Placement = Mapping[int, int]
"""The offset of each buffer, by its number in a sequence."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """`size_bytes` that are held from moment `first` to `last`."""

    size_bytes: int
    first: int
    last: int


class Placed(NamedTuple):
    """A buffer at its offset, and the values that take it over from each other."""

    values: tuple[int, ...]
    buffer: Buffer
    offset_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """An arena: its size, the least that any placement needs, and the size of the best placement found.

    `found_bytes` is None where none was searched for, and `placement` is that placement where it is worth a word.
    `table_bytes` is what tuple tables take on a TPU, 16 KiB each.
    """

    allocation: int
    size_bytes: int
    lower_bound_bytes: int
    found_bytes: int | None
    table_bytes: int
    placement: tuple[Placed, ...] = ()

    @property
    def is_optimal(self) -> bool:
        return self.size_bytes == self.lower_bound_bytes

    @property
    def saving_bytes(self) -> int:
        """Return the bytes that the placement found saves; 0 where they are less than half a percent."""
        saved = self.size_bytes - (self.found_bytes or self.size_bytes)
        return saved if saved * _WORTH_PART > self.size_bytes else 0


_ORDERS: Sequence[Callable[[Buffer], tuple[int, ...]]] = (
    lambda one: (-one.size_bytes, one.first),
    lambda one: (one.first - one.last, -one.size_bytes),
    lambda one: (-one.size_bytes * (one.last - one.first + 1),),
    lambda one: (one.first, -one.size_bytes),
    lambda one: (-one.last, -one.size_bytes),
)


def packings(analysis: Analysis, space: Space, memory: Memory) -> list[Packing]:
    """Return what is known of each arena of a space whose buffers never share bytes at one moment."""
    arenas = [n for n in space.allocations if analysis.dump.allocations[n].is_preallocated_temp]
    return [_packing(analysis, memory, arena) for arena in arenas] if memory.parts_are_apart else []


def _packing(analysis: Analysis, memory: Memory, arena: int) -> Packing:
    own = [held for held in memory.temps.values() if held.allocation == arena]
    parts = list({id(memory.groups[held.number]): memory.groups[held.number] for held in own}.values())
    buffers = [Buffer(part[0].size_bytes, part[0].first, max(held.last for held in part)) for part in parts]
    bound = lower_bound(buffers)
    size = analysis.dump.allocations[arena].size_bytes
    shapes = analysis.dump.values.shapes
    tables = sum(shapes[held.number].startswith("(") for held in own) if analysis.backend == "tpu" else 0
    found, offsets = _search(buffers, size, bound, _ALIGNMENTS.get(analysis.backend)) or (None, {})
    packing = Packing(
        allocation=arena,
        size_bytes=size,
        lower_bound_bytes=bound,
        found_bytes=found,
        table_bytes=tables * _TABLE_BYTES,
    )
    if not packing.saving_bytes:
        return packing
    numbers = (tuple(held.number for held in part) for part in parts)
    placed = (Placed(*pair, offsets[at]) for at, pair in enumerate(zip(numbers, buffers, strict=True)))
    return replace(packing, placement=tuple(sorted(placed, key=lambda one: (one.offset_bytes, one.buffer.first))))


def lower_bound(buffers: Iterable[Buffer]) -> int:
    """Return the most bytes that are held at one moment."""
    steps: dict[int, int] = {}
    for one in buffers:
        steps[one.first] = steps.get(one.first, 0) + one.size_bytes
        steps[one.last + 1] = steps.get(one.last + 1, 0) - one.size_bytes
    held = most = 0
    for moment in sorted(steps):
        held += steps[moment]
        most = max(most, held)
    return most


def _search(buffers: Sequence[Buffer], size: int, bound: int, alignment: int | None) -> tuple[int, Placement] | None:
    """Return the smallest placement found and its size, if it is worth a search, and passes the check."""
    if alignment is None or len(buffers) > MOST_BUFFERS or (size - bound) * _WORTH_PART <= size:
        return None
    found = [place(buffers, order, alignment) for order in _ORDERS]
    sized = [(needed, one) for one in found if (needed := verify(buffers, one, alignment)) is not None]
    return min(sized, key=itemgetter(0), default=None)


def place(buffers: Sequence[Buffer], order: Callable[[Buffer], tuple[int, ...]], alignment: int) -> Placement:
    """Place buffers one after the other in an order, each in the smallest gap that it fits into."""
    placed: list[tuple[int, int, Buffer]] = []
    offsets: dict[int, int] = {}
    for number in sorted(range(len(buffers)), key=lambda number: (order(buffers[number]), number)):
        one = buffers[number]
        best, best_gap, end = None, 0, 0
        for low, high, other in placed:
            if other.first <= one.last and one.first <= other.last:
                gap = low - end
                if gap >= one.size_bytes and (best is None or gap < best_gap):
                    best, best_gap = end, gap
                end = max(end, -(-high // alignment) * alignment)
        offsets[number] = end if best is None else best
        insort(placed, (offsets[number], offsets[number] + one.size_bytes, one), key=lambda item: item[:2])
    return offsets


def verify(buffers: Sequence[Buffer], placement: Placement, alignment: int) -> int | None:
    """Return the size of a placement; None where one is missing or misaligned, or two share a byte at one moment.

    Sweep over time with the live buffers in the order of their offsets, so that only neighbours can overlap.
    """
    if sorted(placement) != list(range(len(buffers))) or any(at < 0 or at % alignment for at in placement.values()):
        return None
    events = [(one.first, 1, number) for number, one in enumerate(buffers)]
    events += [(one.last + 1, 0, number) for number, one in enumerate(buffers)]
    live: list[tuple[int, int, int]] = []
    for _, starts, number in sorted(events):
        span = (placement[number], placement[number] + buffers[number].size_bytes, number)
        if starts:
            at = bisect_left(live, span)
            if any(
                lower[1] > upper[0] for lower, upper in pairwise((*live[max(at - 1, 0) : at], span, *live[at : at + 1]))
            ):
                return None
            live.insert(at, span)
        else:
            live.remove(span)
    return max((placement[number] + one.size_bytes for number, one in enumerate(buffers)), default=0)
