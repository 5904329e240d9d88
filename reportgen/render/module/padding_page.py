"""Where padding goes, in each memory space: the shapes that have most of it, and what pads them."""

from collections.abc import Sequence
from urllib.parse import urlencode

from markupsafe import Markup, escape

from reportgen.analyse.padding import PaddedShape, padded_shapes, sum_of_shapes
from reportgen.analyse.records import Space
from reportgen.parse.shape_parser import ShapeError, parse_shape
from reportgen.record import record
from reportgen.render.html.links import Links
from reportgen.render.html.page_table import PageTable, table
from reportgen.render.module.data_shards import LONGEST_SHAPE
from reportgen.render.module.view_page import view_page
from reportgen.render.value.layout import padded_words
from reportgen.render.view import Module
from reportgen.reports.column import Column
from reportgen.reports.formats import counted, cut, factor
from reportgen.work import Page

_DRAWN, _SHOWN = 12, 20
_SMALL = 200
"""Less than this part of the padding of a space cannot be seen on a bar."""


@record
class PaddedBar:
    """A shape with the color of its largest value, and what pads it."""

    name: Markup
    why: str
    color: str
    dense_bytes: int
    padding_bytes: int

    @property
    def padded_bytes(self) -> int:
        """Return the bytes of the data and of the padding."""
        return self.dense_bytes + self.padding_bytes


@record
class SpacePadding:
    """The padding of one memory space: the sums over its values, its largest shapes, and their table; None for none."""

    space: Space
    total: PaddedShape
    bars: Sequence[PaddedBar]
    shapes: PageTable | None


def padding_page(module: Module, site_title: str) -> Page:
    """Return the page of padding."""
    links = Links(module, 0)
    spaces = [_space_padding(module, space, links) for space in module.large_spaces]
    return view_page(module, site_title, "padding", "pages/padding.html", links=links, spaces=spaces)


def _space_padding(module: Module, space: Space, links: Links) -> SpacePadding:
    """Return the shapes of a space with the most padding, and the sums of the others."""
    shapes = padded_shapes(module.analysis, space)
    padded, total = [shape for shape in shapes if shape.padding_bytes], sum_of_shapes(shapes, "all values of the space")
    if not padded:
        return SpacePadding(space=space, total=total, bars=(), shapes=None)
    foot = []
    if len(padded) > _SHOWN:
        foot.append(sum_of_shapes(padded[_SHOWN:], f"{len(padded) - _SHOWN:,} more shapes"))
    if len(shapes) > len(padded):  # those without padding come last
        without = shapes[len(padded) :]
        foot.append(sum_of_shapes(without, f"{counted(len(without), 'shape')} without padding"))
    foot.append(total)
    return SpacePadding(
        space=space,
        total=total,
        bars=[
            _bar(module, space, shape, links)
            for shape in padded[:_DRAWN]
            if shape.padding_bytes * _SMALL >= total.padding_bytes
        ],
        shapes=table(_columns(space, links), padded[:_SHOWN], foot, sorted_by="padding"),
    )


def _bar(module: Module, space: Space, shape: PaddedShape, links: Links) -> PaddedBar:
    assert shape.largest is not None, "a row of one shape"
    return PaddedBar(
        name=_name(space, shape, links),
        why=_why(shape),
        color=module.color(shape.largest),
        dense_bytes=shape.dense_bytes,
        padding_bytes=shape.padding_bytes,
    )


def _columns(space: Space, links: Links) -> Sequence[Column[PaddedShape]]:
    """Return the columns of the table of shapes."""

    def at_peak(row: PaddedShape) -> int | None:
        return row.at_peak_bytes if space.peak_resident else None

    return (
        Column("padding", "Padding", "bytes", lambda row: row.padding_bytes),
        Column("at-peak", "At the peak", "bytes", at_peak),
        Column("factor", "Factor", "amount", lambda row: factor(row.padded_bytes, row.dense_bytes)),
        Column("shape", "Shape", "markup", lambda row: _name(space, row, links), names_rows=True),
        Column("why", "Padded by its layout", "text", _why),
        Column("values", "Values", "count", lambda row: row.values),
    )


def _name(space: Space, row: PaddedShape, links: Links) -> Markup:
    """Return a shape as a link to its values; several shapes have only a name."""
    if row.largest is None:
        return escape(row.shape)
    # Cut as scripts have the shape, which filter the table by it.
    asked = urlencode({"space": space.color, "shape": row.shape[:LONGEST_SHAPE]})
    shown = escape(cut(row.shape, LONGEST_SHAPE))
    return Markup(f'<a href="{links.listing("values")}#{escape(asked)}"><code>{shown}</code></a>')


def _why(row: PaddedShape) -> str:
    try:
        return "" if row.largest is None else padded_words(parse_shape(row.shape))
    except ShapeError:
        return ""
