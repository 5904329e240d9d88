"""Check the laws that the numbers of a report always obey; a breach means that a number here is wrong.

live ≤ resident ≤ needed, and the bytes listed at the peak add up to the peak.
"""

from collections.abc import Iterator

from reportgen.analyse.checks.declaration import check, without_live_ranges
from reportgen.analyse.findings import finding
from reportgen.analyse.records import Figures, Space
from reportgen.analyse.results import Finding


@check(
    name="Laws",
    question="Is live ≤ resident ≤ needed, and do the parts of each peak add up?",
    subject="memory spaces",
    skips=without_live_ranges,
)
def laws(figures: Figures) -> Iterator[Finding]:
    for space in figures.spaces.values():
        for law in _broken(space):
            yield finding("law-broken", f"memory space {space.color} ({space.name}): {law}")


def _broken(space: Space) -> Iterator[str]:
    if space.live is None or space.temp is None or space.peak_resident is None:
        return
    if space.static_live is not None and space.static_live.peak.amount > space.static_bytes:
        yield "more bytes are live than resident"
    if space.peak_resident.amount > space.needed_bytes:
        yield f"{space.peak_resident.amount:,} bytes are resident at the peak, {space.needed_bytes:,} are needed"
    composed = sum(share.size_bytes for share in space.composition)
    if composed != space.peak_resident.amount:
        yield f"the values at the peak add up to {composed:,}, not to {space.peak_resident.amount:,}"


CHECKS = (laws,)
