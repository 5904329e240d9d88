"""What the charts of a module's page draw: bytes over program order, and ticks of binary units."""

import math
from collections.abc import Sequence
from typing import Any

from reportgen.analyse.classes import HELD_CLASSES, memory_class
from reportgen.analyse.records import Analysis, Space
from reportgen.render import formats
from reportgen.spans import Peak, StepFunction

MOST_POINTS = 1_000
_TICKS = 4
_HEADROOM = 1.12


def memory_over_time(analysis: Analysis, space: Space) -> dict[str, Any] | None:
    """The datasets and parameters of the chart for one memory space; None without live ranges."""
    peak = space.peak_resident
    if space.live is None or space.temp is None or peak is None or not space.allocated_bytes:
        return None
    limit = space.allocated_bytes - space.thread_local_bytes
    last = max(analysis.moments, 1)
    temporary = [
        {"class": "temporary", "moment": moment, "low": space.static_bytes, "high": space.static_bytes + amount}
        for moment, amount in thinned(space.temp)
    ]
    datasets = {
        "held": _held(analysis, space, last),
        "temporary": temporary,
        "live": [{"moment": moment, "amount": amount} for moment, amount in thinned(space.live)],
        "levels": [{"limit": limit}],
        "marks": _marks(analysis, peak, limit),
        "chosen": [],
    }
    parameters = {"first": 0, "last": last, "limit": max(1, round(limit * _HEADROOM)), **byte_ticks(limit)}
    return {"datasets": datasets, "params": parameters}


def _held(analysis: Analysis, space: Space, last: int) -> list[dict[str, Any]]:
    """A band for each class that the caller holds throughout, stacked."""
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


def _marks(analysis: Analysis, peak: Peak, limit: int) -> list[dict[str, Any]]:
    """Our peak and XLA's, each with the side of its line that has room for a name."""
    marks = [("peak", peak.moment, round(limit * _HEADROOM))]
    if analysis.xla_peak and analysis.xla_peak.moment != peak.moment:
        marks.append(("XLA’s peak", analysis.xla_peak.moment, round(limit * 0.96)))
    return [
        {"label": label, "moment": moment, "row": row, "side": "left" if 2 * moment < analysis.moments else "right"}
        for label, moment, row in marks
    ]


def byte_ticks(limit: int) -> dict[str, Any]:
    """Where an axis up to `limit` bytes has its ticks: round numbers of a binary unit."""
    unit = max(0, (max(limit, 1).bit_length() - 1) // 10)
    unit_bytes = 1024**unit
    step = _round_step(limit / unit_bytes / _TICKS)
    count = int(limit / unit_bytes / step) + 1
    ticks = [round(number * step * unit_bytes) for number in range(count + 1)]
    return {"ticks": ticks, "unit_bytes": unit_bytes, "unit": ("B", *formats.UNITS)[unit]}


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, 20, 50… (or of tenths and hundredths of these) that is not below `least`."""
    power: float = 10.0 ** math.floor(math.log10(least)) if least > 0 else 1.0
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * 0.999)


def thinned(function: StepFunction, points: int = MOST_POINTS) -> Sequence[tuple[int, int]]:
    """(moment, amount) rows of a step function, at most about three times `points` of them.

    Where a stretch of time is thinner than a pixel its smallest and its largest amount stay, at their own
    moments, so that no peak is lost or moved. The last row closes the axis.
    """
    rows = list(zip(function.moments, function.amounts, strict=True))
    if len(rows) > 2 * points:
        width = max(1, function.length // points)
        kept: dict[int, list[tuple[int, int]]] = {}
        for row in rows:
            kept.setdefault(row[0] // width, []).append(row)
        rows = [row for bucket in kept.values() for row in _extremes(bucket)]
    return [*rows, (max(function.length, rows[-1][0]), rows[-1][1])]


def _extremes(rows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    lowest = min(rows, key=lambda row: row[1])
    highest = max(rows, key=lambda row: row[1])
    return sorted({lowest, highest, rows[-1]})
