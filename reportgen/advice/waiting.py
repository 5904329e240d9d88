"""Leave gradients that only wait out of the peak after a change.

A compiler may put off the gradients of weights, and then holds the gradients of many layers' activations at once. It
does so where that does not raise the peak, and no longer where a change makes it the peak: so it was in five
recompilations of the two programs with such gradients, layers in a Python loop on a TPU.
"""

from collections import defaultdict
from collections.abc import Sequence

from reportgen.advice.memory import ALWAYS, Edit, PeakAfter
from reportgen.advice.situation import Situation
from reportgen.program.scopes import direction, pattern

_LEAST_LAYERS = 5
"""How many arrays of one operation wait; a layer may have a few itself."""

_MOST_ROUNDS = 20


def without_waiting(situation: Situation, outcome: PeakAfter) -> PeakAfter:
    """Return the outcome of a change if no gradients of other layers are held at its peak."""
    for _ in range(_MOST_ROUNDS):
        edit = outcome.edit
        waiting = _waiting(situation, outcome.moment, edit) if edit else ()
        if not edit or not waiting:
            break
        cuts = {**edit.cuts, **{number: [ALWAYS] for number in waiting}}
        outcome = situation.memory.after(Edit(cuts, edit.more, edit.less))
    return outcome


def _waiting(situation: Situation, moment: int, edit: Edit) -> Sequence[int]:
    """Return the gradients of activations that are held at a moment, all but the largest of each operation.

    What is held at the peak as it is does not wait there: the compiler has put nothing off to make the peak higher.
    """
    temps, program, authors = situation.memory.temps, situation.program, situation.analysis.authors
    at_peak = set(situation.memory.at_peak)
    found: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for number in situation.large:
        if number in edit.cuts or number in at_peak or not temps[number].first <= moment <= temps[number].last:
            continue
        scope = authors.of(number).scope
        if direction(scope) == "backward" and situation.dimensions.come_from(number, situation.data):
            found[program.shape(number), pattern(scope)].append(number)
    many = (numbers for numbers in found.values() if len(numbers) >= _LEAST_LAYERS)
    return [one for numbers in many for one in sorted(numbers, key=lambda one: -temps[one].size_bytes)[1:]]
