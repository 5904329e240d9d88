"""The facts that follow from a value's shape and slice: sizes, padding, and which value determined the slice."""

import pytest
from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Facts
from reportgen.analyse.value_sizes import possible_sizes
from reportgen.input.names import Backend
from reportgen.model import Dump
from tests.support.builder import Lives, temporaries
from tests.support.strategies import consistent_dumps


def facts(*lives: Lives, backend: Backend = "cpu") -> Facts:
    return analyse(temporaries(*lives), backend).facts


def sizes(shape: str, size: int, backend: Backend = "cpu") -> tuple[int | None, int | None, int]:
    [fact] = facts(Lives("x", 0, 1, size=size, shape=shape), backend=backend)
    return fact.dense_bytes, fact.padded_bytes, fact.padding_bytes


@pytest.mark.parametrize(
    ("shape", "size", "backend", "expected"),
    [
        ("f32[64,32]{1,0}", 8192, "cpu", (8192, 8192, 0)),
        ("bf16[5,7]{1,0:T(8,128)(2,1)}", 2048, "tpu", (70, 2048, 1978)),
        ("u32[2]{0:T(128)}", 512, "tpu", (8, 512, 504)),
        ("s4[13]{0:E(4)}", 7, "cpu", (7, 7, 0)),
        ("(f32[], f32[2]{0})", 16, "cpu", (16, 16, 0)),
        ("(f32[], f32[2]{0})", 32, "tpu", (8, 8, 24)),
        ("()", 0, "cpu", (0, 0, 0)),
        ("token[]", 0, "cpu", (0, 0, 0)),
        ("new[8]{0}", 64, "cpu", (None, None, 0)),
        ("f32[?]", 64, "cpu", (None, None, 0)),
        ("f32[8", 64, "cpu", (None, None, 0)),
        # A slice below the layout's need is a finding, never a negative padding.
        ("f32[64]{0}", 8, "cpu", (256, 256, 0)),
    ],
)
def test_sizes_follow_from_the_shape(
    shape: str, size: int, backend: Backend, expected: tuple[int | None, int | None, int]
) -> None:
    assert sizes(shape, size, backend) == expected


def test_the_largest_value_of_a_shared_slice_owns_its_size() -> None:
    small, large = facts(
        Lives("small", 0, 1, size=2048, shape="f32[5]{0:T(8)}"), Lives("large", 1, 2, size=2048, shape="f32[512]{0}")
    )
    assert (small.owner, large.owner) == (1, None)
    assert (small.padding_bytes, large.padding_bytes) == (12, 0)


def test_a_value_alone_in_its_slice_owns_its_size() -> None:
    [alone] = facts(Lives("alone", 0, 1, size=2048, shape="f32[5]{0}"))
    assert (alone.owner, alone.padding_bytes) == (None, 2028)


def test_values_of_equal_need_own_nothing_of_each_other() -> None:
    assert [fact.owner for fact in facts(Lives("a", 0, 1), Lives("b", 1, 2))] == [None, None]


def test_the_owner_is_found_where_a_compiler_rounds_its_size() -> None:
    table, leaf = facts(
        Lives("table", 0, 1, size=512, shape="(f32[], f32[])"),
        Lives("leaf", 1, 2, size=512, shape="f32[2]{0:T(4)}"),
        backend="tpu",
    )
    assert (table.owner, leaf.owner) == (None, 0)


def test_nobody_owns_a_slice_that_no_value_explains() -> None:
    assert [fact.owner for fact in facts(Lives("a", 0, 1, size=100), Lives("b", 1, 2, size=100))] == [None, None]


def test_who_needs_an_unknown_number_of_bytes_may_have_needed_all() -> None:
    known, unknown = facts(Lives("known", 0, 1, size=100), Lives("unknown", 1, 2, size=100, shape="new[8]"))
    assert (known.owner, unknown.owner) == (1, None)


@pytest.mark.parametrize(
    ("shape", "padded", "backend", "sizes"),
    [
        ("f32[8]{0}", 32, "cpu", {32}),
        ("f32[<=8,4]{1,0}", 128, "gpu", {128, 136}),
        ("(f32[<=8])", 8, "gpu", {8}),
        ("(f32[], f32[], f32[])", 12, "tpu", {12, 32, 512}),
        ("s32[2]{0:S(4)}", 8, "tpu", {8, 4096}),
        ("bf16[2]{0}", 4, "tpu", {4, 2048}),
        ("bf16[3136,1024]{0,1}", 6_422_528, "tpu", {6_422_528, 6_553_600}),
        ("f32[4,130]{1,0}", 2080, "tpu", {2080, 4096, 8192}),
        ("f32[8]{0:T(128)}", 512, "tpu", {512}),
        ("token[]", 0, "tpu", {0}),
    ],
)
def test_the_sizes_that_a_backend_may_give(shape: str, padded: int, backend: Backend, sizes: set[int]) -> None:
    assert set(possible_sizes(shape, padded, backend)) == sizes


@given(consistent_dumps())
def test_padding_is_part_of_a_slice_and_an_owner_has_the_same_slice_and_owns_itself(dump: Dump) -> None:
    found = analyse(dump).facts
    for number, fact in enumerate(found):
        assert 0 <= fact.padding_bytes <= max(fact.value.size_bytes, fact.padded_bytes or 0)
        assert fact.owner != number
        if fact.owner is not None:
            owner = found[fact.owner]
            assert owner.owner is None
            assert owner.value.allocation == fact.value.allocation
            assert (owner.value.offset_bytes, owner.value.size_bytes) == (
                fact.value.offset_bytes,
                fact.value.size_bytes,
            )
