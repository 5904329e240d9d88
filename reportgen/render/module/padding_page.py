"""Where padding goes, in each memory space: by shape with its layout, and the values with the most padding."""

from collections.abc import Sequence
from urllib.parse import urlencode

from reportgen.analyse.padding import PaddedShape, padded_shapes, padding_at_peak, values_of
from reportgen.analyse.records import Space, ValueFacts
from reportgen.intervals.step_function import Peak
from reportgen.record import record
from reportgen.render.html.links import Links
from reportgen.render.module.data_shards import LONGEST_SHAPE
from reportgen.render.module.view_page import Rest, view_page
from reportgen.render.view import Module
from reportgen.work import Page

_SHOWN_SHAPES = 100
_SHOWN_VALUES = 100


@record
class PaddingSums:
    """The figures of a shape, or the sums over several; `unknown` values are counted with no bytes.

    `peak_bytes` is the padding that is resident at the peak, None where no peak is known.
    """

    shapes: int
    values: int
    unknown: int
    dense_bytes: int
    padding_bytes: int
    peak_bytes: int | None

    @property
    def padded_bytes(self) -> int:
        return self.dense_bytes + self.padding_bytes


@record
class ShapeRow:
    """A shape with padding; `largest` is its largest value, and `values_href` leads to all of them."""

    shape: str
    sums: PaddingSums
    largest: int
    values_href: str


@record
class ValueRow:
    """A value with padding."""

    number: int
    fact: ValueFacts
    padded_bytes: int
    peak_bytes: int | None


@record
class SpacePadding:
    """The padding of one memory space: `rest` are shapes left out, `unpadded` the shapes without padding."""

    space: Space
    peak: Peak | None
    shapes: list[ShapeRow]
    rest: PaddingSums
    unpadded: PaddingSums
    total: PaddingSums
    values: list[ValueRow]
    values_rest: Rest


def padding_page(module: Module, site_title: str) -> Page:
    """Return the page of padding."""
    links = Links(module, 0)
    spaces = [_space_padding(module, space, links) for space in module.large_spaces]
    return view_page(module, site_title, "padding", "pages/padding.html", links=links, spaces=spaces)


def _space_padding(module: Module, space: Space, links: Links) -> SpacePadding:
    peak, shapes = space.peak_resident, padded_shapes(module.analysis, space)
    padded = [shape for shape in shapes if shape.padding_bytes]
    values = _value_rows(module, space, peak)
    hidden, table = values[_SHOWN_VALUES:], links.listing("values")
    return SpacePadding(
        space=space,
        peak=peak,
        shapes=[
            ShapeRow(
                shape=shape.shape,
                sums=_sums([shape], peak),
                largest=shape.largest,
                # Cut as scripts have the shape, which filter the table by it.
                values_href=f"{table}#{urlencode({'space': space.color, 'shape': shape.shape[:LONGEST_SHAPE]})}",
            )
            for shape in padded[:_SHOWN_SHAPES]
        ],
        rest=_sums(padded[_SHOWN_SHAPES:], peak),
        unpadded=_sums(shapes[len(padded) :], peak),
        total=_sums(shapes, peak),
        values=values[:_SHOWN_VALUES],
        values_rest=Rest(count=len(hidden), amount=sum(row.fact.padding_bytes for row in hidden)),
    )


def _sums(shapes: Sequence[PaddedShape], peak: Peak | None) -> PaddingSums:
    """Return the sums over shapes; `peak` is that of their space."""
    return PaddingSums(
        shapes=len(shapes),
        values=sum(shape.values for shape in shapes),
        unknown=sum(shape.unknown for shape in shapes),
        dense_bytes=sum(shape.dense_bytes for shape in shapes),
        padding_bytes=sum(shape.padding_bytes for shape in shapes),
        peak_bytes=sum(shape.at_peak_bytes for shape in shapes) if peak else None,
    )


def _value_rows(module: Module, space: Space, peak: Peak | None) -> list[ValueRow]:
    """Return the values of a space that have padding, most padding first."""
    facts, at_peak = module.analysis.facts, padding_at_peak(module.analysis, space)
    padded = [number for number in values_of(module.analysis, space) if facts[number].padding_bytes]
    return [
        ValueRow(
            number=number,
            fact=facts[number],
            padded_bytes=(facts[number].dense_bytes or 0) + facts[number].padding_bytes,
            peak_bytes=at_peak.get(number, 0) if peak else None,
        )
        for number in sorted(padded, key=lambda number: (-facts[number].padding_bytes, facts[number].value.id))
    ]
