"""A table is declared once, as columns; pages, the terminal, Markdown and scripts draw them.

A column takes a cell from the record of a row and says of what kind it is. Each place draws a kind in one way: the
terminal and Markdown in `text_table.py`, pages in `render/html/page_table.py`, scripts in `templates/scripts/cells.js`.
"""

from collections.abc import Callable
from typing import Any, Generic, Literal, TypeVar

from reportgen.record import record

Kind = Literal[
    "allocation",
    "amount",
    "bytes",
    "chip",
    "classes",
    "code",
    "count",
    "instruction",
    "life",
    "line",
    "markup",
    "moment",
    "name",
    "origin",
    "owner",
    "parts",
    "range",
    "share",
    "text",
    "value",
    "values",
]
"""What a cell is.

`bytes` and `count` are numbers, None where they are unknown, and an `amount` is one in words. `share` is a part of the
whole of a table, in bytes, and `parts` are the same by class of memory. `classes` are classes of memory, `name`, `code`
and `line` texts: a name of the program, other words of it, a source line. `range` is the first and the last of some
instructions, None for none.

On pages alone, `life` says when something is live, and `markup` is HTML. So are `allocation`, `origin`, what wrote a
buffer, and `owner`, the value that some bytes belong to; scripts draw these three, too.
"""

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
