"""Define each kind of chart as an Altair specification, when the package is built; pages contain only data.

Importing Altair and creating the charts takes 0.6 s, more than building a small site, so `hatch_build.py` stores
them as an asset. After a change here, install again: `pip install -e .`.

Altair spends its time walking inline rows (2.7 s for 10,000), so a specification only names its datasets. What
differs from page to page, such as ticks and the visible part of the time axis, is a parameter that the scripts of
the page set. Colors are CSS variables in charts drawn as SVG, so that they follow light and dark mode, and
parameters in those drawn on a canvas.
"""

import json
from collections.abc import Iterator
from typing import Any

import altair as alt

from reportgen.analyse.classes import HELD_CLASSES
from reportgen.analyse.temporary_parts import MOST_PARTS
from reportgen.render.drawings.area_names import LETTER_WIDTH
from reportgen.render.drawings.chart_data import CHART_HEIGHT, TRACK_HEIGHT

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
"""As `--sans` of `theme.css`: Vega measures texts on a canvas, which does not know the variables of a page."""
_FONT_SIZE = 12
_AXIS_WIDTH = 76
_LABEL_HEIGHT, _LETTER_OF_LABEL = 14, 6.5
_WIDE_ENOUGH = 600
_PHASES_BELOW, _PHASE_HEIGHT = 24, 16
_TICK_HEIGHT, _MAP_HEIGHT = 6, 250
_TICK_ROOM = 70
_MOST_TICKS = 10
"""More than `byte_ticks` gives, because Vega leaves out every other one where there are more than it would choose."""

_BYTES_LABEL = "format(datum.value / unit_bytes, ',.12~r') + ' ' + unit"


def specifications_script() -> str:
    """Return every kind of chart as Vega-Lite, by its name, in a script for the site's assets."""
    charts = {"memory-over-time": _memory_over_time(), "packing-map": _packing_map()}
    return f"window.REPORT_CHARTS = {json.dumps(charts, sort_keys=True)};\n"


def _parameters(*names: str) -> dict[str, Any]:
    return {name: alt.param(name=name, value=None) for name in names}


def _time_axis(field: str, title: str | None = None, **options: Any) -> Any:
    """Return an axis of program order from moment `first` to `last`, so that charts on one page show the same part."""
    scale = alt.Scale(nice=False, zero=False, domain=[alt.expr("first"), alt.expr("last")])
    axis = alt.Axis(tickMinStep=1, tickCount=alt.expr(f"ceil(width / {_TICK_ROOM})"), format=",d", title=title)
    return alt.X(f"{field}:Q", scale=scale, axis=axis, **options)


def _bytes_axis(ticks: Any, **options: Any) -> Any:
    width = _AXIS_WIDTH
    return alt.Axis(
        values=ticks, tickCount=_MOST_TICKS, labelExpr=_BYTES_LABEL, minExtent=width, maxExtent=width, **options
    )


def _memory_over_time() -> dict[str, Any]:
    """Draw what is resident over the schedule, by class or by line, with the peaks, the capacity and the phases."""
    parameters = _parameters("ticks", "unit_bytes", "unit", "first", "last", "low", "limit")
    parts = [f"source-{number}" for number in range(1, MOST_PARTS + 1)]
    colors = {name: f"class-{name}" for name in HELD_CLASSES} | {name: name for name in (*parts, "other")}
    color = alt.Color(
        "class:N",
        scale=alt.Scale(domain=list(colors), range=[f"var(--{name})" for name in colors.values()]),
        legend=None,
    )
    scale = alt.Scale(domain=[alt.expr("low"), alt.expr("limit")], nice=False, zero=False)
    size = alt.Y("low:Q", scale=scale, axis=_bytes_axis(parameters["ticks"], title=None))
    held = (
        _named("held").mark_rect(clip=True).encode(x=_time_axis("first"), x2="last:Q", y=size, y2="high:Q", color=color)
    )
    temporary = (
        _named("temporary")
        .mark_area(interpolate="step-after", clip=True)
        .encode(x=_time_axis("moment"), y=size, y2="high:Q", color=color)
    )
    # One area for each band of a stack; the page's script sets their colors.
    bands = (
        _named("bands")
        .mark_area(interpolate="step-after", clip=True, stroke="var(--background)", strokeWidth=0.5)
        .encode(x=_time_axis("moment"), y=size, y2="high:Q", fill=alt.Fill("fill:N", scale=None), detail="band:N")
    )
    chosen = _named("chosen").mark_rule(stroke="var(--focus)", strokeWidth=2, clip=True)
    chart = alt.layer(
        _region_above(),
        held,
        temporary,
        bands,
        *_curve("live", "text", 1.5),
        *_changed_curve(),
        _names_inside(),
        *_capacity(),
        *_peak(),
        *_begin(),
        _axis_name(),
        *_phases(),
        _recomputing(),
        chosen.encode(x="moment:Q"),
    )
    return _themed(
        chart.add_params(*parameters.values()).properties(width="container", height=CHART_HEIGHT), "var(--{})"
    )


