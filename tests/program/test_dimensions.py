"""Dimensions are followed through the instructions to the arguments that they come from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.program.dimensions import WHOLE, Dimensions, sources
from tests.advice.recompiled_programs import program

_SIZES = st.lists(st.integers(min_value=1, max_value=6), min_size=1, max_size=5)


def origins(name: str, shape: str) -> set[tuple[str, ...]]:
    analysis = program(name)
    dimensions, found = Dimensions(analysis.program), set()
    for number in range(len(analysis.dump.values)):
        if analysis.program.shape(number) == shape and analysis.dump.starts[number] >= 0:
            names = (
                one and analysis.program.argument_name(number_of(name, one.parameter)) for one in dimensions.of(number)
            )
            found.add(tuple(text or "" for text in names))
    return found


def number_of(name: str, parameter: str) -> int:
    analysis = program(name)
    return next(one for one in analysis.program.arguments.values() if analysis.dump.values.names[one] == parameter)


@pytest.mark.parametrize(
    ("name", "shape", "expected"),
    [
        ("vjp_ce+naive", "f32[8192,128256]", ("x", "w")),
        ("splash+plain", "f32[8,8192,8192]", ("ws[0]['qkv']", "x", "x")),
    ],
)
def test_a_product_has_the_free_dimensions_of_its_operands(name: str, shape: str, expected: tuple[str, ...]) -> None:
    found = origins(name, shape)
    assert any(
        all(a == b or (a and i == 0) for i, (a, b) in enumerate(zip(one, expected, strict=True))) for one in found
    )


def test_a_stack_of_a_loop_begins_with_a_dimension_of_no_argument() -> None:
    found = origins("flax_gpt+donate", "f32[12,8,16,1024,1024]")
    assert found
    assert ("", "tokens", "params['blocks']['attn']['qkv']['kernel']", "tokens", "tokens") in found
    assert all(one[0] == "" for one in found)


def test_what_only_happens_to_have_the_size_of_the_batch_does_not_follow_it() -> None:
    """The state of 8 layers, on a program whose batch is 2: neither is taken for the other."""
    found = origins("fsdp_tp+replopt", "f32[64,3584,2048]")
    assert found
    assert not any("tok" in one for one in found)


@given(sizes=_SIZES, cut=st.lists(st.booleans(), min_size=1))
def test_every_dimension_of_a_reshape_comes_from_dimensions_that_cover_it(sizes: list[int], cut: list[bool]) -> None:
    """Merge neighbours, and look from both sides."""
    joined: list[int] = []
    groups: list[list[int]] = []
    for index, size in enumerate(sizes):
        if joined and cut[index % len(cut)]:
            joined[-1] *= size
            groups[-1].append(index)
        else:
            joined.append(size)
            groups.append([index])
    for at, group in enumerate(groups):
        wide = [one for one in group if sizes[one] > 1]
        assert [one for one, _ in sources(sizes, joined, at)] == wide
        for one in wide:
            ((whole, part),) = sources(joined, sizes, one)
            assert whole == at
            assert list(sources(sizes, joined, at, part)) == [(one, WHOLE)]
