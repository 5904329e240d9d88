"""What more devices would hold is compared with the same program, compiled for sharded state."""

from math import prod

import pytest

from reportgen.advice.advice_records import PerDevice
from reportgen.advice.advise import advise
from reportgen.analyse.divided import divided_arguments
from tests.advice.recompiled_programs import advice, program

GIB = 1 << 30


def asked(name: str, devices: int) -> PerDevice:
    (found,) = advise(program(name), None, devices)[0].more_devices
    return found


def test_dividing_what_is_held_whole_holds_as_much_as_the_program_that_was_compiled_so() -> None:
    real = program("fsdp_tp").spaces[0]
    assert real.peak_resident
    found = asked("fsdp_tp+replopt", 8)
    assert found.static_bytes == pytest.approx(real.static_bytes, rel=0.005)
    assert found.low_bytes <= real.peak_resident.amount <= found.high_bytes


def test_more_devices_never_need_more() -> None:
    several = [asked("fsdp_tp", devices) for devices in (8, 16, 32, 64)]
    assert several == sorted(several, key=lambda found: (-found.static_bytes, -found.high_bytes, -found.low_bytes))
    assert several[0].static_bytes > several[-1].static_bytes
    assert all(found.static_bytes <= found.low_bytes <= found.high_bytes for found in several)


def test_devices_that_the_mesh_cannot_be_multiplied_to_have_no_answer() -> None:
    assert advise(program("fsdp_tp"), None, 12)[0].more_devices == ()


def test_a_program_that_does_not_fit_is_told_how_many_devices_hold_its_arguments() -> None:
    found = advice("fsdp_tp+replopt", 6 * GIB)
    assert found.capacity
    assert found.capacity.devices == 8
    assert [one.devices for one in found.more_devices] == [16, 32, 64]
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
