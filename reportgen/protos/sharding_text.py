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
    sharding = decoded("OpSharding", proto)
    if depth > _DEEPEST:
        raise ProtoError(f"a sharding nests deeper than {_DEEPEST}")
    if sharding.HasField("named_sharding"):
        return _named(decoded("NamedShardingProto", sharding.named_sharding))
    if sharding.tuple_shardings:
        parts = [sharding_text(part, depth + 1) for part in sharding.tuple_shardings]
        for number in range(5, len(parts), 5):
            parts[number] = f"/*index={number}*/{parts[number]}"
        return f"{{{', '.join(parts)}}}"
    kind = _SHARDINGS[sharding.type] if sharding.type < len(_SHARDINGS) else str(sharding.type)
    if kind == "maximal":
        return f"{{maximal device={','.join(map(str, sharding.tile_assignment_devices))}}}"
    if sharding.type != _TILED:
        return f"{{{kind}}}"
    devices = ",".join(map(str, sharding.tile_assignment_devices))
    if sharding.iota_reshape_dims:
        devices = iota_text(sharding)
    last = " last_tile_dim_replicate" if sharding.replicate_on_last_tile_dim else ""
    if sharding.last_tile_dims:
        last = f" last_tile_dims={{{', '.join(_SHARDINGS[kind] for kind in sharding.last_tile_dims if kind < 7)}}}"
    return f"{{devices=[{','.join(map(str, sharding.tile_assignment_dimensions))}]{devices}{last}}}"


def _named(proto: Any) -> str:
    """Return the text of a NamedShardingProto in braces: the mesh, then the axes of each dimension."""
    axes, devices = proto.mesh.axes, ",".join(map(str, proto.mesh.device_ids))
    names = [plain_name(axis.name) for axis in axes]
    if devices and not names:
        return f"{{maximal device={devices}}}"
    sizes = ",".join(f"{name}={axis.size}" for name, axis in zip(names, axes, strict=True))
    parts = [f"mesh[{sizes}]"]
    if devices:
        parts.append(f"device_ids=({devices})")
    dimensions = []
    for dimension in proto.dim_shardings:
        open_end = () if dimension.is_closed else ("?",)
        dimensions.append(f"{{{', '.join((*_axes(dimension.axes, names), *open_end))}}}")
    parts.append(f"[{', '.join(dimensions)}]")
    by_kind = {"replicated": proto.replicated_axes, "unreduced": proto.unreduced_axes, "manual": proto.manual_axes}
    parts += (f"{kind}={{{', '.join(_axes(some, names))}}}" for kind, some in by_kind.items() if some)
    return f"{{{', '.join(parts)}}}"


def _axes(axes: Iterable[Any], names: Sequence[str]) -> Iterator[str]:
    """Yield the axes of a mesh, of which an array may use a part: `data:(2)4` has 4 steps, each of 2 before it."""
    for axis in axes:
        if not 0 <= axis.mesh_axis_index < len(names):
            raise ProtoError("a sharding names an axis that its mesh does not have")
        part = axis.sub_axis_info
        yield names[axis.mesh_axis_index] + (f":({part.pre_size}){part.size}" if axis.HasField("sub_axis_info") else "")


def iota_text(iota: Any) -> str:
    """Return `<=[2,4]T(1,0)`: the devices in order, reshaped and transposed."""
    order = list(iota.iota_transpose_perm)
    text = f"<=[{','.join(map(str, iota.iota_reshape_dims))}]"
    return text if order == list(range(len(order))) else f"{text}T({','.join(map(str, order))})"
