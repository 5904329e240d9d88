"""Decode the buffer assignment in a `.hlo.pb`, which XLA writes with `--xla_dump_hlo_as_proto`.

An `HloProto` consists of the module (field 1), which is most of it, and the assignment (field 3). Only the assignment
is decoded, and of it only the fields that a dump's text has too. Field numbers are those of XLA's hlo.proto.
"""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from google.protobuf.message import Message

_ASSIGNMENT_FIELD = 3
_VARINT, _FIXED64, _DELIMITED, _FIXED32 = 0, 1, 2, 5

_INT64, _BOOL, _MESSAGE = 3, 8, 11  # descriptor.proto, FieldDescriptorProto.Type
_OPTIONAL, _REPEATED = 1, 3

# Message: field: (number, type, message).
_SCHEMA: dict[str, dict[str, tuple[int, int, str]]] = {
    "Assigned": {"logical_buffer_id": (1, _INT64, ""), "offset": (2, _INT64, ""), "size": (3, _INT64, "")},
    "Allocation": {
        "index": (1, _INT64, ""),
        "size": (2, _INT64, ""),
        "is_thread_local": (3, _BOOL, ""),
        "is_entry_computation_parameter": (5, _BOOL, ""),
        "parameter_number": (6, _INT64, ""),
        "maybe_live_out": (7, _BOOL, ""),
        "color": (8, _INT64, ""),
        "assigned": (9, _MESSAGE, "Assigned"),
        "is_constant": (12, _BOOL, ""),
    },
    "Assignment": {"allocations": (3, _MESSAGE, "Allocation")},
}
_REPEATED_FIELDS = frozenset({"assigned", "allocations"})


class ProtoError(ValueError):
    """Raised for bytes that are not an HloProto with a buffer assignment."""


class ProtoAllocation(NamedTuple):
    """An allocation with the flags that a dump prints; `values` are (id, offset, size) in bytes."""

    number: int
    size_bytes: int
    color: int
    parameter: int | None
    is_thread_local: bool
    is_constant: bool
    is_maybe_live_out: bool
    values: frozenset[tuple[int, int, int]]


def can_read_protos() -> bool:
    """Return whether the extra `xla-reportgen[proto]` is installed."""
    from importlib.util import find_spec

    try:
        return find_spec("google.protobuf") is not None
    except ModuleNotFoundError:
        return False


def parse_assignment_proto(data: bytes) -> tuple[ProtoAllocation, ...]:
    """Return the allocations of an HloProto, in its order. Raises ProtoError."""
    from google.protobuf.message import DecodeError

    assignment: Any = _message_class()()
    try:
        found = [data[start:end] for number, start, end in _delimited(data) if number == _ASSIGNMENT_FIELD]
        if not found:
            raise ProtoError("it has no buffer assignment")
        assignment.ParseFromString(found[0])
    except (DecodeError, IndexError) as error:
        raise ProtoError(f"it is damaged: {error}") from error
    return tuple(map(_allocation, assignment.allocations))


def _allocation(allocation: Any) -> ProtoAllocation:
    return ProtoAllocation(
        number=allocation.index,
        size_bytes=allocation.size,
        color=allocation.color,
        parameter=allocation.parameter_number if allocation.is_entry_computation_parameter else None,
        is_thread_local=allocation.is_thread_local,
        is_constant=allocation.is_constant,
        is_maybe_live_out=allocation.maybe_live_out,
        values=frozenset([(one.logical_buffer_id, one.offset, one.size) for one in allocation.assigned]),
    )


def _delimited(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield the number of each length-delimited top-level field, with the start and end of its bytes."""
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        kind, size = tag & 7, {_FIXED64: 8, _FIXED32: 4}.get(tag & 7, 0)
        if kind == _VARINT:
            _, position = _varint(data, position)
        elif kind == _DELIMITED:
            size, position = _varint(data, position)
            yield tag >> 3, position, position + size
        elif not size:
            raise ProtoError("it is no protocol buffer")
        position += size


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position


@cache
def _message_class() -> "type[Message]":
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="reportgen.proto", package="reportgen", syntax="proto3")
    for name, fields in _SCHEMA.items():
        message = file.message_type.add(name=name)
        for field, (number, kind, content) in fields.items():
            message.field.add(
                name=field,
                number=number,
                type=kind,
                label=_REPEATED if field in _REPEATED_FIELDS else _OPTIONAL,
                type_name=f".reportgen.{content}" if content else None,
            )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("reportgen.Assignment"))
