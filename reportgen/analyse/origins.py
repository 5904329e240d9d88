"""Where each value comes from in the program: its opcode, the scope of its op_name, and its source line."""

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.model import Dump
from reportgen.parse.instructions import Instruction, parse_instruction

UNKNOWN = ""

_STATED = frozenset({"op_name", "source_file", "source_line"})


@dataclass(frozen=True, slots=True)
class Origin:
    """Each is empty where the dump does not say it. `scope` is the whole op_name, a path with slashes.

    `further` is what else the metadata say, by its names there.
    """

    opcode: str = UNKNOWN
    scope: str = UNKNOWN
    source: str = UNKNOWN
    further: tuple[tuple[str, str], ...] = ()


def origins(dump: Dump) -> Mapping[str, Origin]:
    """The origin of each instruction that defines a value, by its name; each text is read once."""
    found = {}
    for name, used in dump.first_used_by_name.items():
        if used.instruction_place is not None and used.instruction_end is not None:
            text = dump.text.slice(used.instruction_place, used.instruction_end).decode("utf-8", "replace")
            found[name] = _origin(parse_instruction(text))
    return found


def _origin(instruction: Instruction) -> Origin:
    further = tuple((key, text) for key, text in instruction.metadata.items() if key not in _STATED)
    return Origin(instruction.opcode, instruction.op_name or UNKNOWN, instruction.source or UNKNOWN, further)
