"""Say in one sentence what a value is to the program: who writes it, who reads it last, and why it is at the peak."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from reportgen.analyse.classes import memory_class
from reportgen.analyse.phases import Phase
from reportgen.program.author import UNNAMED_ARGUMENT
from reportgen.render.drawings.life import Life, life_of
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

    def words(self, number: int) -> str:
        """Return the sentences about a value as markup; empty for one that is never live."""
        fact = self._module.analysis.facts[number]
        if fact.live is None:
            return ""
        return " ".join(
            [*self._origin(number), *self._uses(number, fact.live.start, fact.live.end, self._peak(number))]
        )

    def life(self, number: int) -> Life | None:
        """Return when a value is live, and when it only waits."""
        analysis = self._module.analysis
        allocation = analysis.dump.allocations[analysis.dump.values.allocations[number]]
        return life_of(analysis, (number,), memory_class(allocation), self._peak(number))

    def _peak(self, number: int) -> int | None:
        dump = self._module.analysis.dump
        return self._peaks.get(dump.allocations[dump.values.allocations[number]].color)

    def _origin(self, number: int) -> Iterator[str]:
        """Yield who holds or writes the value."""
        found, analysis = self._module.attribution(number), self._module.analysis
        start = analysis.dump.starts[number]
        if found.rule == "argument":
            first = f", read first at {_line(found.read_first)}" if found.read_first else ""
            is_number = found.name.startswith(UNNAMED_ARGUMENT)
            name = f"The argument <code>{escape(shortened(found.name))}</code>"
            yield f"{found.name.capitalize() if is_number else name}, held by the caller{first}."
            return
        name = analysis.facts[number].value.key.name
        is_known = found.is_named and not found.relation
        by = escape(shortened("/".join(found.name.split("/")[-2:]) if is_known else name))
        where = f" ({_line(found.source)})" if found.source and is_known else ""
        yield f"Written by <code>{by}</code>{where} at moment {start:,}{_within(self._passes, start)}."

    def _uses(self, number: int, start: int, end: int, peak: int | None) -> Iterator[str]:
        """Yield who reads the value last, and whether it is used at the peak."""
        reads = [moment for moment in self._module.analysis.program.reads(number) if moment >= start]
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
