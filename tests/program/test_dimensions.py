"""Dimensions are followed through the instructions to the arguments that they come from."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.parse.module_text import ModuleText
from reportgen.program.dimensions import Dimensions
from reportgen.program.join import Join
from reportgen.program.program import Program
from reportgen.program.strides import WHOLE, Strides, sources
from tests.advice.recompiled_programs import program
from tests.support.dumps import parsed

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
    split, whole = Strides.of(tuple(sizes)), Strides.of(tuple(joined))
    for at, group in enumerate(groups):
        wide = [one for one in group if sizes[one] > 1]
        assert [one for one, _ in sources(split, whole, at)] == wide
        for one in wide:
            ((source, part),) = sources(whole, split, one)
            assert source == at
            assert sources(split, whole, at, part) == [(one, WHOLE)]


def traced(arguments: Sequence[str], instructions: str) -> list[str]:
    """Return the origin of each dimension of the last instruction, as `x.0`, or nothing."""
    made = [line.strip() for line in instructions.replace(",\n", ", ").strip().splitlines()]
    lines = [f"%{one} parameter({index})" for index, one in enumerate(arguments)] + made
    allocations, used = ["BufferAssignment:"], ["Used values:"]
    ranges = ["HloLiveRange (max 99):", "  InstructionSequence:"]
    names = [line[1:].partition(" = ")[0] for line in lines]
    for index, (name, line) in enumerate(zip(names, lines, strict=True)):
        shape = line.split(" ")[2]
        kind = (
            f"parameter {index}, shape |{shape}| at ShapeIndex {{}}" if index < len(arguments) else "preallocated-temp"
        )
        allocations += [
            f"allocation {index}: size 64, {kind}:",
            f" value: <{index} {name} @0> (size=64,offset=0): {shape}",
        ]
        used += [f"<{index} {name} @0>", " positions:", f"  {name}", " uses:"]
        ranges.append(f"    {index}:{name}")
    ranges += ["  BufferLiveRange:", *(f"    {name}{{}}:{index}-99" for index, name in enumerate(names))]
    dump = parsed(*("\n".join(part) + "\n" for part in (allocations, used, ranges)))
    body = "\n".join(f"  {line}" for line in lines)
    text = f"HloModule jit_f, is_scheduled=true\n\nENTRY %main () -> f32[] {{\n{body}\n}}\n"
    found = Dimensions(Program(dump, Join(module=ModuleText(text.encode())))).of(len(names) - 1)
    return [f"{one.parameter}.{one.dimension}" if one else "" for one in found]


_IDS = "ids = s32[4,2048]{1,0:T(4,128)}"


@pytest.mark.parametrize(
    ("arguments", "instructions", "expected"),
    [
        pytest.param(
            [_IDS],
            """
            %one = s32[1,4,2048]{2,1,0:T(4,128)} bitcast(%ids)
            %all = s32[4,4,2048]{2,1,0:T(4,128)} all-gather(%one), dimensions={0}
            %rows = s32[16,2048]{1,0:T(8,128)} reshape(%all)
            """,
            ["ids.0", "ids.1"],
            id="the batches of several devices, merged",
        ),
        pytest.param(
            [_IDS],
            """
            %one = s32[1,4,2048]{2,1,0:T(4,128)} bitcast(%ids)
            %all = s32[4,4,2048]{2,1,0:T(4,128)} all-gather(%one), dimensions={0}
            %rows = s32[32768]{0:T(1024)} reshape(%all)
            %padded = s32[32832]{0:T(1024)} pad(%rows, %zero), padding=0_64
            %part = s32[8192]{0:T(1024)} slice(%padded), slice={[0:8192]}
            %mine = s32[4,2048]{1,0:T(4,128)} reshape(%part)
            """,
            ["ids.0", "ids.1"],
            id="a part of what was gathered and merged",
        ),
        pytest.param(
            [_IDS],
            """
            %tiles = s32[16,4,128]{2,1,0:T(4,128)} bitcast(%ids)
            """,
            ["ids.1", "ids.0", "ids.1"],
            id="a layout in tiles",
        ),
        pytest.param(
            ["x = bf16[4,1024,2048]{2,1,0:T(8,128)(2,1)}"],
            """
            %bytes = s8[16777216]{0:T(1024)(128)(4,1)} bitcast(%x)
            %first = s8[8388608]{0:T(1024)(128)(4,1)} slice(%bytes), slice={[0:8388608]}
            %second = s8[8388608]{0:T(1024)(128)(4,1)} slice(%bytes), slice={[8388608:16777216]}
            %whole = bf16[4,1024,2048]{2,1,0:T(8,128)(2,1)} custom-call(%first, %second),
custom_call_target="ConcatBitcast"
            """,
            ["x.0", "x.1", "x.2"],
            id="slices of bytes, put together",
        ),
        pytest.param(
            ["gate = f32[4,2048,16]{2,1,0}"],
            """
            %numbers = s32[4,2048,16]{2,1,0} iota(), iota_dimension=2
            %sorted = (f32[4,2048,16]{2,1,0}, s32[4,2048,16]{2,1,0}) sort(%gate, %numbers), dimensions={2}
            %order = s32[4,2048,16]{2,1,0} get-tuple-element(%sorted), index=1
            """,
            ["gate.0", "gate.1", "gate.2"],
            id="the order that a sort finds",
        ),
        pytest.param(
            ["gate = f32[4,2048,16]{2,1,0}"],
            """
            %numbers = s32[4,2048,16]{2,1,0} iota(), iota_dimension=2
            %best = (f32[4,2048]{1,0}, s32[4,2048]{1,0}) reduce(%gate, %numbers, %a, %b), dimensions={2}
            %chosen = s32[4,2048]{1,0} get-tuple-element(%best), index=1
            """,
            ["gate.0", "gate.1"],
            id="an argmax",
        ),
        pytest.param(
            ["gate = f32[4,2048,16]{2,1,0}"],
            """
            %best = (f32[4,2048,2]{2,1,0}, s32[4,2048,2]{2,1,0}) custom-call(%gate), custom_call_target="TopK"
            %chosen = s32[4,2048,2]{2,1,0} get-tuple-element(%best), index=1
            """,
            ["gate.0", "gate.1", "gate.2"],
            id="the largest along a dimension",
        ),
        pytest.param(
            ["a = f32[4,8]{1,0}", "b = f32[2,8]{1,0}"],
            """
            %start = ((f32[4,8]{1,0}, f32[2,8]{1,0}), (f32[8,8]{1,0}, f32[4,8]{1,0})) all-gather-start(%a, %b),
dimensions={0}
            %done = (f32[8,8]{1,0}, f32[4,8]{1,0}) all-gather-done(%start)
            %other = f32[4,8]{1,0} get-tuple-element(%done), index=1
            """,
            ["b.0", "b.1"],
            id="one of several arrays that are gathered at once",
        ),
    ],
)
def test_a_dimension_is_followed_through(arguments: Sequence[str], instructions: str, expected: Sequence[str]) -> None:
    assert traced(arguments, instructions) == expected


def test_a_dimension_that_counts_devices_comes_from_nowhere() -> None:
    found = traced(
        ["x = f32[4,8]{1,0}"],
        """
        %all = f32[16,8]{1,0} all-gather(%x), dimensions={0}
        %apart = f32[4,4,8]{2,1,0} reshape(%all)
        """,
    )
    assert found == ["", "x.0", "x.1"]
