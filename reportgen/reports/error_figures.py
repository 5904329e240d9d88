"""The out-of-memory errors of texts in `report.json`. A printed size is rounded, so each size is a range."""

from reportgen.analyse.logged_errors import LoggedError
from reportgen.oom.error_event import LoggedBuffer
from reportgen.reports.error_causes import excess_of
from reportgen.reports.error_story import story_of
from reportgen.reports.report_document import ErrorBuffer, ErrorFigures, ErrorTotal

LARGEST_BUFFERS = 20
"""Buffers of an error that are listed one by one."""


def error_figures(error: LoggedError) -> ErrorFigures:
    """Return what a text says of an error; None for what it does not say."""
    event, story = error.event, story_of(error.event)
    largest = sorted(event.buffers, key=lambda buffer: -(buffer.size.middle if buffer.size else 0))
    return ErrorFigures(
        path=error.label,
        lines=event.lines,
        kind=event.kind,
        module=event.module or None,
        space=event.space or None,
        needed=event.needed,
        usable=event.capacity,
        excess=excess_of(event),
        free=event.free,
        form=event.name,
        causes=tuple(story.causes),
        says=tuple(story.about),
        next_step=story.next_step,
        would_fit=story.would_fit or None,
        totals=tuple(ErrorTotal(name=total.name, size=total.size) for total in event.totals),
        buffers=tuple(map(_buffer, largest[:LARGEST_BUFFERS])),
    )


def _buffer(buffer: LoggedBuffer) -> ErrorBuffer:
    return ErrorBuffer(
        size=buffer.size,
        shape=buffer.shape or None,
        instruction=buffer.instruction or None,
        opcode=buffer.opcode or None,
        op_name=buffer.op_name or None,
        source=f"{buffer.source_file}:{buffer.source_line}" if buffer.source_file else None,
    )
