"""Operations that run on another thread, as those of a SparseCore: what they read, make and need as scratch memory."""

import pytest

from reportgen.analyse.analysis import analyse
from reportgen.model import Dump
from reportgen.parse.module_text import ModuleText
from reportgen.program.dimensions import Dimensions
from reportgen.program.join import Join
from reportgen.program.places import Place, leaf_of
from reportgen.program.program import Program
from tests.support.dumps import parsed, slugs

TEXT = """\
HloModule jit_f, is_scheduled=true

%gathered (t: f32[64,8], j: s32[4]) -> f32[4,8] {
  %t = f32[64,8]{1,0} parameter(0)
  %j = s32[4]{0} parameter(1)
  ROOT %rows = f32[4,8]{1,0} gather(%t, %j), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, \
index_vector_dim=1, slice_sizes={1,8}, metadata={op_name="jit(f)/embed/gather"}
}, execution_thread="sparsecore"

%offloaded (u: f32[64,8], k: s32[4]) -> f32[4,8] {
  %u = f32[64,8]{1,0} parameter(0)
  %k = s32[4]{0} parameter(1)
  ROOT %call = f32[4,8]{1,0} custom-call(%u, %k), custom_call_target="wrapped", called_computations={%gathered}
}, execution_thread="sparsecore"

%both (a: f32[4,8], b: f32[4,8]) -> (f32[4,8], f32[4,8]) {
  %a = f32[4,8]{1,0} parameter(0)
  %b = f32[4,8]{1,0} parameter(1)
  ROOT %reduced = (f32[4,8]{1,0}, f32[4,8]{1,0}) all-reduce(%a, %b), to_apply=%sum, metadata={op_name="jit(f)/exp"}
}, execution_thread="sparsecore"

ENTRY %main (table: f32[64,8], ids: s32[4]) -> f32[4,8] {
  %table = f32[64,8]{1,0} parameter(0), metadata={op_name="table"}
  %ids = s32[4]{0} parameter(1), metadata={op_name="ids"}
  %start = ((), (), (s32[8]{0}, s32[2]{0:S(10)})) async-start(), async_execution_thread="sparsecore", calls=%offloaded
  %update = ((f32[64,8]{1,0}, s32[4]{0}), f32[4,8]{1,0}, (s32[8]{0}, s32[2]{0:S(10)})) \
async-update(%start, %table, %ids)
  %done = f32[4,8]{1,0} async-done(%update)
  %exp = f32[4,8]{1,0} exponential(%done), metadata={op_name="jit(f)/exp"}
  %tanh = f32[4,8]{1,0} tanh(%done), metadata={op_name="jit(f)/tanh"}
  %next = ((f32[4,8]{1,0}, f32[4,8]{1,0}), (f32[4,8]{1,0}, f32[4,8]{1,0}), (s32[8]{0}, s32[2]{0:S(10)})) \
async-start(%exp, %tanh), async_execution_thread="sparsecore", calls=%both
  %sums = (f32[4,8]{1,0}, f32[4,8]{1,0}) async-done(%next)
  ROOT %out = f32[4,8]{1,0} add(%sums#0, %sums#1), metadata={op_name="jit(f)/add"}
}
"""

ALLOCATIONS = """\
BufferAssignment:
allocation 0: size 2048, parameter 0, shape |f32[64,8]| at ShapeIndex {}:
 value: <1 table @0> (size=2048,offset=0): f32[64,8]{1,0}
allocation 1: size 16, parameter 1, shape |s32[4]| at ShapeIndex {}:
 value: <2 ids @0> (size=16,offset=0): s32[4]{0}
allocation 2: size 192, preallocated-temp:
 value: <3 start{2,0} @0> (size=32,offset=0): s32[8]{0}
 value: <5 update{2,0} @0> (size=32,offset=0): s32[8]{0}
 value: <6 next{2,0} @0> (size=32,offset=0): s32[8]{0}
 value: <7 call @0> (size=128,offset=64): f32[4,8]{1,0}
allocation 3: size 8, color 10, preallocated-temp:
 value: <4 start{2,1} @10> (size=8,offset=0): s32[2]{0:S(10)}
"""

