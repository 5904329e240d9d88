"""Sound dumps with branches and kernels have no error and no warning; damaged ones still have."""

import pytest

from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Analysis
from reportgen.parse.module_text import ModuleText
from reportgen.program.join import Join
from tests.support.dumps import edited, parsed

BRANCHES = """\
HloModule jit_f

%left (l: f32[8]) -> f32[8] {
  %l = f32[8]{0} parameter(0)
  %left_exp = f32[8]{0} exponential(%l)
  ROOT %left_end = f32[8]{0} negate(%left_exp)
}

%right (r: f32[8]) -> f32[8] {
  %r = f32[8]{0} parameter(0)
  %right_exp = f32[8]{0} tanh(%r)
  ROOT %right_end = f32[8]{0} negate(%right_exp)
}

ENTRY %main (p: pred[], x: f32[8]) -> f32[8] {
  %p = pred[] parameter(0)
  %x = f32[8]{0} parameter(1)
  %made = f32[8]{0} cosine(%x)
  ROOT %either = f32[8]{0} conditional(%p, %made, %made), branch_computations={%left, %right}
}
"""

ALLOCATIONS = """\
BufferAssignment:
allocation 0: size 1, parameter 0, shape |pred[]| at ShapeIndex {}:
 value: <1 p @0> (size=1,offset=0): pred[]
allocation 1: size 32, parameter 1, shape |f32[8]| at ShapeIndex {}:
 value: <2 x @0> (size=32,offset=0): f32[8]{0}
allocation 2: size 32, output shape is |f32[8]|, maybe-live-out:
 value: <3 either @0> (size=32,offset=0): f32[8]{0}
 value: <4 left_end @0> (size=32,offset=0): f32[8]{0}
 value: <5 right_end @0> (size=32,offset=0): f32[8]{0}
allocation 3: size 64, preallocated-temp:
 value: <6 made @0> (size=32,offset=0): f32[8]{0}
 value: <7 left_exp @0> (size=32,offset=32): f32[8]{0}
 value: <8 right_exp @0> (size=32,offset=32): f32[8]{0}

Total bytes used: 129 (129B)
"""


def value(number: int, name: str, uses: str, text: str, positions: str = "") -> str:
    rows = "".join(f"  {row}\n" for row in (name, *positions.split()))
    read = "".join(f"  {use}\n" for use in uses.split("; ") if use)
    return f"<{number} {name} @0>\n positions:\n{rows} uses:\n{read} from instruction: %{name} = {text}\n"


USED = "Used values:\n" + "".join(
    (
        value(1, "p", "either, operand 0", "pred[] parameter(0)"),
        value(2, "x", "made, operand 0", "f32[8]{0} parameter(1)"),
        value(3, "either", "", "f32[8]{0} conditional(%p, %made, %made), branch_computations={%left, %right}"),
        value(4, "left_end", "", "f32[8]{0} negate(%left_exp)"),
        value(5, "right_end", "", "f32[8]{0} negate(%right_exp)"),
        value(
            6,
            "made",
            "left_exp, operand 0; right_exp, operand 0; either, operand 1; either, operand 2",
            "f32[8]{0} cosine(%x)",
            "l r",
        ),
        value(7, "left_exp", "left_end, operand 0", "f32[8]{0} exponential(%l)"),
        value(8, "right_exp", "right_end, operand 0", "f32[8]{0} tanh(%r)"),
    )
)

RANGES = """\
HloLiveRange (max 8):
  InstructionSequence:
    0:p
    1:x
    2:made
    3:left_exp
    4:left_end
    5:right_exp
    6:right_end
    7:either
  BufferLiveRange:
    p{}:0-8
    x{}:0-8
    made{}:2-7
    left_exp{}:3-4
    left_end{}:4-4
    right_exp{}:5-6
    right_end{}:6-6
    either{}:7-8
"""


def branched(*edits: tuple[str, str], has_text: bool = True) -> Analysis:
    join = Join(module=ModuleText(BRANCHES.encode())) if has_text else Join()
    return analyse(parsed(edited(ALLOCATIONS, *edits), USED, RANGES), join=join)


def complaints(analysis: Analysis) -> list[str]:
    return [finding.slug for finding in analysis.findings if finding.severity != "note"]


IN_THE_SAME_BYTES = ("<8 right_exp @0> (size=32,offset=32)", "<8 right_exp @0> (size=32,offset=0)")


def test_values_of_two_branches_may_share_their_bytes() -> None:
    longer = edited(RANGES, ("left_exp{}:3-4", "left_exp{}:3-6"))
    found = analyse(parsed(ALLOCATIONS, USED, longer), join=Join(module=ModuleText(BRANCHES.encode())))
    assert "bytes-shared" not in complaints(found)
    assert "exclusive-branches" in {finding.slug for finding in found.findings}
    assert found.reuse.conflicts == ()


def test_a_sound_dump_with_branches_has_no_finding() -> None:
    assert complaints(branched()) == []


def test_a_branch_may_write_over_the_operand_that_it_has_read() -> None:
    """The operand seems to live until the conditional, and nobody but the branch reads it before."""
    assert complaints(branched(IN_THE_SAME_BYTES)) == []


def test_a_branch_may_not_write_over_an_operand_that_it_reads_later() -> None:
    together = edited(ALLOCATIONS, ("<7 left_exp @0> (size=32,offset=32)", "<7 left_exp @0> (size=32,offset=0)"))
    reads_later = edited(USED, ("  left_exp, operand 0\n", "  left_exp, operand 0\n  left_end, operand 1\n"))
    module = Join(module=ModuleText(BRANCHES.encode()))
    assert complaints(analyse(parsed(together, USED, RANGES), join=module)) == []
    assert complaints(analyse(parsed(together, reads_later, RANGES), join=module)) == ["bytes-shared"]


def test_without_the_hlo_text_branches_are_not_known() -> None:
    assert "bytes-shared" in complaints(branched(IN_THE_SAME_BYTES, has_text=False))


KERNEL = """\
Used values:
<1 k @0>
 positions:
  k
 uses:
  e, operand 0
 from instruction: %k = f32[8]{0} custom-call(), frontend_attributes={kernel_metadata={
"xprof_metadata":"{\\"block_q\\": 128}"
}}, metadata={op_name="jit(f)/attention/pallas_call" stack_frame_id=19}
<2 e @0>
 positions:
  e
 uses:
 from instruction: %e = f32[8]{0} exponential(%k)
"""
OF_KERNEL = """\
BufferAssignment:
allocation 0: size 32, output shape is |f32[8]|, maybe-live-out:
 value: <2 e @0> (size=32,offset=0): f32[8]{0}
allocation 1: size 32, preallocated-temp:
 value: <1 k @0> (size=32,offset=0): f32[8]{0}
"""


def test_the_metadata_of_a_kernel_may_take_several_lines() -> None:
    dump = parsed(OF_KERNEL, KERNEL)
    assert dump.unparsed_count == 0
    assert analyse(dump).program.op_name("k") == "jit(f)/attention/pallas_call"


@pytest.mark.parametrize("line", ['"xprof_metadata"', "}}, metadata"])
def test_such_lines_alone_are_still_reported(line: str) -> None:
    damaged = KERNEL.replace("frontend_attributes={kernel_metadata={", "frontend_attributes={}")
    dump = parsed(OF_KERNEL, damaged)
    assert line in "".join(one.text for one in dump.unparsed)
