"""Sizes agree with what XLA states for real shapes, and with where a tiled layout puts each element."""

import math
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reportgen.analyse.sizes import (
    dense_bytes,
    dynamic_metadata_bytes,
    element_bits,
    memory_bits,
    merged_under_tile,
    padded_bytes,
    physical_dimensions,
    physical_order,
    round_up,
    tile_levels,
)
from reportgen.model.shapes import ArrayShape, Layout, Shape, SplitConfig, Tile
from reportgen.parse.shape_parser import parse_shape

MIB, GIB = 2**20, 2**30
TYPES = ["pred", "s4", "u8", "bf16", "f32", "c64", "c128"]


def dense(shape: Shape | str) -> int | None:
    return dense_bytes(parse_shape(shape) if isinstance(shape, str) else shape, pointer_bytes=8)


def padded(shape: Shape | str) -> int | None:
    return padded_bytes(parse_shape(shape) if isinstance(shape, str) else shape, pointer_bytes=8)


def array(text: str) -> ArrayShape:
    shape = parse_shape(text)
    assert isinstance(shape, ArrayShape)
    return shape


def known(size: int | None) -> int:
    assert size is not None
    return size


@st.composite
def tiled_arrays(draw: st.DrawFn, largest: int = 300) -> tuple[ArrayShape, Layout]:
    """Draw arrays with one to three tile levels; `*` never comes last, as in XLA."""
    sizes = draw(st.lists(st.integers(0, largest), max_size=4))
    step = st.none() | st.integers(1, 16)
    tile = st.tuples(st.lists(step, max_size=2), st.integers(1, 16)).map(lambda parts: (*parts[0], parts[1]))
    layout = Layout(
        minor_to_major=tuple(draw(st.permutations(range(len(sizes))))),
        tiles=tuple(draw(st.lists(tile, min_size=1, max_size=3))),
        tail_padding=draw(st.none() | st.integers(1, 1000)),
        element_bits=draw(st.none() | st.integers(1, 64)),
    )
    shape = ArrayShape(draw(st.sampled_from(TYPES)), tuple(sizes), (False,) * len(sizes), layout)
    return shape, layout


@pytest.mark.parametrize(
    ("text", "dense_size", "padded_size"),
    [
        # Sizes that buffer assignments print.
        ("f32[8,128,3584]{2,1,0:T(8,128)}", 14_680_064, 14_680_064),
        ("u32[4,2]{0,1:T(2,128)}", 32, 1024),
        ("u32[2]{0:T(128)}", 8, 512),
        ("f32[]{:T(128)}", 4, 512),
        ("bf16[4096,3584]{1,0:T(8,128)(2,1)}", 29_360_128, 29_360_128),
        ("s4[13]{0:E(4)}", 7, 7),
        ("u2[100]{0:E(2)}", 25, 25),
        ("f4e2m1fn[100]{0:E(4)}", 50, 50),
        # Sizes that out-of-memory reports and XLA's documentation state.
        ("s32[8388608,8,4]{2,1,0:T(8,128)}", GIB, 32 * GIB),
        ("bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", GIB, 4 * GIB),
        ("u32[12582912,1]{1,0:T(8,128)}", 48 * MIB, 6 * GIB),
        ("pred[64,512,2048]{2,1,0:T(8,128)E(32)}", 64 * MIB, 256 * MIB),
        ("f32[4,128,128,9,18]{4,3,0,2,1:T(8,128)}", 42_467_328, 512 * MIB),
        ("f32[128,256,896,18]{0,3,2,1:T(8,128)}", 2_113_929_216, 2688 * MIB),
        ("u8[327680,327680]{1,0:T(8,128)(4,1)}", 107_374_182_400, 107_374_182_400),
        ("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", 49_280, 49_728),
        # Worked by hand.
        ("bf16[5,7]{1,0:T(8,128)(2,1)}", 70, 2048),
        ("bf16[1,128]{1,0:T(1,128)(2,1)}", 256, 256),
        ("s32[7]{0:T(1)L(128)}", 28, 512),
        ("f32[7]{0:T(8,128)}", 28, 4096),
        ("f32[0,128]{1,0:T(8,128)}", 0, 0),
        ("f32[0]{0:T(1)L(128)}", 0, 0),
        ("f32[150,200,100]{0,1,2:T(1)SC(0:30)(1:40,130)}", 12_000_000, 150 * 90 * 70 * 4),
        ("f32[<=8,4]{1,0}", 128, 128),
        ("s4[13]{0}", 13, 13),
        ("pred[13]", 13, 13),
        ("f32[10]{0:D(D+)}", 40, 40),
    ],
)
def test_the_size_of_an_array(text: str, dense_size: int, padded_size: int) -> None:
    assert (dense(text), padded(text)) == (dense_size, padded_size)


