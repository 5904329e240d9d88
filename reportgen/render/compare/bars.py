"""Lay out the waterfall from one peak to the other as horizontal bars."""

from collections.abc import Sequence

from reportgen.record import record

WIDTH, ROW = 510, 24
_ROOM = 0.08


@record
class Bar:
    """A bar in pixels: the two peaks are whole bars, a step is one from the amount before it to that after it."""

    label: str
    href: str
    amount: int
    x: float
    width: float
    y: int
    look: str


@record
class Bars:
    """All bars; the axis begins at `start_bytes`, which is 0 unless that would hide the steps."""

    bars: tuple[Bar, ...]
    height: int
    start_bytes: int


def bars(before: int, after: int, steps: Sequence[tuple[str, str, int]]) -> Bars:
    """Return the bars of a waterfall; each step has a label, a link and the bytes it adds."""
    amounts = [before]
    for _, _, change in steps:
        amounts.append(amounts[-1] + change)
    low, high = min(amounts), max(amounts)
    start = max(0, int(low - max((high - low) * (1 + _ROOM), 1)))
    # The axis is broken only where the steps would be too short to see on a whole one.
    start = 0 if start < high // 4 else start
    scale = WIDTH / max(high - start, 1)
    rows = [("peak before", "", start, before, "peak", before)]
    # The last amount is that after the last step.
    for (label, href, change), amount in zip(steps, amounts, strict=False):
        look = "grown" if change > 0 else "shrunk" if change < 0 else "level"
        rows.append((label, href, amount, amount + change, look, change))
    rows.append(("peak after", "", start, after, "peak", after))
    made = tuple(
        Bar(
            label=label,
            href=href,
            amount=amount,
            x=round((min(one, other) - start) * scale, 1),
            # A step of a few bytes is seen too.
            width=round(max(abs(other - one) * scale, 1.5), 1),
            y=number * ROW,
            look=look,
        )
        for number, (label, href, one, other, look, amount) in enumerate(rows)
    )
    return Bars(bars=made, height=len(made) * ROW, start_bytes=start)
