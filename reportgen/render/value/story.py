"""Say in one sentence what a value is to the program: who writes it, who reads it last, and why it is at the peak."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from markupsafe import Markup

from reportgen.analyse.classes import memory_class
from reportgen.analyse.phases import Phase
from reportgen.program.author import UNNAMED_ARGUMENT
from reportgen.render.drawings.life import life_of, life_strip
from reportgen.render.html.links import Links
from reportgen.render.view import Module
from reportgen.reports.formats import counted, shortened

_PASSES: Mapping[str, str] = {
    "forward": "in the forward pass",
    "backward": "in the backward pass",
    "update": "in the update",
}


class ValueStory:
    """The sentences about one module's values."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module, self._links = module, links
        self._passes = [phase for phase in module.phases if phase.kind in _PASSES]
        self._peaks = {
            color: space.peak_resident.moment for color, space in module.analysis.spaces.items() if space.peak_resident
        }

    def of(self, number: int) -> Markup:
        """Return the sentences about a value and the strip of its life; empty for one that is never live."""
        analysis = self._module.analysis
        dump, start, end = analysis.dump, analysis.dump.starts[number], analysis.dump.ends[number]
        if start < 0:
            return Markup()
        allocation = dump.allocations[dump.values.allocations[number]]
        peak = self._peaks.get(allocation.color)
        words = " ".join([*self._origin(number, start), *self._uses(number, start, end, peak)])
        life = life_of(analysis, (number,), memory_class(allocation), peak)
        return Markup(f"{words}{life_strip(life, has_words=False)}")

    def _origin(self, number: int, start: int) -> Iterator[str]:
        """Yield who holds or writes the value."""
        found = self._module.attribution(number)
        if found.rule == "argument":
            first = f", read first at {_line(found.read_first)}" if found.read_first else ""
            is_number = found.name.startswith(UNNAMED_ARGUMENT)
            name = f"The argument <code>{escape(shortened(found.name))}</code>"
            yield f"{found.name.capitalize() if is_number else name}, held by the caller{first}."
            return
        name = self._module.analysis.dump.values.names[number]
        is_known = found.is_named and not found.relation
        by = escape(shortened("/".join(found.name.split("/")[-2:]) if is_known else name))
        where = f" ({_line(found.source)})" if found.source and is_known else ""
        yield f"Written by <code>{by}</code>{where} at moment {start:,}{_within(self._passes, start)}."

    def _uses(self, number: int, start: int, end: int, peak: int | None) -> Iterator[str]:
        """Yield who reads the value last, and whether it is used at the peak."""
        reads = self._module.analysis.program.reads(number)
        if not reads:
            return
        reader = self._module.instruction_at(reads[-1])
        by = f" by {self._links.instruction(reader)}" if reader else ""
        yield f"Read last{by} at moment {reads[-1]:,}{_within(self._passes, reads[-1])}."
        if peak is None or not start <= peak <= end:
            return
        before = max((moment for moment in (start, *reads) if moment <= peak), default=start)
        after = min((moment for moment in reads if moment >= peak), default=None)
        if after is None:
            yield "At the peak it is held although nothing reads it any more."
        elif before < peak < after:
            yield f"At the peak it only waits: nothing uses it for {counted(after - before - 1, 'moment')}."
        else:
            yield "It is used at the peak."


def _line(source: str) -> str:
    """Return a source line without the folders of its file, which stand below."""
    return escape(shortened(source.rpartition("/")[2]))


def _within(passes: Sequence[Phase], moment: int) -> str:
    phase = next((phase for phase in passes if phase.first <= moment <= phase.last), None)
    return f", {_PASSES[phase.kind]}" if phase else ""
