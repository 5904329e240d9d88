"""Say on which common devices a program would fit as it is."""

from collections.abc import Mapping, Sequence

from reportgen.analyse.devices import DEVICES, MAIN_SPACE, Device
from reportgen.analyse.records import Space
from reportgen.record import record
from reportgen.render.view import Module
from reportgen.reports.formats import human_bytes

_COMMON: Mapping[str, Sequence[str]] = {
    "tpu": ("v5e", "v6e", "v5p"),
    "gpu": ("v100", "a100-40", "h100"),
    "cpu": ("v5e", "a100-40", "h100"),
}
"""Devices of a backend, by what they hold; of a program for CPU, those that it may be meant for."""
_SMALL_PART = 4


@record
class WhereItFits:
    """The devices to compare a need with; none where it is far below all of them, as `note` says."""

    needed_bytes: int
    devices: Sequence[Device]
    note: str

    @property
    def most_bytes(self) -> int:
        """The memory of the largest device."""
        return max(device.size_bytes for device in self.devices)


def where_it_fits(module: Module, space: Space) -> WhereItFits | None:
    """Return where a module fits; None where its device is known to be large enough, or its need is not known."""
    analysis, fit = module.analysis, module.fits.get(space.color)
    names = _COMMON.get(analysis.backend)
    if space.color != MAIN_SPACE or not names or analysis.missing is not None:
        return None
    devices = [DEVICES[name] for name in names]
    of_cpu = "This plan is for CPU; a compiler for another backend pads and schedules otherwise."
    note = of_cpu if analysis.backend == "cpu" else ""
    smallest = devices[0]
    if space.needed_bytes * _SMALL_PART < smallest.size_bytes:
        if fit:
            return None
        fits = f"It fits on common devices: {smallest.title} has {human_bytes(smallest.size_bytes)}."
        return WhereItFits(needed_bytes=space.needed_bytes, devices=(), note=f"{fits} {note}".rstrip())
    return WhereItFits(needed_bytes=space.needed_bytes, devices=devices, note=note)
