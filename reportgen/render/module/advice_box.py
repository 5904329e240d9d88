"""What would lower the peak: the tables of a module's page, and what the chart shows of a suggestion."""

from collections import Counter
from collections.abc import Mapping, Sequence

from reportgen.advice.advice_records import ArgumentGroup, Breakdown, ConflictOf, PerDevice, Returned, State, Suggestion
from reportgen.advice.advise import Advice
from reportgen.advice.similar_buffers import SimilarBuffers
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.record import record
from reportgen.render.view import Module
from reportgen.reports.advice_words import (
    CONFIDENCES,
    amount_words,
    floor_words,
    joint_words,
    needed_words,
    next_words,
    peak_words,
    rounded_bytes,
    verdict_words,
    what_words,
)
from reportgen.reports.formats import human_bytes

_SHOWN_RESULTS = 50
_STATES: Mapping[State, str] = {
    "donated": "donated",
    "can": "can be donated",
    "conflict": "still read when its output is written",
    "surplus": "no output of its shape left",
    "no result": "no output like it",
}


@record
class SuggestionRow:
    """A suggestion as a row: its saving, what is needed and the peak then in words, and what to know of it.

    `key` names the suggestion on the page and in its address.
    """

    suggestion: Suggestion
    key: str
    anchor: str
    what: str
    saving: str
    high: str
    needed: str
    peak: str
    notes: str
    confidence: str


@record
class BreakdownLevel:
    """A step of the breakdown from what a program needs down to what the caller holds; `key` is that of its suggestion.

    `slack_bytes` are those of it that are slack.
    """

    name: str
    size_bytes: int
    anchor: str
    slack_bytes: int = 0
    key: str = ""


@record
class AdviceView:
    """The advice for the main memory space. `withheld` says why, if there is none.

    Errors of the dump are about at most `contested_bytes` of the space.

    `choices` are the keys of the suggestions that the chart can show, with what is changed. The arguments, and the
    results with their places in what the program returns, come with what is known of them in words.
    """

    heading: str
    choices: Sequence[tuple[str, str]]
    space_name: str
    withheld: str
    contested_bytes: int
    verdict: str
    best: Sequence[SuggestionRow]
    combined: Sequence[SuggestionRow]
    joint: str
    levels: Sequence[BreakdownLevel]
    floor: str
    suggestions: Sequence[SuggestionRow]
    groups: Sequence[SimilarBuffers]
    arguments: Sequence[tuple[ArgumentGroup, str]]
    results: Sequence[tuple[Returned, str, str]]
    more_results: int
    more_devices: Sequence[PerDevice]


def advice_view(module: Module) -> AdviceView | None:
    """Return what a module's page says of the main memory space; None for a module without one."""
    space, advice = module.analysis.spaces.get(MAIN_SPACE), module.advice.get(MAIN_SPACE)
    if space is None or advice is None or not space.needed_bytes:
        return None
    capacity, breakdown, keys = advice.capacity, advice.breakdown, suggestion_keys(advice)
    exceeded = capacity if capacity and capacity.excess_bytes > 0 else None
    # The largest are shown, in the order in which the program returns them.
    largest = sorted(advice.results, key=lambda one: -one.size_bytes)[:_SHOWN_RESULTS]
    joint = joint_words(advice)
    floor = module.instruction_at(breakdown.floor_moment) if breakdown else None
    return AdviceView(
        heading=f"To fit {human_bytes(exceeded.size_bytes)}" if exceeded else "How to lower the peak",
        choices=[(key, what_words(advice, suggestion)) for key, suggestion in keys.items()],
        space_name=f"space {space.color} · {space.name}",
        withheld=advice.withheld,
        contested_bytes=advice.contested_bytes,
        verdict=verdict_words(exceeded) if exceeded else "",
        best=[
            suggestion_row(key, suggestion)
            for suggestion in advice.best
            for key, one in keys.items()
            if one == suggestion
        ],
        combined=[suggestion_row(key, suggestion) for key, suggestion in keys.items() if suggestion in advice.combined]
        if joint
        else (),
        joint=joint,
        levels=_levels(breakdown, space.slack_bytes or 0, keys) if breakdown else (),
        floor=floor_words(breakdown, floor or "", module.analysis.backend) if breakdown else "",
        suggestions=[suggestion_row(key, suggestion) for key, suggestion in keys.items() if not suggestion.after],
        groups=advice.groups,
        arguments=[(group, _argument_words(group)) for group in advice.arguments],
        results=[_result(one) for one in sorted(largest, key=lambda one: (one.leaf, one.number))],
        more_results=max(0, len(advice.results) - _SHOWN_RESULTS),
        more_devices=advice.more_devices,
    )


