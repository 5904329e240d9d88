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
from tests.support.samples import sample_analysis, sample_labels

PROGRAM = ModuleText(Path(__file__).with_name("loop.hlo.txt").read_bytes())


def written(name: str, index: str = "{}", module: ModuleText = PROGRAM) -> Author:
    program = Program(Dump(text=DumpText(())), Join(module, module.frames))
    return program.writers.of(Place(name, leaf_of(index))).author


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
def test_the_operation_that_wrote_the_bytes_is_found(name: str, index: str, scope: str, rule: str) -> None:
    found = written(name, index)
    assert (found.scope, found.rule) == (scope, rule)


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
    assert written("nothing") == Author()


def test_the_search_ends_at_a_reshape_that_prints_no_operand() -> None:
    program = ModuleText(b"HloModule f\n\nENTRY %main () -> s32[2] {\n  ROOT %all = s32[2]{0} broadcast()\n}\n")
    assert written("all", module=program) == Author()


@pytest.mark.parametrize("label", sample_labels())
def test_a_text_that_lacks_all_instructions_adds_nothing(label: str) -> None:
    dump = sample_analysis(label).dump
    empty = ModuleText(b"HloModule f\n\nENTRY %main () -> f32[] {\n}\n")
    alone, beside = Program(dump), Program(dump, Join(empty))
    places = list(map(alone.place, range(len(dump.values))))
    assert [beside.writers.of(place) for place in places] == [alone.writers.of(place) for place in places]


def test_a_dump_alone_names_what_its_own_text_names() -> None:
    analysis = sample_analysis(next(label for label in sample_labels() if label.startswith("tpu-train-step/")))
    program = Program(analysis.dump)
    found = [program.writers.of(program.place(number)).author for number in range(len(analysis.dump.values))]
    assert sum(bool(one.scope or one.argument) for one in found) > len(found) / 2
    assert any(one.rule == "moved" and one.scope for one in found)
