"""The dump's own lines around a place, so that a reader can check what the report says of them.

Lines can be megabytes long and dumps hundreds of them, so lines are cut as bytes and never split up.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from reportgen.render.formats import shortened, soft_breaks
from reportgen.render.module import Module
from reportgen.source import Place, TextPart

LONGEST = 300
_AROUND = 2
_MOST_BYTES = 4 * LONGEST
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class ExcerptLine(NamedTuple):
    """A line of a dump's file, counted from 1, shortened; `is_it` marks the one that was asked for."""

    number: int
    text: str
    is_it: bool


def excerpt(module: Module, place: Place) -> list[ExcerptLine]:
    """The line of a place, with two lines before and after it."""
    for part, base in module.analysis.dump.text.parts_with_bases():
        if base <= place <= base + len(part.data):
            return _around(part, place - base)
    return []


def excerpt_table(lines: Sequence[ExcerptLine], file: str) -> Markup:
    """The lines with their numbers in `file`; a string, because each of thousands of pages has one."""
    if not lines:
        return Markup("")
    name = shortened(file)
    label = f"Lines {lines[0].number} to {lines[-1].number} of {escape(name)}"
    return Markup(
        f'<div class="scroll" tabindex="0" role="group" aria-label="{label}">\n<table class="excerpt">\n'
        f"<caption><code>{soft_breaks(name)}</code></caption>\n<tbody>\n"
        f"{''.join(map(_row, lines))}</tbody>\n</table>\n</div>\n"
    )


def _row(line: ExcerptLine) -> str:
    mark, told = (' class="it"', '<span class="hidden"> the line</span>') if line.is_it else ("", "")
    number = f'<th scope="row" class="number">{line.number}{told}</th>'
    return f"<tr{mark}>{number}<td><code>{escape(line.text)}</code></td></tr>\n"


def _around(part: TextPart, offset: int) -> list[ExcerptLine]:
    here = _line_start(part, offset)
    before = [here]
    while len(before) <= _AROUND and before[-1] > part.start:
        before.append(_line_start(part, before[-1] - 1))
    number, start = part.location(before[-1]).line, before[-1]
    lines: list[ExcerptLine] = []
    while start < part.end and len(lines) < len(before) + _AROUND:
        end = _line_end(part, start)
        text = _shown(part.data[start : min(end, start + _MOST_BYTES)])
        lines.append(ExcerptLine(number + len(lines), text, start == here))
        start = end + 1
    return lines


def _line_start(part: TextPart, offset: int) -> int:
    newline = part.data.rfind(b"\n", part.start, offset)
    return part.start if newline < 0 else newline + 1


def _line_end(part: TextPart, offset: int) -> int:
    newline = part.data.find(b"\n", offset, part.end)
    return part.end if newline < 0 else newline


def _shown(raw: bytes) -> str:
    text = _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", raw.decode("utf-8", "replace").rstrip("\r"))
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
