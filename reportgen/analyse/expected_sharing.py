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
    if _in_other_branches(program, conflict):
        return "exclusive-branches"
    threads = {program.scratch_thread(program.place(number)) for number in (conflict.earlier, conflict.later)}
    return "shared-scratch" if len(threads) == 1 and threads != {""} else ""


def _in_other_branches(program: Program, conflict: Conflict) -> bool:
    """Return whether two values that share bytes are never needed at once, because branches exclude each other.

    Otherwise the earlier value must be an operand of the `conditional` around the later one, and whoever reads it
    afterwards must be that `conditional`, whose branch has read it by then, or be in another branch.
    """
    dump = program.dump
    earlier, later = dump.values.names[conflict.earlier], dump.values.names[conflict.later]
    if program.exclude_each_other(earlier, later):
        return True
    around = program.branches_around(later)
    readers = [user.decode("utf-8", "replace") for user in dump.users(conflict.earlier)] if around else []
    return any(reader in around for reader in readers) and all(
        reader in around
        or dump.moment_of.get(reader, -1) <= conflict.first
        or program.exclude_each_other(reader, later)
        for reader in readers
    )
