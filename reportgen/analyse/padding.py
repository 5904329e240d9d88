"""Where padding goes: by shape with its layout, in all and at the peak.

A fix changes the shape or the layout, so all values of one shape are one row. Parameters, outputs and
constants count like temporaries: what the caller's arrays waste is often the larger part.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reportgen.analyse.composition import live_at
from reportgen.analyse.records import Analysis, Share, Space


@dataclass(frozen=True, slots=True, kw_only=True)
class PaddedShape:
    """All values of a space with one printed shape.

    `padded_bytes` is dense + padding, so it includes what the compiler rounds up beyond the layout.
    `dense_bytes` leaves out values of unknown size, of which there are `unknown`. `at_peak_bytes` is the
    padding among the bytes that are resident at the peak.
    """

    shape: str
    values: int
    unknown: int
    dense_bytes: int
    padding_bytes: int
    at_peak_bytes: int
    largest: int

    @property
    def padded_bytes(self) -> int:
        return self.dense_bytes + self.padding_bytes


def padded_shapes(analysis: Analysis, space: Space) -> tuple[PaddedShape, ...]:
    """Every shape of a space, the one that loses most first; the padding adds up to that of the space."""
    by_shape: defaultdict[str, list[int]] = defaultdict(list)
    for number in values_of(analysis, space):
        by_shape[analysis.facts[number].value.shape].append(number)
    at_peak = padding_at_peak(analysis, space)
    rows = [_row(analysis, shape, numbers, at_peak) for shape, numbers in by_shape.items()]
    return tuple(sorted(rows, key=lambda row: (-row.padding_bytes, -row.dense_bytes, row.shape)))


def values_of(analysis: Analysis, space: Space) -> list[int]:
    """The values in the allocations of a space."""
    return [number for allocation in space.allocations for number in analysis.tenants[allocation]]


def padding_at_peak(analysis: Analysis, space: Space) -> Mapping[int, int]:
    """How much padding lies in the bytes that each value has at the peak, where it has any.

    Bytes under several values count for the one that is given them. What is held with nothing live in it
    counts for the largest value that has its place there at another moment.
    """
    found: defaultdict[int, int] = defaultdict(int)
    peak = space.peak_resident
    present = set(live_at(analysis.facts, values_of(analysis, space), peak.moment)) if peak else set()
    for share in space.composition:
        number = share.value if share.value is not None else _absent(analysis, share, present)
        if number is not None:
            found[number] += min(analysis.facts[number].padding_bytes, share.size_bytes)
    return {number: size for number, size in found.items() if size}


def _absent(analysis: Analysis, share: Share, present: set[int]) -> int | None:
    absent = [number for number in analysis.tenants[share.allocation] if number not in present]
    return max(absent, key=lambda number: analysis.facts[number].value.size_bytes, default=None)


def _row(analysis: Analysis, shape: str, numbers: Sequence[int], at_peak: Mapping[int, int]) -> PaddedShape:
    dense = [analysis.facts[number].dense_bytes for number in numbers]
    return PaddedShape(
        shape=shape,
        values=len(numbers),
        unknown=dense.count(None),
        dense_bytes=sum(_known(dense)),
        padding_bytes=sum(analysis.facts[number].padding_bytes for number in numbers),
        at_peak_bytes=sum(at_peak.get(number, 0) for number in numbers),
        largest=max(numbers, key=lambda number: analysis.facts[number].value.size_bytes),
    )


def _known(sizes: Iterable[int | None]) -> list[int]:
    return [size for size in sizes if size is not None]
