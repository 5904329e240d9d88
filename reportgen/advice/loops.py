"""Compute the peak if the backward pass recomputed a loop's body, as `jax.checkpoint` in a `scan` does.

A scan keeps what its backward pass reads of each step in stacks, arrays with the number of steps as their first
dimension. They leave the forward loop as its results and enter the backward loop. With a checkpoint only the carry
of each step is kept: a stack of each array that a step changes for the next one. The saving is a range: all other
stacks are gone for their whole life, and so are the slices that the backward loop takes of them, because XLA may fuse
what is computed again into what reads it (*high*), or one step of each is held as long as the backward loop runs
(*low*). So a body that is checkpointed already has nothing to drop, because it leaves only its carry.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from reportgen.advice.memory import ALWAYS, Held, Memory, PeakRange
from reportgen.intervals.step_function import Change
from reportgen.program.dimensions import PUT_TOGETHER
from reportgen.program.opcodes import COPIES
from reportgen.program.places import Leaf, Place
from reportgen.program.program import Program
from reportgen.record import record

_MOST_STEPS = 20  # from a result to the loop that it is of, or from what a body returns to what is passed in

_MOVED = COPIES | {"slice"}

_MUCH_PART = 10
"""Loops of several lines are one suggestion where each of them saves more than this part of the peak."""


@record
class Stack:
    """A result of loop `loop` that loop `later` takes; `steps` is its first dimension.

    `result` is the value as the loop leaves it, `number` that which the later loop takes, perhaps in another type.
    """

    number: int
    result: int
    loop: str
    later: str
    steps: int
    size_bytes: int


@record
class Dropped:
    """The stacks of a loop that a checkpoint drops, and the bytes of those that only then are there (`added_bytes`)."""

    stacks: Sequence[Stack]
    added_bytes: int


@record
class LoopCheckpoint(PeakRange):
    """What checkpoints around the bodies of `loops` do with the stacks of what is kept.

    The compiler may have made several loops of one line, as of the layers of a network; then it is about all of them.
    """

    loops: tuple[str, ...]


def loop_checkpoints(program: Program, memory: Memory) -> list[LoopCheckpoint]:
    """Return the loops whose stacks could be recomputed, one for each source line, that which saves most first.

    Before them come those of several lines together, where each of them saves much.
    """
    if not (program.has_backward_pass and program.loops):
        return []
    by_loop: defaultdict[str, list[Stack]] = defaultdict(list)
    for number, held in memory.temps.items():
        if number >= 0 and (stack := _stack(program, number, held)):
            by_loop[stack.loop].append(stack)
    by_line: defaultdict[str, list[Dropped]] = defaultdict(list)
    for loop, stacks in by_loop.items():
        if dropped := _dropped(program, loop, stacks):
            by_line[str(program.user_frame(loop) or loop)].append(dropped)
    starts = _starts(program)
    checkpoints = [_checkpoint(program, memory, dropped, starts) for dropped in by_line.values()]
    checkpoints.sort(key=lambda checkpoint: (checkpoint.least.peak_bytes, checkpoint.loops))
    together = _together(memory, checkpoints)
    return [together, *checkpoints] if together else checkpoints


def _together(memory: Memory, checkpoints: Iterable[LoopCheckpoint]) -> LoopCheckpoint | None:
    """Return the checkpoints that each lower the peak by much, after those before them; None for fewer than two."""
    much = memory.peak.peak_bytes // _MUCH_PART
    chosen: list[LoopCheckpoint] = []
    least = memory.peak
    for checkpoint in checkpoints:
        if checkpoint.size_bytes < much:
            continue
        after = memory.together(before.least.edit for before in (*chosen, checkpoint))
        if least.peak_bytes - after.peak_bytes >= much:
            chosen.append(checkpoint)
            least = after
    if len(chosen) < 2:
        return None
    return LoopCheckpoint(
        loops=tuple(loop for checkpoint in chosen for loop in checkpoint.loops),
        values=tuple(number for checkpoint in chosen for number in checkpoint.values),
        size_bytes=sum(checkpoint.size_bytes for checkpoint in chosen),
        least=least,
        most=memory.together(checkpoint.most.edit for checkpoint in chosen),
    )


def _stack(program: Program, number: int, held: Held) -> Stack | None:
    """Return a value as a stack of a forward loop that a loop of the backward pass reads; None if it is none."""
    moment_of = program.dump.moment_of
    later = next((user for user in program.readers_of(number) if program.opcode(user) == "while"), None)
    if later is None or program.loop_directions.get(later) != "backward":
        return None
    result = _result_of_loop(program, program.place(number))
    loop = program.dump.values.names[result] if result is not None else ""
    sizes = program.shape(number).partition("[")[2].rstrip("]").split(",")
    dimensions = [int(size) for size in sizes if size.isdigit()]
    if result is None or program.opcode(loop) != "while" or len(dimensions) < 2:
        return None
    if program.loop_directions.get(loop) == "backward" or moment_of.get(later, -1) <= moment_of.get(loop, 0):
        return None
    return Stack(number=number, result=result, loop=loop, later=later, steps=dimensions[0], size_bytes=held.size_bytes)


def _result_of_loop(program: Program, place: Place) -> int | None:
    """Return the result of a loop that lies at a place, perhaps in another type or layout; None where none does."""
    for _ in range(_MOST_STEPS):
        if program.opcode(place.name) == "while":
            return program.dump.number_at(place.key)
        instruction = program.instruction(place.name)
        if instruction is None or len(instruction.operands) != 1:
            return None
        is_element = instruction.opcode == "get-tuple-element"
        place = program.storage.same(place)[0] if is_element else Place(instruction.operands[0])
    return None


def _dropped(program: Program, loop: str, stacks: Sequence[Stack]) -> Dropped | None:
    """Return what a checkpoint drops of the stacks of a loop; None where that is nothing.

    It keeps a stack of each array that is carried, which is made for it where there is none so far. The number of steps
    is that of the most bytes.
    """
    by_steps: defaultdict[int, int] = defaultdict(int)
    for stack in stacks:
        by_steps[stack.steps] += stack.size_bytes
    steps = max(by_steps, key=lambda steps: (by_steps[steps], steps))
    similar = sorted((s for s in stacks if s.steps == steps), key=lambda s: (-s.size_bytes, s.number))
    results: defaultdict[str, list[int]] = defaultdict(list)
    for stack in similar:
        results[_step_shape(program.shape(stack.number))].append(stack.result)
    kept: set[int] = set()
    added_bytes = 0
    for number in _carried(program, loop, stacks):
        shape = program.shape(number)
        left = [result for result in results[shape] if result not in kept]
        if left:
            kept.add(left[0])
        elif results[shape] or not shape.partition("[")[2].startswith(f"{steps},"):
            added_bytes += steps * program.dump.values.sizes[number]
    gone = [stack for stack in similar if stack.result not in kept]
    return Dropped(stacks=gone, added_bytes=added_bytes) if gone and steps > 1 else None


def _carried(program: Program, loop: str, stacks: Sequence[Stack]) -> Iterator[int]:
    """Yield the arrays that a step of a loop changes for the next one; without a text, all that are no stacks."""
    results = {stack.result for stack in stacks}
    roots = program.roots(loop)
    for number in program.dump.made_by[loop]:
        is_array = program.shape(number).endswith("]") and not program.shape(number).endswith("[]")
        if is_array and number not in results:
            leaf = program.place(number).leaf
            if all(_is_changed(program, root, leaf) for root in roots):
                yield number


def _is_changed(program: Program, root: str, leaf: Leaf) -> bool:
    """Return whether a body returns an array that it computes, and not one that is passed in, perhaps filled further.

    What each step reads may be passed in twice, the second time as a copy in faster memory.
    """
    seen: set[Leaf] = set()
    passed: Leaf | None = leaf
    while passed is not None and passed not in seen:
        seen.add(passed)
        leaf, passed = passed, _part_of_parameter(program, Place(root, passed))
    return passed != leaf


def _part_of_parameter(program: Program, place: Place) -> Leaf | None:
    """Return which part of the parameter of a body a place is, perhaps moved; None for what the body computes."""
    for _ in range(_MOST_STEPS):
        instruction = program.instruction(place.name)
        if instruction is None or (instruction.opcode == "while" and place.key in program.dump.number_of):
            return None
        if instruction.opcode == "parameter" and program.opcode(program.caller(place.name) or "") == "while":
            return place.leaf
        # The compiler copies slices of an array one by one, and then puts them together.
        is_call = instruction.opcode == "custom-call"
        is_moved = instruction.opcode in _MOVED or (is_call and PUT_TOGETHER in program.text(place.name))
        moved = [Place(operand) for operand in instruction.operands[:1] if is_moved]
        place = next(iter((*program.storage.same(place), *moved)), Place(""))
    return None


def _checkpoint(
    program: Program, memory: Memory, loops: Sequence[Dropped], starts: Mapping[str, int]
) -> LoopCheckpoint:
    """Return the checkpoint of the loops of one source line; `starts` are the first moments of the bodies of loops.

    It saves most if nothing of the dropped stacks is held, and least if one step of each is held in the backward loop.
    """
    gone = [stack for dropped in loops for stack in dropped.stacks]
    cuts = {
        number: [ALWAYS]
        for stack in gone
        for value in (stack.number, stack.result)
        for number in program.buffers.members(value)
    }
    slices = {number: [ALWAYS] for stack in gone for number in _slices(program, stack)}
    kept: list[Change] = []
    for dropped in loops:
        held = [memory.temps[stack.number] for stack in dropped.stacks]
        first, last = min(value.first for value in held), max(value.last for value in held)
        kept += ((first, dropped.added_bytes), (last + 1, -dropped.added_bytes))
    more = list(kept)
    moment_of = program.dump.moment_of
    for stack in gone:
        one_step = stack.size_bytes // stack.steps
        first = starts.get(stack.later, moment_of[stack.loop])
        more += ((first, one_step), (moment_of[stack.later] + 1, -one_step))
    return LoopCheckpoint(
        loops=tuple(dict.fromkeys(stack.loop for stack in gone)),
        values=tuple(stack.number for stack in gone),
        size_bytes=sum(stack.size_bytes for stack in gone),
        least=memory.without(cuts, more),
        most=memory.without(cuts | slices, kept),
    )


def _starts(program: Program) -> Mapping[str, int]:
    """Return the first moment of the body of each loop; none without a text."""
    starts: dict[str, int] = {}
    schedule = program.dump.schedule
    for moment, name in sorted(zip(schedule.moments, schedule.names, strict=True)):
        for loop in program.loops_around(name):
            starts.setdefault(loop, moment)
    return starts


def _slices(program: Program, stack: Stack) -> Sequence[int]:
    """Return the slices of one step that the backward loop takes of a stack, and their copies."""
    step = _step_shape(program.shape(stack.number))
    steps = (step, step.replace("[", "[1,"))

    def made_by(names: Iterable[str]) -> list[int]:
        return [made for name in names for made in program.dump.made_by.get(name, ()) if program.shape(made) in steps]

    readers = (name for number in program.buffers.members(stack.number) for name in program.readers_of(number))
    inside = (name for name in readers if stack.later in program.loops_around(name))
    slices = made_by(name for name in inside if any(program.runs(name, "dynamic-slice")))
    for number in slices:
        copies = made_by(name for name in program.readers_of(number) if program.opcode(name) in COPIES)
        slices += [copy for copy in copies if copy not in slices]
    return slices


def _step_shape(shape: str) -> str:
    """Return the shape of one step of a stack: `f32[8,64]` of `f32[12,8,64]`."""
    element_type, _, dimensions = shape.partition("[")
    return f"{element_type}[{dimensions.partition(',')[2]}"
