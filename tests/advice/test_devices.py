"""What devices hold of divided arguments, and how many of them hold all."""

from math import prod

from reportgen.analyse.divided import divided_arguments
from tests.advice.recompiled_programs import advice, program

GIB = 1 << 30


def test_a_program_that_does_not_fit_is_told_how_many_devices_hold_its_arguments() -> None:
    found = advice("fsdp_tp+replopt", 6 * GIB)
    assert found.capacity
    assert found.capacity.devices == 8
    small = advice("fsdp_tp+replopt", GIB)
    assert small.capacity
    assert small.capacity.devices == 32


def test_the_whole_array_is_as_large_as_all_its_parts() -> None:
    found = divided_arguments(program("fsdp_tp+replopt").program)
    assert found
    for argument in found:
        assert argument.global_bytes == argument.size_bytes * prod(argument.tiles)
        assert prod(argument.tiles) * argument.copies == 8
    assert any(argument.is_replicated for argument in found)


def test_a_program_on_one_device_has_no_divided_arguments() -> None:
    assert divided_arguments(program("flax_gpt+donate").program) == []