def _region_above() -> Any:
    """Return the region above the capacity."""
    above = _named("capacity").transform_filter("datum.limit <= limit").mark_rect(fill="var(--error)", opacity=0.12)
    return above.encode(x=alt.value(0), x2=alt.value(alt.expr("width")), y=alt.Y("limit:Q"), y2=alt.value(0))


def _names_inside() -> Any:
    """Return the names of areas inside them: as much of each as has room in the part of it that is in view."""
    seen = (
        _named("names")
        .transform_filter("datum.end > first && datum.begin < last && datum.bottom >= low && datum.top <= limit")
        .transform_filter(f"(datum.top - datum.bottom) / (limit - low) * height >= {_FONT_SIZE}")
        .transform_calculate(left="max(datum.begin, first)", right="min(datum.end, last)")
        .transform_calculate(
            middle="(datum.left + datum.right) / 2",
            center="(datum.bottom + datum.top) / 2",
            letters=f"((datum.right - datum.left) / (last - first) * width) / {LETTER_WIDTH}",
            fill="'var(--on-' + datum.class + ')'",
        )
        .transform_filter(_fits("name"))
        .transform_calculate(sized="datum.name + datum.bytes", whole="datum.name + datum.bytes + datum.more")
        .transform_calculate(words=f"{_fits('whole')} ? datum.whole : {_fits('sized')} ? datum.sized : datum.name")
        .mark_text(baseline="middle")
    )
    fill = alt.Fill("fill:N", scale=None)
    return seen.encode(x=_time_axis("middle"), y=alt.Y("center:Q"), text="words:N", fill=fill)


def _fits(words: str) -> str:
    return f"datum.letters >= length(datum.{words})"


