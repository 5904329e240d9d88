"""Print how arrays are divided among devices, as XLA does: `{devices=[2,4]<=[8]}` or `{mesh[data=8], [{data}, {}]}`.

The second form is of builds since 2026 and names the axes of a mesh by which each dimension is divided (XLA
`NamedSharding::ToString`). `?` says that a compiler may divide a dimension further.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from reportgen.protos.escapes import plain_name
from reportgen.protos.proto_messages import ProtoError, decoded

_DEEPEST = 16  # a sharding of a tuple has one level of others in it
_SHARDINGS = ("replicated", "maximal", "tuple", "other", "manual", "unknown", "unreduced")
_TILED = 3


def sharding_text(proto: bytes, depth: int = 0) -> str:
    """Return the text of an OpSharding in braces. Raises ProtoError."""
    one = decoded("OpSharding", proto)
    if depth > _DEEPEST:
        raise ProtoError(f"a sharding nests deeper than {_DEEPEST}")
    if one.HasField("named_sharding"):
        return _named(decoded("NamedShardingProto", one.named_sharding))
    if one.tuple_shardings:
        parts = [sharding_text(part, depth + 1) for part in one.tuple_shardings]
        for number in range(5, len(parts), 5):
            parts[number] = f"/*index={number}*/{parts[number]}"
        return f"{{{', '.join(parts)}}}"
    kind = _SHARDINGS[one.type] if one.type < len(_SHARDINGS) else str(one.type)
    if kind == "maximal":
        return f"{{maximal device={','.join(map(str, one.tile_assignment_devices))}}}"
    if one.type != _TILED:
        return f"{{{kind}}}"
    devices = ",".join(map(str, one.tile_assignment_devices))
    if one.iota_reshape_dims:
        devices = iota_text(one)
    last = " last_tile_dim_replicate" if one.replicate_on_last_tile_dim else ""
    if one.last_tile_dims:
        last = f" last_tile_dims={{{', '.join(_SHARDINGS[kind] for kind in one.last_tile_dims if kind < 7)}}}"
    return f"{{devices=[{','.join(map(str, one.tile_assignment_dimensions))}]{devices}{last}}}"


def _named(one: Any) -> str:
    axes, devices = one.mesh.axes, ",".join(map(str, one.mesh.device_ids))
    names = [plain_name(axis.name) for axis in axes]
    if devices and not names:
        return f"{{maximal device={devices}}}"
    parts = [f"mesh[{','.join(f'{name}={axis.size}' for name, axis in zip(names, axes, strict=True))}]"]
    if devices:
        parts.append(f"device_ids=({devices})")
    dimensions = ([*_axes(part.axes, names), *([] if part.is_closed else ["?"])] for part in one.dim_shardings)
    parts.append(f"[{', '.join(f'{{{part}}}' for part in map(', '.join, dimensions))}]")
    others = {"replicated": one.replicated_axes, "unreduced": one.unreduced_axes, "manual": one.manual_axes}
    parts += (f"{kind}={{{', '.join(_axes(some, names))}}}" for kind, some in others.items() if some)
    return f"{{{', '.join(parts)}}}"


def _axes(axes: Iterable[Any], names: Sequence[str]) -> Iterator[str]:
    """Yield the axes of a mesh, of which an array may use a part: `data:(2)4` has 4 steps, each of 2 before it."""
    for axis in axes:
        if not 0 <= axis.mesh_axis_index < len(names):
            raise ProtoError("a sharding names an axis that its mesh does not have")
        part = axis.sub_axis_info
        yield names[axis.mesh_axis_index] + (f":({part.pre_size}){part.size}" if axis.HasField("sub_axis_info") else "")


def iota_text(one: Any) -> str:
    """Return `<=[2,4]T(1,0)`: the devices in order, reshaped and transposed."""
    order = list(one.iota_transpose_perm)
    text = f"<=[{','.join(map(str, one.iota_reshape_dims))}]"
    return text if order == list(range(len(order))) else f"{text}T({','.join(map(str, order))})"
