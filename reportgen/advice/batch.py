"""Compute how the peak follows the size of the batch, and what no change of order can go below.

Arrays shaped like the program's state (parameters, optimizer) keep their size when the batch grows; all others grow
with it. So the peak for a batch `f` times as large is `static + max(W + f·A)`, W and A being the two parts of the
temporaries at each moment. On a TPU, what no longer fits into VMEM comes to HBM.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from reportgen.advice.arguments import Argument
from reportgen.advice.donation import Donation
from reportgen.advice.memory import Held, Memory, PeakAfter, total_over_time
from reportgen.analyse.records import VMEM, Analysis
from reportgen.program.opcodes import NAMES_ONLY
from reportgen.program.program import Program

_ENOUGH_STATE = 5
"""State is few arguments if it is less than this part of their bytes."""


@dataclass(frozen=True)
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


def batch(analysis: Analysis, memory: Memory, arguments: Sequence[Argument], donation: Donation) -> Batch | None:
    """Split a space into what follows the batch and what does not; None for a program without state.

    State are the arguments that are donated or could be; where these are few, all arguments of a training step count.
    """
    program = analysis.program
    state = [argument for argument in arguments if argument.is_donated]
    state += [pair.argument for pair in donation.pairs]
    all_bytes = sum(argument.size_bytes for argument in arguments)
    if sum(argument.size_bytes for argument in state) * _ENOUGH_STATE < all_bytes:
        if not program.has_backward_pass:
            return None
        state = list(arguments)
    dimensions = {program.dimensions(argument.number) for argument in state}
    fixed: list[Sequence[Held]] = []
    scaled: list[Sequence[Held]] = []
    for part in memory.parts:
        is_fixed = any(_is_fixed(program, held, dimensions) for held in part)
        (fixed if is_fixed else scaled).append(part)
    if not scaled:
        return None
    return Batch(
        static_bytes=memory.static_bytes,
        fixed=total_over_time(fixed, memory.moments),
        scaled=total_over_time(scaled, memory.moments),
        vmem=_vmem(analysis, memory.moments),
        values=tuple(held.number for part in scaled for held in part if held.first <= memory.peak.moment <= held.last),
    )


def _is_fixed(program: Program, held: Held, dimensions: set[tuple[str, ...]]) -> bool:
    number = held.number if held.number >= 0 else -1 - held.number
    return program.is_table(number) or program.dimensions(number) in dimensions


def _vmem(analysis: Analysis, moments: int) -> list[int]:
    space = analysis.spaces.get(VMEM)
    if analysis.backend != "tpu" or space is None or space.live is None:
        return [0] * moments
    return list(space.live.at_each(range(moments)))


@dataclass(frozen=True, slots=True)
class Floor:
    """What order, recomputation, offload and donation together cannot go below, and the moment that asks for it."""

    size_bytes: int
    moment: int


def floor(program: Program, donation: Donation) -> Floor:
    """Return the bound: what the caller holds, and what one instruction reads and writes at once.

    An instruction may write in place of an operand of equal size, so of each size the larger of both counts. What only
    moves or names bytes is left out, and so is what a loop carries.
    """
    reads: defaultdict[int, Counter[int]] = defaultdict(Counter)
    writes: defaultdict[int, Counter[int]] = defaultdict(Counter)
    memory, phis = donation.before, program.dump.values.phis
    carried = {held.number for part in memory.parts if any(phis[held.number] for held in part) for held in part}
    for number, held in memory.temps.items():
        if number in carried or program.is_table(number):
            continue
        writes[held.first][held.size_bytes] += 1
        for moment in program.reads(number):
            if moment <= held.last:
                reads[moment][held.size_bytes] += 1
    needed = {
        moment: sum(size * count for size, count in (reads[moment] | writes[moment]).items())
        for moment in {*reads, *writes}
    }
    for moment in sorted(needed, key=lambda moment: (-needed[moment], moment)):
        if program.opcode(program.instruction_at(moment)) not in NAMES_ONLY:
            return Floor(donation.after.static_bytes + needed[moment], moment)
    return Floor(donation.after.static_bytes, 0)
