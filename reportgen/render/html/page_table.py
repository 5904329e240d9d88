"""Tables of pages from columns: each kind has one form of cell, and the heads tell scripts what the columns are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any, TypeVar

from markupsafe import Markup

from reportgen.record import record
from reportgen.render.drawings.life import life_strip
from reportgen.render.html.marks import bar, chip
from reportgen.render.html.markup import bytes_markup, count_markup
from reportgen.reports.column import Column, Kind, range_text
from reportgen.reports.formats import percent

_Row = TypeVar("_Row")

_LONGEST_CODE = 60
_NUMBER = ' class="number"'
_AMOUNTS = frozenset({"amount", "bytes", "change", "count", "moment", "parts"})
_LOOKS: Mapping[Kind, str] = {"amount": _NUMBER, "change": _NUMBER, "bar": ' class="bars"', "share": ' class="bars"'}
"""The classes of cells. Others need none, because the styles know what is in them, or where they are."""


@record
class PageTable:
    """A table of a page: the cells of its head, its rows, and how many columns it has."""

    heads: Markup
    rows: Markup
    width: int


def table(
    columns: Sequence[Column[_Row]],
    rows: Iterable[_Row | Markup],
    *,
    whole: int = 0,
    largest: int = 0,
    attributes: Callable[[_Row], str] = lambda _: "",
    for_scripts: bool = False,
) -> PageTable:
    """Return a table; shares are those of `whole` bytes, and `attributes` are those of a row's element.

    Bars of parts are in the scale of the `largest`. A row that is HTML already stays as it is.
    The heads of one that is `for_scripts` say what its columns are, so that scripts can make any row of it.
    """
    cells = [(_start(column), _drawn(column.kind, whole, largest), column.of) for column in columns]

    # HTML allows a cell without its end tag, which a thousand rows would repeat.
    def drawn(row: _Row) -> str:
        return "".join([f"{start}{draw(of(row))}" for start, draw, of in cells])

    return PageTable(
        heads=Markup("\n".join([_head(column, for_scripts=for_scripts) for column in columns])),
        rows=Markup(
            "\n".join([row if isinstance(row, Markup) else f"<tr{attributes(row)}>{drawn(row)}" for row in rows])
        ),
        width=len(columns),
    )


def _head(column: Column[Any], *, for_scripts: bool) -> str:
    data = f' data-column="{column.key}" data-kind="{column.kind}"' if for_scripts else ""
    if column.kind in ("bar", "share"):
        return f'<th scope="col" class="bars"{data}><span class="hidden">{escape(column.head)}</span></th>'
    look = _NUMBER if column.kind in _AMOUNTS else ""
    if column.kind == "life":
        look = ' title="lighter while idle"'
    name = " data-names-rows" if for_scripts and column.names_rows else ""
    return f'<th scope="col"{look}{data}{name}>{escape(column.head)}</th>'


def _start(column: Column[Any]) -> str:
    return '<th scope="row">' if column.names_rows else f"<td{_LOOKS.get(column.kind, '')}>"


def _drawn(kind: Kind, whole: int, largest: int) -> Callable[[Any], str]:
    """Return what draws the cells of a kind."""
    if kind == "parts":
        scale = largest or whole
        return lambda parts: (bar(parts, scale) if whole else "") + percent(sum(size for _, size in parts), whole)
    if kind == "bar":
        return lambda part: bar([part], max(largest, 1))
    if kind == "share":
        return lambda size: "" if size is None else bar([("plain", size)] if size else [], whole)
    return _CELLS.get(kind, _text)


def _text(cell: Markup | str) -> str:
    return cell if isinstance(cell, Markup) else escape(cell)


def _code(cell: Markup | str) -> str:
    if isinstance(cell, Markup):
        return cell
    shown = cell if len(cell) <= _LONGEST_CODE else f"{cell[: _LONGEST_CODE - 1]}…"
    return f"<code>{escape(shown)}</code>"


_CELLS: Mapping[Kind, Callable[[Any], str]] = {
    "bytes": bytes_markup,
    "chip": lambda looked: chip(*looked),
    "code": _code,
    "count": count_markup,
    "life": life_strip,
    "moment": lambda moment: moment if isinstance(moment, Markup) else "–" if moment is None else f"{moment:,}",
    "range": range_text,
}
"""How each kind is drawn; all others are words, or HTML from a column that knows the links of its page."""
