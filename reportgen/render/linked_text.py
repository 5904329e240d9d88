"""The text of an instruction or a shape with every `%name` that has a page as a link."""

import re

from markupsafe import Markup, escape

from reportgen.render.links import Links

SHORTENED = 600
_NAME = re.compile(r"%([A-Za-z0-9_.\-]+)")


def linked_instruction(text: str, links: Links, *, whole: bool) -> Markup:
    """`text` escaped, names linked; shortened to a few lines unless `whole`."""
    cut = not whole and len(text) > SHORTENED
    shown = text[:SHORTENED] if cut else text
    pieces, after = [], 0
    for name in _NAME.finditer(shown):
        pieces.append(escape(shown[after : name.start()]))
        is_cut = cut and name.end() == len(shown)
        pieces.append(escape(name[0]) if is_cut else Markup("%") + links.instruction(name[1]))
        after = name.end()
    pieces.append(escape(shown[after:]))
    return Markup("").join(pieces) + ("…" if cut else "")
