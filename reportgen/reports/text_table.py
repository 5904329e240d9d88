"""A table in words, for the terminal and Markdown: each kind of cell has one form."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from reportgen.record import record
from reportgen.reports.column import Column, Kind
from reportgen.reports.formats import human_bytes

_Row = TypeVar("_Row")

_UNKNOWN = "–"


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
