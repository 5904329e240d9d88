"""The HLO text beside a dump: every instruction is found, with the computation it is in and what calls it."""

import pytest

from reportgen.parse.module_text import ModuleText

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
