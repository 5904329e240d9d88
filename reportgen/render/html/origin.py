"""Name in a table cell what a value is to the program: its argument or operation, and the source line."""

from html import escape

from markupsafe import Markup

from reportgen.analyse.attribution import Attribution
from reportgen.render.html.formats import shortened, soft_breaks

_LONGEST = 56


def origin_cell(found: Attribution) -> Markup:
    """Return the argument or the end of the scope, which says most, and file and line; the tooltips have the whole."""
    source = ""
    if found.frame:
        short = escape(shortened(f"{found.frame.file.rpartition('/')[2]}:{found.frame.line}"))
        source = f' <span class=source title="{escape(shortened(found.source))}">{short}</span>'
    return named(found.argument or found.scope) + Markup(source)


def named(name: str) -> Markup:
    """Return a name of the program as code, without its beginning where it is long; a dash where there is none."""
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
