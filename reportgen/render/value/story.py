"""Say in one sentence what a value is to the program: who writes it, who reads it last, and why it is at the peak."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from reportgen.analyse.phases import Phase, pass_at
from reportgen.program.author import UNNAMED_ARGUMENT
from reportgen.program.buffer_uses import read_next_round, reads, same_contents, writes
from reportgen.program.scopes import short_name
from reportgen.render.html.links import Links, listed
from reportgen.render.view import Module
from reportgen.reports.formats import capital, counted, shortened

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
        dump = analysis.dump
        if dump.starts[number] < 0:
            return ""
        peak = self._peaks.get(dump.allocations[dump.values.allocations[number]].color)
        members = same_contents(analysis.program, number)
        read = reads(analysis.program, members)
        sentences = [self._origin(number, members), *self._again(number)]
        if read:
            start, end = min(dump.starts[member] for member in members), max(dump.ends[member] for member in members)
            sentences += [*self._kept(members, read[-1]), self._last_read(read[-1]), *self._held(read[-1], end)]
            if peak is not None and start <= peak <= end:
                sentences.append(self._at_peak(members, start, read, peak))
        return " ".join(sentences)

    def _origin(self, number: int, members: Sequence[int]) -> str:
        """Return who holds the value, or writes it and the others of the same contents."""
        attribution = self._module.attribution(number)
        if attribution.rule == "argument":
            first = f", read first at {_line(attribution.read_first)}" if attribution.read_first else ""
            is_number = attribution.name.startswith(UNNAMED_ARGUMENT)
            named = f"The argument <code>{escape(shortened(attribution.name))}</code>"
            subject = attribution.name.capitalize() if is_number else named
            return f"{subject}, kept for the whole run{first}."
        dump = self._module.analysis.dump
        is_known = attribution.is_named and not attribution.relation
        name = short_name(attribution.name) if is_known else dump.values.names[members[0]]
        where = f" ({_line(attribution.source)})" if attribution.source and is_known else ""
        by = f"<b>Written by</b> <code>{escape(shortened(name))}</code>{where}"
        return f"{by} {self._when(dump.starts[members[0]])}."

    def _again(self, number: int) -> Iterator[str]:
        """Yield which instructions compute the same value."""
        program, name = self._module.analysis.program, self._module.analysis.dump.values.names[number]
        if first := program.repeated_from.get(name):
            yield f"XLA recomputes here what {self._links.instruction(first)} computes, to hold less."
        elif again := program.repetitions.get(name):
            yield f"XLA recomputes it as {listed(again, self._links.instruction)}, to hold less."

    def _kept(self, members: Sequence[int], last: int) -> Iterator[str]:
        """Yield which loop writes a part of the value in each round, if it is read after the loop."""
        program, moment_of = self._module.analysis.program, self._module.analysis.dump.moment_of
        around = program.loops_around(program.dump.values.names[members[0]])
        kept_by = next((loop for loop in reversed(around) if moment_of.get(loop, last) < last), None)
        if kept_by:
            phase = pass_at(self._module.phases, last)
            until = f"for {_PASSES[phase.kind]}" if phase else "until then"
            yield f"{capital(self._loop(kept_by))} keeps it {until}."

    def _last_read(self, moment: int) -> str:
        reader = self._module.instruction_at(moment)
        by = f" by {self._links.instruction(reader)}" if reader else ""
        made = self._module.analysis.dump.made_by.get(reader or "")
        source = self._module.attribution(made[0]).source if made else ""
        where = f" ({_line(source)})" if source else ""
        return f"<b>Read last</b>{by}{where} {self._when(moment)}."

    def _held(self, last: int, end: int) -> Iterator[str]:
        """Yield which loop around the last read holds the value until its own end."""
        program, moment_of = self._module.analysis.program, self._module.analysis.dump.moment_of
        around = program.loops_around(self._module.instruction_at(last) or "")
        if loop := next((loop for loop in around if moment_of.get(loop, last) == end > last), None):
            yield f"{capital(self._loop(loop))} holds it until {end:,}."

    def _at_peak(self, members: Sequence[int], start: int, read: Sequence[int], peak: int) -> str:
        """Return whether a value that is live from `start` is used at the peak, and if not, when next."""
        used = {*writes(self._module.analysis.program, members), *read}
        if peak in used:
            return "It is used at the peak."
        following = next((moment for moment in read if moment > peak), None)
        if following is not None:
            idle = following - max((moment for moment in used if moment < peak), default=start - 1) - 1
            return f"At the peak it is <b>idle</b>: nothing uses it for {counted(idle, 'instruction')}."
        if again := read_next_round(self._module.analysis.program, members, peak):
            moment, loop = again
            return f"At the peak it is <b>idle</b>: the next round of {self._loop(loop)} reads it, at {moment:,}."
        return "At the peak it is live although nothing reads it any more."

    def _loop(self, name: str) -> str:
        """Return a loop by its line or, without one, by its instruction."""
        phase = next((phase for phase in self._module.phases if phase.instruction == name), None)
        return (
            f"the loop at {_line(phase.source)}"
            if phase and phase.source
            else f"the loop {self._links.instruction(name)}"
        )

    def _when(self, moment: int) -> str:
        return f"at instruction {moment:,}{_within(self._module.phases, moment)}"


def _line(source: str) -> str:
    """Return a source line without the folders of its file, which stand below."""
    return escape(shortened(source.rpartition("/")[2]))


def _within(phases: Sequence[Phase], moment: int) -> str:
    phase = pass_at(phases, moment)
    names = [_PASSES[one] for one in phase.passes] if phase else []
    if len(names) > 1:
        return f", while {', '.join(names[:-1])} and {names[-1]} run"
    return f", in {names[0]}" if names else ""
