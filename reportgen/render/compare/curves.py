"""Draw both builds over one program axis: where one has more instructions, the other waits.

Instructions that are the same anchor the two schedules to each other; between two anchors the axis is as long as the
longer stretch, so an inserted layer is a plateau of the build that does not have it.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from reportgen.analyse.records import Space
from reportgen.compare.dump_comparison import DumpComparison, SpaceComparison
from reportgen.compare.schedule_alignment import Chain
from reportgen.intervals.step_function import Peak
from reportgen.record import record
from reportgen.render.drawings.chart_data import byte_ticks

WIDTH, HEIGHT = 960, 260
_COLUMNS = 960
_BANDS = 120
_TOP = 12
_LABEL = 24
_EDGE = 0.15
_SIDES = ("before", "after")


@record
class Mark:
    """The peak of a side, in pixels; its label ends at `label_y`, and starts, ends or is centered at `x`: `anchor`."""

    side: str
    amount: int
    x: float
    y: float
    label_y: float
    anchor: str


@record
class Curves:
    """Two areas in an SVG of `WIDTH` by `HEIGHT` pixels, each a side and its path, that of the higher peak first.

    `bands` are stretches of the axis, each with its place, its width, and the instruction that each side runs at its
    beginning. `ticks` are round amounts, each with its place from the top and in words; `capacity` is where that of the
    device is.
    """

    areas: Sequence[tuple[str, str]]
    peaks: Sequence[Mark]
    bands: Sequence[tuple[float, float, str]]
    ticks: Sequence[tuple[float, str]]
    capacity: float | None
    width: int = WIDTH
    height: int = HEIGHT


class Axis:
    """The merged axis of two schedules."""

    def __init__(self, chain: Chain, lengths: tuple[int, int]) -> None:
        # The schedules also begin and end together.
        anchors = [(0, 0), *(point for point in chain if point != (0, 0)), lengths]
        self._moments = tuple([anchor[side] for anchor in anchors] for side in (0, 1))
        self._starts = [0]
        for (left, right), (next_left, next_right) in pairwise(anchors):
            self._starts.append(self._starts[-1] + max(next_left - left, next_right - right, 0))
        self.length = max(self._starts[-1], 1)

    def position(self, side: int, moment: int) -> int:
        """Return where a moment of a side (0 before, 1 after) is on the axis."""
        number = bisect_right(self._moments[side], moment) - 1
        start = self._starts[number]
        end = self._starts[number + 1] if number + 1 < len(self._starts) else start
        return min(start + moment - self._moments[side][number], end)

    def moment(self, side: int, position: int) -> int:
        """Return the moment of a side at a position; a side that waits is at the last one of its stretch."""
        number = min(bisect_right(self._starts, position), len(self._starts) - 1) - 1
        first, end = self._moments[side][number], self._moments[side][number + 1]
        return max(first, min(first + position - self._starts[number], end - 1))


def curves(comparison: DumpComparison, space: SpaceComparison, capacity_bytes: int | None = None) -> Curves | None:
    """Return the resident memory of a space on both sides; None without live ranges.

    The capacity is drawn where it is at most twice the higher peak, because it would flatten the curves elsewhere.
    """
    sides = [(side, figures) for side, figures in enumerate((space.before, space.after)) if figures]
    peaks = [(side, figures, figures.peak_resident) for side, figures in sides if figures.peak_resident]
    if not sides or len(peaks) < len(sides):
        return None
    peaks.sort(key=lambda peak: -peak[2].amount)
    most = peaks[0][2].amount or 1
    is_near = capacity_bytes is not None and capacity_bytes <= 2 * most
    most = max(most, capacity_bytes or 0) if is_near else most
    axis = Axis(comparison.chain, (comparison.before.moments, comparison.after.moments))
    return Curves(
        areas=[(_SIDES[side], _path(axis, side, figures, most)) for side, figures, _ in peaks],
        peaks=_marks(axis, [(side, peak) for side, _, peak in peaks], most),
        bands=list(_bands(comparison, axis)),
        ticks=list(_ticks(most)),
        capacity=_height(capacity_bytes, most) if capacity_bytes and is_near else None,
    )


def _ticks(most: int) -> Iterator[tuple[float, str]]:
    axis = byte_ticks(most)
    for tick in axis["ticks"]:
        if tick <= most:
            yield _height(tick, most), f"{tick / axis['unit_bytes']:g} {axis['unit']}"


def _bands(comparison: DumpComparison, axis: Axis) -> Iterator[tuple[float, float, str]]:
    """Yield stretches of the axis of equal width, each with the instructions that both sides run where it begins."""
    names = comparison.before.dump.name_at, comparison.after.dump.name_at
    count = min(axis.length, _BANDS)
    for number in range(count):
        position = number * axis.length // count
        before, after = (names[side].get(axis.moment(side, position), "–") for side in (0, 1))
        length = (number + 1) * axis.length // count - position
        x, width = (round(part * WIDTH / axis.length, 1) for part in (position, length))
        yield x, width, f"before: {before}; after: {after}"


def _marks(axis: Axis, peaks: Iterable[tuple[int, Peak]], most: int) -> Sequence[Mark]:
    """Return the peaks, the highest first, with labels that stay on the chart and do not cover each other."""
    marks: list[Mark] = []
    for side, peak in peaks:
        x = axis.position(side, peak.moment) * WIDTH / axis.length
        y = label = _height(peak.amount, most)
        if any(abs(mark.label_y - label) < _LABEL and abs(mark.x - x) < WIDTH / 3 for mark in marks):
            label = max(mark.label_y for mark in marks) + _LABEL
        anchor = "start" if x < WIDTH * _EDGE else "end" if x > WIDTH * (1 - _EDGE) else "middle"
        marks.append(Mark(side=_SIDES[side], amount=peak.amount, x=round(x, 1), y=y, label_y=label, anchor=anchor))
    return marks


def _path(axis: Axis, side: int, space: Space, most: int) -> str:
    """Return the stepped path of a side: the most that is resident in each column, `most` being the top."""
    columns = [-1] * (_COLUMNS + 1)
    for first, end, amount in space.temp.pieces() if space.temp else ():
        low = axis.position(side, first) * _COLUMNS // axis.length
        high = max(low, (axis.position(side, max(end - 1, first))) * _COLUMNS // axis.length)
        for column in range(low, high + 1):
            columns[column] = max(columns[column], amount)
    last = max(columns[0], 0)
    pieces = [f"M0 {_height(last + space.static_bytes, most)}"]
    for column, amount in enumerate(columns):
        # A column in which this side only waits shows the amount before it.
        if amount >= 0 and amount != last:
            pieces.append(f"H{column}V{_height(amount + space.static_bytes, most)}")
            last = amount
    return "".join([*pieces, f"H{WIDTH}V{HEIGHT}H0Z"])


def _height(amount: int, most: int) -> float:
    return round(HEIGHT - amount * (HEIGHT - _TOP) / most, 1)
