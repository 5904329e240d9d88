"""Find out how much memory a device has for a program."""

import re
from collections.abc import Iterable, Mapping, Sequence

from reportgen.analyse.devices import DEVICES, MAIN_SPACE, Capacity, Device, read_capacity
from reportgen.analyse.fit import Refusal
from reportgen.input.dump_text import Sibling
from reportgen.input.names import Backend, is_written_for
from reportgen.oom.printed_size import SizeRange

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
_ARCHITECTURE = re.compile(rb"\bcuda_compute_capability \{\s*major: (\d{1,4})(?:\s+minor: (\d{1,4}))?")
_AMD_ARCHITECTURE = re.compile(rb'\bgcn_arch_name: "(gfx[0-9a-f]+)')
_NAMED_ARCHITECTURE = re.compile(r"sm_\d+\.\d+|gfx[0-9a-f]+")


def capacities(
    overrides: Iterable[str], siblings: Sequence[Sibling], refusal: Refusal | None = None
) -> Mapping[int, Capacity]:
    """Return the known capacities by memory space.

    `overrides` win over the device named next to the dump, and that over the capacity that a refusal states.
    """
    device = device_beside(siblings)
    known = {}
    if refusal and refusal.space == "hbm" and refusal.usable:
        known[MAIN_SPACE] = Capacity(refusal.usable.middle, "the device in the compiler’s message", "refusal")
    if device:
        known[MAIN_SPACE] = Capacity(
            device.size_bytes, f"the {device.title} named next to the dump", device.origin, device.scope, device.title
        )
    return known | dict(map(read_capacity, overrides))


def siblings_of_device(siblings: Iterable[Sibling], backend: Backend, device: str | None) -> tuple[Sibling, ...]:
    """Return the files next to a dump, without those about other devices than its own.

    A process may compile one function for several backends, and several processes may dump into one directory.
    `device` is the beginning of the stage in the dump's name, which names the architecture of a GPU.
    """
    named = _NAMED_ARCHITECTURE.match(device or "")

    def is_of_device(sibling: Sibling) -> bool:
        if named is None or sibling.kind != "GPU target":
            return True
        architecture = _architecture(sibling.data)
        return not architecture or architecture == named[0]

    return tuple(sibling for sibling in siblings if is_written_for(backend, sibling.kind) and is_of_device(sibling))


def _architecture(target: bytes) -> str:
    """Return the architecture in a file that names a GPU, `sm_9.0` or `gfx942`; empty where it states none."""
    if amd := _AMD_ARCHITECTURE.search(target):
        return amd[1].decode()
    match = _ARCHITECTURE.search(target)
    return f"sm_{int(match[1])}.{int(match[2] or 0)}" if match else ""


def device_beside(siblings: Sequence[Sibling]) -> Device | None:
    """Return the device that the files beside a dump name; None where they name none that is known.

    A GPU is named with its memory in `gpu_target_config.pbtxt`, a TPU by its version in `target_arguments.txt`.
    """
    for sibling in siblings:
        if sibling.kind == "GPU target" and (memory := _DEVICE_MEMORY.search(sibling.data)):
            return Device("GPU", SizeRange(int(memory[1]), int(memory[1])), "target_config")
        if sibling.kind == "TPU target" and (version := _VERSION.search(sibling.data)):
            variant = _VARIANT.search(sibling.data)
            if name := _TPU_VERSIONS.get((version[1].decode(), variant[1].decode() if variant else "")):
                return DEVICES[name]
    return None
