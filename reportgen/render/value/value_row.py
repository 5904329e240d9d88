"""The row of a value that is too small to matter: what it is, where, when, and where to read on."""

from html import escape

from reportgen.render.html.links import Links
from reportgen.render.routes import value_id
from reportgen.render.value.instruction import DefinitionRows
from reportgen.render.view import Module
from reportgen.reports.formats import cut, shortened
from reportgen.reports.report import key_text

COLUMNS = ("Value", "Bytes", "Shape", "Allocation", "Live", "Read by", "Operation or argument", "Line")

_LONGEST_SHAPE, _MOST_READERS = 80, 5


class ValueRows:
    """The rows of one module's values."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module, self._links = module, links

    def row(self, number: int, definition: DefinitionRows) -> str:
        """Return the row of a value; the first one of an instruction has the text of that below it."""
        dump, names, links = self._module.analysis.dump, self._module.analysis.dump.values, self._links
        value = self._module.analysis.facts[number].value
        start, end = dump.starts[number], dump.ends[number]
        cells = (
            f"<td>{names.sizes[number]:,}",
            f"<td><code>{escape(cut(names.shapes[number], _LONGEST_SHAPE))}</code>",
            f"<td>{links.allocation(value.allocation)} +{names.offsets[number]:,}",
            f"<td>{f'{start:,} to {end:,}' if start >= 0 else '–'}",
            f"<td>{self._readers(number)}",
            f"<td>{links.origin(number)}",
            f"<td>{dump.text.locate(names.text_offsets[number]).line}",
        )
        name = escape(shortened(key_text(value.key)))
        head = f'<tr id="{value_id(self._module.routes.value_names[number])}"><th scope="row">{name}'
        is_first = number == definition.values[0]
        text = f'<tr class="text"><td colspan="{len(COLUMNS)}">{definition.text(number)}' if is_first else ""
        return "".join((head, *cells, text))

    def _readers(self, number: int) -> str:
        used = self._module.analysis.dump.used(number)
        readers = list(dict.fromkeys(use.name for use in used.uses)) if used else []
        words = ", ".join(map(self._links.instruction, readers[:_MOST_READERS]))
        more = f" and {len(readers) - _MOST_READERS:,} more" if len(readers) > _MOST_READERS else ""
        return words + more or "none"
