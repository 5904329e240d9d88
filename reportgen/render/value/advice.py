"""Say of each value of the main memory what would lower it, and what would be needed without it, or who holds it."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from html import escape

from reportgen.advice.advice_records import Returned, State, Suggestion
from reportgen.advice.advise import Advice
from reportgen.advice.memory import Memory
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.program.buffers import stretches
from reportgen.render.html.links import Links
from reportgen.render.view import Module
from reportgen.reports.advice_words import rounded_bytes, saving_words, title_words
from reportgen.reports.source_words import short_words

OFF_PEAK = "The peak does not depend on it."
HELD = "Its memory stays for the whole run, so the peak does not depend on it."

_STATES: Mapping[State, str] = {
    "donated": "It is donated, so an output may reuse its bytes.",
    "can": 'An argument: <a href="{}">donated</a>, it would make room for an output.',
    "conflict": 'An argument: <a href="{}">donated</a>, it would still be read when its output is written.',
    "surplus": "It cannot be donated: more arguments than outputs have its shape.",
    "no result": "It cannot be donated: no output has its type and shape.",
}
_NO_PLACE = "no argument to donate has its type and shape"


class ValueAdvice:
    """The sentences about one module's values."""

    def __init__(self, module: Module, links: Links) -> None:
        advice = module.advice.get(MAIN_SPACE, Advice())
        self._module, self._links = module, links
        self._allocations = module.analysis.dump.values.allocations
        self._states = advice.states
        self._results: Mapping[int, Returned] = {result.number: result for result in advice.results}
        self._memory: Memory | None = module.main_memory
        self._without = cache(self._without_buffer)
        self._members = module.analysis.program.buffers.members
        self._suggestions: defaultdict[int, list[Suggestion]] = defaultdict(list)
        for suggestion in advice.best:
            for first in dict.fromkeys(self._members(number)[0] for number in suggestion.buffers):
                self._suggestions[first].append(suggestion)
        at_peak = self._memory.at_peak if self._memory else ()
        self._at_peak = frozenset(self._members(number)[0] for number in at_peak)

    def suggestions(self, number: int) -> str:
        """Return the suggestions that are about the buffer of a value, with what each saves; empty for none."""
        found = self._suggestions.get(self._members(number)[0], ())
        href = self._links.listing("suggestions")
        titles = (escape(short_words(title_words(suggestion))) for suggestion in found)
        rows = (f'<a href="{href}">{title}</a>, {saving_words(of)}' for title, of in zip(titles, found, strict=True))
        head = "Suggestion" if len(found) == 1 else "Suggestions"
        return f'<p class="story"><b>{head}:</b> {" · ".join(rows)}' if found else ""

    def sentence(self, number: int) -> str:
        """Return what would be needed without the buffer of a value; empty where there is no advice."""
        memory, allocation = self._memory, self._module.analysis.dump.allocations[self._allocations[number]]
        if memory is None or allocation.color != MAIN_SPACE:
            return ""
        if number in self._states:
            return _STATES[self._states[number]].format(f"{self._links.root}help/glossary.html#suggestion-donate")
        if number in self._results:
            place = self._results[number].argument
            better = f"; it could reuse {escape(place)}" if place else f": {_NO_PLACE}"
            return f"An output that reuses no input{better}."
        first = self._members(number)[0]
        if first not in self._at_peak:
            return OFF_PEAK if allocation.is_preallocated_temp or allocation.is_thread_local else HELD
        return self._without(first)

    def _without_buffer(self, first: int) -> str:
        """Return what would be needed without the buffer that begins with a value."""
        dump, memory, members = self._module.analysis.dump, self._memory, self._members(first)
        assert memory is not None, "advice is not withheld"
        gone = memory.gone(members)
        held = stretches(members, dump.starts, dump.ends)
        (start, _), (_, end) = held[0], held[-1]
        saving = memory.peak.peak_bytes - gone.peak_bytes
        left = f"up to about {rounded_bytes(saving)} less" if saving else "no less"
        what = "it" if len(members) == 1 else f"its buffer of {len(members):,} values"
        return (
            f"Without {what}, live from {start:,} to {end:,}, this schedule would need {left},"
            f" with its peak at instruction {self._links.moment(gone.moment)}."
        )
