"""Render the pages of values: everything that the dump says about each, and what follows from that.

There may be 70,000 values, so what a section shows is joined from strings, a hundred share a page, and those of a large
module that matter little are rows.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache, partial
from html import escape
from typing import NamedTuple

from reportgen.analyse.notable import LEAST_SHARE, notable_values
from reportgen.analyse.results import Finding
from reportgen.parse.shape_parser import ShapeError, parse_shape, plain_shape
from reportgen.program.scopes import short_name
from reportgen.render.drawings.layout_drawing import layout_drawing
from reportgen.render.html.links import Links
from reportgen.render.html.templates import render
from reportgen.render.routes import VALUES_FOLDER, value_id
from reportgen.render.value.about import ValueAbout
from reportgen.render.value.advice import ValueAdvice
from reportgen.render.value.instruction import LONG_TEXT, DefinitionText
from reportgen.render.value.layout import layout_sentences
from reportgen.render.value.lives import ValueLives
from reportgen.render.value.neighbours import ValueNeighbours
from reportgen.render.value.program_rows import ProgramRows
from reportgen.render.value.story import ValueStory
from reportgen.render.value.uses import ValueUses
from reportgen.render.value.value_row import COLUMNS, ValueRows
from reportgen.render.view import Module
from reportgen.reports.formats import counted, cut, shortened
from reportgen.reports.report import key_text
from reportgen.work import Page

_FOLDED_TEXT = 2_000
_LONGEST_SHAPE = 60


class ValueSection(NamedTuple):
    """What a page shows of a value: its names, what it takes of the peak, and HTML for each part.

    `xla_name` is empty where `name` is that, `color` and `line` are those of its source line. The parts are plain
    strings, because `Markup` would take a twentieth of the time of a page.
    """

    id: str
    name: str
    xla_name: str
    shape: str
    size_bytes: int
    at_peak: str
    color: str
    line: str
    story: str
    life: str
    uses: str
    source: str
    place: str
    layout: str
    suggestions: str
    advice: str
    about: str
    instruction: str
    findings: Sequence[Finding]


class ValueRenderer:
    """Renders the value pages of one module; what they share is looked up once."""

    def __init__(self, module: Module, site_title: str) -> None:
        """Prepare what renders each part of a section, and group the findings by value."""
        self._module, self._site_title = module, site_title
        self._links = links = Links(module, 1, VALUES_FOLDER)
        # The values of one instruction follow one another, so the last definition is enough.
        self._definition = lru_cache(maxsize=1)(partial(DefinitionText, module, links))
        self._story, self._uses = ValueStory(module, links), ValueUses(module, links)
        self._about, self._program = ValueAbout(module, links), ProgramRows(module, links)
        self._neighbours, self._advice = ValueNeighbours(module, links), ValueAdvice(module, links)
        self._lives = ValueLives(module)
        self._rows = ValueRows(module, links)
        self._is_notable = notable_values(module.analysis)
        self._findings: defaultdict[int, list[Finding]] = defaultdict(list)
        for finding in module.analysis.findings:
            for number in finding.values:
                self._findings[number].append(finding)

    def page(self, numbers: Sequence[int]) -> Page:
        """Return the page of the values of a group."""
        path, values = self._module.routes.value_page(numbers[0]), self._module.analysis.facts
        explained: dict[object, int] = {}
        sections = [number for number in numbers if self._is_notable[number]]
        rows = [number for number in numbers if not self._is_notable[number]]
        content = render(
            "pages/value.html",
            path,
            tab="",
            site_title=self._site_title,
            module=self._module,
            links=self._links,
            place=self._place(numbers),
            count=len(numbers),
            sections=[self._section(number, explained) for number in sections],
            symbols=self._lives.symbols(sections),
            rows=[self._rows.row(number, self._definition(values[number].value.key.name)) for number in rows],
            row_style=self._lives.peak_style(rows),
            columns=COLUMNS,
            least_share=LEAST_SHARE,
        )
        # Many links lead to a value on the same page, and each page is hundreds of kilobytes.
        own = path.rpartition("/")[2].encode()
        return Page(path, content.replace(b'href="%s#' % own, b'href="#'))

    def _place(self, numbers: Sequence[int]) -> str:
        """Return what a page is about: its value or, of several, the instructions that define them."""
        starts = [start for number in numbers if (start := self._module.analysis.dump.starts[number]) >= 0]
        if len(numbers) == 1:
            return shortened(key_text(self._module.analysis.facts[numbers[0]].value.key))
        return f"instructions {min(starts):,} to {max(starts):,}" if starts else counted(len(numbers), "value")

    def _section(self, number: int, explained: dict[object, int]) -> ValueSection:
        """Return what a page shows of a value; its shape in words only if the page has not `explained` it before."""
        value, author = self._module.analysis.facts[number].value, self._module.attribution(number)
        definition = self._definition(value.key.name)
        # Like the text of an instruction, a long shape is whole only in the section of the first value.
        shape = value.shape if number == definition.values[0] else cut(value.shape, LONG_TEXT)
        code = f"<code>{escape(shape)}</code>"
        if len(shape) > _FOLDED_TEXT:
            code = f"<details><summary>{len(shape):,} characters</summary>{code}</details>"
        first = explained.setdefault(value.shape, number)
        layout = _layout(value.shape) if first == number else f"<p>Explained with {self._links.value(first)}."
        xla_name = shortened(key_text(value.key))
        name = f"{author.relation} {short_name(author.name)}".lstrip() if author.is_named else xla_name
        return ValueSection(
            id=value_id(self._module.routes.value_names[number]),
            name=shortened(name),
            xla_name=xla_name if author.is_named else "",
            shape=cut(plain_shape(value.shape), _LONGEST_SHAPE),
            size_bytes=value.size_bytes,
            at_peak=self._lives.at_peak(number),
            color=self._module.color(number),
            line=self._links.line(author.source),
            story=self._story.of(number),
            life=self._lives.drawing(number),
            uses=self._uses.table(number),
            source=self._program.source(number),
            place=self._neighbours.section(number),
            layout=f"<p>{code}\n{layout}",
            suggestions=self._advice.suggestions(number),
            advice=self._advice.sentence(number),
            about=self._about.rows(number),
            instruction=definition.text(number),
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
