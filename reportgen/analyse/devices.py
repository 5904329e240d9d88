"""Define the devices that people name, with the memory that a program can have on each.

The capacity of a chip is what its compiler lets one program use, less than what the data sheet says. Sources: compile
errors of libtpu 0.0.42.1 for TPUs, and XLA `xla/backends/gpu/target_config/specs/*.txtpb` for GPUs.

This module is separate from the analysis, because the command line reads a capacity before anything is analysed.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from reportgen.errors import quoted
from reportgen.oom.printed_size import SizeRange, read_size
from reportgen.record import record

MAIN_SPACE = 0
"""The color of the device's main memory."""

HOST_SPACE = 5
"""The color of the host's pinned memory (XLA `Layout::kHostMemorySpace`)."""

MOST_BYTES = (1 << 63) - 1
"""The most bytes that XLA can count, and more than any memory has."""

_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
# No memory has more digits, and those of other scripts are no amount.
_AMOUNT = re.compile(r"(\d{1,20}(?:\.\d{1,20})?) ?(?:([KMGT])?(i?)B?)", re.IGNORECASE | re.ASCII)
_SPACE = re.compile(r"(\d{1,9}|host)=(.+)", re.DOTALL | re.ASCII)


Origin = Literal["flag", "target_config", "target_arguments", "refusal"]
"""The source of a capacity: the flag --capacity, the file of that name next to the dump, or the compiler's refusal."""


@record(kw_only=False)
class Device:
    """A device by the name that people read, and the memory that one program can have on it.

    The memory is a range, because TPU compilers print it rounded. `origin` is the file that names it beside a dump.
    A TPU chip may have several devices, `per_chip` of them, each with its part of the chip's memory.
    """

    title: str
    usable: SizeRange
    origin: Origin = "target_arguments"
    per_chip: int = 1

    @property
    def size_bytes(self) -> int:
        """Return the middle of the range, which is the printed amount itself."""
        return (self.usable.low_bytes + self.usable.high_bytes) // 2

    @property
    def scope(self) -> str:
        """Return the part of the chip that has this memory, in words; empty where the device is the whole chip."""
        return f"per device, {self.per_chip} per chip" if self.per_chip > 1 else ""


def _device(title: str, printed: str, per_chip: int = 1) -> Device:
    usable = read_size(printed)
    assert usable is not None, printed
    return Device(title, usable, per_chip=per_chip)


DEVICES: Mapping[str, Device] = {
    "v2": _device("TPU v2", "7.48G", per_chip=2),
    "v3": _device("TPU v3", "15.48G", per_chip=2),
    "v4": _device("TPU v4", "30.75G"),
    "v5e": _device("TPU v5e", "15.75G"),
    "v5p": _device("TPU v5p", "95.74G"),
    "v6e": _device("TPU v6e", "31.25G"),
    "tpu7x": _device("TPU7x", "94.75G", per_chip=2),
    "v100": _device("V100", "16935682048B"),
    "a6000": _device("A6000", "51041271808B"),
    "a100-40": _device("A100 40 GB", "42331013120B"),
    "a100": _device("A100 80 GB", "85100068864B"),
    "h100": _device("H100", "84942979072B"),
    "h200": _device("H200", "151397597184B"),
    "b200": _device("B200", "191514411008B"),
    "gb300": _device("GB300", "297021079552B"),
}
"""Devices by the name that people type; v4 is a chip with its two cores joined, v2 and v3 are one core of a chip."""

_EXAMPLES = {"tpu": "v5e", "gpu": "h100"}


def capacity_example(backend: str) -> str:
    """Return what a reader may give as the capacity of a program's device: `v5e`, or `16GiB` where none has a name."""
    return _EXAMPLES.get(backend, "16GiB")


CHIPS: Mapping[str, int] = {name: device.size_bytes for name, device in DEVICES.items()}
"""Bytes that a program can have on a device, by the name that people type."""


@record(kw_only=False)
class Capacity:
    """The bytes of a memory space that a program can have; `source` says in words where the number comes from.

    `scope` is that of the `device`, whose name is empty where only its bytes are known.
    """

    size_bytes: int
    source: str
    origin: Origin
    scope: str = ""
    device: str = ""


def read_capacity(text: str) -> tuple[int, Capacity]:
    """Return a memory space and its capacity from `16GiB`, `v5e` or `host=64GiB`; raise ValueError for anything else.

    `16GB` is read as 16 × 10⁹ bytes, `16G` and `16GiB` as 16 × 2³⁰. A number of bytes below 1 MiB needs its `B`.
    """
    space = _SPACE.fullmatch(text)
    color, amount = (_color(space[1]), space[2]) if space else (MAIN_SPACE, text)
    if device := DEVICES.get(amount.lower()):
        return color, Capacity(device.size_bytes, amount, "flag", device.scope, device.title)
    match = _AMOUNT.fullmatch(amount.strip())
    if match is None:
        raise ValueError(f"an amount such as 16GiB or one of {', '.join(CHIPS)} is needed")
    number, unit, binary = match.groups(default="")
    is_decimal = amount.strip().upper().endswith("B") and unit and not binary
    size = round(Fraction(number) * (1000 if is_decimal else 1024) ** _UNITS[unit.upper()])
    if amount.strip() == number and 0 < Fraction(number) < 1 << 20:
        raise ValueError(f"a unit is needed: did you mean {number}GiB? {number}B is a number of bytes")
    if not 0 < size <= MOST_BYTES:
        raise ValueError(f"{quoted(text)}: from 1 to {MOST_BYTES:,} bytes are needed")
    return color, Capacity(size, "given", "flag")


def _color(name: str) -> int:
    return HOST_SPACE if name == "host" else int(name)
