"""Define the records that hold the results of an analysis.

Values and allocations are identified by their position in `Dump.values` and `Dump.allocations` (`number`),
which stays unique even if a damaged dump repeats an id. Sizes are in bytes; moments are indexes into the
schedule.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, overload

from reportgen.analyse.chains import chains
from reportgen.analyse.matmul_work import Work, work
from reportgen.analyse.missing_allocations import MissingAllocations, has_cut_live_ranges
from reportgen.analyse.results import CheckResult, Finding
from reportgen.document import Bytes, Count, document
from reportgen.input.names import Backend
from reportgen.intervals.step_function import Peak, StepFunction
from reportgen.model import Columns, Dump, LiveRange, LiveRanges, Value, Values
from reportgen.program.authors import Authors
from reportgen.program.definitions import Definition
from reportgen.program.products import Products, products
from reportgen.program.program import Program
from reportgen.record import record

VMEM = 1
"""The color of a TPU's vector memory."""


@record
class ValueFacts:
    """A value with the figures that follow from it.

    `dense_bytes` is without padding, `padded_bytes` is what the layout needs; both are None where the type is
    unknown. `owner` is the value that determined the size of a shared slice, if that is another value.
    """

    value: Value
    live: LiveRange | None
    dense_bytes: int | None
    padded_bytes: int | None
    padding_bytes: int
    owner: int | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class Facts(Columns[ValueFacts]):
    """The facts of all values, as columns in the order of `values`.

    `starts` and `ends` are the moments of the live ranges, both inclusive; -1 where a value has none.
    """

    values: Values
    live_ranges: LiveRanges
    range_rows: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]
    dense: Sequence[int | None]
    padded: Sequence[int | None]
    padding: Sequence[int]
    owners: Sequence[int | None]
    _rows: dict[int | slice, ValueFacts] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.padding)

    def live(self, number: int) -> LiveRange:
        """Return the live range of a value that has one."""
        return self.live_ranges.row(self.range_rows[number])

    @overload
    def __getitem__(self, index: int) -> ValueFacts: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ValueFacts, ...]: ...
    def __getitem__(self, index: int | slice) -> ValueFacts | tuple[ValueFacts, ...]:
        """Return the facts of a value, which are kept, because pages ask for those of each value fifty times."""
        try:
            return self._rows[index]
        except (KeyError, TypeError):  # because a slice is never kept and has no hash before Python 3.12
            if isinstance(index, slice):
                return super().__getitem__(index)
            row = self._rows[index] = self.row(range(len(self))[index])
            return row

    def row(self, number: int) -> ValueFacts:
        return ValueFacts(
            value=self.values.row(number),
            live=self.live(number) if self.range_rows[number] >= 0 else None,
            dense_bytes=self.dense[number],
            padded_bytes=self.padded[number],
            padding_bytes=self.padding[number],
            owner=self.owners[number],
        )

    def __iter__(self) -> Iterator[ValueFacts]:
        return map(self.__getitem__, range(len(self)))


class Conflict(NamedTuple):
    """Two values that both occupy the bytes [`low`, `high`) from `first` to `last`; `earlier` was defined first."""

    earlier: int
    later: int
    low: int
    high: int
    first: int
    last: int


@record(slots=False, kw_only=False)
class BufferReuse:
    """The values that take over bytes from others: `earlier[i]` was the last to have (some of) the bytes of `later[i]`.

    `conflicts` are values that share bytes at one time; `expected` are those that may, each with the kind of finding
    that explains it. `gap` is 1 in builds before 2022-06-24, which end a value one instruction before the one of its
    buffer that comes next, else 0.
    """

    earlier: Sequence[int]
    later: Sequence[int]
    conflicts: tuple[Conflict, ...]
    expected: Mapping[Conflict, str]
    facts: Facts
    gap: int

    @cached_property
    def predecessors(self) -> tuple[tuple[int, ...], ...]:
        """Return the last values that had (some of) the bytes of each value before it."""
        return _grouped(self.later, self.earlier, len(self.facts))

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """Return the first values that took (some of) the bytes of each value after it."""
        return _grouped(self.earlier, self.later, len(self.facts))

    @cached_property
    def chains(self) -> Mapping[int, Sequence[int]]:
        """Return the values that hand one slice on, in time order, by each of them."""
        return chains(self.facts.values, self.facts.starts, self.facts.ends, self.gap)


def _grouped(owners: Sequence[int], partners: Sequence[int], count: int) -> tuple[tuple[int, ...], ...]:
    grouped: defaultdict[int, list[int]] = defaultdict(list)
    for owner, partner in zip(owners, partners, strict=True):
        grouped[owner].append(partner)
    return tuple(tuple(grouped.get(number, ())) for number in range(count))


@record(kw_only=False)
class Share:
    """A row of the peak's composition: `size_bytes` of an allocation, attributed to one value.

    `value` is None for bytes that the caller holds although nothing in them is live; `sharers` are other
    values that are live in (some of) the same bytes, limited to the first few.
    """

    allocation: int
    value: int | None
    size_bytes: int
    sharers: tuple[int, ...] = ()
    has_more_sharers: bool = False


