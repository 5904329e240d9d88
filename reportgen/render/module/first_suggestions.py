"""Choose the suggestions that a module's page shows at first glance, and say what they lead to."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import islice

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.advise import Advice
from reportgen.advice.fitting import fitting_of
from reportgen.advice.order import joint_kind
from reportgen.advice.rematerialized import CAVEAT
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.records import Space
from reportgen.record import record
from reportgen.render.module.advice_box import suggestion_keys
from reportgen.render.module.fit_banner import over_elsewhere
from reportgen.render.view import Module
from reportgen.reports.advice_words import joint_words, verdict_words
from reportgen.reports.formats import human_bytes
from reportgen.reports.report import needed_by_class
from reportgen.reports.source_words import short_words

_SHOWN = 4
_MUCH_PART = 3
"""What is more than this part of the peak is named, even if no saving is known."""

_OVER = "Make it fit"


@record
class FirstSuggestions:
    """The suggestions under a heading. `words` say what they lead to or, where there are none, why.

    `every` are these and the others that are worth a card. `to_tick` are those that can be combined, by their keys.
    `joint` says what several of them lead to together, and `joint_key` ticks these; empty where they cannot be ticked.
    `exceeded_bytes` is the capacity that the program exceeds, if it does, and `heading_if_over` the heading then.
    """

    heading: str
    words: str
    suggestions: Sequence[Suggestion]
    to_tick: Mapping[str, Suggestion] = field(default_factory=dict)
    exceeded_bytes: int | None = None
    joint: str = ""
    joint_key: str = ""
    every: Sequence[Suggestion] = ()
    heading_if_over: str = _OVER

    @property
    def shared_caveat(self) -> str:
        """Return what is said of several cards, and is better said once."""
        return CAVEAT if sum(CAVEAT in suggestion.caveat for suggestion in self.every) > 1 else ""


def first_suggestions(module: Module) -> FirstSuggestions | None:
    """Return the first suggestions for the main memory space; None for a module that has nothing there."""
    space, advice = module.analysis.spaces.get(MAIN_SPACE), module.advice.get(MAIN_SPACE)
    if space is None or advice is None or not space.needed_bytes:
        return None
    if advice.withheld:
        return FirstSuggestions(heading="No suggestions", words=advice.withheld, suggestions=())
    suggestions, exceeded = _chosen(advice), advice.exceeded_bytes
    is_solved = exceeded is not None and any(
        suggestion.is_computed and fitting_of(suggestion, exceeded) == "fits" for suggestion in suggestions
    )
    to_tick, combined = suggestions_to_tick(advice), set(map(joint_kind, advice.combined))
    ticked = [key for key, suggestion in to_tick.items() if joint_kind(suggestion) in combined]
    words = ""
    if not any(suggestion.is_computed for suggestion in suggestions):
        words = _nothing_words(module, space, has_unknown=bool(suggestions))
    if advice.capacity and exceeded is not None and not is_solved:
        verdict = verdict_words(advice.capacity)
        words = f"{verdict[0].upper()}{verdict[1:]}."
    if elsewhere := over_elsewhere(module.device_fit):
        words = f"Another memory space does not fit, {elsewhere}, so no suggestion for {space.name} helps."
    return FirstSuggestions(
        heading="To lower the peak" if exceeded is None else _OVER,
        words=words,
        suggestions=suggestions,
        to_tick=to_tick,
        exceeded_bytes=exceeded,
        joint=short_words(joint_words(advice)),
        joint_key=".".join(ticked) if len(ticked) == len(advice.combined) else "",
        every=[*suggestions, *(each for each in advice.best if each not in suggestions)],
    )


def _nothing_words(module: Module, space: Space, *, has_unknown: bool) -> str:
    """Say that nothing is known to lower the peak, and what would where the caller holds most of what is needed."""
    sizes = needed_by_class(module.analysis, space)
    held = space.needed_bytes - sizes["temporary"]
    if 2 * held < space.needed_bytes:
        return "No suggestion is known to lower the peak."
    answer = "No saving is known" if has_unknown else "Nothing to change"
    return (
        f"{answer}: arguments, outputs and constants take {human_bytes(held)} of {human_bytes(space.needed_bytes)}."
        " To need less, pass and return less."
    )


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
    types = (each for each in advice.own_suggestions if each.kind == "type" and not each.argument_names)
    return [*ordered, *(each for each in types if each not in ordered and _is_about_much(advice, each))][:_SHOWN]


def _is_about_much(advice: Advice, suggestion: Suggestion) -> bool:
    return advice.peak is not None and suggestion.involved_bytes * _MUCH_PART >= advice.peak.peak_bytes