@pytest.mark.parametrize("text", ["f32[7]{0:L(128)}", "f32[7]{0:SC(0:3)}"])
def test_without_tiles_neither_tail_padding_nor_splits_count(text: str) -> None:
    assert padded(text) == 28


@pytest.mark.parametrize(
    ("text", "pointers"), [("()", 0), ("(f32[9], ((), token[]))", 2), ("token[]", 0), ("opaque[]", 1), ("b(())", 0)]
)
@pytest.mark.parametrize("pointer_bytes", [4, 8])
def test_a_tuple_or_opaque_shape_holds_only_pointers(text: str, pointers: int, pointer_bytes: int) -> None:
    shape = parse_shape(text)
    assert dense_bytes(shape, pointer_bytes=pointer_bytes) == pointers * pointer_bytes
    assert padded_bytes(shape, pointer_bytes=pointer_bytes) == pointers * pointer_bytes


def test_a_buffer_is_as_large_as_its_content() -> None:
    assert dense("b(u32[2]{0:T(128)})") == 8
    assert padded("b(u32[2]{0:T(128)})") == 512


@pytest.mark.parametrize("text", ["f5e9[3]{0:T(8)}", "f32[?]{0:T(8)}", "f32[4,4]{1,0:D(D,C)}", "b(f32[?])"])
def test_an_unknown_size_is_represented_by_none(text: str) -> None:
    assert dense(text) is None
    assert padded(text) is None


@pytest.mark.parametrize(
    ("element_type", "bits", "stored"),
    [("pred", 1, 8), ("s2", 2, 8), ("f6e2m3fn", 6, 8), ("f8e8m0fnu", 8, 8), ("bf16", 16, 16), ("c128", 128, 128)],
)
def test_an_element_takes_up_whole_bytes(element_type: str, bits: int, stored: int) -> None:
    assert (element_bits(element_type), memory_bits(element_type)) == (bits, stored)


@pytest.mark.parametrize(
    ("text", "size"), [("f32[<=8,4]{1,0}", 8), ("f32[?]", 4), ("f32[8,4]{1,0}", 0), ("(f32[<=8])", 0), ("token[]", 0)]
)
def test_run_time_sizes_take_four_bytes_for_each_dimension(text: str, size: int) -> None:
    assert dynamic_metadata_bytes(parse_shape(text)) == size


def test_memory_order_is_the_reverse_of_minor_to_major() -> None:
    shape = array("bf16[2048,1,?,128]{0,1,3,2}")
    assert physical_order(shape) == (2, 3, 1, 0)
    assert physical_dimensions(shape) == (None, 128, 1, 2048)
    assert physical_dimensions(array("f32[3,4]")) == (3, 4)


def test_each_tile_level_divides_what_the_level_before_left() -> None:
    assert tile_levels(array("bf16[1000]{0:T(512)(128)(2,1)}")) == [
        [1000],
        [2, 512],
        [2, 4, 128],
        [2, 2, 128, 2, 1],
    ]


