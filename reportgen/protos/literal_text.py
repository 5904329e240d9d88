"""Print constants: a scalar as its number, anything larger as `{...}`."""

import struct
from typing import Any

from reportgen.protos.proto_messages import decoded

_LARGEST = 1 << 10  # bytes of a literal that may be a scalar
_BYTES = {"s8s": "b", "u8s": "B", "s16s": "<h", "u16s": "<H", "f16s": "<e"}
_WORDS = {"inf": "inf", "-inf": "-inf", "nan": "nan"}


def literal_text(literal: bytes) -> str:
    """Return what is between the parentheses of a constant. Raises ProtoError."""
    if len(literal) > _LARGEST:
        return "{...}"
    one = decoded("LiteralProto", literal)
    shape = decoded("ShapeProto", one.shape)
    if shape.dimensions or shape.tuple_shapes:
        return "{...}"
    for field, content in one.ListFields():
        if field.name != "shape" and len(content):
            return _scalar(field.name, content)
    return "{...}"


def _scalar(name: str, content: Any) -> str:
    if name == "preds":
        return str(bool(content[0])).lower()
    if name == "bf16s" and len(content) == 2:
        return _shortest(struct.unpack("<f", b"\0\0" + content)[0], 4, 4)
    if name in _BYTES and len(content) == struct.calcsize(_BYTES[name]):
        number = struct.unpack(_BYTES[name], content)[0]
        return _shortest(number, 5, 5) if name == "f16s" else str(number)
    if name == "f32s":
        return _shortest(content[0], 6, 9)
    if name == "f64s":
        return _shortest(content[0], 15, 17)
    return str(content[0]) if not isinstance(content, bytes) else "{...}"


def _shortest(number: float, few: int, all_digits: int) -> str:
    """Return a number with few digits where they say it exactly, else with all."""
    text = f"{number:.{few}g}"
    if few == all_digits or text in _WORDS:
        return text
    again = float(text)
    if all_digits == 9:
        again = struct.unpack("<f", struct.pack("<f", again))[0]
    return text if again == number else f"{number:.{all_digits}g}"
