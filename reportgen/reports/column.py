"""A table is declared once, as columns; pages, the terminal, Markdown and scripts draw them.

A column takes a cell from the record of a row and says of what kind it is. Each place draws a kind in one way: the
terminal and Markdown in words, pages in `render/html/page_table.py`, scripts in `templates/scripts/cells.js`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, Literal, TypeVar

from reportgen.record import record
from reportgen.reports.formats import human_bytes

Kind = Literal[
    "allocation",
    "amount",
    "bar",
    "bytes",
    "change",
    "chip",
    "class",
    "code",
    "count",
    "life",
    "line",
    "markup",
    "members",
    "moment",
    "name",
    "origin",
    "owner",
    "parts",
    "range",
    "shape",
    "share",
    "step",
    "text",
    "thing",
    "value",
    "values",
]
"""What a cell is.

`bytes`, `count` and `moment` are numbers, None where they are unknown, and an `amount` is one in words. `share` is a
part of the whole of a table, in bytes, and `parts` are the same by class of memory. `classes` are classes of memory,
and a `chip` is words with the look of one. `name`, `code`, `line` and `text` are texts: a name of the program, other
words of it, a source line, our own words. `range` is the first and the last of some instructions, None for none. A
`bar` is a color and bytes, and a `change` is an amount with its sign.

The others are for pages: `life` is when something is live, and the rest is HTML, because it needs the links of a page.
An `allocation`, a `value`, some `values`, the `origin` of a value, the `owner` of some bytes, and the `step` of the
program that runs; of a group of values the `thing` that they are, their `shape` and its `members`. Scripts draw those
of the page of all values.
"""

_UNKNOWN = "–"
_Row = TypeVar("_Row")
_Row_contra = TypeVar("_Row_contra", contravariant=True)


@record(kw_only=False)
class Column(Generic[_Row_contra]):
    """A column: the key that scripts and documents know it by, its head, its kind, and how to take its cell of a row.

    The cells of the column that `names_rows` are the heads of their rows.
    """

    key: str
    head: str
    kind: Kind
    of: Callable[[_Row_contra], Any]
    names_rows: bool = False


@record(kw_only=False)
class TextRow:
    """A row: the part of the whole that it has, an amount in words, and the cells of the other columns."""

    part: int
    amount: str
    cells: tuple[str, ...]


@record
class TextTable:
    """A table whose rows have a part of `whole`; `columns` are those after the share and the amount."""

    whole: int
    amount_head: str
    columns: tuple[Column[Any], ...]
    rows: tuple[TextRow, ...]


def text_table(
    columns: Sequence[Column[_Row]], rows: Iterable[_Row], whole: int, rest: Mapping[str, int] | None = None
) -> TextTable:
    """Return a table in words; `rest` has the bytes of what comes after the rows, by what it is called.

    One column has the share of the whole and one the amount, which is in front of the others.
    """
    [share] = (column for column in columns if column.kind in ("share", "parts"))
    [amount] = (column for column in columns if column.kind in ("bytes", "amount"))
    others = tuple(column for column in columns if column is not share and column is not amount)
    made = [
        TextRow(
            _part(share.of(row)),
            cell_text(amount.kind, amount.of(row)),
            tuple(cell_text(column.kind, column.of(row)) for column in others),
        )
        for row in rows
    ]
    blank = ("",) * (len(others) - 1)
    made += [TextRow(size, human_bytes(size), (name, *blank)) for name, size in (rest or {}).items()]
    return TextTable(whole=whole, amount_head=amount.head, columns=others, rows=tuple(made))


def cell_text(kind: Kind, cell: Any) -> str:
    """Return the cell of a column in words."""
    return _TEXTS.get(kind, str)(cell)


def range_text(ends: tuple[int, int] | None) -> str:
    """Return `17 to 1,230`; empty for None."""
    return f"{ends[0]:,} to {ends[1]:,}" if ends else ""


def _part(share: Any) -> int:
    """Return a share as a number; one by class of memory has several."""
    return share if isinstance(share, int) else sum(size for _, size in share)


_TEXTS: Mapping[Kind, Callable[[Any], str]] = {
    "bytes": lambda size: _UNKNOWN if size is None else human_bytes(size),
    "count": lambda count: _UNKNOWN if count is None else f"{count:,}",
    "range": range_text,
}
