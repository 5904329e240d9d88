"""Find the source line that most temporaries of a module come from, for the overview: that of the first color."""

from reportgen.analyse.spaces import main_space
from reportgen.render.html.links import Links
from reportgen.render.view import Module
from reportgen.reports.summary import LargestLine


def largest_line(module: Module) -> LargestLine | None:
    """Return the line or scope of the largest part of the temporaries at the peak; None where none is known."""
    space = main_space(module.analysis.spaces)
    parts = module.temporary_parts[space.color] if space else None
    if space is None or parts is None:
        return None
    part = parts.parts[0]
    is_scope, href = parts.kind == "scope", ""
    if not is_scope:
        page = Links(module, 0).source_page_href(part.label)
        href = module.routes.folder + page if page else module.sources.url_of(part.label)
    return LargestLine(place=part.name, size_bytes=part.peak_bytes, href=href, is_scope=is_scope)
