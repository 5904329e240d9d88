"""The table of a peak, declared once: what its rows are, how a dump fills them, and the columns of every grouping.

Pages, `explain` and report.json show what is declared here. A column needs a field of `PeakFigures`, what
`peak_figures` puts into it, and a `Column` in `peak_columns`.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.peak_groups import PeakGroup
from reportgen.analyse.records import Share
from reportgen.document import Bytes, Count, document
from reportgen.parse.shape_parser import plain_shape
from reportgen.program.author import lines_of_authors
from reportgen.reports.column import Column
from reportgen.reports.formats import more_lines
from reportgen.reports.report import Report, key_text
from reportgen.reports.source_words import line_words


@document()
class PeakFigures:
    """Bytes of a resident peak that are one row of its table."""

    size_bytes: Bytes
    """Their size at the peak, in bytes."""
    class_: MemoryClass
    """The class of memory."""
    source: str | None
    """The source line of the first of them, as FILE:LINE; null if it is not known."""
    read_first: str | None
    """The line that reads the first of them first, if that is an argument, as FILE:LINE; else null."""

    @property
    def parts(self) -> Sequence[tuple[str, int]]:
        """The bytes by the color that they are drawn in, which is that of their class of memory."""
        return ((self.class_, self.size_bytes),)


@document()
class PeakBuffers(PeakFigures):
    """Bytes of the resident peak that a person counts as one: numbered siblings of one name and shape."""

    buffers: Count
    """The number of buffers; 0 for memory that is reserved and never used."""
    name: str | None
    """The argument or operation, with # for numbers and * for parts that differ; null if it is not known."""
    shape: str | None
    """Their shape; null for memory that is reserved and never used."""
    reserved: bool
    """Whether the bytes are reserved for these buffers while none of them is live."""
    lines: Count
    """The number of source lines that fill them or, of arguments, read them first; one of these is above."""


@document()
class PeakPart(PeakFigures):
    """A part of the resident peak."""

    source: str | None
    """The source line of the operation that fills the buffer, or of the first to read it where that has no name, as
    FILE:LINE; null if neither is known."""
    read_first: str | None
    """The source line of the operation that reads an argument first, as FILE:LINE; null for other buffers, or if that
    is not known."""
    value: str | None
    """The value that holds it; null for bytes that no live value holds."""
    shape: str | None
    """The shape of the value, without its layout; null without a value."""
    scope: str | None
    """The name of the argument that the buffer is, or the operation that fills it; null if that is not known."""
    argument: str | None
    """The argument that the buffer is, or in whose memory it lies, by its name or its number; null for other
    buffers."""
    allocation: Count
    """The index of the allocation, as XLA prints it."""


_Row = TypeVar("_Row", bound=PeakFigures)


def peak_figures(
    cls: type[_Row], report: Report, size_bytes: int, kind: MemoryClass, buffers: Sequence[int], /, **more: Any
) -> _Row:
    """Return bytes of a peak as a row; `buffers` has a value of each buffer that they belong to, the largest first.

    `more` are the fields that `cls` has beyond those of `PeakFigures`.
    """
    author = report.attribution(buffers[0]) if buffers else None
    source, read_first = (author.source or None, author.read_first or None) if author else (None, None)
    return cls(size_bytes=size_bytes, class_=kind, source=source, read_first=read_first, **more)


def peak_buffers(report: Report, group: PeakGroup) -> PeakBuffers:
    """Return numbered siblings of one shape; their line is that of the first, as on pages."""
    return peak_figures(
        PeakBuffers,
        report,
        group.size_bytes,
        group.memory_class,
        group.buffers,
        buffers=len(group.buffers),
        name=group.name or None,
        shape=group.shape or None,
        reserved=group.is_held,
        lines=len(lines_of_authors(map(report.attribution, group.buffers))),
    )


def peak_part(report: Report, share: Share) -> PeakPart:
    """Return a part of a peak; what belongs to a value is None for bytes that no live value holds."""
    allocation = report.analysis.dump.allocations[share.allocation]
    value = None if share.value is None else report.analysis.facts[share.value].value
    author = None if share.value is None else report.attribution(share.value)
    return peak_figures(
        PeakPart,
        report,
        share.size_bytes,
        memory_class(allocation),
        () if share.value is None else (share.value,),
        value=key_text(value.key) if value else None,
        shape=plain_shape(value.shape) if value else None,
        scope=(author.scope_name or None) if author else None,
        argument=(author.argument or None) if author else None,
        allocation=allocation.index,
    )


def peak_columns(*own: Column[_Row]) -> tuple[Column[_Row], ...]:
    """Return the columns of a peak's table; `own` are those by which a grouping names its rows."""
    return (
        Column("size", "Bytes", "bytes", lambda row: row.size_bytes),
        Column("share", "Share", "parts", lambda row: row.parts),
        *own,
    )


def buffer_columns() -> tuple[Column[PeakBuffers], ...]:
    """Return the columns of a peak by operation, where words are all there is."""
    return peak_columns(
        Column("name", "Operation or argument", "name", lambda row: row.name or "reserved, never used"),
        Column("shape", "What", "code", _shape_words),
        Column("line", "Line", "line", _line_words),
        Column("class", "Class", "class", lambda row: row.class_),
    )


def _shape_words(row: PeakBuffers) -> str:
    times = f"{row.buffers:,} × " if row.buffers > 1 else ""
    held = "reserved, " if row.reserved and row.buffers else ""
    return f"{held}{times}{row.shape or ''}"


def _line_words(row: PeakBuffers) -> str:
    more = more_lines(row.lines)
    if row.source:
        return f"{line_words(row.source)}{more}"
    return f"read at {line_words(row.read_first)}{more}" if row.read_first else ""
