"""Read the beginning of the instructions that define values: their shapes and opcodes.

The dump prints a shape twice, with the value and with its instruction, and the opcode says which kind of allocation
a value belongs to. Checks compare all of them, so each instruction is read once, with one pattern.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from reportgen.model import Dump, UsedValues
from reportgen.parse.shape_parser import ShapeError, scan_shape
from reportgen.patterns import repeated

# With the first operand, if it has a form that is not known.
_OPCODE = rb"(parameter\(\d{1,9}|[\w-]++)(?:\(((?:%[\w.-]+)?[^)\w\s\"'{}(/.+,%-][^,)\n]*))?"
# As deep as what starts a transfer: a tuple in a tuple, with layouts. The brackets of deeper ones are counted instead.
_WITHIN = rb"\(" + repeated(rb"[^()\n]++|\([^()\n]*+\)") + rb"\)"
_HEAD = re.compile(rb"%(\S++) = (\(" + repeated(rb"[^()\n]++|" + _WITHIN) + rb"\)|[^\s(]\S*+) " + _OPCODE)
_DEEP_HEAD = re.compile(rb"%(\S++) = (?=\()")
_DEEP_OPCODE = re.compile(rb" " + _OPCODE)
_LAYOUT_OR_COMMENT = re.compile(r"\{[^{}]*\}|/\*index=\d+\*/")


class Definition(NamedTuple):
    """The shape of an instruction as printed, with layouts, its opcode and, of a parameter, the number.

    `unread` is the first operand if it has a form that is not known, else empty.
    """

    shape: str
    opcode: str
    parameter: int | None
    unread: str = ""


def definitions(dump: Dump) -> Mapping[str, Definition]:
    """Return the definition of each instruction by its name, without those whose text is absent or damaged."""
    known = _Known()
    by_name: dict[str, Definition] = {}
    used, rows = dump.used_values or UsedValues(), dump.first_used_row
    places = {name: place for name, row in rows.items() if (place := used.instruction_starts[row]) is not None}
    heads = dump.text.matches(_HEAD, places.values())
    for name, head in zip(places, heads, strict=True):
        if head is not None and head[1] == name.encode():
            by_name[name] = known[head[2], head[3], head[4]]
        elif key := _deep_head(dump, name):
            by_name[name] = known[key]
    return by_name


_Key = tuple[bytes, bytes, bytes | None]


class _Known(dict[_Key, Definition]):
    """Definitions by shape and opcode, made once, because a dump repeats a few hundred of them."""

    def __missing__(self, key: _Key) -> Definition:
        shape, opcode, unread = key
        word, _, number = opcode.decode().partition("(")
        definition = Definition(
            shape.decode("utf-8", "replace"),
            word,
            int(number) if number else None,
            (unread or b"").decode("utf-8", "replace"),
        )
        self[key] = definition
        return definition


def _deep_head(dump: Dump, name: str) -> _Key | None:
    """Return the shape and the opcode of an instruction whose result is a tuple of tuples."""
    text = dump.instruction_text(name)
    head = None if text is None else _DEEP_HEAD.match(text)
    if text is None or head is None or head[1] != name.encode():
        return None
    try:
        end = scan_shape(text.decode("latin-1"), head.end())
    except ShapeError:
        return None
    opcode = _DEEP_OPCODE.match(text, end)
    return (text[head.end() : end], opcode[1], opcode[2]) if opcode else None


@lru_cache(maxsize=4096)
def without_layout(shape: str) -> str:
    """Return a shape as an `allocation` line prints it."""
    return _LAYOUT_OR_COMMENT.sub("", shape)
