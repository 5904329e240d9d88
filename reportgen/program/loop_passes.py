"""Tell which pass of a gradient each loop belongs to.

What the body runs decides, because a loop's own op_name may say neither: older versions of JAX call every outer loop
`jit(main)/while`. A checkpoint runs its part of the forward pass again within the backward pass, below
`rematted_computation`; a loop in there is a forward loop, and its own backward loop comes after it.

    transpose(jvp())/while/body/checkpoint/rematted_computation/while/body/mul
                     recomputes                                 is a forward loop
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from reportgen.program.computations import Computations
from reportgen.program.scopes import REMATERIALIZED, Direction, direction


def directions_of_loops(program: Computations) -> Mapping[str, Direction]:
    """Return the pass of a gradient that each loop belongs to; empty for one that belongs to none."""
    votes: defaultdict[str, Counter[Direction]] = defaultdict(Counter)
    for op_name, around in _in_loops(program):
        _, again, below = op_name.rpartition(REMATERIALIZED)
        votes[around[0]][direction(below) or ("forward" if again else "")] += 1
    return {loop: _pass(votes[loop], direction(program.op_name(loop))) for loop in program.loops}


def _pass(votes: Counter[Direction], stated: Direction) -> Direction:
    """Return the pass of a loop by the operations in its body; those of a checkpoint are forward in a backward loop."""
    if 2 * votes["backward"] >= max(votes["forward"], 1):
        return "backward"
    return "forward" if votes["forward"] else stated


def _in_loops(program: Computations) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the op_name of each instruction in a loop, with the loops around it, the innermost first."""
    for name in program.dump.schedule.names:
        around = tuple(program.loops_around(name))
        if around and (op_name := program.op_name(name)):
            yield op_name, around
