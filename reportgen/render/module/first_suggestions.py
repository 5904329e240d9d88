"""Choose the suggestions that a module's page shows at first glance, and say what they lead to."""

from collections.abc import Sequence

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.advise import Advice
from reportgen.advice.fitting import fitting_of
from reportgen.advice.order import FIRST_SUGGESTIONS
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.record import record
from reportgen.render.module.fit_banner import misfit_elsewhere
from reportgen.render.view import Module
from reportgen.reports.advice_words import joint_words, verdict_words
from reportgen.reports.source_words import short_words

_HEADING, _SOLVED = "Suggestions", "Suggestions that fit"


@record
class FirstSuggestions:
    """The suggestions under a heading. `words` say what they lead to or, where there are none, why.

    `joint` says what several of them lead to together. `exceeded_bytes` is the capacity that the program exceeds, if
    it does, and `solved_heading` the heading where one of them makes it fit.
    """

    heading: str
    solved_heading: str
    words: str
    suggestions: Sequence[Suggestion]
    exceeded_bytes: int | None = None
    joint: str = ""


def first_suggestions(module: Module) -> FirstSuggestions | None:
    """Return the first suggestions for the main memory space; None for a module that has nothing there."""
    space, advice = module.analysis.spaces.get(MAIN_SPACE), module.advice.get(MAIN_SPACE)
    if space is None or advice is None or not space.needed_bytes:
        return None
    if advice.withheld:
        return FirstSuggestions(heading="No suggestions", solved_heading=_SOLVED, words=advice.withheld, suggestions=())
    suggestions, exceeded = _chosen(advice), advice.exceeded_bytes
    is_solved = exceeded is not None and any(
        suggestion.is_computed and fitting_of(suggestion, exceeded) == "fits" for suggestion in suggestions
    )
    words = "" if suggestions else "No suggestion would lower the peak."
    if advice.capacity and exceeded is not None and not is_solved:
        verdict = verdict_words(advice.capacity)
        words = f"{verdict[0].upper()}{verdict[1:]}."
    if elsewhere := misfit_elsewhere(module.misfit) if module.misfit else "":
        words = f"Another memory space does not fit, {elsewhere}, so no suggestion for {space.name} helps."
    return FirstSuggestions(
        heading=_SOLVED if is_solved else _HEADING,
        solved_heading=_SOLVED,
        words=words,
        suggestions=suggestions,
        exceeded_bytes=exceeded,
        joint=short_words(joint_words(advice)),
    )


def _chosen(advice: Advice) -> Sequence[Suggestion]:
    """Return the sequence that makes a program fit where that takes several suggestions, else the best on their own."""
    capacity = advice.capacity
    if capacity and capacity.combined_to_fit > 1:
        return advice.combined[: capacity.combined_to_fit]
    return advice.best[:FIRST_SUGGESTIONS]
