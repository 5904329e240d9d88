"""Tell which values may hold the same bytes at one moment of the schedule, and why.

A `conditional` runs one branch, but the schedule lists all of them one after the other, and then the `conditional`
itself. So an operand of the `conditional` seems to live through all of them, and values of two branches at once.

Another thread runs its asynchronous operations one after the other, while the schedule lists when they may start and
must be done. So the compiler gives the scratch memory of all of them one place.
"""

from reportgen.analyse.records import Conflict
from reportgen.program.program import Program


def why_shared(program: Program, conflict: Conflict) -> str:
    """Return the kind of finding that explains why two values share bytes; empty without one."""
    if program.dump.text.origin == "trace":
        return "no-live-ranges"
    if _in_other_branches(program, conflict):
        return "exclusive-branches"
    threads = {program.scratch_thread(program.place(number)) for number in (conflict.earlier, conflict.later)}
    return "shared-scratch" if len(threads) == 1 and threads != {""} else ""


def _in_other_branches(program: Program, conflict: Conflict) -> bool:
    """Return whether two values that share bytes are never needed at once, because branches exclude each other.

    Otherwise the later value must be in a branch, and whoever needs the earlier one after the later one has begun must
    be the `conditional` around it, whose branch has read it by then, or be in another branch. XLA prints a longer range
    where another value of the buffer is needed longer (`HloLiveRange::NormalizeAliasedBuffers`).
    """
    dump = program.dump
    earlier, later = dump.values.names[conflict.earlier], dump.values.names[conflict.later]
    if program.exclude_each_other(earlier, later):
        return True
    around, used, span_ends = program.branches_around(later), dump.used(conflict.earlier), program.span_ends
    needs = {name: dump.moment_of.get(name, -1) for name in program.readers_of(conflict.earlier)}
    needs |= {at.name: span_ends[at.name] for at in (used.positions if used else ()) if at.name in span_ends}
    return bool(around) and all(
        name in around or moment <= conflict.first or program.exclude_each_other(name, later)
        for name, moment in needs.items()
    )
