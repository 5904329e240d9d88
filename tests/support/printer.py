"""Dumps as XLA prints them, in every dialect: what the parser must read back as the same records.

Written from the grammar alone and sharing nothing with the parser, so that each can be held against the other.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from reportgen.analyse.sizes import rounded_by_xla
from reportgen.model import (
    WHOLE,
    Allocation,
    Dump,
    PeakRow,
    Position,
    PrintedPeak,
    Schedule,
    StackFrame,
    StackTrace,
    Use,
    UsedValue,
    Value,
    ValueKey,
)
from tests.support.dumps import instruction_text

InstructionSpelling = Literal["absent", "tight", "glued", "spaced"]
PeakSpelling = Literal["bare", "indexed", "cumulative"]


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """What differs between builds of XLA; the defaults are today's."""

    has_addresses: bool = False
    has_shapes_in_bars: bool = True
    has_pages: bool = True
    notes_other_colors: bool = True
    has_total: bool = True
    is_total_in_words: bool = True
    instructions: InstructionSpelling = "spaced"
    says_none: bool = True
    has_live_ranges: bool = True
    peak_rows: PeakSpelling = "cumulative"
    has_stack_trace: bool = True
    files: Literal[1, 3] = 3


def printed(dump: Dump, dialect: Dialect) -> tuple[str, ...]:
    """Return the text of each file of the dump."""
    allocations = "".join(_allocation_lines(dump, dialect))
    values = "".join(_value_lines(dump, dialect))
    ranges = "".join(_live_range_lines(dump, dialect))
    if dialect.files == 3:
        return allocations, values, ranges
    return (f"{allocations}{values}\n\n{ranges}",)


def said(dump: Dump, dialect: Dialect) -> Dump:
    """Return the part of a dump that its dialect can express."""
    dump = replace(dump, allocations=tuple(_said_of_allocation(one, dialect) for one in dump.allocations))
    if not dialect.has_total:
        dump = replace(dump, total_bytes=None)
    if not dialect.has_live_ranges:
        return replace(
            dump,
            schedule_length=None,
            schedule=Schedule(),
            live_ranges=None,
            live_range_note=None,
            printed_peak=None,
            stack_trace=None,
        )
    peak = dump.printed_peak and _said_of_peak(dump.printed_peak, dialect.peak_rows)
    return replace(dump, printed_peak=peak, stack_trace=dump.stack_trace if dialect.has_stack_trace else None)


def _said_of_allocation(allocation: Allocation, dialect: Dialect) -> Allocation:
    if not dialect.has_pages:
        allocation = replace(allocation, page=None)
    if not dialect.has_shapes_in_bars:
        allocation = replace(allocation, parameter_shape=None, output_shape=None)
    return allocation


def _said_of_peak(peak: PrintedPeak, spelling: PeakSpelling) -> PrintedPeak:
    if spelling != "cumulative":
        peak = replace(peak, rows=tuple(row._replace(cumulative_bytes=None) for row in peak.rows))
    if spelling == "bare":
        peak = replace(peak, rows=tuple(row._replace(shape_index=None) for row in peak.rows))
    return peak


def _allocation_lines(dump: Dump, dialect: Dialect) -> Iterator[str]:
    yield "BufferAssignment:\n"
    for number, allocation in enumerate(dump.allocations):
        yield f"allocation {allocation.index}: {''.join(_attributes(allocation, dialect))}:\n"
        tenants = [value for value in dump.values if value.allocation == number]
        yield from (f" value: {_value(value)}\n" for value in tenants)
        if dialect.notes_other_colors and tenants:
            yield " reused by buffers of a different color:\n"
            yield from (f"  value: {_head(dump, value)} (color=0)\n" for value in tenants)


def _attributes(allocation: Allocation, dialect: Dialect) -> Iterator[str]:
    if dialect.has_addresses:
        yield f"0x{allocation.index + 0x55D0:x}, "
    yield f"size {allocation.size_bytes}"
    if allocation.color:
        yield f", color {allocation.color}"
    if dialect.has_pages and allocation.page is not None:
        yield f", page {allocation.page}"
    if allocation.parameter is not None:
        bars = dialect.has_shapes_in_bars and allocation.parameter_shape is not None
        shape = f", shape |{allocation.parameter_shape}|" if bars else ""
        yield f", parameter {allocation.parameter}{shape} at ShapeIndex {allocation.parameter_shape_index}"
    if dialect.has_shapes_in_bars and allocation.output_shape is not None:
        yield f", output shape is |{allocation.output_shape}|"
    yield ", constant" if allocation.is_constant else ""
    yield ", thread-local" if allocation.is_thread_local else ""
    yield ", maybe-live-out" if allocation.is_maybe_live_out else ""
    yield ", preallocated-temp" if allocation.is_preallocated_temp else ""
    yield from (f", {attribute}" for attribute in allocation.unknown_attributes)


