"""The row of an allocation of few values in a large module: how large it is, what it is for, and what is in it when."""

from html import escape

from reportgen.analyse.classes import memory_class
from reportgen.model import WHOLE
from reportgen.render.html.links import Links
from reportgen.render.routes import allocation_id
from reportgen.render.view import Module
from reportgen.reports.report import allocation_kinds

COLUMNS = ("Allocation", "Bytes", "Kind", "Memory space", "Values and when they are live", "Dump line")


def allocation_row(module: Module, links: Links, number: int) -> str:
    """Return the row of an allocation as HTML."""
    dump = module.analysis.dump
    allocation = dump.allocations[number]
    kinds = [*allocation_kinds(module, number), *allocation.unknown_attributes] or ["no kind"]
    if (leaf := allocation.parameter_shape_index) and leaf != WHOLE:
        kinds[0] += f" {leaf}"  # the number of the parameter comes first
    cells = (
        f"<td>{allocation.size_bytes:,}",
        f'<td><span class="chip class-{memory_class(allocation)}">{escape(", ".join(kinds))}</span>',
        f"<td>{links.space_name(module.analysis.spaces[allocation.color])}",
        f"<td>{', '.join(_value(module, links, value) for value in dump.occupants[number]) or 'none'}",
        f"<td>{dump.text.locate(allocation.text_offset).line}",
    )
    name = allocation_id(module.routes.allocation_names[number])
    return "".join((f'<tr id="{name}"><th scope="row">{allocation.index}', *cells))


def _value(module: Module, links: Links, number: int) -> str:
    start, end = module.analysis.dump.starts[number], module.analysis.dump.ends[number]
    live = f"{start:,} to {end:,}" if start >= 0 else "–"
    return f"{links.value(number)} {live}"
