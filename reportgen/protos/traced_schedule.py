"""Put instructions in the order in which the heap simulator met them, for a module that states no schedule.

Protos of TensorFlow's CPU backend have none. The simulator's trace has an event where a value begins, in the order of
the schedule that it was given. It knows temporary values only; any other instruction comes right before the first one
that needs it.
"""

from collections.abc import Sequence
from math import inf
from typing import Any

from reportgen.protos.module import HloModule
from reportgen.protos.values import PlacedValues

_FREE = 1


def traced_schedule(module: HloModule, placed: PlacedValues, traces: Sequence[Any]) -> dict[int, Sequence[int]]:
    """Return the instructions of each computation in the order that the traces show; nothing without a trace."""
    met: dict[int, float] = {}
    for trace in traces:
        for event in trace.events:
            if event.kind != _FREE and (site := placed.definitions.get(event.buffer_id)):
                met.setdefault(site.instruction, len(met))
    return {number: _in_order(module, number, met) for number in module.members_of} if met else {}


def _in_order(module: HloModule, computation: int, met: dict[int, float]) -> Sequence[int]:
    """Return the instructions of a computation, each before those that read it, as in the proto."""
    own = module.members_of[computation]
    ranks = {number: met.get(number, inf) for number in own}
    for number in reversed(own):
        for read in module.operands(number):
            if read in ranks and read not in met:
                ranks[read] = min(ranks[read], ranks[number])
    return sorted(own, key=ranks.__getitem__)