def suggestion_keys(advice: Advice) -> dict[str, Suggestion]:
    """Return every suggestion by a key that lasts as long as the suggestions: `donate-1`, and `then-checkpoint`."""
    counts: Counter[str] = Counter()
    keys = {}
    for suggestion in advice.suggestions:
        counts[suggestion.kind] += 1
        keys[f"{suggestion.kind}-{counts[suggestion.kind]}"] = suggestion
    return keys | {
        f"then-{suggestion.kind}" if suggestion.after else f"first-{suggestion.kind}": suggestion
        for suggestion in advice.combined
        if suggestion not in advice.suggestions
    }


def suggestion_row(key: str, suggestion: Suggestion) -> SuggestionRow:
    """Return a suggestion as a row under a key."""
    return SuggestionRow(
        suggestion=suggestion,
        key=key,
        anchor=f"suggestion-{suggestion.kind}",
        what=f"Then {suggestion.what}" if suggestion.after else suggestion.what[0].upper() + suggestion.what[1:],
        saving=amount_words(suggestion),
        high=rounded_bytes(suggestion.saving_high_bytes) if suggestion.saving_high_bytes is not None else "",
        needed=needed_words(suggestion),
        peak=peak_words(suggestion),
        notes=" ".join(filter(None, (suggestion.reason, next_words(suggestion), suggestion.caveat))),
        confidence=CONFIDENCES[suggestion.confidence],
    )


def _levels(breakdown: Breakdown, slack_bytes: int, keys: Mapping[str, Suggestion]) -> list[BreakdownLevel]:
    """Return the steps of the breakdown, the highest first; the third leads to the first donation, if there is one."""
    first = next((key for key, suggestion in keys.items() if suggestion.kind == "donate"), "")
    return [
        BreakdownLevel(name="needed", size_bytes=breakdown.needed_bytes, anchor="needed", slack_bytes=slack_bytes),
        BreakdownLevel(name="peak resident", size_bytes=breakdown.peak_bytes, anchor="peak-resident"),
        BreakdownLevel(
            name="peak after donation", size_bytes=breakdown.donated_bytes, anchor="suggestion-donate", key=first
        ),
        BreakdownLevel(name="floor", size_bytes=breakdown.floor_bytes, anchor="floor"),
        BreakdownLevel(name="arguments and outputs", size_bytes=breakdown.arguments_bytes, anchor="static"),
    ]


def _argument_words(group: ArgumentGroup) -> str:
    words = _STATES[group.state]
    if group.conflict:
        words += f": {_conflict_words(group.conflict)}"
    if group.near_miss_bytes:
        words += f"; outputs of equal size but another type or shape: {human_bytes(group.near_miss_bytes)}"
    return words


def _conflict_words(conflict: ConflictOf) -> str:
    return (
        f"{conflict.argument} is read by {conflict.read_by} at {conflict.read_at}, written from {conflict.born_at} on"
    )


def _result(result: Returned) -> tuple[Returned, str, str]:
    words = f"{result.argument} is free for it" if result.argument else "no argument like it"
    if result.conflict:
        words = _conflict_words(result.conflict)
    return result, "".join(f"[{index}]" for index in result.leaf) or "whole", words
