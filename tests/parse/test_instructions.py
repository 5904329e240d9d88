"""Instructions: what nests or is quoted is never taken for a separator, and nothing in a text raises."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.parse.instruction_parser import Instruction, parse_instruction
from tests.support.guards import finishes


def test_the_parts_of_an_instruction() -> None:
    text = (
        "%fusion.3 = bf16[1280,2048]{1,0:T(8,128)(2,1)S(1)} fusion(%self.1, %b), kind=kLoop, calls=%fused,"
        ' metadata={op_name="jit(f)/dot" source_file="/src/a.py" source_line=7}'
    )
    metadata = {"op_name": "jit(f)/dot", "source_file": "/src/a.py", "source_line": "7"}
    found = parse_instruction(text)
    assert found == Instruction(
        name="fusion.3",
        shape="bf16[1280,2048]{1,0:T(8,128)(2,1)S(1)}",
        opcode="fusion",
        operands=("self.1", "b"),
        metadata=metadata,
    )
    assert (found.op_name, found.source) == ("jit(f)/dot", "/src/a.py:7")


@pytest.mark.parametrize(
    ("text", "operands"),
    [
        (
            "%t = () tuple((f32[2]{0}, (s32[], f32[])) %a.1, f32[]{:T(128)} %b, /*index=5*/token[] %c)",
            ("a.1", "b", "c"),
        ),
        ("slice.4 = s32[8]{0:T(1024)} slice(custom-call.3), slice={[0:8]}", ("custom-call.3",)),
        ("t = (f32[], s32[2]) tuple(f32[] a.1, s32[2]{0} b, /*index=2*/c)", ("a.1", "b", "c")),
        ("p = f32[2]{0} parameter(0)", ()),
        ("k = f32[2]{0} constant({1, nan})", ()),
        ("i = s32[4]{0} iota(), iota_dimension=0", ()),
        ("ROOT %add = f32[] add(%x, %y)", ("x", "y")),
        ("%t = (f32[2]{0}, (s32[], f32[8]{0:T(8)}), /*index=5*/token[]) tuple(%a, /*index=5*/%b)", ("a", "b")),
    ],
)
def test_name_shape_and_operands_are_found_with_percent_signs_and_shapes_or_without(
    text: str, operands: tuple[str, ...]
) -> None:
    found = parse_instruction(text)
    name, _, rest = text.removeprefix("ROOT ").partition(" = ")
    assert (found.name, found.operands) == (name.removeprefix("%"), operands)
    assert found.shape
    assert rest.startswith(f"{found.shape} {found.opcode}(")


@pytest.mark.parametrize("constant", ["3.5", "{1, 2}", "{ { 1, 2 }, { 3, 4 } }", '"a(b"', "{...}", "(1, {2})"])
def test_a_constant_has_no_operands(constant: str) -> None:
    found = parse_instruction(f'%c = s32[2]{{0}} constant({constant}), metadata={{op_name="k"}}')
    assert (found.opcode, found.operands, found.op_name) == ("constant", (), "k")


@pytest.mark.parametrize(
    "attribute",
    [
        "sharding={devices=[2,1]<=[2] metadata={op_name=no}}",
        "replica_groups={{0,1},{2,3}}",
        "dimensions={0,1}",
        r'custom_call_target="a, \", {b=c}"',
        r'backend_config="{\"alpha_real\":1,\"epilogue\":\")}\"}"',
        'backend_config={"flag_configs":[],"window":{"a":["1","2"]},"s":"}, x={"}',
        'frontend_attributes={k="v,w",_x={"a":"b"}}',
        "slice={[0:8], [0:128:2]}",
        "control-predecessors={%c, %d}",
    ],
)
def test_text_inside_an_attribute_is_not_metadata(attribute: str) -> None:
    found = parse_instruction(f'%x = f32[] custom-call(%a), first=1, {attribute}, metadata={{op_name="n"}}')
    assert found.op_name == "n"


@pytest.mark.parametrize(
    ("printed", "meant"),
    [
        (r"\"q\" {x}, (y", '"q" {x}, (y'),
        (r"\'a\'", "'a'"),
        (r"one\ntwo\tthree", "one\ntwo\tthree"),
        (r"\316\273 and \\", "λ and \\"),
        (r"\377", "�"),
        ("source_file=x", "source_file=x"),
        ("λ", "λ"),
    ],
)
def test_strings_in_metadata_are_unescaped(printed: str, meant: str) -> None:
    found = parse_instruction(f'%x = f32[] add(%a), metadata={{op_type="dot" op_name="{printed}" stack_frame_id=4}}')
    assert found.metadata == {"op_type": "dot", "op_name": meant, "stack_frame_id": "4"}


def test_the_source_is_what_the_metadata_say_of_it() -> None:
    def source(metadata: str) -> str | None:
        return parse_instruction(f"%x = f32[] add(%a), metadata={{{metadata}}}").source

    assert source('source_file="a.py" source_line=3') == "a.py:3"
    assert source('source_file="a.py"') == "a.py"
    assert source("source_line=3") is None
    assert source("stack_frame_id=9") is None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", Instruction(name="")),
        ("%x", Instruction(name="x")),
        ("%x = ", Instruction(name="x")),
        ("%x = f32[2]{0}", Instruction(name="x", shape="f32[2]{0}")),
        ("%x = f32[2", Instruction(name="x")),
        ("%x = f32[2 add(%a)", Instruction(name="x", shape="f32[2", opcode="add", operands=("a",))),
        ("%x = f32[] add(%a, %b", Instruction(name="x", shape="f32[]", opcode="add", operands=("a", "b"))),
        ("%x = f32[] add(%a),, ,", Instruction(name="x", shape="f32[]", opcode="add", operands=("a",))),
    ],
)
def test_what_is_missing_is_left_empty(text: str, parts: Instruction) -> None:
    assert parse_instruction(text) == parts


def test_metadata_that_are_cut_off_keep_what_is_whole() -> None:
    found = parse_instruction('%x = f32[] add(%a), metadata={op_type="add" op_name="jit(f')
    assert found.metadata == {"op_type": "add"}


@given(st.text(st.sampled_from(list('%x= f32[]{}(),"\\metadata=/*'))))
def test_nothing_in_a_text_raises(text: str) -> None:
    parse_instruction(text)
    parse_instruction(f"%x = {text}")
    parse_instruction(f"%x = f32[] add({text}), metadata={{{text}")


@pytest.mark.parametrize(
    "text",
    [
        f"%t = ({', '.join(['bf16[4096,3584]{1,0:T(8,128)(2,1)}'] * 5_000)}) tuple({', '.join(['%fusion.1'] * 5_000)})",
        f"%x = {'(' * 200_000}",
        f"%x = f32[] add({'{' * 200_000}",
        f"%x = f32[] add(%a), metadata={{{'a' * 200_000}",
        f"%x = f32[] add(%a), metadata={{{'a=' * 100_000}",
        f'%x = f32[] add(%a), x="{chr(92) * 200_000}',
        f"%x = f32[] add({'%a' * 100_000}",
    ],
    ids=lambda text: text[:30],
)
def test_long_texts_take_linear_time(text: str) -> None:
    with finishes(10):
        parse_instruction(text)
