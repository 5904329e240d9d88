"""Tell how many bytes of a memory space the errors of a dump leave in doubt.

An error is about some values or an allocation, or about the dump as a whole. Two small values that seem to share bytes
change no figure of a space of gigabytes, so advice on its peak still holds. The same is true of values that unreadable
instructions define.
"""

from collections.abc import Iterator
from typing import Literal

from reportgen.analyse.findings import OF_MISSING, OF_SIZES
from reportgen.analyse.records import Analysis, Space

_DECIDING_PART = 50
"""Bytes in doubt rule out advice for a space if they are more than this part of its peak."""

Certainty = Literal["exact", "least", "unknown"]
"""What is known of a need: all of it; the least that it can be; nothing, because an error is about sizes."""


def certainty(analysis: Analysis, space: Space | None) -> Certainty:
    """Return what is known of the need in a space, or of no bytes without one, as far as errors about sizes allow."""
    here = (None, *(space.allocations if space else ()))
    wrong = {found.slug for found in analysis.findings if found.slug in OF_SIZES and found.allocation in here}
    if analysis.missing and wrong <= OF_MISSING:
        return "least"
    return "unknown" if wrong else "exact"


def contested_bytes(analysis: Analysis, space: Space) -> int | None:
    """Return an upper bound of the bytes of a space that errors concern; None where they decide what is needed."""
    if certainty(analysis, space) == "unknown":
        return None
    values, allocations = set[int](), set[int]()
    for finding in analysis.findings:
        if finding.severity == "error":
            if not finding.values and finding.allocation is None:
                return None
            values.update(finding.values)
            allocations.update(() if finding.allocation is None else (finding.allocation,))
    dump, inside = analysis.dump, set(space.allocations)
    in_doubt = allocations & inside
    sizes = [dump.allocations[number].size_bytes for number in in_doubt]
    placed = ((dump.values.allocations[number], dump.values.sizes[number]) for number in values)
    return sum(sizes) + sum(size for number, size in placed if number in inside - in_doubt)


def decides(contested: int | None, space: Space) -> bool:
    """Return whether the bytes in doubt are too large a part of a space's peak to advise on it."""
    peak = space.peak_resident.amount if space.peak_resident else 0
    return contested is None or contested * _DECIDING_PART > peak


def unread_bytes(analysis: Analysis, space: Space) -> int:
    """Return the bytes in a space that come from unreadable instructions, or from those that run them."""
    values, inside = analysis.dump.values, set(space.allocations)
    made = {number for name in analysis.program.dialect.unread for number in _made_around(analysis, name)}
    return sum(values.sizes[number] for number in made if values.allocations[number] in inside)


def _made_around(analysis: Analysis, name: str) -> Iterator[int]:
    """Yield the values of an instruction or, within a fusion, those of the innermost instruction around it."""
    around = analysis.program.module.path_to_entry(name) if analysis.program.module else ()
    yield from next(filter(None, (analysis.dump.made_by.get(instruction, ()) for instruction in (name, *around))), ())
