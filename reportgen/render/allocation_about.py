"""What is said about an allocation in a line each, and how much of it is free when.

Made for thousands of pages, so the rows are strings; whatever comes from the dump is escaped where it is put in.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import escape

from reportgen.analyse.classes import memory_class
from reportgen.model import Allocation
from reportgen.render.excerpts import excerpt, excerpt_table
from reportgen.render.formats import bytes_markup, exact_bytes, human_and_exact
from reportgen.render.links import Links
from reportgen.render.module import Module, allocation_kinds

_LONGEST_SHAPE = 200


class Moment(NamedTuple):
    """How an allocation is used at a moment; used + free = size."""

    name: str
    moment: int
    used_bytes: int
    free_bytes: int
    largest_hole: int


class AllocationAbout:
    """The first section on the pages of one module's allocations."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module = module
        self._links = links
        self._at_peak = links.term("peak-resident", "At the peak")
        self._spaces = {color: links.space(space) for color, space in module.analysis.spaces.items()}
        self._table_head = (
            '<div class=scroll tabindex=0 role=region aria-label="Used and free bytes"><table class=plain>'
            "<caption>Used and free bytes; used + free = size</caption>\n"
            "<thead><tr><th scope=col>When<th scope=col>Moment<th scope=col class=number>Used"
            f"<th scope=col class=number>Free<th scope=col class=number>{links.term('hole', 'Largest hole')}\n"
        )

    def section(self, number: int, moments: Sequence[Moment]) -> str:
        """All that is known, in a fixed order; what a single one of the `moments` says is a row like the others."""
        table = self._table(moments) if len(moments) > 1 else ""
        rows = "\n".join(self._rows(number, moments))
        return f"<div class=pair><dl class=about>\n{rows}\n\n</dl>\n{table}</div>\n"

    def _rows(self, number: int, moments: Sequence[Moment]) -> Iterator[str]:
        allocation = self._module.analysis.dump.allocations[number]
        yield f"<dt>Size<dd>{human_and_exact(allocation.size_bytes)}"
        kinds = ", ".join(allocation_kinds(self._module, number)) or "no kind"
        yield f'<dt>Kind<dd><span class="chip class-{memory_class(allocation)}">{kinds}</span>'
        yield f"<dt>Memory space<dd>{self._spaces[allocation.color]}"
        yield from _attributes(allocation)
        if len(moments) == 1:
            used, free = exact_bytes(moments[0].used_bytes), exact_bytes(moments[0].free_bytes)
            yield f"<dt>{self._at_peak}<dd>{used} used, {free} free"
        yield self._place(allocation)

    def _place(self, allocation: Allocation) -> str:
        place = self._module.analysis.dump.text.locate(allocation.place)
        location = f"{place.file}:{place.line}"
        lines = excerpt_table(excerpt(self._module, allocation.place), location)
        folded = f"<details><summary>These lines</summary>{lines}</details>"
        return f"<dt>In the dump<dd><code>{escape(location)}</code>{folded}"

    def _table(self, moments: Sequence[Moment]) -> str:
        rows = "\n".join(map(self._moment, moments))
        return f"{self._table_head}<tbody>{rows}\n</table></div>\n"

    def _moment(self, row: Moment) -> str:
        amounts = (row.used_bytes, row.free_bytes, row.largest_hole)
        cells = "".join([f"<td class=number>{bytes_markup(amount)}" for amount in amounts])
        return f"<tr><th scope=row>{row.name}<td>{self._links.moment(row.moment)}{cells}"


def _attributes(allocation: Allocation) -> Iterator[str]:
    """What the dump says of some allocations only."""
    if allocation.page is not None:
        yield f"<dt>Page<dd>{allocation.page}"
    if allocation.parameter is not None:
        index = allocation.parameter_shape_index
        where = "" if index == "{}" else f" at ShapeIndex {escape(str(index))}"
        shape = f" {_shape(allocation.parameter_shape)}" if allocation.parameter_shape else ""
        yield f"<dt>Parameter<dd>{allocation.parameter}{where}{shape}"
    if allocation.output_shape is not None:
        yield f"<dt>Output shape<dd>{_shape(allocation.output_shape)}"
    for attribute in allocation.unknown_attributes:
        yield f"<dt>Other attribute<dd><code>{escape(attribute)}</code>"


def _shape(text: str) -> str:
    """Cut only where that makes it shorter by more than the dots."""
    shown = text if len(text) <= _LONGEST_SHAPE + 5 else f"{text[: _LONGEST_SHAPE - 3]}..."
    return f"<code>{escape(shown)}</code>"