USED = """
Used values:
<1 table @0>
 positions:
  table
  update {0,0}
 uses:
  update, operand 1
<2 ids @0>
 positions:
  ids
 uses:
  update, operand 2
<3 start{2,0} @0>
 positions:
  start {2,0}
 uses:
  update, operand 0 {2,0}
<4 start{2,1} @10>
 positions:
  start {2,1}
 uses:
  update, operand 0 {2,1}
<5 update{2,0} @0>
 positions:
  update {2,0}
 uses:
  done, operand 0 {2,0}
<6 next{2,0} @0>
 positions:
  next {2,0}
 uses:
  sums, operand 0 {2,0}
<7 call @0>
 positions:
  call
  done
 uses:
  exp, operand 0
"""

RANGES = """\
HloLiveRange (max 9):
  InstructionSequence:
    0:table
    1:ids
    2:start
    3:update
    4:call
    5:done
    6:exp
    7:next
    8:sums
  BufferLiveRange:
    table{}:0-9
    ids{}:0-9
    start{2,0}:2-7
    start{2,1}:2-3
    update{2,0}:3-8
    next{2,0}:7-8
    call{}:4-6
"""


def program(text: str = TEXT) -> Program:
    return Program(dump(), Join(module=ModuleText(text.encode())))


def dump() -> Dump:
    return parsed(ALLOCATIONS, USED, RANGES)


@pytest.mark.parametrize(
    ("place", "same"),
    [
        ("update{0,0}", {"table{}"}),
        ("update{0,1}", {"ids{}"}),
        ("update{0,2}", set()),
        ("update{1}", {"start{1}"}),
        ("update{2,0}", {"start{2,0}"}),
        ("start{1}", {"call{}"}),
        ("done{}", {"update{1}"}),
        ("call{}", {"rows{}"}),
        ("u{}", {"table{}"}),
        ("k{}", {"ids{}"}),
        ("t{}", {"u{}"}),
    ],
)
def test_an_operation_that_gets_its_operands_late_hands_them_on(place: str, same: set[str]) -> None:
    name, _, index = place.partition("{")
    assert {one.key for one in program().storage.same(Place(name, leaf_of("{" + index)))} == same


def test_what_an_offloaded_operation_makes_is_written_by_the_operation() -> None:
    assert program().writers.of(Place("done")).author.scope == "jit(f)/embed/gather"
    assert program().writers.of(Place("call")).author.scope == "jit(f)/embed/gather"


def test_scratch_memory_is_of_the_operation_that_needs_it() -> None:
    assert program().writers.of(Place("start", (2, 0))).author.scope == "jit(f)/embed/gather"
    assert program().writers.of(Place("update", (2, 1))).author.scope == "jit(f)/embed/gather"


def test_each_array_of_a_combined_collective_has_its_own_writer() -> None:
    found = [program().writers.of(Place(f"sums#{number}")).author.scope for number in range(2)]
    assert found == ["jit(f)/exp", "jit(f)/tanh"]


def test_dimensions_are_followed_through_an_offload() -> None:
    number = dump().number_of["call{}"]
    assert [one and one.parameter for one in Dimensions(program()).of(number)] == ["ids", "table"]


def test_scratch_memory_is_known_by_its_thread() -> None:
    places = {"start{2,0}": "sparsecore", "update{2,1}": "sparsecore", "update{1}": "", "update{0,0}": "", "call{}": ""}
    for place, thread in places.items():
        name, _, index = place.partition("{")
        assert program().scratch_thread(Place(name, leaf_of("{" + index))) == thread


def test_operations_of_one_thread_share_their_scratch_memory() -> None:
    found = [one.slug for one in analyse(dump(), join=program().join).findings]
    assert found.count("shared-scratch") == 2
    assert "bytes-shared" not in found


def test_operations_of_two_threads_do_not_share_their_scratch_memory() -> None:
    before, after = TEXT.split("  %next = ")
    other = program(f"{before}  %next = {after.replace('sparsecore', 'other', 1)}")
    assert "bytes-shared" in slugs(analyse(dump(), join=other.join))
