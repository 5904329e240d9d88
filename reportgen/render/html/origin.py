"""Name in a table cell what a value is to the program: its argument or operation, and the source line.

Words before the name say so where the bytes are not that argument, or not what that operation fills in.
"""

from collections.abc import Sequence
from html import escape

from markupsafe import Markup

from reportgen.program.author import Author, common_relation, lines_of_authors
from reportgen.program.scopes import short_name
from reportgen.render.html.markup import soft_breaks
from reportgen.reports.formats import end_of, more_lines, shortened

_LONGEST = 56


def origin_cell(authors: Sequence[Author], name: str = "", line_href: str = "", href: str = "") -> Markup:
    """Return the argument or the end of the scope, which says most, and file and line; the tooltips have the whole.

    `name` is that of a group of values where they have several authors, and is shown without what JAX adds to it; the
    line is that of the first, with the number of the others. An argument has none, so the line that reads it first is
    named as that. `line_href` leads to the line, if it has a page, and `href` to what the name stands for.
    """
    first, relation = authors[0], common_relation(authors)
    related = f"{relation} " if relation else ""
    named = _named(name, short_name(name)) if name else _named(first.name)
    operation = f'{related}<a href="{href}">{named}</a>' if href else f"{related}{named}"
    line = escape(shortened(first.source or first.read_first))
    if not line:
        return Markup(operation)
    before, more = "" if first.source else "read first at ", more_lines(len(lines_of_authors(authors)))
    short = line.rpartition("/")[2]
    if line_href:
        short = f'<a href="{escape(line_href)}">{short}</a>'
    look = "source" if first.source else "source first-read"
    return Markup(f'{operation} <span class="{look}" title="{before}{line}">{before}{short}{more}</span>')


def _named(name: str, short: str = "") -> str:
    """Return a name of the program, or a `short` form of it, as code, cut at its beginning if it is long."""
    shown = end_of(short or name, _LONGEST)
    title = f' title="{escape(shortened(name))}"' if shown != name else ""
    return f"<code{title}>{soft_breaks(shown)}</code>"
