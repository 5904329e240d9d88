"""Tell which values and allocations are worth a section of their own on a page; the others are a row."""

from collections.abc import Sequence

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.records import Analysis

MOST_SECTIONS = 1_000
"""The values up to which a module has a section for each allocation, and for each value where no peak is known."""

LEAST_SHARE = 1_000
"""The part of the main peak from which a value has a section."""

TINY_BYTES = 4096
"""The bytes up to which a value does not matter because it is at a peak."""

MOST_IN_ROW = 3
"""The values up to which an allocation of a large module is a row."""


def notable_values(analysis: Analysis) -> Sequence[bool]:
    """Return for each value whether it is large for the main peak, at the peak of its space, or in a finding.

    Tiny values at a peak, such as semaphores, are not. In a module of few values without a peak, all are.
    """
    sizes, main = analysis.dump.values.sizes, analysis.spaces.get(MAIN_SPACE)
    peak = main.peak_resident.amount if main and main.peak_resident else 0
    if not peak and _is_small(analysis):
        return [True] * len(sizes)
    notable = [size * LEAST_SHARE >= peak > 0 for size in sizes]
    for space in analysis.spaces.values():
        for share in space.composition:
            if share.value is not None and sizes[share.value] > TINY_BYTES:
                notable[share.value] = True
    for finding in analysis.findings:
        for number in finding.values:
            notable[number] = True
    return notable


def notable_allocations(analysis: Analysis) -> Sequence[bool]:
    """Return for each allocation whether it is in a finding, itself or by a value, or has many values."""
    is_small, allocations = _is_small(analysis), analysis.dump.values.allocations
    notable = [is_small or len(values) > MOST_IN_ROW for values in analysis.occupants]
    for finding in analysis.findings:
        if finding.allocation is not None:
            notable[finding.allocation] = True
        for number in finding.values:
            notable[allocations[number]] = True
    return notable


def _is_small(analysis: Analysis) -> bool:
    return len(analysis.dump.values.sizes) <= MOST_SECTIONS
