"""Name in a table cell what a value is to the program: its argument or operation, and the source line.

Words before the name say so where the bytes are not that argument, or not what that operation fills in.
"""

from functools import lru_cache
from html import escape

from markupsafe import Markup

from reportgen.program.author import Author, common_relation
from reportgen.render.html.markup import soft_breaks
from reportgen.reports.formats import shortened

_LONGEST = 56


def origin_cell(*authors: Author, name: str = "") -> Markup:
    """Return the argument or the end of the scope, which says most, and file and line; the tooltips have the whole.

    `name` is that of a group of values where they have several authors; the line is that of the first.
    """
    return _cell(common_relation(authors), name or authors[0].name, authors[0].source)


@lru_cache(maxsize=4096)
def _cell(words: str, name: str, source: str) -> Markup:
    """Return the cell of an operation, which is kept because the values of all layers share a few."""
    operation = Markup(f"{words} " if words else "") + named(name)
    if not source:
        return operation
    short = escape(shortened(source.rpartition("/")[2]))
    return Markup(f'{operation} <span class=source title="{escape(shortened(source))}">{short}</span>')


def named(name: str) -> Markup:
    """Return a name of the program as code, cut at its beginning if it is long; a dash for an empty one."""
    if not name:
        return Markup('<span class="none" title="no name in the dump">–</span>')
    shown = end_of(name)
    title = f' title="{escape(shortened(name))}"' if shown != name else ""
    return Markup(f"<code{title}>{soft_breaks(shown)}</code>")


def end_of(name: str) -> str:
    """Return the last parts of a scope that fit a cell: `…/while/body/attn/sub`."""
    if len(name) <= _LONGEST:
        return name
    shown = name[-_LONGEST:]
    _, slash, rest = shown.partition("/")
    return f"…/{rest}" if slash else f"…{shown}"
