"""Print shapes as XLA does, layouts included: `bf16[4096,3584]{1,0:T(8,128)(2,1)S(1)}`."""

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

from reportgen.protos.proto_messages import ProtoError, decoded

_DEEPEST = 64
_NUMBERED = 5  # XLA numbers every fifth element of a tuple in a comment
_MERGED, _UNBOUNDED = -(1 << 63), -(1 << 63)
_TUPLE, _OPAQUE, _TOKEN, _BUFFER = 13, 14, 17, 34
_TYPES = (
    "pred=1 s8=2 s16=3 s32=4 s64=5 u8=6 u16=7 u32=8 u64=9 f16=10 f32=11 f64=12 c64=15 bf16=16 c128=18 f8e5m2=19"
    " f8e4m3fn=20 s4=21 u4=22 f8e4m3b11fnuz=23 f8e5m2fnuz=24 f8e4m3fnuz=25 s2=26 u2=27 f8e4m3=28 f8e3m4=29 s1=30"
    " u1=31 f4e2m1fn=32 f8e8m0fnu=33"
)
_TYPE_NAMES = {int(number): name for name, _, number in (entry.partition("=") for entry in _TYPES.split())}


class Shapes:
    """Print shapes, each once: a module has thousands of instructions of a few hundred shapes."""

    def __init__(self) -> None:
        self.text = lru_cache(maxsize=1 << 14)(self._text)
        self.leaf = lru_cache(maxsize=1 << 16)(self._leaf)
        self.indices = cache(self._indices)
        self.dense = cache(self._dense)
        self.element_type = cache(self._element_type)

    def _text(self, shape: bytes, depth: int = 0, *, with_layout: bool = True) -> str:
        """Return the text of a ShapeProto. Raises ProtoError."""
        if depth > _DEEPEST:
            raise ProtoError(f"a shape nests deeper than {_DEEPEST} tuples")
        proto = decoded("ShapeProto", shape)
        kind = proto.element_type
        if kind == _TUPLE:
            parts = [self.text(part, depth + 1, with_layout=with_layout) for part in proto.tuple_shapes]
            for number in range(_NUMBERED, len(parts), _NUMBERED):
                parts[number] = f"/*index={number}*/{parts[number]}"
            return f"({', '.join(parts)})"
        if kind == _BUFFER and proto.tuple_shapes:
            return f"b({self.text(proto.tuple_shapes[0], depth + 1, with_layout=with_layout)})"
        if kind in (_OPAQUE, _TOKEN):
            return "token[]" if kind == _TOKEN else "opaque[]"
        text = f"{_TYPE_NAMES.get(kind, f'type{kind}')}[{','.join(_dimensions(proto))}]"
        return text + _layout(proto) if with_layout else text

    def _dense(self, shape: bytes) -> str:
        """Return the text of a shape without layouts. Raises ProtoError."""
        return self._text(shape, with_layout=False)

    def _leaf(self, shape: bytes, index: tuple[int, ...]) -> bytes:
        """Return the part of a shape at an index. Raises ProtoError."""
        for number in index:
            parts = decoded("ShapeProto", shape).tuple_shapes
            if not 0 <= number < len(parts):
                raise ProtoError(f"a value is at {list(index)} of a result that has no such part")
            shape = parts[number]
        return shape

    def _indices(self, shape: bytes, depth: int = 0) -> tuple[tuple[int, ...], ...]:
        """Return the indices of a shape and of all its parts, the whole first. Raises ProtoError."""
        if depth > _DEEPEST:
            raise ProtoError(f"a shape nests deeper than {_DEEPEST} tuples")
        parts = decoded("ShapeProto", shape).tuple_shapes
        below = ((place, *index) for place, part in enumerate(parts) for index in self._indices(part, depth + 1))
        return ((), *below)

    def _element_type(self, shape: bytes) -> str:
        """Return the type of the elements of an array; empty for anything else."""
        return _TYPE_NAMES.get(decoded("ShapeProto", shape).element_type, "")


def _dimensions(shape: Any) -> Iterable[str]:
    dynamic = shape.is_dynamic_dimension
    for number, size in enumerate(shape.dimensions):
        is_dynamic = number < len(dynamic) and dynamic[number]
        yield "?" if is_dynamic and size == _UNBOUNDED else f"<={size}" if is_dynamic else str(size)


def _layout(shape: Any) -> str:
    """Return a layout in braces; nothing for a scalar without attributes or for a shape without a layout."""
    layout = shape.layout
    if not shape.HasField("layout"):
        return ""
    attributes = "".join(_attributes(layout))
    if not shape.dimensions and not attributes:
        return ""
    return f"{{{_joined(layout.minor_to_major)}{':' if attributes else ''}{attributes}}}"


def _attributes(layout: Any) -> Iterable[str]:
    """Yield the attributes of a layout in the order in which XLA prints them, without those at their default."""
    tiles = (("*" if size == _MERGED else str(size) for size in tile.dimensions) for tile in layout.tiles)
    if layout.tiles:
        yield "T" + "".join(f"({','.join(tile)})" for tile in tiles)
    if layout.tail_padding_alignment_in_elements > 1:
        yield f"L({layout.tail_padding_alignment_in_elements})"
    if kind := layout.index_primitive_type:
        yield f"#({_TYPE_NAMES.get(kind, kind)})"
    if kind := layout.pointer_primitive_type:
        yield f"*({_TYPE_NAMES.get(kind, kind)})"
    if layout.element_size_in_bits:
        yield f"E({layout.element_size_in_bits})"
    if layout.memory_space:
        yield f"S({layout.memory_space})"
    if layout.split_configs:
        yield "SC" + "".join(f"({config.dimension}:{_joined(config.split_indices)})" for config in layout.split_configs)
    if layout.dynamic_shape_metadata_prefix_bytes:
        yield f"M({layout.dynamic_shape_metadata_prefix_bytes})"


def _joined(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))
