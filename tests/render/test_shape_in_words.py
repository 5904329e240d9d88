"""A shape is described in whole sentences that leave out what is usual."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.model.shapes import ArrayShape, Layout
from reportgen.parse.shape_parser import parse_shape
from reportgen.render.value.layout import layout_sentences, padded_words

CASES = {
    "bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}": [
        "An array of 2048×1×2048×128 elements of type bf16, 16 bits each: 536,870,912 elements.",
        "In memory, from slowest to fastest varying: dimensions 2, 3, 1, 0, of sizes 2048, 128, 1, 2048.",
        "Tile (4,128): the two fastest dimensions are padded to multiples of 4×128; here 1×2048 becomes 4×2048.",
        (
            "Tile (2,1) then regroups the two fastest dimensions of the tiled array, 4×128, in blocks of 2×1: another "
            "order, no further padding."
        ),
        "It has 1,073,741,824 bytes without padding and 4,294,967,296 in this layout, 4 times as much.",
    ],
    "pred[64,512,2048]{2,1,0:T(8,128)E(32)S(1)}": [
        "An array of 64×512×2048 elements of type pred, 1 bit each: 67,108,864 elements.",
        "Tile (8,128): 512×2048 fills 64×16 tiles exactly.",
        "E(32): each element takes up 32 bits instead of 8.",
        "It has 67,108,864 bytes without padding and 268,435,456 in this layout, 4 times as much.",
    ],
    "f32[]{:T(128)}": [
        "A scalar of type f32, 32 bits.",
        (
            "Tile (128): the fastest dimension (after adding one of size 1) is padded to a multiple of 128; "
            "here 1 becomes 128, with 1 of 128 lanes used."
        ),
        "It has 4 bytes without padding and 512 in this layout, 128 times as much.",
    ],
    "pred[]": [
        "A scalar of type pred, 1 bit (8 in memory).",
    ],
    "f32[2,3]": [
        "An array of 2×3 elements of type f32, 32 bits each: 6 elements.",
        "It is printed without a layout, so it is taken to be in row-major order and without padding.",
    ],
    "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}": [
        "An array of 2×7×8×11×10 elements of type f32, 32 bits each: 12,320 elements.",
        (
            "Tile (*,*,2,*,3): the five fastest dimensions, merged into two, are padded to multiples of 2×3; "
            "here 112×110 becomes 112×111."
        ),
        "It has 49,280 bytes without padding and 49,728 in this layout, 1.01 times as much.",
    ],
    "bf16[1,128]{0,1:T(1,128)(2,1)}": [
        "An array of 1×128 elements of type bf16, 16 bits each: 128 elements.",
        "In memory, from slowest to fastest varying: dimensions 1, 0, of sizes 128, 1 (column-major).",
        (
            "Tile (1,128): the two fastest dimensions are padded to multiples of 1×128; here 128×1 becomes 128×128, "
            "with 1 of 128 lanes used."
        ),
        (
            "Tile (2,1) then regroups the two fastest dimensions of the tiled array, 1×128, in blocks of 2×1, which do "
            "not divide it evenly; XLA's size counts only the first tile."
        ),
        "It has 256 bytes without padding and 32,768 in this layout, 128 times as much.",
    ],
    "s4[13]{0:E(4)}": [
        "An array of 13 elements of type s4, 4 bits each.",
        "E(4): each element is packed into 4 bits instead of 8.",
    ],
    "s32[7]{0:T(1)L(128)}": [
        "An array of 7 elements of type s32, 32 bits each.",
        "Tile (1): 7 fills 7 tiles exactly.",
        "L(128): the number of elements is rounded up to a multiple of 128.",
        "It has 28 bytes without padding and 512 in this layout, 18.29 times as much.",
    ],
    "u8[7]{0:L(128)E(8)}": [
        "An array of 7 elements of type u8, 8 bits each.",
        "E(8): each element takes up 8 bits.",
        "L(128): used only with tiles.",
    ],
    "f32[<=8,4,<=0]{2,1,0}": [
        "An array of 8×4×0 elements of type f32, 32 bits each: 0 elements.",
        (
            "Known only at run time, with memory reserved for the maximum: "
            "dimension 0 (at most 8), dimension 2 (at most 0)."
        ),
        "CPU and GPU store the sizes after the data, in 12 bytes more.",
    ],
    "f32[?,?]{1,0:T(8,128)}": [
        "An array of ?×? elements of type f32, 32 bits each.",
        "Unbounded: dimensions 0, 1.",
        "Tiles (8,128) pad it by an amount that depends on the unknown sizes.",
        "Its size in bytes is unknown.",
    ],
    "f5x[3]{0:T(8)NEW(1)}": [
        "An array of 3 elements of type f5x, size unknown.",
        "Tile (8): the fastest dimension is padded to a multiple of 8; here 3 becomes 8.",
        "The layout also has NEW(1), which XLA's size ignores.",
        "Its size in bytes is unknown.",
    ],
    "f32[150,200]{0,1:T(8,128)SC(0:30,90)M(8)}": [
        "An array of 150×200 elements of type f32, 32 bits each: 30,000 elements.",
        "In memory, from slowest to fastest varying: dimensions 1, 0, of sizes 200, 150 (column-major).",
        "Tile (8,128): the two fastest dimensions are padded to multiples of 8×128; here 110×150 becomes 112×256.",
        "SC: dimension 1 is split at 30, 90 across several memories; the largest piece counts.",
        "The layout also has M(8), which XLA's size ignores.",
        "It has 120,000 bytes without padding; its largest piece has 114,688 in this layout.",
    ],
    "f32[10]{0:D(C)#(s32)P(f32[3]{0})}": [
        "An array of 10 elements of type f32, 32 bits each.",
        "The layout also has D(C)#(s32)P(f32[3]{0}), which XLA's size ignores.",
        "A sparse array: its size is unknown.",
    ],
    "(f32[], (s32[], token[]))": [
        "A tuple of 2 elements.",
        "Its own buffer is a table with one pointer per element; each element has a buffer of its own.",
    ],
    "()": ["An empty tuple: it holds nothing."],
    "token[]": ["A token: it orders side effects and holds no bytes."],
    "opaque[]": ["An opaque value: a pointer to data that the compiler does not interpret."],
    "b(f32[2]{0})": [
        "A buffer type: it has the bytes of the shape inside.",
        "An array of 2 elements of type f32, 32 bits each.",
    ],
}


@pytest.mark.parametrize(("text", "sentences"), CASES.items(), ids=CASES)
def test_a_shape_in_words(text: str, sentences: list[str]) -> None:
    assert layout_sentences(parse_shape(text)) == sentences


@pytest.mark.parametrize("attribute", ["P(" + "x" * 100_000 + ")", "".join(f"{'A' * n}(1)" for n in range(20, 400))])
def test_an_endless_attribute_is_cut_short(attribute: str) -> None:
    [quote] = [text for text in layout_sentences(parse_shape(f"f32[2]{{0:{attribute}}}")) if "also has" in text]
    assert len(quote) < 300
    assert "…" in quote


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bf16[9,18]{1,0:T(8,128)(2,1)}", "9 × 18 lies as 16 × 128"),
        ("f32[7,2048,3]{0,1,2:T(8,128)}", "2,048 × 7 lies as 2,048 × 128"),
        ("f32[16,256]{1,0:T(8,128)}", ""),
        ("f32[3]{0}", ""),
        ("(f32[3]{0:T(128)})", ""),
    ],
)
def test_what_a_tile_pads_is_said_in_the_sizes_under_it(text: str, words: str) -> None:
    assert padded_words(parse_shape(text)) == words


def test_padding_below_one_percent_is_not_called_once_as_much() -> None:
    assert layout_sentences(parse_shape("u8[1023]{0:T(1024)}"))[-1] == (
        "It has 1,023 bytes without padding and 1,024 in this layout, less than 1 % more."
    )


def test_a_factor_too_large_for_a_float_is_still_exact() -> None:
    tile = ",".join(["9" * 19] * 64)
    [size] = [text for text in layout_sentences(parse_shape(f"u8[1]{{0:T({tile})}}")) if "times as much" in text]
    assert "and " + f"{(10**19 - 1) ** 64:,} in this layout, {(10**19 - 1) ** 64:,} times as much." in size


@given(
    st.lists(st.none() | st.integers(0, 10**6), max_size=4),
    st.lists(st.lists(st.none() | st.integers(1, 200), min_size=1, max_size=4).map(tuple), max_size=3),
    st.none() | st.integers(1, 64),
    st.sampled_from(["pred", "bf16", "x9"]),
)
def test_any_array_is_described_in_whole_sentences(
    sizes: list[int | None], tiles: list[tuple[int | None, ...]], element_bits: int | None, element_type: str
) -> None:
    layout = Layout(minor_to_major=tuple(range(len(sizes))), tiles=tuple(tiles), element_bits=element_bits)
    shape = ArrayShape(element_type, tuple(sizes), tuple(size is None for size in sizes), layout)
    for sentence in layout_sentences(shape):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert "None" not in sentence


def test_row_major_order_and_the_memory_space_are_left_out() -> None:
    assert layout_sentences(parse_shape("f32[16,256]{1,0:T(8,128)S(1)}")) == [
        "An array of 16×256 elements of type f32, 32 bits each: 4,096 elements.",
        "Tile (8,128): 16×256 fills 2×2 tiles exactly.",
    ]
