"""Capacities are read from flags and from the files beside a dump, and compared with what is allocated."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.analyse.analysis import analyse
from reportgen.analyse.capacity import capacities, siblings_of_device
from reportgen.analyse.devices import CHIPS, Capacity, read_capacity
from reportgen.analyse.fit import device_fit
from reportgen.input.dump_text import Sibling
from reportgen.input.names import Backend
from reportgen.model import Dump
from tests.support.strategies import consistent_dumps

TPU = b'target_arguments {\n  version: TPU_VERSION_VIPERFISH\n  variant: "lite"\n}\n'
GPU = b"gpu_device_info {\n  device_memory_size: 84942979072\n}\n"


@pytest.mark.parametrize(
    ("text", "color", "size"),
    [
        ("16GiB", 0, 16 << 30),
        ("16G", 0, 16 << 30),
        ("16GB", 0, 16 * 10**9),
        ("1.5 MiB", 0, 3 << 19),
        ("100B", 0, 100),
        ("16777216", 0, 1 << 24),
        ("5=64GiB", 5, 64 << 30),
        ("host=64GiB", 5, 64 << 30),
        ("V5E", 0, CHIPS["v5e"]),
        ("1=h100", 1, 84_942_979_072),
    ],
)
def test_a_capacity_is_an_amount_or_a_chip(text: str, color: int, size: int) -> None:
    found, capacity = read_capacity(text)
    assert (found, capacity.size_bytes) == (color, size)


@pytest.mark.parametrize(
    "text", ["", "0", "-1GiB", "16 apples", "v99", "x=16GiB", "1e9", "nan", "8388608TiB", "5=9999999TiB"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="needed"):
        read_capacity(text)


@pytest.mark.parametrize("text", ["16", "0.5", "5=16", "1048575"])
def test_a_small_number_without_a_unit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"did you mean {text.removeprefix('5=')}GiB"):
        read_capacity(text)


@pytest.mark.parametrize(
    ("target", "size"),
    [(Sibling("TPU target", "x", TPU), CHIPS["v5e"]), (Sibling("GPU target", "x", GPU), CHIPS["h100"])],
)
def test_the_device_beside_a_dump_is_the_default(target: Sibling, size: int) -> None:
    beside = [target]
    assert capacities((), beside)[0].size_bytes == size
    assert capacities(("1GiB",), beside)[0].size_bytes == 1 << 30
    assert capacities(("5=1GiB",), beside).keys() == {0, 5}


ARCHITECTURE = b"gpu_device_info {\n  cuda_compute_capability {\n    major: 9\n  }\n}\n"


@pytest.mark.parametrize(
    ("backend", "device", "kept"),
    [
        ("cpu", "cpu", ["error text"]),
        ("tpu", "", ["TPU target", "refusal", "refusal list", "error text"]),
        ("gpu", "sm_9.0a_gpu", ["GPU target", "error text"]),
        ("gpu", "sm_8.0_gpu", ["error text"]),
        ("gpu", "gfx942_gpu", ["error text"]),
        ("gpu", "gpu", ["GPU target", "error text"]),
        ("unknown", "", ["error text"]),
    ],
)
def test_a_file_about_another_device_says_nothing_of_this_one(
    backend: Backend, device: str, kept: Sequence[str]
) -> None:
    beside = [
        Sibling("GPU target", "x", ARCHITECTURE),
        Sibling("TPU target", "x", TPU),
        Sibling("refusal", "x", b""),
        Sibling("refusal list", "x", b""),
        Sibling("error text", "x", b""),
    ]
    assert [sibling.kind for sibling in siblings_of_device(beside, backend, device)] == kept


@pytest.mark.parametrize(("device", "is_kept"), [("gfx1100_gpu", True), ("gfx942_gpu", False), ("sm_9.0a_gpu", False)])
def test_an_amd_gpu_is_known_by_its_architecture(device: str, is_kept: bool) -> None:
    target = Sibling("GPU target", "x", b'rocm_compute_capability {\n  gcn_arch_name: "gfx1100:sramecc+"\n}\n')
    assert (siblings_of_device([target], "gpu", device) == (target,)) == is_kept


TPU7X = b'version: TPU_VERSION_6acc60406\nvariant: ""\n'


@pytest.mark.parametrize(("name", "scope"), [("tpu7x", "per device, 2 per chip"), ("v6e", ""), ("16GiB", "")])
def test_the_capacity_of_a_device_that_is_part_of_a_chip_says_so(name: str, scope: str) -> None:
    assert capacities((name,), ())[0].scope == scope
    found = capacities((), [Sibling("TPU target", "x", TPU7X)])[0]
    assert (found.size_bytes, found.scope) == (CHIPS["tpu7x"], "per device, 2 per chip")


@pytest.mark.parametrize("data", [b"", b"version: TPU_VERSION_UNHEARD_OF", b"device_memory_size: -1"])
def test_an_unknown_device_has_no_capacity(data: bytes) -> None:
    assert capacities((), [Sibling("GPU target", "x", data), Sibling("TPU target", "x", data)]) == {}


@given(consistent_dumps(), st.integers(1, 1 << 20))
def test_the_first_moment_over_a_capacity_is_the_first(dump: Dump, size: int) -> None:
    analysis = analyse(dump)
    for color, space in analysis.spaces.items():
        found = device_fit(analysis, {color: Capacity(size, "given", "flag")}).fits[color]
        assert found.is_over == (space.needed_bytes > size and found.certainty != "unknown")
        if space.temp:
            amounts = space.temp.at_each(range(space.temp.length))
            over = (moment for moment, amount in enumerate(amounts) if space.static_bytes + amount > size)
            assert found.first_moment == next(over, None)
