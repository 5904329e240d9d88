"""Compute the peak if the backward pass recomputed a loop's body, as `jax.checkpoint` in a `scan` does.

A scan keeps what its backward pass reads of each step in stacks, arrays with the number of steps as their first
dimension. They leave the forward loop as its results and enter the backward loop. With a checkpoint only the carry
of each step is kept. The saving is a range: all other stacks are gone for their whole life (*high*), or one step of
each is held from the end of the forward loop to that of the backward loop (*low*).
"""

from collections import defaultdict
from collections.abc import Sequence

from reportgen.advice.framework import user_frame
from reportgen.advice.memory import ALWAYS, Held, Memory, PeakAfter
from reportgen.intervals.step_function import Change
from reportgen.program.loop_passes import recomputing_loops
from reportgen.program.places import Place
from reportgen.program.program import Program
from reportgen.record import record

_MOST_STEPS = 10  # from a result to the loop that it is of


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
class LoopCheckpoint:
    """What a checkpoint around the body of `loop` does: the least and the most that it saves.

    The compiler may have made several loops of one line, as of the layers of a network; then it is about all of them.
    """

    loop: str
    values: tuple[int, ...]
    stack_bytes: int
    least: PeakAfter
    most: PeakAfter


def loop_checkpoints(program: Program, memory: Memory) -> list[LoopCheckpoint]:
    """Return the loops whose stacks could be recomputed, one for each source line, that which saves most first."""
    if not (program.has_backward_pass and program.loops):
        return []
    recomputing = recomputing_loops(program)
    by_loop: defaultdict[tuple[str, str], list[Stack]] = defaultdict(list)
    for number, held in memory.temps.items():
        if number >= 0 and (stack := _stack(program, number, held)) and stack.later not in recomputing:
            by_loop[stack.loop, stack.later].append(stack)
    by_line: defaultdict[str, list[Stack]] = defaultdict(list)
    for (loop, _), stacks in by_loop.items():
        by_line[str(user_frame(program, loop) or loop)] += _dropped(program, stacks)
    found = [_checkpoint(program, memory, stacks) for stacks in by_line.values() if stacks]
    return sorted(found, key=lambda one: (one.least.peak_bytes, one.loop))


def _stack(program: Program, number: int, held: Held) -> Stack | None:
    """Return a value as a stack of a forward loop that a loop of the backward pass reads; None if it is none."""
    moment_of = program.dump.moment_of
    users = (user.decode("utf-8", "replace") for user in program.dump.users(number))
    later = next((user for user in users if program.opcode(user) == "while"), None)
    if later is None or program.loop_directions.get(later) != "backward":
        return None
    result = _result_of_loop(program, program.place(number))
    loop = program.dump.values.names[result] if result is not None else ""
    sizes = program.shape(number).partition("[")[2].rstrip("]").split(",")
    dimensions = [int(size) for size in sizes if size.isdigit()]
    if result is None or len(dimensions) < 2 or program.loop_directions.get(loop) == "backward":
        return None
    if moment_of.get(later, -1) <= moment_of.get(loop, 0):
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


def _dropped(program: Program, stacks: Sequence[Stack]) -> Sequence[Stack]:
    """Return the stacks of a loop but one of a carry's shape, or the smallest, which a checkpoint keeps.

    The number of steps is that of the most bytes.
    """
    by_steps: defaultdict[int, int] = defaultdict(int)
    for stack in stacks:
        by_steps[stack.steps] += stack.size_bytes
    steps = max(by_steps, key=lambda steps: (by_steps[steps], steps))
    alike = sorted((s for s in stacks if s.steps == steps), key=lambda s: (-s.size_bytes, s.number))
    if steps < 2 or len(alike) < 2:
        return ()
    carried = {program.shape(n) for n in program.dump.made_by[stacks[0].loop]}
    carry = [s for s in alike if _step_shape(program.shape(s.number)) in carried]
    kept = carry[0] if carry else alike[-1]
    return [stack for stack in alike if stack is not kept]


def _checkpoint(program: Program, memory: Memory, gone: Sequence[Stack]) -> LoopCheckpoint:
    cuts = {
        number: [ALWAYS]
        for stack in gone
        for one in (stack.number, stack.result)
        for number in program.buffers.members(one)
    }
    more: list[Change] = []
    moment_of = program.dump.moment_of
    for stack in gone:
        one_step = stack.size_bytes // stack.steps
        more += ((moment_of[stack.loop], one_step), (moment_of[stack.later] + 1, -one_step))
    return LoopCheckpoint(
        loop=gone[0].loop,
        values=tuple(stack.number for stack in gone),
        stack_bytes=sum(stack.size_bytes for stack in gone),
        least=memory.without(cuts, more),
        most=memory.without(cuts),
    )


def _step_shape(shape: str) -> str:
    """Return the shape of one step of a stack: `f32[8,64]` of `f32[12,8,64]`."""
    element_type, _, dimensions = shape.partition("[")
    return f"{element_type}[{dimensions.partition(',')[2]}"
