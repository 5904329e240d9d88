"""A dump and its analysis as text that a person can review: everything that pages are made from."""

from collections.abc import Iterable, Iterator, Sequence

from reportgen.analyse.records import Analysis, Share, Space, ValueFacts
from reportgen.intervals.step_function import Peak, StepFunction
from reportgen.model import WHOLE, Allocation, PeakRow, Position, Use
from reportgen.parse.instruction_parser import parse_instruction
from tests.support.dumps import instruction_text


def model_text(analysis: Analysis) -> str:
    sections = (_head, _spaces, _allocations, _schedule, _xla_peak, _stack_trace, _findings)
    return "\n".join("".join(f"{line}\n" for line in section(analysis)) for section in sections)


def _head(analysis: Analysis) -> Iterator[str]:
    dump = analysis.dump
    yield f"backend {analysis.backend}, by {analysis.backend_evidence}"
    yield f"{len(dump.allocations)} allocations, {len(dump.values)} values, {_count(dump.used_values)} used values"
    yield f"total {_number(dump.total_bytes)} bytes, schedule {_number(dump.schedule_length)}"
    yield f"{_count(dump.live_ranges)} live ranges{_after(' · ', dump.live_range_note)}"


def _spaces(analysis: Analysis) -> Iterator[str]:
    for space in analysis.spaces.values():
        yield f"memory space {space.color}, {space.name}"
        yield (
            f"  allocated {_number(space.allocated_bytes)} · static {_number(space.static_bytes)}"
            f" · thread-local {_number(space.thread_local_bytes)} · padding {_number(space.padding_bytes)}"
        )
        yield f"  peak live      {_peak(space.peak_live)}"
        yield f"  peak temp      {_peak(space.peak_temp)}"
        yield f"  peak resident  {_peak(space.peak_resident)}, slack {_number(space.slack_bytes)}"
        yield f"  live  {_steps(space.live)}"
        yield f"  temp  {_steps(space.temp)}"
        yield from _composition(analysis, space)


def _composition(analysis: Analysis, space: Space) -> Iterator[str]:
    for share in space.composition:
        yield f"  {share.size_bytes:>12,}  allocation {share.allocation}  {_share(analysis, share)}"


def _share(analysis: Analysis, share: Share) -> str:
    if share.value is None:
        return "held, nothing live"
    return _name(analysis, share.value) + _after(", shared with ", _names(analysis, share.sharers))


def _allocations(analysis: Analysis) -> Iterator[str]:
    for number, allocation in enumerate(analysis.dump.allocations):
        yield f"allocation {allocation.index}: {_number(allocation.size_bytes)} bytes{_attributes(allocation)}"
        for value in analysis.occupants[number]:
            yield from _value(analysis, value)


def _attributes(allocation: Allocation) -> str:
    words = [
        f"space {allocation.color}" if allocation.color else "",
        "" if allocation.page is None else f"page {allocation.page}",
        ""
        if allocation.parameter is None
        else f"parameter {allocation.parameter} {allocation.parameter_shape} at {allocation.parameter_shape_index}",
        _after("output ", allocation.output_shape),
        "constant" if allocation.is_constant else "",
        "thread-local" if allocation.is_thread_local else "",
        "maybe live out" if allocation.is_maybe_live_out else "",
        "preallocated temp" if allocation.is_preallocated_temp else "",
        *allocation.unknown_attributes,
    ]
    return "".join(f", {word}" for word in words if word)


def _value(analysis: Analysis, number: int) -> Iterator[str]:
    fact = analysis.facts[number]
    value = fact.value
    phi, color = " (phi)" if value.is_phi else "", _after(" @", value.color)
    yield f"  <{value.id} {value.key}{phi}{color}> {value.shape}"
    yield f"      bytes {value.offset_bytes} to {value.end_bytes}, {_lives(fact)}, {_sizes(analysis, fact)}"
    before, after = analysis.reuse.predecessors[number], analysis.reuse.successors[number]
    if before or after:
        yield f"      after {_names(analysis, before) or 'nothing'}, before {_names(analysis, after) or 'nothing'}"
    yield from _used(analysis, fact)


