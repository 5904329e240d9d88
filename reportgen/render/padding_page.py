"""Where padding goes, in each memory space: by shape with its layout, and the values that lose most."""

from dataclasses import dataclass
from typing import NamedTuple

from reportgen.analyse.padding import PaddedShape, padded_shapes, padding_at_peak, values_of
from reportgen.analyse.records import Space, ValueFacts
from reportgen.render.links import Links
from reportgen.render.module import Module
from reportgen.render.page import Page
from reportgen.render.templates import render

SHOWN_SHAPES = 100
SHOWN_VALUES = 100


class ValueRow(NamedTuple):
    """A value with padding, and how much of it is resident at the peak."""

    number: int
    fact: ValueFacts
    at_peak_bytes: int


@dataclass(frozen=True, slots=True)
class Sums:
    """What rows add up to: those that are not shown, or all of them."""

    rows: int
    values: int
    unknown: int
    dense_bytes: int
    padding_bytes: int
    at_peak_bytes: int

    @classmethod
    def of(cls, shapes: tuple[PaddedShape, ...]) -> "Sums":
        return cls(
            len(shapes),
            sum(shape.values for shape in shapes),
            sum(shape.unknown for shape in shapes),
            sum(shape.dense_bytes for shape in shapes),
            sum(shape.padding_bytes for shape in shapes),
            sum(shape.at_peak_bytes for shape in shapes),
        )

    @property
    def padded_bytes(self) -> int:
        return self.dense_bytes + self.padding_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What the page says of one memory space."""

    space: Space
    shapes: tuple[PaddedShape, ...]
    rest: Sums
    without: Sums
    total: Sums
    rows: tuple[ValueRow, ...]
    rest_rows: int
    rest_bytes: int


def padding_page(module: Module, site_title: str) -> Page:
    links, path = Links(module, 0), module.routes.listing("padding")
    content = render(
        "padding.html",
        path,
        tab="padding.html",
        site_title=site_title,
        module=module,
        links=links,
        parts=[_part(module, space) for space in module.analysis.spaces.values()],
    )
    return Page(path, content)


def _part(module: Module, space: Space) -> Part:
    shapes = padded_shapes(module.analysis, space)
    losing = tuple(shape for shape in shapes if shape.padding_bytes)
    rows = _value_rows(module, space)
    rest = rows[SHOWN_VALUES:]
    return Part(
        space=space,
        shapes=losing[:SHOWN_SHAPES],
        rest=Sums.of(losing[SHOWN_SHAPES:]),
        without=Sums.of(shapes[len(losing) :]),
        total=Sums.of(shapes),
        rows=rows[:SHOWN_VALUES],
        rest_rows=len(rest),
        rest_bytes=sum(row.fact.padding_bytes for row in rest),
    )


def _value_rows(module: Module, space: Space) -> tuple[ValueRow, ...]:
    """The values of a space that have padding, the most first."""
    facts, at_peak = module.analysis.facts, padding_at_peak(module.analysis, space)
    padded = [number for number in values_of(module.analysis, space) if facts[number].padding_bytes]
    ordered = sorted(padded, key=lambda number: (-facts[number].padding_bytes, facts[number].value.id))
    return tuple(ValueRow(number, facts[number], at_peak.get(number, 0)) for number in ordered)
