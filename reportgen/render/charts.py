"""The kinds of chart: an Altair specification for each, made when the package is built; pages only hold data.

Importing Altair and making the charts takes 0.6 s, more than building a small site, so `hatch_build.py`
keeps them as an asset. After a change here, install again: `pip install -e .`.

Altair spends its time walking inline rows (2.7 s for 10,000), so a specification names its datasets and
holds none. What differs from page to page, such as ticks and the visible part of the time axis, are
parameters that the scripts of the page set. Colors are CSS variables where SVG draws, so that a chart
follows light and dark, and parameters where canvas does.
"""

import json
from collections.abc import Mapping
from typing import Any

import altair as alt

from reportgen.analyse.classes import CLASSES, HELD_CLASSES

_AXIS_WIDTH = 76
_BYTES_LABEL = "format(datum.value / unit_bytes, '~g') + ' ' + unit"


def specifications() -> Mapping[str, Any]:
    """Every kind of chart by its name, as Vega-Lite."""
    return {
        "largest-modules": _largest_modules(),
        "memory-over-time": _memory_over_time(),
        "packing-map": _packing_map(),
    }


def specifications_script() -> str:
    """The specifications as a script for the site's assets."""
    return f"window.REPORT_CHARTS = {json.dumps(specifications(), sort_keys=True)};\n"


def _parameters(*names: str) -> dict[str, Any]:
    return {name: alt.param(name=name, value=None) for name in names}


def _time_axis(field: str, **options: Any) -> Any:
    """Program order, only from moment `first` to `last`, so that charts below each other show the same part."""
    scale = alt.Scale(nice=False, zero=False, domain=[alt.expr("first"), alt.expr("last")])
    axis = alt.Axis(tickMinStep=1, format=",d", title="program order (moment of the schedule)")
    return alt.X(f"{field}:Q", scale=scale, axis=axis, **options)


def _bytes_axis(ticks: Any, **options: Any) -> Any:
    width = _AXIS_WIDTH
    return alt.Axis(values=ticks, labelExpr=_BYTES_LABEL, minExtent=width, maxExtent=width, title=None, **options)


def _largest_modules() -> dict[str, Any]:
    """A bar for each module, in parts by class; names come as a parameter, since they may repeat."""
    parameters = _parameters("ticks", "unit_bytes", "unit", "limit", "names")
    scale = alt.Scale(domainMin=0, domainMax=alt.expr("limit * 1.3"), nice=False)
    size = alt.X("low:Q", scale=scale, axis=alt.Axis(values=parameters["ticks"], labelExpr=_BYTES_LABEL, title=None))
    names = alt.Axis(
        labelExpr="names[datum.value]",
        labelLimit=alt.expr("containerSize()[0] < 600 ? 120 : 280"),
        labelFontSize=12,
        title=None,
        ticks=False,
        domain=False,
    )
    place = alt.Y("rank:O", axis=names, scale=alt.Scale(paddingInner=0.25, paddingOuter=0.1))
    color = alt.Color(
        "class:N",
        scale=alt.Scale(domain=list(CLASSES), range=[f"var(--class-{name})" for name in CLASSES]),
        legend=None,
    )
    bars = _named("parts").mark_bar(cursor="pointer").encode(x=size, x2="high:Q", y=place, color=color, href="href:N")
    totals = _named("totals").mark_text(align="left", dx=5, fontSize=12, fill="var(--text)")
    chart = alt.layer(bars, totals.encode(x="end:Q", y="rank:O", text="label:N"))
    # The page gives the height, so much for each bar: Vega-Lite cannot fit the width when it chooses a height itself.
    sized = chart.properties(width="container", height="container")
    return _themed(sized.add_params(*parameters.values()), "var(--{})")


