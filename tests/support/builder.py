"""Dumps made of values alone: what they are called, when they live and where they lie."""

from collections.abc import Sequence
from typing import NamedTuple

from reportgen.model import (
    WHOLE,
    Allocation,
    Dump,
    LiveRange,
    PeakRow,
    PrintedPeak,
    Scheduled,
    Value,
    ValueKey,
)
from tests.support.columns import live_ranges_of, schedule_of, values_of
from tests.support.dumps import nowhere


class Lives(NamedTuple):
    """A value that lives from moment `first` to `last` in the bytes [`offset`, `offset` + `size`) of its space."""

    name: str
    first: int
    last: int
    size: int = 4
    offset: int = 0
    shape: str = "f32[1]{0}"
    shape_index: str = WHOLE
    color: int = 0


def temporaries(*lives: Lives, peak: PrintedPeak | None = None) -> Dump:
    """Return a dump with a preallocated temp for each memory space and a schedule as long as the values need."""
    colors = sorted({one.color for one in lives})
    length = max((one.last for one in lives), default=0) + 1
    allocations = tuple(_allocation(number, color, lives) for number, color in enumerate(colors))
    return Dump(
        allocations=allocations,
        total_bytes=sum(allocation.size_bytes for allocation in allocations),
        values=values_of(_value(number, one, colors) for number, one in enumerate(lives)),
        schedule_length=length,
        schedule=schedule_of(Scheduled(moment, f"step{moment}") for moment in range(length)),
        live_ranges=live_ranges_of(
            LiveRange(key=ValueKey(one.name, one.shape_index), start=one.first, end=one.last) for one in lives
        ),
        printed_peak=peak,
        text=nowhere(),
    )


def _allocation(number: int, color: int, lives: Sequence[Lives]) -> Allocation:
    size = max(one.offset + one.size for one in lives if one.color == color)
    return Allocation(index=number, size_bytes=size, color=color, is_preallocated_temp=True)


def _value(number: int, one: Lives, colors: Sequence[int]) -> Value:
    return Value(
        id=number,
        key=ValueKey(one.name, one.shape_index),
        color=one.color,
        allocation=colors.index(one.color),
        size_bytes=one.size,
        offset_bytes=one.offset,
        shape=one.shape,
    )


def printed_peak(moment: int, *rows: tuple[str, int], index: str | None = WHOLE) -> PrintedPeak:
    return PrintedPeak(moment=moment, rows=tuple(PeakRow(name, index, size, None) for name, size in rows))
