"""Decode the buffer assignment in a `.hlo.pb`, which XLA writes with `--xla_dump_hlo_as_proto`.

An `HloProto` consists of the module (field 1), which is most of it, and the assignment (field 3). Only the assignment
is decoded, and of it only the fields that a dump's text has too. Field numbers are those of XLA's hlo.proto.
"""

from typing import NamedTuple

from reportgen.parse.wire import WireError, fields, messages, numbers

_ASSIGNMENT = 3  # in HloProto
_ALLOCATIONS = 3  # in BufferAssignmentProto
_INDEX, _SIZE, _THREAD_LOCAL, _IS_PARAMETER, _PARAMETER, _LIVE_OUT, _COLOR, _ASSIGNED, _CONSTANT = (
    1,
    2,
    3,
    5,
    6,
    7,
    8,
    9,
    12,
)
_ID, _OFFSET, _ASSIGNED_SIZE = 1, 2, 3


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
    values: tuple[tuple[int, int, int], ...]


def parse_assignment_proto(data: bytes) -> tuple[ProtoAllocation, ...]:
    """Return the allocations of an HloProto, in its order. Raises ProtoError."""
    try:
        assignments = list(messages(data, _ASSIGNMENT))
        if not assignments:
            raise ProtoError("it has no buffer assignment")
        return tuple(map(_allocation, messages(assignments[0], _ALLOCATIONS)))
    except WireError as error:
        raise ProtoError(f"it is damaged: {error}") from error


def _allocation(message: memoryview) -> ProtoAllocation:
    stated: dict[int, int] = {}
    assigned = []
    for field, content in fields(message):
        if isinstance(content, int):
            stated[field] = content
        elif field == _ASSIGNED:
            assigned.append(numbers(content))
    return ProtoAllocation(
        number=stated.get(_INDEX, 0),
        size_bytes=stated.get(_SIZE, 0),
        color=stated.get(_COLOR, 0),
        parameter=stated.get(_PARAMETER, 0) if stated.get(_IS_PARAMETER) else None,
        is_thread_local=bool(stated.get(_THREAD_LOCAL)),
        is_constant=bool(stated.get(_CONSTANT)),
        is_maybe_live_out=bool(stated.get(_LIVE_OUT)),
        values=tuple((one.get(_ID, 0), one.get(_OFFSET, 0), one.get(_ASSIGNED_SIZE, 0)) for one in assigned),
    )
