"""Say of a module that does not fit what its compiler said of it, and what would be enough, beside its verdict."""

from collections import Counter
from collections.abc import Mapping, Sequence

from reportgen.analyse.attributed import held_for
from reportgen.analyse.classes import MemoryClass
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.fit import DeviceFit, Fit, Refusal
from reportgen.analyse.records import Analysis, Share, Space
from reportgen.reports.advice_words import spare_words
from reportgen.reports.formats import capital, human_bytes, range_words
from reportgen.reports.report import needed_by_class

_WHOLE = (
    "XLA’s figure is the whole assignment: arguments, outputs and temporaries, although its message may call it"
    " HLO temporaries."
)
_TEMPORARIES = "XLA’s figure counts temporaries alone, without arguments and outputs."


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
