"""Tell which values and allocations are worth a section of their own on a page; the others are a row."""

from collections.abc import Sequence

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.records import Analysis

MOST_SECTIONS = 1_000
"""The values up to which a module has a section for each value and each allocation."""

LEAST_SHARE = 1_000
"""The part of the main peak from which a value has a section."""

MOST_IN_ROW = 3
"""The values up to which an allocation of a large module is a row."""


def notable_values(analysis: Analysis) -> Sequence[bool]:
    """Return for each value whether it is at a peak of its space, in a finding, or large for the main peak."""
    sizes = analysis.dump.values.sizes
    if _is_small(analysis):
        return [True] * len(sizes)
    main = analysis.spaces.get(MAIN_SPACE)
    peak = main.peak_resident.amount if main and main.peak_resident else 0
    notable = [size * LEAST_SHARE >= peak > 0 for size in sizes]
    for space in analysis.spaces.values():
        for share in space.composition:
            if share.value is not None:
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
