"""The HLO text beside a dump: every instruction is found, with the computation it is in and what calls it."""

from pathlib import Path

import pytest

from reportgen.input.reading import load_siblings
from reportgen.parse.module_text import ModuleText
from reportgen.parse.text_damage import damages
from tests.support.dialects import compact
from tests.support.samples import sample_labels, samples

LOOP = ModuleText(
    b"""HloModule m

%fused (param_0: f32[8]) -> f32[8] {
  %param_0 = f32[8]{0} parameter(0)
  ROOT %exp = f32[8]{0} exponential(%param_0), metadata={op_name="jit(f)/exp"}
}

%body (arg: (s32[], f32[8])) -> (s32[], f32[8]) {
  %arg = (s32[], f32[8]{0}) parameter(0)
  %i = s32[] get-tuple-element(%arg), index=0
  %x = f32[8]{0} get-tuple-element(%arg), index=1
  %fusion = f32[8]{0} fusion(%x), kind=kLoop, calls=%fused
  ROOT %result = (s32[], f32[8]{0}) tuple(%i, %fusion)
}

%condition (arg.1: (s32[], f32[8])) -> pred[] {
  %arg.1 = (s32[], f32[8]{0}) parameter(0)
  ROOT %less = pred[] constant(true)
}

ENTRY %main (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  %zero = s32[] constant(0)
  %start = (s32[], f32[8]{0}) tuple(%zero, %p)
  %while = (s32[], f32[8]{0}) while(%start), condition=%condition, body=%body
  ROOT %out = f32[8]{0} get-tuple-element(%while), index=1
}
"""
)


def test_the_entry_and_the_roots_are_known() -> None:
    assert LOOP.entry == "main"
    assert LOOP.root_of == {"fused": "exp", "body": "result", "condition": "less", "main": "out"}


def test_an_instruction_is_read_by_its_name() -> None:
    fusion = LOOP.instruction("fusion")
    assert fusion is not None
    assert (fusion.opcode, fusion.operands) == ("fusion", ("x",))


def test_an_unknown_instruction_is_none() -> None:
    assert LOOP.instruction("nothing") is None
    assert "nothing" not in LOOP


def test_what_an_instruction_calls() -> None:
    assert LOOP.called_by == {"fusion": ("fused",), "while": ("condition", "body")}
    assert LOOP.callers_of == {"fused": ("fusion",), "condition": ("while",), "body": ("while",)}


def test_the_path_to_the_entry_names_the_loops_around() -> None:
    assert LOOP.path_to_entry("exp") == ("fusion", "while")
    assert LOOP.path_to_entry("while") == ()


def test_the_members_of_a_computation_are_in_the_order_of_the_text() -> None:
    assert LOOP.members("body") == ("arg", "i", "x", "fusion", "result")


def test_names_without_a_percent_sign_are_read_alike() -> None:
    plain = ModuleText(b"HloModule m\n\nENTRY main.1 (p: f32[8]) -> f32[8] {\n  ROOT p = f32[8]{0} parameter(0)\n}\n")
    assert (plain.entry, plain.root_of) == ("main.1", {"main.1": "p"})


ELEMENTS = ModuleText(
    b"""HloModule m

ENTRY %main (p: ((s32[], f32[8]), f32[4])) -> f32[8] {
  %p = ((s32[], f32[8]{0:T(256)}), f32[4]{0}) parameter(0)
  %q = f32[4]{0} negate(%p#1)
  ROOT %out = f32[8]{0:T(256)} negate(%p#0#1)
}
"""
)


@pytest.mark.parametrize(
    ("name", "shape", "operand"),
    [("p#1", "f32[4]{0}", "p"), ("p#0", "(s32[], f32[8]{0:T(256)})", "p"), ("p#0#1", "f32[8]{0:T(256)}", "p#0")],
)
def test_an_operand_that_is_an_element_reads_as_the_instruction_it_stands_for(
    name: str, shape: str, operand: str
) -> None:
    found = ELEMENTS.instruction(name)
    assert found is not None
    assert (found.opcode, found.shape, found.operands) == ("get-tuple-element", shape, (operand,))


def test_operands_name_elements() -> None:
    found = [ELEMENTS.instruction(name) for name in ("q", "out")]
    assert [one and one.operands for one in found] == [("p#1",), ("p#0#1",)]


