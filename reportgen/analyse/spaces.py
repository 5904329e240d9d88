"""The figures of each memory space. Spaces are never added together: that would not be a peak."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

from reportgen.analyse.backends import space_name
from reportgen.analyse.composition import composition
from reportgen.analyse.records import Backend, Space, ValueFacts, moments_of
from reportgen.coverage import Occupancy, covered_changes
from reportgen.model import Allocation, Dump
from reportgen.spans import Change, StepFunction


def is_static(allocation: Allocation) -> bool:
    """Held by the caller for the whole run: parameters, constants and what may be live out.

    An allocation without any kind (never seen) is counted here, so that no peak is stated too low.
    """
    return not allocation.is_thread_local and not allocation.is_preallocated_temp


def occupancies(facts: Sequence[ValueFacts], numbers: Sequence[int]) -> list[Occupancy]:
    """Which bytes of an allocation the values `numbers` hold, and when."""
    return [
        Occupancy(live.start, live.end, fact.value.offset_bytes, fact.value.end_bytes)
        for fact in map(facts.__getitem__, numbers)
        if (live := fact.live)
    ]


def spaces(
    dump: Dump, backend: Backend, facts: Sequence[ValueFacts], tenants: Sequence[Sequence[int]]
) -> dict[int, Space]:
    """Every memory space that has an allocation, by color."""
    by_color: defaultdict[int, list[int]] = defaultdict(list)
    for number, allocation in enumerate(dump.allocations):
        by_color[allocation.color].append(number)
    return {color: _space(dump, backend, color, numbers, facts, tenants) for color, numbers in sorted(by_color.items())}


def _space(
    dump: Dump,
    backend: Backend,
    color: int,
    numbers: Sequence[int],
    facts: Sequence[ValueFacts],
    tenants: Sequence[Sequence[int]],
) -> Space:
    allocations = [dump.allocations[number] for number in numbers]
    live, temp = _over_time(dump, numbers, facts, tenants)
    return Space(
        color=color,
        name=space_name(backend, color),
        allocations=tuple(numbers),
        allocated_bytes=sum(allocation.size_bytes for allocation in allocations),
        static_bytes=sum(allocation.size_bytes for allocation in allocations if is_static(allocation)),
        thread_local_bytes=sum(a.size_bytes for a in allocations if a.is_thread_local),
        padding_bytes=sum(facts[value].padding_bytes for number in numbers for value in tenants[number]),
        live=live,
        temp=temp,
        composition=composition(dump, numbers, facts, tenants, temp.peak().moment) if temp else (),
    )


def _over_time(
    dump: Dump, numbers: Sequence[int], facts: Sequence[ValueFacts], tenants: Sequence[Sequence[int]]
) -> tuple[StepFunction, StepFunction] | tuple[None, None]:
    """live(t) of the space, and the part of it that lies in preallocated temps."""
    if dump.live_ranges is None:
        return None, None
    moments = max(moments_of(dump), 1)  # what is live in an empty schedule is live at moment 0
    in_temps: list[Change] = []
    elsewhere: list[Change] = []
    for number in numbers:
        changes = in_temps if dump.allocations[number].is_preallocated_temp else elsewhere
        changes += covered_changes(occupancies(facts, tenants[number]))
    temp = StepFunction.from_changes(in_temps, moments)
    return StepFunction.from_changes(chain(temp.changes(), elsewhere), moments), temp
