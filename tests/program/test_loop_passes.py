"""The pass of a loop is that of what its body runs."""

from collections.abc import Mapping, Sequence

from reportgen.parse.module_text import ModuleText
from reportgen.program.join import Join
from reportgen.program.loop_passes import directions_of_loops
from reportgen.program.program import Program
from tests.support.dumps import parsed

Loop = tuple[str, Sequence[str]]
"""The op_name of a loop, and those of the operations in its body; an operation may be a loop's own name."""


def program(loops: Mapping[str, Loop]) -> Program:
    """Return a program with these loops, by name; an operation of a body that has the name of a loop is that loop."""
    texts, names = [], []
    for loop, (_, body) in loops.items():
        lines = []
        for number, operation in enumerate(body):
            name = operation if operation in loops else f"{loop}.op{number}"
            call = f"while(%x), condition=%c, body=%body.{name}" if operation in loops else "add(%x, %x)"
            stated = loops[operation][0] if operation in loops else operation
            lines.append(f'  %{name} = f32[8]{{0}} {call}, metadata={{op_name="{stated}"}}')
            names.append(name)
        texts.append(f"%body.{loop} (x: f32[8]) -> f32[8] {{\n" + "\n".join(lines) + "\n}\n")
    inside = {operation for _, body in loops.values() for operation in body}
    entry = "ENTRY %main (y: f32[8]) -> f32[8] {\n"
    for loop in loops.keys() - inside:
        entry += f'  %{loop} = f32[8]{{0}} while(%y), body=%body.{loop}, metadata={{op_name="{loops[loop][0]}"}}\n'
        names.append(loop)
    rows = "".join(f"    {number}:{name}\n" for number, name in enumerate(names))
    ranges = f"HloLiveRange (max {len(names)}):\n  InstructionSequence:\n{rows}  BufferLiveRange:\n"
    text = "HloModule jit_step\n\n" + "\n".join(texts) + "\n" + entry + "}\n"
    return Program(parsed("BufferAssignment:\n", "\nUsed values:\n", ranges), Join(module=ModuleText(text.encode())))


def test_the_body_decides_where_the_loop_says_nothing() -> None:
    found = program(
        {
            "first": ("jit(step)/jit(main)/while", ["jit(step)/jit(main)/jvp(while)/body/mul"]),
            "second": ("jit(step)/jit(main)/while", ["jit(step)/jit(main)/transpose(jvp(while))/body/mul"]),
            "third": ("jit(step)/jit(main)/while", ["jit(step)/jit(main)/while/body/mul"]),
        }
    )
    assert directions_of_loops(found) == {"first": "forward", "second": "backward", "third": ""}


def test_a_loop_without_named_operations_is_what_its_own_name_says() -> None:
    assert directions_of_loops(program({"loop": ("jit(f)/transpose(jvp())/while", [""])})) == {"loop": "backward"}


def test_a_loop_in_a_recomputation_is_a_forward_loop() -> None:
    outer = "jit(f)/transpose(jvp())/while"
    again = f"{outer}/body/checkpoint/rematted_computation/while"
    back = f"{outer}/body/checkpoint/while"
    found = program(
        {
            "again": (again, [f"{again}/body/mul", f"{again}/body/exp"]),
            "back": (back, [f"{back}/body/mul"]),
            "outer": (outer, ["again", "back", f"{outer}/body/checkpoint/transpose"]),
        }
    )
    assert directions_of_loops(found) == {"again": "forward", "back": "backward", "outer": "backward"}


def test_a_loop_whose_body_is_partly_a_recomputation_is_a_backward_loop() -> None:
    outer = "jit(f)/transpose(jvp())/while"
    inner = f"{outer}/body/while"
    found = program(
        {
            "inner": (inner, [f"{inner}/body/checkpoint/rematted_computation/mul", f"{inner}/body/checkpoint/mul"]),
            "outer": (outer, ["inner", f"{outer}/body/mul"]),
        }
    )
    assert directions_of_loops(found)["inner"] == "backward"
