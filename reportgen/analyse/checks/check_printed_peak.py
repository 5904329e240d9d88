"""Check that XLA's printed peak is what its own procedure gives, and that the dump explains it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from reportgen.analyse.checks.declaration import check
from reportgen.analyse.findings import finding
from reportgen.analyse.records import Figures, XlaPeak
from reportgen.analyse.results import Finding
from reportgen.analyse.xla_peak import UNEXPLAINED
from reportgen.model import WHOLE, LiveRanges, PrintedPeak

_DECIMAL = re.compile(r"\d{1,6}\.\d")
_ROUNDING = 0.051
"""Percentages have one decimal."""


def _without_peak(figures: Figures) -> str:
    is_there = figures.dump.printed_peak is not None and figures.xla_peak is not None
    return "" if is_there else "the dump has no peak of XLA’s"


def _without_sizes(figures: Figures) -> str:
    is_known = None not in figures.facts.padded
    return _without_peak(figures) or ("" if is_known else "the sizes of some shapes are not known")


def _without_stack_trace(figures: Figures) -> str:
    return _without_peak(figures) or ("" if figures.dump.stack_trace else "the dump has no stack trace")


def _peaks(figures: Figures) -> tuple[PrintedPeak, XlaPeak]:
    """Return the peak as XLA prints it, and its reconciliation."""
    printed, peak = figures.dump.printed_peak, figures.xla_peak
    assert printed is not None, "not checked without it"
    assert peak is not None, "not checked without it"
    return printed, peak


@check(
    name="XLA’s instruction",
    question="Does XLA’s own procedure, repeated, choose the instruction that XLA prints?",
    subject="live ranges",
    skips=_without_sizes,
)
def replay(figures: Figures) -> Iterator[Finding]:
    printed, peak = _peaks(figures)
    if peak.replayed_moment != peak.moment:
        message = f"XLA prints its peak at {peak.moment:,}; its own procedure gives {peak.replayed_moment:,}"
        yield finding("peak-replay", message, printed.text_offset)


@check(
    name="XLA’s rows",
    question="Does XLA list the values live at its instruction, and does its running sum add up?",
    subject="rows of XLA’s peak",
    skips=_without_peak,
)
def peak_rows(figures: Figures) -> Iterator[Finding]:
    """Compare XLA's rows with the live ranges at its instruction, then add up the running sum again."""
    printed, _ = _peaks(figures)
    ranges = figures.dump.live_ranges or LiveRanges()
    spans = enumerate(zip(ranges.starts, ranges.ends, strict=True))
    live = [ranges.keys[row] for row, (start, end) in spans if start <= printed.moment <= end]
    if len(live) != len(printed.rows):
        message = (
            f"XLA lists {len(printed.rows):,} values at its peak, {len(live):,} live ranges contain instruction"
            f" {printed.moment:,}"
        )
        yield finding("peak-rows", message, printed.text_offset)
    elif stray := _unlike(printed, live):
        message = f"XLA lists {stray} at its peak, which has no live range there"
        yield finding("peak-rows", message, printed.text_offset)
    stated = [row.cumulative_bytes for row in printed.rows]
    sums = list(accumulate(row.size_bytes for row in printed.rows))
    if any(said is not None and said != due for said, due in zip(stated, sums, strict=True)):
        yield finding("peak-rows", "the running sum of XLA's peak rows does not add up", printed.text_offset)


def _unlike(printed: PrintedPeak, live: Sequence[str]) -> str:
    """Return a row of the peak that is not live then; builds before 2025-04-14 print rows without an index."""
    if all(row.shape_index is None for row in printed.rows):
        names = Counter(key.partition("{")[0] for key in live)
        return next(iter(Counter(row.name for row in printed.rows) - names), "")
    return next(iter(Counter(row.name + (row.shape_index or WHOLE) for row in printed.rows) - Counter(live)), "")


@check(
    name="XLA’s sum",
    question="Do known reasons explain how XLA’s sum differs from the bytes under live values?",
    subject="rows of XLA’s peak",
    skips=_without_peak,
)
def explained(figures: Figures) -> Iterator[Finding]:
    """Report a difference between XLA's sum and the live bytes for which no known reason was found."""
    printed, peak = _peaks(figures)
    is_unexplained = any(step.slug == UNEXPLAINED for step in peak.reconciliation)
    if is_unexplained or (not peak.reasons and peak.sum_bytes != peak.live_bytes):
        message = (
            f"XLA prints {peak.sum_bytes:,} bytes at instruction {peak.moment:,}, where {peak.live_bytes:,} are live,"
            " and no known fault of XLA's sum explains the difference"
        )
        yield finding("peak-unexplained", message, printed.text_offset)


@check(
    name="Stack trace",
    question="Do the nodes of the stack trace add up to its headline and to XLA’s rows?",
    subject="stack frames",
    skips=_without_stack_trace,
)
def stack_trace(figures: Figures) -> Iterator[Finding]:
    """Compare the sum of all frames with the headline and with XLA's rows; after the last frame nothing may remain."""
    trace, (printed, _) = figures.dump.stack_trace, _peaks(figures)
    assert trace is not None, "not checked without it"
    current = sum(frame.current_bytes for frame in trace.frames)
    remaining = trace.frames[-1].remaining_bytes if trace.frames else 0
    adds_up = current == trace.total_bytes == printed.sum_bytes and not remaining
    if not adds_up:
        message = (
            f"the stack trace's frames add up to {current:,} of {trace.total_bytes:,} bytes and the last leaves"
            f" {remaining:,}; the peak's rows add up to {printed.sum_bytes:,}"
        )
        yield finding("stack-trace-sum", message, trace.text_offset)


@check(
    name="Nodes of the stack trace",
    question="Has each node of the stack trace the share and the remainder that its bytes give?",
    subject="stack frames",
    skips=_without_stack_trace,
)
def stack_trace_nodes(figures: Figures) -> Iterator[Finding]:
    """Subtract frame after frame from the total; report the first whose remainder or share XLA states differently."""
    trace = figures.dump.stack_trace
    assert trace is not None, "not checked without it"
    left = trace.total_bytes
    for frame in trace.frames:
        left -= frame.current_bytes
        if left != frame.remaining_bytes:
            message = f"{frame.label[:80]!r} leaves {frame.remaining_bytes:,} bytes, but the sum so far leaves {left:,}"
            yield finding("stack-trace-sum", message, trace.text_offset)
            return
        share = 100 * frame.total_bytes / trace.total_bytes if trace.total_bytes else 0.0
        if _DECIMAL.fullmatch(frame.percent) and abs(float(frame.percent) - share) > _ROUNDING:
            stated = f"not {frame.percent} % as XLA prints"
            message = f"{frame.label[:80]!r} is {share:.1f} % of the peak, {stated}"
            yield finding("stack-trace-sum", message, trace.text_offset)
            return


CHECKS = (
    replay,
    peak_rows,
    explained,
    stack_trace,
    stack_trace_nodes,
)
