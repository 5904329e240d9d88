"""What would lower the peak, on a module's page: the advice, and what a page adds to it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from reportgen.advice.advice_records import Breakdown, Suggestion
from reportgen.advice.advise import Advice
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.records import Space
from reportgen.render.view import Module
from reportgen.reports.advice_words import card_words, floor_words

_SHOWN_RESULTS = 10
_CALL_OF_ATTENTION = re.compile(r"(\w+) = [\w.]*attention\w*\([^()]*\)")


class AdviceBox:
    """The advice for the main memory space of an analysis.

    `keyed` are the suggestions that the chart can show, by their keys. `levels` are the name, the term and the bytes of
    each step from the need down, `floor` says how low the peak can go, and `results` are the largest in memory of their
    own, in the order in which the program returns them.
    """

    def __init__(self, module: Module, space: Space, advice: Advice) -> None:
        self.advice, self.analysis, self.slack_bytes = advice, module.analysis, space.slack_bytes or 0
        self.keyed, files = suggestion_keys(advice), module.annotated_files
        self.levels: Sequence[tuple[str, str, int]] = ()
        self.floor = ""
        if breakdown := advice.breakdown:
            instruction = module.analysis.program.instruction_at(breakdown.floor_moment) or ""
            self.levels = _levels(breakdown)
            self.floor = floor_words(breakdown, instruction, module.analysis.backend)
        largest = sorted(advice.results, key=lambda result: -result.size_bytes)[:_SHOWN_RESULTS]
        self.results = sorted(largest, key=lambda result: (result.leaf, result.number))
        self._edits = {
            note.position: note.edit
            for _, lines in files
            for line in lines
            for note in line.notes
            if note.edit and note.edit.removed
        }
        self._lines = {
            f"{name}:{line.number}": line.text
            for file, lines in files
            for line in lines
            if line.notes
            for name in file.names
        }

    def others(self, shown: Sequence[Suggestion]) -> Mapping[str, Suggestion]:
        """Return the suggestions that are neither `shown` nor combined, by their keys."""
        known = (*shown, *self.advice.combined)
        return {key: suggestion for key, suggestion in self.keyed.items() if suggestion not in known}

    def diff_of(self, suggestion: Suggestion) -> Sequence[tuple[str, str]]:
        """Return the lines of a change as pairs of an element of HTML and a text.

        Where only the line is known that it is about, and not what becomes of it, this has no sign; a line that calls
        attention and no more is replaced.
        """
        best = self.advice.best
        if suggestion in best and (edit := self._edits.get(best.index(suggestion))):
            return ("del", edit.removed.strip()), ("ins", edit.added.strip())
        about = self._lines.get(card_words(suggestion)[1], "").strip()
        if suggestion.kind == "attention" and (call := _CALL_OF_ATTENTION.fullmatch(about)):
            return ("del", about), ("ins", f"{call[1]} = {suggestion.code}")
        return [(element, line) for element, line in (("span", about), ("ins", suggestion.code)) if line]

    def read_at(self, suggestion: Suggestion) -> str:
        """Return the line that first reads the arguments that a suggestion is about, as `file:line`; else empty."""
        authors = map(self.analysis.authors.of, suggestion.buffers)
        return next((author.read_first for author in authors if author.read_first and not author.source), "")

    def key_of(self, suggestion: Suggestion) -> str:
        """Return the key of a suggestion; an equal one has the same curve."""
        return next(key for key, keyed in self.keyed.items() if keyed == suggestion)


def advice_box(module: Module) -> AdviceBox | None:
    """Return what a module's page says of the main memory space; None for a module without one."""
    space, advice = module.analysis.spaces.get(MAIN_SPACE), module.advice.get(MAIN_SPACE)
    return AdviceBox(module, space, advice) if space and advice and space.needed_bytes else None


def suggestion_keys(advice: Advice) -> Mapping[str, Suggestion]:
    """Return every suggestion by a key that lasts as long as the suggestions: `donate-1`, and `then-checkpoint`."""
    counts: Counter[str] = Counter()
    keyed = {}
    for suggestion in advice.suggestions:
        counts[suggestion.kind] += 1
        keyed[f"{suggestion.kind}-{counts[suggestion.kind]}"] = suggestion
    return keyed | {
        f"then-{suggestion.kind}" if suggestion.after else f"first-{suggestion.kind}": suggestion
        for suggestion in advice.combined
        if suggestion not in advice.suggestions
    }


def joint_suggestions(keyed: Mapping[str, Suggestion], advice: Advice) -> Mapping[str, Sequence[Suggestion]]:
    """Return each choice of several of the `keyed` suggestions, by their keys with dots between."""
    choices = (chosen for count in range(2, len(keyed) + 1) for chosen in combinations(keyed, count))
    named = {".".join(chosen): [keyed[key] for key in chosen] for chosen in choices}
    return {key: suggestions for key, suggestions in named.items() if advice.together(suggestions)}


def _levels(breakdown: Breakdown) -> Sequence[tuple[str, str, int]]:
    return (
        ("needed", "needed", breakdown.needed_bytes),
        ("peak resident", "peak-resident", breakdown.peak_bytes),
        ("peak after donation", "suggestion-donate", breakdown.donated_bytes),
        ("floor", "floor", breakdown.floor_bytes),
        ("arguments and outputs", "static", breakdown.arguments_bytes),
    )
