"""Charts: an Altair specification per kind, built once; the data of a page is injected beside it.

Altair spends its time walking inline rows (2.7 s for 10,000), so a specification names its datasets and
holds none. Colors are CSS variables, which the SVG renderer keeps, so a chart follows light and dark.
"""

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from reportgen.analyse.classes import CLASSES, memory_class
from reportgen.analyse.records import Analysis, Space
from reportgen.render import formats
from reportgen.spans import Peak, StepFunction

MOST_POINTS = 1_000
_TICKS = 5
_HELD_CLASSES = CLASSES[:4]


@cache
def specifications() -> Mapping[str, Any]:
    """Every kind of chart by its name, as Vega-Lite."""
    return {"memory-over-time": _memory_over_time()}


def specifications_script() -> bytes:
    """The specifications as a script for the site's assets."""
    return f"window.REPORT_CHARTS = {json.dumps(specifications(), sort_keys=True)};\n".encode()


def _memory_over_time() -> dict[str, Any]:
    import altair as alt

    moment = alt.X("moment:Q", title="program order (moment of the schedule)", scale=alt.Scale(nice=False, zero=False))
    ticks, unit_bytes, unit = (alt.param(name=name, value=None) for name in ("ticks", "unit_bytes", "unit"))
    size_axis = alt.Axis(values=ticks, labelExpr="format(datum.value / unit_bytes, '~g') + ' ' + unit")
    tooltip = [
        alt.Tooltip("moment:Q", title="moment", format=",d"),
        alt.Tooltip("instruction:N", title="instruction"),
        alt.Tooltip("class:N", title="class"),
        alt.Tooltip("bytes:Q", title="bytes", format=",d"),
    ]
    color = alt.Color(
        "class:N",
        scale=alt.Scale(domain=list(_HELD_CLASSES), range=[f"var(--class-{name})" for name in _HELD_CLASSES]),
        legend=alt.Legend(title=None, orient="top"),
    )
    areas = (
        alt.Chart(alt.NamedData(name="steps"))
        .mark_area(interpolate="step-after", opacity=0.9)
        .encode(
            x=moment,
            y=alt.Y("bytes:Q", stack="zero", title=None, axis=size_axis),
            color=color,
            order=alt.Order("order:Q"),
            tooltip=tooltip,
        )
    )
    live = (
        alt.Chart(alt.NamedData(name="live"))
        .mark_line(interpolate="step-after", strokeWidth=1.5, stroke="var(--text)")
        .encode(x=moment, y=alt.Y("bytes:Q", title=None))
    )
    levels = alt.Chart(alt.NamedData(name="levels")).mark_rule(strokeDash=[6, 4], stroke="var(--text)")
    level_names = alt.Chart(alt.NamedData(name="levels")).mark_text(align="right", dy=-5, fill="var(--text)")
    marks = alt.Chart(alt.NamedData(name="marks")).mark_rule(stroke="var(--accent)", strokeWidth=1.5)
    mark_names = alt.Chart(alt.NamedData(name="marks")).mark_text(
        align="left", dx=4, baseline="top", fill="var(--text)"
    )
    chart = alt.layer(
        areas,
        live,
        levels.encode(y="bytes:Q"),
        level_names.encode(y="bytes:Q", x=alt.value("width"), text="label:N"),
        marks.encode(x="moment:Q", tooltip=[alt.Tooltip("label:N"), alt.Tooltip("moment:Q", format=",d")]),
        mark_names.encode(x="moment:Q", y="row:Q", text="label:N"),
    )
    return _themed(chart.add_params(ticks, unit_bytes, unit).properties(width="container", height=240))


def _themed(chart: Any) -> dict[str, Any]:
    """Vega-Lite with colors from the page; only what the page draws itself is left out."""
    specification: dict[str, Any] = (
        chart.configure(background="transparent", font="inherit")
        .configure_axis(
            labelColor="var(--muted)",
            titleColor="var(--muted)",
            gridColor="var(--line)",
            domainColor="var(--line)",
            tickColor="var(--line)",
            titleFontWeight="normal",
        )
        .configure_legend(labelColor="var(--text)", symbolType="square")
        .configure_view(stroke=None)
        .to_dict()
    )
    return specification


def memory_over_time(analysis: Analysis, space: Space) -> dict[str, Any] | None:
    """The datasets of the chart for one memory space; None without live ranges."""
    if space.live is None or space.temp is None or space.peak_resident is None:
        return None
    held = _held_by_class(analysis, space)
    names = dict(analysis.dump.schedule)
    steps = [
        {"moment": moment, "class": name, "bytes": amount, "order": order, "instruction": names.get(moment, "")}
        for moment, temp in thinned(space.temp)
        for order, (name, amount) in enumerate((held | {"temporary": temp}).items())
        if amount or name == "temporary"
    ]
    live = [{"moment": moment, "bytes": amount} for moment, amount in thinned(space.live)]
    limit = space.allocated_bytes - space.thread_local_bytes
    levels = [{"bytes": limit, "label": "allocated"}]
    datasets = {"steps": steps, "live": live, "levels": levels, "marks": _marks(analysis, space.peak_resident, limit)}
    return {"datasets": datasets, "params": byte_ticks(limit)}


def _marks(analysis: Analysis, peak: Peak, limit: int) -> list[dict[str, Any]]:
    """Our peak and XLA's, each with the side of its line that has room for a name."""
    marks = [("peak", peak.moment, limit)]
    if analysis.xla_peak and analysis.xla_peak.moment != peak.moment:
        marks.append(("XLA’s peak", analysis.xla_peak.moment, round(limit * 0.9)))
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


def _held_by_class(analysis: Analysis, space: Space) -> dict[str, int]:
    """Bytes that the caller holds throughout, by class."""
    held: dict[str, int] = dict.fromkeys(_HELD_CLASSES[:3], 0)
    for number in space.allocations:
        allocation = analysis.dump.allocations[number]
        kind = memory_class(allocation)
        if kind in held:
            held[kind] += allocation.size_bytes
    return held


def thinned(function: StepFunction, points: int = MOST_POINTS) -> Sequence[tuple[int, int]]:
    """(moment, amount) rows of a step function, at most about twice `points` of them.

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
