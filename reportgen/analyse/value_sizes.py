"""Dense and padded bytes of every value, and who decided the size of a shared slice."""

from functools import lru_cache

from reportgen.analyse.records import Backend, ValueFacts
from reportgen.analyse.sizes import dense_bytes, memory_bits, padded_bytes, round_up
from reportgen.model import Dump, Value
from reportgen.parse.shapes import ArrayShape, ShapeError, parse_shape, tuple_arity

TPU_POINTER_BYTES = 4
POINTER_BYTES = 8
_TPU_TUPLE_ROUNDINGS = (32, 512)
_TPU_UNTILED_ELEMENTS = 1024


def value_facts(dump: Dump, backend: Backend) -> tuple[ValueFacts, ...]:
    """Facts for each value, in the order of `dump.values`."""
    ranges = dump.range_by_key
    measured = [_sizes(value.shape, backend) for value in dump.values]
    owners = _owners(dump, backend, [padded for _, padded in measured])
    return tuple(
        ValueFacts(
            value=value,
            live=ranges.get(value.key),
            dense_bytes=dense,
            padded_bytes=padded,
            padding_bytes=_padding(value, dense, padded, owner),
            owner=owner,
        )
        for value, (dense, padded), owner in zip(dump.values, measured, owners, strict=True)
    )


@lru_cache(maxsize=4096)
def _sizes(shape_text: str, backend: Backend) -> tuple[int | None, int | None]:
    """(dense, padded) bytes; a tuple is its table of pointers, so its long text is only counted."""
    pointer_bytes = TPU_POINTER_BYTES if backend == "tpu" else POINTER_BYTES
    arity = tuple_arity(shape_text)
    if arity is not None:
        return pointer_bytes * arity, pointer_bytes * arity
    try:
        shape = parse_shape(shape_text)
    except ShapeError:
        return None, None
    return dense_bytes(shape, pointer_bytes=pointer_bytes), padded_bytes(shape, pointer_bytes=pointer_bytes)


def _padding(value: Value, dense: int | None, padded: int | None, owner: int | None) -> int:
    """Value size − dense, or padded − dense when another value owns the size of the slice."""
    if dense is None or padded is None:
        return 0
    return max(0, (value.size_bytes if owner is None else padded) - dense)


def _owners(dump: Dump, backend: Backend, padded: list[int | None]) -> list[int | None]:
    """For each value, the one whose size its slice has, when its own layout needs less."""
    first: dict[tuple[int, int, int], int] = {}
    shared: dict[int, list[int]] = {}
    for number, value in enumerate(dump.values):
        holder = first.setdefault((value.allocation, value.offset_bytes, value.size_bytes), number)
        if holder != number:
            shared.setdefault(holder, [holder]).append(number)
    owners: list[int | None] = [None] * len(dump.values)
    for holder, numbers in shared.items():
        size = dump.values[holder].size_bytes
        deciding = next((n for n in numbers if _needs(dump.values[n].shape, padded[n], size, backend)), None)
        for number in numbers:
            if deciding is not None and not _needs(dump.values[number].shape, padded[number], size, backend):
                owners[number] = deciding
    return owners


def _needs(shape_text: str, padded: int | None, size: int, backend: Backend) -> bool:
    """Whether the value alone explains the size of its slice."""
    return padded is None or size in possible_sizes(shape_text, padded, backend)


@lru_cache(maxsize=4096)
def possible_sizes(shape_text: str, padded: int, backend: Backend) -> tuple[int, ...]:
    """The slice sizes that a backend may give to a shape of `padded` bytes.

    Besides the plain rule: TPU compilers round tuple tables up to 32 or 512 bytes and untiled arrays up
    to 1024 elements (observed in dumps; the size function is not public). CPU and GPU add 4 bytes per
    dimension to a shape with dynamic dimensions.
    """
    if backend == "tpu":
        return (padded, *_tpu_sizes(shape_text, padded))
    if "<=" in shape_text and not shape_text.startswith("("):
        return padded, padded + 4 * _rank(shape_text)
    return (padded,)


def _tpu_sizes(shape_text: str, padded: int) -> tuple[int, ...]:
    if shape_text.startswith("("):
        return tuple(round_up(padded, step) for step in _TPU_TUPLE_ROUNDINGS)
    shape = parse_shape(shape_text)
    if "T(" in shape_text or not isinstance(shape, ArrayShape):
        return ()
    step = (memory_bits(shape.element_type) or 0) * _TPU_UNTILED_ELEMENTS // 8
    return (round_up(padded, step),) if step else ()


def _rank(shape_text: str) -> int:
    shape = parse_shape(shape_text)
    return len(shape.dimensions) if isinstance(shape, ArrayShape) else 0
