"""Say on which devices a program would fit as it is."""

from collections.abc import Mapping, Sequence

from reportgen.analyse.contested import certainty
from reportgen.analyse.devices import DEVICES, MAIN_SPACE, Device
from reportgen.analyse.records import Space
from reportgen.render.view import Module
from reportgen.reports.formats import human_bytes

_COMMON: Mapping[str, Sequence[str]] = {
    "tpu": ("v5e", "v6e", "v5p"),
    "gpu": ("v100", "a100-40", "h100"),
    "cpu": ("v5e", "a100-40", "h100"),
}
"""Devices of a backend, by what they hold; of a program for CPU, those that it may be meant for."""
_OF_CPU = "This plan is for CPU; a compiler for another backend pads and schedules otherwise."
_SMALL_PART = 4


def where_it_fits(module: Module, space: Space) -> tuple[Sequence[Device], str, str]:
    """Return the devices to compare a need with, a note, and which would do for a program that does not fit its own.

    The note says it where there are no such devices. All are empty for a module that fits its device, and where not all
    that it needs is known.
    """
    analysis, fit, needed = module.analysis, module.fits.get(space.color), space.needed_bytes
    devices = [DEVICES[name] for name in _COMMON.get(analysis.backend, ())]
    if space.color != MAIN_SPACE or not devices or certainty(analysis, space) != "exact" or (fit and not fit.is_over):
        return (), "", ""
    note = _OF_CPU if analysis.backend == "cpu" else ""
    enough = _enough_words(next((device for device in devices if device.size_bytes >= needed), None), needed)
    larger = [device for device in devices if not fit or device.size_bytes > fit.capacity.size_bytes]
    if not larger or (not fit and needed * _SMALL_PART < devices[0].size_bytes):
        return (), f"{enough} {note}".rstrip(), ""
    return larger, note, enough if fit else ""


def _enough_words(device: Device | None, needed_bytes: int) -> str:
    if device is None:
        return "As it is, it fits on no device that is known here."
    left = human_bytes(device.size_bytes - needed_bytes)
    return f"As it is, it would fit on {device.title}, with {left} left."
