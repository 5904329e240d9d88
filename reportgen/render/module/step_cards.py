"""Choose the steps that a module's page shows at first glance, and say what the program would ask for after each."""

from collections.abc import Mapping, Sequence

from reportgen.advice.advice_records import Advice, Move
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.record import record
from reportgen.render.module.advice_box import MoveRow, move_keys, move_row
from reportgen.render.view import Module
from reportgen.reports.advice_words import CLAIMS, rounded_bytes, verdict_words
from reportgen.reports.explain_sections import short_words
from reportgen.reports.formats import human_bytes

_SHOWN = 3
_HEADING, _SOLVED = "What would lower it", "What makes it fit"


@record
class StepCard:
    """A step; `short` says what to do without the folders of files.

    `need_bytes` is asked for after it, with the slack that there is now; 0 if its saving is not computed.

    `result` says in words what is left, and `is_over` whether that does not fit. `key` names it on the page.
    """

    what: str
    short: str
    key: str
    anchor: str
    saving: str
    need_bytes: int
    result: str
    is_over: bool
    fits: bool
    claim: str
    code: str
    note: str


@record
class Steps:
    """The steps under a heading. `words` say what they lead to or, where there are none, why.

    `solved_heading` is the heading where one of them makes the program fit.
    """

    heading: str
    solved_heading: str
    words: str
    cards: Sequence[StepCard]


def step_cards(module: Module) -> Steps | None:
    """Return the first steps for the main memory space; None for a module that has nothing there."""
    space, advice = module.analysis.spaces.get(MAIN_SPACE), module.advice.get(MAIN_SPACE)
    if space is None or advice is None or not space.allocated_bytes:
        return None
    if advice.withheld:
        return Steps(heading="No steps are known", solved_heading=_SOLVED, words=advice.withheld, cards=())
    capacity = advice.capacity
    is_over = capacity is not None and capacity.excess_bytes > 0
    chosen = _chosen(advice)
    keys = move_keys(advice)
    cards = [_card(advice, move_row(_key(keys, move), move)) for move in chosen]
    heading = _SOLVED if any(card.fits for card in cards) else _HEADING
    words = "" if chosen else "No step is known that would lower the peak."
    if capacity and is_over and not any(card.fits for card in cards):
        verdict = verdict_words(capacity)
        words = f"{verdict[0].upper()}{verdict[1:]}."
    return Steps(heading=heading, solved_heading=_SOLVED, words=words, cards=cards)


def _chosen(advice: Advice) -> Sequence[Move]:
    """Return the sequence that makes a program fit where it takes several steps, else the best steps alone."""
    capacity = advice.capacity
    if capacity and capacity.verdict == "sequence" and len(advice.sequence) > 1:
        return advice.sequence
    return advice.steps[:_SHOWN]


def _key(keys: Mapping[str, Move], move: Move) -> str:
    """Return the key of a move; an equal one has the same curve."""
    return next((key for key, one in keys.items() if one == move), "")


def _card(advice: Advice, row: MoveRow) -> StepCard:
    move, ladder, capacity = row.move, advice.ladder, advice.capacity
    slack = ladder.allocated_bytes - ladder.peak_bytes if ladder else 0
    is_computed = move.claim != "not computed"
    after = move.outcome.peak_bytes + slack if is_computed else 0
    over = after - capacity.size_bytes if capacity else 0
    was_over = capacity is not None and capacity.excess_bytes > 0
    is_over, fits = is_computed and capacity is not None and over > 0, is_computed and was_over and over <= 0
    return StepCard(
        what=row.what,
        short=short_words(row.what),
        key=row.key,
        anchor=row.anchor,
        saving=f"−{row.saving}" if is_computed and row.saving[0].isdigit() else row.saving,
        need_bytes=after,
        result=_result(after, over, is_computed=is_computed, is_over=is_over, fits=fits),
        is_over=is_over,
        fits=fits,
        claim=CLAIMS[move.claim],
        code=move.code,
        note=row.notes,
    )


def _result(after: int, over: int, *, is_computed: bool, is_over: bool, fits: bool) -> str:
    if not is_computed:
        return ""
    needs = f"{rounded_bytes(after)} needed"
    if is_over:
        return f"{needs}, {human_bytes(over)} too much"
    return f"{needs}, fits" if fits else needs
