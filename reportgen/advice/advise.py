"""Put the advice for a dump together: each move alone, the sequence of those worth taking, and the tables."""

from collections.abc import Sequence
from dataclasses import replace

from reportgen.advice.advice_records import (
    Advice,
    AdviceBySpace,
    CapacityAdvice,
    Ladder,
    Move,
    Verdict,
)
from reportgen.advice.families import families
from reportgen.advice.fitting import fitting_of
from reportgen.advice.more_devices import fewest_devices, more_devices
from reportgen.advice.moves import Moves
from reportgen.advice.next_peak import with_next
from reportgen.advice.order import steps
from reportgen.advice.rematerialized import lost_bytes, without_rematerialization
from reportgen.advice.sequence import fits_after, sequence
from reportgen.advice.situation import Situation
from reportgen.advice.tables import argument_groups, returned, states
from reportgen.advice.words import (
    WITHHELD_ERRORS,
    WITHHELD_LENGTH,
    WITHHELD_MISSING,
    WITHHELD_RANGES,
    WITHHELD_SPACE,
    WITHHELD_USES,
)
from reportgen.analyse.contested import contested_bytes, decides, unread_bytes
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.records import VMEM, Analysis, Space

_MOST_MOMENTS = 5_000_000
"""Moments of a schedule; each move makes a list with an amount for each of them."""


def advise(analysis: Analysis, capacity_bytes: int | None = None, devices: int | None = None) -> AdviceBySpace:
    """Return what would lower the peak of each memory space, or why nothing is said of it.

    `devices` are those that are asked about; None for none.
    """
    return {color: _of_space(analysis, space, capacity_bytes, devices) for color, space in analysis.spaces.items()}


def withheld(analysis: Analysis, space: Space) -> str:
    """Return why there is no advice for a space; empty where there is."""
    if space.color != MAIN_SPACE:
        return WITHHELD_SPACE
    if space.temp is None or not analysis.dump.live_ranges:
        return WITHHELD_RANGES
    if not analysis.dump.used_values:
        return WITHHELD_USES
    if analysis.missing:
        return WITHHELD_MISSING
    if analysis.moments > _MOST_MOMENTS:
        return WITHHELD_LENGTH
    return WITHHELD_ERRORS if decides(contested_bytes(analysis, space), space) else ""


def _of_space(analysis: Analysis, space: Space, capacity_bytes: int | None, devices: int | None) -> Advice:
    reason = withheld(analysis, space)
    if reason:
        return Advice(withheld=reason)
    situation = Situation(analysis, space)
    moves = Moves(situation)
    is_understood = not decides(unread_bytes(analysis, space), space)
    lost = lost_bytes(analysis.program, situation.memory)

    def lower(move: Move) -> Move:
        return without_rematerialization(move if is_understood else _lowered(move), lost)

    alone = list(map(lower, moves.all()))
    told = {id(move): with_next(situation, move) for move in steps(alone, situation.memory.peak.peak_bytes)}
    alone, ordered = [told.get(id(move), move) for move in alone], list(told.values())
    # Slack must fit as well.
    available = None if capacity_bytes is None else capacity_bytes - situation.above_peak_bytes
    is_over = available is not None and situation.memory.peak.peak_bytes > available

    def find_sequence() -> tuple[Move, ...]:
        found = sequence(situation, ordered, lower, available if is_over else None)
        return tuple(with_next(situation, move) if move.after else move for move in found)

    advice = Advice(
        contested_bytes=contested_bytes(analysis, space) or 0,
        peak=situation.memory.peak,
        own_moves=tuple(alone),
        steps=tuple(ordered),
        half_batch_bytes=situation.batch.peak(0.5).peak_bytes if situation.batch else None,
        arguments=tuple(argument_groups(situation)),
        states={argument.number: state for argument, state in states(situation)},
        results=tuple(returned(situation)),
        more_devices=tuple(more_devices(situation, devices)) if is_over or devices else (),
        find_sequence=find_sequence,
        find_ladder=lambda: _ladder(situation),
        find_families=lambda: tuple(families(analysis, situation.memory)),
        move_of_family=lambda family: lower(moves.without_family(family)),
    )
    if capacity_bytes is None or available is None:
        return advice
    taken = advice.sequence
    capacity = CapacityAdvice(
        size_bytes=capacity_bytes,
        verdict=_verdict(situation, capacity_bytes, taken, ordered),
        steps=next((n for n, move in enumerate(taken, start=1) if fits_after(move, capacity_bytes)), 0),
        excess_bytes=max(0, space.needed_bytes - capacity_bytes),
        fits_factor=situation.batch.largest(available) if situation.batch else None,
        devices=fewest_devices(situation, available) if is_over else None,
    )
    return replace(advice, capacity=capacity, find_sequence=lambda: taken)


def _lowered(move: Move) -> Move:
    """Return a move that claims no more than what a program without some bytes needs at most."""
    return move if move.claim == "not computed" else replace(move, claim="up to")


def _ladder(situation: Situation) -> Ladder:
    return Ladder(
        needed_bytes=situation.space.needed_bytes,
        peak_bytes=situation.memory.peak.peak_bytes,
        donated_bytes=min(situation.donation.at_worst.peak.peak_bytes, situation.memory.peak.peak_bytes),
        floor_bytes=situation.floor.size_bytes,
        floor_moment=situation.floor.moment,
        held_bytes=situation.held_bytes,
    )


def _verdict(situation: Situation, size_bytes: int, taken: Sequence[Move], ordered: Sequence[Move]) -> Verdict:
    """Compare what the program needs with the capacity, not its peak, because slack is needed, too.

    On a TPU values may live in VMEM, so the floor is only believed beyond the size of that.
    """
    vmem = situation.analysis.spaces.get(VMEM) if situation.analysis.backend == "tpu" else None
    if situation.space.needed_bytes <= size_bytes:
        return "fits"
    if situation.memory.peak.peak_bytes <= size_bytes:
        return "slack"
    if any(fits_after(move, size_bytes) for move in taken):
        is_donation = taken[0].kind == "donate" and fits_after(taken[0], size_bytes)
        return "donation" if is_donation else "sequence"
    if situation.held_bytes > size_bytes:
        return "arguments"
    computed = (move for move in (*ordered, *taken[-1:]) if move.claim != "not computed")
    if any(fitting_of(move, size_bytes) == "close" for move in computed):
        return "close"
    sure_floor = situation.floor.size_bytes - (vmem.needed_bytes if vmem else 0)
    return "possible" if sure_floor <= size_bytes else "impossible"
