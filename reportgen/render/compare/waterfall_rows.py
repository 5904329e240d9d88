"""Lay out the waterfall from one peak to the other as rows: a step begins on its bar where the one above it ends."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reportgen.compare.dump_comparison import DumpComparison, SpaceComparison
from reportgen.compare.terms import JoinedStep
from reportgen.record import record
from reportgen.render.routes import step_section
from reportgen.reports.formats import end_of, signed_bytes

_ROOM = 0.08
_SMALL_PART = 1000
_SEEN_PART = 20
_LONGEST_NAME = 40


@record
class WaterfallRow:
    """A row: one of the two peaks, or a step with what changed most in it.

    `low_bytes` and `size_bytes` are where its bar begins and how long it is, from the beginning of the axis; `look`
    is "peak", "grown", "shrunk" or "level". `href` leads to the rows of the step.
    """

    words: str
    note: str
    href: str
    change_bytes: int
    low_bytes: int
    size_bytes: int
    look: str


@record
class Waterfall:
    """All rows. The axis is `whole_bytes` long; it begins at `start_bytes`, which is 0 unless that hid the steps."""

    rows: Sequence[WaterfallRow]
    start_bytes: int
    whole_bytes: int


class _ShownStep(NamedTuple):
    """One step, or several small ones, which have no section and so an empty `href`."""

    words: str
    note: str
    href: str
    change_bytes: int


def waterfall(comparison: DumpComparison, space: SpaceComparison) -> Waterfall:
    """Return the rows of a memory space. Steps that are too small to see are one row."""
    before, after = space.before_bytes or 0, space.after_bytes or 0
    steps = list(_shown(comparison, space, space.steps))
    amounts = [before]
    for step in steps:
        amounts.append(amounts[-1] + step.change_bytes)
    low, high = min(amounts), max(amounts)
    start = max(0, int(low - max((high - low) * (1 + _ROOM), 1)))
    # The axis is broken only where the steps would be too short to see on a whole one.
    start = 0 if start < high // 4 else start
    rows = [_peak("peak before", before, start)]
    # The last amount is that after the last step.
    for (words, note, href, change), amount in zip(steps, amounts, strict=False):
        rows.append(
            WaterfallRow(
                words=words,
                note=note,
                href=href,
                change_bytes=change,
                low_bytes=min(amount, amount + change) - start,
                size_bytes=abs(change),
                look=_look(change),
            )
        )
    return Waterfall(
        rows=[*rows, _peak("peak after", after, start)], start_bytes=start, whole_bytes=max(high - start, 1)
    )


def _peak(words: str, amount: int, start: int) -> WaterfallRow:
    return WaterfallRow(
        words=words, note="", href="", change_bytes=amount, low_bytes=0, size_bytes=amount - start, look="peak"
    )


def _look(change_bytes: int) -> str:
    if change_bytes == 0:
        return "level"
    return "grown" if change_bytes > 0 else "shrunk"


def _shown(comparison: DumpComparison, space: SpaceComparison, steps: Sequence[JoinedStep]) -> Iterator[_ShownStep]:
    """Yield each step that can be seen, the largest first, and the others as one."""
    most = max(space.before_bytes or 0, space.after_bytes or 0)
    small = [step for step in steps if abs(step.change_bytes) * _SMALL_PART < most]
    small = small if len(small) > 1 else []
    has_change = any(step.change_bytes for step in steps)
    for step in sorted(steps, key=lambda step: -abs(step.change_bytes)):
        if step not in small and (step.change_bytes or not has_change):
            href = f"#{step_section(space.color, step.kind)}"
            yield _ShownStep(step.words, _note(comparison, step), href, step.change_bytes)
    if small:
        note, change = "; ".join(step.words for step in small), sum(step.change_bytes for step in small)
        yield _ShownStep("everything else", note, "", change)


def _note(comparison: DumpComparison, step: JoinedStep) -> str:
    """Return the groups of values that make up most of a step, with their bytes."""
    groups = comparison.named_terms(step.terms)
    largest = [group for group in groups[:2] if abs(group.change_bytes) * _SEEN_PART >= abs(step.change_bytes)]
    words = [f"{end_of(group.name, _LONGEST_NAME)} {signed_bytes(group.change_bytes)}" for group in largest]
    rest = len(groups) - len(largest)
    if rest and largest:
        words.append(f"and {rest:,} more")
    return ", ".join(words)
