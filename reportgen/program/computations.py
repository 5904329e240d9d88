"""Follow the computations of a program: what an instruction runs, and where the parameters of that come from.

Only the HLO text knows computations. Without it every answer here is empty.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from reportgen.model import WHOLE
from reportgen.parse.instruction_parser import Instruction
from reportgen.parse.shape_parser import plain_shape
from reportgen.program.instructions import Instructions
from reportgen.program.opcodes import ASYNC, CALLERS
from reportgen.program.places import ASYNC_SCRATCH, Place, leaf_of

_CONDITION = re.compile(r", condition=%?([^\s,)}]+)")
_PASSING_ARRAYS = CALLERS | {"async-start", "fusion"}
"""Opcodes that pass their operands on as they are; a `reduce` or `sort` passes elements."""

_THREAD = re.compile(r', async_execution_thread="([^"]*)"')
_ASYNC_STEPS = 100  # from the last update of an operation to its start, because a damaged text may form a cycle

_PARAMETER = re.compile(r" parameter\((\d+)\)")


class Computations(Instructions):
    """The instructions of a program with the computations that they are in and that they run."""

    def place(self, number: int) -> Place:
        """Return where a value is defined."""
        values = self.dump.values
        return Place(values.names[number], leaf_of(values.shape_index(number)))

    def operands(self, name: str) -> tuple[int, ...]:
        """Return the values that an instruction reads, as far as its text names them."""
        instruction = self.instruction(name)
        numbers = (self.dump.number_at(operand + WHOLE) for operand in (instruction.operands if instruction else ()))
        return tuple(number for number in numbers if number is not None)

    @cached_property
    def span_ends(self) -> Mapping[str, int]:
        """Return the moment after the last instruction of each scheduled computation, by its root.

        Until then lives what a computation returns (XLA `HloLiveRange`, `computation_span_times_`).
        """
        if self.module is None:
            return {}
        last = {self.module.computation_of.get(name, ""): moment for name, moment in self.dump.moment_of.items()}
        return {root: last[home] + 1 for home, root in self.module.root_of.items() if home in last}

    def called(self, name: str) -> Sequence[str]:
        """Return the computations whose results an instruction returns: not the condition of a loop."""
        called = self.module.called_by.get(name, ()) if self.module else ()
        condition = self.condition(name) if len(called) > 1 else ""
        return tuple(computation for computation in called if computation != condition)

    def condition(self, loop: str) -> str:
        """Return the computation that says whether a loop goes on; empty where no text names it."""
        match = _CONDITION.search(self.text(loop))
        return match[1] if match else ""

    def roots(self, name: str) -> Sequence[str]:
        """Return the root of each computation whose result an instruction returns."""
        roots = self.module.root_of if self.module else {}
        return tuple(root for computation in self.called(name) if (root := roots.get(computation)))

    def is_wrapper(self, name: str) -> bool:
        """Return whether an instruction is a custom call that only runs a computation, as what libtpu offloads is."""
        instruction = self.instruction(name)
        if instruction is None or instruction.opcode != "custom-call" or len(roots := self.roots(name)) != 1:
            return False
        root = self.instruction(roots[0])
        return root is not None and plain_shape(root.shape) == plain_shape(instruction.shape)

    def caller(self, name: str) -> str | None:
        """Return the instruction that runs the computation around an instruction; None in the entry computation.

        Only the first of several callers is named. XLA has one for each computation whose values it places.
        """
        computation = self.module.computation_of.get(name, "") if self.module else ""
        if not self.module or computation == self.module.entry:
            return None
        return next(iter(self.module.callers_of.get(computation, ())), None)

    def parameter_number(self, name: str) -> int | None:
        """Return the number of a parameter; None for any other instruction."""
        if definition := self.definitions.get(name):
            return definition.parameter
        match = _PARAMETER.search(self.text(name))
        return int(match[1]) if match else None

    def operand_of_caller(self, parameter: str) -> str | None:
        """Return the operand that the caller of a computation passes to a parameter of it."""
        number, name = self.parameter_number(parameter), self.caller(parameter)
        caller = self.instruction(name) if name else None
        if caller is None or number is None:
            return None
        if caller.opcode == "while":
            number = 0
        elif caller.opcode == "conditional" and self.module:
            # Its first operand chooses the branch, and each branch has one operand.
            number = self.called(caller.name).index(self.module.computation_of[parameter]) + 1
        elif caller.opcode == "async-start" and not caller.operands:
            # Then the first update has the operands, after the start.
            caller, number = self._update_of(caller.name) or caller, number + 1
        return caller.operands[number] if number < len(caller.operands) else None

    def _update_of(self, start: str) -> Instruction | None:
        """Return the `async-update` that reads what an `async-start` makes; None without one."""
        readers = (user for number in self.dump.made_by.get(start, ()) for user in self.dump.users(number))
        updates = map(self.instruction, (reader.decode("utf-8", "replace") for reader in readers))
        return next((update for update in updates if update and update.opcode.endswith("-update")), None)

    def scratch_thread(self, place: Place) -> str:
        """Return the thread in whose scratch memory a place is, as `sparsecore`; empty for any other place.

        Only what starts or updates an asynchronous operation has scratch memory.
        """
        name = place.name
        if place.leaf[:1] < (ASYNC_SCRATCH,) or not self.opcode(name).endswith(ASYNC):
            return ""
        for _ in range(_ASYNC_STEPS):
            instruction = self.instruction(name)
            if instruction is None or not instruction.opcode.endswith("-update") or not instruction.operands:
                break
            name = instruction.operands[0]
        match = _THREAD.search(self.text(name))
        return match[1] if match else ""

    def outside(self, parameter: Place) -> Sequence[Place]:
        """Return the sources of a parameter of a computation: an operand of the caller and, in a loop, the body's root.

        Nothing for a parameter of the whole program, or of a computation that runs on single elements of arrays.
        """
        operand, caller = self.operand_of_caller(parameter.name), self.caller(parameter.name)
        if operand is None or caller is None:
            return ()
        if self.opcode(caller) not in _PASSING_ARRAYS and not self.is_wrapper(caller):
            return ()
        roots = self.roots(caller) if self.opcode(caller) == "while" else ()
        return Place(operand, parameter.leaf), *(Place(root, parameter.leaf) for root in roots)

    def runs_computations(self, name: str) -> bool:
        """Return whether an instruction runs computations: by its opcode or, without a text, by XLA's names."""
        opcode = self.opcode(name)
        return opcode in CALLERS if opcode else name.startswith(tuple(sorted(CALLERS)))

    def runs(self, name: str, opcode: str) -> Iterator[str]:
        """Yield the instructions with an opcode that an instruction is, or that the computations it calls contain."""
        if self.opcode(name) == opcode:
            yield name
        called = dict.fromkeys(self.module.called_by.get(name, ())) if self.module else {}
        for computation in (waiting := list(called)):
            for member in self.module.members(computation) if self.module else ():
                if self.module and self.module.opcode_of.get(member) == opcode:
                    yield member
                inside = self.module.called_by.get(member, ()) if self.module else ()
                waiting += [more for more in inside if more not in called]
                called.update(dict.fromkeys(inside))

    def exclude_each_other(self, first: str, second: str) -> bool:
        """Return whether two instructions are in different branches of one `conditional`."""
        branches = self.branches_around(second)
        return any(
            branches.get(conditional, branch) != branch for conditional, branch in self.branches_around(first).items()
        )

    def branches_around(self, name: str) -> Mapping[str, str]:
        """Return the branch that an instruction is in, by each `conditional` around it; nothing without HLO text."""
        if not self.module:
            return {}
        inside = (name, *self.module.path_to_entry(name))
        return {
            caller: self.module.computation_of[callee]
            for callee, caller in pairwise(inside)
            if self.opcode(caller) == "conditional"
        }

    def loops_around(self, name: str) -> Sequence[str]:
        """Return the loops that an instruction runs in, the innermost first."""
        around = self.module.path_to_entry(name) if self.module else ()
        return tuple(caller for caller in around if self.opcode(caller) == "while")

    @cached_property
    def loops(self) -> Sequence[str]:
        """Return every loop that the texts name."""
        names = self.module.called_by if self.module else self.definitions
        return tuple(name for name in names if self.opcode(name) == "while")
