"""Two builds of one module: which values are the same, and how each space's peak became what it is."""

from collections.abc import Iterable, Mapping, Sequence

from reportgen.analyse.records import Measured, Space
from reportgen.compare.difference import MatchedBuild, difference_terms
from reportgen.compare.evidence import Match, Matching
from reportgen.compare.graph import Graph, graph_of, plain_op_name
from reportgen.compare.matching import match
from reportgen.compare.schedule_alignment import Chain, MomentPair, longest_chain, place_of
from reportgen.compare.terms import JoinedStep, Term, steps_of, total
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


@record
class NamedTerms:
    """Terms about one part of the program, on one source line, which is without folders and empty where unknown."""

    name: str
    line: str
    terms: Sequence[Term]

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

    def subject(self, term: Term) -> tuple[Graph, int] | None:
        """Return the value that a term is about, of the build after if it is there, and the graph that has it."""
        before, after = self.graphs
        if term.after is not None:
            return after, term.after
        return None if term.before is None else (before, term.before)

    def subject_name(self, term: Term) -> str:
        """Return the part of the program that a term is about, or its argument, with `#` for the number of a layer.

        It is empty where the term is about no value.
        """
        subject = self.subject(term)
        if subject is None:
            return ""
        graph, value = subject
        labels = graph.labels(value)
        return labels.part or pattern(plain_op_name(labels.name))

    def subject_line(self, term: Term) -> str:
        """Return the source line that a term is about, without folders; empty where it is unknown."""
        subject = self.subject(term)
        if subject is None:
            return ""
        graph, value = subject
        return line_words(graph.labels(value).line)

    def named_terms(self, terms: Iterable[Term]) -> Sequence[NamedTerms]:
        """Return the terms that are about something with a name, by that name and line, the largest change first."""
        by_name: dict[tuple[str, str], list[Term]] = {}
        for term in terms:
            if name := self.subject_name(term):
                by_name.setdefault((name, self.subject_line(term)), []).append(term)
        groups = [NamedTerms(name=name, line=line, terms=named) for (name, line), named in by_name.items()]
        return sorted(groups, key=lambda group: (-abs(group.change_bytes), group.name, group.line))


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
