"""Find who wrote a value's bytes: the operation of the user's program behind copies, loops and fusions.

The instruction that defines a value is often not the one a reader would name. The result of a `while` is written by
an operation in its body; a `copy-start` moves what another instruction computed; a fusion without metadata does what
its root does. `Attributor.of` follows the value to that operation and says how it got there, so a page can show
the rule next to the name. It needs the HLO text for what is inside loops and fusions, and does what it can without.
"""

import re
from collections.abc import Callable, Sequence, Set
from functools import cached_property, lru_cache
from itertools import compress
from typing import NamedTuple

from reportgen.analyse.sizes import printed_bytes
from reportgen.model import Dump, ValueKey
from reportgen.parse.instructions import Instruction, parse_instruction
from reportgen.parse.module_text import ModuleText
from reportgen.parse.stack_frames import Frame, StackFrames
from reportgen.program.author import UNNAMED_ARGUMENT, Attribution, Rule

_IMPORTANCE: Sequence[Rule] = ("update", "loop", "fusion", "called", "moved")
"""Of several rules on the way to an operation, the first of these is the one to show."""

_MOVES = frozenset(
    (
        "all-gather-done", "all-reduce-done", "async-done", "async-start", "async-update", "bitcast", "bitcast-convert",
        "collective-permute-done", "copy", "copy-done", "copy-start", "domain", "optimization-barrier", "recv",
        "recv-done", "send", "send-done", "slice-done", "slice-start",
    )
)  # fmt: skip
"""Opcodes that hand on what another instruction computed."""

_RESHAPES = frozenset(("reshape", "transpose", "convert", "slice", "broadcast"))
"""Opcodes that hand on what another instruction computed, unless they carry a name of the program."""

_INDEX = re.compile(r", index=(\d+)")
_CONDITION = re.compile(r", condition=%?([^\s,)}]+)")
_PARAMETER = re.compile(r" parameter\((\d+)\)")
_MOST_STEPS = 200  # because a hostile dump may chain all its values, and each value is followed

Leaf = tuple[int, ...]


class _Step(NamedTuple):
    """Where to look next: a leaf of what an instruction makes, and why."""

    name: str
    leaf: Leaf
    rule: Rule


