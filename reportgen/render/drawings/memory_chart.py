"""Draw memory over program order from the data of the chart that scripts draw.

It is what a page shows before its scripts run, without scripts, and on paper. The shapes are an SVG that is stretched
to the width of the page; the texts lie over it, so that they have the same size at each width.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from markupsafe import Markup

from reportgen.render.drawings.chart_data import stacked
from reportgen.render.drawings.svg import drawing, path
from reportgen.render.html.marks import percent_of

_WIDTH, _HEIGHT = 2000, 400
_MOST_TICKS = 8


def memory_chart(chart: Mapping[str, Any]) -> Markup:
    """Return the drawing of a chart that `memory_over_time` describes."""
    made = _Drawing(chart)
    shapes = drawing(_WIDTH, _HEIGHT, made.shapes(), label=None)
    tracks = " two-tracks" if any(phase["row"] for phase in chart["datasets"]["phases"]) else ""
    return Markup(f'<div class="drawing{tracks}" aria-hidden="true">{shapes}{"".join(made.texts())}</div>')


class _Drawing:
    """The parts of one drawing; `x` and `y` lead from moments and bytes to places in it."""

    def __init__(self, chart: Mapping[str, Any]) -> None:
        self._data, self._parameters, self._steps = chart["datasets"], chart["params"], chart["steps"]
        self._last: int = max(self._parameters["last"], 1)
        self._limit: int = self._parameters["limit"]

    def x(self, moment: float) -> int:
        return round(moment / self._last * _WIDTH)

    def y(self, amount: float) -> int:
        return round((1 - amount / self._limit) * _HEIGHT)

    def shapes(self) -> Iterator[str]:
        """Yield the shapes of the drawing, each of which covers those before it."""
        yield path("".join(f"M0 {self.y(tick)}h{_WIDTH}" for tick in self._ticks()), "grid")
        for row in self._data["capacity"]:
            yield path(f"M0 0h{_WIDTH}V{self.y(row['limit'])}H0z", "above")
        for band in self._data["held"]:
            edges = [(band["first"], band["high"]), (band["last"], band["high"])]
            yield self._area(band["class"], edges, band["low"])
        # The highest first, each down to what is held throughout, because two edges at one place would show what is
        # below both.
        for kind, rows in reversed(list(stacked(self._steps))):
            yield self._area(kind, [(moment, high) for moment, _, high in rows], self._steps["static"])
        if live := self._steps.get("live"):
            yield path(f"M{self._line(list(zip(live['moments'], live['amounts'], strict=True)))}", "live")
        for row in self._data["capacity"]:
            yield path(f"M0 {self.y(row['limit'])}h{_WIDTH}", "capacity")
        for peak in self._data["peak"]:
            x, y = self.x(peak["moment"]), self.y(peak["amount"])
            yield path(f"M{x} {y}V0", "mark") + path(f"M{x} {y}h0", "dot")
        if again := "".join(f"M{self.x(row['moment'])} {_HEIGHT}v12" for row in self._data["again"]):
            yield path(again, "again")

    def texts(self) -> Iterator[str]:
        """Yield the texts of the drawing, at parts of its width and height."""
        yield from axis_words(self._parameters, self._limit, self._last)
        for name in self._data["names"]:
            left, width = percent_of(name["begin"], self._last), percent_of(name["end"] - name["begin"], self._last)
            style = f"left:{left};width:{width};top:{percent_of(self.y((name['top'] + name['bottom']) / 2), _HEIGHT)}"
            yield words_over(f"inside on-{name['class']}", style, name["name"], name["bytes"], name["more"])
        for row in self._data["capacity"]:
            top = percent_of(self.y(row["limit"]), _HEIGHT)
            yield words_over(f"capacity {row['side']}", f"top:{top}", row["label"])
        for peak in self._data["peak"]:
            place = f"left:{percent_of(peak['moment'], self._last)}"
            yield words_over(f"name {peak['side']}", place, peak["label"], peak["more"])
        for phase in self._data["phases"]:
            left = percent_of(phase["first"], self._last)
            width = percent_of(phase["last"] - phase["first"], self._last)
            yield words_over(f"phase row-{phase['row']}", f"left:{left};width:{width}", phase["label"])

    def _ticks(self) -> Sequence[int]:
        return [tick for tick in self._parameters["ticks"] if tick <= self._limit]

    def _area(self, kind: str, edges: Sequence[tuple[int, int]], low: int) -> str:
        return path(f"M0 {self.y(low)}L{self._line(edges)}V{self.y(low)}z", f"fill-{kind}")

    def _line(self, edges: Sequence[tuple[int, int]]) -> str:
        """Return the steps of a line to the end of the axis; those that cannot be seen are left out."""
        text, shown = f"{self.x(edges[0][0])} {self.y(edges[0][1])}", self.y(edges[0][1])
        for moment, amount in edges[1:]:
            if (y := self.y(amount)) != shown:
                text, shown = f"{text}H{self.x(moment)}V{y}", y
        return f"{text}H{_WIDTH}"


def axis_words(ticks: Mapping[str, Any], limit: int, last: int) -> Iterator[str]:
    """Yield the texts of the axes of a drawing up to `limit` bytes and moment `last`, which are beside and below it."""
    for tick in ticks["ticks"]:
        if tick <= limit:
            words = f"{tick / ticks['unit_bytes']:,g} {ticks['unit']}"
            yield words_over("level", f"bottom:{percent_of(tick, limit)}", words)
    yield words_over("axis", "", "instruction")
    power = 10 ** max(len(str(last)) - 2, 0)
    step = next(factor * power for factor in (1, 2, 5, 10, 20, 50) if factor * power * _MOST_TICKS >= last)
    for moment in range(0, last + 1, step):
        yield words_over("moment", f"left:{percent_of(moment, last)}", f"{moment:,}")


def words_over(classes: str, place: str, *words: str) -> str:
    """Return words over a drawing, each in a part of its own."""
    style = f' style="{place}"' if place else ""
    return f'<span class="{classes}"{style}>{"".join(f"<span>{escape(one)}</span>" for one in words if one)}</span>'
