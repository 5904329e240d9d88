"""The first sentences of a module's page: what it needs, and whether that fits."""

from reportgen.advice.advise import Advice
from reportgen.analyse.contested import certainty
from reportgen.analyse.devices import DEVICES, MAIN_SPACE
from reportgen.analyse.records import Space
from reportgen.render.module.fit_banner import over_elsewhere
from reportgen.render.module.need import SMALL_PART
from reportgen.render.module.where_it_fits import where_it_fits
from reportgen.render.view import Module
from reportgen.reports.advice_words import kept_words
from reportgen.reports.formats import human_bytes
from reportgen.reports.source_words import age_words, filled_words
from reportgen.reports.work_words import MUCH, recomputed_words

_LEAST_KEPT = 5
"""What is kept for the backward pass says most of a program where it is at least this part of the need."""


class VerdictView:
    """What a module needs in its main memory space.

    `elsewhere` says why a program does not fit although it does in this space; empty where it is not so.

    `recomputed` says what is computed again to need less, empty for nothing; it `is_costly` where XLA does much of it.
    `has_device` is whether it is for a device with memory of its own. `devices` are those to choose from where that is
    not known, and `about_lines` says how to learn the source lines, or of what age they are.
    `larger` are those to compare the need with, beside a `note`, and `enough` says which would do.
    `kept_bytes` of the peak are there for the backward pass, because of what `kept_by` says; of no program without.
    """

    def __init__(self, module: Module, space: Space) -> None:
        analysis = module.analysis
        self.space, self.fit, self.certainty = space, module.fits.get(space.color), certainty(analysis, space)
        self.elsewhere = _elsewhere(module, space)
        self.recomputed = recomputed_words(analysis.work, fits=module.device_fit.fits_device)
        self.is_costly = analysis.work.part_by_xla > MUCH
        # No device is asked for where it would not tell whether the program fits.
        self.has_device = analysis.backend in ("tpu", "gpu", "cpu") and self.certainty == "exact"
        is_unknown = self.has_device and space.color == MAIN_SPACE and self.fit is None
        self.devices = list(DEVICES.values()) if is_unknown else []
        self.about_lines = age_words(module) if _has_lines_in_bar(module, space) else filled_words(module)
        self.kept_bytes, self.kept_by = _kept(module, space)
        self.larger, self.note, self.enough = where_it_fits(module, space)


def verdict(module: Module) -> VerdictView | None:
    """Return the verdict on a module; None for one without any memory."""
    space = module.main_space
    return VerdictView(module, space) if space and space.needed_bytes else None


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
