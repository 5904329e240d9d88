"""What the pages of the values of one instruction have in common: its text, where it comes from, what it makes.

An instruction that yields a tuple makes several values, and their pages are rendered one after another. So what they
share is made for the first of them and kept until the next instruction.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from html import escape

from reportgen.parse.instructions import parse_instruction
from reportgen.render.linked_text import linked_instruction
from reportgen.render.links import MOST_LINKS, Links, listed
from reportgen.render.module import Module

LONG_TEXT = 300
"""Characters of what is repeated on the pages of all values of an instruction."""


class Definitions:
    """The instructions of one module; the last one that was asked for is kept."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module = module
        self._links = links
        self._latest: Definition | None = None

    def of(self, number: int) -> "Definition":
        """What makes a value."""
        name = self._module.analysis.facts[number].value.key.name
        if self._latest is None or self._latest.name != name:
            self._latest = Definition(self._module, self._links, name, self._module.made_by[name])
        return self._latest


class Definition:
    """An instruction, and `values`, all that it makes."""

    def __init__(self, module: Module, links: Links, name: str, values: Sequence[int]) -> None:
        self.name = name
        self._module = module
        self._links = links
        self._values = values
        self._text = module.instruction_text(name)
        self._is_long = self._text is not None and len(self._text) > LONG_TEXT
        self.origin = () if self._text is None else tuple(self._origin(self._text))
        """Rows that say where the values come from in the program."""

    def text(self, number: int) -> str:
        """The text on the page of one of the values; a long one is shown on the first page alone."""
        if self._text is None:
            return f"<p class=missing>{self._why_no_text()}"
        if self._is_long and number != self._values[0]:
            return f"<p>Its long text is on the page of {self._links.value(self._values[0])}."
        return self._linked_text

    @cached_property
    def _linked_text(self) -> str:
        return f"<code class=block>{linked_instruction(self._text or '', self._links)}</code>"

    def _why_no_text(self) -> str:
        if self._module.analysis.dump.used_values is None:
            return "The dump has no “Used values” section, so the instruction is not known."
        return "The dump does not print the instruction; XLA does so since 2021-09-23."

    def _origin(self, text: str) -> Iterator[str]:
        """What the module has read of all instructions, and what a long text is made from."""
        origin = self._module.origin(self._values[0])
        yield f"<dt>Opcode<dd>{escape(origin.opcode) or 'not known'}"
        if origin.scope:
            yield _row("Operation", origin.scope)
        if origin.source:
            yield _row("Source", origin.source)
        yield from (_row(f"<code>{escape(key)}</code>", stated) for key, stated in origin.further)
        if self._is_long and (operands := parse_instruction(text).operands):
            yield f"<dt>Made from<dd>{listed(operands, self._links.instruction)}"

    def others(self, number: int) -> str:
        """What is made together with a value, each by its index alone; empty where nothing is."""
        if len(self._values) == 1:
            return ""
        shown = [link for other, link in self._indexes.items() if other != number][:MOST_LINKS]
        more = len(self._values) - 1 - len(shown)
        return f"{', '.join(shown)} and {more:,} more" if more else ", ".join(shown)

    @cached_property
    def _indexes(self) -> Mapping[int, str]:
        """Links to the first of the values: a tuple may have thousands of leaves, each with a page."""
        facts, href = self._module.analysis.facts, self._links.value_href
        first = self._values[: MOST_LINKS + 1]
        return {number: f"<a href={href(number)}>{facts[number].value.key.shape_index}</a>" for number in first}


@lru_cache(maxsize=4096)
def _row(term: str, stated: str) -> str:
    """Most instructions share theirs with others."""
    return f"<dt>{term}<dd><code>{escape(stated)}</code>"
