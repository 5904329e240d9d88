"""Quote the dump's own lines around an offset, so that a reader can check what the report says about them.

Lines can be megabytes long and dumps hundreds of megabytes, so only the quoted lines are looked for, and cut as bytes.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from reportgen.input.dump_text import TextOffset, TextPart
from reportgen.render.html.markup import soft_breaks
from reportgen.render.view import Module
from reportgen.reports.formats import cut, shortened

LONGEST = 300
_AROUND = 2
_MOST_BYTES = 4 * LONGEST  # a character of UTF-8 has at most four
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class ExcerptLine(NamedTuple):
    """A line of a dump's file, counted from 1 and shortened; `is_it` marks the one that was asked for."""

    number: int
    text: str
    is_it: bool


def excerpt(module: Module, text_offset: TextOffset) -> list[ExcerptLine]:
    """Return the line at a text offset, with two lines before and after it; none for an offset past the text."""
    for part, base in module.analysis.dump.text.parts_with_bases():
        if base <= text_offset <= base + len(part.data):
            break
    else:
        return []
    here = _line_start(part, text_offset - base)
    starts = [here]
    while len(starts) <= _AROUND and starts[-1] > 0:
        starts.append(_line_start(part, starts[-1] - 1))
    number, start = part.location(starts[-1]).line, starts[-1]
    lines: list[ExcerptLine] = []
    while start < len(part.data) and len(lines) < len(starts) + _AROUND:
        newline = part.data.find(b"\n", start)
        end = len(part.data) if newline < 0 else newline
        raw = part.data[start : min(end, start + _MOST_BYTES)]
        text = _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", raw.decode("utf-8", "replace"))
        lines.append(ExcerptLine(number + len(lines), cut(text, LONGEST), start == here))
        start = end + 1
    return lines


def excerpt_table(lines: Sequence[ExcerptLine], file: str) -> Markup:
    """Return a table of the lines with their numbers in `file`, as a string because thousands of pages have one."""
    if not lines:
        return Markup("")
    name = shortened(file)
    label = f"Lines {lines[0].number} to {lines[-1].number} of {escape(name)}"
    rows = ""
    for line in lines:
        row_class, hidden = (' class="it"', '<span class="hidden"> the line</span>') if line.is_it else ("", "")
        number = f'<th scope="row" class="number">{line.number}{hidden}</th>'
        rows += f"<tr{row_class}>{number}<td><code>{escape(line.text)}</code></td></tr>\n"
    return Markup(
        f'<div class="scroll" tabindex="0" role="group" aria-label="{label}">\n<table class="excerpt">\n'
        f"<caption><code>{soft_breaks(name)}</code></caption>\n<tbody>\n"
        f"{rows}</tbody>\n</table>\n</div>\n"
    )


def _line_start(part: TextPart, offset: int) -> int:
    return part.data.rfind(b"\n", 0, offset) + 1
