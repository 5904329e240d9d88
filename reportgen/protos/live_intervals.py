"""Rebuild the live ranges of values from the schedule, as XLA computes them for its own texts (XLA `HloLiveRange`).

A proto has no live ranges, but it has everything that XLA derives them from. A value is live from where it is defined
to its last use or, at the root of a computation, to the end of that. The values of one buffer then share out the time:
each ends where the next one begins.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from reportgen.protos.dataflow import Site
from reportgen.protos.module import HloModule
from reportgen.protos.values import PlacedValues


class Moments(NamedTuple):
    """The first and the last moment of something, both inclusive."""

    start: int
    end: int


class FlatSchedule:
    """The instructions of a module in the order in which they run, those of loops and branches once, in between."""

    def __init__(self, module: HloModule) -> None:
        """Flatten the schedule: the instructions of a called computation come before the call itself."""
        self.sequence: list[int] = []
        self.spans: dict[int, Moments] = {}
        """The first moment of each computation that runs, and the one after its last."""
        self.started_by: dict[int, int] = {}
        """The instruction at which each computation that runs beside others has all that it needs."""
        # With generators, because a damaged module may nest as deep as it has computations.
        running = [self._flattened(module, module.entry, None)]
        while running:
            called = next(running[-1], None)
            if called is None:
                running.pop()
            else:
                running.append(self._flattened(module, *called))
        self.moments: dict[int, int] = {number: moment for moment, number in enumerate(self.sequence)}

    def _flattened(self, module: HloModule, computation: int, starter: int | None) -> Iterator[tuple[int, int | None]]:
        """Add the instructions of a computation; yield each that must be added first, and what starts its work."""
        if computation not in module.schedule or computation in self.spans:
            return
        start = len(self.sequence)
        self.spans[computation] = Moments(start, start)  # so that a damaged module cannot run it in itself
        if starter is not None:
            self.started_by[computation] = starter
        for number in module.schedule[computation]:
            work = module.async_work.get(number)
            if work and work.ready == number:
                yield work.computation, number
            for called in _called_in_order(module, number):
                yield called, starter
            self.sequence.append(number)
        self.spans[computation] = Moments(start, len(self.sequence))

    @property
    def length(self) -> int:
        """Return the number of moments."""
        return len(self.sequence)


def _called_in_order(module: HloModule, number: int) -> Sequence[int]:
    """Return the computations that run before an instruction ends: of a loop, its condition and then its body."""
    match module.opcodes[number]:
        case "while":
            return module.called(number)[::-1]
        case "call" | "conditional":
            return module.called(number)
    return ()


def live_intervals(placed: PlacedValues, schedule: FlatSchedule) -> Mapping[int, Moments]:
    """Return the live range of each value that the schedule runs, by its id."""
    intervals = {value: live for value in placed.definitions if (live := _own_interval(placed, schedule, value))}
    for buffer in placed.buffers:
        values = sorted((value for value in buffer if value in intervals), key=lambda value: (*intervals[value], value))
        for earlier, later in pairwise(values):
            first, second = intervals[earlier], intervals[later]
            intervals[later] = second._replace(end=max(first.end, second.end))
            intervals[earlier] = first._replace(end=min(first.end, second.start))
    return intervals


def _own_interval(placed: PlacedValues, schedule: FlatSchedule, value: int) -> Moments | None:
    """Return the live range of a value as if it were the only one in its buffer; None if its instruction never runs."""
    module, defined = placed.module, placed.definitions[value]
    moment = schedule.moments.get(defined.instruction)
    if moment is None:
        return None
    computation = module.computation_of[defined.instruction]
    is_parameter = module.opcodes[defined.instruction] == "parameter"
    start = schedule.spans[computation].start if is_parameter else moment
    argument = module.numbers.get(defined.instruction), defined.shape_index
    if is_parameter and computation == module.entry and argument not in module.aliased_arguments:
        return Moments(start, schedule.length)
    ends = [_end_of_position(module, schedule, site) for site in placed.positions[value]]
    ends += [_end_of_reading(module, schedule, reading.instruction) for reading in placed.readings(value)]
    if (starter := schedule.started_by.get(computation)) is not None:
        ends.append(schedule.moments.get(module.async_work[starter].last, -1))
        if module.is_root(defined.instruction) and module.opcodes[starter] == "async-start":
            start = schedule.moments[starter]  # as libtpu prints it since 0.0.51
    return Moments(start, max(start, *ends))


def _end_of_position(module: HloModule, schedule: FlatSchedule, site: Site) -> int:
    """Return when a place is last needed; a root lives to the end of its computation. -1 if it never runs."""
    if module.is_root(site.instruction):
        span = schedule.spans.get(module.computation_of[site.instruction])
        return span.end if span else -1
    return schedule.moments.get(site.instruction, -1)


def _end_of_reading(module: HloModule, schedule: FlatSchedule, reader: int) -> int:
    """Return when an instruction has read a value: a loop when its body begins, and a call in what it runs."""
    opcode = module.opcodes[reader]
    if opcode in ("call", "while"):
        runs = next(iter(module.called(reader)), None)  # of a loop, the body
        if runs in schedule.spans:
            parameter = module.parameter(runs) if opcode == "while" else None
            return -1 if parameter is None else schedule.moments.get(parameter, -1)
    return schedule.moments.get(reader, -1)
