"""The program and the memory space that advice is about, with what several moves need, each computed once."""

from collections import Counter
from functools import cached_property

from reportgen.analyse.advice.arguments import Argument, Result, arguments, results
from reportgen.analyse.advice.batch import Batch, Floor, batch, floor
from reportgen.analyse.advice.checkpoint import Checkpoints
from reportgen.analyse.advice.donation import Donation, donate
from reportgen.analyse.advice.memory import memory_of
from reportgen.analyse.advice.packing import Packing, packings
from reportgen.analyse.advice.program import Program
from reportgen.analyse.records import Analysis, Space

_NEGLIGIBLE_PART = 10_000
_FRAMEWORK_PREFIXES = ("jit(", "pjit(", "pmap(")


class Situation:
    """A memory space of a dump as it is."""

    def __init__(self, analysis: Analysis, space: Space) -> None:
        self.analysis, self.space = analysis, space
        self.program = Program(analysis)
        self.memory = memory_of(analysis, space)
        self.checkpoints = Checkpoints(self.program)

    @cached_property
    def arguments(self) -> list[Argument]:
        return arguments(self.program, self.space)

    @cached_property
    def results(self) -> list[Result]:
        return results(self.program, self.space)

    @cached_property
    def all_pairs(self) -> Donation:
        return donate(self.memory, self.arguments, self.results)

    @cached_property
    def donation(self) -> Donation:
        """The donation of all arguments but those whose matching leaves are next to nothing."""
        sizes: Counter[str] = Counter()
        for pair in self.all_pairs.pairs:
            sizes[pair.argument.name] += pair.result.size_bytes
        worth = {name for name, size in sizes.items() if size * _NEGLIGIBLE_PART >= self.memory.peak.peak_bytes}
        return donate(self.memory, [a for a in self.arguments if a.name in worth], self.results)

    @cached_property
    def floor(self) -> Floor:
        return floor(self.program, self.donation)

    @cached_property
    def batch(self) -> Batch | None:
        return batch(self.program, self.memory, self.arguments, self.donation)

    @cached_property
    def packings(self) -> list[Packing]:
        return packings(self.analysis, self.space, self.memory)

    @cached_property
    def is_jax(self) -> bool:
        """Whether the program comes from JAX, whose code can be named."""
        names = self.program.dump.schedule.names
        return any(self.program.op_name(name).startswith(_FRAMEWORK_PREFIXES) for name in names)
