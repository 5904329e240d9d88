"""Index a HloModuleProto: its instructions, what each runs and reads, and the order in which they run."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from reportgen.errors import shown
from reportgen.protos.escapes import plain_name
from reportgen.protos.proto_messages import ProtoError, decoded
from reportgen.protos.shape_text import Shapes

SPANNING = frozenset(("call", "conditional", "while"))
"""Opcodes that run a computation whose values are placed with those around it."""

_RESULT = 1  # the part of what starts or continues asynchronous work that has its result


@dataclass(slots=True)
class AsyncWork:
    """Work that runs beside other instructions, from `async-start` over any `async-update` to `async-done`.

    Start and updates hand over `operands`, in the order of the parameters of `computation`. At `ready` the last of them
    and the place of the result are known (XLA `IsFirstFullyBound`); `last` is what waits for the work.
    """

    computation: int
    operands: list[int]
    ready: int
    last: int


class HloModule:
    """The module of one proto. Instructions and computations are known by their ids.

    What is needed of every instruction is kept in plain columns, and the message of each is decoded again when it is
    printed, because a hundred thousand decoded messages take more memory than all else.
    """

    def __init__(self, proto: Any) -> None:
        """Index a module. Raises ProtoError if an instruction reads one that does not exist."""
        self.proto = proto
        self.name = plain_name(proto.name)
        self.entry: int = proto.entry_computation_id
        self.shapes = Shapes()
        self.computation_names: dict[int, str] = {}
        self.threads: dict[int, bytes] = {}
        """The thread that runs each computation, where it is not the main one."""
        self.roots: dict[int, int] = {}
        self.members_of: dict[int, Sequence[int]] = {}
        """The instructions of each computation, each after those that it reads."""
        self.names: dict[int, str] = {}
        self.opcodes: dict[int, str] = {}
        self.computation_of: dict[int, int] = {}
        self.shape_of: dict[int, bytes] = {}
        """The shape of each result; equal ones are one object, because the shape of a tuple is long."""
        self.numbers: dict[int, int] = {}
        """The number that a parameter has, or the part that is taken from a tuple."""
        self._operands: dict[int, Sequence[int]] = {}
        self._called: dict[int, Sequence[int]] = {}
        self._messages: dict[int, bytes] = {}
        self._same_shape: dict[bytes, bytes] = {}
        self._opcode = cache(plain_name)
        for computation in proto.computations:
            self._add(computation)
        self._check_operands()
        self.schedule: dict[int, Sequence[int]] = {
            sequence.key: [number for number in sequence.value.instruction_ids if number in self.names]
            for sequence in proto.schedule.sequences
            if sequence.key in self.roots
        }
        self.parameter = cache(self._parameter)

    def _add(self, computation: Any) -> None:
        """Index the instructions of a computation; messages stay encoded until a line of them is printed."""
        members = []
        for message in computation.instructions:
            instruction = decoded("HloInstructionProto", message)
            number, shape, opcode = instruction.id, instruction.shape, self._opcode(instruction.opcode)
            members.append(number)
            self.names[number] = plain_name(instruction.name)
            self.opcodes[number] = opcode
            self.computation_of[number] = computation.id
            self.shape_of[number] = self._same_shape.setdefault(shape, shape)
            self._messages[number] = message
            if operands := tuple(instruction.operand_ids):
                self._operands[number] = operands
            if called := tuple(instruction.called_computation_ids):
                self._called[number] = called
            if opcode == "parameter":
                self.numbers[number] = instruction.parameter_number
            elif opcode == "get-tuple-element":
                self.numbers[number] = instruction.tuple_index
        self.members_of[computation.id] = members
        self.roots[computation.id] = computation.root_id
        self.computation_names[computation.id] = plain_name(computation.name)
        if computation.execution_thread not in (b"", b"main"):
            self.threads[computation.id] = computation.execution_thread

    def _check_operands(self) -> None:
        for number, operands in self._operands.items():
            for read in operands:
                if read not in self.names:
                    raise ProtoError(f"{shown(self.names[number])} reads an instruction {read} that there is not")

    def message(self, number: int) -> Any:
        """Return the message of an instruction. Raises ProtoError."""
        return decoded("HloInstructionProto", self._messages[number])

    def computation_name(self, number: int) -> str:
        """Return the name of a computation. Raises ProtoError where there is none of this id."""
        if number not in self.computation_names:
            raise ProtoError(f"the module has no computation {number}, which an instruction runs")
        return self.computation_names[number]

    def operands(self, number: int) -> Sequence[int]:
        """Return the instructions whose results an instruction reads."""
        return self._operands.get(number, ())

    def called(self, number: int) -> Sequence[int]:
        """Return the computations that an instruction runs; of a loop, the body and then the condition."""
        return self._called.get(number, ())

    @property
    def readers(self) -> Iterable[tuple[int, Sequence[int]]]:
        """Return each instruction that reads others, and those in the order of its operands."""
        return self._operands.items()

    @cached_property
    def async_work(self) -> Mapping[int, AsyncWork]:
        """Return the work that each asynchronous instruction starts, continues or waits for. Raises ProtoError."""
        work_of: dict[int, AsyncWork] = {}
        for number, opcode in self.opcodes.items():
            operands = self.operands(number)
            if opcode == "async-start" and (called := self.called(number)):
                work_of[number] = AsyncWork(called[0], list(operands), ready=number, last=number)
            elif opcode in ("async-update", "async-done") and operands and (work := work_of.get(operands[0])):
                work_of[number] = work
                work.last = number
                work.operands += operands[1:]
                if len(operands) > 1 or self.places_result(number):
                    work.ready = number
        return work_of

    def places_result(self, number: int) -> bool:
        """Return whether the result of asynchronous work has no place before an instruction. Raises ProtoError."""
        if self.opcodes[number] != "async-update":
            return self.opcodes[number] == "async-start"
        shapes = (self.shape_of[instruction] for instruction in (number, self.operands(number)[0]))
        own, previous = (self.shapes.leaf(shape, (_RESULT,)) for shape in shapes)
        return own != previous

    @cached_property
    def by_name(self) -> Mapping[str, int]:
        """Return instructions by their names, by which protos before 2022 know them."""
        return {name: number for number, name in self.names.items()}

    def is_root(self, number: int) -> bool:
        """Return whether an instruction is the root of its computation."""
        return self.roots[self.computation_of[number]] == number

    @cached_property
    def tuples(self) -> frozenset[int]:
        """Return the instructions whose results are tuples."""
        text = self.shapes.text
        return frozenset(number for number, shape in self.shape_of.items() if text(shape).startswith("("))

    def members(self, computation: int) -> Iterable[int]:
        """Return the instructions of a computation, in the order in which they run where that is known."""
        own = self.members_of[computation]
        scheduled = self.schedule.get(computation, ())
        return scheduled if len(scheduled) == len(own) and set(scheduled) == set(own) else own

    @cached_property
    def fused(self) -> frozenset[int]:
        """Return the computations that are the insides of fusions, which define no values."""
        return frozenset(
            called for number, several in self._called.items() if self.opcodes[number] == "fusion" for called in several
        )

    @cached_property
    def callers(self) -> Mapping[int, Sequence[int]]:
        """Return the instructions that run each computation."""
        callers: defaultdict[int, list[int]] = defaultdict(list)
        for number, several in self._called.items():
            for called in several:
                callers[called].append(number)
        return callers

    @cached_property
    def aliased_arguments(self) -> frozenset[tuple[int, tuple[int, ...]]]:
        """Return the parts of parameters whose bytes the program returns, as a number and an index."""
        return frozenset(
            (entry.parameter_number, tuple(entry.parameter_shape_index))
            for entry in self.proto.input_output_alias.entries
        )

    def _parameter(self, computation: int) -> int | None:
        """Return the first parameter of a computation."""
        return self.parameters(computation).get(0)

    def parameters(self, computation: int) -> Mapping[int, int]:
        """Return the parameters of a computation by their numbers, in order."""
        own = [number for number in self.members_of.get(computation, ()) if self.opcodes[number] == "parameter"]
        return {self.numbers[number]: number for number in sorted(own, key=self.numbers.__getitem__)}
