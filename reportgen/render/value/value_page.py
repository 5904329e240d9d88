"""Render the pages of values: everything that the dump says about each, and what follows from that.

There may be 70,000 values, so what a section shows is joined from strings, and in a large module values share pages.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache, partial
from html import escape
from typing import NamedTuple

from markupsafe import Markup

from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.results import Finding
from reportgen.parse.shape_parser import ShapeError, parse_shape
from reportgen.record import record
from reportgen.render.drawings.layout_drawing import layout_drawing
from reportgen.render.html.links import Links
from reportgen.render.html.templates import render
from reportgen.render.routes import VALUES_FOLDER, value_id
from reportgen.render.value.about import ValueAbout
from reportgen.render.value.instruction import LONG_TEXT, DefinitionRows
from reportgen.render.value.layout import layout_sentences
from reportgen.render.value.neighbours import ValueNeighbours
from reportgen.render.value.story import ValueStory
from reportgen.render.view import Module
from reportgen.reports.formats import cut, shortened
from reportgen.reports.report import key_text
from reportgen.work import Page

TERMS = (
    ("padding", "padding"),
    ("live-range", "live range"),
    ("buffer", "buffer"),
    ("attributed", "author"),
    ("without-it", "peak without a buffer"),
    ("peak-resident", "peak"),
    ("hand-over", "hand-over"),
    ("phi", "phi"),
)
"""The terms of the glossary that are said of values; a page that many values share explains them once."""

_FOLDED_TEXT = 2_000


@record
class ValueHead:
    """What the page of one value says first: its class of memory, its space and bytes, and its allocation as a link."""

    kind: MemoryClass
    space: str
    size_bytes: int
    allocation: Markup


class ValueSection(NamedTuple):
    """What a page shows of a value: its name, and HTML for each part.

    The parts are plain strings, because `Markup` would take a twentieth of the time of a page.
    """

    id: str
    name: str
    story: str
    about: str
    instruction: str
    neighbours: str
    shape: str
    findings: Sequence[Finding]


class ValueRenderer:
    """Renders the value pages of one module; what they share is looked up once."""

    def __init__(self, module: Module, site_title: str) -> None:
        self._module, self._site_title = module, site_title
        self._links = links = Links(module, 1, VALUES_FOLDER)
        # The values of one instruction follow one another, so the last definition is enough.
        self._definition = lru_cache(maxsize=1)(partial(DefinitionRows, module, links))
        self._story = ValueStory(module, links)
        self._about = ValueAbout(module, links)
        self._neighbours = ValueNeighbours(module, links)
        self._findings: defaultdict[int, list[Finding]] = defaultdict(list)
        for finding in module.analysis.findings:
            for number in finding.values:
                self._findings[number].append(finding)

    def page(self, numbers: Sequence[int]) -> Page:
        """Return the page of some values: one, or those of a group."""
        path = self._module.routes.value_page(numbers[0])
        explained: dict[object, int] = {}
        content = render(
            "pages/value.html",
            path,
            tab="",
            site_title=self._site_title,
            module=self._module,
            links=self._links,
            terms=TERMS,
            spaces=[self._links.space(space) for space in self._module.analysis.spaces.values()],
            head=None if self._module.routes.has_shared_pages else self._head(numbers[0]),
            sections=[self._section(number, explained) for number in numbers],
        )
        # Many links lead to a value on the same page, and each page is hundreds of kilobytes.
        own = path.rpartition("/")[2].encode()
        return Page(path, content.replace(b'href="%s#' % own, b'href="#'))

    def _head(self, number: int) -> ValueHead:
        value = self._module.analysis.facts[number].value
        allocation = self._module.analysis.dump.allocations[value.allocation]
        return ValueHead(
            kind=memory_class(allocation),
            space=self._module.analysis.spaces[allocation.color].name,
            size_bytes=value.size_bytes,
            allocation=self._links.allocation(value.allocation),
        )

    def _section(self, number: int, explained: dict[object, int]) -> ValueSection:
        """Return what a page shows of a value; its shape and stack only if the page has not `explained` them before."""
        value = self._module.analysis.facts[number].value
        definition = self._definition(value.key.name)
        # Like the text of an instruction, a long shape is whole only in the section of the first value.
        shape = value.shape if number == definition.values[0] else cut(value.shape, LONG_TEXT)
        code = f'<code class="block">{escape(shape)}</code>'
        if len(shape) > _FOLDED_TEXT:
            code = f"<details><summary>{len(shape):,} characters</summary>{code}</details>"
        first = explained.setdefault(value.shape, number)
        layout = _layout(value.shape) if first == number else f"<p>Explained with {self._links.value(first)}."
        return ValueSection(
            id=value_id(self._module.routes.value_names[number]),
            name=shortened(key_text(value.key)),
            story=self._story.of(number),
            about=self._about.rows(number, definition, explained),
            instruction=definition.text(number),
            neighbours=self._neighbours.section(number),
            shape=f"{code}\n{layout}",
            findings=self._findings.get(number, ()),
        )


@lru_cache(maxsize=256)
def _layout(text: str) -> str:
    """Return the layout of a shape in words and drawn; most values share their shape with many others."""
    try:
        shape = parse_shape(text)
    except ShapeError as error:
        return f"<p>This shape is not understood: expected {escape(error.expected)} at column {error.column + 1}."
    sentences = "".join(f"<li>{escape(sentence)}" for sentence in layout_sentences(shape))
    return f"<ul>{sentences}</ul>{layout_drawing(shape)}"
