"""Data of the charts on a module's page: bytes over program order, and ticks of binary units."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from reportgen.analyse.classes import HELD_CLASSES, memory_class
from reportgen.analyse.fit import Fit
from reportgen.analyse.phases import PASSES, Phase, label
from reportgen.analyse.records import Analysis, Space
from reportgen.analyse.spaces import main_space
from reportgen.analyse.temporary_parts import TemporaryPart, TemporaryParts
from reportgen.intervals.step_function import StepFunction
from reportgen.render.drawings.area_names import Row, name_place
from reportgen.reports import formats

MOST_POINTS = 500
_MOST_MARKS = 1_000
_TICKS = 7
CHART_HEIGHT, TRACK_HEIGHT = 206, 18
"""The height of the plot with one track of phases below it, and of a track, in pixels."""
_POINTS_OF_PART = 100
_SMALL_PART = 100
_WIDE, _NARROW = 1100, 270
"""The width of the plot on a wide page and on a narrow one, in pixels."""
_HELD_NAMES = {"parameter": "arguments", "output": "outputs", "constant": "constants"}
_HEADROOM = 1.12
_OF_SCRIPTS = ("temporary", "bands", "live", "changed", "changed-peak", "begin", "chosen")
"""The datasets that are empty until a script fills them."""
MOST_ABOVE = 3
"""A capacity that is so many times all else is not drawn, because the chart would be flat."""


def memory_over_time(
    analysis: Analysis,
    space: Space,
    phases: Sequence[Phase],
    known: Fit | None = None,
    parts: TemporaryParts | None = None,
) -> dict[str, Any] | None:
    """Return the chart for one memory space; None without live ranges.

    It has datasets, parameters, `steps`, a `legend`: the areas that have no room for their names, and the height of the
    plot in pixels.
    The `steps` are thinned: what the caller holds throughout, and the temporaries over time, in total and in `parts`.
    Without parts, what is live is drawn over the classes. The `phases` of the program are drawn below the main memory.

    The line of a capacity is drawn unless it is so far above all else that the chart would be flat.
    """
    peak = space.peak_resident
    if space.live is None or space.temp is None or peak is None or not space.needed_bytes:
        return None
    limit = space.needed_bytes
    capacity = known.capacity.size_bytes if known and known.capacity.size_bytes <= MOST_ABOVE * limit else 0
    last, top = max(analysis.moments, 1), max(1, round(max(limit, capacity) * _HEADROOM))
    held = _held_bands(analysis, space, last)
    tracks = list(_tracks(phases)) if space is main_space(analysis.spaces) else []
    # A second track takes its room from the plot.
    height = CHART_HEIGHT - TRACK_HEIGHT * any(phase["row"] for phase in tracks)
    steps = _thinned_steps(space.static_bytes, space.temp, space.live, parts.parts if parts else ())
    areas = _areas(parts, held, steps, space.temp.at(peak.moment))
    names, legend = _names(areas, last, top / height, capacity or None, peak.amount)
    large = (entry["name"] for entry in legend if entry["class"] == "source-1" and not entry["is_narrow"])
    without_room, is_early = next(large, ""), 2 * peak.moment < analysis.moments
    mark = {
        "label": f"peak {formats.human_bytes(peak.amount)}",
        # The largest part is named with the peak if it has no room for its name.
        "more": f" · with {without_room}" if without_room else "",
        "moment": peak.moment,
        "amount": peak.amount,
        "side": "left" if is_early else "right",
    }
    datasets = {
        "held": held,
        "names": names,
        "levels": [{"limit": limit}],
        "capacity": [
            {
                "limit": capacity,
                "label": f"capacity {formats.capacity_bytes(capacity)}",
                "side": "right" if is_early else "left",
            }
        ]
        if capacity
        else (),
        "peak": [mark],
        "phases": tracks,
        "again": [{"moment": moment} for moment in _recomputing(analysis)],
        **dict.fromkeys(_OF_SCRIPTS, ()),
    }
    parameters = {"first": 0, "last": last, "low": 0, "limit": top, **byte_ticks(max(limit, capacity))}
    legend = legend if parts else []  # the classes have a legend of their own
    return {"datasets": datasets, "params": parameters, "steps": steps, "legend": legend, "height": height}


def _thinned_steps(
    static_bytes: int, temp: StepFunction, live: StepFunction, parts: Sequence[TemporaryPart]
) -> dict[str, Any]:
    """Return the amounts of a chart as the shard of the timeline has them, at fewer moments.

    The temporaries and their parts have the same moments, so that they add up at each of them.
    """
    found = {moment for moment, _ in thinned(temp)}
    found.update(moment for part in parts for moment, _ in thinned(part.steps, _POINTS_OF_PART))
    moments = sorted(moment for moment in found if moment < temp.length)
    drawn = {"live": _steps_at(live, [moment for moment, _ in thinned(live)[:-1]])} if not parts else {}
    return {
        "static": static_bytes,
        "temp": _steps_at(temp, moments),
        "parts": [{"name": part.name, **_steps_at(part.steps, moments)} for part in parts],
        **drawn,
    }


def _steps_at(function: StepFunction, moments: Sequence[int]) -> dict[str, Sequence[int]]:
    """Return the changes of a step function that can be seen at some moments, of which 0 is the first."""
    amounts = list(function.at_each(moments))
    kept = [place for place, amount in enumerate(amounts) if place == 0 or amount != amounts[place - 1]]
    return {"moments": [moments[place] for place in kept], "amounts": [amounts[place] for place in kept]}


def stacked(steps: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Row]]]:
    """Yield the areas of the temporaries, the lowest first: its class, and (moment, low, high) where it changes.

    Parts have the classes `source-1` to `source-4`, and the `other` ones are above them.
    """
    names = [f"source-{number}" for number, _ in enumerate(steps["parts"], 1)]
    functions = [*steps["parts"], steps["temp"]]
    moments = sorted({moment for function in functions for moment in function["moments"]})
    lows = [steps["static"]] * len(moments)
    for name, function in zip([*names, "other" if names else "temporary"], functions, strict=True):
        made = StepFunction(tuple(function["moments"]), tuple(function["amounts"]), moments[-1] + 1)
        bases = [steps["static"]] * len(moments) if function is steps["temp"] else lows
        highs = [base + amount for base, amount in zip(bases, made.at_each(moments), strict=True)]
        yield name, list(zip(moments, lows, highs, strict=True))
        lows = highs


_Area = tuple[str, str, int, str, Sequence[Row]]
"""An area of a chart: its class, its name, its bytes at the peak, what else is known of it, and where it lies."""


def _areas(
    parts: TemporaryParts | None, held: Sequence[Mapping[str, Any]], steps: Mapping[str, Any], temp: int
) -> Iterator[_Area]:
    """Yield the areas of a chart, the lowest first."""
    for band in held:
        kind, low, high = band["class"], band["low"], band["high"]
        yield kind, _HELD_NAMES[kind], high - low, "", [(0, low, high)]
    *of_parts, (rest, rows_of_rest) = stacked(steps)
    named = parts.parts if parts else ()
    for part, (kind, rows) in zip(named, of_parts, strict=True):
        yield kind, part.name, part.peak_bytes, part.what, rows
    name = "other temporaries" if named else "temporaries"
    yield rest, name, temp - sum(part.peak_bytes for part in named), "", rows_of_rest


def _names(
    areas: Iterable[_Area], length: int, pixel: float, line: int | None, peak: int
) -> tuple[Sequence[dict[str, Any]], Sequence[dict[str, Any]]]:
    """Return the names inside areas, and a legend of those that have no room on a wide page or on a narrow one.

    A name has the bytes at the peak, but not where the area has never as many. A small area without room has no name.
    """
    names, legend = list[dict[str, Any]](), list[dict[str, Any]]()
    for kind, name, size, more, rows in areas:
        place, bytes_words = name_place(rows, length, pixel, line), f" {formats.human_bytes(size)}"
        sized = name + bytes_words
        if size * _SMALL_PART >= peak and not (place and place.has_room(sized, length, _NARROW)):
            legend.append(
                {"class": kind, "name": sized, "is_narrow": bool(place and place.has_room(sized, length, _WIDE))}
            )
        if place:
            there = [high - low for moment, low, high in rows if place.first <= moment < place.last]
            names.append(
                {
                    "class": kind,
                    "name": name,
                    "bytes": bytes_words if min(there) <= size <= max(there) else "",
                    "more": f" · {more}" if more else "",
                    "begin": place.first,
                    "end": place.last,
                    "bottom": round(place.low),
                    "top": round(place.high),
                }
            )
    return names, legend


def _recomputing(analysis: Analysis) -> Sequence[int]:
    """Return the moments at which XLA computes something again, at most one for each pixel of a wide chart."""
    moment_of, width = analysis.dump.moment_of, max(1, analysis.moments // _MOST_MARKS)
    moments = sorted(moment_of[name] for name in analysis.program.repeated_from if name in moment_of)
    return list({moment // width: moment for moment in moments}.values())


def _tracks(phases: Sequence[Phase]) -> Iterator[dict[str, Any]]:
    """Yield the passes of a gradient and, in the row below them if there are any, the loops of the program."""
    passes = [phase for phase in phases if phase.kind in PASSES]
    loops = [phase for phase in phases if phase.kind == "loop"]
    for row, track in enumerate(filter(None, (passes, loops))):
        last = -1
        for phase in track:
            if phase.first > last:  # because a loop may run in another, and a track shows the outer one
                last = phase.last
                loop = f"loop {phase.source.rpartition('/')[2] or phase.instruction}"
                yield {
                    "label": loop if phase.kind == "loop" else label(phase.kind, phase.passes),
                    "first": phase.first,
                    "last": phase.last + 1,
                    "row": row,
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
