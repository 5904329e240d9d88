"""Compute what each device needs if more devices share what the program holds.

What the caller holds is exact: each array is divided evenly along one dimension, and stays whole where none can be.
What the program makes in between is not known. At best it is divided among the devices as well, and with the arguments
whose elements it has; at worst it stays as it is, and the largest array that the gradient reads comes back whole.
"""

from collections.abc import Sequence
from math import prod

from reportgen.advice.advice_records import PerDevice
from reportgen.advice.arguments import Argument
from reportgen.advice.context import AdviceContext
from reportgen.advice.shard import ways
from reportgen.intervals.step_function import Change
from reportgen.program.sharding import even_split

_TIMES = (2, 4, 8)
_MOST_TIMES = 1024


def more_devices(context: AdviceContext, asked: int | None = None) -> Sequence[PerDevice]:
    """Return what each device needs on as many as are asked for, or else on 2, 4 and 8 times as many.

    Return nothing where the dump does not say how many there are, or they cannot be multiplied to those asked for.
    """
    now = context.program.partitions.devices
    if now is None or (asked is not None and asked % now):
        return ()
    return [_per_device(context, now, times) for times in (_TIMES if asked is None else (asked // now,))]


def fewest_devices(context: AdviceContext, capacity_bytes: int) -> int | None:
    """Return the fewest devices on which what the caller holds fits; None where none are enough, or nothing says it.

    The number of devices is doubled until it fits, as meshes are.
    """
    now, times = context.program.partitions.devices, 1
    if now is None:
        return None
    while times <= _MOST_TIMES:
        if context.memory.static_bytes - _saved(context, times) <= capacity_bytes:
            return now * times
        times *= 2
    return None


def _per_device(context: AdviceContext, now: int, times: int) -> PerDevice:
    """Return what each device needs, in bytes at best and at worst, on `times` as many devices as `now`."""
    memory = context.memory
    saved = _saved(context, times)
    read = (argument.size_bytes for argument in context.arguments if context.is_read_by_gradient(argument))
    gathered = max(read, default=0) if context.program.has_backward_pass else 0
    sizes = context.dimensions.sizes
    elements = {prod(sizes(argument.number)): _parts(context, argument, times) for argument in context.arguments}
    divided: list[Change] = [(0, -saved)]
    for part in memory.parts:
        largest = max(part, key=lambda held: (held.size_bytes, held.number))
        parts = ways(context, elements, largest.number) if largest.number >= 0 else 1
        less = largest.size_bytes - largest.size_bytes // max(times, parts)
        divided += ((min(held.first for held in part), -less), (max(held.last for held in part) + 1, less))
    return PerDevice(
        devices=now * times,
        static_bytes=memory.static_bytes - saved,
        low_bytes=memory.without({}, divided).peak_bytes,
        high_bytes=memory.without({}, [(0, gathered - saved)]).peak_bytes,
    )


def _saved(context: AdviceContext, times: int) -> int:
    """Return what a device no longer holds of the arguments and results, among so many times as many devices."""
    arguments = (each.size_bytes - each.size_bytes // _parts(context, each, times) for each in context.arguments)
    results = (
        result.reserved_bytes - result.reserved_bytes // even_split(context.dimensions.sizes(result.number), times)
        for result in context.results
    )
    return sum(arguments) + sum(results)


def _parts(context: AdviceContext, argument: Argument, times: int) -> int:
    """Return into how many parts a device's part of an argument can be divided, among those that have the same."""
    sharding = context.program.partitions.of(argument.instruction)
    copies = times * (sharding.copies if sharding else 1)
    return even_split(context.dimensions.sizes(argument.number), copies)
