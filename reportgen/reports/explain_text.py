"""An explanation as text for a terminal: at most 60 lines, none of them wider than the terminal."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from reportgen.reports.explain_sections import Section, SizeRow
from reportgen.reports.formats import end_of, percent, visible
from reportgen.reports.styled_text import Span, Style, TextLine

MOST_LINES = 60
NARROWEST = 40

_BAR = 10
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LEAST_FOR_BARS = 64
_SHARE, _GAP = 8, 2
_LEAST_NAME, _LEAST_COLUMN = 12, 9
_LONGEST_LINE, _LONGEST_WHAT = 28, 34
_INDENT = "  "


def explanation_lines(sections: Iterable[Section], width: int, *, draws: bool = True) -> list[TextLine]:
    """Return the lines of an explanation; with `draws`, bars of block elements, which not every encoding has."""
    width = max(width, NARROWEST)
    lines: list[TextLine] = []
    for section in sections:
        lines += [*([()] if lines else []), *_section(section, width, draws=draws)]
    if len(lines) <= MOST_LINES:
        return lines
    left_out = f"{len(lines) - MOST_LINES + 1:,} more lines are left out; --json prints all."
    return [*lines[: MOST_LINES - 1], (Span(left_out[:width], "quiet"),)]


def _section(section: Section, width: int, *, draws: bool) -> Iterator[TextLine]:
    yield (Span(_cut(section.title, width), "title"),)
    first, *rest = section.sentences or ("",)
    if first:
        yield from _wrapped(first, width, section.tone or "")
    for sentence in rest:
        yield from _wrapped(sentence, width)
    yield from _table(section.rows, width, draws=draws)
    for text, detail, code in section.items:
        yield from _wrapped(text, width, before="- ")
        if code and len(_INDENT) + len(detail) + 2 + len(code) <= width:
            yield (Span(f"{_INDENT}{detail}; "), Span(_on_one_line(code), "quiet"))
            continue
        if detail:
            yield from _wrapped(detail, width, before=_INDENT)
        if code:
            yield (Span(_INDENT), Span(_cut(code, width - len(_INDENT)), "quiet"))


def _wrapped(text: str, width: int, style: Style = "", before: str = "") -> Iterator[TextLine]:
    after = " " * len(before)
    for number, line in enumerate(wrap(visible(text), width - len(before), break_on_hyphens=False)):
        yield (Span((after if number else before) + line, style),)


def _table(rows: Sequence[SizeRow], width: int, *, draws: bool) -> Iterator[TextLine]:
    """Yield a line for each row. A narrow terminal has no bars and no shapes, because names and lines say more."""
    sizes = max((len(row.size) for row in rows), default=0)
    bars = _BAR + 1 if width >= _LEAST_FOR_BARS else 0
    room = width - _SHARE - bars - sizes - 2
    names = max((len(row.name) for row in rows), default=0)
    places = _column([row.line for row in rows], min(_LONGEST_LINE, room - _LEAST_NAME))
    whats = _column([row.what for row in rows], min(_LONGEST_WHAT, room - places - min(names, 2 * _LEAST_NAME)))
    names = min(names, room - places - whats)
    for row in rows:
        cells = [f"{_end(row.name, names):<{names}}"]
        cells += [f"{_cut(row.what, whats - _GAP):<{whats - _GAP}}"] if whats else []
        cells += [_end(row.line, places - _GAP)] if places else []
        bar = _bar(row.part, row.whole, draws=draws) + " " if bars else ""
        share = f"{percent(row.part, row.whole):>{_SHARE - 1}} "
        yield (Span(share), Span(bar, "bar"), Span(f"{row.size:>{sizes}}  {'  '.join(cells)}".rstrip()))


def _column(texts: Sequence[str], most: int) -> int:
    """Return the width of a column with the gap before it; 0 if it is empty or would be too narrow to read."""
    width = min(max(map(len, texts), default=0) + _GAP, most)
    return width if any(texts) and width >= _LEAST_COLUMN else 0


def _bar(part: int, whole: int, *, draws: bool) -> str:
    """Return a bar of ten characters, in eighths of one if the terminal can draw them."""
    eighths = min(round(8 * _BAR * part / whole), 8 * _BAR) if whole else 0
    if not draws:
        return f"{'#' * (eighths // 8):<{_BAR}}"
    return f"{'█' * (eighths // 8)}{_EIGHTHS[eighths % 8].strip()}".ljust(_BAR)


def _cut(text: str, most: int) -> str:
    shown = _on_one_line(text)
    return shown if len(shown) <= most else f"{shown[: max(most - 1, 0)]}…"


def _end(text: str, most: int) -> str:
    return end_of(_on_one_line(text), most)


def _on_one_line(text: str) -> str:
    return visible(" ".join(text.split()))
