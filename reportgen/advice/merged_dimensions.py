"""Find the padding at the peak that goes if dimensions of an array are merged.

A larger size of a dimension never saves, because what it adds is held, too. One dimension in place of several does, if
these belong together: heads and their size, which are one dimension of the weights, or the height, width and colours of
a picture. A sequence and its features do not, nor does a sequence twice, as in the scores of attention.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import prod

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.avoidable import AvoidableGroup, suggest_group
from reportgen.advice.context import AdviceContext
from reportgen.advice.memory import Edit
from reportgen.advice.suggest import is_worth_listing
from reportgen.advice.where import array_of, largest_of, padded_words, product, where
from reportgen.analyse.sizes import physical_order, round_up, under_first_tile
from reportgen.model.shapes import ArrayShape
from reportgen.program.dimensions import Origin
from reportgen.record import record

_SMALL_PART = 10_000
"""Padding that is less than this part of the peak is left out."""

_NEARLY = 50


@record
class Merged:
    """The sizes of dimensions that could be one, and the bytes of padding that are gone then."""

    sizes: tuple[int, ...]
    saved_bytes: int


def find_padding(context: AdviceContext) -> Iterator[Suggestion]:
    """Yield the padding that goes if dimensions are merged, with the array that has most of it and its layout."""
    arguments = [argument.number for argument in context.arguments]
    group = padding(context, [*arguments, *(result.number for result in context.results)])
    if is_worth_listing(context, group.size_bytes):
        number, is_all = largest_of(context.analysis, group.sizes)
        dimensions = merged(context, number)
        how = f": {padded_words(context.analysis, number)}; merge {product(dimensions.sizes)}" if dimensions else ""
        of = f"{'' if is_all else ' at the peak, mainly'} of {where(context.analysis, number)}"
        yield suggest_group(context, "padding", "at least", group, f"avoid the padding{of}{how}")


def padding(context: AdviceContext, statics: Iterable[int]) -> AvoidableGroup:
    """Find the padding at the peak: of each buffer's largest array, and of the caller's arrays (`statics`)."""
    memory = context.memory
    peak = memory.peak.moment
    largest = {}
    for number in memory.at_peak:
        group = memory.groups[number]
        live = [held for held in group if held.number >= 0 and held.first <= peak <= held.last]
        if number >= 0 and live:
            largest[group[0].number] = max(live, key=lambda held: (held.size_bytes, held.number)).number
    less, of_caller = (dict(_saved(context, numbers)) for numbers in (largest.values(), statics))
    of_caller_bytes = sum(of_caller.values())
    return AvoidableGroup(
        values=(*less, *of_caller),
        size_bytes=sum(less.values()) + of_caller_bytes,
        outcome=memory.after(Edit({}, [(0, -of_caller_bytes)], less)),
        sizes={**less, **of_caller},
    )


def _saved(context: AdviceContext, numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    program, padding_of = context.program, context.analysis.facts.padding
    for number in numbers:
        is_small = padding_of[number] * _SMALL_PART < context.memory.peak.peak_bytes
        # What a loop keeps for its gradient is no array of the program, so nobody can say how it is held.
        if is_small or program.loop_directions.get(program.dump.values.names[number]):
            continue
        if dimensions := merged(context, number):
            yield number, dimensions.saved_bytes


def merged(context: AdviceContext, number: int) -> Merged | None:
    """Return which dimensions of a value should be one; None where that saves less than half of its padding.

    Only the rows that are shorter than a tile are padded by so much.
    """
    shape = array_of(context.analysis, number)
    under, tile = under_first_tile(shape) if shape else ([], [])
    if not shape or len(tile) < 2 or len(shape.dimensions) < 2 or under[-1] >= tile[-1]:
        return None
    sizes = [size or 0 for size in shape.dimensions]
    dense = prod(sizes)
    now = dense // (prod(under) or 1) * prod(map(round_up, under, tile))
    choices = [(_left(shape, run, tile), run) for run in _runs(context, number, shape, tile[-1])]
    least = min((left for left, _ in choices), default=now)
    if now <= dense or 2 * (least - dense) > now - dense:
        return None
    # One dimension more is not worth the last of the padding.
    enough = ((left, run) for left, run in choices if (now - left) * _NEARLY >= (now - least) * (_NEARLY - 1))
    left, run = min(enough, key=lambda choice: (len(choice[1]), choice[0]))
    saved = context.analysis.facts.padding[number] * (now - left) // (now - dense)
    return Merged(sizes=tuple(sizes[dimension] for dimension in run), saved_bytes=saved)


def _runs(context: AdviceContext, number: int, shape: ArrayShape, row_size: int) -> Iterator[list[int]]:
    """Yield each run of neighbouring dimensions that may be one, the row of the layout among them."""
    *outer, row = physical_order(shape)
    sizes = context.dimensions.sizes(number)
    origins = context.dimensions.of(number)
    for first in range(row + 1):
        for last in range(max(row, first + 1), len(sizes)):
            run = list(range(first, last + 1))
            if not any(origins[dimension] for dimension in run):
                # Nothing is known of them, so only the two under the tile, if half of each row is empty.
                is_left = any(sizes[dimension] > 1 for dimension in outer[:-1])
                if is_left and {*run} == {outer[-1], row} and 2 * sizes[row] <= row_size:
                    yield run
            elif all(_belong_together(context, origins, sizes, pair) for pair in pairwise(run)):
                yield run


def _belong_together(
    context: AdviceContext, origins: Sequence[Origin | None], sizes: Sequence[int], pair: tuple[int, int]
) -> bool:
    """Return whether two dimensions are neighbours in an argument, or parts of one dimension of it."""
    first, second = pair
    outer, inner = origins[first], origins[second]
    if outer is None or inner is None:
        return 1 in (sizes[first], sizes[second])
    if (outer.parameter, outer.leaf) != (inner.parameter, inner.leaf):
        return False
    if outer.dimension != inner.dimension:
        return outer.dimension + 1 == inner.dimension
    parts = prod(size for size, origin in zip(sizes, origins, strict=True) if origin == outer)
    return parts <= context.dimensions.length(outer)


def _left(shape: ArrayShape, run: Sequence[int], tile: Sequence[int]) -> int:
    """Return the elements, with padding, of an array whose dimensions `run` are its rows as one."""
    sizes = [size or 0 for size in shape.dimensions]
    others = [sizes[dimension] for dimension in physical_order(shape) if dimension not in run]
    row = prod(sizes[dimension] for dimension in run)
    if not others:
        return round_up(row, prod(tile))
    rows = others[-(len(tile) - 1) :]
    outer = prod(others[: -(len(tile) - 1)])
    steps = tile[-len(rows) - 1 : -1]
    return outer * prod(map(round_up, rows, steps)) * round_up(row, tile[-1])
