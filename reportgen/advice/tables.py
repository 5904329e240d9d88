"""Tabulate what the caller passes in and gets back: whether each argument can be donated, and where results go."""

from collections import defaultdict
from collections.abc import Iterator

from reportgen.advice.advice_records import ArgumentGroup, Returned, State
from reportgen.advice.arguments import Argument
from reportgen.advice.context import AdviceContext


def argument_groups(context: AdviceContext) -> Iterator[ArgumentGroup]:
    """Yield the leaves of each argument by what keeps them from being donated, in the order of the arguments."""
    paired = {pair.result.number for pair in context.all_pairs.pairs}
    free_sizes = {result.size_bytes for result in context.results if result.number not in paired}
    groups: defaultdict[tuple[str, State], list[Argument]] = defaultdict(list)
    for argument, state in states(context):
        groups[argument.name, state].append(argument)
    for (name, state), leaves in groups.items():
        near_misses = [leaf for leaf in leaves if state == "no result" and leaf.size_bytes in free_sizes]
        conflicts = (pair for pair in context.all_pairs.conflicts if pair.argument.name == name)
        yield ArgumentGroup(
            name=name,
            state=state,
            size_bytes=sum(leaf.size_bytes for leaf in leaves),
            leaves=len(leaves),
            near_miss_bytes=sum(leaf.size_bytes for leaf in near_misses),
            conflict=next(map(context.conflict, conflicts), None) if state == "conflict" else None,
        )


def states(context: AdviceContext) -> Iterator[tuple[Argument, State]]:
    """Yield each argument with what keeps it from being donated."""
    pair_of = {pair.argument.number: pair for pair in context.all_pairs.pairs}
    shapes = {(result.shape, result.size_bytes) for result in context.results}
    for argument in context.arguments:
        pair = pair_of.get(argument.number)
        if argument.is_donated:
            yield argument, "donated"
        elif pair:
            yield argument, "conflict" if pair.is_conflict else "can"
        else:
            yield argument, "surplus" if (argument.shape, argument.size_bytes) in shapes else "no result"


def returned(context: AdviceContext) -> Iterator[Returned]:
    """Yield what the program returns in memory of its own, in its order, with the argument of each result's shape."""
    pair_of = {pair.result.number: pair for pair in context.all_pairs.pairs}
    for result in context.results:
        pair = pair_of.get(result.number)
        yield Returned(
            number=result.number,
            leaf=result.leaf,
            shape=result.shape,
            size_bytes=result.size_bytes,
            scratch_bytes=sum(held.size_bytes for held in result.scratch),
            argument=pair.argument.path if pair else "",
            conflict=context.conflict(pair) if pair else None,
        )
