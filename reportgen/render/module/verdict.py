"""The first sentences of a module's page: what it needs, whether that fits, and where else it would."""

from collections import Counter
from collections.abc import Mapping, Sequence

from reportgen.advice.advise import Advice
from reportgen.analyse.attributed import held_for
from reportgen.analyse.classes import MemoryClass
from reportgen.analyse.contested import certainty
from reportgen.analyse.devices import DEVICES, MAIN_SPACE
from reportgen.analyse.fit import DeviceFit, Fit, Refusal
from reportgen.analyse.records import Analysis, Share, Space
from reportgen.render.module.need import SMALL_PART
from reportgen.render.view import Module
from reportgen.reports.advice_words import kept_words, spare_words
from reportgen.reports.formats import capital, human_bytes, range_words
from reportgen.reports.report import needed_by_class
from reportgen.reports.source_words import age_words, filled_words
from reportgen.reports.work_words import MUCH, recomputed_words

_LEAST_KEPT = 5
"""What is kept for the backward pass says most of a program where it is at least this part of the need."""
_WHOLE = (
    "XLA’s figure is the whole assignment: arguments, outputs and temporaries, although its message may call it"
    " HLO temporaries."
)
_TEMPORARIES = "XLA’s figure counts temporaries alone, without arguments and outputs."
_COMMON: Mapping[str, Sequence[str]] = {
    "tpu": ("v5e", "v6e", "v5p"),
    "gpu": ("v100", "a100-40", "h100"),
    "cpu": ("v5e", "a100-40", "h100"),
}
"""Devices of a backend, by what they hold; of a program for CPU, those that it may be meant for."""
_OF_CPU = "This plan is for CPU; a compiler for another backend pads and schedules otherwise."


class VerdictView:
    """What a module needs in its main memory space.

    `elsewhere` says why a program does not fit although it does in this space; empty where it is not so.

    `recomputed` says what is computed again to need less, empty for nothing; it `is_costly` where XLA does much of it.
    `has_device` is whether it is for a device with memory of its own. `devices` are those to choose from where that is
    not known, and `about_lines` says how to learn the source lines, or of what age they are.
    `where` says on which device it would fit.
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
        self.where = where_it_fits(module, space)


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


def fit_banner(
    device_fit: DeviceFit, analysis: Analysis, fit: Fit | None
) -> tuple[str, Sequence[str], Sequence[tuple[Share, int | None]]] | None:
    """Return the head and the sentences of a banner, and the shares of the peak that would be enough with their values.

    Each of these is larger than what is missing. None if the verdict says it all; `fit` is what that shows.
    """
    refusal, over = device_fit.refusal, fit if fit and fit.is_over else None
    space = analysis.spaces.get(MAIN_SPACE)
    sizes = needed_by_class(analysis, space) if space else Counter[MemoryClass]()
    shares = space.composition if space and over else ()
    enough = [share for share in shares if over and share.size_bytes >= over.excess_bytes]
    stated = over_elsewhere(device_fit)
    sentences = (
        _needed(refusal, has_other=fit is not None and fit.capacity.origin == "flag") if refusal else "",
        f"That is {stated.partition(' in ')[0]}." if stated else "",
        _meaning(refusal, space, sizes) if refusal and space else "",
        # Nothing else helps then.
        f"The arguments alone take {human_bytes(sizes['parameter'])}, more than is usable."
        if over and sizes["parameter"] > over.capacity.size_bytes
        else "",
    )
    if refusal is None and not (enough or any(sentences)):
        return None
    headline = f"{capital(spare_words(fit))}." if fit and fit.fits else "The compiler refused this program for less."
    if device_fit.refused:
        headline = "The compiler refused this program."
    return headline, list(filter(None, sentences)), [(share, held_for(analysis, share)) for share in enough]


def over_elsewhere(device_fit: DeviceFit) -> str:
    """Return how much too much is needed of another memory than the main one; empty if nothing says it."""
    refused = device_fit.refused
    if refused is None or refused.space == "hbm" or refused.missing is None:
        return ""
    return f"{range_words(refused.missing)} over capacity in {refused.space.upper()}"


def _needed(refusal: Refusal, *, has_other: bool) -> str:
    """Return what XLA says is needed, and what is usable unless another capacity is given; empty if it does not."""
    if refusal.needed is None:
        return ""
    usable = f", and {range_words(refusal.usable)} are usable" if refusal.usable and not has_other else ""
    return f"XLA says that it needs {range_words(refusal.needed)} of {refusal.space.upper()}{usable}."


def _meaning(refusal: Refusal, space: Space, sizes: Mapping[MemoryClass, int]) -> str:
    """Explain XLA's figure by the total that it agrees with."""
    if refusal.needed is None or refusal.space != "hbm":
        return ""
    if space.needed_bytes in refusal.needed:
        return _WHOLE
    return _TEMPORARIES if sizes["temporary"] in refusal.needed else ""


def where_it_fits(module: Module, space: Space) -> str:
    """Return on which device a module would fit; empty where it fits its own, or not all that it needs is known."""
    analysis, fit, needed = module.analysis, module.fits.get(space.color), space.needed_bytes
    devices = [DEVICES[name] for name in _COMMON.get(analysis.backend, ())]
    if space.color != MAIN_SPACE or not devices or certainty(analysis, space) != "exact" or (fit and not fit.is_over):
        return ""
    words = "As it is, it fits on no device that is known here."
    if device := next((device for device in devices if device.size_bytes >= needed), None):
        left = human_bytes(device.size_bytes - needed)
        words = f"As it is, it would fit on {device.title}, with {left} left."
    return f"{words} {_OF_CPU}" if analysis.backend == "cpu" else words
