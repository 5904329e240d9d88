"""Lower what is claimed of a program that XLA itself already computes some values of twice to fit.

XLA's rematerialisation names the second computation after the first, `fusion.3.remat`. It stops as soon as a program
fits, so one that needs less may lose it: then what it saves now has to be held again.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from operator import add

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.kinds import KINDS
from reportgen.advice.memory import Memory, PeakAfter
from reportgen.advice.suggest import WIDEST_RANGE
from reportgen.program.program import Program
from reportgen.program.scopes import original_of

CAVEAT = "XLA computes some values of this program twice to make it fit; one that needs less may lose that."


def lost_bytes(program: Program, memory: Memory) -> Sequence[int]:
    """Return the bytes that are held at each moment, at most, if XLA computes nothing twice; empty if it does not.

    That is what it computes for the second time later: it would be held until then.
    """
    again = (numbers for name, numbers in program.dump.made_by.items() if original_of(name))
    held = [memory.temps[number] for numbers in again for number in numbers if number in memory.temps]
    if not held:
        return ()
    ends = Counter[int]()
    for value in held:
        ends[min(value.first, memory.moments)] += value.size_bytes
    left, lost = sum(ends.values()), []
    for moment in range(memory.moments):
        left -= ends[moment]
        lost.append(left)
    return lost


def without_rematerialization(suggestion: Suggestion, lost: Sequence[int]) -> Suggestion:
    """Return a suggestion whose least saving is what is left without what XLA saves now, `lost` at each moment.

    What the caller holds is no temporary, so a donation or another type of state saves what it does.
    """
    is_of_caller = KINDS[suggestion.kind].is_of_caller and not suggestion.after
    if not lost or is_of_caller or not suggestion.is_computed:
        return suggestion
    before, best = suggestion.saving_bytes + suggestion.peak_bytes, suggestion.most or suggestion.outcome
    after = PeakAfter.of(lambda: list(map(add, suggestion.outcome.curve(), lost)), suggestion.outcome.edit)
    least, most = before - after.peak_bytes, before - best.peak_bytes
    # Those that are combined come from suggestions that say so already.
    caveat = suggestion.caveat if CAVEAT in suggestion.caveat else f"{suggestion.caveat} {CAVEAT}"
    if suggestion.confidence == "up to" or most > WIDEST_RANGE * least:
        return replace(suggestion, confidence="up to", saving_bytes=most, outcome=best, most=None, caveat=caveat)
    return replace(suggestion, confidence="range", saving_bytes=least, outcome=after, most=best, caveat=caveat)
