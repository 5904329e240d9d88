"""Judge whether a program fits after a change, as far as what is claimed of the change tells it."""

from collections.abc import Mapping
from typing import Literal, Protocol

from reportgen.advice.advice_records import Claim

Fitting = Literal["fits", "close", "too much"]
"""*close*: the error of what is claimed straddles the capacity, so only a compilation tells."""

_ERRORS: Mapping[Claim, float] = {"predicted": 0.02, "range": 0.02, "estimate": 0.05}
"""By how much of the peak recompiled programs were off, nearly all of them (`tests.advice.promises`)."""


class Reached(Protocol):
    """The peak after a change, what is needed then, and how sure that is.

    `peak_high_saving` is the least peak of a range. What is needed is more than either peak by the same bytes.
    """

    @property
    def claim(self) -> Claim: ...
    @property
    def peak_bytes(self) -> int: ...
    @property
    def peak_high_saving(self) -> int: ...
    @property
    def needed_bytes(self) -> int: ...


def least_needed(move: Reached) -> int:
    """Return the bytes that are needed after the most that a change saves."""
    return move.needed_bytes - (move.peak_bytes - move.peak_high_saving)


def fitting_of(move: Reached, size_bytes: int) -> Fitting:
    """Return whether a program fits after a change, as far as it is known."""
    return fitting(move.claim, least_needed(move), move.needed_bytes, size_bytes)


def fitting(claim: Claim, least_bytes: int, needed_bytes: int, size_bytes: int) -> Fitting:
    """Return whether `size_bytes` are enough for what needs from `least_bytes` to `needed_bytes` after a change.

    What saves "up to" so much needs at least what it leads to.
    """
    error = round(size_bytes * _ERRORS.get(claim, 0.0))
    if claim != "up to" and needed_bytes + error <= size_bytes:
        return "fits"
    return "too much" if least_bytes - error > size_bytes else "close"
