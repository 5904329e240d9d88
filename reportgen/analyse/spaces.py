"""Compute the figures of each memory space. Spaces peak independently, so their figures are never added up."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Protocol, TypeVar

from reportgen.analyse.backends import space_name
from reportgen.analyse.composition import composition
from reportgen.analyse.records import Facts, Space, moments_of
from reportgen.analyse.reuse import Area, Changes
from reportgen.input.names import Backend
from reportgen.intervals.step_function import StepFunction
from reportgen.intervals.union import Occupancy
from reportgen.model import Allocation, Dump

_SMALL_PART = 1000


class Needing(Protocol):
    """The figures of a memory space, as computed or as a document has them."""

    @property
    def name(self) -> str: ...
    @property
    def needed_bytes(self) -> int: ...


_Space = TypeVar("_Space", bound=Needing)


def is_static(allocation: Allocation) -> bool:
    """Return whether the caller holds an allocation for the whole run: parameters, constants and what may be live out.

    An allocation without any kind (never seen) is counted here, so that no peak is stated too low.
    """
    return not allocation.is_thread_local and not allocation.is_preallocated_temp


def occupancies(facts: Facts, numbers: Sequence[int]) -> list[Occupancy]:
    """Return which bytes of an allocation the values `numbers` occupy, and when."""
    starts, ends, offsets, sizes = facts.starts, facts.ends, facts.values.offsets, facts.values.sizes
    return [Occupancy(starts[n], ends[n], offsets[n], offsets[n] + sizes[n]) for n in numbers if starts[n] >= 0]


def spaces(
    dump: Dump, backend: Backend, facts: Facts, occupants: Sequence[Sequence[int]], covered: Mapping[Area, Changes]
) -> dict[int, Space]:
    """Return every memory space that has an allocation, by color. `covered` is how the covered bytes change."""
    numbers_by_color: defaultdict[int, list[int]] = defaultdict(list)
    for number, allocation in enumerate(dump.allocations):
        numbers_by_color[allocation.color].append(number)
    by_color = {}
    for color, numbers in sorted(numbers_by_color.items()):
        allocations = [dump.allocations[number] for number in numbers]
        live, temp, static_live = _over_time(dump, covered[color, True], covered[color, False])
        by_color[color] = Space(
            color=color,
            name=space_name(backend, color),
            allocations=tuple(numbers),
            allocated_bytes=sum(allocation.size_bytes for allocation in allocations),
            static_bytes=sum(allocation.size_bytes for allocation in allocations if is_static(allocation)),
            thread_local_bytes=sum(a.size_bytes for a in allocations if a.is_thread_local),
            padding_bytes=sum(facts.padding[value] for number in numbers for value in occupants[number]),
            live=live,
            temp=temp,
            static_live=static_live,
            composition=composition(dump, numbers, facts, occupants, temp.peak.moment) if temp else (),
        )
    return by_color


def _over_time(
    dump: Dump, in_temps: Changes, elsewhere: Changes
) -> tuple[StepFunction, StepFunction, StepFunction] | tuple[None, None, None]:
    """Return live(t) of a space, and the parts of it that are in preallocated temps and in all other allocations."""
    if dump.live_ranges is None:
        return None, None, None
    moments = max(moments_of(dump), 1)  # because what is live in an empty schedule is live at moment 0
    temp, static = (StepFunction.from_changes(changes.items(), moments) for changes in (in_temps, elsewhere))
    both = chain(in_temps.items(), elsewhere.items())
    return StepFunction.from_changes(both, moments) if elsewhere else temp, temp, static


def main_space(spaces_by_color: Mapping[int, _Space]) -> _Space | None:
    """Return the device's main memory or, where nothing is needed in it, the space with the largest need."""
    device = spaces_by_color.get(0)
    if device and device.needed_bytes:
        return device
    return max(spaces_by_color.values(), key=lambda space: space.needed_bytes, default=None)


def is_small(name: str, needed_bytes: int, main_bytes: int, *, is_short: bool) -> bool:
    """Return whether a memory space next to the main one is too small to matter, so that it gets no tables.

    It is for semaphores, or needs less than a thousandth of the main one's need. `is_short` says that the device has
    too little of it, so that it matters.
    """
    return not is_short and (name.endswith("semaphores") or needed_bytes * _SMALL_PART < main_bytes)
