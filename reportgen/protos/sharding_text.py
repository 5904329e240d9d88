"""Print how arrays are divided among devices, as XLA does: `{devices=[2,4]<=[8]}`."""

from typing import Any

from reportgen.protos.proto_messages import ProtoError, decoded

_DEEPEST = 16  # a sharding of a tuple has one level of others in it
_SHARDINGS = ("replicated", "maximal", "tuple", "other", "manual", "unknown", "unreduced")
_TILED = 3


def sharding_text(proto: bytes, depth: int = 0) -> str:
    """Return the text of an OpSharding in braces. Raises ProtoError."""
    one = decoded("OpSharding", proto)
    if depth > _DEEPEST:
        raise ProtoError(f"a sharding nests deeper than {_DEEPEST}")
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


def iota_text(one: Any) -> str:
    """Return `<=[2,4]T(1,0)`: the devices in order, reshaped and transposed."""
    order = list(one.iota_transpose_perm)
    text = f"<=[{','.join(map(str, one.iota_reshape_dims))}]"
    return text if order == list(range(len(order))) else f"{text}T({','.join(map(str, order))})"
