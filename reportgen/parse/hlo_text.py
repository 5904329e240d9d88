"""What the text of a module says that its buffer assignment must agree with.

That is the first line, with the entry's layouts and the aliases of inputs and outputs, and the names of all
instructions. Nothing else of it is read.
"""

import re
from dataclasses import dataclass

from reportgen.parse.shapes import Shape, ShapeError, TupleShape, parse_shape, scan_shape

_LAYOUT = "entry_computation_layout={"
_ALIASES = re.compile(r"input_output_alias=\{(.*?)\}, entry_computation_layout")
_ALIAS = re.compile(r"\{([\d,\s]*)\}: \((\d+), \{([\d,\s]*)\}")
_INSTRUCTION = re.compile(rb"^ +(?:ROOT )?%?([^\s%=(]+) = ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Alias:
    """A leaf of the result that may be given the bytes of a leaf of a parameter."""

    output_index: str
    parameter: int
    parameter_index: str


@dataclass(frozen=True, slots=True)
class HloText:
    """`parameters` and `result` are the entry's shapes with layouts; None where the line has none."""

    parameters: tuple[Shape, ...] | None
    result: Shape | None
    aliases: tuple[Alias, ...]
    instructions: frozenset[str]


def parse_hlo_text(data: bytes) -> HloText | None:
    """None where the text does not begin as a module's does."""
    if not data.startswith(b"HloModule "):
        return None
    head = data.partition(b"\n")[0].decode("utf-8", "replace")
    parameters, result = _entry_layout(head)
    aliases = _ALIASES.search(head)
    found = _ALIAS.findall(aliases[1]) if aliases else ()
    names = frozenset(name.decode("utf-8", "replace") for name in _INSTRUCTION.findall(data))
    return HloText(parameters, result, tuple(Alias(_index(o), int(p), _index(i)) for o, p, i in found), names)


def _index(digits: str) -> str:
    return "{" + digits.replace(" ", "") + "}"


def _entry_layout(head: str) -> tuple[tuple[Shape, ...] | None, Shape | None]:
    start = head.find(_LAYOUT)
    if start < 0:
        return None, None
    start += len(_LAYOUT)
    try:
        end = scan_shape(head, start)
        parameters = parse_shape(head[start:end])
        if not isinstance(parameters, TupleShape) or not head.startswith("->", end):
            return None, None
        return parameters.elements, parse_shape(head[end + 2 : scan_shape(head, end + 2)])
    except ShapeError:
        return None, None
