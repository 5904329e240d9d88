"""What would lower the peak, on a module's page: the advice, what is shown first, and what a page adds to it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations, islice

from reportgen.advice.advice_records import Breakdown, Suggestion
from reportgen.advice.advise import Advice
from reportgen.advice.fitting import fitting_of
from reportgen.advice.order import joint_kind
from reportgen.advice.rematerialized import CAVEAT
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.records import Space
from reportgen.render.module.verdict import over_elsewhere
from reportgen.render.view import Module
from reportgen.reports.advice_words import card_words, floor_words, joint_words, verdict_words
from reportgen.reports.formats import capital, human_bytes
from reportgen.reports.report import needed_by_class
from reportgen.reports.source_words import short_words

_SHOWN, _SHOWN_RESULTS = 4, 10
_MUCH_PART = 3
"""What is more than this part of the peak is named, even if no saving is known."""
_CALL_OF_ATTENTION = re.compile(r"(\w+) = [\w.]*attention\w*\([^()]*\)")


class AdviceBox:
    """The advice for the main memory space of a module.

    `keyed` are the suggestions that the chart can show, by their keys. `first` are those at first glance, of which
    `to_tick` can be combined, by their keys. `levels` are the name, the term and the bytes of
    each step from the need down, `floor` says how low the peak can go, and `results` are the largest in memory of their
    own, in the order in which the program returns them.
    """

    heading_if_over = "Make it fit"

    def __init__(self, module: Module, space: Space, advice: Advice) -> None:
        self._module, self._space = module, space
        self.advice, self.analysis, self.slack_bytes = advice, module.analysis, space.slack_bytes or 0
        self.first, self.to_tick = _chosen(advice), suggestions_to_tick(advice)
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

    @property
    def heading(self) -> str:
        if self.advice.withheld:
            return "No suggestions"
        return "To lower the peak" if self.advice.exceeded_bytes is None else self.heading_if_over

    @property
    def words(self) -> str:
        """Return what the first suggestions lead to or, where there are none, why; empty where they say it."""
        advice, exceeded = self.advice, self.advice.exceeded_bytes
        if advice.withheld:
            return advice.withheld
        if elsewhere := over_elsewhere(self._module.device_fit):
            return f"Another memory space does not fit, {elsewhere}, so no suggestion for {self._space.name} helps."
        computed = [suggestion for suggestion in self.first if suggestion.is_computed]
        is_solved = any(fitting_of(suggestion, exceeded or 0) == "fits" for suggestion in computed)
        if advice.capacity and exceeded is not None and not is_solved:
            return f"{capital(verdict_words(advice.capacity))}."
        return "" if computed else self._nothing_words()

    def _nothing_words(self) -> str:
        """Say that nothing is known to lower the peak, and what would where the caller holds most of what is needed."""
        needed_bytes = self._space.needed_bytes
        held = needed_bytes - needed_by_class(self.analysis, self._space)["temporary"]
        if 2 * held < needed_bytes:
            return "No suggestion is known to lower the peak."
        answer = "No saving is known" if self.first else "Nothing to change"
        return (
            f"{answer}: arguments, outputs and constants take {human_bytes(held)} of {human_bytes(needed_bytes)}."
            " To need less, pass and return less."
        )

    @property
    def joint(self) -> str:
        """Return what several suggestions lead to together."""
        return short_words(joint_words(self.advice))

    @property
    def joint_key(self) -> str:
        """Return what ticks the suggestions that are combined; empty where they cannot be ticked."""
        combined = set(map(joint_kind, self.advice.combined))
        ticked = [key for key, suggestion in self.to_tick.items() if joint_kind(suggestion) in combined]
        return ".".join(ticked) if len(ticked) == len(self.advice.combined) else ""

    @cached_property
    def every(self) -> Sequence[Suggestion]:
        """Return the first suggestions and the others that are worth a card."""
        return [*self.first, *(each for each in self.advice.best if each not in self.first)]

    @property
    def shared_caveat(self) -> str:
        """Return what is said of several cards, and is better said once."""
        return CAVEAT if sum(CAVEAT in suggestion.caveat for suggestion in self.every) > 1 else ""

    @property
    def others(self) -> Mapping[str, Suggestion]:
        """Return the suggestions that have no card and are not combined, by their keys."""
        known = (*self.every, *self.advice.combined)
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


def suggestions_to_tick(advice: Advice) -> Mapping[str, Suggestion]:
    """Return those of the first suggestions that can be combined with others, by their keys."""
    keys = {id(suggestion): key for key, suggestion in suggestion_keys(advice).items()}
    own = (suggestion for suggestion in _chosen(advice) if suggestion.is_computed and not suggestion.after)
    return {keys[id(suggestion)]: suggestion for suggestion in own if advice.together((suggestion,))}


def _chosen(advice: Advice) -> Sequence[Suggestion]:
    """Return the suggestions that are combined, the best of the others, and what is unknown of another type.

    Those that make a program fit come first where it takes several, else all are in the order of the best.
    """
    chain = {joint_kind(suggestion): suggestion for suggestion in advice.combined}
    # A batch that fits is smaller than half.
    is_half = "batch" not in chain
    best = {joint_kind(suggestion): suggestion for suggestion in advice.best if is_half or suggestion.kind != "batch"}
    shown = dict(islice({**chain, **best}.items(), _SHOWN))
    if advice.capacity and advice.capacity.combined_to_fit > 1:
        return list(shown.values())
    ordered = [shown.pop(kind) for kind in best if kind in shown] + list(shown.values())
    # The best of its kind may be about state, while temporaries take much more.
    large = (
        each
        for each in advice.own_suggestions
        if advice.peak and each.involved_bytes * _MUCH_PART >= advice.peak.peak_bytes
    )
    types = (each for each in large if each.kind == "type" and not each.argument_names and each not in ordered)
    return [*ordered, *types][:_SHOWN]


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
