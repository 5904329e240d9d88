"""Decide whether a program fits, from what it needs, the capacity, a refusal by the compiler and errors about sizes.

What counts is the need, not the peak: XLA allocates as a whole. Every page, command and gate asks `fits`.
"""

from collections.abc import Mapping
from dataclasses import field

from reportgen.analyse.contested import Certainty, certainty
from reportgen.analyse.devices import MAIN_SPACE, Capacity
from reportgen.analyse.records import Analysis, Space
from reportgen.analyse.spaces import Needing, main_space
from reportgen.document import document
from reportgen.oom.printed_size import SizeRange
from reportgen.record import record


@document()
class Refusal:
    """What the compiler said when it refused a program. What it did not say is null."""

    space: str
    """The memory, such as hbm or vmem."""
    needed: SizeRange | None
    """What is needed, as the compiler says; null if it does not."""
    usable: SizeRange | None
    """What is usable, as the compiler or else the device beside the dump says; null if neither does."""
    device: str = ""
    """The device beside the dump; empty if none is named. Absent in documents of earlier versions."""

    @property
    def missing(self) -> SizeRange | None:
        """What is needed beyond what is usable, as the compiler says; None where it does not."""
        return self.needed - self.usable if self.needed and self.usable else None

    def is_of(self, color: int, name: str) -> bool:
        """Return whether the memory that is too small is this space."""
        return color == MAIN_SPACE if self.space == "hbm" else name.casefold() == self.space

    def holds_for(self, capacity_bytes: int | None) -> bool:
        """Return whether a program is refused for a capacity, too: one that is not known to be larger, or too small."""
        if capacity_bytes is None or self.usable is None or capacity_bytes <= self.usable.high_bytes:
            return True
        return self.needed is not None and capacity_bytes < self.needed.low_bytes


def refused_for(
    refusal: Refusal | None, spaces: Mapping[int, Needing], capacities: Mapping[int, Capacity]
) -> Refusal | None:
    """Return a refusal if it holds for the capacity of its memory, or if that has none."""
    own = (color for color, space in spaces.items() if refusal and refusal.is_of(color, space.name))
    capacity = capacities.get(next(own, -1))
    return refusal if refusal and refusal.holds_for(capacity.size_bytes if capacity else None) else None


def fits(needed_bytes: int, sure: Certainty, capacity_bytes: int | None, refusal: Refusal | None) -> bool | None:
    """Return whether a program fits into a memory space; None where that is not known."""
    if refusal and refusal.holds_for(capacity_bytes):
        return False
    if capacity_bytes is None or sure == "unknown":
        return None
    if needed_bytes > capacity_bytes:
        return False
    return None if sure == "least" else True


@record(kw_only=False)
class Fit:
    """A capacity next to what a program needs; `excess_bytes` is negative if something is left.

    `first_moment` is the first one at which more is resident than the device has; None if only the allocations
    are too large, or nothing is. `refusal` is that of the compiler for this space, for whichever capacity.
    """

    capacity: Capacity
    needed_bytes: int
    first_moment: int | None = None
    certainty: Certainty = "exact"
    refusal: Refusal | None = None

    @property
    def excess_bytes(self) -> int:
        return self.needed_bytes - self.capacity.size_bytes

    @property
    def fits(self) -> bool | None:
        """Whether the program fits; None if that is not known."""
        return fits(self.needed_bytes, self.certainty, self.capacity.size_bytes, self.refusal)

    @property
    def is_over(self) -> bool:
        """Whether the program surely needs more than the capacity."""
        return self.fits is False and self.excess_bytes > 0


@record(kw_only=False)
class DeviceFit:
    """Whether a program fits each space of known capacity; `refused` is the `refusal` if it holds for that."""

    fits: Mapping[int, Fit] = field(default_factory=dict)
    refusal: Refusal | None = None
    refused: Refusal | None = None
    main_color: int = MAIN_SPACE

    @property
    def fits_device(self) -> bool | None:
        """Whether the program fits its device; None where nothing says so."""
        if self.refused or any(fit.fits is False for fit in self.fits.values()):
            return False
        return self.fits[self.main_color].fits if self.main_color in self.fits else None


def device_fit(analysis: Analysis, capacities: Mapping[int, Capacity], refusal: Refusal | None = None) -> DeviceFit:
    """Compare the need of a program in each memory space with the capacity of that."""
    spaces = analysis.spaces
    known = {
        color: _fit(analysis, spaces[color], capacities[color], refusal) for color in capacities if color in spaces
    }
    main, refused = main_space(spaces), refused_for(refusal, spaces, capacities)
    return DeviceFit(known, refusal, refused, main.color if main else MAIN_SPACE)


def _fit(analysis: Analysis, space: Space, capacity: Capacity, refusal: Refusal | None) -> Fit:
    room, temp = capacity.size_bytes - space.static_bytes, space.temp
    steps = zip(temp.moments, temp.amounts, strict=True) if temp else ()
    return Fit(
        capacity,
        space.needed_bytes,
        first_moment=next((moment for moment, amount in steps if amount > room), None),
        certainty=certainty(analysis, space),
        refusal=refusal if refusal and refusal.is_of(space.color, space.name) else None,
    )
