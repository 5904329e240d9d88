"""Data of the charts on a module's page: bytes over program order, and ticks of binary units."""

import math
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from reportgen.analyse.capacity import Fit
from reportgen.analyse.classes import HELD_CLASSES, memory_class
from reportgen.analyse.phases import PASSES, Phase, label
from reportgen.analyse.records import Analysis, Space
from reportgen.analyse.spaces import main_space
from reportgen.intervals.step_function import StepFunction
from reportgen.reports import formats

MOST_POINTS = 500
_MOST_MARKS = 1_000
_TICKS = 7
_HEADROOM = 1.12
MOST_ABOVE = 3
"""A capacity that is so many times all else is not drawn, because the chart would be flat."""


def memory_over_time(
    analysis: Analysis, space: Space, phases: Sequence[Phase], known: Fit | None = None
) -> dict[str, Any] | None:
    """Return the datasets and parameters of the chart for one memory space; None without live ranges.

    The `phases` of the program are drawn below the main memory.

    The line of a capacity is drawn unless it is so far above all else that the chart would be flat.
    """
    peak = space.peak_resident
    if space.live is None or space.temp is None or peak is None or not space.needed_bytes:
        return None
    limit = space.needed_bytes
    capacity = known.capacity.size_bytes if known and known.capacity.size_bytes <= MOST_ABOVE * limit else 0
    last = max(analysis.moments, 1)
    temporary = [
        {"class": "temporary", "moment": moment, "low": space.static_bytes, "high": space.static_bytes + amount}
        for moment, amount in thinned(space.temp)
    ]
    marks = [(f"peak {formats.human_bytes(peak.amount)}", peak.moment)]
    if analysis.xla_peak and analysis.xla_peak.moment != peak.moment:
        marks.append(("XLA’s peak", analysis.xla_peak.moment))
    is_early = 2 * peak.moment < analysis.moments
    datasets = {
        "held": _held_bands(analysis, space, last),
        "temporary": temporary,
        "bands": [],
        "live": [{"moment": moment, "amount": amount} for moment, amount in thinned(space.live)],
        "levels": [{"limit": limit}],
        # On the side where the peak is not.
        "capacity": [{"limit": capacity, "label": _capacity_label(capacity), "side": "right" if is_early else "left"}]
        if capacity
        else [],
        # The name of a mark is on the side of its line that has room for it.
        "marks": [
            {
                "label": label,
                "moment": moment,
                "amount": space.static_bytes + space.temp.at(moment),
                "row": row,
                "side": "left" if 2 * moment < analysis.moments else "right",
            }
            for row, (label, moment) in enumerate(marks)
        ],
        "phases": list(_strip(phases)) if space is main_space(analysis.spaces) else [],
        "again": [{"moment": moment} for moment in _recomputing(analysis)],
        "changed": [],
        "changed-peak": [],
        "begin": [],
        "chosen": [],
    }
    parameters = {
        "first": 0,
        "last": last,
        "low": 0,
        "limit": max(1, round(max(limit, capacity) * _HEADROOM)),
        **byte_ticks(max(limit, capacity)),
    }
    return {"datasets": datasets, "params": parameters}


def _capacity_label(capacity: int) -> str:
    return f"capacity {formats.human_bytes(capacity)}"


def _recomputing(analysis: Analysis) -> Sequence[int]:
    """Return the moments at which XLA computes something again, at most one for each pixel of a wide chart."""
    moment_of, width = analysis.dump.moment_of, max(1, analysis.moments // _MOST_MARKS)
    moments = sorted(moment_of[name] for name in analysis.program.repeated_from if name in moment_of)
    return list({moment // width: moment for moment in moments}.values())


def _strip(phases: Sequence[Phase]) -> Iterator[dict[str, Any]]:
    """Yield the passes of a gradient or, without one, the loops of the program."""
    passes = [phase for phase in phases if phase.kind in PASSES]
    loops = (phase for phase in phases if phase.kind == "loop")
    last = -1
    for phase in passes or loops:
        if phase.first > last:  # because a loop may run in another, and the strip shows the outer one
            last = phase.last
            loop = f"loop {phase.source.rpartition('/')[2] or phase.instruction}"
            yield {
                "label": label(phase.kind, phase.passes) if passes else loop,
                "first": phase.first,
                "last": phase.last + 1,
            }


def _held_bands(analysis: Analysis, space: Space, last: int) -> list[dict[str, Any]]:
    """Return a band for each class that the caller holds throughout, stacked."""
    # Without temporaries, which change over time and are drawn as an area.
    held: dict[str, int] = dict.fromkeys(HELD_CLASSES[:3], 0)
    for number in space.allocations:
        allocation = analysis.dump.allocations[number]
        kind = memory_class(allocation)
        if kind in held:
            held[kind] += allocation.size_bytes
    bands, low = [], 0
    for name, size in held.items():
        if size:
            bands.append({"class": name, "first": 0, "last": last, "low": low, "high": low + size})
        low += size
    return bands


def byte_ticks(limit: int) -> dict[str, Any]:
    """Return the ticks of an axis up to `limit` bytes: round numbers of a binary unit."""
    unit = max(0, (max(limit, 1).bit_length() - 1) // 10)
    unit_bytes = 1024**unit
    # The smallest of 1, 2, 5, 10, 20, 50 … or their tenths and hundredths that gives at most so many ticks.
    least = max(limit / _TICKS, 1) / unit_bytes
    power: float = 10.0 ** math.floor(math.log10(least))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * 0.999)
    count = int(limit / unit_bytes / step) + 1
    ticks = [round(number * step * unit_bytes) for number in range(count + 1)]
    return {"ticks": ticks, "unit_bytes": unit_bytes, "unit": ("B", *formats.UNITS)[unit]}


def thinned(function: StepFunction, points: int = MOST_POINTS) -> Sequence[tuple[int, int]]:
    """Return (moment, amount) rows of a step function, at most about three times `points` of them.

    A stretch of time thinner than a pixel keeps its smallest and its largest amount, at their own moments, so that no
    peak is lost or moved. The first row stays, and a row at the end closes the axis. `steps.js` does the same for the
    part that a reader zooms into.
    """
    first, *rows = zip(function.moments, function.amounts, strict=True)
    if len(rows) > 2 * points:
        width = max(1, function.length // points)
        buckets: dict[int, list[tuple[int, int]]] = {}
        for row in rows:
            buckets.setdefault(row[0] // width, []).append(row)
        by_amount = itemgetter(1)
        rows = [
            row
            for bucket in buckets.values()
            for row in sorted({min(bucket, key=by_amount), max(bucket, key=by_amount), bucket[-1]})
        ]
    rows = [first, *rows]
    return [*rows, (max(function.length, rows[-1][0]), rows[-1][1])]
