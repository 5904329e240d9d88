"""Draw a figure over the builds as steps: an amount holds until the build that changes it.

Places are in percent of the chart, so that it fits any width, and texts keep their size.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Literal

from reportgen.compare.history import Record
from reportgen.record import record
from reportgen.reports.formats import human_bytes

MOST_CHANGES = 200
"""The last changes are drawn; the table has all."""

_MOST_TICKS, _MOST_BUILDS = 6, 5
_AFTER = 0.08
"""The least part of the width after the last build, whose amount is to be seen."""
_CLOSE = 5
"""Percent of the height within which a line beside that of a limit would look like it."""
_LABEL_WIDTH, _LABEL_HEIGHT = 52, 11
"""Percent of a narrow chart that the name of a limit takes."""
_DOT_HEIGHT = 3
_SMALL = 2.6
"""How many times as much of the height a label takes in a small chart."""
_EDGE = 12
"""Percent of the width beside which a label begins or ends at its dot."""
_WIDE, _NARROW, _WITH_UNIT = 7.5, 22, 34
"""Percent of a wide chart and of a narrow one that the label of a dot takes, without and with its unit."""
_MOST_ABOVE = 1.5
"""A limit more times above all amounts than this is only named, at the edge, because the chart would be flat."""
_LEAST_RANGE = 8
"""An axis is broken where the amounts differ by less than this part of the largest."""


Steps = Sequence[tuple[float, float | None]]
"""Where an amount begins, in percent from the left, and how high it is; None where it is gone."""
Box = tuple[float, float, float, float]
"""The left, the right, the top and the bottom of what is drawn."""


@record
class Change:
    """A build that changed an amount, by its position in the history; None where there is no amount any more.

    `by_bytes` is by how much, None where there was none or none is left. `words` say the change, `remarks` what else is
    known of the build, `causes` what made it, the main cause first, `resized` the arguments of another shape, which
    before were `resized_from`, and `shapes` what the function takes from then on, the largest of `argument_count`
    arguments; all may be empty. `alike` is the change against the last build `against` of equal shapes before it.
    """

    build: int
    record: Record
    amount: int | None
    words: str
    by_bytes: int | None = None
    remarks: str = ""
    causes: Sequence[str] = ()
    resized: str = ""
    resized_from: str = ""
    alike: "Change | None" = None
    against: Record | None = None
    shapes: str = ""
    argument_count: int = 0

    @property
    def judged(self) -> "Change":
        """Return the change against a build of equal shapes, if there is one that differs."""
        return self.alike if self.alike and self.alike.by_bytes else self


@record
class Dot:
    """A change in percent of the chart from its left and its top.

    `anchor` is the part of its label that is at it. The label is above unless it `is_low`, because a limit or the step
    before is just above. `label` says on which charts there is room for it; narrow ones leave out the unit if it
    `is_usual`, because the axis has it.
    """

    x: float
    y: float
    change: Change
    anchor: Literal["start", "middle", "end"]
    is_low: bool
    is_usual: bool
    label: Literal["none", "wide", "all"] = "none"


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
class Rule:
    """Where a section of equal shapes begins, at `x` percent; amounts across it are of unlike things.

    Its words have `room` percent, to its right.
    """

    x: float
    words: str
    room: float


@record
class Chart:
    """A stepped path of 100 by 100 and the area below it; the axis begins at `low` bytes.

    `rules` are where shapes changed; the path is broken there.
    `now` is the last build, where the last change is an earlier one. `edge` is where to name the limits without a
    place. `builds` are some of them with their places in percent.
    """

    path: str
    area: str
    dots: Sequence[Dot]
    now: Dot | None
    rules: Sequence[Rule]
    levels: Sequence[Level]
    builds: Sequence[tuple[float, Record]]
    limits: Sequence[Level]
    edge: Level | None
    low: int
    left_out: int


def chart(
    records: Sequence[Record], changes: Sequence[Change], limits: Iterable[Limit], *, is_small: bool = False
) -> Chart | None:
    """Return the chart of an amount over `records`; None where it is never known. One that `is_small` is less high."""
    shown = changes[-MOST_CHANGES:]
    amounts = [change.amount for change in shown if change.amount is not None]
    if not amounts:
        return None
    distinct = list(dict.fromkeys(limits))
    near = [limit for limit in distinct if limit.amount <= _MOST_ABOVE * max(amounts)]
    far = [limit for limit in distinct if limit not in near]
    ticks = _ticks([*amounts, *(limit.amount for limit in near)])
    low, high = ticks[0], ticks[-1]
    first, last = shown[0].build, len(records) - 1

    def x(build: int) -> float:
        steps = last - first
        return round((build - first) * 100 / max(steps + 0.5, steps / (1 - _AFTER), 1), 2)

    def y(amount: int) -> float:
        return round(100 * (high - amount) / (high - low), 2)

    limit_places = [y(limit.amount) for limit in near]
    steps = [(x(change.build), None if change.amount is None else y(change.amount)) for change in shown]
    dots = [
        _dot(place, height, change, before, limit_places, _unit(high), is_last=change.build == last)
        for (place, height), change, (_, before) in zip(steps, shown, [(0, None), *steps], strict=False)
        if height is not None
    ]
    rules = [(x(change.build), change.resized) for change in shown if change.resized]
    stretches = [*_stretches(steps, {place for place, _ in rules})]
    is_later = shown[-1].build < last and dots[-1].change is shown[-1]
    if is_later:
        dots.append(replace(dots[-1], x=x(last), anchor="start"))
    dots = _labelled(dots, steps, _LABEL_HEIGHT * (_SMALL if is_small else 1))
    return Chart(
        path="".join(path for _, path in stretches),
        area="".join(f"{path}V100H{start}Z" for start, path in stretches),
        dots=dots[:-1] if is_later else dots,
        now=dots[-1] if is_later else None,
        rules=list(_rules(shown, rules)),
        levels=[
            Level(amount=amount, y=y(amount), is_close=any(abs(y(amount) - place) < _CLOSE for place in limit_places))
            for amount in ticks
        ],
        builds=[(x(build), records[build]) for build in _spread(first, last)],
        limits=[
            *(_limit(limit, y(limit.amount), steps, dots) for limit in near),
            *(Level(amount=limit.amount, y=None, name=limit.name) for limit in far),
        ],
        edge=_limit(far[0], 0, steps, dots) if far else None,
        low=low,
        left_out=len(changes) - len(shown),
    )


def _rules(shown: Sequence[Change], places: Sequence[tuple[float, str]]) -> Iterator[Rule]:
    """Yield the sections of equal shapes at the places where these change, and before them the first section."""
    first = next((change for change in shown if change.resized), None)
    before = [(0.0, first.resized_from)] if first and first is not shown[0] else []
    for (place, words), (after, _) in pairwise([*before, *places, (100.0, "")]):
        yield Rule(x=place, words=words, room=round(after - place, 2))


def _dot(
    x: float, y: float, change: Change, before: float | None, limits: Iterable[float], unit: str, *, is_last: bool
) -> Dot:
    """Return a dot, to which a step leads from the height `before`; its label covers none of the `limits`."""
    is_less = change.by_bytes is not None and change.by_bytes < 0
    room = _LABEL_HEIGHT + _DOT_HEIGHT
    is_low = any(0 < y - limit < room for limit in limits)
    anchor: Literal["start", "middle", "end"] = "start" if x < _EDGE or is_less or is_low else "middle"
    if (is_last and x > _EDGE) or x > 100 - _EDGE:
        anchor = "end"
        is_low = is_low or (is_less and y - (before or 0) < room and y + _LABEL_HEIGHT <= 100)
    is_usual = _unit(change.amount or 0) == unit
    return Dot(x=x, y=y, change=change, anchor=anchor, is_low=is_low, is_usual=is_usual)


def _unit(amount: int) -> str:
    return human_bytes(amount).rpartition(" ")[2]


def _limit(limit: Limit, y: float, steps: Steps, dots: Iterable[Dot]) -> Level:
    """Return a limit with its name where no step, dot or label is, even if the chart is narrow."""
    labels = [_label_box(dot, _LABEL_HEIGHT, is_narrow=dot.label == "all") for dot in dots if dot.label != "none"]
    marks = [(dot.x, dot.x, dot.y - _DOT_HEIGHT, dot.y + _DOT_HEIGHT) for dot in dots]
    boxes = [*_step_boxes(steps), *labels, *marks]
    for width in (_LABEL_WIDTH, _EDGE):
        for is_below in (False, True):
            top = y if is_below else y - _LABEL_HEIGHT
            sides: Sequence[tuple[Literal["left", "right"], int]] = (("right", 100 - width), ("left", 0))
            for side, start in sides:
                name = (start, start + width, top, top + _LABEL_HEIGHT)
                if top + _LABEL_HEIGHT <= 100 and not any(_overlap(name, box) for box in boxes):
                    return Level(amount=limit.amount, y=y, name=limit.name, side=side, is_below=is_below)
    return Level(amount=limit.amount, y=y, name=limit.name)


def _labelled(dots: Sequence[Dot], steps: Steps, height: float) -> list[Dot]:
    """Return the dots with the labels that cover neither each other nor a step: the last, the first, large changes.

    A label that has no room above its dot is below it, if there is room on the narrow chart as well. What is as before
    has none.
    """
    now = replace(dots[-1], label="all")
    order = sorted(range(len(dots) - 1), key=lambda n: -abs(dots[n].change.by_bytes or dots[n].change.amount or 0))
    order = [n for n in order if dots[n].change.by_bytes != 0 and dots[n].change is not now.change]
    labelled = [*dots[:-1], now]
    labels: Sequence[Literal["all", "wide"]] = ("all", "wide")
    for label in labels:
        box = partial(_label_box, height=height, is_narrow=label == "all")
        taken = [*_step_boxes(steps), *(box(dot) for dot in labelled if dot.label != "none")]
        for number in order:
            dot = labelled[number]
            for choice in (dot, replace(dot, is_low=True)) if dot.label == "none" else ():
                if box(choice)[3] <= 100 and not any(_overlap(box(choice), other) for other in taken):
                    taken.append(box(choice))
                    labelled[number] = replace(choice, label=label)
                    break
    return labelled


def _overlap(first: Box, second: Box) -> bool:
    """Return whether two boxes have a part in common; those that only touch have none."""
    (left, right, high, low), (start, end, top, bottom) = first, second
    return left < end and right > start and high < bottom and low > top


def _label_box(dot: Dot, height: float, *, is_narrow: bool) -> Box:
    width = (_NARROW if dot.is_usual else _WITH_UNIT) if is_narrow else _WIDE
    before = {"start": 0.0, "middle": width / 2, "end": width}[dot.anchor]
    top = dot.y + 1 if dot.is_low else dot.y - height
    return dot.x - before, dot.x - before + width, top, top + height - 1


def _step_boxes(steps: Steps) -> Iterator[Box]:
    for (x, y), (after, below) in pairwise([*steps, (100.0, None)]):
        if y is not None:
            yield x, after, y, y
            yield after, after, min(y, y if below is None else below), max(y, y if below is None else below)


def _ticks(amounts: Sequence[int]) -> range:
    """Return the amounts of the axis, from one at or below all to one at or above all.

    They are multiples of a power of two, which are round in binary units. The axis begins at 0 unless that would hide
    the steps.
    """
    least, most = min(amounts), max(*amounts, 1)
    least = least if 0 < (most - least) * _LEAST_RANGE < most else 0
    step = 1
    while -(-most // step) - least // step > _MOST_TICKS - 1:
        step *= 2
    return range(least // step * step, most + step, step)


def _spread(first: int, last: int) -> list[int]:
    """Return builds at even distances, the first and the last among them."""
    parts = min(last - first, _MOST_BUILDS) or 1
    return sorted({first + (last - first) * part // parts for part in range(parts + 1)})


def _stretches(steps: Iterable[tuple[float, float | None]], breaks: Container[float]) -> Iterator[tuple[float, str]]:
    """Yield each stretch of an SVG path from where it begins; it stops at a break and where the amount is gone."""
    start, path = 0.0, ""
    for x, y in [*steps, (100, None)]:
        if path:
            path += f"H{x}"
            if x in breaks:
                yield start, path
                path = ""
        if y is not None:
            start, path = (start, f"{path}V{y}") if path else (x, f"M{x} {y}")
        elif path:
            yield start, path
            path = ""
