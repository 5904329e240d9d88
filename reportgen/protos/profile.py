"""Find the modules in a profile, an `.xplane.pb` as `jax.profiler.trace` writes it.

A profiler that has seen a program run keeps its HloProto, as a statistic of each module's entry in the plane
`/host:metadata`. All other planes, which are nearly all of a profile, are skipped by their lengths. Numbers of fields
are those of xplane.proto.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Literal, NamedTuple

from reportgen.protos.hlo_proto import has_plan
from reportgen.protos.wire import WireError, messages

_PLANE = 1  # in XSpace
_NAME, _EVENT_METADATA = 2, 4  # in XPlane; events have their names in the same field
_VALUE = 2  # in an entry of a map
_STATS = 5  # in XEventMetadata
_BYTES = 6  # in XStat
_OF_MODULES = "/host:metadata"


class ProfiledModule(NamedTuple):
    """A module that a profile has: its name there, such as `jit_f(1234)`, and its HloProto."""

    name: str
    proto: memoryview


def profiled_modules(profile: bytes | memoryview) -> tuple[list[ProfiledModule], str]:
    """Return the modules of a profile, each with a name of its own, and why some are missing; empty if none is."""
    modules: list[ProfiledModule] = []
    damage = ""
    try:
        for plane in messages(profile, _PLANE):
            modules += _modules(plane)
    except WireError as error:
        damage = f"it is damaged: {error}"
        with suppress(WireError):  # those before the damage are kept
            modules += _modules(error.rest)
    seen: Counter[str] = Counter()
    for place, module in enumerate(modules):
        seen[module.name] += 1
        if seen[module.name] > 1:
            modules[place] = module._replace(name=f"{module.name}#{seen[module.name]}")
    return modules, damage


def profiled_backend(profile: bytes | memoryview) -> Literal["cpu", "gpu", "unknown"]:
    """Return the backend of the devices of a profile; a TPU is recognised later, as for a dump."""
    names: list[str] = []
    with suppress(WireError):
        for plane in messages(profile, _PLANE):
            names += _texts(plane, _NAME)
    devices = [name for name in names if name.startswith("/device:")]
    if any(name.startswith("/device:GPU") for name in devices):
        return "gpu"
    return "cpu" if "/host:CPU" in names and not devices else "unknown"


def _modules(plane: memoryview) -> Iterator[ProfiledModule]:
    if _OF_MODULES not in _texts(plane, _NAME):
        return
    # The names of statistics come last, so of a plane that was cut off nobody knows them: the content must say it.
    for entry in messages(plane, _EVENT_METADATA):
        for event in messages(entry, _VALUE):
            name = next(_texts(event, _NAME), "")
            for statistic in messages(event, _STATS):
                yield from (ProfiledModule(name, proto) for proto in messages(statistic, _BYTES) if has_plan(proto))


def _texts(message: memoryview, number: int) -> Iterator[str]:
    return (bytes(text).decode("utf-8", "replace") for text in messages(message, number))
