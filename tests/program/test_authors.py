"""What the text of an instruction does not tell is told by its place, by its readers and by what it is reserved for."""

import pytest
from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.analyse.attributed import Attributed, attributed, reserved_for
from reportgen.analyse.records import Analysis
from reportgen.model import Dump
from reportgen.program.author import Author
from tests.support.dumps import analysed
from tests.support.strategies import consistent_dumps

ALLOCATIONS = """\
BufferAssignment:
allocation 0: size 64, parameter 0, shape |(f32[16])| at ShapeIndex {0}:
 value: <0 arg{0} @0> (size=64,offset=0): f32[16]{0}
allocation 1: size 32, output shape is |f32[8]|, maybe-live-out:
 value: <6 result @0> (size=32,offset=0): f32[8]{0}
allocation 2: size 32, preallocated-temp:
 value: <1 zeros @0> (size=32,offset=0): f32[8]{0}
 value: <2 carried{1} @0> (size=32,offset=0): f32[8]{0}
 value: <3 written @0> (size=32,offset=0): f32[8]{0}
 value: <4 loop{1} @0> (size=32,offset=0): f32[8]{0}
allocation 3: size 64, preallocated-temp:
 value: <5 slice @0> (size=64,offset=0): f32[16]{0}
"""
USED = """\
Used values:
<0 arg{0} @0>
 positions:
  arg {0}
 uses:
  loop, operand 0 {0}
  slice, operand 0
 from instruction: %arg = (f32[16]{0}) parameter(0)
<1 zeros @0>
 positions:
  zeros
 uses:
  loop, operand 0 {1}
 from instruction: %zeros = f32[8]{0} broadcast(%zero), metadata={op_name="jit(f)/zeros"}
<2 carried{1} @0>
 positions:
  carried {1}
 uses:
  written, operand 0
 from instruction: %carried = (s32[], f32[8]{0}) parameter(0)
<3 written @0>
 positions:
  written
 uses:
 from instruction: %written = f32[8]{0} fusion(%carried), metadata={op_name="jit(f)/while/body/attn/sub"}
<4 loop{1} @0>
 positions:
  loop {1}
 uses:
  result, operand 0
 from instruction: %loop = (s32[], f32[8]{0}) while(%arg), metadata={op_name="jit(f)/while"}
<5 slice @0>
 positions:
  slice
 uses:
  result, operand 1
 from instruction: %slice = f32[16]{0} slice(%arg), slice={[0:16]}
<6 result @0>
 positions:
  result
 uses:
 from instruction: %result = f32[8]{0} fusion(%loop, %slice), metadata={op_name="jit(f)/mlp/dot"}
"""
RANGES = """\
HloLiveRange (max 6):
  InstructionSequence:
    0:arg
    1:zeros
    2:carried
    3:written
    4:loop
    5:slice
    6:result
  BufferLiveRange:
    arg{0}:0-7
    zeros{}:1-2
    carried{1}:2-3
    written{}:3-4
    loop{1}:4-6
    slice{}:5-6
    result{}:6-7
"""


def number_of(analysis: Analysis, name: str) -> int:
    return analysis.dump.values.names.index(name)


def author(name: str) -> Author:
    analysis = analysed(ALLOCATIONS, USED, RANGES)
    return analysis.authors.of(number_of(analysis, name))


@pytest.mark.parametrize("name", ["zeros", "carried", "loop"])
def test_what_a_loop_carries_belongs_to_the_operation_that_writes_it_in_place(name: str) -> None:
    found = author(name)
    assert (found.scope, found.rule, found.path) == ("jit(f)/while/body/attn/sub", "in place", ("written",))


def test_the_zeros_that_start_a_loop_are_part_of_what_the_loop_writes() -> None:
    assert author("zeros").scope == "jit(f)/while/body/attn/sub"


def test_an_argument_without_a_name_is_named_by_what_reads_it_first() -> None:
    found = author("arg")
    assert (found.argument, found.scope, found.rule) == ("argument 0{0}", "jit(f)/mlp/dot", "read")
    assert found.path == ("result",)
    assert found.name == "jit(f)/mlp/dot"


def test_a_named_argument_is_its_own_author_and_says_what_reads_it_first() -> None:
    used = USED.replace("parameter(0)\n", 'parameter(0), metadata={op_name="params"}\n', 1)
    analysis = analysed(ALLOCATIONS, used, RANGES)
    number = number_of(analysis, "arg")
    assert number == 0
    found = analysis.authors.of(number)
    assert (found.name, found.rule, found.scope) == ("params", "argument", "")
    assert found.reader
    assert found.reader.scope == "jit(f)/mlp/dot"


def test_bytes_without_a_live_value_are_reserved_for_the_last_value_in_them() -> None:
    analysis = analysed(ALLOCATIONS, USED, RANGES)
    assert reserved_for(analysis, 1) == number_of(analysis, "result")
    space = analysis.spaces[0]
    assert space.peak_resident
    assert space.peak_resident.moment == 5
    assert attributed(analysis, space) == Attributed(scope_bytes=64 + 32 + 64, source_bytes=0, reserved_bytes=32)


@given(consistent_dumps())
def test_no_more_is_attributed_than_is_resident(dump: Dump) -> None:
    analysis = analyse(dump)
    for space in analysis.spaces.values():
        found, peak = attributed(analysis, space), space.peak_resident
        assert found.source_bytes >= 0
        assert 0 <= found.scope_bytes + found.reserved_bytes <= (peak.amount if peak else 0)
