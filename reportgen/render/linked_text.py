"""The text of an instruction or a shape with every `%name` that has a page as a link."""

import re
from functools import partial
from html import escape
from itertools import islice

from markupsafe import Markup

from reportgen.render.links import Links

_NAME = re.compile(r"%([A-Za-z0-9_.\-]+)")

_escaped = partial(escape, quote=False)
"""For use as the text of an element, where quotes mean nothing: instructions are full of them."""


def linked_instruction(text: str, links: Links) -> Markup:
    """`text` escaped, names linked; but for the first, which is the instruction's own."""
    pieces, after = [], 0
    for name in islice(_NAME.finditer(text), 1, None):
        pieces.append(_escaped(text[after : name.start()]))
        pieces.append(f"%{links.instruction(name[1])}")
        after = name.end()
    pieces.append(_escaped(text[after:]))
    return Markup("".join(pieces))
