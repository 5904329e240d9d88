"""Where padding goes, in each memory space: the shapes that have most of it, and what pads them.

Shapes are compared by their padding at the peak, and where there is none, by that of all their values.
"""

import re
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
_SCALAR = re.compile(r"\w+\[\]")
_SMALL = 200
"""Less than this part of the padding of a space cannot be seen on a bar."""
_FEW = 100
"""Shapes with less than this part of the padding are summed, and less than this part of a peak is nothing to gain."""


@record
class PaddedBar:
    """A shape with its padding, at the peak where there is any, the color of its largest value, and what pads it."""

    name: Markup
    why: str
    color: str
    padding_bytes: int


@record
class SpacePadding:
    """The padding of one memory space: the sums over its values, its largest shapes, and their table; None for none.

    `part` is what padding takes of the peak, as `0.02 %`, where that is too little to gain anything from; else empty.
    """

    space: Space
    total: PaddedShape
    part: str
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
    total = sum_of_shapes(shapes, "all values of the space")
    padded = [shape for shape in shapes if shape.padding_bytes]
    if not padded:
        return SpacePadding(space=space, total=total, part="", bars=(), shapes=None)
    is_at_peak = total.at_peak_bytes > 0
    rows = sorted(_rows(padded), key=lambda shape: -_padding(shape, is_at_peak=is_at_peak))
    least = _padding(total, is_at_peak=is_at_peak) / _FEW
    shown = [shape for shape in rows if _padding(shape, is_at_peak=is_at_peak) >= least][:_SHOWN] or rows[:_SHOWN]
    foot = []
    if rest := rows[len(shown) :]:
        is_sum_shown = any(shape.largest is None for shape in shown)
        more = len(rows if is_sum_shown else padded) - len(shown)
        foot.append(sum_of_shapes(rest, counted(more, "more shape")))
    if len(shapes) > len(padded):  # those without padding come last
        without = shapes[len(padded) :]
        foot.append(sum_of_shapes(without, f"{counted(len(without), 'shape')} without padding"))
    foot.append(total)
    bars = [(shape, _padding(shape, is_at_peak=is_at_peak)) for shape in shown[:_DRAWN]]
    return SpacePadding(
        space=space,
        total=total,
        part=_small_part(total.at_peak_bytes, space.peak_resident.amount) if space.peak_resident else "",
        bars=[
            _bar(module, shape, size, _name(space, shape, links))
            for shape, size in bars
            if size * _SMALL >= _padding(total, is_at_peak=is_at_peak)
        ],
        shapes=table(
            _columns(space, links, is_at_peak=is_at_peak), shown, foot, sorted_by="at-peak" if is_at_peak else "padding"
        ),
    )


def _rows(padded: Sequence[PaddedShape]) -> Sequence[PaddedShape]:
    """Return the shapes, those of tuples and scalars as one: nobody changes these to save padding."""
    tuples = [shape for shape in padded if shape.shape.startswith("(")]
    scalars = [shape for shape in padded if _SCALAR.match(shape.shape)]
    if len(tuples) + len(scalars) <= 1:
        return padded
    name = " and ".join([*(["tuples"] if tuples else []), *(["scalars"] if scalars else [])])
    summed = {shape.shape for shape in (*tuples, *scalars)}
    return [*(shape for shape in padded if shape.shape not in summed), sum_of_shapes([*tuples, *scalars], name)]


def _padding(shape: PaddedShape, *, is_at_peak: bool) -> int:
    return shape.at_peak_bytes if is_at_peak else shape.padding_bytes


def _small_part(padding: int, peak: int) -> str:
    """Return which part of a peak padding is, where there is too little to gain anything from; else an empty text."""
    if not 0 < padding * _FEW < peak:
        return ""
    part = f"{100 * padding / peak:.2f} %"
    return part if part != "0.00 %" else "less than 0.01 %"


def _bar(module: Module, shape: PaddedShape, padding: int, name: Markup) -> PaddedBar:
    return PaddedBar(
        name=name,
        why=_why(shape),
        color="other" if shape.largest is None else module.color(shape.largest),
        padding_bytes=padding,
    )


def _columns(space: Space, links: Links, *, is_at_peak: bool) -> Sequence[Column[PaddedShape]]:
    """Return the columns of the table of shapes; the one that sorts them is first."""

    def at_peak(row: PaddedShape) -> int | None:
        return row.at_peak_bytes if space.peak_resident else None

    def times(row: PaddedShape) -> Markup:
        words = factor(row.padded_bytes, row.dense_bytes)
        # Sorted by the exact factor, however it is said.
        millionths = row.padded_bytes * 1_000_000 // max(row.dense_bytes, 1)
        return Markup('<data value="{}">{}</data>').format(millionths, words)

    sizes: Sequence[Column[PaddedShape]] = (
        Column("padding", "Padding", "bytes", lambda row: row.padding_bytes),
        Column("at-peak", "At the peak", "bytes", at_peak),
    )
    return (
        *(reversed(sizes) if is_at_peak else sizes),
        Column("factor", "Factor", "amount", times),
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
