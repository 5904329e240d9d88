"""Find out where in the program each value comes from: its opcode, the scope in its op_name, and its source line."""

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.model import Dump
from reportgen.parse.instructions import parse_instruction

UNKNOWN = ""

_STATED = frozenset({"op_name", "source_file", "source_line"})


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a value; a field that the dump does not state is empty.

    `scope` is the whole op_name, a path with slashes. `further` are the remaining metadata by name.
    """

    opcode: str = UNKNOWN
    scope: str = UNKNOWN
    source: str = UNKNOWN
    further: tuple[tuple[str, str], ...] = ()


def origins(dump: Dump) -> Mapping[str, Origin]:
    """Return the origin of each instruction that defines a value, by its name; each text is parsed once."""
    found = {}
    for name in dump.first_used_row:
        if (text := dump.instruction_text(name)) is not None:
            parsed = parse_instruction(text.decode("utf-8", "replace"))
            further = tuple(item for item in parsed.metadata.items() if item[0] not in _STATED)
            found[name] = Origin(parsed.opcode, parsed.op_name or UNKNOWN, parsed.source or UNKNOWN, further)
    return found
