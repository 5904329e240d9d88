"""Parse a text into a `Dump` in one pass, by the shapes of its lines and never by the version of the compiler.

A line that matches no shape is kept, counted and reported with its location; parsing continues after it.
"""

import re
from collections.abc import Callable, Sequence

from reportgen.input.dump_text import DumpText
from reportgen.model import Dump, PrintedPeak
from reportgen.parse import allocations, live_ranges, used_values
from reportgen.parse.line_shapes import LineMismatch
from reportgen.parse.scan import Collected, Scan
from reportgen.patterns import repeated

_MOST_UNPARSED = 1_000_000
"""More unknown lines than any dump has; those that follow are only counted."""
_EMPTY_LINES = re.compile(repeated(rb"\r?\n", 1))

Reader = Callable[[Scan, int], int]


def parse_dump(text: DumpText) -> Dump:
    """Return everything that the text says, in linear time. Never raises an exception, whatever the text contains."""
    collected = Collected()
    for part, base in text.parts_with_bases():
        scan = Scan(part.data, base, len(part.data), collected)
        data, position = part.data, 0
        while position < len(data):
            reader = _READERS.get(data[position : position + 2]) or _READERS.get(
                data[position : position + 1], _unknown
            )
            try:
                position = reader(scan, position)
            except LineMismatch as mismatch:
                position = scan.keep_unparsed(position, mismatch.offset, mismatch.expected)
                if collected.unparsed_count > _MOST_UNPARSED:
                    position = scan.give_up(position)
    return _finished(collected, text)


def _blank(scan: Scan, position: int) -> int:
    """Skip all empty lines at once, because a few kilobytes may decompress to a hundred million of them."""
    match = _EMPTY_LINES.match(scan.data, position, scan.end)
    return match.end() if match else scan.line_end(position)


def _unknown(scan: Scan, position: int) -> int:
    raise LineMismatch(position, "a line of a buffer assignment")


def _indented(scan: Scan, position: int) -> int:
    """Parse a line that begins with a space; return the start of the next line. Raises LineMismatch."""
    data = scan.data
    if data.startswith(b"    ", position):
        return live_ranges.rows(scan, position)
    for start, reader in _INDENTED:
        if data.startswith(start, position):
            return reader(scan, position)
    # Only rows are left. They come here because a damaged line has interrupted their list; all others are read with
    # its heading.
    after = position
    if scan.rows == "positions":
        after = used_values.position_rows(scan, position)
    elif scan.rows == "uses":
        after = used_values.use_rows(scan, position)
    if after == position:
        raise LineMismatch(position, "a row of the list above" if scan.rows else "a line of a buffer assignment")
    return after


_INDENTED: tuple[tuple[bytes, Reader], ...] = (
    (b"  InstructionSequence:", live_ranges.sequence_heading),
    (b"  BufferLiveRange:", live_ranges.range_heading),
    (b"  Live ranges at ", live_ranges.peak_heading),
    (b"  Stack trace breakdown", live_ranges.stack_trace),
    (b"  Peak memory could not", live_ranges.peak_absent),
    (b"  value: <", allocations.other_color_value),
)
# Entries and empty lines have a key of one byte, because any byte may follow it.
_READERS: dict[bytes, Reader] = {
    b"Bu": allocations.heading,
    b"al": allocations.allocation,
    b" v": allocations.values,
    b" r": allocations.other_color_heading,
    b"To": allocations.total,
    b"Us": used_values.heading,
    b"<": used_values.entries,
    b" p": used_values.positions,
    b" u": used_values.uses,
    b" f": used_values.instruction,
    b"Hl": live_ranges.heading,
    b"  ": _indented,
    b"\r\n": _blank,
    b"\n": _blank,
}


def _finished(collected: Collected, text: DumpText) -> Dump:
    """Return what was collected as a dump in which equal names are one string."""
    # A dump says each name three times, and each time is a text of its own until here.
    _share(collected.schedule.names, collected.values.names)
    _share(collected.live_ranges.keys if collected.live_ranges else [], collected.values.keys)
    moment, rows, offset = collected.peak_moment, tuple(collected.peak_rows), collected.peak_text_offset
    return Dump(
        allocations=tuple(collected.allocations),
        values=collected.values,
        total_bytes=collected.total_bytes,
        total_text_offset=collected.total_text_offset,
        used_values=None if collected.used_values is None else collected.all_used_values(),
        schedule_length=collected.schedule_length,
        schedule=collected.schedule,
        schedule_text_offset=collected.schedule_text_offset,
        live_ranges=collected.live_ranges,
        live_range_note=collected.live_range_note,
        printed_peak=None if moment is None else PrintedPeak(moment=moment, rows=rows, text_offset=offset),
        stack_trace=collected.stack_trace,
        unparsed=tuple(collected.unparsed),
        unparsed_count=collected.unparsed_count,
        text=text,
    )


def _share(texts: list[str], known: Sequence[str]) -> None:
    """Replace each text by an equal one that is known, so that both are kept once."""
    own = dict(zip(known, known, strict=True))
    texts[:] = map(own.get, texts, texts)