def _lives(fact: ValueFacts) -> str:
    return f"lives {fact.live.start} to {fact.live.end}" if fact.live else "no live range"


def _sizes(analysis: Analysis, fact: ValueFacts) -> str:
    owner = "" if fact.owner is None else f", slice of {_name(analysis, fact.owner)}"
    return (
        f"dense {_number(fact.dense_bytes)}, padded {_number(fact.padded_bytes)},"
        f" padding {_number(fact.padding_bytes)}{owner}"
    )


def _used(analysis: Analysis, fact: ValueFacts) -> Iterator[str]:
    used = analysis.dump.used(analysis.dump.number_of[str(fact.value.key)])
    if used is None:
        return
    uses = ", ".join(map(_use, used.uses)) or "nothing"
    yield f"      at {', '.join(map(_position, used.positions))}; read by {uses}"
    text = instruction_text(analysis.dump, used)
    if text is not None:
        found = parse_instruction(text)
        names = [found.opcode, *(f"%{operand}" for operand in found.operands)]
        yield f"      {' '.join(names)}{_after(' · ', found.op_name)}{_after(' · ', found.source)}"


def _position(position: Position) -> str:
    return position.name + _index(position.shape_index)


def _use(use: Use) -> str:
    return f"{use.name}:{use.operand}{_index(use.shape_index)}"


def _index(index: str) -> str:
    return "" if index == WHOLE else index


def _schedule(analysis: Analysis) -> Iterator[str]:
    yield "schedule"
    for moment, name in analysis.dump.schedule:
        yield f"  {moment:>3}  {name}"


def _xla_peak(analysis: Analysis) -> Iterator[str]:
    printed, peak = analysis.dump.printed_peak, analysis.xla_peak
    if printed is None or peak is None:
        yield "XLA prints no peak"
        return
    yield f"XLA's peak: {_number(peak.sum_bytes)} bytes at {peak.moment}, replayed at {peak.replayed_moment}"
    yield from map(_row, printed.rows)
    yield f"  because of {', '.join(peak.reasons) or 'nothing'}"
    for step in peak.reconciliation:
        yield f"  {step.change_bytes:>+12,}  {step.slug}"
    yield f"  {peak.live_bytes:>12,}  live there"


def _row(row: PeakRow) -> str:
    return f"  {row.size_bytes:>12,}  {row.name}{row.shape_index or ''}{_after(', together ', row.cumulative_bytes)}"


def _stack_trace(analysis: Analysis) -> Iterator[str]:
    trace = analysis.dump.stack_trace
    yield f"stack trace of {_number(trace.total_bytes)} bytes" if trace else "no stack trace"
    for frame in trace.frames if trace else ():
        numbers = (frame.total_bytes, frame.current_bytes, frame.remaining_bytes)
        yield f"  {'  ' * frame.depth}{frame.label!r} {' / '.join(map(_number, numbers))}"


def _findings(analysis: Analysis) -> Iterator[str]:
    yield f"{len(analysis.findings)} findings, {analysis.dump.unparsed_count} lines not understood"
    for found in analysis.findings:
        line = f"line {found.location.line}" if found.location else "no line"
        yield f"  {found.severity} {found.slug}, {line}: {found.message}"


def _name(analysis: Analysis, number: int) -> str:
    return str(analysis.facts[number].value.key)


def _names(analysis: Analysis, numbers: Iterable[int]) -> str:
    return ", ".join(_name(analysis, number) for number in numbers)


def _peak(peak: Peak | None) -> str:
    return "unknown" if peak is None else f"{_number(peak.amount)} at {peak.moment}, {peak.ties} moments"


def _steps(function: StepFunction | None) -> str:
    if function is None:
        return "unknown"
    return " · ".join(f"{first}: {_number(amount)}" for first, _, amount in function.pieces())


def _count(records: Sequence[object] | None) -> str:
    return "no" if records is None else str(len(records))


def _number(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _after(prefix: str, text: object) -> str:
    return "" if text is None or text == "" else f"{prefix}{text}"
