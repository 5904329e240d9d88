"""Draw a figure over the builds as steps: an amount holds until the build that changes it."""

from collections.abc import Iterable, Iterator, Sequence

from reportgen.compare.history import Record
from reportgen.record import record

WIDTH, HEIGHT = 960, 160
"""Of what is drawn, without the axes."""

MOST_CHANGES = 200
"""The last changes are drawn; the table has all."""

_MOST_TICKS = 5
_MOST_LABELS = 8
_TOP, _BOTTOM = 12, 148
_MOST_ABOVE = 3
"""A budget more times above all amounts than this is only named, because the chart would be flat."""


@record
class Change:
    """A build that changed an amount, by its position in the history; None where there is no amount any more.

    `words` say the change, `short` only by how much, `cause` what made it, and `shapes` what the function takes from
    then on; the last three may be empty.
    """

    build: int
    record: Record
    amount: int | None
    words: str
    short: str = ""
    cause: str = ""
    shapes: str = ""


@record
class Dot:
    """A change in pixels; `anchor` is the end of its label that is at it."""

    x: float
    y: float
    change: Change
    anchor: str


@record
class Level:
    """A budget, or a tick of the axis; `y` is in pixels, None if it is too far above to be drawn."""

    amount: int
    y: float | None


@record
class BuildTick:
    """A build on the axis below; `x` is in pixels."""

    x: float
    record: Record


@record
class Chart:
    """A stepped path of `WIDTH` by `HEIGHT` pixels from the build `first` on; the axis begins at `low` bytes.

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


def chart(records: Sequence[Record], changes: Sequence[Change], budgets: Iterable[int]) -> Chart | None:
    """Return the chart of an amount over `records`; None where it is never known."""
    shown = changes[-MOST_CHANGES:]
    amounts = [change.amount for change in shown if change.amount is not None]
    if not amounts:
        return None
    near = {budget: budget <= _MOST_ABOVE * max(amounts) for budget in sorted(set(budgets))}
    low, high = _range([*amounts, *(budget for budget, is_near in near.items() if is_near)])
    first = shown[0].build

    def x(build: int) -> float:
        return round((build - first) * WIDTH / max(len(records) - 1 - first, 1), 1)

    def y(amount: int) -> float:
        return round(_BOTTOM - (amount - low) * (_BOTTOM - _TOP) / (high - low), 1)

    steps = [(x(change.build), None if change.amount is None else y(change.amount)) for change in shown]
    return Chart(
        path="".join(_path(steps)),
        dots=tuple(
            Dot(x=x, y=y, change=change, anchor="end" if x > WIDTH // 2 else "start")
            for (x, y), change in zip(steps, shown, strict=True)
            if y is not None
        ),
        has_labels=len(shown) <= _MOST_LABELS,
        levels=tuple(Level(amount=amount, y=y(amount)) for amount in _ticks(low, high)),
        builds=tuple(BuildTick(x=x(build), record=records[build]) for build in _spread(first, len(records) - 1)),
        limits=tuple(Level(amount=budget, y=y(budget) if is_near else None) for budget, is_near in near.items()),
        low=low,
        first=records[first],
        last=records[-1],
        left_out=len(changes) - len(shown),
    )


def _range(amounts: Sequence[int]) -> tuple[int, int]:
    """Return the first and last amount of the axis; it begins at 0 unless that would hide the steps."""
    least, most = min(amounts), max(amounts)
    room = max((most - least) // 10, most // 100, 1)
    low = max(least - room, 0)
    return (0 if low < most // 4 else low), most + room


def _ticks(low: int, high: int) -> range:
    """Return the amounts of the axis: multiples of a power of two, which are round in binary units."""
    step = 1
    while (high - low) // step > _MOST_TICKS - 1:
        step *= 2
    return range(-(-low // step) * step, high + 1, step)


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
        yield f"H{WIDTH}"
