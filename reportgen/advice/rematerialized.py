"""Lower what is claimed of a program that XLA itself already computes some values of twice to fit.

XLA's rematerialisation names the second computation after the first, `fusion.3.remat`. It stops as soon as a program
fits, so one that needs less may lose it: then what it saves now has to be held again.
"""

from collections.abc import Sequence
from dataclasses import replace

from reportgen.advice.advice_records import Move
from reportgen.advice.levers import WIDEST_RANGE
from reportgen.advice.memory import Memory, PeakAfter
from reportgen.program.program import Program

_REMAT = ".remat"
_CAVEAT = "XLA computes some values of this program twice to make it fit; one that needs less may lose that."


def rematerialized_bytes(program: Program, memory: Memory) -> int:
    """Return the bytes of the values that XLA computes a second time; 0 for most programs."""
    again = (numbers for name, numbers in program.dump.made_by.items() if _REMAT in name)
    return sum(memory.temps[number].size_bytes for numbers in again for number in numbers if number in memory.temps)


def without_rematerialization(move: Move, peak_bytes: int, lost_bytes: int) -> Move:
    """Return a move whose least saving is what is left if the program loses so many bytes that XLA saves now.

    What the caller holds is no temporary, so a donation or another type of state saves what it does.
    """
    if not lost_bytes or move.kind in ("donate", "type") or move.claim == "not computed":
        return move
    most = move.saving_high_bytes or move.saving_bytes
    least = move.saving_bytes - lost_bytes
    caveat = f"{move.caveat} {_CAVEAT}"
    if move.claim == "up to" or most > WIDEST_RANGE * least:
        outcome = _raised(move.outcome, peak_bytes - most - move.outcome.peak_bytes)
        return replace(move, claim="up to", saving_bytes=most, saving_high_bytes=None, outcome=outcome, caveat=caveat)
    outcome = _raised(move.outcome, lost_bytes)
    return replace(move, claim="range", saving_bytes=least, saving_high_bytes=most, outcome=outcome, caveat=caveat)


def _raised(outcome: PeakAfter, more_bytes: int) -> PeakAfter:
    """Return an outcome at which so many bytes more are held at every moment."""

    def curve() -> Sequence[int]:
        return [amount + more_bytes for amount in outcome.curve()]

    return PeakAfter(peak_bytes=outcome.peak_bytes + more_bytes, moment=outcome.moment, curve=curve)
