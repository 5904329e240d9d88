"""Two builds of one module: which values are the same, and how each space's peak became what it is."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reportgen.analyse.records import Measured, Space
from reportgen.compare.difference import MatchedBuild, difference_terms
from reportgen.compare.evidence import Match, Matching
from reportgen.compare.graph import Graph, graph_of, plain_op_name, shape_parts
from reportgen.compare.matching import match
from reportgen.compare.schedule_alignment import Chain, MomentPair, longest_chain, place_of
from reportgen.compare.terms import JoinedStep, Kind, Term, steps_of, total
from reportgen.program.scopes import pattern
from reportgen.record import record
from reportgen.reports.source_words import line_words


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

    @property
    def needed_bytes(self) -> tuple[int, int]:
        """Return what must be allocated before and after, 0 in a space that is new or gone."""
        return self.before.needed_bytes if self.before else 0, self.after.needed_bytes if self.after else 0

    @property
    def need_change_bytes(self) -> int:
        """Return the difference between what must be allocated before and after."""
        before, after = self.needed_bytes
        return after - before

    @property
    def steps(self) -> Sequence[JoinedStep]:
        """Return the steps from one peak to the other, in the order of a page."""
        return steps_of(self.terms)


class TermGroup(NamedTuple):
    """Terms about one part of the program, on one source line, and if they are grouped finely of one kind and shape.

    The line is without folders. What is not known is empty.
    """

    name: str
    line: str
    terms: list[Term]
    shape: str = ""

    @property
    def kind(self) -> Kind:
        """Return the kind of the first term."""
        return self.terms[0].kind

    @property
    def change_bytes(self) -> int:
        """Return the bytes that the terms add to the peak."""
        return total(self.terms)


@record(slots=False)
class DumpComparison:
    """Everything known about two builds of one module: `graphs` are those of the two dumps, before and after."""

    graphs: tuple[Graph, Graph]
    matching: Matching
    chain: Chain
    spaces: Mapping[int, SpaceComparison]

    @property
    def before(self) -> Measured:
        """Return the analysis of the dump before."""
        return self.graphs[0].analysis

    @property
    def after(self) -> Measured:
        """Return the analysis of the dump after."""
        return self.graphs[1].analysis

    def described(self, term: Term) -> tuple[str, str, str]:
        """Return the part of the program or the argument that a term is about, its source line, and its shape.

        The name has `#` for the number of a layer, the line has no folders, and what is not known is empty. The value
        is that of the build after, if it is there.
        """
        number, graph = (term.before, self.graphs[0]) if term.after is None else (term.after, self.graphs[1])
        if number is None:
            return "", "", ""
        labels = graph.labels(number)
        shape = shape_parts(graph.analysis.dump.values.shapes[number])[0]
        return labels.part or pattern(plain_op_name(labels.name)), line_words(labels.line), shape

    def groups(self, terms: Iterable[Term], *, finely: bool = False) -> Sequence[TermGroup]:
        """Return the terms by name and line, the largest change first; `finely` by their kind and shape, too.

        Those that are about nothing with a name are left out, unless they are grouped finely.
        """
        found: dict[tuple[object, ...], TermGroup] = {}
        for term in terms:
            name, line, shape = self.described(term)
            if name or finely:
                key = (name, line, shape, term.kind) if finely else (name, line)
                found.setdefault(key, TermGroup(name, line, [], shape if finely else "")).terms.append(term)
        return sorted(found.values(), key=lambda group: (-abs(group.change_bytes), group.name, group.shape, group.line))


def _peak_bytes(space: Space | None) -> int | None:
    if space is None:
        return 0
    peak = space.peak_resident
    return None if peak is None else peak.amount


def compare_dumps(before: Measured, after: Measured) -> DumpComparison:
    """Compare two builds of a module."""
    graphs = graph_of(before), graph_of(after)
    matching = match(*graphs)
    trusted = [-1 if match is None or match.grade == "in its place" else match.value for match in matching.before]
    chain = longest_chain(*graphs, trusted)
    sides = MatchedBuild(graphs[0], matching.before), MatchedBuild(graphs[1], matching.after)
    colors = sorted({*before.spaces, *after.spaces})
    return DumpComparison(
        graphs=graphs,
        matching=matching,
        chain=chain,
        spaces={color: _space(sides, color, chain) for color in colors},
    )


def compare_equal_dumps(before: Measured, after: Measured) -> DumpComparison:
    """Compare two builds whose dumps have the same content, without looking for what cannot be there."""
    matches = tuple(Match(value, "content", "content") for value in range(len(before.facts)))
    return DumpComparison(
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
    """Return the comparison of a memory space that at least one side has."""
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