@record
class Space:
    """The figures of one memory space; `live`, `temp` and all that follows from them are None without live ranges."""

    color: int
    name: str
    allocations: tuple[int, ...]
    allocated_bytes: int
    static_bytes: int
    thread_local_bytes: int
    padding_bytes: int
    live: StepFunction | None
    temp: StepFunction | None
    static_live: StepFunction | None = None
    composition: tuple[Share, ...] = ()

    @property
    def needed_bytes(self) -> int:
        """Return the bytes that must be allocated for the program: all but thread-local ones.

        Those belong to computations that run inside one instruction: they are in registers, on the stack or, as the
        parameters of asynchronous computations, bytes of the caller that have an allocation already. XLA's
        `CompiledMemoryStats` and `BufferAllocation::IsPreallocatedTempBuffer()` leave them out, too.
        """
        return self.allocated_bytes - self.thread_local_bytes

    @property
    def peak_live(self) -> Peak | None:
        return None if self.live is None else self.live.peak

    @property
    def peak_temp(self) -> Peak | None:
        return None if self.temp is None else self.temp.peak

    @property
    def peak_resident(self) -> Peak | None:
        """Return the most that the device must hold at once: the caller's allocations and the temporaries."""
        temp = self.peak_temp
        return None if temp is None else Peak(self.static_bytes + temp.amount, temp.moment, temp.ties)

    @property
    def slack_bytes(self) -> int | None:
        """Return the bytes lost to alignment, fragmentation and space that is idle at the peak."""
        peak = self.peak_resident
        return None if peak is None else self.needed_bytes - peak.amount


class Adjustment(NamedTuple):
    """A correction that leads from XLA's printed sum towards the bytes that live values really cover."""

    slug: str
    change_bytes: int


Fault = Literal["tuple-leaves", "tile-padding", "births-before-deaths", "aliases-twice", "spaces-mixed"]
"""A known fault of the peak that XLA prints."""


@document()
class XlaSum:
    """The peak as XLA prints it."""

    moment: Count
    """The moment of the peak, a position in the schedule."""
    sum_bytes: Bytes
    """The sum that XLA prints, in bytes."""
    reasons: tuple[Fault, ...]
    """Why the sum is wrong; empty if it is right."""


@record
class XlaPeak(XlaSum):
    """XLA's printed peak next to the true figures for the same moment.

    `reconciliation` leads exactly from `sum_bytes` to `live_bytes`, the bytes that live values cover at that moment in
    all spaces together; it is empty if the printed rows cannot be matched with values.
    """

    replayed_moment: int | None
    live_bytes: int
    reconciliation: tuple[Adjustment, ...]

    @property
    def is_correct(self) -> bool:
        """Whether XLA's sum is that of the bytes that are live, in the one space that has any, and at its peak."""
        return not self.reasons and self.sum_bytes == self.live_bytes


@record(slots=False)
class Measured:
    """What each value and each memory space needs, and the program behind them.

    `missing` says which allocations are missing, which makes each size a lower bound; None if none are.
    `occupants` are the values of each allocation.
    """

    dump: Dump
    missing: MissingAllocations | None
    program: Program = field(compare=False)
    backend: Backend
    backend_evidence: str
    facts: Facts
    occupants: Sequence[Sequence[int]]
    reuse: BufferReuse
    spaces: Mapping[int, Space]

    @property
    def moments(self) -> int:
        """Return the number of program points."""
        return moments_of(self.dump)

    @property
    def is_peak_least(self) -> bool:
        """Return whether each peak is a lower bound, because allocations or live ranges are missing."""
        return self.missing is not None or has_cut_live_ranges(self.dump)

    @cached_property
    def authors(self) -> Authors:
        """Return the author of each buffer, as seen from the peaks of the memory spaces."""
        peaks = {color: peak.moment for color, space in self.spaces.items() if (peak := space.peak_resident)}
        return Authors(self.program, peaks)

    @cached_property
    def products(self) -> Products | None:
        """Return the matrix products of the program; None without HLO text."""
        return products(self.program, self.program.module) if self.program.module else None

    @cached_property
    def work(self) -> Work:
        """Return the work of the program, and what of it is done again."""
        return work(self.program, self.products)


@record(slots=False)
class Figures(Measured):
    """Everything that is computed from a dump and that its checks examine."""

    xla_peak: XlaPeak | None

    @property
    def definitions(self) -> Mapping[str, Definition]:
        """Return the shape and opcode of each instruction that defines a value."""
        return self.program.definitions


@record(slots=False)
class Analysis(Figures):
    """Everything that is known about one dump."""

    findings: tuple[Finding, ...]
    evidence: tuple[CheckResult, ...]


def moments_of(dump: Dump) -> int:
    """Return the schedule's length as printed, or the end of the last live range if that line is damaged."""
    if dump.schedule_length is not None:
        return dump.schedule_length
    last = max(dump.live_ranges.ends, default=0) if dump.live_ranges else 0
    return max(last, len(dump.schedule))
