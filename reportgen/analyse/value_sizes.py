"""Compute the dense and padded bytes of every value, and which value determined the size of a shared slice."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import compress
from operator import not_

from reportgen.analyse.backends import space_name
from reportgen.analyse.records import Facts
from reportgen.analyse.sizes import dense_bytes, memory_bits, padded_bytes, round_up
from reportgen.input.names import Backend
from reportgen.model import Dump, LiveRanges, Values
from reportgen.model.shapes import ArrayShape, Layout, Tile
from reportgen.parse.shape_parser import ShapeError, parse_shape, tuple_arity

TPU_POINTER_BYTES = 4
POINTER_BYTES = 8
_MOST_BYTES = 2**63 - 1
"""XLA's sizes are int64, so a larger product of dimensions is no size."""

_TPU_TUPLE_ROUNDINGS = (32, 512)
_TPU_UNTILED_ELEMENTS = 1024
_TPU_TILES: Sequence[Tile] = ((8, 128), (1, 128))


def value_facts(dump: Dump, backend: Backend) -> Facts:
    """Return the sizes and the live range of each value of a dump."""
    values = dump.values
    measured = {shape: _sizes(shape, backend) for shape in set(values.shapes)}
    dense_of = {shape: dense for shape, (dense, _) in measured.items()}
    padded_of = {shape: padded for shape, (_, padded) in measured.items()}
    dense = [dense_of[shape] for shape in values.shapes]
    padded = [padded_of[shape] for shape in values.shapes]
    owners = _owners(values, padded, backend)
    return Facts(
        values=values,
        live_ranges=dump.live_ranges or LiveRanges(),
        range_rows=dump.range_rows,
        starts=dump.starts,
        ends=dump.ends,
        dense=dense,
        padded=padded,
        padding=list(map(_padding, values.sizes, dense, padded, owners)),
        owners=owners,
    )


@lru_cache(maxsize=4096)
def _sizes(shape_text: str, backend: Backend) -> tuple[int | None, int | None]:
    """Return (dense, padded) bytes; a tuple is its table of pointers, so only its elements are counted."""
    pointer_bytes = TPU_POINTER_BYTES if backend == "tpu" else POINTER_BYTES
    arity = tuple_arity(shape_text)
    if arity is not None:
        return pointer_bytes * arity, pointer_bytes * arity
    try:
        shape = parse_shape(shape_text)
    except ShapeError:
        return None, None
    if isinstance(shape, ArrayShape) and shape.layout and _is_of_semaphores(shape.layout, backend):
        shape = replace(shape, layout=replace(shape.layout, tiles=()))
    dense, padded = (measure(shape, pointer_bytes=pointer_bytes) for measure in (dense_bytes, padded_bytes))
    return (None, None) if padded is not None and padded > _MOST_BYTES else (dense, padded)


def _is_of_semaphores(layout: Layout, backend: Backend) -> bool:
    """Return whether a layout is one of semaphores, which take their words whatever tile it has (observed in dumps)."""
    return space_name(backend, layout.memory_space or 0).endswith("semaphores")


def _padding(size: int, dense: int | None, padded: int | None, owner: int | None) -> int:
    """Return value size − dense, or padded − dense if another value determined the size of the slice."""
    if dense is None or padded is None:
        return 0
    return max(0, (size if owner is None else padded) - dense)


def _owners(values: Values, padded: Sequence[int | None], backend: Backend) -> list[int | None]:
    """Return, for each value whose layout needs less than its slice, the value that determined the slice's size."""
    owners: list[int | None] = [None] * len(values)
    slices = list(zip(values.allocations, values.offsets, values.sizes, strict=True))
    shape_of = dict(zip(slices, values.shapes, strict=True))
    # Values of one shape need the same, so only slices of several shapes can have an owner.
    mixed = {slice_ for slice_, shape in zip(slices, values.shapes, strict=True) if shape_of[slice_] != shape}
    shared: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
    for number, slice_ in enumerate(slices) if mixed else ():
        if slice_ in mixed:
            shared[slice_].append(number)
    for (_, _, size), numbers in shared.items():
        # A value needs the size of its slice if its own layout explains it.
        needing = [
            (own := padded[n]) is None or size in possible_sizes(values.shapes[n], own, backend) for n in numbers
        ]
        deciding = next(compress(numbers, needing), None)
        for number in compress(numbers, map(not_, needing)):
            owners[number] = deciding
    return owners


@lru_cache(maxsize=4096)
def possible_sizes(shape_text: str, padded: int, backend: Backend) -> tuple[int, ...]:
    """Return the slice sizes that a backend may assign to a shape of `padded` bytes; `padded` comes first.

    TPU compilers round tuple tables up to 32 or 512 bytes, and untiled arrays up to 1024 elements or to tiles that they
    do not print (observed in dumps; the size function is not public). CPU and GPU add 4 bytes per dimension to a shape
    with dynamic dimensions.
    """
    if backend == "tpu":
        return (padded, *_tpu_sizes(shape_text, padded))
    if "<=" in shape_text and not shape_text.startswith("("):
        shape = parse_shape(shape_text)
        return padded, padded + 4 * (len(shape.dimensions) if isinstance(shape, ArrayShape) else 0)
    return (padded,)


def _tpu_sizes(shape_text: str, padded: int) -> tuple[int, ...]:
    """Return the other sizes that a TPU's compiler may give a shape: none for an array with tiles of its own."""
    if shape_text.startswith("("):
        return tuple(round_up(padded, step) for step in _TPU_TUPLE_ROUNDINGS)
    shape = parse_shape(shape_text)
    if "T(" in shape_text or not isinstance(shape, ArrayShape):
        return ()
    step = (memory_bits(shape.element_type) or 0) * _TPU_UNTILED_ELEMENTS // 8
    if not step:
        return ()
    tiles = _TPU_TILES if len(shape.dimensions) > 1 else ()
    layout = shape.layout or Layout(minor_to_major=tuple(reversed(range(len(shape.dimensions)))))
    candidates = (replace(shape, layout=replace(layout, tiles=(tile,))) for tile in tiles)
    sizes = (padded_bytes(candidate, pointer_bytes=TPU_POINTER_BYTES) for candidate in candidates)
    return round_up(padded, step), *(size for size in sizes if size is not None)
