"""Shapes print back as they were read, whatever is in them, and hostile texts end in an error with a place."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.model.shapes import ArrayShape, BufferShape, Layout, OpaqueShape, Shape, SplitConfig, TupleShape
from reportgen.parse.shape_parser import MAX_DEPTH, MAX_RANK, ShapeError, parse_shape, scan_shape, tuple_arity

# Each form of layout that dumps of CPU, GPU and TPU programs contain, and those that only XLA's sources show.
TEXTS = [
    "f32[]",
    "pred[]",
    "f32[]{:T(128)}",
    "u32[]{:S(2)}",
    "s32[]{:T(128)S(6)}",
    "f32[0]{0}",
    "f32[8,128]",
    "s4[13]{0:E(4)}",
    "f8e4m3b11fnuz[64,64]{1,0:T(8,128)(4,1)}",
    "bf16[4096,3584]{1,0:T(8,128)(2,1)S(1)}",
    "bf16[512]{0:T(512)(128)(2,1)}",
    "u4[256,256]{1,0:T(8,128)(8,1)E(4)S(1)}",
    "s32[100]{0:T(1)L(128)S(12)}",
    "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}",
    "f32[<=8,128]{1,0}",
    "f32[?,<=0,4]",
    "f32[150,200]{0,1:SC(0:30)(1:40,130)}",
    "f32[10,10]{1,0:D(D,C+~)T(8,128)#(s32)*(invalid)E(8)S(1)SC(0:5)P((s32[2]{0:T(128)}, f32[3]{0}))M(8)}",
    "f32[8]{0:T(8)NEW(a:b,(c))}",
    "token[]",
    "opaque[]",
    "b(f32[8]{0})",
    "b((f32[8]{0}, token[]))",
    "()",
    "((), (()))",
    "(f32[]{:T(128)})",
    "((s32[], f32[2]{0}), u32[4]{0:T(128)}, (pred[], (f32[1,2]{1,0}, token[])))",
    "(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[])",
    "(" + ", ".join(["s8[]"] * 5) + ", /*index=5*/" + ", ".join(["s8[]"] * 5) + ", /*index=10*/(s8[]))",
]
LARGE = 100_000


def numbers(largest: int = 10**19 - 1) -> st.SearchStrategy[int]:
    return st.integers(0, largest)


@st.composite
def layouts(draw: st.DrawFn, rank: int) -> Layout:
    sizes = st.lists(st.none() | st.integers(1, 10**6), min_size=1, max_size=4).map(tuple)
    splits = st.builds(SplitConfig, numbers(9), st.lists(numbers(99), min_size=1, max_size=3).map(tuple))
    attribute = st.sampled_from([("D", "(D,C+~)"), ("#", "(s32)"), ("*", "(u8)"), ("P", "((f32[2]{0}))"), ("M", "(8)")])
    return Layout(
        minor_to_major=tuple(draw(st.permutations(range(rank)))),
        tiles=tuple(draw(st.lists(sizes, max_size=3))),
        tail_padding=draw(st.none() | st.integers(1, 10**19 - 1)),
        element_bits=draw(st.none() | st.integers(1, 64)),
        memory_space=draw(numbers(20)),
        split_configs=tuple(draw(st.lists(splits, max_size=2))),
        other_attributes=tuple(sorted(draw(st.lists(attribute, unique=True)), key=lambda pair: "D#*PM".index(pair[0]))),
    )


@st.composite
def arrays(draw: st.DrawFn) -> ArrayShape:
    sizes = draw(st.lists(st.none() | numbers(), max_size=4))
    dynamic = [size is None or draw(st.booleans()) for size in sizes]
    layout = draw(st.none() | layouts(len(sizes)))
    return ArrayShape(draw(st.sampled_from(["pred", "bf16", "f8e4m3fn", "x"])), tuple(sizes), tuple(dynamic), layout)


def shapes() -> st.SearchStrategy[Shape]:
    leaves = arrays() | st.sampled_from([OpaqueShape("token"), OpaqueShape("opaque")])
    return st.recursive(
        leaves,
        lambda inner: st.builds(BufferShape, inner) | st.lists(inner, max_size=7).map(tuple).map(TupleShape),
        max_leaves=10,
    )


def reading_stops_at(text: str) -> int:
    """Return the column of the error, or the end of a text that is a shape and prints as the same one."""
    try:
        shape = parse_shape(text)
    except ShapeError as error:
        return error.column
    assert parse_shape(str(shape)) == shape
    return len(text)


@pytest.mark.parametrize("text", TEXTS)
def test_a_shape_prints_back_as_it_was_read(text: str) -> None:
    assert str(parse_shape(text)) == text


@given(shapes())
def test_a_printed_shape_is_read_as_the_same_shape(shape: Shape) -> None:
    assert parse_shape(str(shape)) == shape


@given(shapes(), st.sampled_from(["", " add(%a, f32[2]{0} %b), x={(1)}", ")", ", (f32[])", "|", "\n"]))
def test_scanning_finds_the_end_that_parsing_finds(shape: Shape, behind: str) -> None:
    text = str(shape)
    assert scan_shape(f"({text}{behind}", 1) == 1 + len(text)


@given(st.lists(shapes(), max_size=7), st.sampled_from(["", " tuple(%a, (f32[2]{0}) %b)"]))
def test_the_arity_of_a_tuple_is_the_number_of_its_elements(elements: list[Shape], behind: str) -> None:
    assert tuple_arity(str(TupleShape(tuple(elements))) + behind) == len(elements)


@pytest.mark.parametrize("text", ["f32[2]{0}", "b((f32[], f32[]))", "", "(", "(f32[2]", "(f32[], (f32[])", "<unknown>"])
def test_an_incomplete_tuple_has_no_arity(text: str) -> None:
    assert tuple_arity(text) is None


def test_every_part_of_a_layout_has_its_record() -> None:
    assert parse_shape("f32[<=4,?,8]{0,2,1:T(8,*)(2,1)L(6)E(16)S(5)SC(1:3,4)M(8)}") == ArrayShape(
        "f32",
        (4, None, 8),
        (True, True, False),
        Layout(
            minor_to_major=(0, 2, 1),
            tiles=((8, None), (2, 1)),
            tail_padding=6,
            element_bits=16,
            memory_space=5,
            split_configs=(SplitConfig(1, (3, 4)),),
            other_attributes=(("M", "(8)"),),
        ),
    )


def test_an_empty_layout_is_not_a_missing_one() -> None:
    assert parse_shape("f32[]{}") != parse_shape("f32[]")
    assert str(parse_shape("f32[]{}")) == "f32[]{}"


def test_a_tuple_without_comments_prints_back_without_them_and_is_the_same_tuple() -> None:
    bare = "(s8[], s8[], s8[], s8[], s8[], s8[])"
    numbered = "(s8[], s8[], s8[], s8[], s8[], /*index=5*/s8[])"
    assert str(parse_shape(bare)) == bare
    assert parse_shape(bare) == parse_shape(numbered)


def test_a_leaf_is_read_once() -> None:
    assert parse_shape("f32[8,128]{1,0:T(8,128)}") is parse_shape("f32[8,128]{1,0:T(8,128)}")


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("", 0, "a shape"),
        ("<unknown shape>", 0, "a shape"),
        ("f32", 0, "a shape"),
        ("f32[2]{0} ", 9, "the end"),
        ("(f32[]) ", 7, "the end"),
        ("f32[2,]", 5, "dimensions"),
        ("f32[02]", 5, "dimensions"),
        ("f32[-1]", 4, "dimensions"),
        ("f32[²]", 4, "dimensions"),
        ("f32[12345678901234567890]", 23, "19 digits"),
        ("f32[2,3]{0,0}", 9, "each of the 2 dimensions"),
        ("f32[2,3]{1}", 9, "each of the 2 dimensions"),
        ("f32[2]{0x}", 8, "dimension numbers"),
        ("f32[2]{0:}", 9, "a further layout attribute"),
        ("f32[2]{0:T}", 10, "a pair of parentheses"),
        ("f32[2]{0:T(2)S(1)S(2)}", 17, "a further layout attribute"),
        ("f32[2]{0:T(0)}", 10, "tile sizes"),
        ("f32[2]{0:T(8,)}", 10, "tile sizes"),
        ("f32[2]{0:L(0)}", 10, "a number of elements"),
        ("f32[2]{0:E(1)(2)}", 13, "a number of bits"),
        ("f32[2]{0:S(x)}", 10, "a memory space"),
        ("f32[2]{0:SC(1)}", 11, "split indices"),
        ("f32[2]{0:P((}", 13, "')'"),
        ("f32[2]{0", 8, "'}'"),
        ("token[2]", 5, "'[]'"),
        ("(f32[],f32[])", 6, "', '"),
        ("(f32[], )", 8, "a shape"),
        ("(f32[], f32[2]{0:T(x)})", 18, "tile sizes"),
        ("b(f32[], f32[])", 7, "')'"),
    ],
)
def test_an_error_says_where_and_what_was_expected(text: str, column: int, expected: str) -> None:
    with pytest.raises(ShapeError) as raised:
        parse_shape(text)
    assert (raised.value.column, text) == (column, text)
    assert expected in raised.value.expected
    assert str(raised.value).startswith(f"column {column}: expected ")


def test_an_error_can_be_pickled() -> None:
    copy = pickle.loads(pickle.dumps(ShapeError(3, "a shape")))
    assert (copy.column, copy.expected) == (3, "a shape")


@given(st.text("f32[]{}():T,b8ES/*index=5 01?<", max_size=40))
def test_any_text_is_a_shape_or_an_error_within_it(text: str) -> None:
    assert 0 <= reading_stops_at(text) <= len(text)


@given(st.sampled_from(TEXTS), st.data())
def test_a_damaged_shape_is_a_shape_or_an_error_within_it(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text) - 1))
    damaged = text[:place] + data.draw(st.sampled_from(["", "(", ")", "{", "}", "9", ",", "\0"])) + text[place + 1 :]
    assert 0 <= reading_stops_at(damaged) <= len(damaged)


@pytest.mark.parametrize(
    "text",
    [
        "(" * LARGE,
        "(" * LARGE + ")" * LARGE,
        "b(" * LARGE + "f32[]" + ")" * LARGE,
        "f32[" + "9" * LARGE + "]",
        "f32[" + "1," * LARGE + "1]",
        "f32[2]{" + "{" * LARGE + "}" * LARGE + "}",
        "f32[2]{" + "0," * LARGE + "0}",
        "f32[2]{0:T" + "(1)" * LARGE + "}",
        "f32[2]{0:T(" + "1," * LARGE + "1)}",
        "f32[2]{0:SC" + "(0:1)" * LARGE + "}",
        "f32[2]{0:E(" + "9" * LARGE + ")}",
        "f32[2]{0:" + "A(1)" * LARGE + "}",
        "(" + "f32[2]{" * LARGE,
        "(" + "f32[2], " * LARGE,
    ],
    ids=lambda text: text[:16],
)
def test_a_hostile_text_ends_in_an_error(text: str) -> None:
    with pytest.raises(ShapeError):
        parse_shape(text)


def test_a_large_tuple_is_read_whole() -> None:
    arity = LARGE // 10
    text = str(TupleShape((parse_shape("bf16[512,512]{1,0:T(8,128)(2,1)}"),) * arity))
    assert scan_shape(text) == len(text)
    assert tuple_arity(text) == arity
    assert str(parse_shape(text)) == text


def test_nesting_and_rank_are_read_up_to_the_stated_limits() -> None:
    nested = "(" * MAX_DEPTH + "f32[]" + ")" * MAX_DEPTH
    sizes = ",".join(["9" * 19] * MAX_RANK)
    assert str(parse_shape(nested)) == nested
    assert str(parse_shape(f"f32[{sizes}]")) == f"f32[{sizes}]"
    with pytest.raises(ShapeError, match=f"{MAX_DEPTH} levels"):
        parse_shape(f"({nested})")
    with pytest.raises(ShapeError, match=f"{MAX_RANK} dimensions"):
        parse_shape(f"f32[{sizes},1]")
