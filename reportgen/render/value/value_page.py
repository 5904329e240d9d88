"""Render the pages of values: everything that the dump says about each, and what follows from that.

There may be 70,000 values, so a hundred share a page, and those of a large module that matter little are rows. What a
section shows is strings, because `Markup` would take a twentieth of the time of a page.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from html import escape

from reportgen.analyse.notable import LEAST_SHARE, notable_values
from reportgen.analyse.records import Space
from reportgen.analyse.results import Finding
from reportgen.analyse.spaces import main_space
from reportgen.model import WHOLE
from reportgen.parse.shape_parser import ShapeError, parse_shape, plain_shape
from reportgen.program.buffer_uses import same_contents
from reportgen.program.scopes import short_name
from reportgen.render.drawings.layout_drawing import layout_drawing
from reportgen.render.drawings.life import Life, held_strip, life_of
from reportgen.render.drawings.life_curve import life_below_curve, symbols
from reportgen.render.drawings.time_axis import time_axis
from reportgen.render.html.links import Links
from reportgen.render.html.templates import render
from reportgen.render.routes import VALUES_FOLDER, value_id
from reportgen.render.value.about import LONG_TEXT, ValueAbout, ValuePlace
from reportgen.render.value.layout import layout_sentences
from reportgen.render.value.story import ValueStory
from reportgen.render.value.texts import ValueTexts
from reportgen.render.view import Module
from reportgen.reports.formats import counted, cut, human_bytes, percent, shortened
from reportgen.reports.report import key_text
from reportgen.work import Page

COLUMNS = ("Size", "Value", "Live", "Shape", "Operation or argument", "Read by", "Allocation, offset")

_FOLDED_TEXT, _LONGEST_SHAPE, _LONGEST_SHAPE_OF_ROW, _MOST_READERS = 2_000, 60, 40, 5


class ValueRenderer(ValueTexts):
    """Renders the value pages of one module; what they share is looked up once, the curve of each space, too."""

    def __init__(self, module: Module, site_title: str) -> None:
        super().__init__(module, links := Links(module, 1, VALUES_FOLDER))
        self.story, self.about, self.place = (
            ValueStory(module, links),
            ValueAbout(module, links),
            ValuePlace(module, links),
        )
        self._site_title, self._length = site_title, max(self.analysis.moments, 1)
        self._is_notable, self._main = notable_values(self.analysis), main_space(self.analysis.spaces)
        self.findings: defaultdict[int, list[Finding]] = defaultdict(list)
        for finding in self.analysis.findings:
            for number in finding.values:
                self.findings[number].append(finding)
        spaces = self.analysis.spaces
        self._peaks = {color: space.peak_resident for color, space in spaces.items() if space.peak_resident}
        self._axes = {
            color: time_axis(self.analysis.moments, module.phases, peak.moment) for color, peak in self._peaks.items()
        }
        self._symbols = {
            color: symbols(spaces[color], peak, self._axes[color], self._length) for color, peak in self._peaks.items()
        }
        self._life = lru_cache(maxsize=256)(self._life_of_contents)
        self._held = lru_cache(maxsize=256)(lambda first: held_strip(self.analysis, self.buffers.members(first)))
        self._bytes_at_peak = {
            share.value: share.size_bytes
            for space in spaces.values()
            for share in space.composition
            if share.value is not None
        }
        self._origins: dict[tuple[str, ...], str] = {}

    def page(self, numbers: Sequence[int]) -> Page:
        """Return the page of the values of a group."""
        path = self.module.routes.value_page(numbers[0])
        sections = [number for number in numbers if self._is_notable[number]]
        rows = [number for number in numbers if not self._is_notable[number]]
        axis = self._axes.get(self._main.color) if self._main and rows else None
        content = render(
            "pages/value.html",
            path,
            tab="",
            site_title=self._site_title,
            module=self.module,
            links=self.links,
            place=self._place(numbers),
            count=len(numbers),
            values=self,
            sections=sections,
            explained={},
            symbols="".join(
                self._symbols.get(color, "")
                for color in dict.fromkeys(self._space(number).color for number in sections)
            ),
            rows=list(map(self._row, rows)),
            row_style=f"--peak:{axis.peak_at}" if axis else "",
            columns=COLUMNS,
            least_share=LEAST_SHARE,
        )
        # Many links lead to a value on the same page, and each page is hundreds of kilobytes.
        own = path.rpartition("/")[2].encode()
        return Page(path, content.replace(b'href="%s#' % own, b'href="#'))

    def _place(self, numbers: Sequence[int]) -> str:
        """Return what a page is about: its value or, of several, the instructions that define them."""
        starts = [start for number in numbers if (start := self.dump.starts[number]) >= 0]
        if len(numbers) == 1:
            return shortened(key_text(self.facts[numbers[0]].value.key))
        return f"instructions {min(starts):,} to {max(starts):,}" if starts else counted(len(numbers), "value")

    def id(self, number: int) -> str:
        """Return the id of a value's section or row."""
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

    def layout(self, number: int, explained: dict[str, int]) -> str:
        """Return the shape of a value, in words and drawn only if the page has not `explained` it before."""
        text = self.values.shapes[number]
        # Like the text of an instruction, a long shape is whole only in the section of the first value.
        shape = text if number == self.dump.made_by[self.values.names[number]][0] else cut(text, LONG_TEXT)
        code = f"<code>{escape(shape)}</code>"
        if len(shape) > _FOLDED_TEXT:
            code = f"<details><summary>{len(shape):,} characters</summary>{code}</details>"
        first = explained.setdefault(text, number)
        return f"<p>{code}\n{_layout(text) if first == number else f'<p>Explained with {self.value(first)}.'}"

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

    def _life_of_contents(self, first: int, peak: int) -> Life | None:
        return life_of(self.analysis, same_contents(self.program, first), "", peak)

    def _space(self, number: int) -> Space:
        return self.analysis.spaces[self.dump.allocations[self.values.allocations[number]].color]

    def _row(self, number: int) -> str:
        """Return the row of a value that matters little; the first of an instruction has the text of that below it."""
        start, end, allocation = self.dump.starts[number], self.dump.ends[number], self.values.allocations[number]
        size, name = self.values.sizes[number], escape(shortened(self.values.keys[number].removesuffix(WHOLE)))
        # Where a life lies on the axis of the program, for the style sheet, which draws it.
        place = f"--a:{100 * start / self._length:.3g};--b:{100 * (end + 1 - start) / self._length:.3g}"
        live = f'<td style="{place}">{start:,} to {end:,}' if start >= 0 else "<td>–"
        shape = escape(cut(self.values.shapes[number], _LONGEST_SHAPE_OF_ROW))
        index, href = self.dump.allocations[allocation].index, self.links.allocation_href(allocation)
        is_first = number == self.dump.made_by[self.values.names[number]][0]
        text = f'<tr class="text"><td colspan="{len(COLUMNS)}">{self.about.text(number)}' if is_first else ""
        return (
            f'<tr id="{self.id(number)}"><td title="{size:,}">{human_bytes(size)}<th scope="row">{name}{live}'
            f"<td><code>{shape}</code><td>{self._origin(number)}<td>{self._readers(number)}"
            f'<td><a href="{href}">{index}</a> + {self.values.offsets[number]:,}{text}'
        )

    def _origin(self, number: int) -> str:
        """Return the operation of a row; in a large module, two rows of three have that of another."""
        author = self.author(number)
        seen = author.name, author.relation, author.source, author.read_first
        if seen not in self._origins:
            self._origins[seen] = self.links.origin_of([author], author.name)
        return self._origins[seen]

    def _readers(self, number: int) -> str:
        readers = list(dict.fromkeys(self.program.readers_of(number)))
        words = ", ".join(map(self.instruction, readers[:_MOST_READERS]))
        more = f" and {len(readers) - _MOST_READERS:,} more" if len(readers) > _MOST_READERS else ""
        return words + more or "none"


def _layout(text: str) -> str:
    """Return the layout of a shape in words and drawn."""
    try:
        shape = parse_shape(text)
    except ShapeError as error:
        return f"<p>This shape is not understood: expected {escape(error.expected)} at column {error.column + 1}."
    sentences = "".join(f"<li>{escape(sentence)}" for sentence in layout_sentences(shape))
    return f"<ul>{sentences}</ul>{layout_drawing(shape)}"
