"""Tell whether allocations of a dump are missing, which makes each of its sizes a lower bound.

A text can begin late, have a gap, or end early. XLA's total is the proof that all allocations are there. Without it, a
file with the name of a complete dump counts as complete, unless its last lines are not.
"""

from collections.abc import Iterator
from itertools import pairwise

from reportgen.input.dump_text import TextOffset
from reportgen.model import Dump
from reportgen.record import record

_MOST_GAPS = 3
_MIB = 1 << 20


@record(kw_only=False)
class MissingAllocations:
    """What is missing, in words, and the last place of the dump's text where allocations are."""

    words: str
    text_offset: TextOffset | None


def missing_allocations(dump: Dump) -> MissingAllocations | None:
    """Return which allocations are missing; None if the text shows that they are all there."""
    known = sum(allocation.size_bytes for allocation in dump.allocations)
    if dump.total_bytes is not None and known >= dump.total_bytes:
        return None
    reasons = [*_gaps(sorted({allocation.index for allocation in dump.allocations}))]
    end, what = _end(dump), "text" if dump.text.origin == "dump" else "proto"
    if dump.total_bytes is not None:
        total, less = dump.total_bytes, dump.total_bytes - known
        of = f" of {total / _MIB:,.2f} MiB" if total >= _MIB else ""
        reasons.append(f"XLA's total{of} has {less:,} bytes more than the allocations that are there")
    elif end is None:
        reasons.append(f"the {what} has no allocation")
    elif _is_cut(dump):
        line, index = dump.text.locate(end).line, dump.allocations[-1].index
        place = f"line {line:,}, before XLA's total" if what == "text" else f"allocation {index:,}"
        reasons.append(f"the {what} is cut off after {place}: more may follow")
    return MissingAllocations("; ".join(reasons), end) if reasons else None


def has_cut_live_ranges(dump: Dump) -> bool:
    """Return whether the text ends before its live ranges do, after which XLA prints its own peak."""
    if dump.live_ranges is None or dump.printed_peak or dump.live_range_note or dump.text.origin != "dump":
        return False
    rows = zip(dump.values.names, dump.range_rows, strict=True)
    lacks_ranges = any(row < 0 and name in dump.moment_of for name, row in rows)
    is_short = len(dump.schedule) < (dump.schedule_length or 0)
    return lacks_ranges or is_short or dump.text.parts[-1].data[-1:] not in (b"\n", b"")


def _gaps(indexes: list[int]) -> Iterator[str]:
    if indexes and indexes[0]:
        yield f"the text begins at allocation {indexes[0]}"
    gaps = [(low + 1, high - 1) for low, high in pairwise(indexes) if high - low > 1]
    for low, high in gaps[:_MOST_GAPS]:
        yield f"allocation {low} is missing" if low == high else f"allocations {low} to {high} are missing"
    if more := gaps[_MOST_GAPS:]:
        yield f"{len(more):,} more gaps"


def _end(dump: Dump) -> TextOffset | None:
    """Return where the last allocation or value begins."""
    last = [allocation.text_offset for allocation in dump.allocations[-1:]] + dump.values.text_offsets[-1:]
    return max(last, default=None)


def _is_cut(dump: Dump) -> bool:
    """Return whether a text without a total may end before its allocations do."""
    part = dump.text.parts[0]
    if not part.is_whole or not part.data.endswith(b"\n"):  # with which every whole part ends
        return True
    last, values = len(dump.allocations) - 1, dump.values
    filled = max((values.offsets[number] + values.sizes[number] for number in dump.occupants[last]), default=0)
    return filled < dump.allocations[last].size_bytes or not any(
        allocation.output_shape for allocation in dump.allocations
    )
