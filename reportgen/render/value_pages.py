"""A page for each value: everything that the dump says about it, and what follows from that.

There may be 70,000 of them, so each is small, and put together here from strings: the template is the frame that
they have in common, and what depends on the shape alone is made once for each shape.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from html import escape

from markupsafe import Markup

from reportgen.analyse.judgements import Finding
from reportgen.parse.shapes import ShapeError, parse_shape
from reportgen.render.definitions import LONG_TEXT, Definitions
from reportgen.render.drawings.layout import layout_drawing
from reportgen.render.formats import shortened, soft_breaks
from reportgen.render.layout_words import layout_sentences
from reportgen.render.links import Links
from reportgen.render.module import Module, key_text
from reportgen.render.page import Page
from reportgen.render.routes import VALUES_FOLDER
from reportgen.render.templates import Frame, fragment
from reportgen.render.value_about import ValueAbout
from reportgen.render.value_holders import ValueHolders

_FOLDED_TEXT = 2_000


class ValueRenderer:
    """Renders the value pages of one module; what they share is looked up once."""

    def __init__(self, module: Module, site_title: str) -> None:
        self._module = module
        self._site_title = site_title
        self._links = Links(module, 1, VALUES_FOLDER)
        self._definitions = Definitions(module, self._links)
        self._about = ValueAbout(module, self._links)
        self._holders = ValueHolders(module, self._links)
        self._findings = _findings_by_value(module)

    def pages(self, number: int) -> Iterator[Page]:
        """The page of a value."""
        fact = self._module.analysis.facts[number]
        name = shortened(key_text(fact.value.key))
        definition = self._definitions.of(number)
        content = self._frame.filled(
            name=escape(name),
            allocation=self._links.allocation(fact.value.allocation),
            heading=soft_breaks(name),
            steps=self._steps(number),
            about=self._about.rows(number, definition),
            instruction=definition.text(number),
            holders=self._holders.section(number),
            shape=self._shape(number, fact.value.shape),
            findings=self._listed_findings(number),
        )
        yield Page(self._module.routes.value(number), content)

    @cached_property
    def _frame(self) -> Frame:
        module, path = self._module, self._module.routes.value(min(self._module.with_page))
        return Frame("value.html", path, tab="", site_title=self._site_title, module=module, links=self._links)

    def _steps(self, number: int) -> str:
        """To the values before and after it in the dump."""
        facts = self._module.analysis.facts
        steps = []
        if number > 0:
            steps.append(f"<a rel=prev href={self._links.value_href(number - 1)}>← {facts[number - 1].value.id}</a>")
        if number + 1 < len(facts):
            steps.append(f"<a rel=next href={self._links.value_href(number + 1)}>{facts[number + 1].value.id} →</a>")
        return " ".join(steps)

    def _shape(self, number: int, text: str) -> str:
        """A long shape is shown whole on one page alone, like the instruction that makes the value."""
        if len(text) <= LONG_TEXT:
            return _short_shape(text)
        if not self._module.is_first_of_instruction(number):
            return f"{_code(text[:LONG_TEXT] + '…')}\n{_layout(text)}"
        if len(text) <= _FOLDED_TEXT:
            return f"{_code(text)}\n{_layout(text)}"
        return f"<details><summary>{len(text):,} characters</summary>{_code(text)}</details>\n{_layout(text)}"

    def _listed_findings(self, number: int) -> str:
        findings = self._findings.get(number)
        return fragment("value_findings.html", findings=findings, links=self._links) if findings else ""


@lru_cache(maxsize=4096)
def _short_shape(text: str) -> str:
    """Most values share their shape with many others."""
    return f"{_code(text)}\n{_layout(text)}"


def _code(text: str) -> str:
    return f"<code class=block>{escape(text)}</code>"


@lru_cache(maxsize=256)
def _layout(text: str) -> str:
    """What the shape means, in words and drawn."""
    try:
        shape = parse_shape(text)
    except ShapeError as error:
        problem = f"This shape is not understood: expected {error.expected} at column {error.column + 1}."
        return Markup("<p>{}").format(problem)
    sentences = Markup("").join(Markup("<li>{}").format(sentence) for sentence in layout_sentences(shape, brief=True))
    return f"<ul>{sentences}</ul>{layout_drawing(shape)}"


def _findings_by_value(module: Module) -> Mapping[int, list[Finding]]:
    found: defaultdict[int, list[Finding]] = defaultdict(list)
    for finding in module.analysis.findings:
        for number in finding.values:
            found[number].append(finding)
    return found
