"""Declare the messages of XLA's protos, as far as a report needs them, and decode them.

Names and numbers of fields are those of XLA's hlo.proto and xla_data.proto; fields that are left out are skipped. A
message that repeats, such as a shape, is declared as bytes, so that equal ones are decoded only once. So is all text,
because bytes that are not UTF-8 must not make a file unreadable. AllocationsProto is a BufferAssignmentProto of which
only the allocations are wanted: its other fields take three times their memory.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from reportgen.protos.wire import first_damage

_FIELDS = {
    "HloModuleProto": "name=1, entry_computation_id=6 int64, computations=3 *HloComputationProto, host_program_shape=4,"
    " schedule=7 HloScheduleProto, input_output_alias=8 HloInputOutputAliasProto, spmd_parameters_shardings=14 *bytes,"
    " device_assignment=15 DeviceAssignmentProto, stack_frame_index=17 StackFrameIndexProto",
    "HloComputationProto": "name=1, instructions=2 *bytes, id=5 int64, root_id=6 int64, execution_thread=8",
    "HloInstructionProto": "name=1, opcode=2, shape=3, metadata=7, literal=8, parameter_number=9 int64, fusion_kind=11,"
    " tuple_index=13 int64, dimensions=14 *int64, window=15, convolution_dimension_numbers=16,"
    " slice_dimensions=17 *bytes, custom_call_target=28, dot_dimension_numbers=30, gather_dimension_numbers=33,"
    " id=35 int64, operand_ids=36 *int64, called_computation_ids=38 *int64, sharding=40, backend_config=43,"
    " scatter_dimension_numbers=48, replica_groups=49 *bytes, comparison_direction=63,"
    " output_operand_aliasing=74 *bytes, async_execution_thread=79, collective_device_list=87,"
    " iota_replica_groups=92",
    "HloScheduleProto": "sequences=1 *SequenceEntry",
    "SequenceEntry": "key=1 int64, value=2 InstructionSequence",
    "InstructionSequence": "instruction_ids=1 *int64",
    "HloInputOutputAliasProto": "entries=1 *AliasEntryProto",
    "AliasEntryProto": "output_shape_index=1 *int64, parameter_number=2 int64, parameter_shape_index=3 *int64,"
    " kind=4 int32",
    "DeviceAssignmentProto": "replica_count=1 int32, computation_count=2 int32",
    "StackFrameIndexProto": "file_names=1 *bytes, function_names=2 *bytes, file_locations=3 *FileLocation,"
    " stack_frames=4 *StackFrameProto",
    "FileLocation": "file_name_id=1 int32, function_name_id=2 int32, line=3 int32, column=4 int32",
    "StackFrameProto": "file_location_id=1 int32, parent_frame_id=2 int32",
    "BufferAssignmentProto": "logical_buffers=1 *LogicalBufferProto, buffer_aliases=2 *BufferAlias,"
    " buffer_allocations=3 *BufferAllocationProto, heap_simulator_traces=4 *HeapSimulatorTrace",
    "AllocationsProto": "buffer_allocations=3 *BufferAllocationProto",
    "LogicalBufferProto": "id=1 int64, size=2 int64, defined_at=3 BufferLocation, color=4 int64",
    "BufferLocation": "instruction_name=2, shape_index=3 *int64, instruction_id=4 int64",
    "BufferAlias": "source_buffer_id=1 int64, location=2 BufferLocation",
    "BufferAllocationProto": "index=1 int64, size=2 int64, is_thread_local=3 bool,"
    " is_entry_computation_parameter=5 bool, parameter_number=6 int64, maybe_live_out=7 bool, color=8 int64,"
    " assigned=9 *AssignedProto, parameter_shape_index=10 *int64, is_constant=12 bool",
    "AssignedProto": "logical_buffer_id=1 int64, offset=2 int64, size=3 int64",
    "HeapSimulatorTrace": "events=1 *TraceEvent, whole_module_simulation=2 bool, buffer_allocation_index=3 int64",
    "TraceEvent": "kind=1 int32, buffer_id=2 int64, share_with_canonical_id=5 int64",
    "ShapeProto": "element_type=2 int32, dimensions=3 *int64, tuple_shapes=4 *bytes, layout=5 LayoutProto,"
    " is_dynamic_dimension=6 *bool",
    "LayoutProto": "minor_to_major=1 *int64, tiles=6 *TileProto, element_size_in_bits=7 int64, memory_space=8 int64,"
    " physical_shape=10, index_primitive_type=11 int32, pointer_primitive_type=12 int32,"
    " dynamic_shape_metadata_prefix_bytes=15 int64, tail_padding_alignment_in_elements=16 int64,"
    " split_configs=17 *SplitConfigProto",
    "TileProto": "dimensions=1 *int64",
    "SplitConfigProto": "dimension=1 int64, split_indices=2 *int64",
    "ProgramShapeProto": "parameters=1 *bytes, result=2",
    "OpMetadata": "op_type=1, op_name=2, source_file=3, source_line=4 int32, stack_frame_id=15 int32,"
    " deduplicated_name=12, scheduling_name=16,"
    " source_end_line=17 int32, source_column=18 int32, source_end_column=19 int32",
    "ConvolutionDimensionNumbers": "input_batch_dimension=7 int64, input_feature_dimension=8 int64,"
    " input_spatial_dimensions=11 *int64, kernel_input_feature_dimension=3 int64,"
    " kernel_output_feature_dimension=4 int64, kernel_spatial_dimensions=6 *int64, output_batch_dimension=9 int64,"
    " output_feature_dimension=10 int64, output_spatial_dimensions=12 *int64",
    "DotDimensionNumbers": "lhs_contracting_dims=1 *int64, rhs_contracting_dims=2 *int64, lhs_batch_dims=3 *int64,"
    " rhs_batch_dims=4 *int64",
    "GatherDimensionNumbers": "offset_dims=1 *int64, collapsed_slice_dims=2 *int64, start_index_map=3 *int64,"
    " index_vector_dim=4 int64, operand_batching_dims=5 *int64, start_indices_batching_dims=6 *int64",
    "ScatterDimensionNumbers": "update_window_dims=1 *int64, inserted_window_dims=2 *int64,"
    " scatter_dims_to_operand_dims=3 *int64, index_vector_dim=4 int64, input_batching_dims=5 *int64,"
    " scatter_indices_batching_dims=6 *int64",
    "LiteralProto": "shape=1 ShapeProto, s32s=4 *int32, s64s=5 *int64, u32s=6 *uint32, u64s=7 *uint64",
    "Window": "dimensions=1 *WindowDimension",
    "WindowDimension": "size=1 int64, stride=2 int64, padding_low=3 int64, padding_high=4 int64,"
    " window_dilation=5 int64, base_dilation=6 int64, window_reversal=7 bool",
    "SliceDimensions": "start=1 int64, limit=2 int64, stride=3 int64",
    "ReplicaGroup": "replica_ids=1 *int64",
    "CollectiveDeviceList": "replica_groups=1 *bytes, iota_replica_group_list=2",
    "IotaReplicaGroupList": "num_replica_groups=1 int64, num_devices_per_group=2 int64, iota_reshape_dims=3 *int64,"
    " iota_transpose_perm=4 *int32",
    "OutputOperandAliasing": "output_shape_index=1 *int64, operand_index=2 int64, operand_shape_index=3 *int64",
    "OpSharding": "type=1 int32, tile_assignment_dimensions=3 *int64, tile_assignment_devices=4 *int64,"
    " tuple_shardings=5 *bytes, replicate_on_last_tile_dim=6 bool, last_tile_dims=8 *int32, iota_reshape_dims=9 *int64,"
    " iota_transpose_perm=10 *int32, named_sharding=14",
    "NamedShardingProto": "tuple_shardings=1 *bytes, mesh=2 MeshProto, dim_shardings=3 *DimensionSharding,"
    " replicated_axes=4 *AxisRefProto, unreduced_axes=5 *AxisRefProto, manual_axes=7 *AxisRefProto",
    "MeshProto": "axes=1 *MeshAxis, device_ids=2 *int64",
    "MeshAxis": "name=1, size=2 int64",
    "DimensionSharding": "axes=1 *AxisRefProto, is_closed=2 bool",
    "AxisRefProto": "mesh_axis_index=1 int64, sub_axis_info=2 SubAxis",
    "SubAxis": "pre_size=1 int64, size=2 int64",
}
"""The fields of each message, `name=number type`: bytes without a type, and several after an asterisk."""

_SCALARS = frozenset(("bool", "bytes", "double", "float", "int32", "int64", "uint32", "uint64"))


class ProtoError(ValueError):
    """Raised for bytes that are not the message that is expected, with the reason."""


def decoded(name: str, data: bytes | memoryview) -> Any:
    """Return a message of the given name. Raises ProtoError."""
    try:
        return _parsers()[name](data)
    except _decode_error() as error:
        raise ProtoError(f"{name}: {first_damage(data) or 'a field in it is damaged'}") from error


@cache
def _decode_error() -> type[Exception]:
    from google.protobuf.message import DecodeError

    return DecodeError


@cache
def _parsers() -> dict[str, Callable[[Any], Any]]:
    """Return the decoder of each message. Importing the package takes 30 ms, which only protos should cost."""
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message_factory import GetMessageClass

    # By the rules of proto2, because those of proto3 hide whether a number is stated.
    file = FileDescriptorProto(name="reportgen.proto", package="reportgen", syntax="proto2")
    for name, declared in _FIELDS.items():
        message = file.message_type.add(name=name)
        for declaration in declared.split(", "):
            label, _, kind = declaration.partition(" ")
            field, number = label.split("=")
            added = message.field.add(name=field, number=int(number))
            several, kind = kind.startswith("*"), kind.removeprefix("*") or "bytes"
            added.label = FieldDescriptorProto.LABEL_REPEATED if several else FieldDescriptorProto.LABEL_OPTIONAL
            if kind in _SCALARS:
                added.type = FieldDescriptorProto.Type.Value(f"TYPE_{kind.upper()}")
            else:
                added.type = FieldDescriptorProto.TYPE_MESSAGE
                added.type_name = f".reportgen.{kind}"
    pool = DescriptorPool()
    pool.Add(file)
    classes = {name: GetMessageClass(pool.FindMessageTypeByName(f"reportgen.{name}")) for name in _FIELDS}
    return {name: message.FromString for name, message in classes.items()}
