"""Add up padding by shape and layout, overall and at the peak.

A fix changes the shape or the layout, so all values of one shape share a row. Parameters, outputs and
constants count as temporaries do, because the caller's arrays often waste more.
"""

from collections import defaultdict
from collections.abc import Mapping

from reportgen.analyse.composition import live_at
from reportgen.analyse.records import Analysis, Space
from reportgen.record import record


@record
class PaddedShape:
    """All values of a space that print the same shape; `at_peak_bytes` is the padding among what is resident then."""

    shape: str
    values: int
    padding_bytes: int
    at_peak_bytes: int


def padded_shapes(analysis: Analysis, space: Space) -> tuple[PaddedShape, ...]:
    """Return every shape of a space, most padding first; the padding adds up to that of the space."""
    by_shape: defaultdict[str, list[int]] = defaultdict(list)
    for number in values_of(analysis, space):
        by_shape[analysis.facts[number].value.shape].append(number)
    at_peak = padding_at_peak(analysis, space)
    facts = analysis.facts
    rows = [
        PaddedShape(
            shape=shape,
            values=len(numbers),
            padding_bytes=sum(facts.padding[number] for number in numbers),
            at_peak_bytes=sum(at_peak.get(number, 0) for number in numbers),
        )
        for shape, numbers in by_shape.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.padding_bytes, row.shape)))


def values_of(analysis: Analysis, space: Space) -> list[int]:
    """Return the values in the allocations of a space."""
    return [number for allocation in space.allocations for number in analysis.occupants[allocation]]


def padding_at_peak(analysis: Analysis, space: Space) -> Mapping[int, int]:
    """Return the padding within the bytes that each value owns at the peak; values without any are left out.

    Bytes that the caller holds with no live value in them count for the largest value that occupies them at
    another moment.
    """
    padding: defaultdict[int, int] = defaultdict(int)
    peak = space.peak_resident
    present = set(live_at(analysis.facts, values_of(analysis, space), peak.moment)) if peak else set()
    for share in space.composition:
        number = share.value
        if number is None:
            absent = (number for number in analysis.occupants[share.allocation] if number not in present)
            number = max(absent, key=analysis.facts.values.sizes.__getitem__, default=None)
        if number is not None:
            padding[number] += min(analysis.facts.padding[number], share.size_bytes)
    return {number: size for number, size in padding.items() if size}
