"""The views of values, each as if it were a page: everything that the dump says about one, and what follows from that.

What a view shows is strings, because `Markup` would take a twentieth of the time of a page.
"""

from collections import defaultdict
from functools import lru_cache
from html import escape

from reportgen.analyse.records import Space
from reportgen.analyse.results import Finding
from reportgen.analyse.spaces import main_space
from reportgen.parse.shape_parser import ShapeError, parse_shape, plain_shape
from reportgen.program.buffer_uses import same_contents
from reportgen.program.scopes import short_name
from reportgen.render.drawings.layout_drawing import layout_drawing
from reportgen.render.drawings.life import held_strip, life_of
from reportgen.render.drawings.life_curve import life_below_curve, symbols
from reportgen.render.drawings.time_axis import time_axis
from reportgen.render.html.links import Links
from reportgen.render.routes import value_id
from reportgen.render.value.about import LONG_TEXT, ValueAbout, ValuePlace
from reportgen.render.value.layout import layout_sentences
from reportgen.render.value.story import ValueStory
from reportgen.render.value.texts import ValueTexts
from reportgen.render.view import Module
from reportgen.reports.formats import cut, human_bytes, percent, shortened
from reportgen.reports.report import key_text

_FOLDED_TEXT, _LONGEST_SHAPE = 2_000, 60


class ValueViews(ValueTexts):
    """The views of one module's values; what they share is looked up once, the curve of each space, too."""

    def __init__(self, module: Module, links: Links) -> None:
        super().__init__(module, links)
        self.story, self.about, self.place = (
            ValueStory(module, links),
            ValueAbout(module, links),
            ValuePlace(module, links),
        )
        self._length, self._main = max(self.analysis.moments, 1), main_space(self.analysis.spaces)
        self.findings: defaultdict[int, list[Finding]] = defaultdict(list)
        for finding in self.analysis.findings:
            for number in finding.values:
                self.findings[number].append(finding)
        spaces = self.analysis.spaces
        self._peaks = {color: space.peak_resident for color, space in spaces.items() if space.peak_resident}
        self._axes = {
            color: time_axis(self.analysis.moments, module.phases, peak.moment) for color, peak in self._peaks.items()
        }
        self.symbols = "".join(
            symbols(spaces[color], peak, self._axes[color], self._length) for color, peak in self._peaks.items()
        )
        self._life = lru_cache(maxsize=256)(
            lambda first, peak: life_of(self.analysis, same_contents(self.program, first), "", peak)
        )
        self._held = lru_cache(maxsize=256)(lambda first: held_strip(self.analysis, self.buffers.members(first)))
        self._bytes_at_peak = {
            share.value: share.size_bytes
            for space in spaces.values()
            for share in space.composition
            if share.value is not None
        }

    def id(self, number: int) -> str:
        """Return the id of a value's view."""
        return value_id(self.module.routes.value_names[number])

    def xla_name(self, number: int) -> str:
        """Return the name that XLA has for a value."""
        return shortened(key_text(self.facts[number].value.key))

    def name(self, number: int) -> str:
        """Return the name of a value in the program, or else that of XLA."""
        author = self.author(number)
        name = f"{author.relation} {short_name(author.name)}".lstrip()
        return shortened(name) if author.is_named else self.xla_name(number)

    def shape(self, number: int) -> str:
        """Return the shape of a value without its layout, as its heading has it."""
        return cut(plain_shape(self.values.shapes[number]), _LONGEST_SHAPE)

    def layout(self, number: int) -> str:
        """Return the shape of a value, in words and drawn."""
        text = self.values.shapes[number]
        # Like the text of an instruction, a long shape is whole only in the view of the first value.
        shape = text if number == self.dump.made_by[self.values.names[number]][0] else cut(text, LONG_TEXT)
        code = f"<code>{escape(shape)}</code>"
        if len(shape) > _FOLDED_TEXT:
            code = f"<details><summary>{len(shape):,} characters</summary>{code}</details>"
        return f"<p>{code}\n{_layout(text)}"

    def at_peak(self, number: int) -> str:
        """Return the part of the peak of its space that the buffer of a value takes; empty where no peak is known."""
        space, own = self._space(number), self._bytes_at_peak.get(number, 0)
        peak = self._peaks.get(space.color)
        if peak is None or not peak.amount:
            return ""
        size = own or max(self._bytes_at_peak.get(member, 0) for member in self.buffers.members(number))
        if size:
            where = "" if space is self._main else f" of {space.name}"
            part = f"{percent(size, peak.amount)} of the peak{where}"
            if not own:
                return f"{part}, with its buffer"
            return part if own == self.values.sizes[number] else f"{part}: {human_bytes(own)} of it"
        live = self.facts[number].live
        is_there = live is not None and live.start <= peak.moment <= live.end
        return "at the peak, in the bytes of another value" if is_there else "not at the peak"

    def life(self, number: int) -> str:
        """Return the life of what a value contains, which is also what the rows of its uses are about, as a drawing.

        It is empty for a value that is never live.
        """
        space = self._space(number)
        if self.dump.starts[number] < 0 or space.color not in self._axes:
            return ""
        life = self._life(same_contents(self.program, number)[0], self._peaks[space.color].moment)
        if life is None:
            return ""
        colored, buffer = life._replace(look=self.module.color(number)), self._held(self.buffers.members(number)[0])
        return life_below_curve(space, colored, buffer, self._axes[space.color], self._length)

    def _space(self, number: int) -> Space:
        return self.analysis.spaces[self.dump.allocations[self.values.allocations[number]].color]


@lru_cache(maxsize=256)
def _layout(text: str) -> str:
    """Return the layout of a shape in words and drawn."""
    try:
        shape = parse_shape(text)
    except ShapeError as error:
        return f"<p>This shape is not understood: expected {escape(error.expected)} at column {error.column + 1}."
    sentences = "".join(f"<li>{escape(sentence)}" for sentence in layout_sentences(shape))
    return f"<ul>{sentences}</ul>{layout_drawing(shape)}"
