"""The program and the memory space that advice is about, with what several suggestions need, each computed once."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from reportgen.advice.advice_records import ConflictOf
from reportgen.advice.arguments import Argument, Result, arguments, results
from reportgen.advice.batch import Batch, Floor, batch, data, examples, floor, ids, large_values, led, state_of_batch
from reportgen.advice.checkpoint import Checkpoints
from reportgen.advice.donation import Donation, Pair, donate
from reportgen.advice.framework import is_of_jax
from reportgen.advice.memory import Edit, PeakAfter, holdings, memory_of
from reportgen.advice.where import where
from reportgen.analyse.records import Analysis, Space
from reportgen.program.dimensions import Dimensions, Origin
from reportgen.program.opcodes import COPIES
from reportgen.program.scopes import direction

_NEGLIGIBLE_PART = 10_000
"""An argument is not worth donating if it is less than this part of the peak."""

_MOST_COPIES = 50  # because a value may have very many readers


class AdviceContext:
    """A memory space of a dump as it is, or as a donation leaves it."""

    def __init__(
        self, analysis: Analysis, space: Space, donated: Donation | None = None, dimensions: Dimensions | None = None
    ) -> None:
        self.analysis, self.space = analysis, space
        self.program = analysis.program
        self.memory = donated.after if donated else memory_of(analysis, space)
        self._donated_pairs = donated.pairs if donated else ()
        self.checkpoints = Checkpoints(analysis)
        self.dimensions = dimensions or Dimensions(self.program)

    @property
    def above_peak_bytes(self) -> int:
        """Return what the program as it is needs and does not hold at its peak."""
        return self.space.slack_bytes or 0

    @cached_property
    def arguments(self) -> list[Argument]:
        donated = {pair.argument.number for pair in self._donated_pairs}
        return [
            replace(argument, is_donated=True) if argument.number in donated else argument
            for argument in arguments(self.analysis, self.space)
        ]

    @property
    def held_bytes(self) -> int:
        """Return the bytes that the caller passes in."""
        return sum(argument.size_bytes for argument in self.arguments)

    @cached_property
    def results(self) -> list[Result]:
        placed = {pair.result.number for pair in self._donated_pairs}
        return [result for result in results(self.analysis, self.space) if result.number not in placed]

    def donated(self, names: Collection[str]) -> Donation:
        """Return the donation of the arguments that have these names."""
        return self._donate([argument for argument in self.arguments if argument.name in names])

    def _donate(self, arguments: Sequence[Argument]) -> Donation:
        # Of 18 recompiled programs for TPUs with conflicts, 5 saved less for it, and of those for CPU and GPU none.
        return donate(self.memory, arguments, self.results, copies_early=self.analysis.backend == "tpu")

    def conflict(self, pair: Pair) -> ConflictOf | None:
        """Return which instruction keeps a result from taking an argument's place; None where it can."""
        if not pair.is_conflict:
            return None
        return ConflictOf(
            argument=pair.argument.path,
            result=self.program.dump.values.keys[pair.result.number],
            read_at=pair.argument.last_read,
            born_at=pair.result.born,
            read_by=self.program.instruction_at(pair.argument.last_read),
        )

    def described(self, values: Iterable[int]) -> str:
        """Return the shape of the largest of some values, and where it is."""
        sizes = self.program.dump.values.sizes
        return where(self.analysis, max(values, key=lambda number: (sizes[number], -number)))

    @cached_property
    def all_pairs(self) -> Donation:
        return self._donate(self.arguments)

    @cached_property
    def donation(self) -> Donation:
        """Return the donation of all arguments except those whose matching leaves are negligible."""
        sizes: Counter[str] = Counter()
        for pair in self.all_pairs.pairs:
            sizes[pair.argument.name] += pair.result.size_bytes
        least = self.memory.peak.peak_bytes
        return self.donated({name for name, size in sizes.items() if size * _NEGLIGIBLE_PART >= least})

    @cached_property
    def after_donation(self) -> "AdviceContext":
        return AdviceContext(self.analysis, self.space, self.donation, self.dimensions)

    @cached_property
    def floor(self) -> Floor:
        return floor(self.program, self.donation)

    def reordered(self, after: PeakAfter) -> PeakAfter:
        """Return the outcome of a change if nothing waits in the backward pass, where that lowers the peak."""
        if self.checkpoints.boundary is None or after.edit is None:
            return after
        settled = self.memory.together([after.edit, self._without_waiting])
        return min(after, settled, key=lambda outcome: outcome.peak_bytes)

    @cached_property
    def _without_waiting(self) -> Edit:
        return self.checkpoints.without_waiting(self.memory)

    @cached_property
    def large(self) -> Sequence[int]:
        return large_values(self.program, self.memory)

    @cached_property
    def state(self) -> Sequence[Argument]:
        """Return the arguments whose new value the program returns: they are donated, or could be."""
        paired = {pair.argument.number for pair in self.all_pairs.pairs}
        return [argument for argument in self.arguments if argument.is_donated or argument.number in paired]

    def is_read_by_gradient(self, argument: Argument) -> bool:
        """Return whether the forward or the backward pass reads an argument; True where a reader has no name.

        A copy has the name of the argument, or none, so the readers of the copy are asked. What ends a copy makes no
        value, because its start does. An instruction that makes a result is the update, also if a product of the
        backward pass is fused into it.
        """
        waiting = [argument.number]
        for number in waiting:
            for name in self.program.readers_of(number):
                op_name, made = self.program.op_name(name), self.program.dump.made_by.get(name, ())
                if name == self.program.returning or not self._returned.isdisjoint(made):
                    continue
                if not made and self.program.opcode(name) in COPIES:
                    continue
                if op_name in ("", argument.path) and made and len(waiting) < _MOST_COPIES:
                    waiting += [copy for copy in made if copy not in waiting]
                elif op_name in ("", argument.path) or direction(op_name):
                    return True
        return False

    @cached_property
    def _returned(self) -> frozenset[int]:
        """Return the results, and what they are copies of."""
        results = self.program.results.values()
        return frozenset((*results, *map(self.program.root, results)))

    @cached_property
    def data(self) -> frozenset[Origin]:
        batches = data(self._led)
        if not batches and not self.program.has_backward_pass:
            state = {argument.number for argument in self.state}
            others = [argument for argument in self.arguments if argument.number not in state]
            batches = ids(self.dimensions, others)
        return batches | state_of_batch(self.dimensions, self._new_values, batches)

    @property
    def batch_length(self) -> int:
        """Return the size of the batch on each device; 0 where it is unknown."""
        lengths = {self.dimensions.length(origin) for origin in self.data}
        return lengths.pop() if len(lengths) == 1 else 0

    @property
    def batch_words(self) -> str:
        """Return which dimension of the data is the batch: its size, and whose; empty where that is unknown."""
        if not self.batch_length:
            return ""
        path_of = {argument.instruction: argument.path for argument in self.arguments}
        sizes = {origin: size for each in self._led.values() for origin, size in each.items()}
        kept = {argument.instruction for argument in self.state}
        origins = sorted(self.data, key=lambda origin: (origin.parameter in kept, -sizes.get(origin, 0), origin))
        where = " per device" if (self.program.partitions.devices or 1) > 1 else ""
        path = path_of[origins[0].parameter]
        # The number of an argument without a name tells a reader nothing.
        name = "" if path.startswith("argument ") else f", from {path}"
        return f"now {self.batch_length:,}{where}{name}"

    @cached_property
    def _led(self) -> Mapping[str, Mapping[Origin, int]]:
        return led(self.dimensions, self.memory, self.arguments, self.state)

    @cached_property
    def _new_values(self) -> Mapping[int, Argument]:
        """Return the argument that each result is the new value of, which takes its place or could."""
        results = self._returned
        new_values = {pair.result.number: pair.argument for pair in self.all_pairs.pairs}
        for argument in self.arguments:
            if argument.is_donated:
                held = holdings(self.analysis, argument.allocation)
                new_values.update((value.number, argument) for value in held if value.number in results)
        return new_values

    def _held_of_batch_bytes(self, batches: frozenset[Origin]) -> int:
        """Return what arguments hold that have an entry for each example, and results that are their new values."""
        of_batch = {origin.parameter for origin in batches}
        held = [argument for argument in self.arguments if argument.instruction in of_batch]
        results = [result for result in self.results if (old := self._new_values.get(result.number)) and old in held]
        return sum(argument.size_bytes for argument in held) + sum(result.reserved_bytes for result in results)

    @cached_property
    def batch(self) -> Batch | None:
        """Return what follows the batch; None for a program without a backward pass or state."""
        if not (self.program.has_backward_pass or self.state):
            return None
        every = self.data | examples(self.dimensions, self._led, self.data)
        return batch(self.analysis, self.dimensions, self.memory, self.large, every, self._held_of_batch_bytes(every))

    @cached_property
    def has_checkpoints(self) -> bool:
        """Return whether the compiler keeps what a checkpoint computes a second time apart from the first.

        XLA on CPU merged the two, but for loops, until jaxlib 0.11.1, since which allocations have a page; before that
        its `cse_barrier_expander` ran before a pass that merges common subexpressions.
        """
        has_pages = any(allocation.page is not None for allocation in self.analysis.dump.allocations)
        return self.analysis.backend != "cpu" or has_pages

    @cached_property
    def is_jax(self) -> bool:
        """Return whether the program comes from JAX, because only then can the code be named."""
        return any(map(is_of_jax, self.program.op_names))
