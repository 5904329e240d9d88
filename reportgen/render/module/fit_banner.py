"""The banner of a module that does not fit into its device: what is needed, what there is, and what would be enough.

What the verdict above it says already, it does not repeat.
"""

from collections.abc import Mapping, Sequence

from reportgen.analyse.capacity import Fit
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.fit import GIVEN, Misfit
from reportgen.analyse.records import Analysis, Share
from reportgen.record import record
from reportgen.reports.formats import human_bytes, range_words
from reportgen.reports.report import peak_by_class

_SHOWN = 10
_WHOLE = (
    "XLA’s figure is the whole assignment: arguments, outputs and temporaries, although its message may call it"
    " HLO temporaries."
)
_TEMPORARIES = "XLA’s figure counts temporaries alone, without arguments and outputs."


@record
class FitBanner:
    """What the banner says; `enough` are shares of the peak of which each is larger than what is missing.

    `reserved_for` has the largest value in bytes in which nothing is live, by allocation.

    `headline` is empty where the verdict says it.
    """

    headline: str
    sentences: tuple[str, ...]
    enough: tuple[Share, ...]
    reserved_for: Mapping[int, int]
    not_shown: int


def fit_banner(misfit: Misfit | None, analysis: Analysis, fit: Fit | None) -> FitBanner | None:
    """Return the banner of a module, or None if the verdict says it all; `fit` is what that shows."""
    if misfit is None:
        return None
    is_stated = fit is not None and fit.is_over
    headline = "" if is_stated else "This module needs more memory than its device has."
    sentences = (
        _needed(misfit),
        # The verdict states the capacity and by how much it is exceeded.
        "" if is_stated else _capacity(misfit),
        "" if is_stated else _resident(misfit, analysis),
        _meaning(misfit, analysis),
        _of_arguments(misfit, analysis),
        _alone(misfit, analysis),
    )
    if not (misfit.is_refused or any((headline, *sentences, misfit.enough))):
        return None
    return FitBanner(
        headline="The compiler refused this program." if misfit.is_refused else headline,
        sentences=tuple(filter(None, sentences)),
        enough=misfit.enough[:_SHOWN],
        reserved_for=_reserved_for(misfit.enough[:_SHOWN], analysis),
        not_shown=max(len(misfit.enough) - _SHOWN, 0),
    )


def misfit_elsewhere(misfit: Misfit) -> str:
    """Return how much too much is needed of another memory than the main one; empty if nothing says it."""
    if not misfit.is_elsewhere or misfit.missing is None:
        return ""
    return f"{range_words(misfit.missing)} over capacity in {misfit.space.upper()}"


def _reserved_for(shares: Sequence[Share], analysis: Analysis) -> Mapping[int, int]:
    """Return the largest value of each allocation that the caller holds although nothing in it is live."""
    held = [share.allocation for share in shares if share.value is None]
    sizes = analysis.facts.values.sizes
    return {
        allocation: max(analysis.occupants[allocation], key=sizes.__getitem__)
        for allocation in held
        if analysis.occupants[allocation]
    }


def _of_arguments(misfit: Misfit, analysis: Analysis) -> str:
    """Say whether the arguments alone exceed the device, because then nothing else helps."""
    if misfit.usable is None or misfit.missing is None or misfit.resident_bytes is None:
        return ""
    allocations = (analysis.dump.allocations[number] for number in analysis.spaces[MAIN_SPACE].allocations)
    size = sum(allocation.size_bytes for allocation in allocations if allocation.parameter is not None)
    if size <= misfit.usable.high_bytes:
        return ""
    return f"The arguments alone take {human_bytes(size)}, more than is usable."


def _needed(misfit: Misfit) -> str:
    """Return what XLA says is needed; empty if it does not say it."""
    if misfit.needed is None:
        return ""
    # What is usable on a known chip is in the next sentence, or in the verdict.
    usable = f", and {range_words(misfit.usable)} are usable" if misfit.usable and not misfit.chip else ""
    return f"XLA says that it needs {range_words(misfit.needed)} of {misfit.space.upper()}{usable}."


def _capacity(misfit: Misfit) -> str:
    """Return the usable memory of the device; empty if neither the user nor the dump names it."""
    if not misfit.chip or not misfit.usable:
        return ""
    if misfit.chip == GIVEN:
        return f"The capacity given is {range_words(misfit.usable)}."
    return f"At most {range_words(misfit.usable)} are usable on a {misfit.chip}."


def _resident(misfit: Misfit, analysis: Analysis) -> str:
    """Return what is resident at the peak, and by how much capacity is exceeded; empty if neither is known."""
    missing = f"{range_words(misfit.missing)} over capacity" if misfit.missing else ""
    if misfit.resident_bytes is None:
        return f"That is {missing}." if missing else ""
    by_class = peak_by_class(analysis, analysis.spaces[MAIN_SPACE])
    parts = " + ".join(f"{human_bytes(size)} {name}" for name, size in by_class.most_common())
    resident = f"Here: {human_bytes(misfit.resident_bytes)} resident at the peak ({parts})"
    return f"{resident}; {missing}." if missing else f"{resident}."


def _meaning(misfit: Misfit, analysis: Analysis) -> str:
    """Explain XLA's figure by the total that it agrees with."""
    space = analysis.spaces.get(MAIN_SPACE)
    if misfit.needed is None or misfit.resident_bytes is None or space is None:
        return ""
    if space.needed_bytes in misfit.needed:
        return _WHOLE
    temporaries = sum(
        analysis.dump.allocations[number].size_bytes
        for number in space.allocations
        if analysis.dump.allocations[number].is_preallocated_temp
    )
    return _TEMPORARIES if temporaries in misfit.needed else ""


def _alone(misfit: Misfit, analysis: Analysis) -> str:
    """Say whether single buffers exceed what is missing."""
    if misfit.missing is None or misfit.resident_bytes is None:
        return ""
    return "Freeing any one of these buffers would be enough:" if misfit.enough else ""
