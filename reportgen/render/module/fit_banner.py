"""The banner of a module that does not fit into its device: what is needed, what there is, and what would be enough.

What the verdict above it says already, it does not repeat.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from reportgen.analyse.capacity import Fit
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.fit import GIVEN, Misfit
from reportgen.analyse.records import Analysis, Share
from reportgen.reports.formats import human_bytes, range_words
from reportgen.reports.report import peak_by_class

_SHOWN = 10
_WHOLE = (
    "XLA’s figure is the whole assignment: parameters, results and temporaries, although its message may call it"
    " HLO temporaries."
)
_TEMPORARIES = "XLA’s figure counts temporaries alone; parameters and results come on top."


@dataclass(frozen=True, slots=True, kw_only=True)
class FitBanner:
    """What the banner says; `enough` are shares of the peak of which each is larger than what is missing.

    `headline` is empty where the verdict says it.
    """

    headline: str
    sentences: tuple[str, ...]
    enough: tuple[Share, ...]
    not_shown: int


def fit_banner(misfit: Misfit | None, analysis: Analysis, fit: Fit | None) -> FitBanner | None:
    """Return the banner of a module, or None if nothing says that it does not fit; `fit` is what the verdict shows."""
    if misfit is None:
        return None
    is_stated = fit is not None and fit.is_over
    headline = "" if is_stated else "This module needs more memory than its device has."
    sentences = (
        *_amounts(misfit, analysis, is_stated=is_stated),
        _meaning(misfit, analysis),
        _alone(misfit, analysis),
    )
    return FitBanner(
        headline="The compiler refused this program." if misfit.is_refused else headline,
        sentences=tuple(filter(None, sentences)),
        enough=misfit.enough[:_SHOWN],
        not_shown=max(len(misfit.enough) - _SHOWN, 0),
    )


def _amounts(misfit: Misfit, analysis: Analysis, *, is_stated: bool) -> Iterator[str]:
    """Yield what XLA says is needed and, unless the verdict states it, what the device has and what is resident."""
    if misfit.needed is not None:
        # What is usable on a known chip is in the next sentence, or in the verdict.
        usable = f", {range_words(misfit.usable)} usable" if misfit.usable and not misfit.chip else ""
        yield f"XLA: {range_words(misfit.needed)} of {misfit.space.upper()} needed{usable}."
    if is_stated:
        return
    if misfit.chip == GIVEN and misfit.usable:
        yield f"The capacity given is {range_words(misfit.usable)}."
    elif misfit.chip and misfit.usable:
        yield f"At most {range_words(misfit.usable)} are usable on a {misfit.chip}."
    missing = f"{range_words(misfit.missing)} too much" if misfit.missing else ""
    if misfit.resident_bytes is not None:
        by_class = peak_by_class(analysis, analysis.spaces[MAIN_SPACE])
        parts = " + ".join(f"{human_bytes(size)} {name}" for name, size in by_class.most_common())
        resident = f"Here: {human_bytes(misfit.resident_bytes)} resident at the peak ({parts})"
        yield f"{resident}; {missing}." if missing else f"{resident}."
    elif missing:
        yield f"That is {missing}."


def _meaning(misfit: Misfit, analysis: Analysis) -> str:
    """Explain XLA's figure by the total that it agrees with."""
    space = analysis.spaces.get(MAIN_SPACE)
    if misfit.needed is None or misfit.resident_bytes is None or space is None:
        return ""
    if space.allocated_bytes in misfit.needed:
        return _WHOLE
    temporaries = sum(
        analysis.dump.allocations[number].size_bytes
        for number in space.allocations
        if analysis.dump.allocations[number].is_preallocated_temp
    )
    return _TEMPORARIES if temporaries in misfit.needed else ""


def _alone(misfit: Misfit, analysis: Analysis) -> str:
    """Say whether any single buffer, or else any class, takes as much as what is missing."""
    if misfit.missing is None or misfit.resident_bytes is None:
        return ""
    if misfit.enough:
        return "Each of these buffers alone takes more than what is missing:"
    by_class = peak_by_class(analysis, analysis.spaces[MAIN_SPACE])
    classes = [name for name, size in by_class.most_common() if size >= misfit.missing.high]
    of_classes = f", but all buffers of the class {' or of the class '.join(classes)} together do" if classes else ""
    return f"No single buffer at the peak takes as much as what is missing{of_classes}."
