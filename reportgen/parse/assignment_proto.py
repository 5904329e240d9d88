"""Read from a `.hlo.pb` what a dump's text has too, so that the two can be compared."""

from typing import Any, NamedTuple

from reportgen.protos.hlo_proto import read_allocations


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
    return tuple(map(_allocation, read_allocations(data)))


def _allocation(proto: Any) -> ProtoAllocation:
    return ProtoAllocation(
        number=proto.index,
        size_bytes=proto.size,
        color=proto.color,
        parameter=proto.parameter_number if proto.is_entry_computation_parameter else None,
        is_thread_local=proto.is_thread_local,
        is_constant=proto.is_constant,
        is_maybe_live_out=proto.maybe_live_out,
        values=tuple((value.logical_buffer_id, value.offset, value.size) for value in proto.assigned),
    )
