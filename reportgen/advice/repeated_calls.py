"""Compute the peak if a function of the user's program that runs several times were checkpointed.

Layers in a Python loop have no scope of their own, but the stacks of source lines say which function made each array.
Calls of one function from one line have equal stacks, so the calls are told apart by time: each begins where the line
of the function that comes first in all of them is reached again.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from reportgen.advice.checkpoint import Array, Checkpoint, Lifetime, Unit, by_scope
from reportgen.advice.context import AdviceContext
from reportgen.advice.memory import Memory
from reportgen.analyse.records import Analysis
from reportgen.parse.stack_frames import Frame
from reportgen.program.program import Program
from reportgen.program.scopes import REMATERIALIZED, direction

_MOST_FUNCTIONS = 8
"""Functions that are tried: those that made most of what the backward pass reads."""

_NEARLY_ALL = 1.05
"""How many times what an inner function saves the functions around it may save."""

_ONCE_PART = 20
"""A line that makes one array may make less than this part of the bytes: a compiler drops those of some calls."""

_NO_FUNCTIONS = frozenset(("<module>", "<lambda>"))


class Function(NamedTuple):
    """A function of the user's program."""

    name: str
    file: str


def repeated_calls(context: AdviceContext, memory: Memory, kept: Sequence[Array]) -> Sequence[Checkpoint]:
    """Return a checkpoint of the innermost function that makes nearly all that the backward pass reads.

    There is none where no function runs several times in the forward pass. `kept` is what is held for the backward
    pass.
    """
    analysis = context.analysis
    arrays = [array for array in kept if array.is_forward]
    stacks = {array.values: analysis.authors.of(array.values[0]).stack for array in arrays}
    sizes = _bytes_by_function(context, arrays, stacks)
    if not sizes:
        return []
    checkpoints: list[Checkpoint] = []
    seen: set[frozenset[tuple[int, ...]]] = set()
    program = context.program
    moments = {moment for array in arrays for moment in array.reads}
    reads = {moment: _functions(program.stack(program.instruction_at(moment))) for moment in moments}
    lifetimes = list(_made_forward(analysis, memory, max((array.last_forward for array in arrays), default=0)))
    for function, _ in sizes.most_common(_MOST_FUNCTIONS):
        inside = [array for array in arrays if function in _functions(stacks[array.values])]
        # What makes the same arrays as a function in it may be called once, with a loop around the other's calls.
        if (values := frozenset(array.values for array in inside)) in seen:
            continue
        seen.add(values)
        calls = _calls(analysis, function, inside, stacks)
        if len(calls) > 1 and function.name.rpartition(".")[2] not in _NO_FUNCTIONS:
            checkpoints.append(_checkpoint(context, memory, function, calls, arrays, inside, reads, lifetimes))
    saved = {checkpoint.scope: _saved(memory, checkpoint) for checkpoint in checkpoints}
    nearly_all = [
        checkpoint for checkpoint in checkpoints if saved[checkpoint.scope] * _NEARLY_ALL >= max(saved.values())
    ]
    # The first of those with the fewest bytes, because stacks begin with the innermost function.
    return [min(nearly_all, key=lambda checkpoint: checkpoint.size_bytes)] if nearly_all else []


def _bytes_by_function(
    context: AdviceContext, arrays: Iterable[Array], stacks: Mapping[tuple[int, ...], Sequence[Frame]]
) -> Counter[Function]:
    """Return the bytes of the arrays that are made in each function, but for those of the loss or of a checkpoint."""
    sizes: Counter[Function] = Counter()
    for array in arrays:
        sizes.update(dict.fromkeys(_functions(stacks[array.values]), array.size_bytes))
    for function in _loss_functions(context) | _recomputed(context.program):
        del sizes[function]
    return sizes


def _made_forward(analysis: Analysis, memory: Memory, end: int) -> Iterator[Lifetime]:
    """Yield the lives of what the forward pass makes, up to a moment."""
    for number, held in memory.temps.items():
        if number >= 0 and held.first <= end and direction(analysis.authors.of(number).scope) == "forward":
            yield held.first, min(held.last, end), held.size_bytes


def _saved(memory: Memory, checkpoint: Checkpoint) -> int:
    """Return what a checkpoint saves at least or, where it may save more, what it is about."""
    return checkpoint.size_bytes if checkpoint.is_open else memory.peak.peak_bytes - checkpoint.least.peak_bytes


