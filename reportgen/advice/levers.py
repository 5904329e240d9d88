"""Find what an expert would change in a program: attention, the loss, a carried cache, optimizer state, element types.

Each lever is found by what the program does, which `program.dimensions` traces, and not by names alone:

* attention that materialises its scores, which `advice.attention` finds;
* logits over a whole vocabulary: arrays of the batch with the largest dimension of any weight;
* a loop that reads one stack and writes another of the same shape, where it could carry one;
* optimizer state in device memory: what neither the forward nor the backward pass reads;
* arrays in `f32`, or in a wider type than the data that they are made of.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property

from reportgen.advice.advice_records import Confidence, Suggestion
from reportgen.advice.arguments import Argument, listed_names, named_parts, top_name
from reportgen.advice.attention import Attention
from reportgen.advice.context import AdviceContext
from reportgen.advice.framework import CHECKPOINT_OF_ATTENTION, attention_code
from reportgen.advice.kinds import Kind
from reportgen.advice.memory import ALWAYS, Edit, PeakRange
from reportgen.advice.suggest import is_narrow, is_worth_listing, suggest, suggest_range_or_bound
from reportgen.intervals.step_function import Change
from reportgen.parse.shape_parser import plain_shape
from reportgen.program.dimensions import Origin
from reportgen.program.places import Place
from reportgen.record import record

_LEAST_VOCABULARY = 4096

_CHUNKS = 8
"""How many parts a loss is computed in where it is not computed at once, as a rule."""

_LEAST_STATE = 50
"""State is worth a narrower type if half of it is more than this part of the peak."""

_LOSS = re.compile(r"softmax|take_along_axis|one_hot|logsumexp|cross_entropy|/(?:exp\d*|log|argmax|reduce_max)$")
_ACTIVATION = re.compile(r"silu|swish|sigmoid|logistic|softplus|elu\b|gelu|mish|tanh")


_NARROWER_STATE = "It takes half the memory; the program computes in the wider type as before, and its results change."
_NARROWER_MOMENT = "In optax, mu_dtype narrows mu alone, for about half of this."


@record
class Lever(PeakRange):
    """A change that an expert would make.

    Both peaks are the one as it is where no number can be given. `parts` are the arguments that it is about, or the
    parts of them, and `is_recomputed` says that a checkpoint makes the difference.
    """

    parts: tuple[str, ...] = ()
    is_recomputed: bool = False

    @property
    def argument_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(top_name, self.parts)))


def find_attention(context: AdviceContext) -> Iterator[Suggestion]:
    """Yield the suggestion not to hold the scores of attention."""
    levers = Levers(context)
    attention = levers.attention()
    if attention is None or not is_worth_listing(context, attention.size_bytes):
        return
    if attention.is_recomputed:
        how, code = "recompute attention in the backward pass", CHECKPOINT_OF_ATTENTION
    else:
        # What is multiplied is looked for in the whole text, which is long, and matters only on a GPU.
        backend = context.analysis.backend
        heads = levers.heads() if backend == "gpu" else set()
        how, code = "compute attention in blocks", attention_code(backend, heads)
    what = f"{how}: {_name(context, attention)}"
    yield suggest_range_or_bound(context, "attention", what, attention, code if context.is_jax else "")


def find_logits(context: AdviceContext) -> Iterator[Suggestion]:
    """Yield the suggestion not to hold the logits of the whole vocabulary."""
    logits = Levers(context).logits()
    if logits and is_worth_listing(context, logits.size_bytes):
        what = f"compute the loss in chunks: {_name(context, logits)}"
        yield suggest_range_or_bound(context, "logits", what, logits)


def find_carries(context: AdviceContext) -> Iterator[Suggestion]:
    """Yield the suggestions to carry one stack in a loop instead of two, and to donate what is carried."""
    levers = Levers(context)
    carry, donated = levers.carry(), levers.donated_carry()
    if carry and is_worth_listing(context, carry.size_bytes):
        what = f"carry as one stack in the loop, instead of two: {_name(context, carry)}"
        yield _suggest(context, "carry", "estimate", what, carry)
    if donated and is_worth_listing(context, donated.size_bytes):
        what = f"donate {_name(context, donated)} and carry them through the loop"
        yield _suggest(context, "carry", "estimate", what, donated)


def find_offload(context: AdviceContext) -> Iterator[Suggestion]:
    """Yield the suggestion to keep optimizer state in host memory."""
    offload = Levers(context).offload()
    if offload and is_worth_listing(context, offload.size_bytes):
        what = f"keep {_state(context, offload)} in host memory until the update"
        yield _suggest(context, "offload", "up to", what, offload)


def find_narrower_types(context: AdviceContext) -> Iterator[Suggestion]:
    """Yield the suggestions to use a narrower type for state, and for what takes most."""
    levers = Levers(context)
    state, largest = levers.narrower_state(), levers.narrower()
    if state and is_worth_listing(context, state.size_bytes):
        is_optax = any(part.endswith(".nu") for part in state.parts)
        caveat = f"{_NARROWER_STATE} {_NARROWER_MOMENT}" if is_optax else _NARROWER_STATE
        what = f"use a narrower type for {_state(context, state)}"
        yield _suggest(context, "type", "estimate", what, state, caveat)
    if largest and is_worth_listing(context, largest.size_bytes):
        buffers = context.program.buffers.one_of_each(largest.values)
        name = _name(context, largest) if largest.parts or len(buffers) == 1 else _alike(context, buffers)
        suggestion = _suggest(context, "type", "unknown", f"use a narrower type for {name}", largest)
        yield replace(suggestion, buffers=buffers)


def _state(context: AdviceContext, lever: Lever) -> str:
    """Return what some state is called, with its new values where these have memory of their own."""
    own_bytes = sum(map(context.program.dump.values.sizes.__getitem__, lever.values))
    new = ("its new value" if len(lever.parts) == 1 else "their new values") if lever.size_bytes > own_bytes else ""
    return " and ".join(filter(None, (_name(context, lever), new)))


def _alike(context: AdviceContext, buffers: Sequence[int]) -> str:
    """Return what several temporaries in `f32` are: how many of a shape, if they have one."""
    shapes = set(map(context.program.shape, buffers))
    return f"{len(buffers)} × {shapes.pop()}" if len(shapes) == 1 else f"{len(buffers)} temporaries in f32"


def _name(context: AdviceContext, lever: Lever) -> str:
    return listed_names(lever.parts) or context.described(lever.values)


def _suggest(
    context: AdviceContext, kind: Kind, confidence: Confidence, what: str, lever: Lever, caveat: str = ""
) -> Suggestion:
    """Return a suggestion whose saving is the most that a lever saves."""
    return suggest(
        context,
        kind,
        confidence,
        what,
        lever.size_bytes,
        lever.most,
        buffers=lever.values,
        argument_names=lever.argument_names,
        caveat=caveat,
    )


class Levers:
    """The levers of one memory space."""

    def __init__(self, context: AdviceContext) -> None:
        self._context = context
        self._program, self._memory = context.program, context.memory

    def attention(self) -> Lever | None:
        """Return what the scores of attention take: of blocks, or of a checkpoint of attention where that saves more.

        With blocks the least that is saved leaves one head of what is held of one layer, and the gradients that all
        layers add up. The most leaves those of one, and nothing of what else the function that makes the scores keeps
        for the backward pass, as a checkpoint of a block of it does.
        """
        attention = self._attention
        scores, carried = attention.with_gradients, attention.carried_bytes
        others = carried * (attention.repetitions - 1)
        blocks = self._without(scores, self._at_once(scores) // max(attention.heads, _CHUNKS) + others, carried)
        blocks = blocks and self._with_kept(blocks, scores, attention.kept_with, carried)
        is_worth = self._saves(self._without(scores, 0, carried + others))
        choices = [self._recomputed(attention), blocks if is_worth else None]
        settled = [self._settled(lever) for lever in choices if lever and self._saves(lever)]
        return min(settled, key=lambda lever: lever.least.peak_bytes, default=None)

    def heads(self) -> Set[tuple[str, int]]:
        """Return the element types and the sizes of the heads whose products are scores of attention."""
        scores = {tuple(self._sizes(number)[-2:]) for number in self._attention.scores}
        return {product for sizes in scores for product in self._context.dimensions.products(sizes)}

    @cached_property
    def _attention(self) -> Attention:
        return Attention(self._context)

    def _recomputed(self, attention: Attention) -> Lever | None:
        """Return what a checkpoint of attention saves: the scores of one layer at a time come back."""
        late = {number: [array.between] for array in attention.kept for number in array.values}
        if not late:
            return None
        again = sum(array.size_bytes for array in attention.kept) // attention.repetitions
        buffers = self._at_peak(self._members(late))
        return Lever(
            values=buffers,
            size_bytes=sum(self._memory.temps[buffer].size_bytes for buffer in buffers),
            least=self._memory.without(late, self._always(again)),
            most=self._memory.without(late),
            is_recomputed=True,
        )

    def _settled(self, lever: Lever) -> Lever:
        """Return a lever whose peaks hold nothing that waits in the backward pass."""
        reordered = self._context.reordered
        return replace(lever, least=reordered(lever.least), most=reordered(lever.most))

    def _saves(self, lever: Lever | None) -> bool:
        return lever is not None and lever.most.peak_bytes < self._memory.peak.peak_bytes

    def _with_kept(self, lever: Lever, numbers: Collection[int], kept: Collection[int], carried: int) -> Lever:
        """Return a lever that saves the bytes of `kept` at most, too, unless they are so many that they are others'."""
        cuts = {number: [ALWAYS] for number in self._members([*numbers, *kept])}
        most = self._memory.without(cuts, self._always(carried))
        return replace(lever, most=most) if is_narrow(self._context, lever.least, most) else lever

    def logits(self) -> Lever | None:
        """Return what arrays over the whole vocabulary take; a loss in chunks holds one chunk of them at a time."""
        widest = max((max(self._sizes(argument.number), default=0) for argument in self._weights()), default=0)
        if widest < _LEAST_VOCABULARY:
            return None
        logits = [number for number in self._large() if self._has_vocabulary(number, widest)]
        if not any(self._is_made_by(number, _LOSS) for number in logits):
            return None
        # In chunks, the weights are copied chunk by chunk, and so is their gradient.
        weights = max(each.size_bytes for each in self._weights() if widest in self._sizes(each.number))
        return self._without(logits, self._largest(logits) // _CHUNKS + 2 * weights)

    def _is_made_by(self, number: int, operations: re.Pattern[str]) -> bool:
        """Return whether an operation of a kind makes a value, or reads it."""
        users = map(self._program.op_name, self._program.readers_of(number))
        names = [self._context.analysis.authors.of(number).scope, *users]
        return any(operations.search(name) and not _ACTIVATION.search(name) for name in names)

    def _weights(self) -> Iterator[Argument]:
        data = {origin.parameter for origin in self._context.data}
        for argument in self._context.arguments:
            if argument.instruction not in data and len(self._sizes(argument.number)) > 1:
                yield argument

    def _has_vocabulary(self, number: int, widest: int) -> bool:
        sizes = self._sizes(number)
        if widest not in sizes or len(sizes) < 2:
            return False
        origins = self._context.dimensions.of(number)
        is_weights = not self._is_data(origins[sizes.index(widest) :][:1])
        return is_weights and self._context.dimensions.come_from(number, self._context.data)

    def carry(self) -> Lever | None:
        """Return the stacks at the peak that a loop writes while it reads others of the same shape.

        An argument of another layout than the stack is copied at the entry of the loop, so carrying it saves nothing.
        """
        program = self._program
        layouts = {
            program.shape(argument): program.dump.values.shapes[argument] for argument in program.arguments.values()
        }
        at_peak = {program.buffers.members(number)[0] for number in self._memory.at_peak}
        stacks: list[int] = []
        for loop in program.loops:
            read = Counter() if program.loop_directions.get(loop) else Counter(self._read_only(loop))
            for number in program.dump.made_by.get(loop, ()):
                shape = program.shape(number)
                own = program.dump.values.shapes[number]
                if not read[shape] or len(self._sizes(number)) < 3 or layouts.get(shape, own) != own:
                    continue
                if program.buffers.members(number)[0] in at_peak:
                    read[shape] -= 1
                    stacks.append(number)
        return self._without(stacks, 0)

    def donated_carry(self) -> Lever | None:
        """Return the arguments that a loop reads as a stack while it writes their new value as another one.

        Donating them alone saves nothing, because both are held while the loop runs; one that is carried is one array.
        """
        dump = self._program.dump
        pairs = []
        for pair in self._context.all_pairs.conflicts:
            number = self._program.root(pair.result.number)
            loop, shapes = dump.values.names[number], dump.values.shapes
            is_stack = self._program.opcode(loop) == "while" and len(self._sizes(number)) > 2
            if (
                is_stack
                and shapes[number] == shapes[pair.argument.number]
                and pair.result.shape in self._read_only(loop)
            ):
                pairs.append(pair)
        if not pairs:
            return None
        size = sum(pair.result.reserved_bytes for pair in pairs)
        after = self._memory.without({}, [(0, -size)])
        parts = tuple(dict.fromkeys(pair.argument.name for pair in pairs))
        values = tuple(pair.result.number for pair in pairs)
        return Lever(values=values, size_bytes=size, least=after, most=after, parts=parts)

    def _read_only(self, loop: str) -> Iterator[str]:
        """Yield the shapes of a loop's state that its body hands on as they are."""
        for root in map(self._program.instruction, self._program.roots(loop)):
            for leaf, operand in enumerate(root.operands if root and root.opcode == "tuple" else ()):
                element = self._program.instruction(operand)
                if element and element.opcode == "get-tuple-element":
                    (place,) = self._program.storage.same(Place(operand)) or (Place(operand),)
                    if place.leaf == (leaf,) and self._program.opcode(place.name) == "parameter":
                        yield plain_shape(element.shape)

    @cached_property
    def _arrays(self) -> Sequence[Argument]:
        return [argument for argument in self._context.arguments if self._sizes(argument.number)]

    @cached_property
    def _idle_state(self) -> Sequence[Argument]:
        """Return the state that neither the forward nor the backward pass reads, as moments; all without a gradient.

        A count of the steps is no array.
        """
        arrays = {argument.number for argument in self._arrays}
        state = [argument for argument in self._context.state if argument.number in arrays]
        if not self._program.has_backward_pass:
            return state
        return [argument for argument in state if not self._context.is_read_by_gradient(argument)]

    @cached_property
    def _reserved(self) -> Mapping[int, int]:
        """Map each argument to the bytes of its new value where that has memory of its own."""
        return {pair.argument.number: pair.result.reserved_bytes for pair in self._context.all_pairs.pairs}

    def offload(self) -> Lever | None:
        """Return the optimizer state in device memory: what neither the forward nor the backward pass reads.

        It could lie in host memory until the update, and its new value go there. The most is saved if each leaf comes
        back alone, and the least if all come back for the update, and their new values stay.
        """
        if self._context.analysis.backend != "tpu" or not self._program.has_backward_pass:
            return None
        state = self._idle_state
        size = sum(argument.size_bytes for argument in state)
        if not size:
            return None
        held = size + sum(self._reserved.get(argument.number, 0) for argument in state)
        update = min(moment for argument in state for moment in self._program.reads(argument.number) or [0])
        largest = max(argument.size_bytes for argument in state)
        least = self._memory.without({}, [(0, -size), (update, size)])
        most = self._memory.without({}, [(0, -held), (update, 2 * largest)])
        values = tuple(argument.number for argument in state)
        return Lever(values=values, size_bytes=held, least=least, most=most, parts=named_parts(state, self._arrays))

    def narrower_state(self) -> Lever | None:
        """Return the state whose type could be half as wide: moments in `bf16`, a cache in `s8`.

        What the caller holds of it is then half as large, and so are its new value where that has memory of its own
        and, without a gradient, the versions of it at the peak.
        """
        wide = ("f32[",) if self._program.has_backward_pass else ("f32[", "bf16[")
        state = [argument for argument in self._idle_state if self._program.shape(argument.number).startswith(wide)]
        half = sum(argument.size_bytes + self._reserved.get(argument.number, 0) for argument in state) // 2
        if not half or half * _LEAST_STATE < self._memory.peak.peak_bytes:
            return None
        less = {} if self._program.has_backward_pass else dict(self._versions(state))
        after = self._memory.after(Edit({}, [(0, -half)], less))
        size = 2 * (half + sum(less.values()))
        values = tuple(argument.number for argument in state)
        return Lever(values=values, size_bytes=size, least=after, most=after, parts=named_parts(state, self._arrays))

    def _versions(self, state: Collection[Argument]) -> Iterator[tuple[int, int]]:
        """Yield the buffers at the peak that have the shape of some state and come from it, and half of their bytes."""
        shapes = {self._program.shape(argument.number) for argument in state}
        names = {argument.instruction for argument in state}
        for number in self._program.buffers.one_of_each(self._memory.at_peak):
            if number >= 0 and self._program.shape(number) in shapes:
                origins = self._context.dimensions.of(number)
                if all(origin and origin.parameter in names for origin in origins):
                    yield number, self._memory.temps[number].size_bytes // 2

    def narrower(self) -> Lever | None:
        """Return what most bytes are of whose type could be narrower: one argument, or the temporaries at the peak.

        That is what is in `f32` and, in a program without a gradient, arguments in `bf16`. What a narrower type saves
        is not computed, because the program computes other things then.
        """
        wide = ("f32[",) if self._program.has_backward_pass else ("f32[", "bf16[")
        groups: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for argument in self._context.arguments:
            if self._program.shape(argument.number).startswith(wide):
                groups[argument.name][argument.number] = argument.size_bytes
        for number in self._memory.at_peak:
            if number >= 0 and self._program.shape(number).startswith("f32["):
                groups[""][number] = self._memory.temps[number].size_bytes
        largest = max(groups, key=lambda name: (sum(groups[name].values()), name), default="")
        values = groups[largest]
        if not values:
            return None
        parts = (largest,) if largest else ()
        peak = self._memory.peak
        return Lever(values=tuple(values), size_bytes=sum(values.values()), least=peak, most=peak, parts=parts)

    def _without(self, numbers: Collection[int], left_bytes: int, instead_bytes: int = 0) -> Lever | None:
        """Return what is saved if buffers are not there but `instead_bytes`, or if `left_bytes` are still held."""
        if not numbers:
            return None
        members = self._members(numbers)
        buffers = self._at_peak(members)
        cuts = {number: [ALWAYS] for number in members}
        return Lever(
            values=buffers,
            size_bytes=sum(self._memory.temps[buffer].size_bytes for buffer in buffers),
            least=self._memory.without(cuts, self._always(left_bytes + instead_bytes)),
            most=self._memory.without(cuts, self._always(instead_bytes)),
        )

    def _always(self, size_bytes: int) -> Sequence[Change]:
        return ((0, size_bytes), (self._memory.moments, -size_bytes))

    def _at_once(self, numbers: Collection[int]) -> int:
        """Return the bytes at the peak that are in no stack over the steps of a loop or, if all are, of the largest."""
        sizes = {buffer: self._memory.temps[buffer].size_bytes for buffer in self._at_peak(self._members(numbers))}
        names = self._program.dump.values.names
        single = [size for buffer, size in sizes.items() if self._program.opcode(names[buffer]) != "while"]
        return sum(single) or self._largest(numbers)

    def _at_peak(self, members: Set[int]) -> tuple[int, ...]:
        return self._program.buffers.one_of_each(number for number in self._memory.at_peak if number in members)

    def _largest(self, numbers: Collection[int]) -> int:
        return max((self._memory.temps[number].size_bytes for number in numbers), default=0)

    def _members(self, numbers: Iterable[int]) -> Set[int]:
        """Return the temporaries that are in the buffers of some values."""
        members = self._program.buffers.members
        return {member for number in numbers for member in members(number) if member in self._memory.temps}

    def _large(self) -> Sequence[int]:
        return self._context.large

    def _sizes(self, number: int) -> Sequence[int]:
        return self._context.dimensions.sizes(number)

    def _is_data(self, origins: Collection[Origin | None]) -> bool:
        data = {origin.parameter for origin in self._context.data}
        return any(origin and origin.parameter in data for origin in origins)
