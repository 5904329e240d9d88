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