def _value(value: Value) -> str:
    index = _index_of(value.key, is_tuple=value.shape.startswith("("))
    head = f"<{value.id} {value.key.name}{index}{_marks(value)}>"
    return f"{head} (size={value.size_bytes},offset={value.offset_bytes}): {value.shape}"


def _head(dump: Dump, value: Value | UsedValue) -> str:
    """Return the index, which is printed where the defining instruction returns a tuple."""
    table = dump.number_of.get(value.key.name + WHOLE)
    index = _index_of(value.key, is_tuple=table is not None and dump.values.shapes[table].startswith("("))
    return f"<{value.id} {value.key.name}{index}{_marks(value)}>"


def _index_of(key: ValueKey, *, is_tuple: bool) -> str:
    return key.shape_index if is_tuple or key.shape_index != WHOLE else ""


def _marks(value: Value | UsedValue) -> str:
    return (" (phi)" if value.is_phi else "") + ("" if value.color is None else f" @{value.color}")


def _value_lines(dump: Dump, dialect: Dialect) -> Iterator[str]:
    yield "\n"
    if dialect.has_total and dump.total_bytes is not None:
        words = f" ({rounded_by_xla(dump.total_bytes)})" if dialect.is_total_in_words else ""
        yield f"Total bytes used: {dump.total_bytes}{words}\n\n"
    if dump.used_values is not None:
        yield "Used values:\n"
        for used in dump.used_values:
            yield from _used_value_lines(dump, used, dialect)


def _used_value_lines(dump: Dump, used: UsedValue, dialect: Dialect) -> Iterator[str]:
    yield f"{_head(dump, used)}\n positions:\n{used.positions_text.decode()} uses:\n{used.uses_text.decode()}"
    if dialect.says_none and not used.uses_text:
        yield "  (none)\n"
    text = instruction_text(dump, used)
    if text is None:
        return
    match dialect.instructions:
        case "tight":
            yield f" from instruction:{text}\n"
        case "glued":
            yield f" from instruction: {text}"
        case "spaced":
            yield f" from instruction: {text}\n"


def position_rows(positions: Iterable[Position]) -> bytes:
    return "".join(f"  {name}{_row_index(index)}\n" for name, index in positions).encode()


def use_rows(uses: Iterable[Use]) -> bytes:
    return "".join(f"  {name}, operand {operand}{_row_index(index)}\n" for name, operand, index in uses).encode()


def _row_index(index: str) -> str:
    return "" if index == WHOLE else f" {index}"


def _live_range_lines(dump: Dump, dialect: Dialect) -> Iterator[str]:
    if not dialect.has_live_ranges:
        return
    if dump.live_ranges is None:
        yield f"{dump.live_range_note}\n" if dump.live_range_note else ""
        return
    yield f"HloLiveRange (max {dump.schedule_length}):\n  InstructionSequence:\n"
    yield from (f"    {moment}:{name}\n" for moment, name in dump.schedule)
    yield "  BufferLiveRange:\n"
    yield from (f"    {live.key}:{live.start}-{live.end}\n" for live in dump.live_ranges)
    if dump.live_range_note:
        yield f"  {dump.live_range_note}\n"
    if dump.printed_peak:
        yield f"  Live ranges at {dump.printed_peak.moment} (peak):\n"
        yield from (_peak_row(row, dialect.peak_rows) for row in dump.printed_peak.rows)
    if dump.stack_trace and dialect.has_stack_trace:
        yield from _stack_trace_lines(dump.stack_trace)


def _peak_row(row: PeakRow, spelling: PeakSpelling) -> str:
    index = "" if spelling == "bare" else row.shape_index or ""
    is_summed = spelling == "cumulative" and row.cumulative_bytes is not None
    total = f" (cumulative: {row.cumulative_bytes} bytes)" if is_summed else ""
    return f"    {row.name}{index}: {row.size_bytes} bytes{total}\n"


def _stack_trace_lines(trace: StackTrace) -> Iterator[str]:
    yield f"  Stack trace breakdown for peak usage: {_spaced(trace.total_bytes)} bytes\n"
    for frame in trace.frames:
        yield (
            f"{_branch(frame)}{frame.label} ({frame.percent}%, total: {_spaced(frame.total_bytes)} bytes,"
            f" current: {_spaced(frame.current_bytes)} bytes, remaining: {_spaced(frame.remaining_bytes)} bytes)\n"
        )


def _branch(frame: StackFrame) -> str:
    """Return the branch; whether a column continues below (`│`) adds nothing to the depth."""
    if frame.depth == 0:
        return "    "
    columns = "".join("│   " if column % 2 else "    " for column in range(1, frame.depth))
    return f"      {columns}{'├' if frame.label else '└'}── "


def _spaced(number: int) -> str:
    return f"{number:,}".replace(",", " ")
