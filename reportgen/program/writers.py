"""Find the operation that computes the data at a place: behind copies, loops, fusions and the stacks of a scan.

The instruction that defines a value is often not the one a reader would name. The result of a `while` is written by an
operation in its body; a `copy-start` moves what another instruction computed; a fusion does what the root of its
computation does. A scan that collects a result writes it slice by slice, and the author of the stack is whoever
computes the slices. Only the HLO text tells what is inside loops and fusions.
"""

import re
from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from math import prod
from typing import NamedTuple

from reportgen.parse.instruction_parser import Instruction
from reportgen.parse.shape_parser import plain_shape
from reportgen.program.author import UNNAMED_ARGUMENT, Author, Rule
from reportgen.program.computations import Computations
from reportgen.program.opcodes import MOVES, RENAMES, SHAPING, WRITES_NOTHING, ZEROS
from reportgen.program.places import ASYNC_RESULT, ASYNC_SCRATCH, WHOLE_LEAF, Leaf, Place, index_of
from reportgen.program.scopes import is_operation
from reportgen.program.storage import Storage

_IMPORTANCE: Sequence[Rule] = ("update", "loop", "fusion", "called", "moved")
"""The rules on the way to an operation, the one to show first."""

_STACKING = ("dynamic_update_index_in_dim", "dynamic_index_in_dim", "TensorListPushBack", "TensorListSetItem")
"""The names that JAX and TensorFlow give the operations by which a loop reads and writes its stacks."""

_UNLOCATED = "/body/dynamic_update_slice"

_COLLECTIVES = re.compile(
    r"/(?:all_gather|all_to_all|p(?:max|mean|min|permute|scatter|shuffle|sum)|reduce_scatter)\w*$"
)
"""The end of the op_name of a collective that the user has written; those of the partitioner have other names."""

COMBINED = frozenset(("all-gather", "all-reduce", "all-to-all", "collective-permute", "reduce-scatter"))
_COMBINED_STARTS = frozenset(("all-gather-start", "all-reduce-start"))
"""Collectives that the compiler combines: one moves several arrays, and states the name of one of them."""

_SIGNALS_FROM: Mapping[str, int] = {
    "async-start": ASYNC_SCRATCH,
    "async-update": ASYNC_SCRATCH,
    "custom-call-start": ASYNC_SCRATCH,
    "custom-call-update": ASYNC_SCRATCH,
    "collective-permute-start": 2,
    "copy-start": 2,
    "recv": 1,
    "send": 1,
    "slice-start": 2,
}
"""Which elements of what starts a transfer are semaphores and not arrays: this one and all after it."""

_SIZE = re.compile(r"\d+")

_NO_NAMES = frozenset(("XLA_Args", "XLA_Retvals"))
"""The names that TensorFlow gives to any argument and to any result."""

_MOST_STEPS = 200  # because a hostile dump may chain all its values


class Writer(NamedTuple):
    """The operation that computes some data. `is_zero` says that it only clears the bytes before they are written."""

    author: Author
    is_zero: bool = False


class _Step(NamedTuple):
    """Where to look next, and why."""

    place: Place
    rule: Rule


