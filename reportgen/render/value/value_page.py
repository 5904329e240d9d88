"""Render a page for each value: everything that the dump says about it, and what follows from that.

There may be 70,000 of them, so they are small and joined from strings: the template is rendered once for a module, and
each page only fills the holes in it.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache, partial
from html import escape

from reportgen.analyse.results import Finding
from reportgen.parse.shape_parser import ShapeError, parse_shape
from reportgen.render.drawings.layout_drawing import layout_drawing
from reportgen.render.html.links import Links
from reportgen.render.html.markup import soft_breaks
from reportgen.render.html.templates import PageFrame, macro
from reportgen.render.routes import VALUES_FOLDER
from reportgen.render.value.about import ValueAbout
from reportgen.render.value.instruction import LONG_TEXT, DefinitionRows
from reportgen.render.value.layout import layout_sentences
from reportgen.render.value.neighbours import ValueNeighbours
from reportgen.render.view import Module
from reportgen.reports.formats import cut, shortened
from reportgen.reports.report import key_text
from reportgen.work import Page

_FOLDED_TEXT = 2_000


class ValueRenderer:
    """Renders the value pages of one module; what they share is looked up once."""

    def __init__(self, module: Module, site_title: str) -> None:
        self._module = module
        self._links = links = Links(module, 1, VALUES_FOLDER)
        # The values of one instruction follow one another, so the last definition is enough.
        self._definition = lru_cache(maxsize=1)(partial(DefinitionRows, module, links))
        self._about = ValueAbout(module, links)
        self._neighbours = ValueNeighbours(module, links)
        self._findings: defaultdict[int, list[Finding]] = defaultdict(list)
        for finding in module.analysis.findings:
            for number in finding.values:
                self._findings[number].append(finding)
        self._finding_table = partial(macro, "parts.html", "findings_table")
        # The path decides only where the site's root is, which is the same for every value.
        path = module.routes.value(0)
        self._frame = PageFrame("value.html", path, tab="", site_title=site_title, module=module, links=links)

    def pages(self, number: int) -> Iterator[Page]:
        """Yield the page of a value."""
        value = self._module.analysis.facts[number].value
        name = shortened(key_text(value.key))
        definition = self._definition(value.key.name)
        findings = self._findings.get(number)
        # Like the text of an instruction, a long shape is whole only on the page of the first value.
        shape = value.shape if number == definition.values[0] else cut(value.shape, LONG_TEXT)
        code = f"<code class=block>{escape(shape)}</code>"
        if len(shape) > _FOLDED_TEXT:
            code = f"<details><summary>{len(shape):,} characters</summary>{code}</details>"
        content = self._frame.filled(
            name=escape(name),
            allocation=self._links.allocation(value.allocation),
            heading=soft_breaks(name),
            previous_next=self._previous_next(number),
            about=self._about.rows(number, definition),
            instruction=definition.text(number),
            neighbours=self._neighbours.section(number),
            shape=f"{code}\n{_layout(value.shape)}",
            findings=f"<h2>Findings</h2>\n{self._finding_table(findings, self._links)}" if findings else "",
        )
        yield Page(self._module.routes.value(number), content)

    def _previous_next(self, number: int) -> str:
        """Return links to the values before and after this one in the dump."""
        facts = self._module.analysis.facts
        links = []
        for rel, other in (("prev", number - 1), ("next", number + 1)):
            if 0 <= other < len(facts):
                name = escape(shortened(key_text(facts[other].value.key)))
                links.append(f"<a rel={rel} href={self._links.value_href(other)}>{name}</a>")
        return " ".join(links)


@lru_cache(maxsize=256)
def _layout(text: str) -> str:
    """Return the layout of a shape in words and drawn; most values share their shape with many others."""
    try:
        shape = parse_shape(text)
    except ShapeError as error:
        return f"<p>This shape is not understood: expected {escape(error.expected)} at column {error.column + 1}."
    sentences = "".join(f"<li>{escape(sentence)}" for sentence in layout_sentences(shape))
    return f"<ul>{sentences}</ul>{layout_drawing(shape)}"
