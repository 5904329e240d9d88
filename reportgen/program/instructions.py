"""Read the instructions of a program, from the HLO text where that has them, else from the dump.

No other module reads the text of an instruction to learn something about the program.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from functools import cache, cached_property, lru_cache

from reportgen.model import Dump, UsedValues
from reportgen.parse.instruction_parser import Instruction, Stated, parse_instruction, stated, unquoted
from reportgen.parse.stack_frames import Frame, Site, StatedLine
from reportgen.patterns import STRING
from reportgen.program.definitions import Definition, definitions
from reportgen.program.join import NOTHING_JOINED, Join
from reportgen.program.opcodes import ASYNC, is_known

_NOTHING = Stated()
_SOURCE = re.compile(rf"source_file=({STRING}) source_line=(\d{{1,9}})".encode())


class Instructions:
    """The instructions of one dump, by their names. The text of each is parsed once, on demand."""

    def __init__(self, dump: Dump, join: Join = NOTHING_JOINED) -> None:
        self.dump = dump
        self.join = join
        self.module = join.module
        # Without the texts of tuples, which may have thousands of operands, the cache stays small.
        self.text = lru_cache(maxsize=1 << 12)(self._text)
        self._parsed = lru_cache(maxsize=1 << 15)(self._parse)
        self._frames = cache(self._stack)

    def _text(self, name: str) -> str:
        """Return the text of an instruction; empty where neither file has it."""
        if self.module and (text := self.module.text(name)):
            return text
        return (self.dump.instruction_text(name) or b"").decode("utf-8", "replace")

    def instruction(self, name: str) -> Instruction | None:
        """Return the parts of an instruction; None where neither file has its text."""
        # Only the HLO text has instructions without a value, of which a schedule has tens of thousands.
        return self._parsed(name) if self.module or name in self.dump.first_used_row else None

    def _parse(self, name: str) -> Instruction | None:
        return parse_instruction(text) if (text := self.text(name)) else None

    @cached_property
    def printed_definitions(self) -> Mapping[str, Definition]:
        """Return the shape and opcode of each instruction that defines a value, as the dump prints them."""
        return definitions(self.dump)

    @cached_property
    def definitions(self) -> Mapping[str, Definition]:
        """Return the definitions whose opcode is known; nobody can tell what any other does."""
        printed = self.printed_definitions
        unknown = {entry.opcode for entry in set(printed.values()) if not is_known(entry.opcode)}
        return {name: entry for name, entry in printed.items() if entry.opcode not in unknown} if unknown else printed

    @cached_property
    def stated(self) -> Mapping[str, Stated]:
        """Return what the dump states about each instruction that defines a value: its op_name and source line."""
        used = self.dump.used_values or UsedValues()
        places = {
            name: (start, end)
            for name, row in self.dump.first_used_row.items()
            if (start := used.instruction_starts[row]) is not None and (end := used.instruction_ends[row]) is not None
        }
        return dict(zip(places, stated(self.dump.text, places.values()), strict=True))

    def opcode(self, name: str) -> str:
        """Return the opcode of an instruction; empty where no text states it."""
        definition = self.definitions.get(name)
        # A dump prints an asynchronous operation by what it wraps, as `custom-call-start`; the HLO text may say more.
        if definition and not (self.module and definition.opcode.endswith(ASYNC)):
            return definition.opcode
        instruction = self.instruction(name)
        return instruction.opcode if instruction else ""

    def op_name(self, name: str) -> str:
        """Return the op_name that an instruction itself states; empty where it states none."""
        if name in self.stated:
            return self.stated[name].op_name
        instruction = self.instruction(name)
        return (instruction.op_name or "") if instruction else ""

    def stated_source(self, name: str) -> str:
        """Return the `file:line` that the dump states about an instruction; empty where it states none."""
        return self.stated.get(name, _NOTHING).source

    def stack(self, name: str) -> tuple[Frame, ...]:
        """Return the source lines of an instruction, the innermost first."""
        instruction = self.instruction(name)
        metadata = instruction.metadata if instruction else {}
        place = metadata.get("stack_frame_id"), metadata.get("source_file"), metadata.get("source_line")
        return self._frames(*(text or "" for text in place)) if any(place) else ()

    def columns(self, name: str, frame: Frame) -> tuple[int, int] | None:
        """Return the first byte and the one after the last of the expression at a frame of an instruction's stack.

        They count from 0; None where they are unknown or the expression has several lines.
        """
        frames, number = self.join.frames, self._frame_id(name)
        return frames.columns_of(number, frame) if frames and number is not None else None

    def sites(self, name: str) -> Sequence[Site]:
        """Return the expressions around an instruction, the innermost first, by lines where columns are unknown."""
        frames, number = self.join.frames, self._frame_id(name)
        return frames.sites(number) if frames and number is not None else ()

    def _frame_id(self, name: str) -> int | None:
        instruction = self.instruction(name)
        number = (instruction.metadata.get("stack_frame_id") or "") if instruction else ""
        return int(number) if number.isdigit() else None

    def user_frame(self, name: str) -> Frame | None:
        """Return the innermost frame of the user's own code around an instruction."""
        return next((frame for frame in self.stack(name) if not frame.is_of_library), None)

    def _stack(self, frame: str, file: str, line: str) -> tuple[Frame, ...]:
        """Return the source lines that the metadata of an instruction names."""
        if self.join.frames and frame.isdigit():
            return self.join.frames.stack(int(frame))
        return (Frame(file, "", int(line) if line.isdigit() else 0),) if file else ()

    @cached_property
    def stated_lines(self) -> Mapping[str, Set[StatedLine]]:
        """Return the frames in each source file that the dump or its HLO text names."""
        lines = set(self.join.frames.lines()) if self.join.frames else set()
        places = {(origin.file, origin.line) for origin in self.stated.values()}
        if self.module and not self.join.frames:
            places.update(
                (unquoted(file.decode("utf-8", "replace")), line.decode())
                for file, line in set(_SOURCE.findall(self.module.data))
            )
        lines.update((Frame(file, "", int(line)), ()) for file, line in places if line.isdecimal())
        found: defaultdict[str, set[StatedLine]] = defaultdict(set)
        for line in lines:
            found[line[0].file].add(line)
        return found

    @cached_property
    def source_files(self) -> frozenset[str]:
        """Return the source files that the dump or the tables of frames name."""
        tables = self.join.frames.files.values() if self.join.frames else ()
        return frozenset((*(origin.file for origin in self.stated.values() if origin.file), *tables))
