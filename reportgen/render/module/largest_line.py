"""Find the source lines that most temporaries of a module come from, for the overview: those of the first colors."""

from reportgen.analyse.spaces import main_space
from reportgen.render.html.links import Links
from reportgen.render.view import Module
from reportgen.reports.summary import LargestLine

_MOST = 2


def line_href(module: Module, line: str) -> str:
    """Return where a source line is, from the site's root, or on the web; empty where its file has no page."""
    page = Links(module).source_page_href(line)
    return module.routes.folder + page if page else module.sources.url_of(line)


def largest_lines(module: Module) -> tuple[LargestLine, ...]:
    """Return the lines or scopes of the two largest parts of the temporaries at the peak; empty where none is known."""
    space = main_space(module.analysis.spaces)
    parts = module.temporary_parts[space.color] if space else None
    if space is None or parts is None:
        return ()
    is_scope = parts.kind == "scope"
    return tuple(
        LargestLine(
            place=part.name,
            size_bytes=part.peak_bytes,
            href="" if is_scope else line_href(module, part.label),
            is_scope=is_scope,
        )
        for part in parts.parts[:_MOST]
    )
