"""Draw a figure over the builds as steps: an amount holds until the build that changes it.

Places are in percent of the chart, so that it fits any width, and texts keep their size.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal

from reportgen.compare.history import Record
from reportgen.record import record

MOST_CHANGES = 200
"""The last changes are drawn; the table has all."""

_MOST_TICKS = 5
_MOST_LABELS = 8
_ROOM = 3
"""Percent of the height below the lowest amount of an axis that is broken."""
_CLOSE = 5
"""Percent of the height within which a line beside that of a limit would look like it."""
_LABEL_WIDTH, _LABEL_HEIGHT = 52, 11
"""Percent of a narrow chart that the name of a limit takes."""
_DOT_HEIGHT = 3
_EDGE = 12
"""Percent of the width beside which a label begins or ends at its dot."""
_MOST_ABOVE = 3
"""A limit more times above all amounts than this is only named, because the chart would be flat."""


@record
class Change:
    """A build that changed an amount, by its position in the history; None where there is no amount any more.

    `by_bytes` is by how much, None where there was none or none is left. `words` say the change, `remarks` what else is
    known of the build, `cause` what made it, and `shapes` what the function takes from then on, the largest of
    `argument_count` arguments; the last three may be empty.
    """

    build: int
    record: Record
    amount: int | None
    words: str
    by_bytes: int | None = None
    remarks: str = ""
    cause: str = ""
    shapes: str = ""
    argument_count: int = 0


@record
class Dot:
    """A change in percent of the chart from its left and its top.

    `anchor` is the part of its label that is at it. The label is above unless it `is_low`: the steps come from above.
    """

    x: float
    y: float
    change: Change
    anchor: Literal["start", "middle", "end"]
    is_low: bool


@record(kw_only=False)
class Limit:
    """What an amount should not exceed: a budget, or the capacity of the device."""

    name: Literal["budget", "capacity"]
    amount: int


@record
class Level:
    """A limit, or a tick of the axis, which has no name; `y` is in percent, None if it is too far above to be drawn.

    A tick `is_close` to a limit has no line. The name of a limit is at the `side` and above its line unless `is_below`.
    """

    amount: int
    y: float | None
    name: str = ""
    is_close: bool = False
    side: Literal["left", "right"] = "right"
    is_below: bool = False


@record
class BuildTick:
    """A build on the axis below; `x` is in percent."""

    x: float
    record: Record


@record
class Chart:
    """A stepped path of 100 by 100 from the build `first` on; the axis begins at `low` bytes.

    Dots have labels where these do not cover each other.
    """

    path: str
    dots: tuple[Dot, ...]
    has_labels: bool
    levels: tuple[Level, ...]
    builds: tuple[BuildTick, ...]
    limits: tuple[Level, ...]
    low: int
    first: Record
    last: Record
    left_out: int


def chart(records: Sequence[Record], changes: Sequence[Change], limits: Iterable[Limit]) -> Chart | None:
    """Return the chart of an amount over `records`; None where it is never known."""
    shown = changes[-MOST_CHANGES:]
    amounts = [change.amount for change in shown if change.amount is not None]
    if not amounts:
        return None
    near = {limit: limit.amount <= _MOST_ABOVE * max(amounts) for limit in dict.fromkeys(limits)}
    ticks = _ticks([*amounts, *(limit.amount for limit, is_near in near.items() if is_near)])
    low, high = ticks[0], ticks[-1]
    first = shown[0].build

    def x(build: int) -> float:
        return round((build - first) * 100 / max(len(records) - 1 - first, 1), 2)

    def y(amount: int) -> float:
        return round((100 - _ROOM if low else 100) * (high - amount) / (high - low), 2)

    limit_places = [y(limit.amount) for limit, is_near in near.items() if is_near]
    steps = [(x(change.build), None if change.amount is None else y(change.amount)) for change in shown]
    dots = tuple(_dot(x, y, change) for (x, y), change in zip(steps, shown, strict=True) if y is not None)
    return Chart(
        path="".join(_path(steps)),
        dots=dots,
        has_labels=len(shown) <= _MOST_LABELS,
        levels=tuple(
            Level(amount=amount, y=y(amount), is_close=any(abs(y(amount) - place) < _CLOSE for place in limit_places))
            for amount in ticks
        ),
        builds=tuple(BuildTick(x=x(build), record=records[build]) for build in _spread(first, len(records) - 1)),
        limits=tuple(
            _limit(limit, y(limit.amount), steps, dots)
            if is_near
            else Level(amount=limit.amount, y=None, name=limit.name)
            for limit, is_near in near.items()
        ),
        low=low,
        first=records[first],
        last=records[-1],
        left_out=len(changes) - len(shown),
    )


def _dot(x: float, y: float, change: Change) -> Dot:
    is_less = change.by_bytes is not None and change.by_bytes < 0
    anchor: Literal["start", "middle", "end"] = "start" if x < _EDGE or is_less else "middle"
    if x > 100 - _EDGE:
        anchor = "end"
    return Dot(x=x, y=y, change=change, anchor=anchor, is_low=is_less and anchor == "end")


def _limit(limit: Limit, y: float, steps: Sequence[tuple[float, float | None]], dots: Iterable[Dot]) -> Level:
    """Return a limit with its name where no step, dot or label is, even if the chart is narrow."""
    boxes = [*_boxes(steps, dots)]
    for width in (_LABEL_WIDTH, _EDGE):
        for is_below in (False, True):
            top = y if is_below else y - _LABEL_HEIGHT
            sides: Sequence[tuple[Literal["left", "right"], int]] = (("right", 100 - width), ("left", 0))
            for side, start in sides:
                is_free = not any(
                    left <= start + width and right >= start and high <= top + _LABEL_HEIGHT and low >= top
                    for left, right, high, low in boxes
                )
                if is_free and top + _LABEL_HEIGHT <= 100:
                    return Level(amount=limit.amount, y=y, name=limit.name, side=side, is_below=is_below)
    return Level(amount=limit.amount, y=y, name=limit.name)


def _boxes(
    steps: Sequence[tuple[float, float | None]], dots: Iterable[Dot]
) -> Iterator[tuple[float, float, float, float]]:
    """Yield what is drawn as boxes: the left, the right, the top and the bottom of each."""
    for (x, y), (after, below) in pairwise([*steps, (100.0, None)]):
        if y is not None:
            yield x, after, y, y
            yield after, after, min(y, y if below is None else below), max(y, y if below is None else below)
    for dot in dots:
        above, below_dot = (_DOT_HEIGHT, _LABEL_HEIGHT) if dot.is_low else (_LABEL_HEIGHT, _DOT_HEIGHT)
        width = {"start": (0, _EDGE), "middle": (_EDGE / 2, _EDGE / 2), "end": (_EDGE, 0)}[dot.anchor]
        yield dot.x - width[0], dot.x + width[1], dot.y - above, dot.y + below_dot


def _ticks(amounts: Sequence[int]) -> range:
    """Return the amounts of the axis, from one at or below all to one at or above all.

    They are multiples of a power of two, which are round in binary units. The axis begins at 0 unless that would hide
    the steps.
    """
    least, most = min(amounts), max(amounts)
    least = 0 if least < most // 4 else least
    step = 1
    while -(-most // step) - least // step > _MOST_TICKS - 1:
        step *= 2
    low, high = least // step * step, -(-most // step) * step
    return range(low, max(high, low + step) + 1, step)


def _spread(first: int, last: int) -> list[int]:
    """Return builds at even distances, the first and the last among them."""
    parts = min(last - first, _MOST_TICKS) or 1
    return sorted({first + (last - first) * part // parts for part in range(parts + 1)})


def _path(steps: Iterable[tuple[float, float | None]]) -> Iterator[str]:
    """Yield the parts of an SVG path, which stops where the amount is gone and else ends at the last build."""
    is_drawing = False
    for x, y in steps:
        if is_drawing:
            yield f"H{x}"
        if y is not None:
            yield f"V{y}" if is_drawing else f"M{x} {y}"
        is_drawing = y is not None
    if is_drawing:
        yield "H100"
