"""Records of what the numbers of a dump ARE: the result of the analysis, ready to be shown.

Values and allocations are named by their position in `Dump.values` and `Dump.allocations` (`number`),
which stays unique even when a damaged dump repeats an id. Sizes are bytes, moments are indexes into the
schedule.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from reportgen.analyse.judgements import CheckResult, Finding
from reportgen.model import Dump, LiveRange, Value, record
from reportgen.spans import Peak, StepFunction

Backend = Literal["cpu", "gpu", "tpu", "unknown"]


@record
class ValueFacts:
    """A value with what follows from it.

    `dense_bytes` has no padding, `padded_bytes` is what the layout needs; None where the type is unknown.
    `owner` is the value whose size decided that of a shared slice, when that is another value.
    """

    value: Value
    live: LiveRange | None
    dense_bytes: int | None
    padded_bytes: int | None
    padding_bytes: int
    owner: int | None = None


class Conflict(NamedTuple):
    """Two values that both have the bytes [`low`, `high`) from `first` to `last`; `earlier` was defined first."""

    earlier: int
    later: int
    low: int
    high: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Tenancy:
    """For each value, who held (some of) its bytes last before it and first after it."""

    before: tuple[tuple[int, ...], ...]
    after: tuple[tuple[int, ...], ...]
    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """A row of the peak's composition: `size_bytes` bytes of an allocation, given to one value.

    `value` is None for bytes that the caller holds although nothing in them is live; `sharers` are other
    values live in (some of) the same bytes, the first of them where there are many.
    """

    allocation: int
    value: int | None
    size_bytes: int
    sharers: tuple[int, ...] = ()
    has_more_sharers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """One memory space. Without live ranges `live` and `temp` are None and so is what rests on them."""

    color: int
    name: str
    allocations: tuple[int, ...]
    allocated_bytes: int
    static_bytes: int
    thread_local_bytes: int
    padding_bytes: int
    live: StepFunction | None
    temp: StepFunction | None
    composition: tuple[Share, ...] = ()

    @property
    def peak_live(self) -> Peak | None:
        return None if self.live is None else self.live.peak()

    @property
    def peak_temp(self) -> Peak | None:
        return None if self.temp is None else self.temp.peak()

    @property
    def peak_resident(self) -> Peak | None:
        """The most that the device must hold at once: what the caller holds, and the temporaries."""
        temp = self.peak_temp
        return None if temp is None else Peak(self.static_bytes + temp.amount, temp.moment, temp.ties)

    @property
    def slack_bytes(self) -> int | None:
        """Alignment, fragmentation and space that is idle at the peak."""
        peak = self.peak_resident
        return None if peak is None else self.allocated_bytes - self.thread_local_bytes - peak.amount


class BridgeStep(NamedTuple):
    """A correction on the way from XLA's printed sum to the bytes really under live values."""

    slug: str
    change_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class XlaPeak:
    """XLA's printed peak beside the truth at the same moment.

    `reasons` are slugs of the known faults that show in this dump. `bridge` leads exactly from
    `sum_bytes` to `live_bytes`, the bytes under live values at that moment in all spaces together; it is
    empty when the printed rows cannot be matched with values.
    """

    moment: int
    sum_bytes: int
    replayed_moment: int | None
    reasons: tuple[str, ...]
    live_bytes: int
    bridge: tuple[BridgeStep, ...]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A dump whose values are measured, on which all else rests. `tenants` are the values of each allocation."""

    dump: Dump
    backend: Backend
    backend_evidence: str
    facts: tuple[ValueFacts, ...]
    tenants: tuple[tuple[int, ...], ...]

    @property
    def moments(self) -> int:
        """How many program points there are."""
        return moments_of(self.dump)


@dataclass(frozen=True, kw_only=True)
class Placement(Measured):
    """How values follow each other in their bytes."""

    tenancy: Tenancy


@dataclass(frozen=True, kw_only=True)
class Figures(Measured):
    """What the memory spaces need over time, and what XLA says of it."""

    spaces: Mapping[int, Space]
    xla_peak: XlaPeak | None


@dataclass(frozen=True, kw_only=True)
class Analysis(Placement, Figures):
    """Everything known about one dump."""

    findings: tuple[Finding, ...]
    evidence: tuple[CheckResult, ...]


def moments_of(dump: Dump) -> int:
    """The schedule's length as printed, or what the ranges reach to when the header is lost."""
    if dump.schedule_length is not None:
        return dump.schedule_length
    last = max((live.end for live in dump.live_ranges or ()), default=0)
    return max(last, len(dump.schedule))
