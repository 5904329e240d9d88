"""Compute how the peak follows the size of the batch, and what no change of order can go below.

An array follows the batch if one of its dimensions comes from the data that the caller passes in, or has the size of
what does, which `program.dimensions` traces through the instructions; its sizes say nothing. So the peak for a batch
`f` times as large is `static + max(W + f·A)`, W and A being the two parts of the temporaries at each moment. On a TPU,
what no longer fits into VMEM comes to HBM.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from math import prod

from reportgen.advice.arguments import Argument
from reportgen.advice.donation import Donation
from reportgen.advice.memory import Edit, Held, Memory, PeakAfter, total_over_time
from reportgen.analyse.records import VMEM, Analysis
from reportgen.program.dimensions import Dimensions, Origin
from reportgen.program.opcodes import NAMES_ONLY
from reportgen.program.places import Leaf
from reportgen.program.program import Program
from reportgen.record import record

_SMALL_PART = 2000
"""What is less than this part of the peak is not traced, and counted as if it kept its size."""

_RARE_PART = 10
"""Dimensions that less than this part of the data's bytes begin with are none of the batch."""

_LONGEST_KEY = 4
"""No data has as few elements as the key of a random generator."""

_LEAST_PART = 100
"""The batch is not worth naming if less than this part of the peak follows it."""


@record(slots=False, kw_only=False)
class Batch:
    """The temporaries that follow the batch, the `fixed` ones over time, and what is live in VMEM beside it on a TPU.

    `scaled_bytes` of `static_bytes` follow the batch: data, and state with an entry for each example, as a cache of
    keys and values. `values` are those at the peak that follow it.
    """

    static_bytes: int
    scaled_bytes: int
    fixed: Sequence[int]
    following: Memory
    vmem: Sequence[int]
    values: tuple[int, ...]

    def peak(self, factor: float) -> PeakAfter:
        """Return the peak for a batch `factor` times as large."""
        return PeakAfter.of(partial(self._curve, factor))

    def _curve(self, factor: float) -> list[int]:
        static_bytes = self.static_bytes + round((factor - 1) * self.scaled_bytes)
        return [
            static_bytes + max(0, round(fixed + factor * scaled + (factor - 1) * vmem))
            for fixed, scaled, vmem in zip(self.fixed, self.following.curve, self.vmem, strict=True)
        ]

    def peak_after(self, memory: Memory, edits: Sequence[Edit], factor: float) -> PeakAfter:
        """Return the peak of a space after some edits, with a batch `factor` times as large."""
        return PeakAfter.of(partial(self._curve_after, memory, edits, factor))

    def _curve_after(self, memory: Memory, edits: Sequence[Edit], factor: float) -> list[int]:
        """Scale what the edits leave of the temporaries that follow the batch, and what they add."""
        known = self.following.temps
        of_batch = (
            Edit(
                {number: stretches for number, stretches in edit.cuts.items() if number in known},
                edit.more,
                {number: size_bytes for number, size_bytes in edit.less.items() if number in known},
            )
            for edit in edits
        )
        following = self.following.together(of_batch).curve()
        return [
            max(0, amount + round((factor - 1) * (self.scaled_bytes + scaled + vmem)))
            for amount, scaled, vmem in zip(memory.together(edits).curve(), following, self.vmem, strict=True)
        ]

    def largest(self, available_bytes: int) -> float | None:
        """Return the largest factor whose peak fits; None where no batch does, or where every batch does."""
        left_bytes = available_bytes - self.static_bytes + self.scaled_bytes
        fits = [
            (left_bytes - fixed + vmem) / (self.scaled_bytes + scaled + vmem)
            for fixed, scaled, vmem in zip(self.fixed, self.following.curve, self.vmem, strict=True)
            if self.scaled_bytes + scaled + vmem
        ]
        least = min(fits, default=-1.0)
        return least if least > 0 and max(self.fixed) <= left_bytes else None


