"""Find the source line that most temporaries of a module come from, for the overview: that of the first color."""

from reportgen.analyse.spaces import main_space
from reportgen.render.html.links import Links
from reportgen.render.view import Module
from reportgen.reports.source_words import line_words
from reportgen.reports.summary import LargestLine


def largest_line(module: Module) -> LargestLine | None:
    """Return the line or scope of the largest part of the temporaries at the peak; None where none is known."""
    space = main_space(module.analysis.spaces)
    parts = module.temporary_parts[space.color] if space else None
    if space is None or parts is None:
        return None
    part = parts.parts[0]
    labels = [group.label for group in module.source_lines[space.color] if line_words(group.label) == part.name]
    href = ""
    # Two files of one name in different directories would lead to the wrong one.
    if len(labels) == 1:
        page = Links(module, 0).source_page_href(labels[0])
        href = module.routes.folder + page if page else module.sources.url_of(labels[0])
    return LargestLine(place=part.name, size_bytes=part.peak_bytes, href=href, is_scope=parts.kind == "scope")
