"""Compute how the peak follows the size of the batch, and what no change of order can go below.

An array follows the batch if one of its dimensions comes from the data that the caller passes in, which
`program.dimensions` traces through the instructions; its sizes say nothing. So the peak for a batch `f` times as large
is `static + max(W + f·A)`, W and A being the two parts of the temporaries at each moment. On a TPU, what no longer fits
into VMEM comes to HBM.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby

from reportgen.advice.arguments import Argument
from reportgen.advice.donation import Donation
from reportgen.advice.memory import Held, Memory, PeakAfter, total_over_time
from reportgen.analyse.records import VMEM, Analysis
from reportgen.program.dimensions import Dimensions, Origin
from reportgen.program.opcodes import NAMES_ONLY
from reportgen.program.program import Program
from reportgen.record import record

_SMALL_PART = 2000
"""What is less than this part of the peak is not traced, and counted as if it kept its size."""

_RARE_PART = 10
"""Dimensions that less than this part of the data's bytes begin with are none of the batch."""

_LEAST_PART = 100
"""The batch is not worth naming if less than this part of the peak follows it."""


@record(slots=False, kw_only=False)
class Batch:
    """The parts of a space's temporaries over time, `fixed` and `scaled`, and what is live in VMEM beside it on a TPU.

    `values` are those at the peak that follow the batch.
    """

    static_bytes: int
    fixed: Sequence[int]
    scaled: Sequence[int]
    vmem: Sequence[int]
    values: tuple[int, ...]

    def peak(self, factor: float) -> PeakAfter:
        """Return the peak for a batch `factor` times as large."""
        return PeakAfter.of(partial(self._curve, factor))

    def _curve(self, factor: float) -> list[int]:
        return [
            self.static_bytes + max(0, round(fixed + factor * scaled + (factor - 1) * vmem))
            for fixed, scaled, vmem in zip(self.fixed, self.scaled, self.vmem, strict=True)
        ]

    def largest(self, available_bytes: int) -> float | None:
        """Return the largest factor whose peak fits; None where no batch does, or where every batch does."""
        fits = [
            (available_bytes - self.static_bytes - fixed + vmem) / (scaled + vmem)
            for fixed, scaled, vmem in zip(self.fixed, self.scaled, self.vmem, strict=True)
            if scaled + vmem
        ]
        least = min(fits, default=-1.0)
        return least if least > 0 and self.static_bytes + max(self.fixed) <= available_bytes else None


def batch(
    analysis: Analysis, dimensions: Dimensions, memory: Memory, large: Sequence[int], data: frozenset[Origin]
) -> Batch | None:
    """Split a space into what follows the batch and what does not; None where nothing is known to follow it."""
    following = {number for number in large if data and dimensions.come_from(number, data)}
    scaled: list[Sequence[Held]] = []
    fixed: list[Sequence[Held]] = []
    for part in memory.parts:
        (scaled if any(held.number in following for held in part) else fixed).append(part)
    at_peak = [held for part in scaled for held in part if held.first <= memory.peak.moment <= held.last]
    if sum(held.size_bytes for held in at_peak) * _LEAST_PART < memory.peak.peak_bytes:
        return None
    return Batch(
        static_bytes=memory.static_bytes,
        fixed=total_over_time(fixed, memory.moments),
        scaled=total_over_time(scaled, memory.moments),
        vmem=_vmem(analysis, memory.moments),
        values=tuple(held.number for held in at_peak),
    )


def large_values(program: Program, memory: Memory) -> Sequence[int]:
    """Return the temporaries that are worth tracing."""
    return [
        number
        for number, held in memory.temps.items()
        if number >= 0 and held.size_bytes * _SMALL_PART >= memory.peak.peak_bytes and not program.is_table(number)
    ]


def data(
    dimensions: Dimensions, memory: Memory, arguments: Sequence[Argument], state: Sequence[Argument]
) -> frozenset[Origin]:
    """Return the dimensions of the batch: those of the argument that most bytes at the peak begin with.

    That is no argument of the program's state, which is donated, or could be.
    """
    kept = {argument.instruction for argument in state}
    name_of = {argument.instruction: argument.name for argument in arguments if argument.instruction not in kept}
    sizes: Counter[str] = Counter()
    found: defaultdict[str, Counter[Origin]] = defaultdict(Counter)
    for number in memory.at_peak:
        size = memory.temps[number].size_bytes
        origin = _first(dimensions, number) if number >= 0 and size * _SMALL_PART >= memory.peak.peak_bytes else None
        if origin and (name := name_of.get(origin.parameter)):
            sizes[name] += size
            found[name][origin] += size
    most = max(sizes, key=lambda name: (sizes[name], name), default="")
    return frozenset(origin for origin, size in found[most].items() if size * _RARE_PART >= sizes[most])


def _first(dimensions: Dimensions, number: int) -> Origin | None:
    """Return where the first dimension comes from of which that is known."""
    return next(filter(None, dimensions.of(number)), None)


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
    moves or names bytes is left out, and so is what a loop carries.
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
