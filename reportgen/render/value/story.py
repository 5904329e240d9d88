"""Say what a value is to the program: who writes and reads it and when, why it is at the peak, and what would lower it.

The parts of a section are strings, because 70,000 values may have them; text from the dump is escaped where it is put
in.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape

from reportgen.advice.advice_records import State, Suggestion
from reportgen.advice.advise import Advice
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.phases import label, pass_at
from reportgen.program.author import UNNAMED_ARGUMENT
from reportgen.program.buffer_uses import read_next_round, reads, same_contents, writes
from reportgen.program.buffers import stretches
from reportgen.render.html.links import Links, listed
from reportgen.render.value.texts import ValueTexts
from reportgen.render.view import Module
from reportgen.reports.advice_words import saving_words, title_words
from reportgen.reports.formats import capital, counted, human_bytes, shortened
from reportgen.reports.source_words import short_words

OFF_PEAK = "The peak does not depend on it."
HELD = "Its memory stays for the whole run, so the peak does not depend on it."

_MOST_READS = 5
_UNKNOWN = "<p>What reads it is unknown: the dump has no “Used values” of it."
_PASSES: Mapping[str, str] = {"forward": "the forward pass", "backward": "the backward pass", "update": "the update"}
_STATES: Mapping[State, str] = {
    "donated": "It is donated, so an output may reuse its bytes.",
    "can": 'An argument: <a href="{}">donated</a>, it would make room for an output.',
    "conflict": 'An argument: <a href="{}">donated</a>, it would still be read when its output is written.',
    "surplus": "It cannot be donated: more arguments than outputs have its shape.",
    "no result": "It cannot be donated: no output has its type and shape.",
}


class ValueStory(ValueTexts):
    """The sentences and the rows about the uses of one module's values."""

    def __init__(self, module: Module, links: Links) -> None:
        super().__init__(module, links)
        self._peaks = {
            color: space.peak_resident.moment for color, space in self.analysis.spaces.items() if space.peak_resident
        }
        advice, self._memory = module.advice.get(MAIN_SPACE, Advice()), module.main_memory
        self._states, self._results = advice.states, {result.number: result for result in advice.results}
        self._suggestions: defaultdict[int, list[Suggestion]] = defaultdict(list)
        for suggestion in advice.best:
            for first in dict.fromkeys(map(self._first, suggestion.buffers)):
                self._suggestions[first].append(suggestion)
        self._at_main_peak = frozenset(map(self._first, self._memory.at_peak if self._memory else ()))
        self._without = cache(self._without_buffer)

    def of(self, number: int) -> str:
        """Return the sentences about a value; empty for one that is never live."""
        dump = self.dump
        if dump.starts[number] < 0:
            return ""
        peak = self._peaks.get(dump.allocations[self.values.allocations[number]].color)
        members = same_contents(self.program, number)
        read = reads(self.program, members)
        sentences = [*self._argument(number), *self._again(number)]
        if read:
            start, end = min(dump.starts[member] for member in members), max(dump.ends[member] for member in members)
            if peak is not None and start <= peak <= end:
                sentences.append(self._at_peak(members, start, read, peak))
            sentences += [*self._kept(members, read[-1]), *self._held(read[-1], end)]
        return " ".join(sentences)

    def uses(self, number: int) -> str:
        """Return the table of the writes and reads of a value's contents, the first and the last of many."""
        rows = "".join(f"<tr><td>{when}<td>{how}<td>{what}" for when, how, what in self._uses(number))
        return f'<table class="uses">{rows}</table>{"" if self.dump.used(number) is not None else _UNKNOWN}'

    def suggestions(self, number: int) -> str:
        """Return the suggestions that are about the buffer of a value, with what each saves; empty for none."""
        found, href = self._suggestions.get(self._first(number), ()), self.links.listing("suggestions")
        rows = " · ".join(
            f'<a href="{href}">{escape(short_words(title_words(each)))}</a>, {saving_words(each)}' for each in found
        )
        return f'<p class="story"><b>Suggestion{"s" if len(found) > 1 else ""}:</b> {rows}' if found else ""

    def without(self, number: int) -> str:
        """Return what would be needed without the buffer of a value, or who holds it; empty without advice."""
        allocation, first = self.dump.allocations[self.values.allocations[number]], self._first(number)
        if self._memory is None or allocation.color != MAIN_SPACE:
            return ""
        if state := self._states.get(number):
            return _STATES[state].format(f"{self.links.root}help/glossary.html#suggestion-donate")
        if result := self._results.get(number):
            place = f"; it could reuse {escape(result.argument)}" if result.argument else ""
            return f"An output that reuses no input{place or ': no argument to donate has its type and shape'}."
        if first in self._at_main_peak:
            return self._without(first)
        return OFF_PEAK if allocation.is_preallocated_temp or allocation.is_thread_local else HELD

    def _without_buffer(self, first: int) -> str:
        assert self._memory is not None, "advice is not withheld"
        members = self.buffers.members(first)
        gone, held = self._memory.gone(members), stretches(members, self.dump.starts, self.dump.ends)
        saving = self._memory.peak.peak_bytes - gone.peak_bytes
        left = f"up to about {human_bytes(saving)} less" if saving else "no less"
        what = "it" if len(members) == 1 else f"its buffer of {len(members):,} values"
        return (
            f"Without {what}, live from {held[0][0]:,} to {held[-1][1]:,}, this schedule would need {left},"
            f" with its peak at instruction {self.links.moment(gone.moment)}."
        )

    def _first(self, number: int) -> int:
        return self.buffers.members(number)[0]

    def _argument(self, number: int) -> Iterator[str]:
        """Yield that a value is an argument, and where it is read first."""
        author = self.author(number)
        if author.rule == "argument":
            first = f", read first at {_line(author.read_first)}" if author.read_first else ""
            named = f"The argument <code>{escape(shortened(author.name))}</code>"
            subject = author.name.capitalize() if author.name.startswith(UNNAMED_ARGUMENT) else named
            yield f"{subject}, kept for the whole run{first}."

    def _again(self, number: int) -> Iterator[str]:
        """Yield which instructions compute the same value."""
        name = self.values.names[number]
        if first := self.program.repeated_from.get(name):
            yield f"XLA recomputes here what {self.instruction(first)} computes, to hold less."
        elif again := self.program.repetitions.get(name):
            yield f"XLA recomputes it as {listed(again, self.instruction)}, to hold less."

    def _kept(self, members: Sequence[int], last: int) -> Iterator[str]:
        """Yield which loop writes a part of the value in each round, if it is read after the loop."""
        around = self.program.loops_around(self.values.names[members[0]])
        if kept_by := next((loop for loop in reversed(around) if self.dump.moment_of.get(loop, last) < last), None):
            phase = pass_at(self.module.phases, last)
            yield f"{capital(self._loop(kept_by))} keeps it {f'for {_PASSES[phase.kind]}' if phase else 'until then'}."

    def _held(self, last: int, end: int) -> Iterator[str]:
        """Yield which loop around the last read holds the value until its own end."""
        around = self.program.loops_around(self.program.instruction_at(last))
        if loop := next((loop for loop in around if self.dump.moment_of.get(loop, last) == end > last), None):
            yield f"{capital(self._loop(loop))} holds it until {end:,}."

    def _at_peak(self, members: Sequence[int], start: int, read: Sequence[int], peak: int) -> str:
        """Return whether a value that is live from `start` is used at the peak, and if not, when next."""
        used = {*writes(self.program, members), *read}
        if peak in used:
            return "It is used at the peak."
        following = next((moment for moment in read if moment > peak), None)
        if following is not None:
            idle = following - max((moment for moment in used if moment < peak), default=start - 1) - 1
            return f"At the peak it is <b>idle</b>: nothing uses it for {counted(idle, 'instruction')}."
        if again := read_next_round(self.program, members, peak):
            moment, loop = again
            return f"At the peak it is <b>idle</b>: the next round of {self._loop(loop)} reads it, at {moment:,}."
        return "At the peak it is live although nothing reads it any more."

    def _loop(self, name: str) -> str:
        """Return a loop by its line or, without one, by its instruction."""
        phase = next((phase for phase in self.module.phases if phase.instruction == name), None)
        is_known = phase and phase.source
        return f"the loop at {_line(phase.source)}" if phase and is_known else f"the loop {self.instruction(name)}"

    def _uses(self, number: int) -> Iterator[tuple[str, str, str]]:
        """Yield the instruction, what it does, and its name with the pass that it runs in.

        They are those of all values with the contents of this one, as a loop that keeps it returns it under its own
        name.
        """
        members = same_contents(self.program, number)
        read = reads(self.program, members)
        if self.dump.allocations[self.values.allocations[number]].parameter is not None:
            yield f"{max(self.dump.starts[number], 0):,}", "argument", "held from the start"
        else:
            yield self._use(self.dump.starts[members[0]], "written", self.values.names[members[0]], members[0])
        if not read and self.dump.used(number):
            yield "", "not read", ""
        for place, moment in enumerate(read, 1):
            if place == len(read) or place < _MOST_READS or len(read) == _MOST_READS + 1:
                how = "read last" if place == len(read) > 1 else "read"
                yield self._use(moment, how, self.program.instruction_at(moment))
            elif place == _MOST_READS:
                yield "", "read", f"by {len(read) - _MOST_READS:,} more instructions"

    def _use(self, moment: int, how: str, name: str, value: int | None = None) -> tuple[str, str, str]:
        phase, made = pass_at(self.module.phases, moment), self.dump.made_by.get(name) if value is None else [value]
        within = f", {label(phase.kind, phase.passes)}" if phase else ""
        line = self.links.line(self.author(made[0]).source) if made else ""
        where = f" <small>{line}</small>" if line else ""
        return "–" if moment < 0 else f"{moment:,}", how, f"{self.instruction(name)}{where}{within}"


def _line(source: str) -> str:
    """Return a source line without the folders of its file, which stand below."""
    return escape(shortened(source.rpartition("/")[2]))
