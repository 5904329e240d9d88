"""What would lower the peak: the tables of a module's page, and what the chart shows of a suggestion."""

from collections import Counter
from collections.abc import Mapping, Sequence

from reportgen.advice.advice_records import Advice, ArgumentGroup, ConflictOf, Ladder, Move, PerDevice, Returned, State
from reportgen.advice.families import Family
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.record import record
from reportgen.render.view import Module
from reportgen.reports.advice_words import (
    CLAIMS,
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
class MoveRow:
    """A move as a row: its saving, what is needed and the peak then in words, and what to know of it.

    `key` names the move on the page and in its address.
    """

    move: Move
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
class Rung:
    """A step of the ladder from what a program needs down to what the caller holds; `key` is that of its move.

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

    `choices` are the keys of the moves that the chart can show, with what is changed. The arguments, and the results
    with their places in what the program returns, come with what is known of them in words.
    """

    heading: str
    choices: Sequence[tuple[str, str]]
    space_name: str
    withheld: str
    contested_bytes: int
    verdict: str
    steps: Sequence[MoveRow]
    sequence: Sequence[MoveRow]
    joint: str
    rungs: Sequence[Rung]
    floor: str
    moves: Sequence[MoveRow]
    families: Sequence[Family]
    arguments: Sequence[tuple[ArgumentGroup, str]]
    results: Sequence[tuple[Returned, str, str]]
    more_results: int
    more_devices: Sequence[PerDevice]


def advice_view(module: Module) -> AdviceView | None:
    """Return what a module's page says of the main memory space; None for a module without one."""
    space, advice = module.analysis.spaces.get(MAIN_SPACE), module.advice.get(MAIN_SPACE)
    if space is None or advice is None or not space.needed_bytes:
        return None
    capacity, ladder, keys = advice.capacity, advice.ladder, move_keys(advice)
    exceeded = capacity if capacity and capacity.excess_bytes > 0 else None
    # The largest are shown, in the order in which the program returns them.
    largest = sorted(advice.results, key=lambda one: -one.size_bytes)[:_SHOWN_RESULTS]
    joint = joint_words(advice)
    floor = module.instruction_at(ladder.floor_moment) if ladder else None
    return AdviceView(
        heading=f"To fit {human_bytes(exceeded.size_bytes)}" if exceeded else "How to lower the peak",
        choices=[(key, what_words(advice, move)) for key, move in keys.items()],
        space_name=f"space {space.color} · {space.name}",
        withheld=advice.withheld,
        contested_bytes=advice.contested_bytes,
        verdict=verdict_words(exceeded) if exceeded else "",
        steps=[move_row(key, move) for move in advice.steps for key, one in keys.items() if one == move],
        sequence=[move_row(key, move) for key, move in keys.items() if move in advice.sequence] if joint else (),
        joint=joint,
        rungs=_rungs(ladder, space.slack_bytes or 0, keys) if ladder else (),
        floor=floor_words(ladder, floor or "", module.analysis.backend) if ladder else "",
        moves=[move_row(key, move) for key, move in keys.items() if not move.after],
        families=advice.families,
        arguments=[(group, _argument_words(group)) for group in advice.arguments],
        results=[_result(one) for one in sorted(largest, key=lambda one: (one.leaf, one.number))],
        more_results=max(0, len(advice.results) - _SHOWN_RESULTS),
        more_devices=advice.more_devices,
    )


def move_keys(advice: Advice) -> dict[str, Move]:
    """Return every move by a key that stays the same as long as the moves do: `donate-1`, and `then-checkpoint`."""
    counts: Counter[str] = Counter()
    keys = {}
    for move in advice.moves:
        counts[move.kind] += 1
        keys[f"{move.kind}-{counts[move.kind]}"] = move
    return keys | {
        f"then-{move.kind}" if move.after else f"first-{move.kind}": move
        for move in advice.sequence
        if move not in advice.moves
    }


def move_row(key: str, move: Move) -> MoveRow:
    """Return a move as a row under a key."""
    return MoveRow(
        move=move,
        key=key,
        anchor=f"move-{move.kind}",
        what=f"Then {move.what}" if move.after else move.what[0].upper() + move.what[1:],
        saving=amount_words(move),
        high=rounded_bytes(move.saving_high_bytes) if move.saving_high_bytes is not None else "",
        needed=needed_words(move),
        peak=peak_words(move),
        notes=" ".join(filter(None, (move.reason, next_words(move), move.caveat))),
        confidence=CLAIMS[move.claim],
    )


def _rungs(ladder: Ladder, slack_bytes: int, keys: Mapping[str, Move]) -> list[Rung]:
    """Return the steps of the ladder, the highest first; the third leads to the first donation, if there is one."""
    first = next((key for key, move in keys.items() if move.kind == "donate"), "")
    return [
        Rung(name="needed", size_bytes=ladder.needed_bytes, anchor="needed", slack_bytes=slack_bytes),
        Rung(name="peak resident", size_bytes=ladder.peak_bytes, anchor="peak-resident"),
        Rung(name="peak after donation", size_bytes=ladder.donated_bytes, anchor="move-donate", key=first),
        Rung(name="floor", size_bytes=ladder.floor_bytes, anchor="floor"),
        Rung(name="arguments and outputs", size_bytes=ladder.held_bytes, anchor="static"),
    ]


def _argument_words(group: ArgumentGroup) -> str:
    words = _STATES[group.state]
    if group.conflict:
        words += f": {_conflict_words(group.conflict)}"
    if group.near_miss_bytes:
        words += f"; outputs of equal size but another type or shape: {human_bytes(group.near_miss_bytes)}"
    return words


def _conflict_words(conflict: ConflictOf) -> str:
    return f"{conflict.argument} is read by {conflict.reader} at {conflict.read_at}, written from {conflict.born_at} on"


def _result(result: Returned) -> tuple[Returned, str, str]:
    words = f"{result.argument} is free for it" if result.argument else "no argument like it"
    if result.conflict:
        words = _conflict_words(result.conflict)
    return result, "".join(f"[{index}]" for index in result.leaf) or "whole", words
