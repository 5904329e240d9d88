"""Choose the steps that a module's page shows at first glance, and say what the program would need after each."""

from collections.abc import Mapping, Sequence

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.advise import Advice
from reportgen.advice.fitting import fitting_of
from reportgen.advice.order import FIRST_SUGGESTIONS
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.record import record
from reportgen.render.module.advice_box import SuggestionRow, suggestion_keys, suggestion_row
from reportgen.render.module.fit_banner import misfit_elsewhere
from reportgen.render.view import Module
from reportgen.reports.advice_words import CONFIDENCES, joint_words, result_words, saving_words, verdict_words
from reportgen.reports.source_words import short_words

_HEADING, _SOLVED = "Suggestions", "Suggestions that fit"


@record
class StepCard:
    """A step; `short` says what to do without the folders of files.

    `need_bytes` are needed after the least that it saves; 0 if its saving is not computed.

    `result` says in words what is left, `is_over` whether that does not fit, and `is_close` whether
    nobody can tell before it is compiled. `key` names it on the page.
    """

    what: str
    short: str
    key: str
    anchor: str
    saving: str
    need_bytes: int
    result: str
    is_over: bool
    is_close: bool
    fits: bool
    confidence: str
    code: str
    note: str


@record
class Steps:
    """The steps under a heading. `words` say what they lead to or, where there are none, why.

    `joint` says what several of them lead to together.
    `solved_heading` is the heading where one of them makes the program fit.
    """

    heading: str
    solved_heading: str
    words: str
    cards: Sequence[StepCard]
    joint: str = ""


def step_cards(module: Module) -> Steps | None:
    """Return the first steps for the main memory space; None for a module that has nothing there."""
    space, advice = module.analysis.spaces.get(MAIN_SPACE), module.advice.get(MAIN_SPACE)
    if space is None or advice is None or not space.needed_bytes:
        return None
    if advice.withheld:
        return Steps(heading="No suggestions", solved_heading=_SOLVED, words=advice.withheld, cards=())
    capacity = advice.capacity
    is_over = capacity is not None and capacity.excess_bytes > 0
    chosen = _chosen(advice)
    keys = suggestion_keys(advice)
    cards = [_card(advice, suggestion_row(_key(keys, suggestion), suggestion)) for suggestion in chosen]
    heading = _SOLVED if any(card.fits for card in cards) else _HEADING
    words = "" if chosen else "No suggestion would lower the peak."
    if capacity and is_over and not any(card.fits for card in cards):
        verdict = verdict_words(capacity)
        words = f"{verdict[0].upper()}{verdict[1:]}."
    if elsewhere := misfit_elsewhere(module.misfit) if module.misfit else "":
        words = f"Another memory space does not fit, {elsewhere}, so no suggestion for {space.name} helps."
    return Steps(
        heading=heading, solved_heading=_SOLVED, words=words, cards=cards, joint=short_words(joint_words(advice))
    )


def _chosen(advice: Advice) -> Sequence[Suggestion]:
    """Return the sequence that makes a program fit where it takes several steps, else the best steps alone."""
    capacity = advice.capacity
    if capacity and capacity.combined_to_fit > 1:
        return advice.combined[: capacity.combined_to_fit]
    return advice.best[:FIRST_SUGGESTIONS]


def _key(keys: Mapping[str, Suggestion], suggestion: Suggestion) -> str:
    """Return the key of a suggestion; an equal one has the same curve."""
    return next((key for key, one in keys.items() if one == suggestion), "")


def _card(advice: Advice, row: SuggestionRow) -> StepCard:
    suggestion, capacity = row.suggestion, advice.capacity
    is_computed = suggestion.is_computed
    exceeded = capacity.size_bytes if capacity and capacity.excess_bytes > 0 else None
    known = fitting_of(suggestion, exceeded) if is_computed and exceeded is not None else None
    return StepCard(
        what=row.what,
        short=short_words(row.what),
        key=row.key,
        anchor=row.anchor,
        saving=saving_words(suggestion),
        need_bytes=suggestion.needed_bytes if is_computed else 0,
        result=result_words(suggestion, exceeded) if is_computed else "",
        is_over=known == "too much",
        is_close=known == "close",
        fits=known == "fits",
        confidence=CONFIDENCES[suggestion.confidence],
        code=suggestion.code,
        note=row.notes,
    )
