"""Find what is computed for all steps of a loop before it, although each step reads only its own part.

Weights that are converted from a narrower type before a `scan` are held as a whole while it runs. What depends on
arguments alone can be computed in the body, from what the caller holds anyway; then one step of it is held at a time.

What is made of a wider type is left out, because XLA itself moves it out of the body again, and so is what is trained:
the loop of the backward pass would hold a gradient for each step in the wider type.
"""

from collections.abc import Collection, Iterator, Sequence

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.context import AdviceContext
from reportgen.advice.framework import place
from reportgen.advice.memory import ALWAYS, Memory, PeakRange
from reportgen.advice.suggest import suggest_range
from reportgen.intervals.step_function import Change
from reportgen.parse.shape_parser import plain_shape
from reportgen.program.opcodes import COPIES, RENAMES
from reportgen.program.program import Program

_MOST_STEPS = 50  # because the operands of a damaged dump may form a cycle
_SMALL_PART = 50
_PASSED_ON = frozenset(("tuple", "while", "get-tuple-element", "opt-barrier"))
_NO_INPUT = frozenset(("constant", "iota"))
_FUSED = frozenset(("broadcast", "convert", "divide", "fusion", "multiply", "reshape", "subtract", "transpose"))


def find_hoisted(context: AdviceContext) -> Iterator[Suggestion]:
    """Yield the suggestion to compute in the body of a loop what each of its steps reads a part of."""
    trained = [argument.number for argument in context.state] if context.program.has_backward_pass else []
    if hoisted := _hoisted(context.program, context.memory, trained):
        count = len(hoisted.values) - 1
        others = f" and {count} more array{'s' * (count > 1)}" if count else ""
        loop = _loop(context.program, hoisted.values)
        what = f"compute {context.described(hoisted.values)}{others} one step at a time in the loop {loop}"
        yield suggest_range(context, "copy", what, hoisted)


def _loop(program: Program, values: Sequence[int]) -> str:
    """Return where the outermost loop is that reads some values."""
    around = (program.loops_around(name) for number in values for name in program.readers_of(number))
    at = next((place(program, loops[-1]) for loops in around if loops), "")
    return f"at {at}" if at else "that reads it"


def _hoisted(program: Program, memory: Memory, trained: Collection[int]) -> PeakRange | None:
    """Return what could be computed in the body of the loop that reads it; None where there is nothing.

    The least is saved if one step of each buffer is held, and the most if nothing is. `trained` are the arguments of
    which nothing may be computed there.
    """
    if not program.loops:
        return None
    fixed = frozenset(program.arguments.values()).difference(trained)
    buffers = [number for number in memory.at_peak if number >= 0 and _is_hoisted(program, number, fixed)]
    if not buffers:
        return None
    cuts = {member: [ALWAYS] for number in buffers for member in program.buffers.members(number)}
    more: list[Change] = []
    for number in buffers:
        held = memory.temps[number]
        step = held.size_bytes // _steps(program, number)
        more += ((held.first, step), (held.last + 1, -step))
    return PeakRange(
        values=tuple(buffers),
        size_bytes=sum(memory.temps[number].size_bytes for number in buffers),
        least=memory.without(cuts, more),
        most=memory.without(cuts),
    )


def _steps(program: Program, number: int) -> int:
    """Return the first dimension of a value."""
    first = program.shape(number).partition("[")[2].rstrip("]").partition(",")[0]
    return int(first) if first.isdigit() and int(first) else 1


def _is_hoisted(program: Program, number: int, arguments: frozenset[int]) -> bool:
    name = program.dump.values.names[number]
    if program.opcode(name) not in _FUSED or program.loops_around(name) or len(program.buffers.members(number)) > 1:
        return False
    return _is_read_by_steps(program, number) and _is_made_of_less(program, number, arguments)


def _is_read_by_steps(program: Program, number: int) -> bool:
    """Return whether only instructions in loops read a value, each a step of it, and any does."""
    steps = _steps(program, number)
    readers = [name for name in program.readers_of(number) if program.opcode(name) not in _PASSED_ON]
    element_type, _, dimensions = program.shape(number).partition("[")
    step = f"{element_type}[1,{dimensions.partition(',')[2]}"

    def reads_a_step(name: str) -> bool:
        slices = map(program.instruction, program.runs(name, "dynamic-slice"))
        return bool(program.loops_around(name)) and any(part and plain_shape(part.shape) == step for part in slices)

    return steps > 1 and bool(readers) and all(map(reads_a_step, readers))


def _is_made_of_less(program: Program, number: int, arguments: frozenset[int]) -> bool:
    """Return whether a value is computed from fewer bytes of arguments alone, but for what is small and may stay."""
    waiting, sizes = [number], program.dump.values.sizes
    for value in waiting:
        name = program.dump.values.names[value]
        operands = program.operands(name)
        if value in arguments or program.opcode(name) in _NO_INPUT or sizes[value] * _SMALL_PART <= sizes[number]:
            continue
        if program.opcode(name) not in _FUSED | COPIES | RENAMES or not operands or len(waiting) > _MOST_STEPS:
            return False
        waiting += [operand for operand in operands if operand not in waiting]
    return sum(sizes[argument] for argument in arguments.intersection(waiting)) < sizes[number]