def _capacity() -> Iterator[Any]:
    """Yield the line of the capacity and its name, on the page's background because it crosses areas."""
    shown = _named("capacity").transform_filter("datum.limit >= low && datum.limit <= limit")
    yield shown.mark_rule(stroke="var(--error)", strokeWidth=2).encode(y="limit:Q")
    is_left = "datum.side == 'left'"
    edge, length = f"({is_left} ? 4 : width - 4)", f"({_LETTER_OF_LABEL} * length(datum.label) + 4)"
    ground = shown.mark_rule(stroke="var(--background)", strokeWidth=_LABEL_HEIGHT, yOffset=-_LABEL_HEIGHT // 2 - 4)
    end = alt.value(alt.expr(f"{edge} + ({is_left} ? 1 : -1) * {length}"))
    yield ground.encode(x=alt.value(alt.expr(edge)), x2=end, y="limit:Q")
    name = shown.mark_text(
        align=alt.expr("datum.side"), dx=alt.expr(f"{is_left} ? 6 : -6"), dy=-6, baseline="bottom", fill="var(--error)"
    )
    yield name.encode(x=alt.value(alt.expr(f"{is_left} ? 0 : width")), y="limit:Q", text="label:N")


def _begin() -> Iterator[Any]:
    """Yield the words that say where the axis begins if that is not 0, on the page's background."""
    place = {"align": "left", "baseline": "bottom", "dx": 6, "dy": -6}
    for look in ({"stroke": "var(--background)", "strokeWidth": 5}, {"fill": "var(--text)"}):
        words = _named("begin").mark_text(**place, **look)
        yield words.encode(x=alt.value(0), y=alt.value(alt.expr("height")), text="label:N")


def _axis_name() -> Any:
    """Return the name of the time axis, beside its ticks, because a title below them would take a line."""
    name = _named("levels").mark_text(text="instruction", align="right", baseline="top", dx=-10, fill="var(--muted)")
    return name.encode(x=alt.value(0), y=alt.value(alt.expr("height + 7")))


def _recomputing() -> Any:
    """Return a tick below the axis at each instruction that XLA runs a second time."""
    shown = _named("again").transform_filter("datum.moment >= first && datum.moment < last")
    top, bottom = (alt.value(alt.expr(f"height + {place}")) for place in (0, _TICK_HEIGHT))
    return shown.mark_rule(stroke="var(--warning)", strokeWidth=1.5).encode(x=_time_axis("moment"), y=top, y2=bottom)


def _phases() -> Iterator[Any]:
    """Yield the phases of the program in tracks below the axis, as far as they are in the visible part."""
    shown = (
        _named("phases")
        .transform_filter("datum.last > first && datum.first < last")
        .transform_calculate(begin="max(datum.first, first)", end="min(datum.last, last)")
        .transform_calculate(middle="(datum.begin + datum.end) / 2")
    )
    track = f"height + {_PHASES_BELOW} + {TRACK_HEIGHT} * datum.row"
    top, bottom = (alt.value(alt.expr(f"{track} + {extra}")) for extra in (0, _PHASE_HEIGHT))
    room = f"(datum.end - datum.begin) / (last - first) * width > {LETTER_WIDTH} * length(datum.label) + 8"
    # A narrow plot has no room for many names, and boxes without names say little.
    boxes = shown.transform_filter(f"width > {_WIDE_ENOUGH} || {room}")
    box = boxes.mark_rect(fill="var(--line)", stroke="var(--background)", strokeWidth=2)
    yield box.encode(x=_time_axis("begin"), x2="end:Q", y=top, y2=bottom)
    words = shown.transform_filter(room).mark_text(baseline="middle", fill="var(--text)")
    place = alt.value(alt.expr(f"{track} + {_PHASE_HEIGHT // 2}"))
    yield words.encode(x=_time_axis("middle"), y=place, text=alt.Text("label:N"))


def _peak() -> Iterator[Any]:
    """Yield a dot at the peak, a line from it to the top of the plot, and its name above: no line hides the peak."""
    shown = _named("peak").transform_filter("datum.moment >= first && datum.moment <= last")
    yield shown.mark_rule(stroke="var(--text)", clip=True).encode(x="moment:Q", y="amount:Q", y2=alt.value(0))
    dot = shown.transform_filter("datum.amount >= low && datum.amount <= limit").mark_point(
        filled=True, opacity=1, size=70, fill="var(--text)", stroke="var(--background)", strokeWidth=1.5
    )
    yield dot.encode(x="moment:Q", y="amount:Q")
    # Above the plot, because no color of text can be read on every class of memory.
    name = shown.mark_text(align=alt.expr("datum.side"), dy=-3, baseline="bottom", fill="var(--text)", fontWeight=600)
    # A part without room for its name is named here, where the plot is wide enough.
    words = f"datum.label + (width > {_WIDE_ENOUGH} ? datum.more : '')"
    yield name.transform_calculate(words=words).encode(x="moment:Q", y=alt.value(0), text="words:N")


def _curve(dataset: str, color: str, width: float) -> Iterator[Any]:
    """Yield a curve on a wider line of the page's background, because it crosses all classes of memory."""
    for stroke, stroke_width in (("background", width + 2.5), (color, width)):
        line = _named(dataset).mark_line(
            interpolate="step-after", strokeWidth=stroke_width, stroke=f"var(--{stroke})", clip=True
        )
        yield line.encode(x=_time_axis("moment"), y=alt.Y("amount:Q"))


def _changed_curve() -> Iterator[Any]:
    """Yield what a change would make of the resident bytes, with its peak."""
    yield from _curve("changed", "ok", 2.5)
    peak = _named("changed-peak").mark_point(
        filled=True, opacity=1, size=90, fill="var(--ok)", stroke="var(--background)", strokeWidth=2, clip=True
    )
    yield peak.encode(x=_time_axis("moment"), y=alt.Y("amount:Q"))


def _packing_map() -> dict[str, Any]:
    """Draw rectangles of bytes and moments; the page's script decides which are drawn, merged and dimmed."""
    parameters = _parameters(
        *("ticks", "unit_bytes", "unit", "first", "last", "low", "high"),
        *("text", "muted", "line", "focus", "error", "background"),
    )
    scale = alt.Scale(domain=[alt.expr("low"), alt.expr("high")], nice=False, zero=False)
    place = alt.Y("low:Q", scale=scale, axis=_bytes_axis(parameters["ticks"], grid=False, title="offset"))
    time = _time_axis("first", "instruction")
    box = {"x": time, "x2": "last:Q", "y": place, "y2": "high:Q"}
    free = (
        _named("free")
        .mark_rect(clip=True, strokeWidth=0.5)
        .encode(**box, fill=alt.Fill("fill:N", scale=None), stroke=alt.Stroke("edge:N", scale=None))
    )
    values = (
        _named("values")
        .mark_rect(clip=True, strokeWidth=alt.expr("datum.isOutlined ? 4 : 0.5"))
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
        *_map_lines(),
        _map_names(),
        chosen.encode(x="moment:Q"),
    )
    sized = chart.properties(width="container", height=_MAP_HEIGHT)
    return _themed(sized.add_params(*parameters.values()), None, top=_LABEL_HEIGHT + 4)


def _map_lines() -> Iterator[Any]:
    """Yield the moment of the peak and the capacity, where they are in view, with their names."""
    peak = _named("peak").transform_filter("datum.moment >= first && datum.moment < last")
    capacity = _named("capacity").transform_filter("datum.limit >= low && datum.limit <= high")
    for color, width in (("background", 4), ("text", 1.5)):
        yield peak.mark_rule(stroke=alt.expr(color), strokeWidth=width).encode(x=_time_axis("moment"))
    for color, width in (("background", 5), ("error", 2)):
        yield capacity.mark_rule(stroke=alt.expr(color), strokeWidth=width).encode(y="limit:Q")
    name = {"align": "center", "baseline": "bottom", "dy": -3, "fill": alt.expr("text")}
    yield peak.mark_text(**name, text="peak").encode(x=_time_axis("moment"), y=alt.value(0))
    for look in ({"stroke": alt.expr("background"), "strokeWidth": 5}, {"fill": alt.expr("error")}):
        words = capacity.mark_text(align="right", baseline="bottom", dx=-4, dy=-4, text="capacity", **look)
        yield words.encode(x=alt.value(alt.expr("width")), y="limit:Q")


def _map_names() -> Any:
    """Return the names of values, cut to the width of their rectangles."""
    names = _named("names").mark_text(align="left", baseline="middle", dx=4, limit=alt.expr("datum.room"))
    return names.encode(x=_time_axis("first"), y="middle:Q", text="label:N", fill=alt.Fill("ink:N", scale=None))


def _named(dataset: str) -> Any:
    return alt.Chart(alt.NamedData(name=dataset))


def _themed(chart: Any, variable: str | None, top: int = 5) -> dict[str, Any]:
    """Return a chart as Vega-Lite in the page's colors, which are CSS variables or parameters of the same names.

    `top` is the room above the plot for what is drawn there later, in pixels.
    """

    def color(name: str) -> Any:
        return alt.expr(name) if variable is None else variable.format(name)

    specification: dict[str, Any] = (
        chart.configure(background="transparent", font=FONT, padding={"left": 0, "right": 8, "top": top, "bottom": 5})
        .configure_text(fontSize=_FONT_SIZE)
        # No labels for screen readers inside, because the page presents the plot as one image with a name.
        .configure_mark(aria=False)
        .configure_axis(
            labelColor=color("muted"),
            titleColor=color("muted"),
            gridColor=color("line"),
            domainColor=color("line"),
            tickColor=color("line"),
            titleFontWeight="normal",
            labelFontSize=_FONT_SIZE,
            titleFontSize=_FONT_SIZE,
        )
        .configure_view(stroke=None)
        .to_dict()
    )
    return specification
