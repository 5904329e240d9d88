"""Who lived at this address: the byte ranges of an allocation, each with its tenants one after another.

A slot is a range of bytes that the same values hold, so none of them begins or ends within it. What blocks a
hole, and how often bytes are used again, can be read off the list of tenants.
"""

from bisect import insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reportgen.analyse.records import ValueFacts

_WITHOUT_RANGE = -1


class Slot(NamedTuple):
    """The bytes [low, high) of an allocation and the values that hold all of them, in time order."""

    low: int
    high: int
    tenants: tuple[int, ...]


def slots(facts: Sequence[ValueFacts], numbers: Sequence[int], size_bytes: int) -> Iterator[Slot]:
    """The slots of an allocation in order of their bytes, empty ones included; they cover it exactly once.

    They are made one by one, because a large allocation has more of them than anyone will read.
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
        for tenant in departures[edge]:
            present.remove(tenant)
        for tenant in arrivals[edge]:
            insort(present, tenant)


def slot_count(facts: Sequence[ValueFacts], numbers: Sequence[int], size_bytes: int) -> int:
    """How many `slots` there are, without making them."""
    values = [facts[number].value for number in numbers if facts[number].value.size_bytes]
    edges = {edge for value in values for edge in (value.offset_bytes, value.end_bytes)}
    return len(edges | {0, size_bytes}) - 1


def _in_time(facts: Sequence[ValueFacts], number: int) -> tuple[int, int, int]:
    live = facts[number].live
    return (_WITHOUT_RANGE, _WITHOUT_RANGE, number) if live is None else (live.start, live.end, number)
