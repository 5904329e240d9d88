"""Find what a change removes from the peak of a program, by comparing the dumps before and after.

A buffer at the peak before is kept if a value of it has a partner of the same size, or of the same dimensions in
another type, that is live at the peak after. Otherwise it is removed: a chunk of an array is another array.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from reportgen.advice.memory import Memory, memory_of
from reportgen.compare.dump_comparison import compare_dumps
from reportgen.compare.evidence import Match
from tests.advice.recompiled import Variant

Buffer = tuple[int, ...]
"""The values of a buffer."""


@dataclass(frozen=True, slots=True)
class Removal:
    """The buffers that a change removes from the peak of `memory`, and those that it removes at any moment.

    `other_bytes` is what else it changes: new buffers at the peak after, buffers that hold more or fewer bytes of
    temporaries than before, and the memory of the caller.
    """

    memory: Memory
    at_peak: frozenset[Buffer]
    anywhere: frozenset[Buffer]
    removed_bytes: int
    other_bytes: int

    def saving(self, buffers: Iterable[Buffer]) -> int:
        """Return what the peak is said to lose without whole buffers."""
        return self._saving(number for buffer in buffers for number in buffer)

    @property
    def saving_of_values(self) -> int:
        """Return what the peak is said to lose without only those values of the buffers that are live at the peak."""
        members = {number for buffer in self.at_peak for number in buffer}
        return self._saving(number for number in self.memory.at_peak if number in members)

    def _saving(self, numbers: Iterable[int]) -> int:
        return self.memory.peak.peak_bytes - self.memory.gone(numbers).peak_bytes


def removal(before: Variant, after: Variant) -> Removal:
    """Return what separates the peaks of two programs."""
    matching = compare_dumps(before.analysis, after.analysis).matching
    one, other = _Side(before, matching.before), _Side(after, matching.after)
    later_bytes = {buffer: other.bytes_at_peak(one.partners(buffer, other)) for buffer in one.at_peak}
    kept = {buffer: later for buffer, later in later_bytes.items() if later is not None}
    removed = one.at_peak.keys() - kept.keys()
    new = [size for buffer, size in other.at_peak.items() if not other.partners(buffer, one)]
    changes = [abs(one.at_peak[buffer] - later) for buffer, later in kept.items()]
    of_caller = abs(before.space.static_bytes - after.space.static_bytes)
    return Removal(
        memory=one.memory,
        at_peak=frozenset(removed),
        anywhere=frozenset(removed | {buffer for buffer in one.buffers if not one.partners(buffer, other)}),
        removed_bytes=sum(one.at_peak[buffer] for buffer in removed),
        other_bytes=sum(new) + sum(changes) + of_caller,
    )


class _Side:
    """One of two compared programs, with the partners of its values."""

    def __init__(self, variant: Variant, matches: Sequence[Match | None]) -> None:
        self._variant, self._matches = variant, matches
        self._program, self._dump = variant.program, variant.analysis.dump
        self._buffer = variant.program.buffers.members
        self.memory = memory_of(variant.analysis, variant.space)

    @cached_property
    def buffers(self) -> frozenset[Buffer]:
        """Return the buffers of all temporaries."""
        return frozenset(map(self._buffer, self.memory.temps))

    @cached_property
    def at_peak(self) -> Mapping[Buffer, int]:
        """Return the bytes of each buffer of temporaries that is live at the peak, without tables of pointers."""
        numbers = [number for number in self.memory.at_peak if not self._program.is_table(number)]
        return {self._buffer(number): self.memory.temps[number].size_bytes for number in numbers}

    def partners(self, buffer: Buffer, other: "_Side") -> list[int]:
        """Return the values of the other side that are the same array."""
        matches = [(number, match.value) for number in buffer if (match := self._matches[number])]
        return [partner for number, partner in matches if self._is_same(number, partner, other)]

    def _is_same(self, number: int, partner: int, other: "_Side") -> bool:
        sizes = self._dump.values.sizes[number], other._dump.values.sizes[partner]
        return sizes[0] == sizes[1] or self._program.dimensions(number) == other._program.dimensions(partner)

    def bytes_at_peak(self, numbers: Iterable[int]) -> int | None:
        """Return the most bytes of temporaries at the peak in the buffer of a value; None where none is live there.

        A buffer in the memory of the caller takes no bytes of temporaries.
        """
        live = {self._buffer(number) for number in numbers if self._is_live(number)}
        return max((self.at_peak.get(buffer, 0) for buffer in live), default=None)

    def _is_live(self, number: int) -> bool:
        starts, ends, peak = self._dump.starts, self._dump.ends, self.memory.peak.moment
        is_in_space = self._dump.values.allocations[number] in self._variant.space.allocations
        return is_in_space and any(starts[one] <= peak <= ends[one] for one in self._buffer(number))
