"""Where padding goes, in each memory space: by shape with its layout, and the values with the most padding."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar
from urllib.parse import urlencode

from markupsafe import Markup, escape

from reportgen.analyse.padding import PaddedShape, padded_shapes, padding_at_peak, sum_of_shapes, values_of
from reportgen.analyse.records import Space, ValueFacts
from reportgen.record import record
from reportgen.render.html.links import Links
from reportgen.render.html.page_table import PageTable, table
from reportgen.render.html.value_columns import NumberedValue
from reportgen.render.module.data_shards import LONGEST_SHAPE
from reportgen.render.module.view_page import Rest, view_page
from reportgen.render.view import Module
from reportgen.reports.column import Column
from reportgen.reports.formats import counted, cut, factor
from reportgen.work import Page

_SHOWN = 100
_Row = TypeVar("_Row")


@record
class SpacePadding:
    """The padding of one memory space: the sums over its values, and its tables; None where nothing is padded.

    `rest` are the values that their table leaves out.
    """

    space: Space
    total: PaddedShape
    shapes: PageTable | None
    values: PageTable | None
    rest: Rest


def padding_page(module: Module, site_title: str) -> Page:
    """Return the page of padding."""
    links = Links(module, 0)
    spaces = [_space_padding(module, space, links) for space in module.large_spaces]
    return view_page(module, site_title, "padding", "pages/padding.html", links=links, spaces=spaces)


def _space_padding(module: Module, space: Space, links: Links) -> SpacePadding:
    """Return the shapes and values of a space with the most padding, and the sums of the others."""
    shapes, facts = padded_shapes(module.analysis, space), module.analysis.facts
    padded = [shape for shape in shapes if shape.padding_bytes]
    numbers = [number for number in values_of(module.analysis, space) if facts.padding[number]]
    values = sorted(numbers, key=lambda number: (-facts.padding[number], facts.values.ids[number]))
    hidden, total = values[_SHOWN:], sum_of_shapes(shapes, "All values of the space")
    rest = Rest(count=len(hidden), amount=sum(facts.padding[number] for number in hidden))
    if not padded:
        return SpacePadding(space=space, total=total, shapes=None, values=None, rest=rest)
    foot = []
    if len(padded) > _SHOWN:
        foot.append(sum_of_shapes(padded[_SHOWN:], f"{len(padded) - _SHOWN:,} more shapes"))
    if len(shapes) > len(padded):  # those without padding come last
        foot.append(_without_padding(shapes[len(padded) :]))
    foot.append(total)
    return SpacePadding(
        space=space,
        total=total,
        shapes=table(
            _shape_columns(space, links), padded[:_SHOWN], foot, whole=padded[0].padding_bytes, sorted_by="padding"
        ),
        values=table(
            _value_columns(module, space, links),
            [NumberedValue(number, facts[number]) for number in values[:_SHOWN]],
            sorted_by="padding",
        ),
        rest=rest,
    )


def _without_padding(shapes: Sequence[PaddedShape]) -> PaddedShape:
    return sum_of_shapes(shapes, f"{counted(len(shapes), 'shape')} without padding")


def _shape_columns(space: Space, links: Links) -> Sequence[Column[PaddedShape]]:
    """Return the columns of the table of shapes; a row for several shapes has no largest value and no bar."""

    def name(row: PaddedShape) -> Markup:
        if row.largest is None:
            return escape(row.shape)
        # Cut as scripts have the shape, which filter the table by it.
        asked = urlencode({"space": space.color, "shape": row.shape[:LONGEST_SHAPE]})
        shown = escape(cut(row.shape, LONGEST_SHAPE))
        return Markup(f'<a href="{links.listing("values")}#{escape(asked)}"><code>{shown}</code></a>')

    return (
        Column("shape", "Shape", "markup", name, names_rows=True),
        Column("values", "Values", "count", lambda row: row.values),
        Column("dense", "Dense", "bytes", lambda row: row.dense_bytes),
        Column("factor", "Factor", "amount", lambda row: factor(row.padded_bytes, row.dense_bytes)),
        Column("padding", "Padding", "bytes", lambda row: row.padding_bytes),
        Column("bar", "Bar", "share", lambda row: None if row.largest is None else row.padding_bytes),
        Column("at-peak", "Padding at the peak", "bytes", _known(space, lambda row: row.at_peak_bytes)),
        Column(
            "largest", "Largest value", "value", lambda row: "" if row.largest is None else links.value(row.largest)
        ),
    )


def _value_columns(module: Module, space: Space, links: Links) -> Sequence[Column[NumberedValue]]:
    """Return the columns of the table of values: their padding in total and at the peak."""
    at_peak: Mapping[int, int] = padding_at_peak(module.analysis, space)

    def padded_factor(fact: ValueFacts) -> str:
        return factor((fact.dense_bytes or 0) + fact.padding_bytes, fact.dense_bytes)

    return (
        Column("value", "Value", "value", lambda row: links.value(row.number), names_rows=True),
        Column("allocation", "Allocation", "allocation", lambda row: links.allocation(row.facts.value.allocation)),
        Column("size", "Size", "bytes", lambda row: row.facts.value.size_bytes),
        Column("dense", "Dense", "bytes", lambda row: row.facts.dense_bytes),
        Column("factor", "Factor", "amount", lambda row: padded_factor(row.facts)),
        Column("padding", "Padding", "bytes", lambda row: row.facts.padding_bytes),
        Column("at-peak", "Padding at the peak", "bytes", _known(space, lambda row: at_peak.get(row.number, 0))),
        Column("shape", "Shape", "code", lambda row: row.facts.value.shape),
        Column("origin", "Operation or argument", "origin", lambda row: links.origin(row.number)),
    )


def _known(space: Space, amount: Callable[[_Row], int]) -> Callable[[_Row], int | None]:
    """Return what takes an amount at the peak of a space from a row; None where no peak is known."""
    return lambda row: amount(row) if space.peak_resident else None
