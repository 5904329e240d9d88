"""Trace a dimension of an array back to the dimension of an argument that it comes from.

Whether an array grows with the batch, or has the length of the sequence twice, cannot be read off its sizes: a batch
of 8 and 8 heads look alike. So each dimension is followed through the instructions, as their semantics in XLA say,
until it arrives at an argument. It may end before: at a constant, an iota, or an unknown instruction.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from math import prod
from typing import NamedTuple

from reportgen.parse.instruction_parser import Instruction
from reportgen.program.opcodes import CALLERS
from reportgen.program.places import Leaf, Place
from reportgen.program.program import Program
from reportgen.program.strides import WHOLE, Factor, Strides, sources, strides_of

_MOST_STEPS = 20_000  # because a dimension that comes from nowhere is followed everywhere

_LABELS = re.compile(r", dim_labels=([^\W_]+)_([^\W_]+)->([^\W_]+)")

_FIRST_OPERAND = frozenset(
    (
        "all-reduce", "all-to-all", "collective-permute", "dynamic-slice", "fft", "pad", "reduce-scatter",
        "reduce-window", "reverse", "slice",
    )
)  # fmt: skip
"""Opcodes whose result has the dimensions of their first operand or, of several results, each those of its own."""

PUT_TOGETHER = 'custom_call_target="ConcatBitcast"'
"""What puts slices together that were brought into VMEM one by one."""

_TARGET = re.compile(r'custom_call_target="(ConcatBitcast|PartialReduce|TopK)"')
"""The same, or what takes the largest along one dimension."""

_MOST_OF_SLICE = 8

_MOST_MADE = 50  # because a value of zeros may be the start of very many others

_NAMES = frozenset(("async-update", "get-tuple-element", "opt-barrier", "parameter", "tuple"))
_NEW = frozenset(("constant", "iota", "rng", "rng-bit-generator", "partition-id", "replica-id"))


class Origin(NamedTuple):
    """A dimension of an argument of the program; `parameter` is the name of its instruction."""

    parameter: str
    leaf: Leaf
    dimension: int


class _Axis(NamedTuple):
    """A dimension at a place, or a part of it."""

    place: Place
    dimension: int
    factor: Factor = WHOLE


class Dimensions:
    """The origins of the dimensions of the arrays of one program."""

    def __init__(self, program: Program) -> None:
        """Set up the caches, and the tables of the methods by the opcode or the custom call that they understand."""
        self._program = program
        self._arguments = {program.dump.values.names[number]: number for number in program.arguments.values()}
        self._known: dict[frozenset[Origin] | None, dict[_Axis, Origin | None]] = {}
        self._before = cache(self._steps)
        self._same = cache(self._same_places)
        self._sizes_of = cache(self._sizes_of_operands)
        self._made_of = cache(lambda number: tuple(self._made(number)))
        self._of_opcode: Mapping[str, Callable[[Instruction, _Axis], Iterator[_Axis]]] = {
            "all-gather": self._all_gathered,
            "bitcast": self._reshaped,
            "broadcast": self._broadcast,
            "convolution": self._convolved,
            "dot": self._multiplied,
            "dynamic-update-slice": self._updated,
            "gather": self._gathered,
            "reduce": self._reduced,
            "reshape": self._reshaped,
            "scatter": self._scattered,
            "sort": self._sorted,
            "topk": self._first,
            "transpose": self._transposed,
        }
        self._of_target: Mapping[str, Callable[[Instruction, _Axis], Iterator[_Axis]]] = {
            "ConcatBitcast": self._put_together,
            "PartialReduce": self._first,
            "TopK": self._first,
        }

    def sizes(self, number: int) -> Sequence[int]:
        """Return the sizes of the dimensions of a value."""
        return strides_of(self._program.dump.values.shapes[number]).sizes

    def of(self, number: int) -> Sequence[Origin | None]:
        """Return the origin of each dimension of a value, the first that is found; None where none is."""
        return [start and self._search(start, None) for start in self._starts(number)]

    def onward(self, number: int, origins: frozenset[Origin] | None = None) -> Sequence[Origin | None]:
        """Return the origin of each dimension of a value, even of one without a source, as in zeros.

        Such a dimension has the size that it has in later values: in those that a loop puts in its place, in copies,
        and in those that an instruction combines it with. Where `origins` are named, only those count.
        """
        origin_of: list[Origin | None] = [None] * len(self.sizes(number))
        for dimension, origin in self._onward(number, origins):
            origin_of[dimension] = origin
        return origin_of

    def leads_to(self, number: int, origins: frozenset[Origin]) -> bool:
        """Return whether a dimension of a value, or of what it becomes, is one of `origins`, as `onward` says."""
        return any(origin for _, origin in self._onward(number, origins))

    def _onward(self, number: int, origins: frozenset[Origin] | None) -> Iterator[tuple[int, Origin]]:
        """Yield (dimension, origin) for each dimension of a value that has one, as soon as it is known."""
        starts, settled = list(self._starts(number)), set[int]()
        for at, start in enumerate(starts):
            if start and (origin := self._search(start, origins)):
                settled.add(at)
                yield at, origin
        ways = [(number, {at: at for at, start in enumerate(starts) if start and not self._search(start, None)})]
        seen = {number}
        for here, axes in ways:
            for there, passed in self._made_of(here) if axes else ():
                onward = {own: passed[at] for own, at in axes.items() if at in passed and own not in settled}
                if not onward or there in seen or len(seen) >= _MOST_MADE:
                    continue
                seen.add(there)
                ways.append((there, onward))
                for own, at in onward.items():
                    if origin := self._search(_Axis(self._program.place(there), at), origins):
                        settled.add(own)
                        yield own, origin

    def _made(self, number: int) -> Iterator[tuple[int, Mapping[int, int]]]:
        """Yield the values that a value becomes, and which of their dimensions each of its dimensions becomes."""
        sizes, program = self.sizes(number), self._program
        for member in program.buffers.members(number):
            if member != number and self.sizes(member) == sizes:
                yield member, {at: at for at in range(len(sizes))}
        for reader in dict.fromkeys(program.readers_of(number)):
            # What loops and calls make of a value is in its buffer.
            made = () if program.runs_computations(reader) else program.dump.made_by.get(reader, ())
            for value in made:
                if not program.is_table(value):
                    yield value, dict(self._passed(number, value))

    def _passed(self, number: int, made: int) -> Iterator[tuple[int, int]]:
        """Yield (dimension of a value, dimension of `made`) for each pair that the maker of `made` connects."""
        reader = self._program.instruction(self._program.place(made).name)
        operands = set(reader.operands if reader else ())
        for start in filter(None, self._starts(made)):
            waiting = [start]
            seen = {start}
            for axis in waiting:
                if axis.place.name not in operands:
                    new = [source for source in self._before(axis) if source not in seen]
                    seen.update(new)
                    waiting += new
                elif self._program.dump.number_at(axis.place.key) == number:
                    yield axis.dimension, start.dimension

    def products(self, sizes: Sequence[int]) -> Iterator[tuple[str, int]]:
        """Yield the element type and the length of the sums of each matrix product whose result ends in `sizes`."""
        for name in self._program.module.names if self._program.module else ():
            instruction = self._program.instruction(name)
            if instruction is None or instruction.opcode not in ("dot", "custom-call") or not instruction.operands:
                continue
            gone = self._of_dot(instruction, "lhs_contracting_dim")
            result = strides_of(instruction.shape.removeprefix("(")).sizes
            operand = self._program.instruction(instruction.operands[0])
            if gone and operand and tuple(result[-len(sizes) :]) == tuple(sizes):
                of_operand = self._sizes(instruction, 0)
                yield operand.shape.partition("[")[0], prod(of_operand[at] for at in gone if at < len(of_operand))

    def length(self, origin: Origin) -> int:
        """Return the size of a dimension of an argument; 0 for that of an element of a tuple."""
        sizes = () if origin.leaf else self.sizes(self._arguments[origin.parameter])
        return sizes[origin.dimension] if origin.dimension < len(sizes) else 0

    def come_from(self, number: int, origins: frozenset[Origin]) -> bool:
        """Return whether a dimension of a value is one of `origins`, or must have its size.

        An instruction combines equal dimensions, so each of its operands is followed, and not only the first.
        """
        return any(start and self._search(start, origins) for start in self._starts(number))

    def follow(self, number: int, origins: frozenset[Origin]) -> Sequence[Origin | None]:
        """Return which of `origins` each dimension of a value comes from, as `come_from` does; None where none is."""
        return [start and self._search(start, origins) for start in self._starts(number)]

    def own(self, number: int) -> Sequence[Origin]:
        """Return the dimensions of an argument."""
        name, leaf = self._program.place(number)
        return [Origin(name, leaf, dimension) for dimension in range(len(self.sizes(number)))]

    def _starts(self, number: int) -> Iterator[_Axis | None]:
        """Yield the dimensions of a value, None for each that has one element."""
        place = self._program.place(number)
        for dimension, size in enumerate(self.sizes(number)):
            yield _Axis(place, dimension) if size > 1 else None

    def _search(self, start: _Axis, wanted: frozenset[Origin] | None) -> Origin | None:
        """Return the first origin that a depth-first search reaches, among `wanted` unless that is None."""
        known = self._known.setdefault(wanted, {})
        came_from: dict[_Axis, _Axis | None] = {start: None}
        waiting = [start]
        while waiting and len(came_from) < _MOST_STEPS:
            node = waiting.pop()
            if node in known:
                origin = known[node]
            else:
                origin = self._argument(node)
                origin = None if wanted is not None and origin not in wanted else origin
            if origin:
                way: _Axis | None = node
                while way:
                    known[way] = origin
                    way = came_from[way]
                return origin
            if node not in known:
                for before in reversed(self._before(node)):
                    if before not in came_from:
                        came_from[before] = node
                        waiting.append(before)
        # Whatever was seen on the way leads nowhere; a search that ended early says nothing but about its start.
        known.update(dict.fromkeys(came_from if not waiting else [start]))
        return None

    def _argument(self, node: _Axis) -> Origin | None:
        name, leaf = node.place
        return Origin(name, leaf, node.dimension) if name in self._arguments else None

    def _steps(self, node: _Axis) -> Sequence[_Axis]:
        """Return where a dimension may come from, the likeliest first."""
        instruction = self._program.instruction(node.place.name)
        if instruction is None or instruction.opcode in _NEW:
            return ()
        same = (node._replace(place=place) for place in self._same(node.place))
        return (*same, *self._through(instruction, node))

    def _through(self, instruction: Instruction, node: _Axis) -> Iterator[_Axis]:
        """Return the dimensions of the operands that an instruction makes a dimension of."""
        if "_contracting_dim" in self._program.text(instruction.name):
            return self._multiplied(instruction, node)
        if instruction.opcode in _FIRST_OPERAND:
            return self._operand(instruction, node.place.leaf[0] if node.place.leaf else 0, node.dimension, node)
        if instruction.opcode == "custom-call" and (match := _TARGET.search(self._program.text(instruction.name))):
            return self._of_target[match[1]](instruction, node)
        return self._of_opcode.get(instruction.opcode, self._elementwise)(instruction, node)

    def _first(self, instruction: Instruction, node: _Axis) -> Iterator[_Axis]:
        return self._operand(instruction, 0, node.dimension, node)

    def _all_gathered(self, gather: Instruction, node: _Axis) -> Iterator[_Axis]:
        """Yield the dimension of the operand, except for a part that only counts devices."""
        index = node.place.leaf[0] if node.place.leaf else 0
        sizes = self._sizes(gather, index)
        if node.factor == WHOLE or (node.dimension < len(sizes) and node.factor.first < sizes[node.dimension]):
            yield from self._operand(gather, index, node.dimension, node)

    def _broadcast(self, broadcast: Instruction, node: _Axis) -> Iterator[_Axis]:
        kept = self._numbers(broadcast, "dimensions")
        if node.dimension in kept:
            yield from self._operand(broadcast, 0, kept.index(node.dimension), node)

    def _transposed(self, transpose: Instruction, node: _Axis) -> Iterator[_Axis]:
        order = self._numbers(transpose, "dimensions")
        if node.dimension < len(order):
            yield from self._operand(transpose, 0, order[node.dimension], node)

    def _reduced(self, reduce: Instruction, node: _Axis) -> Iterator[_Axis]:
        gone = set(self._numbers(reduce, "dimensions"))
        kept = [dimension for dimension in range(len(self._sizes(reduce, 0))) if dimension not in gone]
        if node.dimension < len(kept):
            # Where several arrays are reduced at once, as for an argmax, they have the same dimensions.
            for index in range(max(1, len(reduce.operands) // 2)):
                yield from self._operand(reduce, index, kept[node.dimension], node)

    def _sorted(self, sort: Instruction, node: _Axis) -> Iterator[_Axis]:
        """Yield the dimension of each operand, because all are put in the same order; an iota comes from nowhere."""
        for index in range(len(sort.operands)):
            yield from self._operand(sort, index, node.dimension, node)

    def _updated(self, update: Instruction, node: _Axis) -> Iterator[_Axis]:
        """Yield the dimension of the array that is updated and, where the update is as long, that of the update."""
        yield from self._operand(update, 0, node.dimension, node)
        sizes, part = (self._sizes(update, index)[node.dimension : node.dimension + 1] for index in (0, 1))
        if sizes == part:
            yield from self._operand(update, 1, node.dimension, node)

    def _same_places(self, place: Place) -> Sequence[Place]:
        """Return the places that are the same array: what a body returns, a loop begins with, or a tuple holds."""
        instruction = self._program.instruction(place.name)
        if instruction is None:
            return ()
        opcode = instruction.opcode
        if opcode == "fusion":
            return [Place(root, place.leaf) for root in self._program.roots(instruction.name)]
        if opcode in CALLERS or opcode in _NAMES or self._program.is_wrapper(instruction.name):
            return self._program.storage.same(place)
        if opcode.endswith("-done"):
            return self._program.storage.same(place)
        if opcode == "async-start":
            return [Place(root, place.leaf[1:]) for root in self._program.roots(instruction.name)]
        if opcode.endswith("-start") and instruction.operands:
            several = len(instruction.operands) > 1 and place.leaf
            return [Place(operand) for operand in instruction.operands[place.leaf[-1] if several else 0 :][:1]]
        return ()

    def _operand(self, instruction: Instruction, index: int, dimension: int, node: _Axis) -> Iterator[_Axis]:
        if index < len(instruction.operands):
            yield _Axis(Place(instruction.operands[index]), dimension, node.factor)

    def _sizes(self, instruction: Instruction, index: int) -> Sequence[int]:
        """Return the sizes of an operand."""
        return self._sizes_of(instruction.operands)[index] if index < len(instruction.operands) else ()

    def _sizes_of_operands(self, operands: tuple[str, ...]) -> Sequence[Sequence[int]]:
        """Return the sizes of the dimensions of some operands."""
        return [
            strides_of(operand.shape).sizes if operand else () for operand in map(self._program.instruction, operands)
        ]

    def _numbers(self, instruction: Instruction, attribute: str) -> Sequence[int]:
        match = re.search(rf", {attribute}={{([\d,]*)}}", self._program.text(instruction.name))
        return [int(number) for number in match[1].split(",") if number] if match else []

    def _reshaped(self, instruction: Instruction, node: _Axis) -> Iterator[_Axis]:
        """Yield the dimension that a dimension was merged or split from; a bitcast keeps the order in memory."""
        operand = self._program.instruction(instruction.operands[0]) if instruction.operands else None
        if operand is None:
            return
        before, after = strides_of(operand.shape), strides_of(instruction.shape)
        if instruction.opcode == "reshape":
            before, after = Strides.of(before.sizes), Strides.of(after.sizes)
        for dimension, factor in sources(before, after, node.dimension, node.factor):
            yield _Axis(Place(operand.name), dimension, factor)

    def _put_together(self, call: Instruction, node: _Axis) -> Iterator[_Axis]:
        """Yield the dimension of the array whose slices are put together; they may be slices of its bytes."""
        slices = [self._sizes(call, index) for index in range(len(call.operands))]
        if slices and len(slices[0]) == len(strides_of(call.shape).sizes):
            for index in range(len(slices)):
                yield from self._operand(call, index, node.dimension, node)
            return
        whole = strides_of(call.shape).sizes
        way = [_Axis(Place(operand), 0) for operand in call.operands[:1]]
        for at in way:
            instruction = self._program.instruction(at.place.name)
            if instruction and instruction.opcode == "bitcast" and self._sizes(instruction, 0) == whole:
                yield from self._operand(instruction, 0, node.dimension, node)
                return
            # Before the bitcast to bytes are only the slice, and what starts and ends it.
            way += self._before(at)[: len(way) < _MOST_OF_SLICE]

    def _multiplied(self, dot: Instruction, node: _Axis) -> Iterator[_Axis]:
        """Yield the dimension of a dot: first those of the batch, then the free ones of both operands."""
        left_batch, right_batch = (self._of_dot(dot, f"{side}_batch_dim") for side in ("lhs", "rhs"))
        left_gone, right_gone = (self._of_dot(dot, f"{side}_contracting_dim") for side in ("lhs", "rhs"))
        left_rank, right_rank = len(self._sizes(dot, 0)), len(self._sizes(dot, 1))
        left = [d for d in range(left_rank) if d not in left_batch and d not in left_gone]
        right = [d for d in range(right_rank) if d not in right_batch and d not in right_gone]
        at = node.dimension
        if at < len(left_batch):
            yield from self._operand(dot, 0, left_batch[at], node)
            yield from self._operand(dot, 1, right_batch[at] if at < len(right_batch) else 0, node)
        elif at < len(left_batch) + len(left):
            yield from self._operand(dot, 0, left[at - len(left_batch)], node)
        elif at < len(left_batch) + len(left) + len(right):
            yield from self._operand(dot, 1, right[at - len(left_batch) - len(left)], node)

    def _of_dot(self, dot: Instruction, attribute: str) -> Sequence[int]:
        """Return an attribute of a dot; one that calls a library has it in its `backend_config`, and quotes numbers."""
        match = re.search(rf'{attribute}(?:s=|ensions":)[{{\[]([\d,"]*)', self._program.text(dot.name))
        return [int(number) for number in re.findall(r"\d+", match[1])] if match else []

    def _convolved(self, convolution: Instruction, node: _Axis) -> Iterator[_Axis]:
        """Yield the dimension of the image or the kernel that has the label of a result's dimension: `b0f_0io->b0f`.

        The features of the result, `f`, are the outputs of the kernel, `o`.
        """
        match = _LABELS.search(self._program.text(convolution.name))
        if not match or node.dimension >= len(match[3]):
            return
        image, kernel, label = match[1], match[2], match[3][node.dimension]
        if label == "f":
            yield from self._operand(convolution, 1, kernel.index("o"), node)
            return
        size = strides_of(convolution.shape).sizes[node.dimension]
        at_image, at_kernel = image.find(label), kernel.find(label)
        kernel_sizes = self._sizes(convolution, 1)
        is_of_image = self._sizes(convolution, 0)[at_image : at_image + 1] == (size,)
        is_of_kernel = at_kernel >= 0 and kernel_sizes[at_kernel : at_kernel + 1] == (size,)
        # A dot may be written as a convolution, whose window is an array, and then slides over nothing.
        if label != "b" and size > 1 and is_of_kernel and not is_of_image:
            yield from self._operand(convolution, 1, at_kernel, node)
        elif at_image >= 0:
            yield from self._operand(convolution, 0, at_image, node)

    def _gathered(self, gather: Instruction, node: _Axis) -> Iterator[_Axis]:
        """Yield the dimension of the array for one within a slice, and that of the indices for one across slices."""
        offsets = self._numbers(gather, "offset_dims")
        if node.dimension in offsets:
            gone = {*self._numbers(gather, "collapsed_slice_dims"), *self._numbers(gather, "operand_batching_dims")}
            kept = [d for d in range(len(self._sizes(gather, 0))) if d not in gone]
            at = list(offsets).index(node.dimension)
            if at < len(kept):
                yield from self._operand(gather, 0, kept[at], node)
            return
        rank = len(strides_of(gather.shape).sizes)
        at = [d for d in range(rank) if d not in offsets].index(node.dimension)
        match = re.search(r", index_vector_dim=(\d+)", self._program.text(gather.name))
        vector = int(match[1]) if match else None
        kept = [d for d in range(len(self._sizes(gather, 1))) if d != vector]
        if at < len(kept):
            yield from self._operand(gather, 1, kept[at], node)

    def _scattered(self, scatter: Instruction, node: _Axis) -> Iterator[_Axis]:
        count = max(1, (len(scatter.operands) - 1) // 2)
        place = node.place.leaf[0] if node.place.leaf else 0
        yield from self._operand(scatter, place, node.dimension, node)
        gone = {*self._numbers(scatter, "inserted_window_dims"), *self._numbers(scatter, "input_batching_dims")}
        kept = [d for d in range(len(self._sizes(scatter, place))) if d not in gone]
        window = self._numbers(scatter, "update_window_dims")
        if node.dimension in kept and kept.index(node.dimension) < len(window):
            yield from self._operand(scatter, count + 1 + place, window[kept.index(node.dimension)], node)

    def _elementwise(self, instruction: Instruction, node: _Axis) -> Iterator[_Axis]:
        """Yield the same dimension of each operand that has the shape of the result, as for `add`."""
        is_fusion = instruction.opcode == "fusion" and self._program.roots(instruction.name)
        if is_fusion or self._program.is_wrapper(instruction.name):
            return
        number = self._program.dump.number_at(node.place.key) if node.place.leaf else None
        shape = instruction.shape if number is None else self._program.dump.values.shapes[number]
        sizes = strides_of(shape).sizes
        is_put_together = instruction.opcode == "concatenate"
        for index, operand in enumerate(self._sizes_of(instruction.operands)):
            if operand == sizes or (is_put_together and len(operand) == len(sizes)):
                yield from self._operand(instruction, index, node.dimension, node)
