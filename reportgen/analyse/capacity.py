"""How much memory a device has for a program, and whether the program fits.

What counts is what is allocated: XLA asks for whole allocations, however little of them is in use. The capacity of
a chip is what its compiler lets one program use, less than what the data sheet says. Sources: compile errors of
libtpu 0.0.42.1 for TPUs, and XLA `xla/backends/gpu/target_config/specs/*.txtpb` for GPUs.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.analyse.records import Space
from reportgen.input.text import Sibling

MAIN_SPACE = 0

_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?) ?(?:([KMGT])?(i?)B?)", re.IGNORECASE)
_SPACE = re.compile(r"(\d+)=(.+)", re.DOTALL)
_GIB = 1 << 30

CHIPS: Mapping[str, int] = {
    "v2": round(7.48 * _GIB),
    "v3": round(15.48 * _GIB),
    "v4": round(30.75 * _GIB),
    "v5e": round(15.75 * _GIB),
    "v5p": round(95.74 * _GIB),
    "v6e": round(31.25 * _GIB),
    "tpu7x": round(94.75 * _GIB),
    "v100": 16_935_682_048,
    "a6000": 51_041_271_808,
    "a100-40": 42_331_013_120,
    "a100": 85_100_068_864,
    "h100": 84_942_979_072,
    "h200": 151_397_597_184,
    "b200": 191_514_411_008,
    "gb300": 297_021_079_552,
}
"""Bytes that a program can have on a device, by the name that people use; v4 is a chip with its two cores joined."""

_TPU_VERSIONS = {
    ("JELLYFISH", ""): "v2",
    ("DRAGONFISH", ""): "v3",
    ("VIPERFISH", ""): "v5p",
    ("VIPERFISH", "lite"): "v5e",
    ("2093c6a02", "lite"): "v5e",
    ("GHOSTLITE", ""): "v6e",
    ("6acc60406", ""): "tpu7x",
}
"""Chips by version and variant in `target_arguments.txt`; a v4 is missing because its cores may be joined or not."""

_VERSION = re.compile(rb"\bversion: TPU_VERSION_(\w+)")
_VARIANT = re.compile(rb'\bvariant: "(\w*)"')
_DEVICE_MEMORY = re.compile(rb"\bdevice_memory_size: (\d{1,18})\b")


Origin = Literal["flag", "target_config", "target_arguments"]
"""What says how much a device has: the user, or a file beside the dump."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """The bytes of a memory space that a program can have; `source` says in words where the number comes from."""

    size_bytes: int
    source: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Fit:
    """A capacity beside what a program asks for; `excess_bytes` is negative if something is left.

    `first_moment` is the first one at which more is resident than the device has; None if only the allocations
    are too large, or nothing is.
    """

    capacity: Capacity
    allocated_bytes: int
    first_moment: int | None

    @property
    def excess_bytes(self) -> int:
        return self.allocated_bytes - self.capacity.size_bytes

    @property
    def is_over(self) -> bool:
        return self.excess_bytes > 0


def read_capacity(text: str) -> tuple[int, Capacity]:
    """Return a memory space and its capacity from `16GiB`, `v5e` or `5=64GiB`; raise ValueError for anything else.

    `16GB` is read as 16 × 10⁹ bytes, `16G` and `16GiB` as 16 × 2³⁰.
    """
    space = _SPACE.fullmatch(text)
    color, amount = (int(space[1]), space[2]) if space else (MAIN_SPACE, text)
    if amount.lower() in CHIPS:
        return color, Capacity(CHIPS[amount.lower()], amount, "flag")
    found = _AMOUNT.fullmatch(amount.strip())
    if found is None:
        raise ValueError(f"an amount such as 16GiB or one of {', '.join(CHIPS)} is needed")
    is_decimal = amount.strip().upper().endswith("B") and found[2] and not found[3]
    size = round(float(found[1]) * (1000 if is_decimal else 1024) ** _UNITS[(found[2] or "").upper()])
    if size <= 0:
        raise ValueError("a capacity of more than 0 bytes is needed")
    return color, Capacity(size, "given", "flag")


def capacities(given: Iterable[str], siblings: Sequence[Sibling]) -> Mapping[int, Capacity]:
    """Return the capacity of each memory space that has a known one; what is given counts before what is beside."""
    beside = capacity_beside(siblings)
    return ({MAIN_SPACE: beside} if beside else {}) | dict(map(read_capacity, given))


def capacity_beside(siblings: Sequence[Sibling]) -> Capacity | None:
    """Return the capacity of the device that the files beside a dump name; None where they name none that is known."""
    for sibling in siblings:
        if sibling.kind == "target":
            if memory := _DEVICE_MEMORY.search(sibling.data):
                return Capacity(int(memory[1]), "the GPU in gpu_target_config.pbtxt", "target_config")
            version, variant = _VERSION.search(sibling.data), _VARIANT.search(sibling.data)
            chip = _TPU_VERSIONS.get((version[1].decode(), variant[1].decode() if variant else "")) if version else None
            if chip:
                return Capacity(CHIPS[chip], f"the {chip} in target_arguments.txt", "target_arguments")
    return None


def fit(space: Space, capacity: Capacity) -> Fit:
    """Compare what a program allocates in a memory space with what the device has there."""
    room = capacity.size_bytes - space.static_bytes
    temp = space.temp
    steps = zip(temp.moments, temp.amounts, strict=True) if temp else ()
    return Fit(capacity, space.allocated_bytes, next((moment for moment, amount in steps if amount > room), None))
