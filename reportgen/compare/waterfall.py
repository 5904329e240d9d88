"""From one peak to the other in terms that add up exactly, each byte in one of them.

What the caller holds is compared as allocations, because which value of a donated argument is live at a moment is an
accident of the moment. Temporaries are compared as values, by the composition at one place of the program, in which
each byte belongs to one value. The sum does not depend on which values were matched; the matching only decides under
which kind a byte is counted.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

from reportgen.analyse.spaces import is_static
from reportgen.compare.evidence import Match
from reportgen.compare.graph import shape_parts
from reportgen.compare.held import held_terms
from reportgen.compare.matched_build import MatchedBuild, Rows, Spaces
from reportgen.compare.schedule_alignment import MomentPair
from reportgen.compare.terms import KINDS, Kind, Term

Absence = Literal["none", "space", "held", "idle", "sharing"]

_LEFT: Mapping[Absence, Kind] = {
    "none": "gone",
    "space": "to another space",
    "held": "held or temporary",
    "idle": "not live any more",
    "sharing": "sharing",
}
_CAME: Mapping[Absence, Kind] = {
    "none": "new",
    "space": "from another space",
    "held": "held or temporary",
    "idle": "live now",
    "sharing": "sharing",
}


def terms(before: MatchedBuild, after: MatchedBuild, spaces: Spaces, place: MomentPair) -> tuple[Term, ...]:
    """Return the terms that lead from the peak of one side to that of the other, in the order of `KINDS`."""
    rows = before.rows(spaces[0], place.before), after.rows(spaces[1], place.after)
    # How much farther the peak of `after` is from the place than that of `before`.
    distances = [
        space.temp.peak.amount - sum(of_values.values()) if space and space.temp else 0
        for space, of_values in zip(spaces, rows, strict=True)
    ]
    elsewhere = Term(kind="elsewhere", change_bytes=distances[1] - distances[0])
    found = [elsewhere, *held_terms(before, after, spaces), *_temporaries(before, after, rows, place)]
    order = {kind: number for number, kind in enumerate(KINDS)}
    changes = (term for term in found if term.change_bytes)
    return tuple(sorted(changes, key=lambda term: (order[term.kind], -abs(term.change_bytes))))


def _temporaries(
    before: MatchedBuild, after: MatchedBuild, rows: tuple[Rows, Rows], place: MomentPair
) -> Iterator[Term]:
    """Compare the composition of both sides at the place, value by value."""
    of_before, of_after = rows
    together = set()
    for value, size in of_before.items():
        match = before.partners[value]
        if match and match.value in of_after:
            together.add(match.value)
            yield from _both(before, value, size, after, match, of_after[match.value])
        else:
            kind = _absence(before, value, match, after, place.after)
            yield Term(
                kind=_LEFT[kind],
                change_bytes=-size,
                before=value,
                after=match.value if match and kind != "none" else None,
            )
    for value, size in of_after.items():
        if value not in together:
            match = after.partners[value]
            kind = _absence(after, value, match, before, place.before)
            partner = match.value if match and kind != "none" else None
            yield Term(kind=_CAME[kind], change_bytes=size, before=partner, after=value)


def _both(
    before: MatchedBuild, value: int, size: int, after: MatchedBuild, match: Match, other_size: int
) -> Iterator[Term]:
    """Split the difference of two values that are both there into shape, padding and bytes given to others."""
    partner = match.value
    if match.grade == "in its place":
        yield Term(kind="replaced", change_bytes=other_size - size, before=value, after=partner)
        return
    (dense, needed), (other_dense, other_needed) = _sizes(before, value), _sizes(after, partner)
    parts = [shape_parts(side.analysis.dump.values.shapes[one]) for side, one in ((before, value), (after, partner))]
    changes: tuple[tuple[Kind, int], ...] = (
        ("shape" if parts[0][3] != parts[1][3] else "element type", other_dense - dense),
        ("padding", (other_needed - other_dense) - (needed - dense)),
        ("sharing", (other_size - other_needed) - (size - needed)),
    )
    for kind, change in changes:
        yield Term(kind=kind, change_bytes=change, before=value, after=partner)


def _sizes(side: MatchedBuild, value: int) -> tuple[int, int]:
    """Return a value's bytes without padding and with it; a slice that another value enlarged is not counted."""
    facts = side.analysis.facts
    dense, padded = facts.dense[value], facts.padded[value]
    needed = facts.values.sizes[value] if facts.owners[value] is None or padded is None else padded
    return needed if dense is None else dense, needed


def _absence(side: MatchedBuild, value: int, match: Match | None, other: MatchedBuild, moment: int) -> Absence:
    """Return why the partner of a value has no bytes among the temporaries of the other side."""
    if match is None or match.grade == "in its place":
        return "none"
    target = other.analysis.dump.allocations[other.allocation(match.value)]
    color = side.analysis.dump.allocations[side.allocation(value)].color
    if target.is_thread_local or target.color != color:
        return "space"
    if is_static(target):
        return "held"
    facts = other.analysis.facts
    # A value without a live range starts at -1.
    return "sharing" if 0 <= facts.starts[match.value] <= moment <= facts.ends[match.value] else "idle"
