"""Find what the caller of a program sees of it: its arguments and its results."""

import re
from collections.abc import Iterator, Mapping, Sequence

from reportgen.model import WHOLE, Dump
from reportgen.program.instructions import Instructions
from reportgen.program.places import WHOLE_LEAF, Leaf, leaf_of

_POSITION = re.compile(rb"^ *(\S+)(?: (\{[\d,]*\}))?$", re.MULTILINE)


def arguments(program: Instructions) -> Mapping[int, int]:
    """Return the value of each argument, by the number of its allocation."""
    values = {}
    for number, occupants in enumerate(program.dump.occupants):
        allocation = program.dump.allocations[number]
        if allocation.parameter is not None and not allocation.is_thread_local:
            value = _argument(program, occupants)
            if value is not None:
                values[number] = value
    return values


def _argument(program: Instructions, occupants: Sequence[int]) -> int | None:
    """Return the parameter of the program among the values of an allocation, or the first value there.

    The parameter of a computation may lie there, too: that of a loop whose state the argument is.
    """
    names, module = program.dump.values.names, program.module
    opcodes = {value: program.opcode(names[value]) for value in occupants}
    parameters = [value for value in occupants if opcodes[value] == "parameter"]
    for parameter in parameters:
        if module and module.computation_of.get(names[parameter]) == module.entry:
            return parameter
    unknown = [value for value in occupants if not opcodes[value]]
    starts = program.dump.starts
    return min(parameters or unknown, key=lambda value: (starts[value], value), default=None)


def returning(program: Instructions) -> str:
    """Return the instruction whose result the program returns; empty where it is unknown.

    The HLO text states it. Without that text, it is the last definition in the allocation of the output's shape. Where
    the result is only another name for a value, it is the last instruction of the schedule.
    """
    module, dump = program.module, program.dump
    if module and (root := module.root_of.get(module.entry)):
        return root
    values, moment_of = dump.values, dump.moment_of
    of_output = (number for number, allocation in enumerate(dump.allocations) if allocation.output_shape is not None)
    wholes = (value for number in of_output for value in dump.occupants[number] if values.shape_index(value) == WHOLE)
    last = max(wholes, key=lambda value: (moment_of.get(values.names[value], -1), value), default=None)
    if last is not None:
        return values.names[last]
    return dump.schedule.names[-1] if len(dump.schedule) else ""


def results(dump: Dump, root: str) -> Mapping[Leaf, int]:
    """Return the value at each leaf of an instruction's result, as far as the dump leaves no doubt.

    Where two values claim a place, neither can be trusted.
    """
    values, doubtful = dict[Leaf, int](), set[Leaf]()
    if (whole := dump.number_at(root + WHOLE)) is not None:
        values[WHOLE_LEAF] = whole
    for leaf, value in _returned(dump, root):
        if values.setdefault(leaf, value) != value:
            doubtful.add(leaf)
    return {leaf: values[leaf] for leaf in sorted(values) if leaf not in doubtful}


def _returned(dump: Dump, root: str) -> Iterator[tuple[Leaf, int]]:
    """Yield the leaves of the root instruction, each with a value that lies there."""
    name = root.encode()
    # Searched for first, so that only the rows that name the root are taken apart.
    needle = b"  " + name + b" {"
    positions = dump.used_values.positions if dump.used_values else []
    for value, row in enumerate(dump.used_rows):
        if row >= 0 and needle in positions[row]:
            for match in _POSITION.finditer(positions[row]):
                if match[1] == name and match[2] and (leaf := leaf_of(match[2].decode())):
                    yield leaf, value
