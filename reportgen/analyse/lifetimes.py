"""Find how long values are idle, to find those whose lives could be shorter.

During an idle stretch a value is live although no instruction defines or reads it. Only a stretch that spans the peak
can lower the peak, by computing or fetching the value later, or by computing it again. The dump says which instruction
reads a value, but not when a loop's body does so; a stretch therefore ends at the moment for which the reading
instruction is scheduled.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

from reportgen.analyse.classes import memory_class
from reportgen.analyse.records import Analysis, Space

StretchKind = Literal["before the first use", "between uses", "after the last use", "never used"]


class Stretch(NamedTuple):
    """Moments, `first` to `last` inclusive, at which `value` is idle, and their number, `steps`.

    `kind` says between which uses they lie. `amount` is the bytes that count: those of the value, or at a peak its own.
    """

    value: int
    kind: StretchKind
    first: int
    last: int
    size_bytes: int
    steps: int
    amount: int

    def spans(self, moment: int) -> bool:
        """Return whether a moment is one of them."""
        return self.first <= moment <= self.last


def idle_of(analysis: Analysis, number: int) -> Iterator[Stretch]:
    """Yield the idle stretches of a value; none where the dump does not say which instructions read it."""
    dump = analysis.dump
    first, last = dump.starts[number], min(dump.ends[number], analysis.moments - 1)
    size_bytes = dump.values.sizes[number]
    if first < 0 or dump.used_rows[number] < 0 or not size_bytes:
        return
    moments = {dump.moment_of_user.get(user, -1) for user in dump.users(number)}
    uses = sorted(moment for moment in moments if first <= moment <= last)
    is_argument = first == 0 and dump.allocations[dump.values.allocations[number]].parameter is not None
    for kind, start, end in _stretches(uses, first, last, is_argument=is_argument):
        if start <= end:
            yield Stretch(number, kind, start, end, size_bytes, end - start + 1, size_bytes)


def idle_at_peak(analysis: Analysis, space: Space) -> list[Stretch]:
    """Return the idle stretches that span the peak, most first; each weighs the bytes of its value at the peak."""
    peak = space.peak_resident
    owned = ((share.size_bytes, share.value) for share in space.composition if share.size_bytes)
    spanning = [
        idle._replace(amount=size)
        for size, number in owned
        if peak is not None and number is not None
        for idle in idle_of(analysis, number)
        if idle.spans(peak.moment)
    ]
    return sorted(spanning, key=lambda idle: (-idle.amount, -idle.steps, idle.value))


def idle_temporary_bytes(analysis: Analysis, idle: Iterable[Stretch]) -> int:
    """Return how many of the bytes that are idle at a peak belong to temporaries."""
    return sum(stretch.amount for stretch in idle if is_temporary(analysis, stretch.value))


def is_temporary(analysis: Analysis, number: int) -> bool:
    """Return whether a value is held only as long as it is live, and not by the caller for the whole run."""
    return memory_class(analysis.dump.allocations[analysis.dump.values.allocations[number]]) == "temporary"


def _stretches(uses: list[int], first: int, last: int, *, is_argument: bool) -> Iterator[tuple[StretchKind, int, int]]:
    """Yield (kind, first, last) of each stretch without a use; it is empty where `last` comes before `first`.

    An argument exists before anything runs and until the end, so it can be idle at `first`, where any other value is
    being defined.
    """
    if is_argument and not uses:
        yield "never used", first, last
    elif uses:
        yield "before the first use", first if is_argument else first + 1, uses[0] - 1
        for earlier, later in pairwise(uses):
            yield "between uses", earlier + 1, later - 1
        if is_argument:
            yield "after the last use", uses[-1] + 1, last
