"""Attribution: a value's bytes are booked on the operation of the program that wrote them, and the rule is named."""

from pathlib import Path

import pytest

from reportgen.input.text import DumpText
from reportgen.model import Dump, ValueKey
from reportgen.parse.module_text import ModuleText
from reportgen.parse.stack_frames import Frame
from reportgen.program.author import Attribution
from reportgen.program.writers import Attributor
from tests.support.samples import sample_analysis, sample_labels

PROGRAM = ModuleText(Path(__file__).with_name("attribution.hlo.txt").read_bytes())


def attributed(name: str, index: str = "{}") -> Attribution:
    return Attributor(Dump(text=DumpText(())), PROGRAM).of(ValueKey(name, index))


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
    found = attributed(name, index)
    assert (found.scope, found.rule) == (scope, rule)


def test_what_a_loop_only_carries_belongs_to_whoever_started_it() -> None:
    assert attributed("while", "{3}").argument == "params['w']"


def test_an_argument_is_called_by_its_name() -> None:
    found = attributed("p")
    assert (found.argument, found.scope, found.rule) == ("params['w']", "", "argument")


def test_an_argument_without_a_name_is_called_by_its_number() -> None:
    assert attributed("copy.q").argument == "argument 1"


def test_the_frame_shown_is_the_innermost_of_the_users_own_code() -> None:
    found = attributed("while", "{1}")
    assert found.stack == (
        Frame("/venv/site-packages/flax/linear.py", "Dense.__call__", 7),
        Frame("/home/u/train.py", "loss", 84),
    )
    assert found.source == "/home/u/train.py:84"


def test_the_path_lists_the_instructions_in_between() -> None:
    assert attributed("while", "{2}").path == ("result", "fusion.stack", "dus", "row", "c", "fusion.sub", "sub")


def test_nothing_is_made_up_for_an_unknown_value() -> None:
    assert attributed("nothing") == Attribution()


def test_the_search_ends_at_a_reshape_that_prints_no_operand() -> None:
    program = ModuleText(b"HloModule f\n\nENTRY %main () -> s32[2] {\n  ROOT %all = s32[2]{0} broadcast()\n}\n")
    assert Attributor(Dump(text=DumpText(())), program).of(ValueKey("all", "{}")) == Attribution()


@pytest.mark.parametrize("label", sample_labels())
def test_a_text_that_lacks_all_instructions_adds_nothing(label: str) -> None:
    dump = sample_analysis(label).dump
    empty = ModuleText(b"HloModule f\n\nENTRY %main () -> f32[] {\n}\n")
    alone, beside = Attributor(dump), Attributor(dump, empty)
    assert [beside.of(value.key) for value in dump.values] == [alone.of(value.key) for value in dump.values]


def test_a_dump_alone_names_what_its_own_text_names() -> None:
    analysis = sample_analysis(next(label for label in sample_labels() if label.startswith("tpu-train-step/")))
    attributor = Attributor(analysis.dump)
    found = [attributor.of(value.key) for value in analysis.dump.values]
    assert sum(bool(one.scope or one.argument) for one in found) > len(found) / 2
    assert any(one.rule == "moved" and one.scope for one in found)
