"""Draw memory over program order as SVG, from the data of the chart that scripts draw.

It is what a page shows before its scripts run, without scripts, and on paper.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from markupsafe import Markup

_WIDTH, _HEIGHT = 1180, 236
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 8, 24, 36
_LEAST_LABEL = 60


def memory_chart(chart: Mapping[str, Any]) -> Markup:
    """Return the drawing of a chart that `memory_over_time` describes."""
    parts = "".join(_Drawing(chart).parts())
    return Markup(f'<svg class="drawn" viewBox="0 0 {_WIDTH} {_HEIGHT}" aria-hidden="true">{parts}</svg>')


class _Drawing:
    """The parts of one drawing; `x` and `y` lead from moments and bytes to places in it."""

    def __init__(self, chart: Mapping[str, Any]) -> None:
        self._data, self._parameters = chart["datasets"], chart["params"]

    def x(self, moment: float) -> str:
        last = max(self._parameters["last"], 1)
        return _short(_LEFT + moment / last * (_WIDTH - _LEFT - _RIGHT))

    def y(self, amount: float) -> str:
        return _short(_TOP + (1 - amount / self._parameters["limit"]) * (_HEIGHT - _TOP - _BOTTOM))

    def parts(self) -> Iterator[str]:
        """Yield the elements of the drawing, each of which covers those before it."""
        yield from self._ticks()
        for band in self._data["held"]:
            edges = [(band["first"], band["high"]), (band["last"], band["high"])]
            yield self._area(band["class"], edges, band["low"])
        if temporary := self._data["temporary"]:
            yield self._area("temporary", [(row["moment"], row["high"]) for row in temporary], temporary[0]["low"])
        live = [(row["moment"], row["amount"]) for row in self._data["live"]]
        yield f'<path class="live" d="M{self._steps(live)}"/>'
        for name, words in (("levels", "needed"), ("capacity", "capacity")):
            yield from (self._level(name, words, row["limit"]) for row in self._data[name])
        yield from (self._mark(mark) for mark in self._data["marks"])
        if again := "".join(f"M{self.x(row['moment'])} {_HEIGHT - _BOTTOM}v6" for row in self._data["again"]):
            yield f'<path class="again" d="{again}"/>'
        yield from (self._phase(phase) for phase in self._data["phases"])

    def _ticks(self) -> Iterator[str]:
        unit, size = self._parameters["unit"], self._parameters["unit_bytes"]
        for tick in self._parameters["ticks"]:
            if tick <= self._parameters["limit"]:
                y = self.y(tick)
                yield f'<path class="grid" d="M{_LEFT} {y}H{_WIDTH - _RIGHT}"/>'
                yield f'<text x="{_LEFT - 8}" y="{y}" dy="4" text-anchor="end">{tick / size:g} {unit}</text>'

    def _area(self, kind: str, edges: Sequence[tuple[int, int]], low: int) -> str:
        first, last = self.x(edges[0][0]), self.x(edges[-1][0])
        return f'<path class="fill-{kind}" d="M{first} {self.y(low)}L{self._steps(edges)}H{last}V{self.y(low)}z"/>'

    def _steps(self, edges: Sequence[tuple[int, int]]) -> str:
        (moment, amount), *rest = edges
        return f"{self.x(moment)} {self.y(amount)}" + "".join(f"H{self.x(one)}V{self.y(size)}" for one, size in rest)

    def _level(self, name: str, words: str, limit: int) -> str:
        y = self.y(limit)
        line = f'<path class="{name}" d="M{_LEFT} {y}H{_WIDTH - _RIGHT}"/>'
        if name != "capacity":
            return line
        return f'{line}<text class="{name}" x="{_WIDTH - _RIGHT - 4}" y="{y}" dy="-4" text-anchor="end">{words}</text>'

    def _mark(self, mark: Mapping[str, Any]) -> str:
        x, anchor = self.x(mark["moment"]), "start" if mark["side"] == "left" else "end"
        name = escape(mark["label"])
        return (
            f'<path class="mark" d="M{x} {_TOP}V{_HEIGHT - _BOTTOM}"/>'
            f'<text x="{x}" y="{_TOP - 5 - 11 * mark["row"]}" text-anchor="{anchor}">{name}</text>'
        )

    def _phase(self, phase: Mapping[str, Any]) -> str:
        left, right = float(self.x(phase["first"])), float(self.x(phase["last"]))
        top = _HEIGHT - 24
        box = f'<path class="phase" d="M{_short(left)} {top}h{_short(max(right - left - 1, 0.5))}v16H{_short(left)}z"/>'
        if right - left < _LEAST_LABEL:
            return box
        middle = _short((left + right) / 2)
        return f'{box}<text x="{middle}" y="{top + 12}" text-anchor="middle">{escape(phase["label"])}</text>'


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
