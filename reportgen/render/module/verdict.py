"""The first sentences of a module's page: what it needs, and whether that fits."""

from collections.abc import Sequence

from reportgen.advice.advise import Advice
from reportgen.analyse.contested import Certainty, certainty
from reportgen.analyse.devices import DEVICES, MAIN_SPACE, Device
from reportgen.analyse.fit import Fit
from reportgen.analyse.records import Space
from reportgen.record import record
from reportgen.render.module.fit_banner import over_elsewhere
from reportgen.render.module.need import SMALL_PART
from reportgen.render.view import Module
from reportgen.reports.advice_words import kept_words
from reportgen.reports.formats import human_bytes
from reportgen.reports.source_words import age_words, filled_words
from reportgen.reports.work_words import MUCH, recomputed_words

_LEAST_KEPT = 5
"""What is kept for the backward pass says most of a program where it is at least this part of the need."""


@record
class VerdictView:
    """What a module needs in its main memory space.

    `elsewhere` says why a program does not fit although it does in this space; empty where it is not so.

    `recomputed` says what is computed again to need less, empty for nothing; it `is_costly` where XLA does much of it.
    `has_device` is whether it is for a device with memory of its own. `devices` are those to choose from where that is
    not known, and `about_lines` says how to learn the source lines, or of what age they are.
    `kept_bytes` of the peak are there for the backward pass, because of what `kept_by` says; of no program without.
    """

    space: Space
    certainty: Certainty
    about_lines: str
    kept_bytes: int
    kept_by: str
    fit: Fit | None
    elsewhere: str
    recomputed: str
    is_costly: bool
    has_device: bool
    devices: Sequence[Device]


def verdict(module: Module) -> VerdictView | None:
    """Return the verdict on a module; None for one without any memory."""
    space = module.main_space
    if space is None or not space.needed_bytes:
        return None
    # No device is asked for where it would not tell whether the program fits.
    known = certainty(module.analysis, space)
    has_device = module.analysis.backend in ("tpu", "gpu", "cpu") and known == "exact"
    is_unknown = has_device and space.color == MAIN_SPACE and space.color not in module.fits
    kept_bytes, kept_by = _kept(module, space)
    return VerdictView(
        space=space,
        certainty=known,
        about_lines=age_words(module) if _has_lines_in_bar(module, space) else filled_words(module),
        kept_bytes=kept_bytes,
        kept_by=kept_by,
        fit=module.fits.get(space.color),
        elsewhere=_elsewhere(module, space),
        recomputed=recomputed_words(module.analysis.work, fits=module.device_fit.fits_device),
        is_costly=module.analysis.work.part_by_xla > MUCH,
        has_device=has_device,
        devices=tuple(DEVICES.values()) if is_unknown else (),
    )


def _kept(module: Module, space: Space) -> tuple[int, str]:
    """Return the bytes of the peak that the best checkpoint is about, and what keeps them; 0 if they are few."""
    member_of = module.analysis.program.buffers.members
    for suggestion in module.advice.get(space.color, Advice()).best:
        if words := kept_words(suggestion):
            kept = {member_of(number)[0] for number in suggestion.buffers}
            owned = ((share.value, share.size_bytes) for share in space.composition if share.value is not None)
            size = sum(size_bytes for number, size_bytes in owned if member_of(number)[0] in kept)
            return (size, words) if size * _LEAST_KEPT >= space.needed_bytes else (0, "")
    return 0, ""


def _has_lines_in_bar(module: Module, space: Space) -> bool:
    """Return whether the bar of what is needed names the line of a temporary."""
    of_temporaries = (
        dict(group.classes).get("temporary", 0) for group in module.source_lines[space.color] if group.kind == "named"
    )
    return max(of_temporaries, default=0) * SMALL_PART >= space.needed_bytes


def _elsewhere(module: Module, space: Space) -> str:
    """Return why a program does not fit, where what the space needs is not the reason."""
    over = {color: fit for color, fit in module.fits.items() if fit.is_over}
    if module.device_fit.fits_device is not False or space.color in over:
        return ""
    for color, fit in over.items():
        return f"{human_bytes(fit.excess_bytes)} over capacity in {module.analysis.spaces[color].name}"
    return over_elsewhere(module.device_fit) or "the compiler refused it"
