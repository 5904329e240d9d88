"""Tables of pages from columns: each kind has one form of cell, and the heads tell scripts what the columns are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any, TypeVar

from markupsafe import Markup

from reportgen.record import record
from reportgen.render.drawings.life import life_strip
from reportgen.render.html.marks import bar, chip
from reportgen.render.html.markup import bytes_markup, count_markup
from reportgen.reports.column import Column, Kind
from reportgen.reports.formats import percent
from reportgen.reports.text_table import range_text

_Row = TypeVar("_Row")

_LONGEST_CODE = 60
_NUMBER = ' class="number"'
_LEFT = ' class="left"'
_LOOKS: Mapping[Kind, str] = {
    "bytes": _NUMBER,
    "count": _NUMBER,
    "moment": _NUMBER,
    "parts": ' class="number share"',
}
_LOOKS_OF_VALUES: Mapping[Kind, str] = {"allocation": _LEFT, "origin": _LEFT}
"""In a table of values, cells are of numbers unless they say otherwise, which is shorter."""


@record
class PageTable:
    """A table of a page: the cells of its head, its rows, and how many columns it has."""

    heads: Markup
    rows: Markup
    width: int


def table(
    columns: Sequence[Column[_Row]],
    rows: Iterable[_Row],
    *,
    whole: int = 0,
    attributes: Callable[[_Row], str] = lambda _: "",
    for_scripts: bool = False,
    is_of_values: bool = False,
) -> PageTable:
    """Return a table; parts are those of `whole` bytes, and `attributes` are those of a row's element.

    The heads of one that is `for_scripts` say what its columns are, so that scripts can make any row of it.
    """
    looks = _LOOKS_OF_VALUES if is_of_values else _LOOKS
    cells = [(_start(column, looks), _drawn(column.kind, whole), column.of) for column in columns]
    # HTML allows a cell without its end tag, which a thousand rows would repeat.
    made = [f"<tr{attributes(row)}>{''.join([f'{start}{draw(of(row))}' for start, draw, of in cells])}" for row in rows]
    heads = "\n".join(_head(column, for_scripts=for_scripts) for column in columns)
    return PageTable(heads=Markup(heads), rows=Markup("\n".join(made)), width=len(columns))


def _head(column: Column[Any], *, for_scripts: bool) -> str:
    look = _NUMBER if column.kind in _LOOKS else ' title="lighter while idle"' if column.kind == "life" else ""
    data = f' data-column="{column.key}" data-kind="{column.kind}"' if for_scripts else ""
    name = " data-names-rows" if for_scripts and column.names_rows else ""
    return f'<th scope="col"{look}{data}{name}>{escape(column.head)}</th>'


def _start(column: Column[Any], looks: Mapping[Kind, str]) -> str:
    return '<th scope="row">' if column.names_rows else f"<td{looks.get(column.kind, '')}>"


def _drawn(kind: Kind, whole: int) -> Callable[[Any], str]:
    """Return what draws the cells of a kind."""
    if kind == "parts":
        return lambda parts: (bar(parts, whole) if whole else "") + percent(sum(size for _, size in parts), whole)
    return _CELLS.get(kind, _text)


def _text(cell: Markup | str) -> str:
    return cell if isinstance(cell, Markup) else escape(cell)


def _code(cell: Markup | str) -> str:
    if isinstance(cell, Markup):
        return cell
    return f"<code>{escape(cell if len(cell) <= _LONGEST_CODE else f'{cell[: _LONGEST_CODE - 1]}…')}</code>"


_CELLS: Mapping[Kind, Callable[[Any], str]] = {
    "bytes": bytes_markup,
    "chip": lambda looked: chip(*looked),
    "classes": lambda classes: " ".join(chip(f"class-{kind}", kind) for kind in classes),
    "code": _code,
    "count": count_markup,
    "life": life_strip,
    "moment": lambda moment: "–" if moment is None else f"{moment:,}",
    "range": range_text,
}
"""How each kind is drawn; all others are words, or HTML from a column that knows the links of its page."""
