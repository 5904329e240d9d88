"""Index the HLO text beside a dump by instruction name: where each one is, what it calls, and its source lines.

A dump says which instruction defines a value. The HLO text says what that instruction is part of: the body of a
fusion, the computation around it, and the loops that run it. The text supplies names and places but no figure of the
report, and a page that shows them says that they come from the HLO text.

    %fused_computation.3 (param_0: f32[8]) -> f32[8] {         a computation
      ROOT %add.1 = f32[8]{0} add(%param_0, %param_0)          an instruction, the computation's root
    }
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from reportgen.parse.instruction_parser import Instruction, end_of_instruction, parse_instruction
from reportgen.parse.shape_parser import ShapeError, shapes_by_index
from reportgen.parse.stack_frames import StackFrames, stack_frames_of_text
from reportgen.patterns import repeated

# A computation, or an instruction; TF 2.12 and jaxlib 0.4.13 to 0.4.38 print no "%" in this file.
_LINE = re.compile(
    rb"^(?:(ENTRY )?%?([^\s(={},]+) [^\n]*\{\r?$|  +(ROOT )?%?([^\s%=(]+) = "
    # A shape and the opcode. Within the shape of a tuple no word with a parenthesis follows ") ".
    rb"(?:(?:\([^)\n]*+\)" + repeated(rb"(?! [\w-]++\()[^)\n]*+\)") + rb"|[^\s(]\S*) ([\w-]+)\("
    # Operands that are names alone, as since 2025-03-11, or begin as none that is known.
    rb"(%[^)\n]*|[^%)\w\s\"'{}(/.+-][^)\n]*)?)?)[^\n]*\n?",
    re.MULTILINE,
)
_OPERAND = re.compile(rb"(?:^|, ?)(?:/\*index=\d+\*/)?([^\s,]+)")
_PLAIN_OPERAND = re.compile(r"%([\w.\-]+)")
_CALL = re.compile(
    rb"[ ,](?:calls|to_apply|body|condition|branch_computations|called_computations|(?:true|false)_computation)="
    rb"(?:\{([^{}]*)\}|%?([^\s,){}]+))"
)
_LONGEST_LINE = 1 << 20  # bytes of an instruction; limited because printed constants can make a line of any length


class ModuleText:
    """One HLO text. Building the index takes 0.1 s for 7 MB; instructions are parsed on demand."""

    def __init__(self, data: bytes) -> None:
        """Index a text in one pass over the first lines of computations and the lines of instructions."""
        self.data = data
        self.entry = ""
        self._offsets: dict[str, int] = {}
        self._names: list[str] = []
        self.starts: list[int] = []
        """The offset of each instruction, in the order of the text."""
        self._operands: list[bytes | None] = []
        self.computations: list[tuple[str, int]] = []
        """Each computation with the offset of its first line."""
        self.between: list[tuple[int, int]] = []
        """Where the text has something else than computations' first lines and instructions: start and end."""
        self.opcode_of: dict[str, str] = {}
        """The opcode of each instruction whose shape could be skipped."""
        self.computation_of: dict[str, str] = {}
        """The computation that each instruction is in."""
        self.root_of: dict[str, str] = {}
        """The root instruction of each computation."""
        self.root_count = 0
        known_opcodes: dict[bytes, str] = {}
        computation, end = "", 0
        for line in _LINE.finditer(data):
            entry, opened, root, name, opcode, operands = line.groups()
            if line.start() > end:
                self.between.append((end, line.start()))
            end = line.end()
            if opened is not None:
                computation = opened.decode("utf-8", "replace")
                self.computations.append((computation, line.start()))
                self.entry = computation if entry else self.entry
                continue
            instruction = name.decode("utf-8", "replace")
            self._offsets[instruction] = line.start()
            self._names.append(instruction)
            self.starts.append(line.start())
            self._operands.append(operands)
            if opcode:
                self.opcode_of[instruction] = known_opcodes.setdefault(opcode, opcode.decode())
            self.computation_of[instruction] = computation
            if root:
                self.root_count += 1
                self.root_of[computation] = instruction
        self.between.append((end, len(data)))

    def __contains__(self, name: str) -> bool:
        return name in self._offsets

    @property
    def names(self) -> Sequence[str]:
        """Return every instruction of the module, in the order of the text."""
        return self._names

    def offset(self, name: str) -> int:
        """Return where the text has an instruction. Raises KeyError if it does not."""
        return self._offsets[name]

    @cached_property
    def header(self) -> str:
        """Return the first line, which describes the whole module."""
        end = self.data.find(b"\n")
        return self.data[: end if end >= 0 else None][:_LONGEST_LINE].decode("utf-8", "replace")

    @cached_property
    def frames(self) -> StackFrames | None:
        """Return the tables of source lines; None if the text has none."""
        return stack_frames_of_text(self.data)

    def text(self, name: str) -> str | None:
        """Return the line of an instruction, without its indentation; None if the module has no such instruction.

        An operand such as `x#2` has the line of the `get-tuple-element` that it stands for.
        """
        start = self._offsets.get(name)
        if start is None:
            return self._element_text(name)
        end = min(self._end(start), start + _LONGEST_LINE)
        return self.data[start:end].decode("utf-8", "replace").strip()

    def _element_text(self, name: str) -> str | None:
        """Return the `get-tuple-element` that the operand `x#2` or `x#2#0` stands for; None for any other name.

        Since 2026-06-15 (jaxlib 0.11) XLA prints HLO texts without these instructions: an operand names the tuple and
        the index.
        """
        whole, _, index = name.rpartition("#")
        parts = self.instruction(whole) if whole and index.isdecimal() else None
        try:
            shape = shapes_by_index(parts.shape).get(f"{{{index}}}") if parts else None
        except ShapeError:
            shape = None
        return f"%{name} = {shape} get-tuple-element(%{whole}), index={index}" if shape else None

    def line(self, name: str) -> bytes | None:
        """Return the line of an instruction, from its name on; None if the module has no such instruction."""
        start = self._offsets.get(name)
        if start is None:
            return None
        return self.data[start : self._end(start)].strip().removeprefix(b"ROOT ")

    def _end(self, start: int) -> int:
        """Return where the instruction ends that begins at an offset."""
        end = end_of_instruction(self.data, start, len(self.data))
        return end if end >= 0 else len(self.data)

    def instruction(self, name: str) -> Instruction | None:
        """Return the parts of an instruction; None if the module has no such instruction."""
        text = self.text(name)
        return None if text is None else parse_instruction(text)

    @cached_property
    def unread_operands(self) -> Mapping[str, tuple[str, ...]]:
        """Return the operands that are no instruction of the text, nor an element of one, by the instruction's name."""
        names = set(_OPERAND.findall(b", ".join(filter(None, self._operands))))
        unread = {name for name in (raw.decode("utf-8", "replace") for raw in names) if not self._is_operand(name)}
        if not unread:
            return {}
        by_name: dict[str, tuple[str, ...]] = {}
        for name, operands in zip(self._names, self._operands, strict=True):
            own = (raw.decode("utf-8", "replace") for raw in _OPERAND.findall(operands or b""))
            if missing := tuple(operand for operand in own if operand in unread):
                by_name[name] = missing
        return by_name

    @cached_property
    def foreign_operands(self) -> Mapping[str, str]:
        """Return an operand that is an instruction of another computation, by the instruction's name."""
        by_name: dict[str, str] = {}
        home_of = self.computation_of
        for name, operands in zip(self._names, self._operands, strict=True):
            home = home_of[name]
            for operand in _PLAIN_OPERAND.findall(operands.decode("utf-8", "replace")) if operands else ():
                if home_of.get(operand, home) != home:
                    by_name[name] = operand
        return by_name

    def _is_operand(self, name: str) -> bool:
        whole, *indexes = name.removeprefix("%").split("#")
        return whole in self._offsets and name.startswith("%") and all(index.isdecimal() for index in indexes)

    @property
    def has_plain_operands(self) -> bool:
        """Return whether the operands are names alone, as since 2025-03-11."""
        return any(self._operands)

    @cached_property
    def called_by(self) -> Mapping[str, tuple[str, ...]]:
        """Map each instruction to what it calls: body and condition of a loop, branches, the body of a fusion."""
        called: defaultdict[str, list[str]] = defaultdict(list)
        for call in _CALL.finditer(self.data):
            owner = bisect_right(self.starts, call.start()) - 1  # -1 before the first instruction
            several, single = call.groups()
            names = several.replace(b",", b" ").split() if several is not None else [single]
            if owner >= 0:
                called[self._names[owner]] += [name.decode("utf-8", "replace").removeprefix("%") for name in names]
        return {name: tuple(dict.fromkeys(computations)) for name, computations in called.items()}

    @cached_property
    def callers_of(self) -> Mapping[str, tuple[str, ...]]:
        """Map each computation to the instructions that call it."""
        callers: defaultdict[str, list[str]] = defaultdict(list)
        for name, computations in self.called_by.items():
            for computation in computations:
                callers[computation].append(name)
        return {computation: tuple(names) for computation, names in callers.items()}

    @cached_property
    def _members(self) -> Mapping[str, tuple[str, ...]]:
        members: defaultdict[str, list[str]] = defaultdict(list)
        for name in self._names:
            members[self.computation_of[name]].append(name)
        return {computation: tuple(names) for computation, names in members.items()}

    def members(self, computation: str) -> tuple[str, ...]:
        """Return the instructions of a computation, in the order of the text."""
        return self._members.get(computation, ())

    def path_to_entry(self, name: str) -> tuple[str, ...]:
        """Return the callers around an instruction, innermost first: the loops and branches that it runs in.

        Only the first of several callers is followed.
        """
        path: dict[str, None] = {}
        while callers := self.callers_of.get(self.computation_of.get(name, ""), ()):
            name = callers[0]
            if name in path:  # a cycle, which only a damaged text can have
                break
            path[name] = None
        return tuple(path)
