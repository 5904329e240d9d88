"""Render the pages of values: everything that the dump says about each, and what follows from that.

There may be 70,000 values, so what a section shows is joined from strings, a hundred share a page, and those of a large
module that matter little are rows.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from html import escape
from itertools import groupby
from typing import NamedTuple

from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.notable import LEAST_SHARE, notable_values
from reportgen.analyse.results import Finding
from reportgen.parse.shape_parser import ShapeError, parse_shape
from reportgen.render.drawings.layout_drawing import layout_drawing
from reportgen.render.html.links import Links
from reportgen.render.html.templates import render
from reportgen.render.routes import VALUES_FOLDER, value_id
from reportgen.render.value.about import ValueAbout
from reportgen.render.value.instruction import LONG_TEXT, DefinitionRows
from reportgen.render.value.layout import layout_sentences
from reportgen.render.value.neighbours import ValueNeighbours
from reportgen.render.value.story import ValueStory
from reportgen.render.value.value_row import COLUMNS, ValueRows
from reportgen.render.view import Module
from reportgen.reports.formats import cut, human_bytes, shortened
from reportgen.reports.report import key_text
from reportgen.work import Page

TERMS = (
    ("padding", "padding"),
    ("live-range", "live range"),
    ("buffer", "buffer"),
    ("attributed", "attribution"),
    ("without-it", "peak without a buffer"),
    ("peak-resident", "peak"),
    ("hand-over", "hand-over"),
    ("phi", "phi"),
)
"""The terms of the glossary that are said of values, linked at the top of the page."""

_FOLDED_TEXT = 2_000


class ValueSection(NamedTuple):
    """What a page shows of a value: its name, and HTML for each part.

    The parts are plain strings, because `Markup` would take a twentieth of the time of a page.
    """

    id: str
    name: str
    kind: MemoryClass
    size: str
    story: str
    about: str
    instruction: str
    neighbours: str
    shape: str
    findings: Sequence[Finding]


class ValueRenderer:
    """Renders the value pages of one module; what they share is looked up once."""

    def __init__(self, module: Module, site_title: str) -> None:
        """Prepare what renders each part of a section, and group the findings by value."""
        self._module, self._site_title = module, site_title
        self._links = links = Links(module, 1, VALUES_FOLDER)
        # The values of one instruction follow one another, so the last definition is enough.
        self._definition = lru_cache(maxsize=1)(partial(DefinitionRows, module, links))
        self._story = ValueStory(module, links)
        self._about = ValueAbout(module, links)
        self._neighbours = ValueNeighbours(module, links)
        self._rows = ValueRows(module, links)
        self._is_notable = notable_values(module.analysis)
        self._findings: defaultdict[int, list[Finding]] = defaultdict(list)
        for finding in module.analysis.findings:
            for number in finding.values:
                self._findings[number].append(finding)

    def page(self, numbers: Sequence[int]) -> Page:
        """Return the page of the values of a group."""
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
            name=lambda number: shortened(key_text(self._module.analysis.facts[number].value.key)),
            first=numbers[0],
            last=numbers[-1],
            count=len(numbers),
            runs=[*self._runs(numbers, explained)],
            columns=COLUMNS,
            least_share=LEAST_SHARE,
            has_rows=not all(self._is_notable),
        )
        # Many links lead to a value on the same page, and each page is hundreds of kilobytes.
        own = path.rpartition("/")[2].encode()
        return Page(path, content.replace(b'href="%s#' % own, b'href="#'))

    def _runs(self, numbers: Sequence[int], explained: dict[object, int]) -> Iterator[tuple[bool, Sequence[object]]]:
        """Yield the values in their order: sections one after another, or rows of one table."""
        for is_notable, run in groupby(numbers, key=self._is_notable.__getitem__):
            yield is_notable, [self._section(one, explained) if is_notable else self._row(one) for one in run]

    def _row(self, number: int) -> str:
        return self._rows.row(number, self._definition(self._module.analysis.facts[number].value.key.name))

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
            kind=memory_class(self._module.analysis.dump.allocations[value.allocation]),
            size=human_bytes(value.size_bytes),
            story=self._story.of(number),
            about=self._about.rows(number, definition, explained),
            instruction=definition.text(number),
            neighbours=self._neighbours.section(number),
            shape=f"{code}\n{layout}",
            findings=self._findings.get(number, ()),
        )


def _layout(text: str) -> str:
    """Return the layout of a shape in words and drawn."""
    try:
        shape = parse_shape(text)
    except ShapeError as error:
        return f"<p>This shape is not understood: expected {escape(error.expected)} at column {error.column + 1}."
    sentences = "".join(f"<li>{escape(sentence)}" for sentence in layout_sentences(shape))
    return f"<ul>{sentences}</ul>{layout_drawing(shape)}"
