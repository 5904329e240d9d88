"""Say in one sentence what a value is to the program: who writes it, who reads it last, and why it is at the peak."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from reportgen.analyse.phases import Phase, pass_at
from reportgen.program.author import UNNAMED_ARGUMENT
from reportgen.program.scopes import short_name
from reportgen.render.html.links import Links, listed
from reportgen.render.view import Module
from reportgen.reports.formats import counted, shortened

_PASSES: Mapping[str, str] = {"forward": "the forward pass", "backward": "the backward pass", "update": "the update"}


class ValueStory:
    """The sentences about one module's values."""

    def __init__(self, module: Module, links: Links) -> None:
        self._module, self._links = module, links
        self._peaks = {
            color: space.peak_resident.moment for color, space in module.analysis.spaces.items() if space.peak_resident
        }

    def of(self, number: int) -> str:
        """Return the sentences about a value as HTML; empty for one that is never live."""
        analysis = self._module.analysis
        dump, start, end = analysis.dump, analysis.dump.starts[number], analysis.dump.ends[number]
        if start < 0:
            return ""
        allocation = dump.allocations[dump.values.allocations[number]]
        peak, reads = self._peaks.get(allocation.color), analysis.program.reads(number)
        return " ".join([self._origin(number, start), *self._again(number), *self._uses(reads, start, end, peak)])

    def _origin(self, number: int, start: int) -> str:
        """Return who holds or writes the value."""
        attribution = self._module.attribution(number)
        if attribution.rule == "argument":
            first = f", read first at {_line(attribution.read_first)}" if attribution.read_first else ""
            is_number = attribution.name.startswith(UNNAMED_ARGUMENT)
            named = f"The argument <code>{escape(shortened(attribution.name))}</code>"
            subject = attribution.name.capitalize() if is_number else named
            return f"{subject}, kept for the whole run{first}."
        name = self._module.analysis.dump.values.names[number]
        is_known = attribution.is_named and not attribution.relation
        by = escape(shortened(short_name(attribution.name) if is_known else name))
        where = f" ({_line(attribution.source)})" if attribution.source and is_known else ""
        return (
            f"<b>Written by</b> <code>{by}</code>{where} at instruction {start:,}{_within(self._module.phases, start)}."
        )

    def _again(self, number: int) -> Iterator[str]:
        """Yield which instructions compute the same value."""
        program, name = self._module.analysis.program, self._module.analysis.dump.values.names[number]
        if first := program.repeated_from.get(name):
            yield f"XLA recomputes here what {self._links.instruction(first)} computes, to hold less."
        elif again := program.repetitions.get(name):
            yield f"XLA recomputes it as {listed(again, self._links.instruction)}, to hold less."

    def _uses(self, reads: Sequence[int], start: int, end: int, peak: int | None) -> Iterator[str]:
        """Yield who reads the value last, and whether it is used at the peak."""
        if not reads:
            return
        reader = self._module.instruction_at(reads[-1])
        by = f" by {self._links.instruction(reader)}" if reader else ""
        yield f"<b>Read last</b>{by} at instruction {reads[-1]:,}{_within(self._module.phases, reads[-1])}."
        if peak is None or not start <= peak <= end:
            return
        place = bisect_left(reads, peak)
        before = reads[place - 1] if place else start
        if place == len(reads):
            yield "At the peak it is live although nothing reads it any more."
        elif before < peak < reads[place]:
            idle = counted(reads[place] - before - 1, "instruction")
            yield f"At the peak it is <b>idle</b>: nothing uses it for {idle}."
        else:
            yield "It is used at the peak."


def _line(source: str) -> str:
    """Return a source line without the folders of its file, which stand below."""
    return escape(shortened(source.rpartition("/")[2]))


def _within(phases: Sequence[Phase], moment: int) -> str:
    phase = pass_at(phases, moment)
    names = [_PASSES[one] for one in phase.passes] if phase else []
    if len(names) > 1:
        return f", while {', '.join(names[:-1])} and {names[-1]} run"
    return f", in {names[0]}" if names else ""
