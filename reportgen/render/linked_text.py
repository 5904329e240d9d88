"""The text of an instruction or a shape with every `%name` that has a page as a link."""

import re
from html import escape

from reportgen.render.links import Links

_NAME = re.compile(r"%([A-Za-z0-9_.\-]+)")


def linked_instruction(text: str, links: Links) -> str:
    """`text` escaped, names linked; but for the first, which is the instruction's own.

    It becomes the text of an element, where quotes mean nothing: instructions are full of them, so they stay.
    """
    # Nothing that is escaped is part of a name, so the text can be escaped as a whole before it is split.
    pieces = _NAME.split(escape(text, quote=False))
    pieces[1::2] = [f"%{own}" for own in pieces[1:2]] + [f"%{links.instruction(name)}" for name in pieces[3::2]]
    return "".join(pieces)
