"""Judge whether a program fits after a change, as far as what is claimed of the change tells it."""

from collections.abc import Mapping
from math import ceil
from typing import Literal

from reportgen.advice.advice_records import CombinedFigures, Confidence, Suggestion

Fitting = Literal["fits", "close", "too much"]
"""*close*: the error of what is claimed straddles the capacity, so only a compilation tells."""

_ERRORS: Mapping[Confidence, float] = {"predicted": 0.02, "range": 0.02, "estimate": 0.05}
"""By how much of the peak recompiled programs were off, nearly all of them (`tests.advice.promises`)."""


def least_needed(suggestion: Suggestion | CombinedFigures) -> int:
    """Return the bytes that are needed after the most that a change saves."""
    return suggestion.needed_bytes - (suggestion.peak_bytes - suggestion.least_peak_bytes)


def fitting_of(suggestion: Suggestion | CombinedFigures, size_bytes: int) -> Fitting:
    """Return whether a program fits after a change, as far as it is known."""
    return fitting(suggestion.confidence, least_needed(suggestion), suggestion.needed_bytes, size_bytes)


def fitting(confidence: Confidence, least_bytes: int, needed_bytes: int, size_bytes: int) -> Fitting:
    """Return whether `size_bytes` are enough for what needs from `least_bytes` to `needed_bytes` after a change.

    What saves "up to" so much needs at least what it leads to.
    """
    error = round(size_bytes * _ERRORS.get(confidence, 0.0))
    if confidence != "up to" and needed_bytes + error <= size_bytes:
        return "fits"
    return "too much" if least_bytes - error > size_bytes else "close"


def least_capacity(suggestion: Suggestion | CombinedFigures) -> int | None:
    """Return the capacity in bytes from which on a program is predicted to fit after a change; None if none is known.

    It is the least for which `fitting_of` says so, or a byte more.
    """
    if suggestion.confidence == "up to":
        return None
    return ceil(suggestion.needed_bytes / (1 - _ERRORS.get(suggestion.confidence, 0.0)))
