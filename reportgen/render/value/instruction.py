"""Show the instruction that defines a value: its text with links.

An instruction that yields a tuple defines several values, and its text may be megabytes long. So a definition is made
once for the pages of all its values, and only the first of them shows a long text.
"""

import re
from html import escape

from reportgen.render.html.links import Links
from reportgen.render.view import Module

LONG_TEXT = 300
"""Characters of an instruction or a shape that are repeated on the pages of all values of an instruction."""

_SCROLLED_TEXT = 600
"""Characters from which the text of an instruction may be longer than its box on a phone."""

# Dots and hyphens are part of a name, as in `%get-tuple-element.5`.
_NAME = re.compile(r"%([A-Za-z0-9_.\-]+)")


class DefinitionText:
    """The instruction `name` and `values`, all that it defines."""

    def __init__(self, module: Module, links: Links, name: str) -> None:
        self._module = module
        self._links = links
        self._name = name
        self.values = module.analysis.dump.made_by[name]
        self._text = module.instruction_text(name)

    def text(self, number: int) -> str:
        """Return the instruction's text, which its first value alone has."""
        if self._text is None:
            if self._module.analysis.dump.used_values is None:
                return '<p class="missing">The dump has no “Used values” section, so the instruction is unknown.'
            return '<p class="missing">The dump has no text of the instruction; XLA prints it since 2021-09-23.'
        if number != self.values[0]:
            return f"<p>Full instruction text: see {self._links.value(self.values[0])}."
        # What may be too long for its box can be scrolled with keys.
        focus = ' tabindex="0"' if len(self._text) > _SCROLLED_TEXT else ""
        return f'<code class="block"{focus}>{linked_instruction(self._text, self._links)}</code>'


def linked_instruction(text: str, links: Links) -> str:
    """Return `text` escaped, with every `%name` linked except the first, which is the instruction's own.

    Quotes are kept, because they mean nothing in the text of an element and instructions are full of them.
    """
    # Escaping makes no character that can be part of a name, so the whole text is escaped before it is split.
    pieces = _NAME.split(escape(text, quote=False))
    pieces[1::2] = [f"%{own}" for own in pieces[1:2]] + [f"%{links.instruction(name)}" for name in pieces[3::2]]
    return "".join(pieces)