class Writers:
    """The writers of the places of one program. `arguments` are the parameters that the caller passes."""

    def __init__(self, program: Computations, storage: Storage, arguments: Set[str]) -> None:
        self.program, self.storage, self._arguments = program, storage, arguments

    def of(self, place: Place) -> Writer:
        """Return the operation that computes what is at a place."""
        return _Walk(self).writer(place)

    def is_argument(self, name: str) -> bool:
        """Return whether an instruction is a parameter of the whole program, not of a computation inside it."""
        module = self.program.module
        return name in self._arguments or bool(
            module and module.computation_of.get(name) == module.entry and self.program.opcode(name) == "parameter"
        )

    def is_signal(self, place: Place) -> bool:
        """Return whether a place only signals the end of a transfer, whose start returns it after the arrays."""
        return _is_signal(self.program.opcode(place.name), place.leaf)

    def passes_on(self, loop: str, leaf: Leaf) -> bool:
        """Return whether the body of a loop returns an element of its argument unchanged."""
        place = next((Place(root, leaf) for root in self.program.roots(loop)), None)
        for _ in range(_MOST_STEPS):
            instruction = self.program.instruction(place.name) if place else None
            if place is None or instruction is None:
                return False
            if instruction.opcode not in RENAMES:
                return instruction.opcode == "parameter" and place.leaf == leaf
            place = next(self.storage.renamed(instruction, place.leaf), None)
        return False

    def is_stacking(self, update: Instruction) -> bool:
        """Return whether an update is how a loop collects its results: JAX names it so, or it is at the loop's line.

        An update that the user has written, as that of a cache, has a line of its own. Where no lines are stated, an
        update in the body that writes one row of the first dimension counts as the loop's.
        """
        op_name = update.op_name
        if op_name is None or any(name in op_name for name in _STACKING):
            return True
        if line := _line(update):
            return line in self._loop_lines
        return op_name.endswith(_UNLOCATED) and self._writes_a_row(update)

    def _writes_a_row(self, update: Instruction) -> bool:
        written = self.program.instruction(update.operands[1]) if len(update.operands) > 1 else None
        sizes = plain_shape(update.shape).partition("[")[2].split(",")
        return written is not None and plain_shape(written.shape).partition("[")[2].split(",") == ["1", *sizes[1:]]

    @cached_property
    def _loop_lines(self) -> Set[str]:
        loops = map(self.program.instruction, self.program.loops)
        return {_line(loop) for loop in loops if loop} - {""}


