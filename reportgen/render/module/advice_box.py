"""What would lower the peak, on a module's page: the advice, and what a page adds to it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from reportgen.advice.advice_records import Breakdown, Returned, Suggestion
from reportgen.advice.advise import Advice
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.records import Analysis
from reportgen.record import record
from reportgen.render.view import Module
from reportgen.reports.advice_words import floor_words
from reportgen.reports.source_code import SourceEdit

_SHOWN_RESULTS = 10


@record
class BreakdownLevel:
    """A level of the breakdown from what a program needs down to what the caller holds; `key` is of its suggestion.

    `slack_bytes` are those of it that are slack.
    """

    name: str
    size_bytes: int
    anchor: str
    slack_bytes: int = 0
    key: str = ""


@record
class AdviceBox:
    """The advice for the main memory space of an analysis.

    `edits` are the lines that change, by the position of their suggestion among the best, where the file is known.
    `keyed` are the suggestions that the chart can show, by their keys. `levels` and `floor` say how low the peak can
    go, and `results` are the largest in memory of their own, in the order in which the program returns them.
    """

    advice: Advice
    space_name: str
    analysis: Analysis
    keyed: Mapping[str, Suggestion]
    levels: Sequence[BreakdownLevel]
    floor: str
    results: Sequence[Returned]
    edits: Mapping[int, SourceEdit]

    @property
    def others(self) -> Mapping[str, Suggestion]:
        """Return the suggestions that are neither among the best nor combined, by their keys."""
        shown = (*self.advice.best, *self.advice.combined)
        return {key: suggestion for key, suggestion in self.keyed.items() if suggestion not in shown}

    def edit_of(self, suggestion: Suggestion) -> SourceEdit | None:
        """Return the line that a suggestion changes; None where the file is not known, or not what to change in it."""
        return self.edits.get(self.advice.best.index(suggestion)) if suggestion in self.advice.best else None

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
    if space is None or advice is None or not space.needed_bytes:
        return None
    breakdown, keyed = advice.breakdown, suggestion_keys(advice)
    largest = sorted(advice.results, key=lambda result: -result.size_bytes)[:_SHOWN_RESULTS]
    floor = module.instruction_at(breakdown.floor_moment) if breakdown else None
    return AdviceBox(
        advice=advice,
        space_name=f"space {space.color} · {space.name}",
        analysis=module.analysis,
        keyed=keyed,
        levels=_levels(breakdown, space.slack_bytes or 0, keyed) if breakdown else (),
        floor=floor_words(breakdown, floor or "", module.analysis.backend) if breakdown else "",
        results=sorted(largest, key=lambda result: (result.leaf, result.number)),
        edits={
            note.position: note.edit
            for _, lines in module.annotated_files
            for line in lines
            for note in line.notes
            if note.edit and note.edit.removed
        },
    )


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


def _levels(breakdown: Breakdown, slack_bytes: int, keyed: Mapping[str, Suggestion]) -> Sequence[BreakdownLevel]:
    """Return the levels of the breakdown, the highest first; the third leads to the first donation, if there is one."""
    first = next((key for key, suggestion in keyed.items() if suggestion.kind == "donate"), "")
    return [
        BreakdownLevel(name="needed", size_bytes=breakdown.needed_bytes, anchor="needed", slack_bytes=slack_bytes),
        BreakdownLevel(name="peak resident", size_bytes=breakdown.peak_bytes, anchor="peak-resident"),
        BreakdownLevel(
            name="peak after donation", size_bytes=breakdown.donated_bytes, anchor="suggestion-donate", key=first
        ),
        BreakdownLevel(name="floor", size_bytes=breakdown.floor_bytes, anchor="floor"),
        BreakdownLevel(name="arguments and outputs", size_bytes=breakdown.arguments_bytes, anchor="static"),
    ]
