"""Is XLA's printed peak what its own procedure gives, and can it be explained from the dump?"""

from collections.abc import Iterator
from itertools import accumulate

from reportgen.analyse.checks.check import Check
from reportgen.analyse.findings import finding
from reportgen.analyse.judgements import Finding
from reportgen.analyse.records import Figures, XlaPeak
from reportgen.analyse.xla_peak import UNEXPLAINED
from reportgen.model import PrintedPeak


def _without_peak(figures: Figures) -> str:
    is_there = figures.dump.printed_peak is not None and figures.xla_peak is not None
    return "" if is_there else "the dump has no peak of XLA’s"


def _without_stack_trace(figures: Figures) -> str:
    return _without_peak(figures) or ("" if figures.dump.stack_trace else "the dump has no stack trace")


def _peaks(figures: Figures) -> tuple[PrintedPeak, XlaPeak]:
    """What XLA prints, and what is known of it."""
    printed, peak = figures.dump.printed_peak, figures.xla_peak
    assert printed is not None, "not checked without it"
    assert peak is not None, "not checked without it"
    return printed, peak


def _replay(figures: Figures) -> Iterator[Finding]:
    printed, peak = _peaks(figures)
    if peak.replayed_moment != peak.moment:
        message = f"XLA prints its peak at {peak.moment}; its own procedure gives {peak.replayed_moment}"
        yield finding("peak-replay", message, printed.place)


def _rows(figures: Figures) -> Iterator[Finding]:
    printed, _ = _peaks(figures)
    live = sum(r.start <= printed.moment <= r.end for r in figures.dump.live_ranges or ())
    if live != len(printed.rows):
        message = (
            f"XLA lists {len(printed.rows)} values at its peak, {live} live ranges contain moment {printed.moment}"
        )
        yield finding("peak-rows", message, printed.place)
    stated = [row.cumulative_bytes for row in printed.rows]
    sums = list(accumulate(row.size_bytes for row in printed.rows))
    if any(said is not None and said != due for said, due in zip(stated, sums, strict=True)):
        yield finding("peak-rows", "the running sum of XLA's peak rows does not add up", printed.place)


def _explained(figures: Figures) -> Iterator[Finding]:
    printed, peak = _peaks(figures)
    is_unexplained = any(step.slug == UNEXPLAINED for step in peak.bridge)
    if is_unexplained or (not peak.reasons and peak.sum_bytes != peak.live_bytes):
        message = (
            f"XLA prints {peak.sum_bytes:,} bytes at {peak.moment}, {peak.live_bytes:,} are under live values there,"
            " and no known fault of XLA's sum explains it"
        )
        yield finding("peak-unexplained", message, printed.place)


def _stack_trace(figures: Figures) -> Iterator[Finding]:
    trace, (printed, _) = figures.dump.stack_trace, _peaks(figures)
    assert trace is not None, "not checked without it"
    current = sum(frame.current_bytes for frame in trace.frames)
    remaining = trace.frames[-1].remaining_bytes if trace.frames else 0
    if not current == trace.total_bytes == printed.sum_bytes or remaining:
        message = (
            f"the stack trace's frames add up to {current:,} of {trace.total_bytes:,} bytes and the last leaves"
            f" {remaining:,}; the peak's rows add up to {printed.sum_bytes:,}"
        )
        yield finding("stack-trace-sum", message, trace.place)


CHECKS = (
    Check(
        name="XLA’s moment",
        question="Does XLA’s own procedure, repeated, choose the moment that XLA prints?",
        subject="live ranges",
        run=_replay,
        exempts=_without_peak,
    ),
    Check(
        name="XLA’s rows",
        question="Does XLA list the values live at its moment, and does its running sum add up?",
        subject="rows of XLA’s peak",
        run=_rows,
        exempts=_without_peak,
    ),
    Check(
        name="XLA’s sum",
        question="Do known reasons explain how XLA’s sum differs from the bytes under live values?",
        subject="rows of XLA’s peak",
        run=_explained,
        exempts=_without_peak,
    ),
    Check(
        name="Stack trace",
        question="Do the nodes of the stack trace add up to its headline and to XLA’s rows?",
        subject="stack frames",
        run=_stack_trace,
        exempts=_without_stack_trace,
    ),
)
