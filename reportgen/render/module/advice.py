"""What would lower the peak, in words and in tables: the first box of a module's page.

The claim of a move decides its words. Predictions and estimates are rounded to three digits, exact numbers are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.analyse.advice.advise import MAIN_SPACE
from reportgen.analyse.advice.families import Family
from reportgen.analyse.advice.records import Advice, ArgumentGroup, Capacity, Ladder, Move
from reportgen.render.html.formats import UNITS, exact_bytes, human_bytes
from reportgen.render.html.links import Links
from reportgen.render.view import Module

_SHOWN_FAMILIES = 10
_NOT_FIRST = ("batch", "packing", "family", "unreturned-result")
_STATES = {
    "donated": "donated",
    "can": "can be donated",
    "conflict": "still read when its result is written",
    "surplus": "no result of its shape left",
    "no result": "no result like it",
}
_VERDICTS = {
    "fits": "what the plan asks for fits; code, other modules and the runtime come on top",
    "slack": "its peak is smaller, the rest is slack",
    "donation": "after donation the peak is smaller",
    "possible": "other moves are needed as well",
    "impossible": "with these shapes and instructions no order, recomputation, offloading or donation makes it fit",
}
_CLAIMS = {
    "exact": "exact, if nothing else changes",
    "predicted": "predicted",
    "estimate": "estimate",
    "range": "range",
    "at least": "at least",
    "bound": "bound",
    "witness": "placement found and verified",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRow:
    """A move as a row: its saving in words, the moment of the peak that is left, and what to know of it."""

    move: Move
    anchor: str
    what: str
    saving: str
    claim: str
    new_peak_bytes: int
    moment: int
    notes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """A step of the ladder from what a program asks for down to what the caller holds."""

    name: str
    size_bytes: int
    anchor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceView:
    """The advice for the main memory space. `withheld` is the reason where there is none."""

    space_name: str
    withheld: str
    steps: Sequence[MoveRow]
    joint: str
    rungs: Sequence[Rung]
    moves: Sequence[MoveRow]
    families: Sequence[Family]
    arguments: Sequence[tuple[ArgumentGroup, str]]


def advice_view(module: Module, links: Links) -> AdviceView | None:
    """Return what a module's page says of the main memory space; None for a module without one."""
    space, advice = module.analysis.spaces.get(MAIN_SPACE), module.advice.get(MAIN_SPACE)
    if space is None or advice is None or not space.allocated_bytes:
        return None
    ladder = advice.ladder
    return AdviceView(
        space_name=f"space {space.color} · {space.name}",
        withheld=advice.withheld,
        steps=[_row(move) for move in advice.sequence],
        joint=joint_words(advice),
        rungs=_rungs(ladder) if ladder else (),
        moves=[_row(move) for move in advice.moves],
        families=advice.families[:_SHOWN_FAMILIES],
        arguments=[(group, _STATES[group.state]) for group in advice.arguments],
    )


def _row(move: Move) -> MoveRow:
    what = move.what if not move.after else f"then {move.what}"
    return MoveRow(
        move=move,
        anchor=f"move-{move.kind}",
        what=what[0].upper() + what[1:],
        saving=amount_words(move),
        claim=_CLAIMS[move.claim],
        new_peak_bytes=move.outcome.peak_bytes,
        moment=move.outcome.moment,
        notes=" ".join(filter(None, (move.reason, move.caveat))),
    )


def _rungs(ladder: Ladder) -> list[Rung]:
    return [
        Rung(name="allocated", size_bytes=ladder.allocated_bytes, anchor="allocated"),
        Rung(name="peak resident", size_bytes=ladder.peak_bytes, anchor="peak-resident"),
        Rung(name="peak after donation", size_bytes=ladder.donated_bytes, anchor="move-donate"),
        Rung(name="floor", size_bytes=ladder.floor_bytes, anchor="floor"),
        Rung(name="held by the caller", size_bytes=ladder.held_bytes, anchor="static"),
    ]


def amount_words(move: Move) -> str:
    """Return what a move saves, worded as its claim allows."""
    if not move.saving_bytes and not move.saving_high_bytes:
        return "0"
    match move.claim:
        case "range":
            high = move.saving_high_bytes or move.saving_bytes
            low_words, high_words = rounded_bytes(move.saving_bytes), rounded_bytes(high)
            return low_words if low_words == high_words else f"{low_words} to {high_words}"
        case "predicted" | "estimate":
            return f"about {rounded_bytes(move.saving_bytes)}"
        case "at least":
            return f"at least {human_bytes(move.saving_bytes)}"
        case _:
            return human_bytes(move.saving_bytes)


def rounded_bytes(size: int) -> str:
    """Return `281 MiB`: three digits."""
    amount, unit = float(size), "B"
    for larger in UNITS:
        if abs(amount) < 999.5:
            break
        amount, unit = amount / 1024, larger
    digits = max(0, 3 - len(str(int(abs(amount))))) if unit != "B" else 0
    return f"{amount:.{digits}f} {unit}"


def joint_words(advice: Advice) -> str:
    """Return what several moves give together, computed on the changed model; empty for fewer than two."""
    if len(advice.sequence) < 2 or advice.peak is None:
        return ""
    last = advice.sequence[-1]
    least, most = rounded_bytes(last.outcome.peak_bytes), rounded_bytes(last.peak_high_saving)
    peaks = least if least == most else f"{most} to {least}"
    return f"Together they lead to a peak of {peaks}; their savings alone do not add up to that."


def first_move(advice: Advice | None) -> Move | None:
    """Return the move to name where there is room for one: the first of the sequence, or the one that saves most."""
    if advice is None or not advice.moves:
        return None
    if advice.sequence:
        return advice.sequence[0]
    worth = [move for move in advice.moves if move.kind not in _NOT_FIRST and move.saving_bytes > 0]
    return max(worth, key=lambda move: move.saving_bytes, default=None) or next(
        (move for move in advice.moves if move.kind == "donate"), None
    )


def capacity_words(capacity: Capacity) -> str:
    """Return whether a module fits into a capacity, what it may take, and the batch that fits."""
    words = _VERDICTS[capacity.verdict]
    if capacity.excess_bytes:
        words = f"{human_bytes(capacity.excess_bytes)} too much for {human_bytes(capacity.size_bytes)}; {words}"
    if capacity.excess_bytes and capacity.fits_factor and capacity.fits_factor < 1:
        words += f"; a batch × {capacity.fits_factor:.2f} fits (estimate)"
    return words


def sentence(move: Move) -> str:
    """Return a move in one sentence, as `check` prints it."""
    if not move.saving_bytes:
        return f"to {move.what} saves nothing: {move.reason}"
    if move.claim == "exact":
        return (
            f"{move.what}: if these {len(move.values)} values were not held meanwhile, the peak would be"
            f" {human_bytes(move.outcome.peak_bytes)} ({exact_bytes(move.outcome.peak_bytes)})"
        )
    return f"{move.what}: saves {amount_words(move)} ({_CLAIMS[move.claim]})"
