"""Links from one page to values, allocations, instructions and help, as escaped markup."""

from collections.abc import Callable, Sequence
from html import escape
from typing import TypeVar

from markupsafe import Markup

from reportgen.analyse.records import Space
from reportgen.model import WHOLE, ValueKey
from reportgen.render.formats import shortened, soft_breaks
from reportgen.render.module import Module
from reportgen.render.routes import ROWS_PER_PAGE, VALUES_FOLDER

Item = TypeVar("Item")
MOST_LINKS = 10


def listed(items: Sequence[Item], link: Callable[[Item], str], most: int = MOST_LINKS) -> str:
    """The first `most` of the items as links, and how many more there are."""
    shown = ", ".join(map(link, items[:most]))
    more = len(items) - most
    return f"{shown} and {more:,} more" if more > 0 else shown


class Links:
    """Made for one folder: `to_module` leads from its pages to the module's, `root` to the site's.

    Pages in a `folder` of the module's, such as `v/`, number in the ten thousands. Links there are as short as
    they can be: without soft breaks in names, which those pages break anywhere.
    """

    def __init__(self, module: Module, folder_depth: int, folder: str = "") -> None:
        self._module = module
        self._folder = folder
        self._skip = len(module.routes.folder)
        self._name: Callable[[str], str] = escape if folder else soft_breaks
        self._with_page = module.with_page
        self._made_allocations: dict[int, Markup] = {}
        self._made_values: dict[int, Markup] = {}
        self._made_instructions: dict[str, str] = {}
        self.to_module = "../" * folder_depth
        self.root = "../" * (folder_depth + 2)
        self._to_values = "" if folder == VALUES_FOLDER else self.to_module + VALUES_FOLDER

    def path(self, path: str) -> str:
        """The href of a path from the site's root that lies in this module's folder."""
        inside = path[self._skip :]
        if self._folder and inside.startswith(self._folder):
            return inside[len(self._folder) :]
        return self.to_module + inside

    def value_href(self, number: int) -> str:
        """To the page of a value or, where it has none, to its row in the table of values."""
        name = self._module.routes.value_names[number]
        if number in self._with_page:
            return f"{self._to_values}{name}.html"
        return f"{self.listing('values', self._module.row_of(number) // ROWS_PER_PAGE + 1)}#v{name}"

    def value_row_id(self, number: int) -> str:
        """The attribute that makes a row of the table of values the place of a value that has no page."""
        return "" if number in self._with_page else f" id=v{self._module.routes.value_names[number]}"

    def value(self, number: int) -> Markup:
        """A link is made once and used on several pages."""
        made = self._made_values.get(number)
        if made is None:
            key = self._module.analysis.facts[number].value.key
            index = "" if key.shape_index == WHOLE else f"<span class=index>{key.shape_index}</span>"
            made = Markup(f"<a href={self.value_href(number)}>{self._name(shortened(key.name))}{index}</a>")
            self._made_values[number] = made
        return made

    def allocation_href(self, number: int) -> str:
        return self.path(self._module.routes.allocation(number))

    def allocation(self, number: int) -> Markup:
        made = self._made_allocations.get(number)
        if made is None:
            index = self._module.analysis.dump.allocations[number].index
            made = Markup(f"<a href={self.allocation_href(number)}>allocation {index}</a>")
            self._made_allocations[number] = made
        return made

    def space(self, space: Space) -> str:
        """To what the module's page says of a memory space."""
        return f"<a href={self.to_module}index.html#space-{space.color}>{space.color} · {escape(space.name)}</a>"

    def listing(self, kind: str, page: int = 1) -> str:
        return self.path(self._module.routes.listing(kind, page))

    def instruction(self, name: str) -> str:
        """An instruction's name, linked to the value it defines, where it defines one."""
        made = self._made_instructions.get(name)
        if made is None:
            number = self._module.value_of(ValueKey(name, WHOLE))
            text = self._name(shortened(name))
            made = text if number is None else f"<a href={self.value_href(number)}>{text}</a>"
            self._made_instructions[name] = made
        return made

    def term(self, anchor: str, text: str) -> Markup:
        """A word of the glossary."""
        return Markup(f"<a class=term href={self.root}help/glossary.html#{anchor}>{escape(text)}</a>")

    def moment(self, moment: int | None) -> Markup:
        """A moment with the instruction that runs then."""
        if moment is None:
            return Markup("–")
        name = self._module.instruction_at(moment)
        return Markup(f"{moment} <span class=at>{self.instruction(name)}</span>") if name else Markup(str(moment))
