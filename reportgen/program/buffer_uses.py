"""Tell when the bytes of a buffer are written and read.

XLA lists a use of a value where an instruction only hands it on: the tuple that a loop's body ends with, the loop
itself, a `get-tuple-element`. The data is read later, under the name of another value of the same buffer:

    loop body:  fusion.15  = dynamic-update-slice(param.0{14}, …)     writes one layer
                tuple.197  = tuple(…, fusion.15, …)                   hands it on
    later:      fusion.410 = fusion(while.120{14})                    reads what all rounds have written
"""

from collections.abc import Sequence

from reportgen.program.program import Program

_MERGES = frozenset(("while", "conditional", "parameter"))
"""Opcodes whose values have been written by other instructions."""


def same_contents(program: Program, number: int) -> Sequence[int]:
    """Return the values of a buffer with the contents of a value: what is written, and what only passes it on."""
    members = program.buffers.members(number)
    first = last = members.index(number)
    while first > 0 and _merges(program, members[first]):
        first -= 1
    while last + 1 < len(members) and _merges(program, members[last + 1]):
        last += 1
    return members[first : last + 1]


def writes(program: Program, members: Sequence[int]) -> Sequence[int]:
    """Return the moments at which values of a buffer are written, in order; an argument is there from the start."""
    dump = program.dump
    made = [
        member
        for member in members
        if dump.allocations[dump.values.allocations[member]].parameter is None and dump.starts[member] >= 0
    ]
    written = sorted({dump.starts[member] for member in made if _is_written(program, member)})
    return written or sorted(dump.starts[member] for member in made)[:1]


def reads(program: Program, members: Sequence[int]) -> Sequence[int]:
    """Return the moments at which values of a buffer are read, in order, but for those that update it in place.

    What only hands the buffer on counts where nothing else is known to read it.
    """
    names = program.dump.values.names
    own = {names[member] for member in members}
    found = {read for member in members for read in program.reads(member)}
    readers = {moment for moment in found if program.instruction_at(moment) not in own}
    return sorted(readers - program.hand_on_moments) or sorted(readers)


def read_next_round(program: Program, members: Sequence[int], moment: int) -> tuple[int, str] | None:
    """Return when the next round of a loop that runs at a moment reads a buffer, and the loop; None if none does."""
    read = reads(program, members)
    for loop in program.loops_around(program.instruction_at(moment)):
        for again in read:
            if again < moment and loop in program.loops_around(program.instruction_at(again)):
                return again, loop
    return None


def _is_written(program: Program, number: int) -> bool:
    """Return whether the instruction of a value writes it, and does not only allocate what a loop fills."""
    name = program.dump.values.names[number]
    allocates = program.opcode_or_name(name) == "custom-call" and '"AllocateBuffer"' in program.text(name)
    return not allocates and not _merges(program, number)


def _merges(program: Program, number: int) -> bool:
    return program.opcode_or_name(program.dump.values.names[number]) in _MERGES