@pytest.mark.parametrize("name", ["p#2", "q#0", "x#0", "p#", "#0", "p#0#2", "p#one"])
def test_an_element_that_is_not_there_is_none(name: str) -> None:
    assert ELEMENTS.instruction(name) is None


# An HLO text that has lost or changed a line is not whole, and every text of a sample is.


TINY = next(Path(__file__).parents[2].glob("samples/cpu-tiny/*gelu.cpu_after_optimizations.txt")).read_bytes()
LOOP_TEXT = (Path(__file__).parents[1] / "program/loop.hlo.txt").read_bytes()
LINES = TINY.splitlines(keepends=True)

KERNEL = b"""HloModule m

ENTRY %main (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  ROOT %k = f32[8]{0} custom-call(%p), custom_call_target="tpu", frontend_attributes={kernel_metadata={
"block":"{1}"
}}, metadata={op_name="jit(f)"}
}
"""


def damage(text: bytes) -> list[str]:
    return list(damages(ModuleText(text)))


@pytest.mark.parametrize("label", sample_labels())
def test_every_text_of_a_sample_is_whole(label: str) -> None:
    for one in load_siblings(samples()[label]):
        if one.kind == "HLO text":
            assert not damage(one.data)


def test_texts_of_other_forms_are_whole() -> None:
    assert not damage(LOOP_TEXT)
    returned = b"get-tuple-element(%while), index=1\n}"
    assert returned in LOOP_TEXT
    assert not damage(compact(LOOP_TEXT.replace(returned, b"copy(%mul)\n}").decode()).encode())
    assert not damage(KERNEL)
    assert not damage(KERNEL.replace(b"\n}\n", b'\n}, execution_thread="sparsecore"\n'))
    assert not damage(KERNEL.replace(b"\n}\n", b"\n} // main\n"))
    assert not damage(TINY.replace(b"\n", b"\r\n"))


@pytest.mark.parametrize("number", [number for number, line in enumerate(LINES, 1) if line.strip() and number > 1])
def test_a_lost_line_is_told(number: int) -> None:
    assert damage(b"".join(LINES[: number - 1] + LINES[number:]))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b" dot(%param_0", b" dot>%param_0", "line 25 is not a whole instruction"),
        (b"%tanh.0 = ", b"%tanh.0 : ", "line 39 is not an instruction, which was expected"),
        (b"fusion(%ynn_fusion)", b"fusion(%yn_fusion)", "line 53 has the operand %yn_fusion, which is not an instr"),
        (b"fusion(%ynn_fusion)", b"fusion(%mul.0)", "line 53 has the operand %mul.0, which is an instruction of anot"),
        (b"calls=%fused_computation.1", b"calls=%fused.1", "line 53 calls fused.1, which is not a computation"),
        (b"  %x.1 = ", b"  %w.1 = ", "states w.1, which another line does, too"),
        (b"ENTRY %main.1", b"%main.1", "a module with 0 ENTRY computations"),
        (b"  %mul.1 = ", b"  ROOT %mul.1 = ", "a computation has several ROOTs"),
        (b"%fused_computation.1 (", b"%fused_computation (", "begins a computation fused_computation again"),
        (b"3 {file_name_id=2", b"3 {file_name_id=5", "the table FileNames, of which row 5 is missing"),
        (b"3 {file_name_id=2", b"4 {file_name_id=2", "the table FileLocations, of which row 3 is missing"),
        (b"3 {file_location_id=3 parent_frame_id=2", b"3 {file_location_id=3 parent_frame_id=9", "StackFrames"),
    ],
)
def test_a_changed_line_is_told_with_its_number(old: bytes, new: bytes, words: str) -> None:
    assert old in TINY
    assert any(words in one for one in damage(TINY.replace(old, new, 1))), damage(TINY.replace(old, new, 1))


def test_an_operand_after_its_shape_must_be_there() -> None:
    text = b"HloModule m\n\nENTRY %f (p: f32[8]) -> f32[8] {\n  ROOT %n = f32[8]{0} negate(f32[8]{0} %p)\n}\n"
    assert damage(text) == ["its line 4 has the operand %p, which is not an instruction of the text"]
    assert not damage(text.replace(b"  ROOT", b"  %p = f32[8]{0} parameter(0)\n  ROOT"))
