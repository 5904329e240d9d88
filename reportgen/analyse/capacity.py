"""Find out how much memory a device has for a program, and whether the program fits.

What counts is what is allocated: XLA asks for whole allocations, however little of them is in use. The capacity of
a chip is what its compiler lets one program use, less than what the data sheet says. Sources: compile errors of
libtpu 0.0.42.1 for TPUs, and XLA `xla/backends/gpu/target_config/specs/*.txtpb` for GPUs.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.analyse.records import MAIN_SPACE, Space
from reportgen.input.dump_text import Sibling
from reportgen.parse.oom_records import SizeRange, read_size

_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?) ?(?:([KMGT])?(i?)B?)", re.IGNORECASE)
_SPACE = re.compile(r"(\d+)=(.+)", re.DOTALL)


Origin = Literal["flag", "target_config", "target_arguments"]
"""What says how much a device has: the user, or a file beside the dump."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device by the name that people read, and the memory that one program can have on it.

    The memory is a range, because TPU compilers print it rounded. `origin` is the file that names it beside a dump.
    """

    title: str
    usable: SizeRange
    origin: Origin = "target_arguments"

    @property
    def size_bytes(self) -> int:
        """Return the middle of the range, which is the printed amount itself."""
        return (self.usable.low + self.usable.high) // 2


def _device(title: str, printed: str) -> Device:
    usable = read_size(printed)
    assert usable is not None, printed
    return Device(title, usable)


_DEVICES: Mapping[str, Device] = {
    "v2": _device("TPU v2", "7.48G"),
    "v3": _device("TPU v3", "15.48G"),
    "v4": _device("TPU v4", "30.75G"),
    "v5e": _device("TPU v5e", "15.75G"),
    "v5p": _device("TPU v5p", "95.74G"),
    "v6e": _device("TPU v6e", "31.25G"),
    "tpu7x": _device("TPU7x", "94.75G"),
    "v100": _device("V100", "16935682048B"),
    "a6000": _device("A6000", "51041271808B"),
    "a100-40": _device("A100 40 GB", "42331013120B"),
    "a100": _device("A100 80 GB", "85100068864B"),
    "h100": _device("H100", "84942979072B"),
    "h200": _device("H200", "151397597184B"),
    "b200": _device("B200", "191514411008B"),
    "gb300": _device("GB300", "297021079552B"),
}
"""Devices by the name that people type; v4 is a chip with its two cores joined."""

CHIPS: Mapping[str, int] = {name: device.size_bytes for name, device in _DEVICES.items()}
"""Bytes that a program can have on a device, by the name that people type."""

_TPU_VERSIONS = {
    ("JELLYFISH", ""): "v2",
    ("DRAGONFISH", ""): "v3",
    ("VIPERFISH", ""): "v5p",
    ("VIPERFISH", "lite"): "v5e",
    ("2093c6a02", "lite"): "v5e",
    ("GHOSTLITE", ""): "v6e",
    ("6acc60406", ""): "tpu7x",
}
"""Devices by version and variant in `target_arguments.txt`; a v4 is missing because its cores may be joined or not."""

_VERSION = re.compile(rb"\bversion: TPU_VERSION_(\w+)")
_VARIANT = re.compile(rb'\bvariant: "(\w*)"')
_DEVICE_MEMORY = re.compile(rb"\bdevice_memory_size: (\d{1,18})\b")


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
    device = device_beside(siblings)
    known = {}
    if device:
        known[MAIN_SPACE] = Capacity(device.size_bytes, f"the {device.title} named beside the dump", device.origin)
    return known | dict(map(read_capacity, given))


def device_beside(siblings: Sequence[Sibling]) -> Device | None:
    """Return the device that the files beside a dump name; None where they name none that is known.

    A GPU is named with its memory in `gpu_target_config.pbtxt`, a TPU by its version in `target_arguments.txt`.
    """
    for sibling in siblings:
        if sibling.kind == "target":
            if memory := _DEVICE_MEMORY.search(sibling.data):
                return Device("GPU", SizeRange(int(memory[1]), int(memory[1])), "target_config")
            version, variant = _VERSION.search(sibling.data), _VARIANT.search(sibling.data)
            name = _TPU_VERSIONS.get((version[1].decode(), variant[1].decode() if variant else "")) if version else None
            if name:
                return _DEVICES[name]
    return None


def fit(space: Space, capacity: Capacity) -> Fit:
    """Compare what a program allocates in a memory space with what the device has there."""
    room = capacity.size_bytes - space.static_bytes
    temp = space.temp
    steps = zip(temp.moments, temp.amounts, strict=True) if temp else ()
    return Fit(capacity, space.allocated_bytes, next((moment for moment, amount in steps if amount > room), None))
