"""Which values of two builds of a module are the same.

Names are the worst evidence, because one inserted fusion renumbers all that follow, and the read graph is the
best. Starting from the arguments and results, matched values vote for the partners of their neighbours, first
where everything about two values is equal, then tier by tier where less is. A pair is made if each is the only
best candidate of the other, so there are no thresholds, and a contradiction simply votes for someone else.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby

from reportgen.compare.evidence import TIERS, How, Match, Matching, Tier, key_in_tier
from reportgen.compare.graph import Graph
from reportgen.compare.schedule_alignment import longest_chain
from reportgen.compare.signature import argument_pairs, result_pairs

_MOST_READERS, _MOST_OPERANDS = 64, 256
"""A value or an instruction with more neighbours does not vote: it says too little and costs too much."""

_VOTE = 720720
"""Divisible by all numbers up to 16, so that shared votes add up exactly."""


def match(before: Graph, after: Graph) -> Matching:
    """Return the partner of each value."""
    return _Matcher(before, after).matched()


class _Side:
    """One build while it is being matched.

    `partner` and `instruction_partner` are -1 for what has none yet. `key` is the number of an open value's key in the
    tier, equal on both sides for equal keys; -1 for any other value.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.partner = [-1] * graph.size
        self.instruction_partner = [-1] * len(graph.instructions)
        self.key = [-1] * graph.size

    @property
    def open(self) -> list[int]:
        return [value for value, partner in enumerate(self.partner) if partner < 0]

    def neighbours(self, value: int) -> Iterator[int]:
        """Yield the open values that a newly matched one speaks for."""
        graph, partner = self.graph, self.partner
        defining = graph.instruction[value]
        for leaf in graph.leaves[defining]:
            if partner[leaf] < 0:
                yield leaf
        if len(graph.uses[value]) <= _MOST_READERS:
            for reader, _ in graph.uses[value]:
                for leaf in graph.leaves[reader]:
                    if partner[leaf] < 0:
                        yield leaf
        if len(graph.operands[defining]) <= _MOST_OPERANDS:
            for operand, _ in graph.operands[defining]:
                if partner[operand] < 0:
                    yield operand


