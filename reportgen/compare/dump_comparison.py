"""Two builds of one module: which values are the same, and how each space's peak became what it is."""

from collections.abc import Mapping

from reportgen.analyse.records import Measured, Space
from reportgen.compare.difference import MatchedBuild, difference_terms
from reportgen.compare.evidence import Match, Matching
from reportgen.compare.graph import Graph, graph_of
from reportgen.compare.matching import match
from reportgen.compare.schedule_alignment import Chain, MomentPair, longest_chain, place_of
from reportgen.compare.terms import Term
from reportgen.record import record


@record
class SpaceComparison:
    """One memory space of both builds; `before` or `after` is None where it has none.

    `place` is None without live ranges, and then there are no terms. The terms add up to `change_bytes` exactly.
    """

    color: int
    name: str
    before: Space | None
    after: Space | None
    place: MomentPair | None
    terms: tuple[Term, ...]

    @property
    def before_bytes(self) -> int | None:
        """Return the resident peak before, 0 in a space that is new; None without live ranges."""
        return _peak_bytes(self.before)

    @property
    def after_bytes(self) -> int | None:
        """Return the resident peak after, 0 in a space that is gone; None without live ranges."""
        return _peak_bytes(self.after)

    @property
    def change_bytes(self) -> int | None:
        """Return the difference between the peaks; None if one is unknown."""
        before, after = self.before_bytes, self.after_bytes
        return None if before is None or after is None else after - before


@record(slots=False)
class DumpComparison:
    """Everything known about two builds of one module."""

    before: Measured
    after: Measured
    graphs: tuple[Graph, Graph]
    matching: Matching
    chain: Chain
    spaces: Mapping[int, SpaceComparison]


def _peak_bytes(space: Space | None) -> int | None:
    if space is None:
        return 0
    peak = space.peak_resident
    return None if peak is None else peak.amount


def compare_dumps(before: Measured, after: Measured) -> DumpComparison:
    """Compare two builds of a module."""
    graphs = graph_of(before), graph_of(after)
    matching = match(*graphs)
    trusted = [-1 if one is None or one.grade == "in its place" else one.value for one in matching.before]
    chain = longest_chain(*graphs, trusted)
    sides = MatchedBuild(graphs[0], matching.before), MatchedBuild(graphs[1], matching.after)
    colors = sorted({*before.spaces, *after.spaces})
    return DumpComparison(
        before=before,
        after=after,
        graphs=graphs,
        matching=matching,
        chain=chain,
        spaces={color: _space(sides, color, chain) for color in colors},
    )


def compare_equal_dumps(before: Measured, after: Measured) -> DumpComparison:
    """Compare two builds whose dumps have the same content, without looking for what cannot be there."""
    matches = tuple(Match(value, "content", "content") for value in range(len(before.facts)))
    return DumpComparison(
        before=before,
        after=after,
        graphs=(graph_of(before), graph_of(after)),
        matching=Matching(matches, matches),
        chain=[(moment, moment) for moment in range(before.moments)],
        spaces={
            color: SpaceComparison(
                color=color, name=space.name, before=space, after=after.spaces[color], place=None, terms=()
            )
            for color, space in before.spaces.items()
        },
    )


def _space(sides: tuple[MatchedBuild, MatchedBuild], color: int, chain: Chain) -> SpaceComparison:
    before, after = (side.analysis.spaces.get(color) for side in sides)
    either = after or before
    assert either is not None, "each color is that of a space"
    if before and after:
        place = place_of(before, after, chain)
    else:
        # A space that only one side has is looked at where its own peak is.
        peak = either.peak_resident
        place = MomentPair(peak.moment, peak.moment) if peak else None
    return SpaceComparison(
        color=color,
        name=either.name,
        before=before,
        after=after,
        place=place,
        terms=() if place is None else difference_terms(*sides, (before, after), place),
    )
