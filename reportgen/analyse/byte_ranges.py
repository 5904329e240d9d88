"""List the byte ranges of an allocation, each with the values that occupy it one after another.

No value begins or ends inside such a slot, so all of its bytes have the same history. The list of occupants
shows what blocks a hole and how often bytes are reused.
"""

from bisect import insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reportgen.analyse.records import ValueFacts

_WITHOUT_RANGE = -1


class Slot(NamedTuple):
    """The bytes [low, high) of an allocation and the values that occupy all of them, in time order."""

    low: int
    high: int
    occupants: tuple[int, ...]


def slots(facts: Sequence[ValueFacts], numbers: Sequence[int], size_bytes: int) -> Iterator[Slot]:
    """Yield the slots of an allocation in address order, empty ones included; together they cover it exactly once.

    This is a generator because a large allocation has more slots than anyone will read.
    """
    arrivals: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    departures: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for number in numbers:
        value = facts[number].value
        if value.size_bytes:
            arrivals[value.offset_bytes].append(_in_time(facts, number))
            departures[value.end_bytes].append(_in_time(facts, number))
    present: list[tuple[int, int, int]] = []
    low = 0
    for edge in sorted({*arrivals, *departures, size_bytes}):
        if edge > low:
            yield Slot(low, edge, tuple(number for _, _, number in present))
        low = edge
        for occupant in departures[edge]:
            present.remove(occupant)
        for occupant in arrivals[edge]:
            insort(present, occupant)


def slot_count(facts: Sequence[ValueFacts], numbers: Sequence[int], size_bytes: int) -> int:
    """Return the number of `slots` without building them."""
    values = [facts[number].value for number in numbers if facts[number].value.size_bytes]
    edges = {edge for value in values for edge in (value.offset_bytes, value.end_bytes)}
    return len(edges | {0, size_bytes}) - 1


def _in_time(facts: Sequence[ValueFacts], number: int) -> tuple[int, int, int]:
    live = facts[number].live
    return (_WITHOUT_RANGE, _WITHOUT_RANGE, number) if live is None else (live.start, live.end, number)
