"""An explanation as text for a terminal: at most 60 lines, none of them wider than the terminal."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from textwrap import wrap

from reportgen.reports.column import Kind, TextTable
from reportgen.reports.explain_sections import Section
from reportgen.reports.formats import end_of, percent, visible
from reportgen.reports.styled_text import Span, Style, TextLine

MOST_LINES = 64
NARROWEST = 40

_BAR = 10
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LEAST_FOR_BARS = 64
_SHARE, _GAP = 8, 2
_LEAST_COLUMN = 9
_LONGEST: Mapping[Kind, int] = {"line": 28, "code": 34}
"""The columns that may be cut, with their gap; others get what they need, or are left out."""
_LEFT_TO_NAMES: Mapping[Kind, int] = {"line": 12, "range": 16, "code": 24, "count": 16, "class": 24}
"""The columns after the name in the order in which they get room, and how much of it they leave to names."""
_INDENT = "  "


def explanation_lines(sections: Iterable[Section], width: int, *, draws: bool = True) -> list[TextLine]:
    """Return the lines of an explanation; with `draws`, bars of block elements, which not every encoding has."""
    width = max(width, NARROWEST)
    lines: list[TextLine] = []
    for section in sections:
        if lines:
            lines.append(())
        lines += _section(section, width, draws=draws)
    if len(lines) <= MOST_LINES:
        return lines
    left_out = f"{len(lines) - MOST_LINES + 1:,} more lines are left out; --json prints all."
    return [*lines[: MOST_LINES - 1], (Span(left_out[:width], "quiet"),)]


def _section(section: Section, width: int, *, draws: bool) -> Iterator[TextLine]:
    """Yield the title, the sentences, the table and the items of a section; its tone is that of the first sentence."""
    yield (Span(_cut(section.title, width), "title"),)
    for number, sentence in enumerate(section.sentences):
        tone = section.tone if number == 0 else None
        yield from _wrapped(sentence, width, tone or "")
    if section.table:
        yield from _table(section.table, width, draws=draws)
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


def _table(table: TextTable, width: int, *, draws: bool) -> Iterator[TextLine]:
    """Yield a line for each row. A narrow terminal has no bars and no shapes, because names and lines say more."""
    sizes = max((len(row.amount) for row in table.rows), default=0)
    bars = _BAR + 1 if width >= _LEAST_FOR_BARS else 0
    widths = _widths(table, width - _SHARE - bars - sizes - 2)
    for row in table.rows:
        cells = [
            f"{_CUT.get(column.kind, _end)(text, room):<{room}}"
            for column, text, room in zip(table.columns, row.cells, widths, strict=True)
            if room
        ]
        bar = _bar(row.part, table.whole, draws=draws) + " " if bars else ""
        share = f"{percent(row.part, table.whole):>{_SHARE - 1}} "
        yield (Span(share), Span(bar, "bar"), Span(f"{row.amount:>{sizes}}  {'  '.join(cells)}".rstrip()))


def _widths(table: TextTable, room: int) -> list[int]:
    """Return the width of each column, 0 for one that is left out; names have what the others leave.

    A shape or a line may be cut; what is left of it has to be worth reading.
    """
    needs = [max(map(len, cells), default=0) for cells in zip(*(row.cells for row in table.rows), strict=True)]
    name, *others = range(len(needs))
    widths = dict.fromkeys(others, 0)
    for place in sorted(others, key=lambda place: [*_LEFT_TO_NAMES].index(table.columns[place].kind)):
        kind, need = table.columns[place].kind, needs[place] + _GAP
        most = min(_LONGEST.get(kind, need), need, room - min(needs[name], _LEFT_TO_NAMES[kind]))
        if needs[place] and most >= (_LEAST_COLUMN if kind in _LONGEST else need):
            widths[place] = most - _GAP
            room -= most
    return [min(needs[name], room), *widths.values()]


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


_CUT: Mapping[Kind, Callable[[str, int], str]] = {"code": _cut}
"""How a text is cut; others keep their end, which says most of a name."""