def address(place: tuple[int, ...], sizes: list[int], tile: list[int]) -> int:
    """Return where XLA's `tiled_layout.md` puts an element: tiles in order, and in order within each tile."""
    steps = [1] * (len(sizes) - len(tile)) + tile
    outer = inner = 0
    for index, size, step in zip(place, sizes, steps, strict=True):
        outer = outer * -(-size // step) + index // step
        inner = inner * step + index % step
    return outer * math.prod(steps) + inner


@given(st.lists(st.integers(1, 5), min_size=1, max_size=3), st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_every_element_has_a_place_of_its_own_within_the_padded_size(sizes: list[int], tile: list[int]) -> None:
    assume(len(tile) <= len(sizes))
    layout = Layout(minor_to_major=tuple(range(len(sizes)))[::-1], tiles=(tuple(tile),))
    places = {address(place, sizes, tile) for place in product(*map(range, sizes))}
    bound = known(padded(ArrayShape("u8", tuple(sizes), (False,) * len(sizes), layout)))
    assert len(places) == math.prod(sizes)
    assert max(places) < bound <= max(places) + math.prod(tile)


@given(tiled_arrays())
def test_padding_takes_no_bytes_away_and_grows_with_each_level_of_tiles(pair: tuple[ArrayShape, Layout]) -> None:
    shape, layout = pair
    assert known(dense(shape)) <= known(padded(shape))
    assert (padded(shape) == 0) == (0 in shape.dimensions) == (dense(shape) == 0)
    products = [math.prod(level) for level in tile_levels(shape)]
    assert products == sorted(products)
    natural = replace(shape, layout=replace(layout, element_bits=memory_bits(shape.element_type)))
    silent = replace(shape, layout=replace(layout, element_bits=None))
    assert (dense(natural), padded(natural)) == (dense(silent), padded(silent))


@given(tiled_arrays(), st.data())
def test_naming_the_dimensions_in_another_order_changes_no_size(
    pair: tuple[ArrayShape, Layout], data: st.DataObject
) -> None:
    shape, layout = pair
    names = data.draw(st.permutations(range(len(shape.dimensions))))
    renamed = replace(
        shape,
        dimensions=tuple(shape.dimensions[names.index(new)] for new in range(len(names))),
        layout=replace(layout, minor_to_major=tuple(names[old] for old in layout.minor_to_major)),
    )
    assert (dense(renamed), padded(renamed)) == (dense(shape), padded(shape))
    assert physical_dimensions(renamed) == physical_dimensions(shape)


@given(tiled_arrays())
def test_an_array_of_the_padded_sizes_needs_no_padding(pair: tuple[ArrayShape, Layout]) -> None:
    shape, layout = pair
    tile: Tile = tuple(step or 1 for step in layout.tiles[0])
    layout = replace(layout, tiles=(tile,), tail_padding=None, element_bits=None)
    sizes = tile_levels(replace(shape, layout=layout))[0]
    kept = len(sizes) - len(tile)
    filled = sizes[:kept] + [round_up(size, step or 1) for size, step in zip(sizes[kept:], tile, strict=True)]
    order = tuple(range(len(filled)))[::-1]
    whole = ArrayShape(shape.element_type, tuple(filled), (False,) * len(filled), replace(layout, minor_to_major=order))
    assert dense(whole) == padded(whole) == padded(replace(shape, layout=layout))


@given(tiled_arrays(), st.data())
def test_a_larger_dimension_never_needs_less(pair: tuple[ArrayShape, Layout], data: st.DataObject) -> None:
    shape, _ = pair
    assume(shape.dimensions)
    grown = data.draw(st.integers(0, len(shape.dimensions) - 1))
    sizes = tuple((size or 0) + (place == grown) for place, size in enumerate(shape.dimensions))
    assert known(padded(shape)) <= known(padded(replace(shape, dimensions=sizes)))


@given(tiled_arrays(), st.integers(1, 500))
def test_tail_padding_rounds_the_elements_up(pair: tuple[ArrayShape, Layout], multiple: int) -> None:
    shape, layout = pair
    layout = replace(layout, element_bits=8)
    bare = known(padded(replace(shape, layout=replace(layout, tail_padding=None))))
    tailed = known(padded(replace(shape, layout=replace(layout, tail_padding=multiple))))
    assert bare <= tailed < bare + multiple
    assert tailed % multiple == 0


@given(tiled_arrays(), st.data())
def test_a_cut_dimension_counts_with_its_largest_piece(pair: tuple[ArrayShape, Layout], data: st.DataObject) -> None:
    shape, layout = pair
    assume(shape.dimensions)
    dimension = data.draw(st.integers(0, len(shape.dimensions) - 1))
    size = physical_dimensions(shape)[dimension] or 0
    cuts = sorted(data.draw(st.lists(st.integers(0, size), min_size=1, max_size=4)))
    pieces = [end - start for start, end in zip([0, *cuts], [*cuts, size], strict=True)]
    cut = replace(shape, layout=replace(layout, split_configs=(SplitConfig(dimension, tuple(cuts)),)))
    sizes = list(shape.dimensions)
    sizes[physical_order(shape)[dimension]] = max(pieces)
    assert padded(cut) == padded(replace(shape, dimensions=tuple(sizes)))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.data())
def test_merging_keeps_the_number_of_elements(sizes: list[int], data: st.DataObject) -> None:
    steps = st.lists(st.none() | st.integers(1, 9), min_size=len(sizes), max_size=len(sizes))
    tile = tuple(data.draw(steps))
    merged, kept = merged_under_tile(sizes, tile)
    assert math.prod(merged) == math.prod(sizes)
    assert len(merged) == len(kept) >= 1
    assert None not in kept


@given(st.integers(0, 10**30), st.integers(1, 10**20))
def test_rounding_up_is_least_and_idempotent(number: int, multiple: int) -> None:
    rounded = round_up(number, multiple)
    assert number <= rounded < number + multiple
    assert rounded % multiple == 0
    assert round_up(rounded, multiple) == rounded


def test_the_largest_shape_that_is_read_has_a_size_that_can_be_printed() -> None:
    sizes = ",".join(["9" * 19] * 64)
    order = ",".join(map(str, range(64)))
    assert str(padded(f"f32[{sizes}]{{{order}:T({sizes})({sizes})L({'9' * 19})E({'9' * 19})}}")).isdigit()