class Attributor:
    """Follows the values of one dump. `module` is the HLO text beside it, `frames` its tables of source lines."""

    def __init__(self, dump: Dump, module: ModuleText | None = None, frames: StackFrames | None = None) -> None:
        self._dump = dump
        self._module = module
        self._frames = frames or (module.frames if module else None)
        self._instruction: Callable[[str], Instruction | None] = lru_cache(maxsize=None)(self._read)
        # Kept, because the text of a tuple with thousands of arguments is long.
        self._parameter_number = lru_cache(maxsize=None)(lambda name: _PARAMETER.search(self._text(name)))

    def of(self, key: ValueKey) -> Attribution:
        """Return the operation that wrote the bytes of a value, stepping back from its own instruction."""
        found, leaf, path = self._follow(key)
        return self._attribution(found, leaf, key.name, path) if found else Attribution()

    def named(self, key: ValueKey) -> Attribution | None:
        """Return the operation that wrote the bytes of a value, or None if it has no name of the program."""
        found, leaf, path = self._follow(key)
        # Asked first, because most of the instructions between an argument and its first reader only move it.
        if found is None or not found.op_name:
            return None
        attribution = self._attribution(found, leaf, key.name, path)
        return attribution if attribution.is_named else None

    def _follow(self, key: ValueKey) -> tuple[Instruction | None, Leaf, Sequence[_Step]]:
        """Return the last instruction on the way back that has a name or is an argument, its leaf, and the way."""
        name, leaf = key.name, _leaf(key.shape_index)
        named: Instruction | None = None
        named_leaf = leaf
        path: list[_Step] = []
        seen: set[tuple[str, Leaf]] = set()
        in_loop = False
        while (name, leaf) not in seen and len(seen) < _MOST_STEPS:
            seen.add((name, leaf))
            instruction = self._instruction(name)
            if instruction is None:
                step = self._carried(name, leaf)
            else:
                if instruction.op_name or self._is_of_entry(name):
                    named, named_leaf = instruction, leaf
                step = self._step(instruction, leaf, in_loop=in_loop)
            if step is None:
                break
            path.append(step)
            name, leaf, rule = step
            in_loop = in_loop or rule == "loop"
        return named, named_leaf, path

    def _attribution(self, found: Instruction, leaf: Leaf, start: str, path: Sequence[_Step]) -> Attribution:
        names = [start, *(step.name for step in path)]
        taken = path[: names.index(found.name)]
        rules = [step.rule for step in taken]
        is_argument = found.opcode == "parameter" and self._is_of_entry(found.name)
        own: Rule = "argument" if is_argument else "own"
        return Attribution(
            operation=found.name,
            opcode=found.opcode,
            scope="" if is_argument else found.op_name or "",
            argument=(found.op_name or self._argument_number(found, leaf)) if is_argument else "",
            stack=self._stack(found),
            rule=min(rules, key=_IMPORTANCE.index) if rules else own,
            path=tuple(step.name for step in taken),
        )

    def _is_of_entry(self, name: str) -> bool:
        """Return whether an instruction is a parameter of the whole program, not of a computation inside it."""
        return name in self._arguments or bool(
            self._module
            and self._module.computation_of.get(name) == self._module.entry
            and " parameter(" in self._text(name)
        )

    @cached_property
    def _arguments(self) -> Set[str]:
        """Return the parameters that define a value in an argument's allocation."""
        dump, values = self._dump, self._dump.values
        is_argument = [allocation.parameter is not None for allocation in dump.allocations]
        names = compress(values.names, map(is_argument.__getitem__, values.allocations))
        return {name for name in dict.fromkeys(names) if b" parameter(" in (dump.instruction_text(name) or b"")}

    def _argument_number(self, parameter: Instruction, leaf: Leaf) -> str:
        """Return `argument 3{1}` for an argument that the program gives no name."""
        number = self._parameter_number(parameter.name)
        return f"{UNNAMED_ARGUMENT}{number[1] if number else '?'}{_index(leaf) if leaf else ''}"

    def _stack(self, instruction: Instruction) -> tuple[Frame, ...]:
        metadata = instruction.metadata
        number = metadata.get("stack_frame_id", "")
        if self._frames and number.isdigit():
            return self._frames.stack(int(number))
        if file := metadata.get("source_file"):
            line = metadata.get("source_line", "")
            return (Frame(file, "", int(line) if line.isdigit() else 0),)
        return ()

    def _carried(self, name: str, leaf: Leaf) -> _Step | None:
        """Step from an instruction without text, such as a tuple's element, to the value that is positioned there."""
        number, values = self._dump.carried_at.get(name + _index(leaf)), self._dump.values
        if number is None or values.names[number] == name:
            return None
        return _Step(values.names[number], _leaf(values.key(number).shape_index), "moved")

    def _text(self, name: str) -> str:
        if self._module and (text := self._module.text(name)):
            return text
        return (self._dump.instruction_text(name) or b"").decode("utf-8", "replace")

    def _read(self, name: str) -> Instruction | None:
        text = self._text(name)
        return parse_instruction(text) if text else None

    def _step(self, instruction: Instruction, leaf: Leaf, *, in_loop: bool) -> _Step | None:
        """Return where the bytes of a leaf come from; None where the instruction itself computes them."""
        operands = instruction.operands
        match instruction.opcode:
            case "parameter":
                return self._argument_of_caller(instruction, leaf)
            case "while" | "call" | "conditional":
                return self._result_of_called(instruction, leaf)
            case "fusion":
                return self._inside_fusion(instruction, leaf, in_loop=in_loop)
            case "dynamic-update-slice" if in_loop and len(operands) > 1:
                return _Step(operands[1], (), "update")
            case "get-tuple-element" if operands and (index := _INDEX.search(self._text(instruction.name))):
                return _Step(operands[0], (int(index[1]), *leaf), "moved")
            case "tuple" if leaf and leaf[0] < len(operands):
                return _Step(operands[leaf[0]], leaf[1:], "moved")
            case opcode if operands and (opcode in _MOVES or (opcode in _RESHAPES and not instruction.op_name)):
                return _Step(operands[0], leaf[1:] if opcode.endswith("-start") else leaf, "moved")
        return None

    def _argument_of_caller(self, parameter: Instruction, leaf: Leaf) -> _Step | None:
        """Step from a parameter of a called computation to what its caller passes there.

        What a loop carries and changes was written by its body; what it only carries, by whoever started the loop.
        """
        if not self._module:
            return None
        # The text may lack a parameter that the dump has, because it may be damaged.
        computation = self._module.computation_of.get(parameter.name, "")
        caller_name = next(iter(self._module.callers_of.get(computation, ())), None)
        caller = self._instruction(caller_name) if caller_name else None
        number = self._parameter_number(parameter.name)
        if caller is None or number is None:
            return None
        if caller.opcode != "while":
            place = int(number[1]) + (caller.opcode == "conditional")
            return _Step(caller.operands[place], leaf, "moved") if place < len(caller.operands) else None
        if leaf and not self._passes_on(caller, leaf):
            return self._result_of_called(caller, leaf)
        return _Step(caller.operands[0], leaf, "moved") if caller.operands else None

    def _passes_on(self, loop: Instruction, leaf: Leaf) -> bool:
        """Return whether a loop's body returns an element of its argument as it got it."""
        step = self._result_of_called(loop, leaf)
        root = self._instruction(step.name) if step else None
        if root is None or root.opcode != "tuple" or leaf[0] >= len(root.operands):
            return True
        index = _INDEX.search(self._text(root.operands[leaf[0]]))
        element = self._instruction(root.operands[leaf[0]])
        return bool(element and element.opcode == "get-tuple-element" and index and int(index[1]) == leaf[0])

    def _result_of_called(self, caller: Instruction, leaf: Leaf) -> _Step | None:
        """Step to the root of what a loop, call or branch runs; a loop's condition makes no result."""
        if not self._module:
            return None
        condition = _CONDITION.search(self._text(caller.name))
        called = self._module.called_by.get(caller.name, ())
        body = next((one for one in called if not condition or one != condition[1]), "")
        root = self._module.root_of.get(body)
        return _Step(root, leaf, "loop" if caller.opcode == "while" else "called") if root else None

    def _inside_fusion(self, fusion: Instruction, leaf: Leaf, *, in_loop: bool) -> _Step | None:
        """Step into a fusion that has no name of its own, or that only writes a slice of what a loop collects."""
        called = self._module.called_by.get(fusion.name, ()) if self._module else ()
        if not self._module or not called:
            return None
        root = self._module.root_of.get(called[0], "")
        if in_loop and self._updates(root, leaf):
            return _Step(root, leaf, "update")
        if fusion.op_name:
            return None
        named = [one for one in map(self._instruction, self._module.members(called[0])) if one and one.op_name]
        if any(one.name == root for one in named) or not named:
            return _Step(root, leaf, "fusion") if root else None
        return _Step(max(named, key=lambda one: printed_bytes(one.shape)).name, (), "fusion")

    def _updates(self, root: str, leaf: Leaf) -> bool:
        """Return whether what a fusion returns is an array with a slice replaced."""
        instruction = self._instruction(root)
        while instruction and instruction.opcode in ("bitcast", "copy", "tuple") and instruction.operands:
            place = leaf[0] if instruction.opcode == "tuple" and leaf else 0
            if place >= len(instruction.operands):
                return False
            leaf = leaf[1:] if instruction.opcode == "tuple" else leaf
            instruction = self._instruction(instruction.operands[place])
        return instruction is not None and instruction.opcode == "dynamic-update-slice"


def _leaf(shape_index: str) -> Leaf:
    return tuple(int(number) for number in shape_index[1:-1].split(",") if number)


def _index(leaf: Leaf) -> str:
    return "{" + ",".join(map(str, leaf)) + "}"