def batch(
    analysis: Analysis,
    dimensions: Dimensions,
    memory: Memory,
    large: Sequence[int],
    data: frozenset[Origin],
    scaled_bytes: int,
) -> Batch | None:
    """Split a space into what follows the batch and what does not; None where nothing is known to follow it."""
    following = {number for number in large if data and dimensions.leads_to(number, data)}
    scaled: list[Sequence[Held]] = []
    fixed: list[Sequence[Held]] = []
    for part in memory.parts:
        (scaled if any(held.number in following for held in part) else fixed).append(part)
    at_peak = [held for part in scaled for held in part if held.first <= memory.peak.moment <= held.last]
    if (scaled_bytes + sum(held.size_bytes for held in at_peak)) * _LEAST_PART < memory.peak.peak_bytes:
        return None
    return Batch(
        static_bytes=memory.static_bytes,
        scaled_bytes=scaled_bytes,
        fixed=total_over_time(fixed, memory.moments),
        following=replace(memory, static_bytes=0, temps=_by_number(scaled), before=None, added=()),
        vmem=_vmem(analysis, memory.moments),
        values=tuple(held.number for held in at_peak),
    )


def _by_number(parts: Iterable[Sequence[Held]]) -> Mapping[int, Held]:
    return {held.number: held for part in parts for held in part}


def large_values(program: Program, memory: Memory) -> Sequence[int]:
    """Return the temporaries that are worth tracing."""
    return [
        number
        for number, held in memory.temps.items()
        if number >= 0 and held.size_bytes * _SMALL_PART >= memory.peak.peak_bytes and not program.is_table(number)
    ]


def led(
    dimensions: Dimensions, memory: Memory, arguments: Sequence[Argument], state: Sequence[Argument]
) -> Mapping[str, Mapping[Origin, int]]:
    """Return the bytes at the peak that begin with each dimension of the data, by the name of its argument.

    Data is no state of the program, which is donated, or could be. It is told from weights by what begins with it:
    that has dimensions of other arguments as well, or there is no other argument that is an array and no state, or it
    has more elements than the argument, as what a loop saves of it in each step. An argument that is gathered from
    several devices has more elements, too, and all of its own dimensions. The gradient of a weight has the
    weight's shape and begins with features of the data, which are not its first dimension.
    """
    by_instruction = {argument.instruction: argument for argument in arguments}
    kept = {argument.instruction for argument in state}
    shapes_of_state = {tuple(sorted(dimensions.sizes(argument.number))) for argument in state}
    free = [argument for argument in arguments if argument.instruction not in kept]
    arrays = {argument.name for argument in free if prod(dimensions.sizes(argument.number)) > _LONGEST_KEY}
    sizes: defaultdict[str, Counter[Origin]] = defaultdict(Counter)
    for number in memory.at_peak:
        size = memory.temps[number].size_bytes
        if number < 0 or size * _SMALL_PART < memory.peak.peak_bytes:
            continue
        origins = [origin for origin in dimensions.onward(number) if origin and origin.parameter in by_instruction]
        names = [by_instruction[origin.parameter].name for origin in origins]
        if not origins or origins[0].parameter in kept:
            continue
        leading = origins[0]
        if leading.dimension and tuple(sorted(dimensions.sizes(number))) in shapes_of_state:
            continue
        argument = by_instruction[leading.parameter].number
        own = dimensions.sizes(argument)
        is_larger = bool(own) and prod(dimensions.sizes(number)) > prod(own)
        is_made = is_larger and Counter(dimensions.onward(number)) != Counter(dimensions.own(argument))
        if len(set(names)) > 1 or set(names) == arrays or is_made:
            sizes[names[0]][leading] += size
    return sizes


def data(by_argument: Mapping[str, Mapping[Origin, int]]) -> frozenset[Origin]:
    """Return the dimensions of the argument that most bytes at the peak begin with, one of each of its arrays."""
    most = max(by_argument, key=lambda name: (sum(by_argument[name].values()), name), default="")
    sizes = by_argument.get(most, {})
    first: dict[tuple[str, Leaf], Origin] = {}
    for origin in sorted(sizes, key=lambda origin: (-sizes[origin], origin)):
        first.setdefault((origin.parameter, origin.leaf), origin)
    return _often({origin: sizes[origin] for origin in first.values()}, sizes)


