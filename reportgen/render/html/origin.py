"""Name in a table cell what a value is to the program: its argument or operation, and the source line.

Words before the name say so where the bytes are not that argument, or not what that operation fills in.
"""

from collections.abc import Sequence
from functools import lru_cache
from html import escape

from markupsafe import Markup

from reportgen.program.author import Author, common_relation, lines_of_authors
from reportgen.render.html.markup import soft_breaks
from reportgen.reports.formats import end_of, more_lines, shortened

_LONGEST = 56


def origin_cell(authors: Sequence[Author], name: str = "", line_href: str = "") -> Markup:
    """Return the argument or the end of the scope, which says most, and file and line; the tooltips have the whole.

    `name` is that of a group of values where they have several authors; the line is that of the first, with the number
    of the others. An argument has none, so the line that reads it first is named as that. `line_href` leads to the
    line, if it has a page.
    """
    first, more = authors[0], more_lines(len(lines_of_authors(authors)))
    return _cell(common_relation(authors), name or first.name, first.source, first.read_first, line_href, more)


@lru_cache(maxsize=4096)
def _cell(words: str, name: str, source: str, read_first: str, line_href: str, more: str) -> Markup:
    """Return the cell of an operation, which is kept because the values of all layers share a few."""
    operation = Markup(f"{words} " if words else "") + named(name)
    if not source and not read_first:
        return operation
    before = "" if source else "read first at "
    line = shortened(source or read_first)
    short = escape(line.rpartition("/")[2])
    if line_href:
        short = f'<a href="{escape(line_href)}">{short}</a>'
    return Markup(f'{operation} <span class="source" title="{before}{escape(line)}">{before}{short}</span>{more}')


def named(name: str) -> Markup:
    """Return a name of the program as code, cut at its beginning if it is long."""
    shown = end_of(name, _LONGEST)
    title = f' title="{escape(shortened(name))}"' if shown != name else ""
    return Markup(f"<code{title}>{soft_breaks(shown)}</code>")
