"""One build of a module as the terms need it: what the caller holds, and what is live at a moment."""

from collections.abc import Mapping, Sequence
from typing import Literal

from reportgen.analyse.classes import memory_class
from reportgen.analyse.composition import composition
from reportgen.analyse.records import Measured, Space
from reportgen.analyse.spaces import is_static
from reportgen.compare.evidence import Match
from reportgen.compare.graph import Graph
from reportgen.compare.signature import arguments

Role = Literal["argument", "result", "constant"]
Fate = Literal["argument", "result", "constant", "donated", "temporary", "space"]
Spaces = tuple[Space | None, Space | None]
"""A memory space before and after."""

Rows = Mapping[int, int]
"""Bytes of temporaries by value."""


class MatchedBuild:
    """One build of a module, as the terms need it: its arguments and results, and the partner of each value."""

    def __init__(self, graph: Graph, partners: Sequence[Match | None]) -> None:
        self.analysis: Measured = graph.analysis
        self.partners = partners
        self.results = graph.analysis.program.results
        self.arguments = frozenset(arguments(graph).values())

    def held(self, space: Space | None) -> list[int]:
        """Return the allocations of a space that the caller holds."""
        allocations = self.analysis.dump.allocations
        return [number for number in (space.allocations if space else ()) if is_static(allocations[number])]

    def size(self, allocation: int) -> int:
        return self.analysis.dump.allocations[allocation].size_bytes

    def allocation(self, value: int) -> int:
        return self.analysis.dump.values.allocations[value]

    def role(self, allocation: int) -> Role:
        """Return what an allocation that the caller holds is to it."""
        memory = memory_class(self.analysis.dump.allocations[allocation])
        return "argument" if memory == "parameter" else "constant" if memory == "constant" else "result"

    def representative(self, allocation: int) -> int | None:
        """Return the value that stands for an allocation: its argument, else its result, else its first value."""
        occupants = self.analysis.occupants[allocation]
        known = self.arguments.intersection(occupants) or set(occupants).intersection(self.results.values())
        return min(known or occupants, default=None)

    def rows(self, space: Space | None, moment: int) -> Rows:
        """Return the bytes of each temporary value at a moment; each byte counts for one value."""
        analysis = self.analysis
        allocations = analysis.dump.allocations
        temporary = [n for n in (space.allocations if space else ()) if allocations[n].is_preallocated_temp]
        found = composition(analysis.dump, temporary, analysis.facts, analysis.occupants, moment)
        return {share.value: share.size_bytes for share in found if share.value is not None and share.size_bytes}