class _Walk:
    """One search, step by step back towards the data.

    `named` is the last instruction on the way that states an operation of the program, and `around` the first that
    states any name, if only that of a computation. `repeated` is the first broadcast that makes more elements of its
    operand. Inside `fusions`, parameters lead out again.
    """

    def __init__(self, writers: Writers) -> None:
        self._writers, self._program = writers, writers.program
        self._fusions: list[str] = []
        self._named: Instruction | None = None
        self._fallback: Instruction | None = None
        self._around: Instruction | None = None
        self._repeated: Instruction | None = None
        self._leaf = WHOLE_LEAF
        self._is_update = self._is_zero = self._is_computed = False

    def writer(self, start: Place) -> Writer:
        """Return the writer of a place."""
        place, path = start, list[_Step]()
        seen: set[Place] = set()
        while place not in seen and len(seen) < _MOST_STEPS:
            seen.add(place)
            step = self._step(place)
            if step is None:
                break
            path.append(step)
            place = step.place
        if self._named is None and self._is_computed:
            self._named = self._named_operand(place.name)
        if self._repeated and not self._is_zero:
            self._named = self._repeated
        return Writer(self._author(start, path), self._is_zero)

    def _step(self, place: Place) -> _Step | None:
        """Return where the data of a place comes from; None where its instruction computes them."""
        instruction = self._program.instruction(place.name)
        if instruction is None:
            return self._carried(place)
        if self._around is None and instruction.op_name and instruction.opcode not in WRITES_NOTHING:
            self._around = instruction
        if _is_signal(instruction.opcode, place.leaf):
            return self._signal(instruction, place)
        match instruction.opcode:
            case "parameter":
                return self._parameter(instruction, place.leaf)
            case "while" | "call" | "conditional":
                return self._of_caller(instruction, place.leaf)
            case "custom-call" if self._program.is_wrapper(instruction.name):
                return self._of_caller(instruction, place.leaf)
            case "fusion":
                return self._into_fusion(instruction, place.leaf)
            case "dynamic-update-slice" if len(instruction.operands) > 1:
                return self._update(instruction)
            case _ if self._hands_on(instruction):
                return self._moved(instruction, place.leaf)
        self._computed(instruction)
        return None

    def _signal(self, instruction: Instruction, place: Place) -> _Step | None:
        """Step from unnamed scratch memory to the result; a semaphore belongs to the start of the transfer."""
        if len(place.leaf) > 1 and not is_operation(instruction.op_name):
            return _Step(Place(place.name, (ASYNC_RESULT,)), "moved")
        self._named = instruction if is_operation(instruction.op_name) else None
        return None

    def _carried(self, place: Place) -> _Step | None:
        """Step from an instruction without text, such as the element of a tuple, to the value that lies there."""
        dump = self._program.dump
        number = dump.carried_at.get(place.key)
        if number is None or dump.values.names[number] == place.name:
            return None
        return _Step(self._program.place(number), "moved")

    def _parameter(self, parameter: Instruction, leaf: Leaf) -> _Step | None:
        """Step from a parameter of a computation to the caller's operand, or to what a loop writes there."""
        if self._fusions and self._program.caller(parameter.name) == self._fusions[-1]:
            self._fusions.pop()
            operand = self._program.operand_of_caller(parameter.name)
            return _Step(Place(operand, leaf), "moved") if operand else None
        outside = self._program.outside(Place(parameter.name, leaf))
        if not outside:
            if self._writers.is_argument(parameter.name):
                self._named, self._leaf = parameter, leaf
            return None
        caller = self._program.caller(parameter.name)
        if len(outside) == 1 or (caller and self._writers.passes_on(caller, leaf)):
            return _Step(outside[0], "moved")
        return _Step(outside[-1], "loop")

    def _of_caller(self, caller: Instruction, leaf: Leaf) -> _Step | None:
        """Step to what a loop, a call or a branch returns, or to what a loop only passes on."""
        roots = self._program.roots(caller.name)
        if not roots:
            if caller.op_name and self._named is None:
                self._named = caller
            return None
        if caller.opcode != "while":
            return _Step(Place(roots[0], leaf), "called")
        if self._writers.passes_on(caller.name, leaf) and caller.operands:
            return _Step(Place(caller.operands[0], leaf), "moved")
        return _Step(Place(roots[0], leaf), "loop")

    def _into_fusion(self, fusion: Instruction, leaf: Leaf) -> _Step | None:
        if is_operation(fusion.op_name) and not (self._is_update and self._named):
            self._named = fusion
        root = next(iter(self._program.roots(fusion.name)), None)
        if root is None:
            self._is_computed = True
            return None
        self._fusions.append(fusion.name)
        return _Step(Place(root, leaf), "fusion")

    def _update(self, update: Instruction) -> _Step | None:
        """Stop at an update that the user has written; step to what a loop collects."""
        if not self._writers.is_stacking(update):
            self._named = update
            return None
        if not self._is_update:
            # The name of the update or of the loop says nothing about what is collected.
            self._fallback, self._named, self._is_update = update if update.op_name else None, None, True
        return _Step(Place(update.operands[1]), "update")

    def _hands_on(self, instruction: Instruction) -> bool:
        """Return whether an instruction hands on the data of its operand under no name of its own."""
        if not instruction.operands and not self._program.roots(instruction.name):
            return False
        is_combined = instruction.opcode in COMBINED and len(instruction.operands) > 1 and instruction.op_name
        if instruction.opcode in MOVES or is_combined or self._is_offloaded(instruction):
            return not _COLLECTIVES.search(instruction.op_name or "")
        if instruction.opcode == "custom-call":
            return "ConcatBitcast" in self._program.text(instruction.name)
        if instruction.opcode not in SHAPING:
            return False
        if not is_operation(instruction.op_name) or instruction.opcode == "broadcast":
            return True
        return self._is_update and (
            instruction.opcode in ("reshape", "transpose")
            or (instruction.opcode in ("convert", "reduce-precision") and self._writers.is_stacking(instruction))
        )

    def _is_offloaded(self, instruction: Instruction) -> bool:
        """Return whether an instruction is a collective that libtpu has offloaded, which leaves it no name."""
        if instruction.opcode not in COMBINED or instruction.op_name:
            return False
        caller = self._program.caller(instruction.name)
        return caller is not None and self._program.is_wrapper(caller)

    def _repeats(self, broadcast: Instruction) -> bool:
        """Return whether a broadcast of the program makes more elements of its operand."""
        operand = self._program.instruction(broadcast.operands[0])
        is_stacking = self._is_update and self._writers.is_stacking(broadcast)
        if operand is None or not is_operation(broadcast.op_name) or is_stacking:
            return False
        return _elements(broadcast.shape) > _elements(operand.shape)

    def _moved(self, instruction: Instruction, leaf: Leaf) -> _Step | None:
        """Step to the operand whose data an instruction moves; note its name, unless a later instruction has one."""
        opcode = instruction.opcode
        if opcode == "broadcast" and self._repeated is None and self._repeats(instruction):
            self._repeated = instruction
        # A tuple's element has the name of what makes the tuple, which need not be what makes the element.
        if is_operation(instruction.op_name) and self._named is None and opcode not in ("get-tuple-element", "tuple"):
            self._named = instruction
        operands = instruction.operands
        if opcode in RENAMES or opcode.endswith("-done") or (opcode == "async-start" and len(operands) != 1):
            place = next(iter(self._writers.storage.same(Place(instruction.name, leaf))), None)
            return _Step(place, "moved") if place else None
        if opcode in COMBINED or opcode in _COMBINED_STARTS:
            number = leaf[-1] if leaf and leaf[-1] < len(operands) else 0
            return _Step(Place(operands[number]), "moved")
        return _Step(Place(operands[0], WHOLE_LEAF if opcode.endswith("-start") else leaf), "moved")

    def _computed(self, instruction: Instruction) -> None:
        """Note the instruction that computes the data; in a fusion the fusion's name stands in for a missing one."""
        is_zero = instruction.opcode in ZEROS or "AllocateBuffer" in self._custom_call(instruction)
        if is_zero and self._is_update:
            return
        self._is_zero, self._is_computed = is_zero, not is_zero
        if is_operation(instruction.op_name):
            self._named = instruction
        elif self._named is None and self._fusions:
            fusion = self._program.instruction(self._fusions[0])
            self._named = fusion if fusion and fusion.op_name else None

    def _custom_call(self, instruction: Instruction) -> str:
        return self._program.text(instruction.name) if instruction.opcode == "custom-call" else ""

    def _named_operand(self, name: str) -> Instruction | None:
        """Return the first operand that computes something under a name of the program."""
        instruction = self._program.instruction(name)
        operands = map(self._program.instruction, instruction.operands if instruction else ())
        computing = (operand for operand in operands if operand and operand.op_name and operand.opcode not in MOVES)
        return next((operand for operand in computing if operand.opcode != "parameter"), None)

    def _author(self, start: Place, path: Sequence[_Step]) -> Author:
        """Return the author that the walk has found; of the rules of its steps the most important one counts.

        `path` has the steps of the walk from `start`.
        """
        instruction = self._named or self._fallback or self._around
        if instruction is None:
            return Author(operation=start.name)
        if self._fallback and instruction.opcode == "parameter" and not _has_name(instruction):
            instruction = self._fallback
        steps = self._steps_to(start, path, instruction)
        rules = [step.rule for step in steps]
        is_argument = instruction.opcode == "parameter" and self._writers.is_argument(instruction.name)
        own: Rule = "argument" if is_argument else "own"
        return Author(
            operation=instruction.name,
            opcode=instruction.opcode,
            scope="" if is_argument else instruction.op_name or "",
            argument=self._argument(instruction) if is_argument else "",
            stack=self._program.stack(instruction.name),
            rule=min(rules, key=_IMPORTANCE.index) if rules else own,
            path=tuple(step.place.name for step in steps),
        )

    def _steps_to(self, start: Place, path: Sequence[_Step], instruction: Instruction) -> Sequence[_Step]:
        """Return the steps that lead to the instruction."""
        if not path or instruction.name == start.name:
            return ()
        if instruction.op_name and instruction.op_name == self._program.op_name(start.name):
            return ()  # the way would lead to the name that the value's own instruction states
        names = [step.place.name for step in path]
        return path[: names.index(instruction.name) + 1] if instruction.name in names else path

    def _argument(self, parameter: Instruction) -> str:
        """Return the name of an argument; `argument 3{1}` where the program gives it none."""
        if parameter.op_name and _has_name(parameter):
            return parameter.op_name
        number = self._program.parameter_number(parameter.name)
        place = index_of(self._leaf) if self._leaf else ""
        return f"{UNNAMED_ARGUMENT}{'?' if number is None else number}{place}"


def _is_signal(opcode: str, leaf: Leaf) -> bool:
    first = _SIGNALS_FROM.get(opcode)
    return first is not None and bool(leaf) and leaf[0] >= first


def _elements(shape: str) -> int:
    return prod(map(int, _SIZE.findall(plain_shape(shape).partition("[")[2])))


def _has_name(parameter: Instruction) -> bool:
    return parameter.op_name is not None and parameter.op_name not in _NO_NAMES


def _line(instruction: Instruction) -> str:
    """Return what identifies the source line of an instruction within one program; empty where it states none."""
    metadata = instruction.metadata
    return metadata.get("stack_frame_id") or ":".join(
        filter(None, (metadata.get("source_file"), metadata.get("source_line")))
    )
