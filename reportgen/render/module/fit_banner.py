"""Say of a module that does not fit what its compiler said of it, and what would be enough, beside its verdict."""

from collections.abc import Mapping, Sequence

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.fit import DeviceFit, Fit, Refusal
from reportgen.analyse.records import Analysis, Share, Space
from reportgen.record import record
from reportgen.reports.advice_words import spare_words
from reportgen.reports.formats import capital, human_bytes, range_words
from reportgen.reports.report import needed_by_class

_SHOWN = 10
_WHOLE = (
    "XLA’s figure is the whole assignment: arguments, outputs and temporaries, although its message may call it"
    " HLO temporaries."
)
_TEMPORARIES = "XLA’s figure counts temporaries alone, without arguments and outputs."


@record
class FitBanner:
    """What is said; `enough` are shares of the peak of which each is larger than what is missing.

    `reserved_for` has the largest value in bytes in which nothing is live, by allocation.
    """

    headline: str
    sentences: tuple[str, ...]
    enough: tuple[Share, ...]
    reserved_for: Mapping[int, int]
    not_shown: int


def fit_banner(device_fit: DeviceFit, analysis: Analysis, fit: Fit | None) -> FitBanner | None:
    """Return the banner of a module, or None if the verdict says it all; `fit` is what that shows."""
    refusal, over = device_fit.refusal, fit if fit and fit.is_over else None
    space = analysis.spaces.get(MAIN_SPACE)
    shares = space.composition if space and over else ()
    enough = tuple(share for share in shares if over and share.size_bytes >= over.excess_bytes)
    stated = over_elsewhere(device_fit)
    sentences = (
        _needed(refusal, has_other=fit is not None and fit.capacity.origin == "flag") if refusal else "",
        f"That is {stated.partition(' in ')[0]}." if stated else "",
        _meaning(refusal, analysis, space) if refusal and space else "",
        _of_arguments(over, needed_by_class(analysis, space)["parameter"]) if over and space else "",
    )
    if refusal is None and not (enough or any(sentences)):
        return None
    spare = f"{capital(spare_words(fit))}." if fit and fit.fits else "The compiler refused this program for less."
    return FitBanner(
        headline="The compiler refused this program." if device_fit.refused else spare,
        sentences=tuple(filter(None, sentences)),
        enough=enough[:_SHOWN],
        reserved_for=_reserved_for(enough[:_SHOWN], analysis),
        not_shown=max(len(enough) - _SHOWN, 0),
    )


def over_elsewhere(device_fit: DeviceFit) -> str:
    """Return how much too much is needed of another memory than the main one; empty if nothing says it."""
    refused = device_fit.refused
    if refused is None or refused.space == "hbm" or refused.missing is None:
        return ""
    return f"{range_words(refused.missing)} over capacity in {refused.space.upper()}"


def _reserved_for(shares: Sequence[Share], analysis: Analysis) -> Mapping[int, int]:
    """Return the largest value of each allocation that the caller holds although nothing in it is live."""
    held = [share.allocation for share in shares if share.value is None]
    sizes = analysis.facts.values.sizes
    return {
        allocation: max(analysis.occupants[allocation], key=sizes.__getitem__)
        for allocation in held
        if analysis.occupants[allocation]
    }


def _of_arguments(over: Fit, size: int) -> str:
    """Say whether the arguments alone exceed the device, because then nothing else helps."""
    is_more = size > over.capacity.size_bytes
    return f"The arguments alone take {human_bytes(size)}, more than is usable." if is_more else ""


def _needed(refusal: Refusal, *, has_other: bool) -> str:
    """Return what XLA says is needed, and what is usable unless another capacity is given; empty if it does not."""
    if refusal.needed is None:
        return ""
    usable = f", and {range_words(refusal.usable)} are usable" if refusal.usable and not has_other else ""
    return f"XLA says that it needs {range_words(refusal.needed)} of {refusal.space.upper()}{usable}."


def _meaning(refusal: Refusal, analysis: Analysis, space: Space) -> str:
    """Explain XLA's figure by the total that it agrees with."""
    if refusal.needed is None or refusal.space != "hbm":
        return ""
    if space.needed_bytes in refusal.needed:
        return _WHOLE
    return _TEMPORARIES if needed_by_class(analysis, space)["temporary"] in refusal.needed else ""
