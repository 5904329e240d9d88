"""Hold the program and the memory space that advice is about, with what several moves need, each computed once."""

from collections import Counter
from collections.abc import Collection
from functools import cached_property

from reportgen.advice.advice_records import ConflictOf
from reportgen.advice.arguments import Argument, Result, arguments, results
from reportgen.advice.batch import Batch, Floor, batch, floor
from reportgen.advice.checkpoint import Checkpoints
from reportgen.advice.donation import Donation, Pair, donate
from reportgen.advice.memory import memory_of
from reportgen.analyse.records import Analysis, Space

_NEGLIGIBLE_PART = 10_000
"""An argument is not worth donating if it is less than this part of the peak."""

_FRAMEWORK_PREFIXES = ("jit(", "pjit(", "pmap(")


class Situation:
    """A memory space of a dump as it is."""

    def __init__(self, analysis: Analysis, space: Space) -> None:
        self.analysis, self.space = analysis, space
        self.program = analysis.program
        self.memory = memory_of(analysis, space)
        self.checkpoints = Checkpoints(analysis)

    @cached_property
    def arguments(self) -> list[Argument]:
        return arguments(self.analysis, self.space)

    @cached_property
    def results(self) -> list[Result]:
        return results(self.analysis, self.space)

    def donated(self, names: Collection[str]) -> Donation:
        """Return the donation of the arguments that have these names."""
        return donate(self.memory, [one for one in self.arguments if one.name in names], self.results)

    def conflict(self, pair: Pair) -> ConflictOf | None:
        """Return which instruction keeps a result from taking an argument's place; None where it can."""
        if not pair.is_conflict:
            return None
        return ConflictOf(
            argument=pair.argument.path,
            result=self.program.dump.values.keys[pair.result.number],
            read_at=pair.argument.last_read,
            born_at=pair.result.born,
            reader=self.program.instruction_at(pair.argument.last_read),
        )

    @cached_property
    def all_pairs(self) -> Donation:
        return donate(self.memory, self.arguments, self.results)

    @cached_property
    def donation(self) -> Donation:
        """Return the donation of all arguments except those whose matching leaves are negligible."""
        sizes: Counter[str] = Counter()
        for pair in self.all_pairs.pairs:
            sizes[pair.argument.name] += pair.result.size_bytes
        least = self.memory.peak.peak_bytes
        return self.donated({name for name, size in sizes.items() if size * _NEGLIGIBLE_PART >= least})

    @cached_property
    def floor(self) -> Floor:
        return floor(self.program, self.donation)

    @cached_property
    def batch(self) -> Batch | None:
        return batch(self.analysis, self.memory, self.arguments, self.donation)

    @cached_property
    def is_jax(self) -> bool:
        """Return whether the program comes from JAX, because only then can the code be named."""
        names = self.program.dump.schedule.names
        return any(self.program.op_name(name).startswith(_FRAMEWORK_PREFIXES) for name in names)
