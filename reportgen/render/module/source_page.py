"""A source file with the bytes of the peak in the margin of each line, and the suggestions that are about it.

There are such pages only for files below the directory of sources that the user names.
"""

from collections.abc import Sequence

from reportgen.advice.advice_records import Suggestion
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.records import Space
from reportgen.analyse.spaces import main_space
from reportgen.record import record
from reportgen.render import routes
from reportgen.render.html.links import Links
from reportgen.render.module.view_page import view_page
from reportgen.render.view import Module
from reportgen.reports.annotated_source import AnnotatedLine, LineCosts, annotated, line_costs
from reportgen.work import Page


@record
class SourceView:
    """A file of the program; `others` are the hrefs of the other files by path, with the bytes that they fill."""

    path: str
    space: Space
    lines: Sequence[AnnotatedLine]
    size_bytes: int
    peak_bytes: int
    suggestions: Sequence[Suggestion]
    others: Sequence[tuple[str, str, int]]


def source_page(module: Module, number: int, site_title: str) -> Page:
    """Return the page of a source file, by its position among those of the module."""
    links, file = Links(module, 0), module.source_files_shown[number]
    space = main_space(module.analysis.spaces)
    assert space is not None  # because a file is shown only where a space has a peak
    advice = module.advice.get(MAIN_SPACE)
    costs = line_costs(module, space)
    lines = annotated(file.lines, file.names, costs)
    shown = SourceView(
        path=file.path,
        space=space,
        lines=lines,
        size_bytes=sum(line.size_bytes for line in lines),
        peak_bytes=costs.peak_bytes,
        suggestions=advice.best if advice else (),
        others=_others(module, links, number, costs),
    )
    return view_page(module, site_title, routes.source(number), "pages/source.html", links=links, source=shown)


def _others(module: Module, links: Links, number: int, costs: LineCosts) -> Sequence[tuple[str, str, int]]:
    return [
        (
            file.path,
            links.listing(routes.source(other)),
            sum(line.size_bytes for line in annotated(file.lines, file.names, costs)),
        )
        for other, file in enumerate(module.source_files_shown)
        if other != number
    ]