def _loss_functions(context: AdviceContext) -> Set[Function]:
    """Return the functions that make a scalar which the program returns: the loss, of which there is one."""
    analysis, program = context.analysis, context.program
    scalars = (number for number in program.results.values() if program.shape(number).endswith("[]"))
    authors = map(analysis.authors.of, scalars)
    return {
        function for author in authors if direction(author.scope) == "forward" for function in _functions(author.stack)
    }


def _recomputed(program: Program) -> Set[Function]:
    """Return the functions of which a checkpoint runs half of the lines of the forward pass again."""
    if not any(REMATERIALIZED in op_name for op_name in program.op_names):
        return frozenset()
    forward: defaultdict[Function, set[int]] = defaultdict(set)
    again: defaultdict[Function, set[int]] = defaultdict(set)
    for name, op_name in zip(program.dump.schedule.names, program.op_names, strict=True):
        lines = again if REMATERIALIZED in op_name else forward if direction(op_name) == "forward" else None
        for frame in program.stack(name) if lines is not None else ():
            if lines is not None and not frame.is_of_library and frame.function:
                lines[Function(frame.function, frame.file)].add(frame.line)
    return {function for function, lines in forward.items() if 2 * len(lines & again[function]) > len(lines)}


def _functions(stack: Sequence[Frame]) -> Sequence[Function]:
    own = (frame for frame in stack if not frame.is_of_library and frame.function)
    return tuple(dict.fromkeys(Function(frame.function, frame.file) for frame in own))


def _calls(
    analysis: Analysis, function: Function, inside: Sequence[Array], stacks: Mapping[tuple[int, ...], Sequence[Frame]]
) -> Sequence[int]:
    """Return the moments at which the calls of a function begin; none if a large line or most of them run only once."""
    starts = analysis.dump.starts
    lines: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    of_line: defaultdict[int, list[int]] = defaultdict(list)
    for array in inside:
        frame = next(f for f in stacks[array.values] if (f.function, f.file) == function)
        name = analysis.authors.of(array.values[0]).scope.rpartition("/")[2]
        lines[frame.line, name].append(min(starts[number] for number in array.values))
        of_line[frame.line].append(array.size_bytes)
    once = sum(sizes[0] for sizes in of_line.values() if len(sizes) == 1)
    if once * _ONCE_PART > sum(array.size_bytes for array in inside):
        return ()
    # The usual number of calls; what runs once decides only if nothing runs more often.
    counts = Counter(len(moments) for moments in lines.values())
    count = max(counts, key=lambda count: (counts[count] * (count > 1), count))
    if 2 * sum(2 * len(sizes) < count for sizes in of_line.values()) > len(of_line):
        return ()
    # A line may make several arrays in each call.
    each = (sorted(m)[:: len(m) // count] for m in lines.values() if len(m) % count == 0)
    return min(each, key=min)


def _checkpoint(
    context: AdviceContext,
    memory: Memory,
    function: Function,
    calls: Sequence[int],
    arrays: Sequence[Array],
    inside: Sequence[Array],
    reads: Mapping[int, Sequence[Function]],
    lifetimes: Sequence[Lifetime],
) -> Checkpoint:
    """Return a checkpoint around each call of a function; the calls begin at the moments `calls`.

    `inside` are the arrays made in them, and `reads` has the functions around each reader by its moment.
    """

    def unit(moment: int) -> Unit:
        return (f"{function.name}{bisect_right(calls, moment)}",)

    starts, within = context.program.dump.starts, {array.values for array in inside}
    # The loss reads the last call's result after it, and is in no call.
    of_calls = {moment for moment, functions in reads.items() if function in functions}
    placed = [
        replace(
            array,
            unit=unit(starts[array.values[0]]) if array.values in within else ("",),
            readers=frozenset(unit(moment) if moment in of_calls else ("",) for moment in array.reads),
        )
        for array in arrays
    ]
    made: defaultdict[Unit, list[Lifetime]] = defaultdict(list)
    for lifetime in lifetimes:
        made[unit(lifetime[0])].append(lifetime)
    units = next(iter(by_scope(array for array in placed if array.values in within).values()), {})
    return context.checkpoints.around(memory, function.name, units, placed, made)
