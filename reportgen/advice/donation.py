"""Donate arguments: let results take the place of arguments that are no longer needed.

A result can take an argument's place if both have one element type, one shape and one size. What that saves is not
the sum of those sizes, because the allocation of the result was put to other uses:

* values that use it as *scratch* before the argument is free need other bytes, and move there as a whole;
* a result that is written while the argument is still read is a *conflict*: XLA copies it, so both are held
  from the first write of the result to the last read of the argument. On a TPU it may copy it earlier, and hold both
  so long.

So the dump is changed in memory, and its peak asked for again. Pairs follow JAX: each result in turn takes the first
donated argument that is equal.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from reportgen.advice.arguments import Argument, Result
from reportgen.advice.memory import Held, Memory
from reportgen.record import record


@record(kw_only=False)
class Pair:
    """A result and the argument whose place it takes."""

    argument: Argument
    result: Result

    @property
    def is_conflict(self) -> bool:
        """Return whether the result is written while the argument is still read."""
        return self.argument.last_read > self.result.born


@record(slots=False, kw_only=False)
class Donation:
    """What donating does to a space; `after` is the space as it would be.

    `at_worst` is the space if the arguments that cannot share are copied at once.
    """

    pairs: tuple[Pair, ...]
    before: Memory
    after: Memory
    at_worst: Memory
    scratch_bytes: int

    @property
    def matching_bytes(self) -> int:
        return sum(pair.result.size_bytes for pair in self.pairs)

    @cached_property
    def conflicts(self) -> tuple[Pair, ...]:
        """Return the pairs that cannot share, the largest first."""
        pairs = [pair for pair in self.pairs if pair.is_conflict]
        return tuple(sorted(pairs, key=lambda pair: (-pair.result.size_bytes, pair.result.leaf)))

    @property
    def conflict_bytes(self) -> int:
        return sum(pair.result.size_bytes for pair in self.conflicts)


def donate(memory: Memory, arguments: Sequence[Argument], results: Sequence[Result], *, copies_early: bool) -> Donation:
    """Return what happens when `arguments` are donated; those that are donated already are passed over.

    `copies_early` says whether the compiler may copy at once what cannot share.
    """
    pairs = pair_up(arguments, results)
    if not pairs:
        return Donation((), memory, memory, memory, 0)
    moved = [held for pair in pairs for held in pair.result.scratch if held.first <= pair.argument.last_read]
    free = [held._replace(allocation=("moved", held.allocation)) for held in moved]
    copies = [_copy(pair) for pair in pairs if pair.is_conflict]
    static = memory.static_bytes - sum(pair.result.reserved_bytes for pair in pairs)
    after = memory.changed(static_bytes=static, added=[*free, *copies])
    early = [copy._replace(first=0) for copy in copies]
    at_worst = memory.changed(static_bytes=static, added=[*free, *early]) if copies and copies_early else after
    return Donation(tuple(pairs), memory, after, at_worst, sum(held.size_bytes for held in moved))


def pair_up(arguments: Sequence[Argument], results: Sequence[Result]) -> list[Pair]:
    """Give each result the first equal argument that has none yet, as JAX does."""
    free: defaultdict[tuple[str, int], list[Argument]] = defaultdict(list)
    for argument in arguments:
        if not argument.is_donated and argument.size_bytes:
            free[argument.shape, argument.size_bytes].append(argument)
    pairs = []
    for result in results:
        equal = free[result.shape, result.size_bytes]
        if equal:
            pairs.append(Pair(equal.pop(0), result))
    return pairs


def _copy(pair: Pair) -> Held:
    """Return the argument's content, held beside the result until its last read. Copies have negative numbers."""
    result = pair.result
    number = -1 - result.number
    return Held(number, ("copy", result.number), result.born, pair.argument.last_read, 0, result.size_bytes)
