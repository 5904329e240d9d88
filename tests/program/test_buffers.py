"""Buffers are values that must share bytes: read off a small program, and held to laws on real dumps."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from reportgen.input.discover import discover
from reportgen.input.dump_contents import read_contents
from reportgen.model import Dump
from reportgen.parse.module_text import ModuleText
from reportgen.parse.parser import parse_dump
from reportgen.program.buffers import stretches
from reportgen.program.join import Join, joined
from reportgen.program.places import Place
from reportgen.program.program import Program
from tests.support.dumps import nowhere

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "dumps"

TEXT = b"""\
HloModule jit_f, entry_computation_layout={(f32[4,8]{1,0}, s32[])->f32[4,8]{1,0}}

%updated (cache: f32[4,8], row: f32[1,8], i: s32[]) -> f32[4,8] {
  %cache = f32[4,8]{1,0} parameter(0)
  %row = f32[1,8]{1,0} parameter(1)
  %i = s32[] parameter(2)
  ROOT %write = f32[4,8]{1,0} dynamic-update-slice(%cache, %row, %i, %i)
}

%doubled (x: f32[4,8]) -> f32[4,8] {
  %x = f32[4,8]{1,0} parameter(0)
  ROOT %twice = f32[4,8]{1,0} add(%x, %x)
}

%body (state: (s32[], f32[4,8])) -> (s32[], f32[4,8]) {
  %state = (s32[], f32[4,8]{1,0}) parameter(0)
  %step = s32[] get-tuple-element(%state), index=0
  %stack = f32[4,8]{1,0} get-tuple-element(%state), index=1
  %new = f32[1,8]{1,0} custom-call(), custom_call_target="new"
  %fused = f32[4,8]{1,0} fusion(%stack, %new, %step), kind=kLoop, calls=%updated
  ROOT %next = (s32[], f32[4,8]{1,0}) tuple(%step, %fused)
}

%condition (state.1: (s32[], f32[4,8])) -> pred[] {
  %state.1 = (s32[], f32[4,8]{1,0}) parameter(0)
  ROOT %more = pred[] custom-call(), custom_call_target="more"
}

ENTRY %main (a: f32[4,8], n: s32[]) -> f32[4,8] {
  %a = f32[4,8]{1,0} parameter(0)
  %n = s32[] parameter(1)
  %init = (s32[], f32[4,8]{1,0}) tuple(%n, %a)
  %loop = (s32[], f32[4,8]{1,0}) while(%init), condition=%condition, body=%body
  %result = f32[4,8]{1,0} get-tuple-element(%loop), index=1
  %over = f32[4,8]{1,0} fusion(%result), kind=kLoop, calls=%doubled
  %sent = ((f32[4,8]{1,0}), f32[4,8]{1,0}, s32[]) async-start(%over), calls=%doubled
  %received = f32[4,8]{1,0} async-done(%sent)
  %copied = (f32[4,8]{1,0}, f32[4,8]{1,0}, u32[]) copy-start(%received)
  %kept = f32[4,8]{1,0} copy-done(%copied)
  %called = f32[4,8]{1,0} custom-call(%kept), custom_call_target="k", output_to_operand_aliasing={{}: (0, {})}
  ROOT %end = f32[4,8]{1,0} bitcast(%called)
}
"""


def shared(name: str, leaf: tuple[int, ...] = (), text: bytes = TEXT) -> set[str]:
    program = Program(Dump(text=nowhere()), Join(module=ModuleText(text)))
    return {place.key for place in program.storage.same(Place(name, leaf))}


def test_the_result_of_a_loop_is_its_operand_and_what_its_body_returns() -> None:
    assert shared("loop", (1,)) == {"init{1}", "next{1}"}


@pytest.mark.parametrize("parameter", ["state", "state.1"])
def test_a_parameter_of_a_loop_is_what_enters_it_and_what_its_body_returns(parameter: str) -> None:
    assert shared(parameter, (1,)) == {"init{1}", "next{1}"}


def test_tuples_elements_and_bitcasts_name_bytes_anew() -> None:
    assert shared("next", (1,)) == {"fused{}"}
    assert shared("result") == {"loop{1}"}
    assert shared("end") == {"called{}"}


def test_a_fusion_that_ends_in_an_update_writes_into_its_operand() -> None:
    assert shared("fused") == {"stack{}"}


def test_a_fusion_over_an_operand_that_dies_makes_a_buffer_of_its_own() -> None:
    assert shared("over") == set()


def test_a_fusion_that_calls_the_computation_it_is_in_ends_the_search() -> None:
    own = b"ROOT %twice = f32[4,8]{1,0} fusion(%x), kind=kLoop, calls=%doubled"
    text = TEXT.replace(b"ROOT %twice = f32[4,8]{1,0} add(%x, %x)", own)
    assert own in text
    assert shared("over", text=text) == set()


def test_the_end_of_an_asynchronous_operation_returns_what_its_start_made() -> None:
    assert shared("sent", (0, 0)) == {"over{}"}
    assert shared("sent", (1,)) == {"twice{}"}
    assert shared("received") == {"sent{1}"}
    assert shared("kept") == {"copied{0}"}
    assert shared("copied", (1,)) == {"received{}"}
    assert shared("copied", (0,)) == set()


def test_a_custom_call_writes_into_the_operand_that_its_text_names() -> None:
    assert shared("called") == {"kept{}"}


def test_arguments_of_the_program_are_nothing_else() -> None:
    assert shared("a") == set()


def programs(folder: Path) -> Iterator[Program]:
    for files in discover([folder]).dumps:
        contents = read_contents(files)
        dump = parse_dump(contents.text)
        yield Program(dump, joined(dump, files.name.module_name, contents.siblings))


def slice_of(dump: Dump, number: int) -> tuple[int, int, int]:
    values = dump.values
    return values.allocations[number], values.offsets[number], values.sizes[number]


def assert_laws(program: Program) -> int:
    """Check that no link leaves its slice and that the values of a buffer follow each other; return their number."""
    dump, values, count = program.dump, program.dump.values, 0
    # The tables of tuples are made anew where a tuple is returned.
    for number in (one for one in range(len(values)) if not program.is_table(one)):
        for place in program.storage.same(program.place(number)):
            other = program.buffers.value_at(place)
            assert other is None or slice_of(dump, other) == slice_of(dump, number), (values.keys[number], place)
    for members in program.buffers:
        assert len({slice_of(dump, one) for one in members}) == 1
        assert all(program.buffers.members(one) == members for one in members)
        lives = [(dump.starts[one], dump.ends[one]) for one in members if dump.starts[one] >= 0]
        # A value begins while its instruction still reads the one before it.
        assert all(later[0] >= earlier[1] for earlier, later in pairwise(lives)), members
        held = stretches(members, dump.starts, dump.ends)
        assert all(earlier[1] < later[0] for earlier, later in pairwise(held))
        count += 1
    return count


def test_buffers_of_samples_obey_the_laws() -> None:
    assert sum(map(assert_laws, programs(ROOT / "samples"))) > 10


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["small", "pairs", "seeds"])
def test_buffers_of_real_dumps_obey_the_laws(folder: str) -> None:
    if not (SHARED / folder).is_dir():
        pytest.skip("the folder of real dumps is not beside this checkout")
    for program in programs(SHARED / folder):
        assert_laws(program)
