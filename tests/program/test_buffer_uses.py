"""The bytes of a buffer are read by what computes with them, not by a tuple or a loop that hands them on."""

import pytest

from reportgen.analyse.records import Analysis
from reportgen.program.buffer_uses import read_next_round, reads, same_contents, writes
from tests.advice.recompiled_programs import program
from tests.program.test_authors import ALLOCATIONS, RANGES, USED
from tests.support.dumps import analysed


@pytest.fixture(scope="module")
def loop() -> Analysis:
    return analysed("\n".join((ALLOCATIONS, USED, RANGES)))


def _buffer(analysis: Analysis, key: str) -> tuple[int, ...]:
    number = analysis.dump.number_at(key)
    assert number is not None
    return analysis.program.buffers.members(number)


def test_a_loop_neither_writes_nor_reads_what_its_body_does(loop: Analysis) -> None:
    members = _buffer(loop, "loop{1}")
    assert len(members) == 4
    assert writes(loop.program, members) == [1, 3]
    assert reads(loop.program, members) == [6]


def test_what_a_loop_returns_has_the_contents_that_its_body_has_written(loop: Analysis) -> None:
    zeros, carried, written, returned = _buffer(loop, "loop{1}")
    assert same_contents(loop.program, zeros) == same_contents(loop.program, carried) == (zeros, carried)
    assert same_contents(loop.program, written) == same_contents(loop.program, returned) == (written, returned)
    assert reads(loop.program, (zeros, carried)) == [3]


def test_an_instruction_that_allocates_a_buffer_does_not_write_it() -> None:
    analysis = program("flax_gpt+donate")
    names, starts = analysis.dump.values.names, analysis.dump.starts
    allocating = [number for number, name in enumerate(names) if '"AllocateBuffer"' in analysis.program.text(name)]
    buffers = {number: analysis.program.buffers.members(number) for number in allocating if starts[number] >= 0}
    filled = {number: members for number, members in buffers.items() if len(members) > 1}
    assert filled
    for number, members in filled.items():
        assert starts[number] < min(writes(analysis.program, members)), names[number]


def test_what_hands_a_value_on_reads_it_if_nothing_else_is_known_to(loop: Analysis) -> None:
    number = loop.dump.number_at("zeros{}")
    assert number is not None
    assert reads(loop.program, (number,)) == [4]


def test_the_next_round_of_a_loop_reads_what_an_instruction_before_in_its_body_reads() -> None:
    analysis = program("bf16scan")
    members, end = _buffer(analysis, "copy.23{}"), analysis.dump.moment_of["while.5"]
    assert reads(analysis.program, members) == [18, 52, 57]
    assert read_next_round(analysis.program, members, end - 1) == (52, "while.5")
    assert read_next_round(analysis.program, members, end) is None
