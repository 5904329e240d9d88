"""Extract from the first line of a module what its buffer assignment must agree with.

That is the layout of the entry computation and the aliases of inputs and outputs.
"""

import re

from reportgen.model.shapes import Shape, TupleShape
from reportgen.parse.shape_parser import ShapeError, parse_shape, scan_shape
from reportgen.record import record

_LAYOUT = "entry_computation_layout={"
# Ends at the next attribute and not at a brace, because the braces of the aliases nest.
_ALIASES = "input_output_alias={", "}, entry_computation_layout"
_ALIAS = re.compile(r"\{([\d,\s]*)\}: \((\d{1,9}), \{([\d,\s]*)\}")


@record(kw_only=False)
class Alias:
    """A leaf of the result that may reuse the bytes of a leaf of a parameter."""

    output_index: str
    parameter: int
    parameter_index: str


@record(kw_only=False)
class HloText:
    """The facts of a module; `parameters` and `result` are the entry's shapes, None if the first line lacks them."""

    parameters: tuple[Shape, ...] | None
    result: Shape | None
    aliases: tuple[Alias, ...]


def parse_hlo_text(data: bytes) -> HloText | None:
    """Return the facts of a module, or None if the text does not begin like a module."""
    if not data.startswith(b"HloModule "):
        return None
    head = data.partition(b"\n")[0].decode("utf-8", "replace")
    parameters, result = _entry_layout(head)
    begin, end = _ALIASES
    aliases, ended, _ = head.partition(begin)[2].partition(end)
    matches = _ALIAS.findall(aliases) if ended else ()
    return HloText(parameters, result, tuple(Alias(_index(o), int(p), _index(i)) for o, p, i in matches))


def _index(digits: str) -> str:
    return "{" + digits.replace(" ", "") + "}"


def _entry_layout(head: str) -> tuple[tuple[Shape, ...] | None, Shape | None]:
    """Return the shapes of the entry's parameters and of its result; None for both where the head states none."""
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
