"""A value's bytes are booked on the operation of the program that wrote them, and the rule is named."""

from pathlib import Path

import pytest

from reportgen.input.dump_text import DumpText
from reportgen.model import Dump
from reportgen.parse.module_text import ModuleText
from reportgen.parse.stack_frames import Frame
from reportgen.program.author import Author
from reportgen.program.join import Join
from reportgen.program.places import Place, leaf_of
from reportgen.program.program import Program
from tests.support.dialects import compact
from tests.support.samples import label_in, sample_analysis, sample_labels

TEXT = Path(__file__).with_name("loop.hlo.txt").read_text(encoding="utf-8")
PROGRAM = ModuleText(TEXT.encode())
COMPACT = ModuleText(compact(TEXT).encode())


def written(name: str, index: str = "{}", module: ModuleText = PROGRAM) -> Author:
    program = Program(Dump(text=DumpText(())), Join(module=module, frames=module.frames))
    return program.writers.of(Place(name, leaf_of(index))).author


@pytest.mark.parametrize("module", [PROGRAM, COMPACT], ids=["with get-tuple-element", "compact"])
@pytest.mark.parametrize(
    ("name", "index", "scope", "rule"),
    [
        ("mul", "{}", "jit(step)/mlp/mul", "own"),
        ("fusion.sub", "{}", "jit(step)/while/body/attn/sub", "fusion"),
        ("while", "{1}", "jit(step)/while/body/attn/sub", "loop"),
        ("while", "{2}", "jit(step)/while/body/attn/sub", "update"),
        ("arg", "{2}", "jit(step)/while/body/attn/sub", "update"),
        ("copy-done", "{}", "jit(step)/mlp/mul", "moved"),
        ("copy-start", "{0}", "jit(step)/mlp/mul", "moved"),
    ],
)
def test_the_operation_that_wrote_the_bytes_is_found(
    name: str, index: str, scope: str, rule: str, module: ModuleText
) -> None:
    found = written(name, index, module)
    assert (found.scope, found.rule) == (scope, rule)


def test_what_says_that_a_transfer_is_done_belongs_to_what_starts_the_transfer() -> None:
    found = written("copy-start", "{2}")
    assert (found.operation, found.scope, found.argument, found.path) == ("copy-start", "", "", ())


def test_what_a_loop_only_carries_belongs_to_whoever_started_it() -> None:
    assert written("while", "{3}").argument == "params['w']"


def test_an_argument_is_called_by_its_name() -> None:
    found = written("p")
    assert (found.argument, found.scope, found.rule) == ("params['w']", "", "argument")


def test_an_argument_without_a_name_is_called_by_its_number() -> None:
    assert written("copy.q").argument == "argument 1"


def test_the_frame_shown_is_the_innermost_of_the_users_own_code() -> None:
    found = written("while", "{1}")
    assert found.stack == (
        Frame("/venv/site-packages/flax/linear.py", "Dense.__call__", 7),
        Frame("/home/u/train.py", "loss", 84),
    )
    assert found.source == "/home/u/train.py:84"


def test_the_path_lists_the_instructions_in_between() -> None:
    assert written("while", "{2}").path == ("result", "fusion.stack", "dus", "row", "c", "fusion.sub", "sub")


def test_nothing_is_made_up_for_an_unknown_value() -> None:
    assert written("nothing") == Author(operation="nothing")


def test_the_search_ends_at_a_reshape_that_prints_no_operand() -> None:
    program = ModuleText(b"HloModule f\n\nENTRY %main () -> s32[2] {\n  ROOT %all = s32[2]{0} broadcast()\n}\n")
    assert written("all", module=program) == Author(operation="all")


BROADCASTS = ModuleText(b"""\
HloModule jit_f

ENTRY %main (p: f32[4]) -> f32[8,4] {
  %p = f32[4]{0} parameter(0), metadata={op_name="p['bias']"}
  %zero = f32[] constant(0)
  %row = f32[1,4]{1,0} broadcast(%p), dimensions={1}, metadata={op_name="jit(f)/broadcast_in_dim"}
  %rows = f32[8,4]{1,0} broadcast(%p), dimensions={1}, metadata={op_name="jit(f)/mlp/add"}
  %repeated = f32[16,4]{1,0} broadcast(%rows), dimensions={0,1}
  ROOT %zeros = f32[8,4]{1,0} broadcast(%zero), dimensions={}, metadata={op_name="jit(f)/broadcast_in_dim"}
}
""")


def test_a_broadcast_that_makes_more_elements_is_an_operation_of_its_own() -> None:
    found = written("rows", module=BROADCASTS)
    assert (found.scope, found.argument, found.rule) == ("jit(f)/mlp/add", "", "own")
    assert written("repeated", module=BROADCASTS).scope == "jit(f)/mlp/add"


def test_a_broadcast_that_only_adds_a_dimension_hands_on_its_operand() -> None:
    assert written("row", module=BROADCASTS).argument == "p['bias']"


def test_a_broadcast_of_zero_only_fills_in_zeros() -> None:
    program = Program(Dump(text=DumpText(())), Join(module=BROADCASTS, frames=BROADCASTS.frames))
    assert program.writers.of(Place("zeros")).is_zero
    assert not program.writers.of(Place("rows")).is_zero


COMPUTATIONS = ModuleText(b"""\
HloModule jit_f

%narrowed (x: f32[4]) -> bf16[4] {
  %x = f32[4]{0} parameter(0)
  %tanh = f32[4]{0} tanh(%x), metadata={op_name="jit(f)/while/body/closed_call/mlp/tanh"}
  ROOT %narrow = bf16[4]{0} convert(%tanh), metadata={op_name="jit(f)/while/body/closed_call"}
}

ENTRY %main (p: f32[4]) -> s32[] {
  %p = f32[4]{0} parameter(0), metadata={op_name="p"}
  %fused = bf16[4]{0} fusion(%p), kind=kLoop, calls=%narrowed, metadata={op_name="jit(f)/while/body/closed_call"}
  %copied = bf16[4]{0} copy(%fused), metadata={op_name="jit(f)/while"}
  ROOT %count = s32[] constant(3), metadata={op_name="jit(f)/while/body/closed_call"}
}
""")


@pytest.mark.parametrize("name", ["fused", "copied"])
def test_what_has_only_the_name_of_a_computation_hands_on_what_an_operation_made(name: str) -> None:
    assert written(name, module=COMPUTATIONS).scope == "jit(f)/while/body/closed_call/mlp/tanh"


def test_the_name_of_a_computation_is_better_than_none() -> None:
    assert written("count", module=COMPUTATIONS).scope == "jit(f)/while/body/closed_call"


@pytest.mark.parametrize("label", sample_labels())
def test_a_text_that_lacks_all_instructions_adds_nothing(label: str) -> None:
    dump = sample_analysis(label).dump
    empty = ModuleText(b"HloModule f\n\nENTRY %main () -> f32[] {\n}\n")
    alone, beside = Program(dump), Program(dump, Join(module=empty))
    places = list(map(alone.place, range(len(dump.values))))
    assert [beside.writers.of(place) for place in places] == [alone.writers.of(place) for place in places]


def test_a_dump_alone_names_what_its_own_text_names() -> None:
    analysis = sample_analysis(label_in("tpu-train-step"))
    program = Program(analysis.dump)
    found = [program.writers.of(program.place(number)).author for number in range(len(analysis.dump.values))]
    assert sum(bool(one.scope or one.argument) for one in found) > len(found) / 2
    assert any(one.rule == "moved" and one.scope for one in found)