def examples(
    dimensions: Dimensions, by_argument: Mapping[str, Mapping[Origin, int]], batches: frozenset[Origin]
) -> frozenset[Origin]:
    """Return the same dimension of other data that has as many examples."""
    lengths = {(origin.dimension, dimensions.length(origin)) for origin in batches}
    every = {origin: size for each in by_argument.values() for origin, size in each.items()}
    most = {origin: size for origin, size in every.items() if origin in batches}
    return frozenset(
        origin for origin in _often(every, most) if (origin.dimension, dimensions.length(origin)) in lengths
    )


def _often(sizes: Mapping[Origin, int], compared: Mapping[Origin, int]) -> frozenset[Origin]:
    least = sum(compared.values())
    return frozenset(origin for origin, size in sizes.items() if size * _RARE_PART >= least)


def ids(dimensions: Dimensions, arguments: Sequence[Argument]) -> frozenset[Origin]:
    """Return the leading dimensions of arguments that may name tokens."""
    whole = [argument for argument in arguments if argument.is_ids]
    return frozenset(origin for argument in whole for origin in dimensions.own(argument.number)[:1])


def state_of_batch(
    dimensions: Dimensions, new_values: Mapping[int, Argument], batches: frozenset[Origin]
) -> frozenset[Origin]:
    """Return the dimensions of state that has an entry for each example: its new value is made of examples there."""
    lengths = {dimensions.length(origin) for origin in batches}
    dimensions_of_state: set[Origin] = set()
    for number, argument in new_values.items():
        if lengths.intersection(dimensions.sizes(number)):
            follow = zip(dimensions.own(argument.number), dimensions.follow(number, batches), strict=False)
            dimensions_of_state.update(
                own for own, origin in follow if origin and dimensions.length(own) == dimensions.length(origin)
            )
    return frozenset(dimensions_of_state)


def _vmem(analysis: Analysis, moments: int) -> list[int]:
    space = analysis.spaces.get(VMEM)
    if analysis.backend != "tpu" or space is None or space.live is None:
        return [0] * moments
    return list(space.live.at_each(range(moments)))


@record(kw_only=False)
class Floor:
    """What order, recomputation, offload and donation together cannot go below, and the moment that asks for it."""

    size_bytes: int
    moment: int


def floor(program: Program, donation: Donation) -> Floor:
    """Return the bound: what the caller holds, and what one instruction reads and writes at once.

    An instruction may write in place of an operand of equal size, so of each size the larger of both counts. What only
    suggestions or names bytes is left out, and so is what a loop carries.
    """
    memory, phis = donation.before, program.dump.values.phis
    carried = {held.number for part in memory.parts if any(phis[held.number] for held in part) for held in part}
    # Each use is one number: its moment, its size, and whether it writes; tuples would take twice the memory.
    span = 2 * (1 + max((held.size_bytes for held in memory.temps.values()), default=0))
    uses: list[int] = []
    for number, held in memory.temps.items():
        if number in carried or program.is_table(number):
            continue
        size = 2 * held.size_bytes
        uses.append(held.first * span + size + 1)
        uses += (moment * span + size for moment in program.reads(number) if moment <= held.last)
    uses.sort()
    most, at = 0, 0
    for moment, of_moment in groupby(uses, lambda use: use // span):
        needed = _at_once(use % span for use in of_moment)
        if needed > most and program.opcode(program.instruction_at(moment)) not in NAMES_ONLY:
            most, at = needed, moment
    return Floor(donation.after.static_bytes + most, at)


def _at_once(uses: Iterable[int]) -> int:
    """Return the bytes that one instruction needs at once; a use is twice its size, and one more where it writes."""
    sizes: tuple[list[int], list[int]] = ([], [])
    for use in uses:
        sizes[use & 1].append(use >> 1)
    read, written = sizes
    shared = (Counter(read) & Counter(written)).elements() if read and written else ()
    return sum(read) + sum(written) - sum(shared)
