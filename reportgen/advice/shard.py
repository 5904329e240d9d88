"""Compute the peak if what every device holds whole were divided among the devices.

What the caller holds is exact: each array is divided along the dimension that takes most of the devices that hold the
same, and a result that takes the shape of an argument is divided with it. What the program makes in between is not
known. At best all arrays of the same number of elements are divided, too. At worst only those of the update are, which
is computed on parts, and the largest array that the gradient reads comes back whole, because it is gathered before.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import prod

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.arguments import Result, listed_names
from reportgen.advice.context import AdviceContext
from reportgen.advice.framework import DIVIDED_ACTIVATIONS
from reportgen.advice.memory import Edit, PeakRange
from reportgen.advice.suggest import is_worth_listing, suggest_range_or_bound
from reportgen.program.scopes import direction
from reportgen.program.sharding import even_split
from reportgen.record import record

_MOST_TIMES = 1024
_SMALL_PART = 100_000
"""An argument is left whole if it is less than this part of the peak."""


@record
class Shard(PeakRange):
    """What dividing arguments does: `size_bytes` are those that the caller then does not hold."""

    argument_names: tuple[str, ...]
    devices: int


def find_sharding(context: AdviceContext) -> Iterator[Suggestion]:
    """Yield the division of what several devices hold whole among them."""
    shard = _shard(context)
    if shard is None or not is_worth_listing(context, shard.size_bytes):
        return
    what = f"shard {listed_names(shard.argument_names)} over the {shard.devices} devices, and keep activations sharded"
    code = DIVIDED_ACTIVATIONS if context.is_jax else ""
    suggestion = suggest_range_or_bound(context, "shard", what, shard, code)
    yield replace(suggestion, argument_names=shard.argument_names)


def fewest_devices(context: AdviceContext, capacity_bytes: int) -> int | None:
    """Return the fewest devices on which what the caller holds fits; None where none are enough, or nothing says it.

    Each array is divided evenly along one dimension, and the number of devices is doubled until it fits, as meshes are.
    """
    now, times, sizes = context.program.partitions.devices, 1, context.dimensions.sizes
    if now is None:
        return None
    held = [
        (argument.size_bytes, sizes(argument.number), sharding.copies if sharding else 1)
        for argument in context.arguments
        for sharding in [context.program.partitions.of(argument.instruction)]
    ]
    held += [(result.reserved_bytes, sizes(result.number), 1) for result in context.results]
    while times <= _MOST_TIMES:
        saved = sum(_saved(size_bytes, even_split(shape, times * copies)) for size_bytes, shape, copies in held)
        if context.memory.static_bytes - saved <= capacity_bytes:
            return now * times
        times *= 2
    return None


def _shard(context: AdviceContext) -> Shard | None:
    """Return what an even division of what several devices hold whole saves; None where nothing can be divided."""
    parts = dict(_parts(context))
    if not parts:
        return None
    memory, arguments = context.memory, {argument.number: argument for argument in context.arguments}
    chosen = tuple(arguments[number] for number in parts)
    held = sum(_saved(argument.size_bytes, parts[argument.number]) for argument in chosen)
    held += sum(_saved(result.reserved_bytes, part) for result, part in _results(context, parts))
    gathered = max((argument.size_bytes for argument in chosen if context.is_read_by_gradient(argument)), default=0)
    sizes = context.dimensions.sizes
    elements = {prod(sizes(argument.number)): parts[argument.number] for argument in chosen}
    largest_of_parts = (max(part, key=lambda held: (held.size_bytes, held.number)) for part in memory.parts)
    of_temps = {
        largest.number: _saved(largest.size_bytes, divided)
        for largest in largest_of_parts
        if largest.number >= 0 and (divided := _ways(context, elements, largest.number)) > 1
    }
    authors = context.analysis.authors
    of_update = {number: saved for number, saved in of_temps.items() if not direction(authors.of(number).scope)}
    return Shard(
        values=tuple(argument.number for argument in chosen),
        argument_names=tuple(dict.fromkeys(argument.name for argument in chosen)),
        devices=context.program.partitions.devices or 1,
        size_bytes=held,
        least=memory.after(Edit({}, [(0, gathered - held)], of_update)),
        most=memory.after(Edit({}, [(0, -held)], of_temps)),
    )


def _ways(context: AdviceContext, elements: Mapping[int, int], number: int) -> int:
    """Return into how many parts a temporary is divided with the arguments, by their numbers of elements.

    In the update a part of an argument, gathered from some of the devices, is divided as well.
    """
    count = prod(context.dimensions.sizes(number))
    if direction(context.analysis.authors.of(number).scope) or not count:
        return elements.get(count, 1)
    divided = (parts * count // whole for whole, parts in elements.items() if whole % count == 0)
    return max((ways for ways in divided if ways > 1), default=1)


def _saved(size_bytes: int, parts: int) -> int:
    return size_bytes - size_bytes // parts


def _parts(context: AdviceContext) -> Iterator[tuple[int, int]]:
    """Yield into how many parts each argument can be divided that several devices hold and that is no data."""
    if (context.program.partitions.devices or 1) == 1:
        return
    data = {origin.parameter for origin in context.data}
    for argument in context.arguments:
        sharding = context.program.partitions.of(argument.instruction)
        is_small = argument.size_bytes * _SMALL_PART < context.memory.peak.peak_bytes
        if sharding is None or sharding.copies < 2 or is_small or argument.instruction in data:
            continue
        parts = even_split(context.dimensions.sizes(argument.number), sharding.copies)
        if parts > 1:
            yield argument.number, parts


def _results(context: AdviceContext, parts: Mapping[int, int]) -> Iterator[tuple[Result, int]]:
    """Yield the results in memory of their own that take the shape of an argument that is divided."""
    for pair in context.all_pairs.pairs:
        if pair.argument.number in parts:
            yield pair.result, parts[pair.argument.number]
