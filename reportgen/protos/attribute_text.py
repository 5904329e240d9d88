"""Print the attributes of instructions as XLA does: `kind=kLoop`, `dimensions={0}`, `sharding={devices=[2,4]<=[8]}`.

Only those are printed that a figure is computed from or that say which elements, devices or kind an operation is about.
Texts of the kinds that repeat are made once for all instructions that share them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from reportgen.protos.escapes import plain_name, quoted
from reportgen.protos.proto_messages import decoded
from reportgen.protos.sharding_text import iota_text, sharding_text

_METADATA = (
    *("op_type", "op_name", "source_file", "source_line", "source_end_line", "source_column", "source_end_column"),
    *("deduplicated_name", "scheduling_name", "stack_frame_id"),
)
"""What an instruction says of its origin, in the order in which XLA prints it."""

_LONGEST_SCALAR = 100
"""Bytes of a literal with its shape."""


def braced(items: Iterable[object]) -> str:
    """Return `{1,2}`."""
    return f"{{{','.join(map(str, items))}}}"


def _metadata(proto: bytes) -> str:
    if not proto:
        return ""
    metadata = decoded("OpMetadata", proto)
    # The frame only where no file is stated, because builds that state both in a proto print only the file.
    names = _METADATA[:-1] if metadata.source_file else _METADATA
    contents = ((name, getattr(metadata, name)) for name in names)
    return f"{{{' '.join(f'{name}={_quoted_text(content)}' for name, content in contents if content)}}}"


def _quoted_text(content: bytes | int) -> str:
    return quoted(content) if isinstance(content, bytes) else str(content)


def _window(proto: bytes) -> str:
    """Return a window as `{size=3x3 pad=1_1x1_1}`, without what is as usual in all dimensions."""
    dimensions = decoded("Window", proto).dimensions

    def joined(texts: Iterable[object]) -> str:
        return "x".join(map(str, texts))

    parts = {"size": joined(dimension.size for dimension in dimensions)}
    if any(dimension.stride != 1 for dimension in dimensions):
        parts["stride"] = joined(dimension.stride for dimension in dimensions)
    if any(dimension.padding_low or dimension.padding_high for dimension in dimensions):
        parts["pad"] = joined(f"{dimension.padding_low}_{dimension.padding_high}" for dimension in dimensions)
    if any(dimension.base_dilation != 1 for dimension in dimensions):
        parts["lhs_dilate"] = joined(dimension.base_dilation for dimension in dimensions)
    if any(dimension.window_dilation != 1 for dimension in dimensions):
        parts["rhs_dilate"] = joined(dimension.window_dilation for dimension in dimensions)
    if any(dimension.window_reversal for dimension in dimensions):
        parts["rhs_reversal"] = joined(int(dimension.window_reversal) for dimension in dimensions)
    return f"{{{' '.join(f'{name}={text}' for name, text in parts.items())}}}" if dimensions else ""


def content_text(literal: bytes) -> str:
    """Return what stands in the brackets of a constant: a whole number, which may count a loop, else `{...}`."""
    # The content of a large array is not decoded, because nothing is computed from it.
    decoded_literal = decoded("LiteralProto", literal) if 0 < len(literal) <= _LONGEST_SCALAR else None
    if decoded_literal is None or decoded_literal.shape.dimensions:
        return "{...}"
    whole = [*decoded_literal.s32s, *decoded_literal.s64s, *decoded_literal.u32s, *decoded_literal.u64s]
    return str(whole[0]) if len(whole) == 1 else "{...}"


def _convolution(proto: bytes) -> str:
    """Return the labels of the dimensions of a convolution: `b01f_01io->b01f`."""
    numbers = decoded("ConvolutionDimensionNumbers", proto)

    def labels(first: str, first_at: int, second: str, second_at: int, spatial: Sequence[int]) -> str:
        places = {first_at: first, second_at: second} | {place: str(number) for number, place in enumerate(spatial)}
        return "".join(places[place] for place in sorted(places))

    of_input = labels(
        "b", numbers.input_batch_dimension, "f", numbers.input_feature_dimension, numbers.input_spatial_dimensions
    )
    kernel = labels(
        "i",
        numbers.kernel_input_feature_dimension,
        "o",
        numbers.kernel_output_feature_dimension,
        numbers.kernel_spatial_dimensions,
    )
    output = labels(
        "b", numbers.output_batch_dimension, "f", numbers.output_feature_dimension, numbers.output_spatial_dimensions
    )
    return f"{of_input}_{kernel}->{output}"


def _dimension_numbers(message: str, always: Sequence[str], names: Sequence[str]) -> Callable[[bytes], str]:
    """Return a printer of the numbers of a message: those in `always`, and lists in `names` unless they are empty."""

    def printed(proto: bytes) -> str:
        numbers = decoded(message, proto)
        parts = []
        for name in (*always, *names):
            value = getattr(numbers, name)
            if isinstance(value, int):
                parts.append(f"{name}={value}")
            elif value or name in always:
                parts.append(f"{name}={braced(value)}")
        return ", ".join(parts)

    return printed


_DOT = _dimension_numbers(
    "DotDimensionNumbers", (), ("lhs_batch_dims", "lhs_contracting_dims", "rhs_batch_dims", "rhs_contracting_dims")
)
_GATHER = _dimension_numbers(
    "GatherDimensionNumbers",
    ("offset_dims", "collapsed_slice_dims", "start_index_map"),
    ("operand_batching_dims", "start_indices_batching_dims", "index_vector_dim"),
)
_SCATTER = _dimension_numbers(
    "ScatterDimensionNumbers",
    ("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims"),
    ("input_batching_dims", "scatter_indices_batching_dims", "index_vector_dim"),
)


def _device_list(proto: bytes) -> str:
    """Return groups of devices as `{{0,1},{2,3}}` or `[4,2]<=[2,4]T(1,0)`."""
    devices = decoded("CollectiveDeviceList", proto)
    if devices.HasField("iota_replica_group_list"):
        return _iota_groups(devices.iota_replica_group_list)
    return _groups(devices.replica_groups)


def _iota_groups(proto: bytes) -> str:
    groups = decoded("IotaReplicaGroupList", proto)
    return f"[{groups.num_replica_groups},{groups.num_devices_per_group}]{iota_text(groups)}"


def _groups(protos: Iterable[bytes]) -> str:
    return braced(braced(decoded("ReplicaGroup", proto).replica_ids) for proto in protos)


def _slice(proto: bytes) -> str:
    bounds = decoded("SliceDimensions", proto)
    return f"[{bounds.start}:{bounds.limit}{f':{bounds.stride}' if bounds.stride != 1 else ''}]"


def _aliasing(proto: bytes) -> str:
    """Return a result's part that has the bytes of an operand's part: `{0}: (1, {})`."""
    alias = decoded("OutputOperandAliasing", proto)
    result, operand = (
        f"{{{', '.join(map(str, index))}}}" for index in (alias.output_shape_index, alias.operand_shape_index)
    )
    return f"{result}: ({alias.operand_index}, {operand})"


def _config(content: bytes) -> str:
    """Return the settings of a backend, as they are where they are a dictionary, else in quotes."""
    text = content.decode("utf-8", "replace").replace("\n", " ")
    return text if text.startswith("{") and text.endswith("}") else quoted(content)


def _aliases(protos: Iterable[bytes]) -> str:
    return f"{{{', '.join(map(_aliasing, protos))}}}"


_cached = lru_cache(maxsize=1 << 14)


def _of_the_module(content: object) -> str:
    """Return nothing; the printer of the module adds what names other parts of it."""
    return ""


# In the order in which XLA prints them.
_PRINTERS: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "tuple_index": ("index", str),
    "fusion_kind": ("kind", plain_name),
    "replica_groups": ("replica_groups", _groups),
    "collective_device_list": ("replica_groups", _cached(_device_list)),
    "iota_replica_groups": ("replica_groups", _cached(_iota_groups)),
    "window": ("window", _cached(_window)),
    "convolution_dimension_numbers": ("dim_labels", _cached(_convolution)),
    "dimensions": ("dimensions", braced),
    "dot_dimension_numbers": ("", _cached(_DOT)),
    "gather_dimension_numbers": ("", _cached(_GATHER)),
    "scatter_dimension_numbers": ("", _cached(_SCATTER)),
    "slice_dimensions": ("slice", lambda protos: f"{{{', '.join(map(_slice, protos))}}}"),
    "comparison_direction": ("direction", plain_name),
    "async_execution_thread": ("async_execution_thread", quoted),
    "custom_call_target": ("custom_call_target", quoted),
    "output_operand_aliasing": ("output_to_operand_aliasing", _aliases),
    "called_computation_ids": ("", _of_the_module),
    "sharding": ("sharding", _cached(sharding_text)),
    "metadata": ("metadata", _cached(_metadata)),
    "backend_config": ("backend_config", _config),
}


class _Ranked(NamedTuple):
    """How an attribute is printed, and its place among the others."""

    rank: int
    prefix: str
    printer: Callable[[Any], str]


_RANKED = {
    name: _Ranked(rank, f"{label}=" if label else "", printer)
    for rank, (name, (label, printer)) in enumerate(_PRINTERS.items())
}
CALLED, SHARDING = (_RANKED[name].rank for name in ("called_computation_ids", "sharding"))
"""Where the attributes come that the module states, or that name computations of it."""

_DIMENSIONS = _RANKED["dimensions"].rank
_ALWAYS: Mapping[str, tuple[int, str]] = {
    "get-tuple-element": (_RANKED["tuple_index"].rank, "index=0"),
    **dict.fromkeys(("broadcast", "concatenate", "reduce", "reverse", "transpose"), (_DIMENSIONS, "dimensions={}")),
}
"""Opcodes with an attribute that XLA prints also where a proto leaves it out because it is 0 or empty."""


def own_attributes(opcode: str, instruction: Any) -> list[tuple[int, str]]:
    """Return the attributes that need nothing but the instruction, each with its rank. Raises ProtoError."""
    attributes = []
    for field, content in instruction.ListFields():
        ranked = _RANKED.get(field.name)
        if ranked and (text := ranked.printer(content)):
            attributes.append((ranked.rank, ranked.prefix + text))
    if opcode == "iota":
        attributes = [
            (rank, text.replace("dimensions={", "iota_dimension=").removesuffix("}") if rank == _DIMENSIONS else text)
            for rank, text in attributes
        ]
    elif opcode in _ALWAYS:
        always, text = _ALWAYS[opcode]
        if all(rank != always for rank, _ in attributes):
            attributes.append((always, text))
    return attributes