class _Matcher:
    def __init__(self, before: Graph, after: Graph) -> None:
        self.before, self.after = _Side(before), _Side(after)
        self.matches: list[Match | None] = [None] * before.size

    def matched(self) -> Matching:
        """Return the pairs of both sides: first by the strictest tier, and in each tier by the surest evidence."""
        self.boundary()
        for tier in TIERS:
            if not self.number_keys(tier):
                continue
            self.graph_rounds(tier)
            if tier == "dimensions":  # which say too little to pair what no neighbour votes for
                break
            self.unique(tier)
            self.graph_rounds(tier)
            if tier != "exact":
                self.in_order(tier)
                self.graph_rounds(tier)
        after: list[Match | None] = [None] * self.after.graph.size
        for value, match in enumerate(self.matches):
            if match is not None:
                after[match.value] = Match(value, match.tier, match.how)
        return Matching(tuple(self.matches), tuple(after))

    def pair(self, value: int, partner: int, tier: Tier, how: How) -> None:
        """Make two open values partners, in the result and in the state of both sides."""
        before, after = self.before, self.after
        self.matches[value] = Match(partner, tier, how)
        before.partner[value], before.key[value] = partner, -1
        after.partner[partner], after.key[partner] = value, -1
        # Of an instruction with several values, the first pair decides which instruction is its partner.
        defining, opposite = before.graph.instruction[value], after.graph.instruction[partner]
        if before.instruction_partner[defining] < 0 and after.instruction_partner[opposite] < 0:
            before.instruction_partner[defining], after.instruction_partner[opposite] = opposite, defining

    def boundary(self) -> None:
        """Pair arguments and results, where the votes begin."""
        pairs = (argument_pairs, result_pairs)
        for value, partner, how in (pair for find in pairs for pair in find(self.before.graph, self.after.graph)):
            if self.before.partner[value] < 0 and self.after.partner[partner] < 0:
                self.pair(value, partner, "boundary", how)

    def number_keys(self, tier: Tier) -> bool:
        """Give equal keys of open values equal numbers, and return whether the sides have one in common."""
        numbers: dict[Hashable, int] = {None: -1}
        keys: list[set[int]] = []
        for side in (self.before, self.after):
            for value in side.open:
                side.key[value] = numbers.setdefault(key_in_tier(tier, side.graph, value), len(numbers))
            keys.append({side.key[value] for value in side.open} - {-1})
        return not keys[0].isdisjoint(keys[1])

    def graph_rounds(self, tier: Tier) -> None:
        """Pair values that are each the only best candidate of the other, until no round makes another pair."""
        candidates = self.before.open
        while candidates:
            # Asking one side is enough, because the vote of a pair is about neighbours of both its values.
            best_after = {
                value: best for value in candidates if (best := self._best(self.before, self.after, value)) >= 0
            }
            best_before = {value: self._best(self.after, self.before, value) for value in {*best_after.values()}}
            pairs = [(value, best) for value, best in best_after.items() if best_before[best] == value]
            for value, partner in pairs:
                self.pair(value, partner, tier, "graph")
            candidates = sorted({neighbour for value, _ in pairs for neighbour in self.before.neighbours(value)})

    @staticmethod
    def _best(side: _Side, opposite: _Side, value: int) -> int:
        """Return the candidate with the most votes; -1 unless it is the only one."""
        if side.key[value] < 0:
            return -1
        votes: defaultdict[int, int] = defaultdict(int)
        if len(side.graph.leaves[side.graph.instruction[value]]) > 1:
            _ask_siblings(side, opposite, value, votes)
        _ask_operands(side, opposite, value, votes)
        _ask_readers(side, opposite, value, votes)
        if not votes:
            return -1
        most = max(votes.values())
        winners = [candidate for candidate, count in votes.items() if count == most]
        return winners[0] if len(winners) == 1 else -1

    def _by_key(self) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the open values of each key that both sides have."""
        of_before, of_after = _grouped(self.before), _grouped(self.after)
        for key, values in of_before.items():
            if partners := of_after.get(key):
                yield values, partners

    def unique(self, tier: Tier) -> None:
        """Pair values whose key is unique among the open values of each side."""
        for values, partners in list(self._by_key()):
            if len(values) == len(partners) == 1:
                self.pair(values[0], partners[0], tier, "unique")

    def in_order(self, tier: Tier) -> None:
        """Pair similar values by their place in the program: between the same anchors, then by name, then in order."""
        chain = longest_chain(self.before.graph, self.after.graph, self.before.partner)
        anchors = [moment for moment, _ in chain], [moment for _, moment in chain]
        for values, partners in list(self._by_key()):
            values, partners = self._sorted(self.before, values), self._sorted(self.after, partners)
            gaps_before = _by_gap(self.before.graph, values, anchors[0])
            gaps_after = _by_gap(self.after.graph, partners, anchors[1])
            for gap, in_gap in gaps_before.items():
                if len(in_gap) == len(gaps_after.get(gap, ())):
                    for value, partner in zip(in_gap, gaps_after[gap], strict=True):
                        self.pair(value, partner, tier, "order")
            self._same_name(values, partners, tier)
            rest_before = [value for value in values if self.before.partner[value] < 0]
            rest_after = [value for value in partners if self.after.partner[value] < 0]
            # The longer side keeps values without a partner.
            for value, partner in zip(rest_before, rest_after, strict=False):
                self.pair(value, partner, tier, "order")

    @staticmethod
    def _sorted(side: _Side, values: Sequence[int]) -> list[int]:
        ids = side.graph.analysis.dump.values.ids
        return sorted(values, key=lambda value: (side.graph.moment(value), ids[value], value))

    def _same_name(self, values: Sequence[int], partners: Sequence[int], tier: Tier) -> None:
        """Pair open values of equal names."""
        keys_before, keys_after = (side.graph.analysis.dump.values.keys for side in (self.before, self.after))
        by_name = {keys_after[partner]: partner for partner in partners if self.after.partner[partner] < 0}
        for value in values:
            if self.before.partner[value] < 0 and (partner := by_name.pop(keys_before[value], None)) is not None:
                self.pair(value, partner, tier, "name")


def _ask_siblings(side: _Side, opposite: _Side, value: int, votes: defaultdict[int, int]) -> None:
    """Let the partner of the value's instruction vote for its leaf of the same index."""
    key, keys, graph, opposite_graph = side.key[value], opposite.key, side.graph, opposite.graph
    partner = side.instruction_partner[graph.instruction[value]]
    for leaf in opposite_graph.leaves[partner] if partner >= 0 else ():
        if keys[leaf] == key and opposite_graph.indexes[leaf] == graph.indexes[value]:
            votes[leaf] += 2 * _VOTE


def _ask_operands(side: _Side, opposite: _Side, value: int, votes: defaultdict[int, int]) -> None:
    """Let the partner of each operand vote for what reads it at the same slot."""
    key, keys, graph = side.key[value], opposite.key, opposite.graph
    operands, partners = side.graph.operands[side.graph.instruction[value]], side.partner
    for operand, slot in operands if len(operands) <= _MOST_OPERANDS else ():
        partner = partners[operand]
        if partner < 0 or len(graph.uses[partner]) > _MOST_READERS:
            continue
        candidates = [
            leaf
            for reader, read_slot in graph.uses[partner]
            if read_slot == slot
            for leaf in graph.leaves[reader]
            if keys[leaf] == key
        ]
        for candidate in candidates:
            votes[candidate] += _VOTE // len(candidates)


def _ask_readers(side: _Side, opposite: _Side, value: int, votes: defaultdict[int, int]) -> None:
    """Let the partner of each reader vote for what it reads at the same slot."""
    key, keys, graph = side.key[value], opposite.key, opposite.graph
    for reader, slot in side.graph.uses[value]:
        partner = side.instruction_partner[reader]
        if partner >= 0 and len(graph.operands[partner]) <= _MOST_OPERANDS:
            candidates = [operand for operand in graph.at_slot[partner].get(slot, ()) if keys[operand] == key]
            for candidate in candidates:
                votes[candidate] += _VOTE // len(candidates)


def _grouped(side: _Side) -> dict[int, list[int]]:
    values: defaultdict[int, list[int]] = defaultdict(list)
    for value, key in enumerate(side.key):
        if key >= 0:
            values[key].append(value)
    return values


def _by_gap(graph: Graph, values: Sequence[int], anchors: Sequence[int]) -> dict[int, list[int]]:
    """Return the values between each two anchors; `values` are in the order of the program."""
    return {
        gap: list(in_gap)
        for gap, in_gap in groupby(values, key=lambda value: bisect_left(anchors, graph.moment(value)))
    }
