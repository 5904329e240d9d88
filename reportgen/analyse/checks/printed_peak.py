"""Is XLA's printed peak what its own procedure gives, and can it be explained from the dump?"""

from collections.abc import Iterator
from itertools import accumulate

from reportgen.analyse.findings import finding
from reportgen.analyse.records import Analysis, Finding, XlaPeak
from reportgen.analyse.xla_peak import UNEXPLAINED
from reportgen.model import PrintedPeak, StackTrace


def check_printed_peak(analysis: Analysis) -> Iterator[Finding]:
    printed, peak = analysis.dump.printed_peak, analysis.xla_peak
    if printed is None or peak is None:
        return
    yield from _replay(printed, peak)
    yield from _rows(analysis, printed)
    yield from _explained(printed, peak)
    if analysis.dump.stack_trace:
        yield from _stack_trace(analysis.dump.stack_trace, printed)


def _replay(printed: PrintedPeak, peak: XlaPeak) -> Iterator[Finding]:
    if peak.replayed_moment != peak.moment:
        message = f"XLA prints its peak at {peak.moment}; its own procedure gives {peak.replayed_moment}"
        yield finding("peak-replay", message, printed.place)


def _rows(analysis: Analysis, printed: PrintedPeak) -> Iterator[Finding]:
    live = sum(r.start <= printed.moment <= r.end for r in analysis.dump.live_ranges or ())
    if live != len(printed.rows):
        message = (
            f"XLA lists {len(printed.rows)} values at its peak, {live} live ranges contain moment {printed.moment}"
        )
        yield finding("peak-rows", message, printed.place)
    stated = [row.cumulative_bytes for row in printed.rows]
    sums = list(accumulate(row.size_bytes for row in printed.rows))
    if any(said is not None and said != due for said, due in zip(stated, sums, strict=True)):
        yield finding("peak-rows", "the running sum of XLA's peak rows does not add up", printed.place)


def _explained(printed: PrintedPeak, peak: XlaPeak) -> Iterator[Finding]:
    is_unexplained = any(step.slug == UNEXPLAINED for step in peak.bridge)
    if is_unexplained or (not peak.reasons and peak.sum_bytes != peak.live_bytes):
        message = (
            f"XLA prints {peak.sum_bytes:,} bytes at {peak.moment}, {peak.live_bytes:,} are under live values there,"
            " and no known fault of XLA's sum explains it"
        )
        yield finding("peak-unexplained", message, printed.place)


def _stack_trace(trace: StackTrace, printed: PrintedPeak) -> Iterator[Finding]:
    current = sum(frame.current_bytes for frame in trace.frames)
    remaining = trace.frames[-1].remaining_bytes if trace.frames else 0
    if not current == trace.total_bytes == printed.sum_bytes or remaining:
        message = (
            f"the stack trace's frames add up to {current:,} of {trace.total_bytes:,} bytes and the last leaves"
            f" {remaining:,}; the peak's rows add up to {printed.sum_bytes:,}"
        )
        yield finding("stack-trace-sum", message, trace.place)
