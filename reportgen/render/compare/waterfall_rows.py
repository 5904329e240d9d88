"""Lay out the waterfall from one need to the other as rows: a step begins on its bar where the one above it ends."""

from reportgen.compare.dump_comparison import DumpComparison, SpaceComparison
from reportgen.compare.reasons import Reason, slack_reason, step_reason
from reportgen.record import record
from reportgen.render.routes import step_section
from reportgen.reports.formats import capital, signed_bytes

_ROOM = 0.08
_SMALL_PART = 100
_MOST_STEPS = 6
_MOST_NAMES = 3


@record
class WaterfallRow:
    """A row: what is needed on a side, a step, or the small ones together, of which its `note` names some.

    `low_bytes` and `size_bytes` are where its bar begins and how long it is, from the beginning of the axis; `look`
    is "before", "after", "grown", "shrunk" or "level". `reason` says what changed most in a step, and `href` leads to
    its buffers.
    """

    words: str
    change_bytes: int
    low_bytes: int
    size_bytes: int
    look: str
    reason: Reason | None = None
    href: str = ""
    note: str = ""

    @property
    def is_whole(self) -> bool:
        """Return whether the row is what is needed on a side, and its bytes no change."""
        return self.look in {"before", "after"}


@record
class Waterfall:
    """All rows. The axis is `whole_bytes` long; it begins at `start_bytes`, which is 0 unless that hid the steps."""

    rows: tuple[WaterfallRow, ...]
    start_bytes: int
    whole_bytes: int


def waterfall(comparison: DumpComparison, space: SpaceComparison) -> Waterfall:
    """Return the rows of a memory space, whose bytes lead from one need to the other. Small steps are one row."""
    before, after = space.needed_bytes
    large, small = _steps(comparison, space)
    changes = [step.change_bytes for step in large] + ([sum(step.change_bytes for step in small)] if small else [])
    amounts = [before]
    for change in changes:
        amounts.append(amounts[-1] + change)
    low, high = min(amounts), max(amounts)
    start = max(0, int(low - max((high - low) * (1 + _ROOM), 1)))
    # The axis is broken only where the steps would be too short to see on a whole one.
    start = 0 if start < high // 4 else start
    rows = [_whole("before", before, start)]
    for step, amount in zip(large, amounts, strict=False):
        href = f"#{step_section(space.color, step.kind)}" if step.kind else ""
        note = "" if step.kind else "alignment and gaps between buffers"
        rows.append(_row(capital(step.words), step.change_bytes, amount - start, reason=step, href=href, note=note))
    if small:
        named = [(step.words, step.change_bytes) for step in small[:_MOST_NAMES]]
        if more := small[_MOST_NAMES:]:
            named.append((f"{len(more)} more", sum(step.change_bytes for step in more)))
        note = "; ".join(f"{words} {signed_bytes(change)}" for words, change in named)
        rows.append(_row(f"{len(small)} smaller steps", changes[-1], amounts[-2] - start, note=note))
    return Waterfall(rows=(*rows, _whole("after", after, start)), start_bytes=start, whole_bytes=max(high - start, 1))


def _whole(side: str, amount: int, start: int) -> WaterfallRow:
    return WaterfallRow(words=f"Needed {side}", change_bytes=amount, low_bytes=0, size_bytes=amount - start, look=side)


def _row(
    words: str, change: int, amount: int, *, reason: Reason | None = None, href: str = "", note: str = ""
) -> WaterfallRow:
    """Return the row of a change from `amount`, which is counted from the beginning of the axis."""
    return WaterfallRow(
        words=words,
        change_bytes=change,
        low_bytes=min(amount, amount + change),
        size_bytes=abs(change),
        look="grown" if change > 0 else "shrunk" if change else "level",
        reason=reason,
        href=href,
        note=note,
    )


def _steps(comparison: DumpComparison, space: SpaceComparison) -> tuple[list[Reason], list[Reason]]:
    """Return the steps that can be seen, the largest first, and the small ones; a single small one is not small."""
    slack = slack_reason(space)
    has_change = slack or any(step.change_bytes for step in space.steps)
    steps = [step_reason(comparison, space, step) for step in space.steps if step.change_bytes or not has_change]
    if slack:
        steps.append(slack)
    steps.sort(key=lambda step: -abs(step.change_bytes))
    most = abs(steps[0].change_bytes) if steps else 0
    seen = sum(abs(step.change_bytes) * _SMALL_PART >= most for step in steps)
    seen = min(seen, _MOST_STEPS) if len(steps) > _MOST_STEPS else seen
    return (steps[:seen], steps[seen:]) if len(steps) - seen > 1 else (steps, [])
