"""Find attention that materialises its scores, and what comes instead of them.

Scores have the length of a sequence twice, or those of two sequences where one attends to another, and an exponential
makes or reads them. What loops over blocks of queries never holds them all, but its backward pass adds the gradients of
keys and values up, from zeros. A loop over layers reuses that memory; layers that the program repeats without a loop
may have it once each: of five such programs the compiler made room for all of them at once in three.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property

from reportgen.advice.checkpoint import Array
from reportgen.advice.context import AdviceContext
from reportgen.analyse.sizes import printed_bytes
from reportgen.parse.shape_parser import plain_shape
from reportgen.program.dimensions import Origin
from reportgen.program.scopes import original_of, pattern

_LEAST_SEQUENCE = 128

_PRODUCTS = ("dot", "convolution", "custom-call")

_PASSED_ON = ("get-tuple-element", "parameter", "while")
"""What a loop makes of a stack that its body writes."""


class Attention:
    """The attention of one memory space."""

    def __init__(self, context: AdviceContext) -> None:
        self._context = context
        self._program, self._memory = context.program, context.memory

    @cached_property
    def scores(self) -> Sequence[int]:
        """Return the temporaries that hold scores, as far as their dimensions are traced."""
        exponentiated = {self._pairs[number] for number in self._exponentiated}
        return [number for number, pair in self._pairs.items() if pair in exponentiated]

    @cached_property
    def _pairs(self) -> Mapping[int, tuple[Origin, Origin]]:
        return {number: pair for number in self._context.large if (pair := self._pair(number))}

    @cached_property
    def _exponentiated(self) -> Sequence[int]:
        return list(filter(self._is_exponentiated, self._pairs))

    @cached_property
    def with_gradients(self) -> Sequence[int]:
        """Return the scores and their gradients, which are not traced everywhere, and have their shape."""
        shapes = set(map(self._program.dimensions, self.scores))
        return [number for number in self._context.large if self._program.dimensions(number) in shapes]

    @cached_property
    def kept_with(self) -> Sequence[int]:
        """Return what the functions of the user's program that make the scores make, and keep for the backward pass."""
        return [number for number in self._context.large if self._functions([number]) & self._functions(self.scores)]

    @property
    def heads(self) -> int:
        return max((self._context.dimensions.sizes(number)[-3] for number in self.scores), default=1)

    @cached_property
    def repetitions(self) -> int:
        """Return how often the program itself repeats attention: one for layers in a loop."""
        module = self._program.module
        times: Counter[tuple[str, str, str]] = Counter()
        for number in {self._program.root(number) for number in self._exponentiated}:
            name, scope = self._program.dump.values.names[number], self._context.analysis.authors.of(number).scope
            if scope and not original_of(name) and self._program.opcode(name) not in _PASSED_ON:
                computation = module.computation_of.get(name, "") if module else ""
                times[computation, self._program.shape(number), pattern(scope)] += 1
        return max(times.values(), default=1)

    @property
    def carried_bytes(self) -> int:
        """Return what the gradients of keys and values take that the backward pass of one layer in blocks adds up.

        They are as large as the queries, keys and values whose products the scores are. A kernel holds none of them.
        """
        if not self._program.has_backward_pass or self._context.analysis.backend == "gpu":
            return 0
        return 2 * max(map(printed_bytes, self._multiplied()), default=0)

    def _multiplied(self) -> Iterator[str]:
        """Yield the shapes of what is multiplied where scores or their gradients are made, perhaps inside a fusion."""
        program, dimensions = self._program, self._context.dimensions
        lengths = {tuple(dimensions.sizes(number)[-2:]) for number in self.scores}
        names = dict.fromkeys(program.dump.values.names[number] for number in self.with_gradients)
        around = (name for name in names if program.opcode(name) != "while")
        for product in (dot for name in around for opcode in _PRODUCTS for dot in program.runs(name, opcode)):
            instruction = program.instruction(product)
            operands = map(program.instruction, instruction.operands[:2] if instruction else ())
            shapes = [operand.shape for operand in operands if operand]
            made = [length for length in lengths if instruction and _has(instruction.shape, length)]
            if any(not any(_has(shape, length) for shape in shapes) for length in made):
                yield from shapes

    @cached_property
    def kept(self) -> Sequence[Array]:
        """Return the scores that several layers keep for the backward pass, and a checkpoint of attention would not.

        There are none in a loop over layers, whose stacks are one array each.
        """
        if self.repetitions == 1 or self._context.analysis.backend == "gpu" or not self._context.has_checkpoints:
            return ()
        scores = set(self.scores)
        arrays = self._context.checkpoints.arrays(self._memory)
        return [array for array in arrays if array.is_forward and not scores.isdisjoint(array.values)]

    def _pair(self, number: int) -> tuple[Origin, Origin] | None:
        """Return where the last two dimensions of a value come from, if it has those of scores."""
        sizes = self._context.dimensions.sizes(number)
        if len(sizes) < 3 or min(sizes[-2:]) < _LEAST_SEQUENCE:
            return None
        queries, keys = self._context.dimensions.of(number)[-2:]
        if queries is None or keys is None:
            return None
        # Of one sequence a part of another size is a block, which is what is to be advised.
        is_itself = queries == keys and sizes[-2] == sizes[-1]
        is_other = queries.parameter != keys.parameter and self._is_data(queries) and self._is_data(keys)
        return (queries, keys) if is_itself or is_other else None

    def _is_data(self, origin: Origin) -> bool:
        return origin.parameter in self._data

    @cached_property
    def _data(self) -> Set[str]:
        """Return the arguments that are data: the largest, and all integers that are no state."""
        state = {argument.instruction for argument in self._context.state}
        own = {argument.instruction for argument in self._context.arguments if argument.is_ids} - state
        if not self._program.has_backward_pass:
            own |= state
        return own | {origin.parameter for origin in self._context.data}

    def _is_exponentiated(self, number: int) -> bool:
        """Return whether what makes or reads a value computes an exponential, perhaps inside a fusion.

        In a checkpoint the names at the peak are those of the products around the softmax alone.
        """
        names = (self._program.dump.values.names[number], *self._program.readers_of(number))
        return any(True for name in names for _ in self._program.runs(name, "exponential"))

    def _functions(self, numbers: Iterable[int]) -> Set[tuple[str, str]]:
        """Return the functions of the user's program that make some values, by name and file."""
        authors = self._context.analysis.authors
        frames = (authors.of(number).frame for number in numbers)
        return {(frame.function, frame.file) for frame in frames if frame and frame.function}


def _has(shape: str, lengths: Iterable[int]) -> bool:
    """Return whether an array has dimensions of some lengths."""
    sizes = Counter(plain_shape(shape).partition("[")[2].rstrip("]").split(","))
    return not Counter(map(str, lengths)) - sizes
