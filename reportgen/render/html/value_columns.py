"""The columns of tables of values."""

from collections.abc import Sequence
from typing import NamedTuple

from reportgen.analyse.records import ValueFacts
from reportgen.render.html.links import Links
from reportgen.reports.column import Column


class NumberedValue(NamedTuple):
    """A value as the row of a table: its number in the analysis, and its facts."""

    number: int
    facts: ValueFacts


"""A value and its number."""


def value_columns_in_allocation(links: Links) -> Sequence[Column[NumberedValue]]:
    """Return the columns of a value in an allocation: its place there, sizes, live range and shape."""
    return (
        Column("value", "Value", "value", lambda row: links.value(row.number), names_rows=True),
        Column("offset", "Offset", "count", lambda row: row.facts.value.offset_bytes),
        Column("size", "Size", "bytes", lambda row: row.facts.value.size_bytes),
        Column("dense", "Dense", "bytes", lambda row: row.facts.dense_bytes),
        Column("padding", "Padding", "bytes", lambda row: row.facts.padding_bytes),
        Column("from", "From", "moment", lambda row: row.facts.live and row.facts.live.start),
        Column("to", "To", "moment", lambda row: row.facts.live and row.facts.live.end),
        Column("shape", "Shape", "code", lambda row: row.facts.value.shape),
        Column("origin", "Operation or argument", "origin", lambda row: links.origin(row.number)),
    )