def _memory_over_time() -> dict[str, Any]:
    parameters = _parameters("ticks", "unit_bytes", "unit", "first", "last", "limit")
    color = alt.Color(
        "class:N",
        scale=alt.Scale(domain=list(HELD_CLASSES), range=[f"var(--class-{name})" for name in HELD_CLASSES]),
        legend=None,
    )
    scale = alt.Scale(domain=[0, alt.expr("limit")], nice=False)
    size = alt.Y("low:Q", scale=scale, axis=_bytes_axis(parameters["ticks"]))
    held = (
        _named("held").mark_rect(clip=True).encode(x=_time_axis("first"), x2="last:Q", y=size, y2="high:Q", color=color)
    )
    temporary = (
        _named("temporary")
        .mark_area(interpolate="step-after", clip=True)
        .encode(x=_time_axis("moment"), y=size, y2="high:Q", color=color)
    )
    live = _named("live").mark_line(interpolate="step-after", strokeWidth=1.5, stroke="var(--text)", clip=True)
    levels = _named("levels").mark_rule(strokeDash=[6, 4], stroke="var(--text)")
    marks = _named("marks").mark_rule(
        stroke=alt.expr("datum.label == 'peak' ? 'var(--accent)' : 'var(--muted)'"),
        strokeDash=alt.expr("datum.label == 'peak' ? [1, 0] : [3, 3]"),
        strokeWidth=1.5,
        clip=True,
    )
    mark_names = _named("marks").mark_text(
        align=alt.expr("datum.side"),
        dx=alt.expr("datum.side == 'left' ? 4 : -4"),
        baseline="top",
        fill="var(--text)",
        clip=True,
    )
    chosen = _named("chosen").mark_rule(stroke="var(--focus)", strokeWidth=2, clip=True)
    chart = alt.layer(
        held,
        temporary,
        live.encode(x=_time_axis("moment"), y=alt.Y("amount:Q")),
        levels.encode(y="limit:Q"),
        marks.encode(x="moment:Q"),
        mark_names.encode(x="moment:Q", y="row:Q", text="label:N"),
        chosen.encode(x="moment:Q"),
    )
    return _themed(chart.add_params(*parameters.values()).properties(width="container", height=190), "var(--{})")


def _packing_map() -> dict[str, Any]:
    """Rectangles of bytes and moments; the page's script decides what is drawn, merged and dimmed."""
    parameters = _parameters(
        "ticks", "unit_bytes", "unit", "first", "last", "low", "high", "text", "muted", "line", "focus"
    )
    scale = alt.Scale(domain=[alt.expr("low"), alt.expr("high")], nice=False, zero=False)
    place = alt.Y("low:Q", scale=scale, axis=_bytes_axis(parameters["ticks"], grid=False))
    box = {"x": _time_axis("first"), "x2": "last:Q", "y": place, "y2": "high:Q"}
    free = (
        _named("free")
        .mark_rect(clip=True, strokeWidth=0.5)
        .encode(**box, fill=alt.Fill("fill:N", scale=None), stroke=alt.Stroke("edge:N", scale=None))
    )
    values = (
        _named("values")
        .mark_rect(clip=True, strokeWidth=0.5)
        .encode(
            **box,
            fill=alt.Fill("fill:N", scale=None),
            stroke=alt.Stroke("edge:N", scale=None),
            opacity=alt.Opacity("opacity:Q", scale=None),
        )
    )
    handovers = _named("handovers").mark_rule(strokeWidth=2, stroke=alt.expr("text"), clip=True)
    chosen = _named("chosen").mark_rule(strokeWidth=2, stroke=alt.expr("focus"), clip=True)
    chart = alt.layer(
        free,
        values,
        handovers.encode(x="first:Q", y="low:Q", y2="high:Q"),
        chosen.encode(x="moment:Q"),
    )
    return _themed(chart.add_params(*parameters.values()).properties(width="container", height=420), None)


def _named(dataset: str) -> Any:
    return alt.Chart(alt.NamedData(name=dataset))


def _themed(chart: Any, variable: str | None) -> dict[str, Any]:
    """Vega-Lite in the page's colors: CSS variables such as `var(--line)`, or parameters of those names."""

    def color(name: str) -> Any:
        return alt.expr(name) if variable is None else variable.format(name)

    specification: dict[str, Any] = (
        chart.configure(
            background="transparent", font="sans-serif", padding={"left": 0, "right": 8, "top": 5, "bottom": 5}
        )
        # A page names its plot as an image, so what is inside is not read out.
        .configure_mark(aria=False)
        .configure_axis(
            labelColor=color("muted"),
            titleColor=color("muted"),
            gridColor=color("line"),
            domainColor=color("line"),
            tickColor=color("line"),
            titleFontWeight="normal",
        )
        .configure_view(stroke=None)
        .to_dict()
    )
    return specification
