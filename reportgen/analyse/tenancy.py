"""Who held a value's bytes before and after it, and which values hold the same bytes at once."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from reportgen.analyse.records import Conflict, Tenancy, ValueFacts
from reportgen.spans import overlap


def tenancy(facts: Sequence[ValueFacts], tenants: Iterable[Sequence[int]]) -> Tenancy:
    """Follow each allocation through time; `tenants` lists the values of each."""
    before: list[tuple[int, ...]] = [()] * len(facts)
    after: defaultdict[int, list[int]] = defaultdict(list)
    conflicts: list[Conflict] = []
    for numbers in tenants:
        if len(numbers) > 1:
            in_order = sorted((n for n in numbers if _holds_bytes(facts[n])), key=lambda n: _start(facts[n]))
            if _move_in(facts, in_order, before, after):
                conflicts.extend(_all_conflicts(facts, in_order))
    return Tenancy(tuple(before), tuple(tuple(after.get(n, ())) for n in range(len(facts))), tuple(conflicts))


def _holds_bytes(facts: ValueFacts) -> bool:
    return facts.live is not None and facts.value.size_bytes > 0


def _start(facts: ValueFacts) -> tuple[int, int, int]:
    return (facts.live.start, facts.live.end, facts.value.id) if facts.live else (-1, -1, facts.value.id)


def _move_in(
    facts: Sequence[ValueFacts],
    in_order: Sequence[int],
    before: list[tuple[int, ...]],
    after: defaultdict[int, list[int]],
) -> bool:
    """Let each value take its bytes from those who hold them; whether any was still needed by its holder.

    The first value that takes bytes before their holder's end meets that holder itself, so where this
    never happens there is no conflict at all, and the costlier search for every pair is not needed.
    """
    ledger, is_early = ByteLedger(), False
    for number in in_order:
        value, live = facts[number].value, facts[number].live
        before[number] = ledger.replace(value.offset_bytes, value.end_bytes, number)
        for earlier in before[number]:
            after[earlier].append(number)
            held = facts[earlier].live
            is_early = is_early or bool(held and live and held.end > live.start)
    return is_early


def _all_conflicts(facts: Sequence[ValueFacts], in_order: Sequence[int]) -> Iterator[Conflict]:
    longest = ByteLedger()
    for number in in_order:
        yield from _conflicts(facts, number, longest)


def _conflicts(facts: Sequence[ValueFacts], number: int, longest: "ByteLedger") -> list[Conflict]:
    """Overlaps of more than the one moment in which an operand hands its bytes to a result."""
    value, live = facts[number].value, facts[number].live
    if live is None:
        return []
    found = []
    for earlier in longest.holders(value.offset_bytes, value.end_bytes):
        other, held = facts[earlier].value, facts[earlier].live
        if held and live.start < min(held.end, live.end):
            shared = overlap((value.offset_bytes, value.end_bytes), (other.offset_bytes, other.end_bytes))
            found.append(Conflict(earlier, number, shared, live.start, min(held.end, live.end)))
    longest.extend(value.offset_bytes, value.end_bytes, number, live.end)
    return found


class ByteLedger:
    """Which number holds each byte: disjoint intervals in order, split and joined as holders change."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._holders: list[int] = []
        self._until: list[int] = []

    def _touched(self, low: int, high: int) -> slice:
        first = bisect_left(self._starts, low)
        if first and self._ends[first - 1] > low:
            first -= 1
        return slice(first, bisect_left(self._starts, high, first))

    def holders(self, low: int, high: int) -> tuple[int, ...]:
        """The holders of bytes in [low, high), each once, in order of their bytes."""
        return tuple(dict.fromkeys(self._holders[self._touched(low, high)]))

    def replace(self, low: int, high: int, holder: int) -> tuple[int, ...]:
        """Give [low, high) to `holder`; returns those who had any of it."""
        touched = self._touched(low, high)
        previous = tuple(dict.fromkeys(self._holders[touched]))
        self._splice(touched, low, high, [(low, high, holder, 0)])
        return previous

    def extend(self, low: int, high: int, holder: int, until: int) -> None:
        """Give the bytes of [low, high) to `holder` where nobody holds them for longer than `until`."""
        touched = self._touched(low, high)
        pieces, cursor = [], low
        for start, end, other, other_until in self._rows(touched):
            inside, outside = max(start, low), min(end, high)
            if cursor < inside:
                pieces.append((cursor, inside, holder, until))
            kept = (other, other_until) if other_until > until else (holder, until)
            pieces.append((inside, outside, *kept))
            cursor = outside
        if cursor < high:
            pieces.append((cursor, high, holder, until))
        self._splice(touched, low, high, pieces)

    def _rows(self, touched: slice) -> list[tuple[int, int, int, int]]:
        columns = (self._starts, self._ends, self._holders, self._until)
        return list(zip(*(column[touched] for column in columns), strict=True))

    def _splice(self, touched: slice, low: int, high: int, pieces: list[tuple[int, int, int, int]]) -> None:
        rows = self._rows(touched)
        if rows and rows[0][0] < low:
            pieces = [(rows[0][0], low, *rows[0][2:]), *pieces]
        if rows and rows[-1][1] > high:
            pieces = [*pieces, (high, rows[-1][1], *rows[-1][2:])]
        for column, replacement in zip(
            (self._starts, self._ends, self._holders, self._until), zip(*pieces, strict=True), strict=True
        ):
            column[touched] = replacement
