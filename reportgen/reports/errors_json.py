"""The out-of-memory errors of texts in `report.json`. A printed size is rounded, so each size is a range."""

from typing import Any

from reportgen.analyse.logged_errors import LoggedError
from reportgen.oom.error_event import LoggedBuffer, Total
from reportgen.oom.printed_size import SizeRange
from reportgen.reports.error_causes import excess_of, explained
from reportgen.reports.error_words import about, next_step, would_fit

LARGEST_BUFFERS = 20
"""Buffers of an error that are listed one by one."""


def error_json(error: LoggedError) -> dict[str, Any]:
    """Return what a text says of an error; null for what it does not say."""
    event = error.event
    largest = sorted(event.buffers, key=lambda buffer: -(buffer.size.middle if buffer.size else 0))
    return {
        "path": error.label,
        "line": event.line,
        "times": event.times,
        "kind": event.kind,
        "module": event.module or None,
        "space": event.space or None,
        "needed": range_json(event.needed),
        "usable": range_json(event.capacity),
        "too_much": range_json(excess_of(event)),
        "free": range_json(event.free),
        "form": event.name,
        "causes": explained(event).sentences,
        "says": [*about(event)],
        "next_step": next_step(event),
        "would_fit": would_fit(event) or None,
        "totals": [_total(total) for total in event.totals],
        "buffers": [_buffer(buffer) for buffer in largest[:LARGEST_BUFFERS]],
    }


def range_json(size: SizeRange | None) -> dict[str, int] | None:
    """Return the least and the most bytes that a printed size stands for."""
    return None if size is None else {"low_bytes": size.low, "high_bytes": size.high}


def _total(total: Total) -> dict[str, Any]:
    return {"name": total.name, "size": range_json(total.size)}


def _buffer(buffer: LoggedBuffer) -> dict[str, Any]:
    return {
        "size": range_json(buffer.size),
        "shape": buffer.shape or None,
        "instruction": buffer.instruction or None,
        "opcode": buffer.opcode or None,
        "op_name": buffer.op_name or None,
        "source": f"{buffer.source_file}:{buffer.source_line}" if buffer.source_file else None,
    }
