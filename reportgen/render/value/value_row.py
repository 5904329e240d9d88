"""The row of a value that is too small to matter: what it is, where, when, and where to read on."""

from html import escape

from reportgen.model import WHOLE
from reportgen.program.author import Author
from reportgen.render.html.links import Links
from reportgen.render.routes import value_id
from reportgen.render.value.instruction import DefinitionText
from reportgen.render.view import Module
from reportgen.reports.formats import cut, human_bytes, shortened

COLUMNS = ("Size", "Value", "Live", "Shape", "Operation or argument", "Read by", "Allocation, offset")

_LONGEST_SHAPE, _MOST_READERS = 40, 5


class ValueRows:
    """The rows of one module's values."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module, self._links, self._length = module, links, max(module.analysis.moments, 1)
        self._origins: dict[tuple[str, ...], str] = {}

    def row(self, number: int, definition: DefinitionText) -> str:
        """Return the row of a value; the first one of an instruction has the text of that below it."""
        dump, values, links = self._module.analysis.dump, self._module.analysis.dump.values, self._links
        start, end, allocation = dump.starts[number], dump.ends[number], values.allocations[number]
        index, author = dump.allocations[allocation].index, self._module.attribution(number)
        live = f'<td style="{self._place(start, end)}">{start:,} to {end:,}' if start >= 0 else "<td>–"
        cells = (
            f'<th scope="row">{escape(shortened(values.keys[number].removesuffix(WHOLE)))}',
            live,
            f"<td><code>{escape(cut(values.shapes[number], _LONGEST_SHAPE))}</code>",
            f"<td>{self._origin(author)}",
            f"<td>{self._readers(number)}",
            f'<td><a href="{links.allocation_href(allocation)}">{index}</a> + {values.offsets[number]:,}',
        )
        size = values.sizes[number]
        head = f'<tr id="{value_id(self._module.routes.value_names[number])}"><td title="{size:,}">{human_bytes(size)}'
        is_first = number == definition.values[0]
        text = f'<tr class="text"><td colspan="{len(COLUMNS)}">{definition.text(number)}' if is_first else ""
        return "".join((head, *cells, text))

    def _origin(self, author: Author) -> str:
        """Return the operation of a row; in a large module, two rows of three have that of another."""
        seen = author.name, author.relation, author.source, author.read_first
        if seen not in self._origins:
            self._origins[seen] = self._links.origin_of([author], author.name)
        return self._origins[seen]

    def _place(self, start: int, end: int) -> str:
        """Return where a life lies on the axis of the program, for the style sheet, which draws it."""
        return f"--a:{100 * start / self._length:.3g};--b:{100 * (end + 1 - start) / self._length:.3g}"

    def _readers(self, number: int) -> str:
        readers = list(dict.fromkeys(self._module.analysis.program.readers_of(number)))
        words = ", ".join(map(self._links.instruction, readers[:_MOST_READERS]))
        more = f" and {len(readers) - _MOST_READERS:,} more" if len(readers) > _MOST_READERS else ""
        return words + more or "none"
