"""Random dumps: arbitrary ones, to print and read back, and ones whose numbers fit together, to analyse."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from reportgen.input.dump_text import DumpText, TextPart
from reportgen.model import (
    WHOLE,
    Allocation,
    Dump,
    LiveRange,
    PeakRow,
    Position,
    PrintedPeak,
    Scheduled,
    StackFrame,
    StackTrace,
    Use,
    UsedValue,
    Value,
    ValueKey,
)
from tests.support.columns import live_ranges_of, schedule_of, used_values_of, values_of
from tests.support.dumps import nowhere
from tests.support.printer import Dialect, position_rows, use_rows

_SHAPES = ["f32[]", "f32[2]{0}", "bf16[8,128]{1,0:T(8,128)(2,1)S(1)}", "()", "(f32[], /*index=5*/f32[4]{0})", "new[7]"]
_BARE_SHAPES = ["f32[2]", "(s32[], (f32[4], pred[]), /*index=5*/u8[3])", "<unknown shape>", "()"]
_ATTRIBUTES = ["reusable", "frozen since 3", "note |a, b: c|"]
_TAILS = ["", ', metadata={op_name="f/<lambda> \\"λ\\" {"}', ", calls=<9 add @0>", ', x="', "<1 a", " positions:"]
_NOTES = ["HloLiveRange not available (finalized or constructed from proto)"]
_PEAK_NOTES = ["Peak memory could not be determined due to unbounded dynamic shape."]

names = st.sampled_from(
    ["add", "tuple.1", "fusion.10.clone", "_x-y", "operand", "value", "positions", "uses", "allocation"]
) | st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,7}", fullmatch=True)
indexes = st.sampled_from([WHOLE, WHOLE, "{0}", "{1,0}", "{12}"])
keys = st.builds(ValueKey, names, indexes)
sizes = st.integers(0, 20) | st.integers(0, 10**20 - 1)
moments = st.integers(0, 20) | st.integers(0, 10**12 - 1)
colors = st.integers(0, 12)
labels = st.text(st.characters(codec="utf-8"), max_size=12).filter(lambda text: " bytes" not in text)

dialects = st.builds(
    Dialect,
    has_addresses=st.booleans(),
    has_shapes_in_bars=st.booleans(),
    has_pages=st.booleans(),
    notes_other_colors=st.booleans(),
    has_total=st.booleans(),
    is_total_in_words=st.booleans(),
    instructions=st.sampled_from(["absent", "tight", "glued", "spaced"]),
    says_none=st.booleans(),
    has_live_ranges=st.booleans(),
    peak_rows=st.sampled_from(["bare", "indexed", "cumulative"]),
    has_stack_trace=st.booleans(),
    files=st.sampled_from([1, 3]),
)


@st.composite
def allocations(draw: st.DrawFn) -> Allocation:
    is_parameter = draw(st.booleans())
    return Allocation(
        index=draw(st.integers(0, 99)),
        size_bytes=draw(sizes),
        color=draw(colors),
        page=draw(st.none() | st.integers(0, 9)),
        parameter=draw(st.integers(0, 99)) if is_parameter else None,
        parameter_shape=draw(st.none() | st.sampled_from(_BARE_SHAPES)) if is_parameter else None,
        parameter_shape_index=draw(indexes) if is_parameter else None,
        output_shape=draw(st.none() | st.sampled_from(_BARE_SHAPES)),
        is_constant=draw(st.booleans()),
        is_thread_local=draw(st.booleans()),
        is_maybe_live_out=draw(st.booleans()),
        is_preallocated_temp=draw(st.booleans()),
        unknown_attributes=tuple(draw(st.lists(st.sampled_from(_ATTRIBUTES), max_size=2))),
    )


def values(allocation: int) -> st.SearchStrategy[Value]:
    return st.builds(
        Value,
        id=st.integers(0, 10**19 - 1),
        key=keys,
        is_phi=st.booleans(),
        color=st.none() | colors,
        allocation=st.just(allocation),
        size_bytes=sizes,
        offset_bytes=sizes,
        shape=st.sampled_from(_SHAPES),
    )


positions = st.lists(st.builds(Position, names, indexes), max_size=3)
uses = st.lists(st.builds(Use, names, st.integers(0, 99), indexes), max_size=3)
used_values = st.builds(
    UsedValue,
    id=st.integers(0, 10**19 - 1),
    key=keys,
    is_phi=st.booleans(),
    color=st.none() | colors,
    positions_text=positions.map(position_rows),
    uses_text=uses.map(use_rows),
)
peak_rows = st.builds(PeakRow, names, indexes, sizes, sizes)


@st.composite
def stack_traces(draw: st.DrawFn) -> StackTrace:
    """Draw a tree whose first node is the entry computation; labels below it hold what a user may have written."""
    below = st.builds(StackFrame, st.integers(1, 4), labels, sizes, sizes, sizes, st.just("12.5"))
    root = st.builds(StackFrame, st.just(0), names, sizes, sizes, sizes, st.just("100.0"))
    return StackTrace(total_bytes=draw(sizes), frames=(draw(root), *draw(st.lists(below, max_size=4))))


@st.composite
def dumps(draw: st.DrawFn) -> Dump:
    """Draw any dump that can be written down; its numbers need not fit together."""
    held = tuple(draw(st.lists(allocations(), max_size=4)))
    tenants = [value for number in range(len(held)) for value in draw(st.lists(values(number), max_size=4))]
    dump = Dump(
        allocations=held,
        values=values_of(tenants),
        total_bytes=draw(st.none() | sizes),
        text=nowhere(),
    )
    entries = draw(st.none() | st.lists(used_values, max_size=4))
    return _with_live_ranges(draw, dump if entries is None else _with_used_values(draw, dump, entries))


def _with_used_values(draw: st.DrawFn, dump: Dump, entries: Sequence[UsedValue]) -> Dump:
    """Place all instruction texts one after another, as offsets in the dump's text."""
    texts = b""
    placed = []
    for used in entries:
        if draw(st.booleans()):
            text = f"%{used.key.name} = f32[2]{{0}} add(%a, f32[2] %b){draw(st.sampled_from(_TAILS))}".encode()
            placed.append(replace(used, instruction_start=len(texts), instruction_end=len(texts) + len(text)))
            texts += text
        else:
            placed.append(used)
    return replace(dump, used_values=used_values_of(placed), text=DumpText((TextPart("texts", texts),)))


def _with_live_ranges(draw: st.DrawFn, dump: Dump) -> Dump:
    if draw(st.booleans()):
        return replace(dump, live_range_note=draw(st.none() | st.sampled_from(_NOTES)))
    note = draw(st.none() | st.sampled_from(_PEAK_NOTES))
    ranges = st.builds(LiveRange, key=keys, start=moments, end=moments)
    peaks = st.builds(PrintedPeak, moment=moments, rows=st.lists(peak_rows, max_size=3).map(tuple))
    return replace(
        dump,
        schedule_length=draw(moments),
        schedule=schedule_of(draw(st.lists(st.builds(Scheduled, moments, names), max_size=4))),
        live_ranges=live_ranges_of(draw(st.lists(ranges, max_size=4))),
        live_range_note=note,
        printed_peak=None if note else draw(st.none() | peaks),
        stack_trace=draw(st.none() | stack_traces()),
    )


@dataclass(frozen=True)
class _Kind:
    """The attributes of an allocation of one kind."""

    parameter: int | None = None
    is_constant: bool = False
    is_thread_local: bool = False
    is_maybe_live_out: bool = False
    is_preallocated_temp: bool = False


_KINDS = [
    _Kind(parameter=0),
    _Kind(is_constant=True),
    _Kind(is_thread_local=True),
    _Kind(is_maybe_live_out=True),
    _Kind(is_preallocated_temp=True),
    _Kind(is_preallocated_temp=True),
]


@st.composite
def consistent_dumps(draw: st.DrawFn) -> Dump:
    """Draw dumps of small numbers that fit together: slices inside their allocations, ranges inside the schedule.

    Slices overlap at will, in bytes and in time.
    """
    count = draw(st.integers(0, 7))
    length = draw(st.integers(0, 6))
    tenants = sorted(
        (draw(_small_values(number)) for number in range(count)), key=lambda value: (value.allocation, value.id)
    )
    held = tuple(draw(_holding(number, tenants)) for number in range(3))
    live = [draw(_small_ranges(value.key, length)) for value in tenants if draw(st.integers(0, 5))]
    return Dump(
        allocations=held,
        values=values_of(tenants),
        total_bytes=sum(allocation.size_bytes for allocation in held),
        used_values=used_values_of(_used(value) for value in sorted(tenants, key=lambda value: value.id)),
        schedule_length=length,
        schedule=schedule_of(Scheduled(moment, f"i{moment}") for moment in range(length)),
        live_ranges=live_ranges_of(live),
        text=nowhere(),
    )


def _small_values(number: int) -> st.SearchStrategy[Value]:
    return st.builds(
        Value,
        id=st.just(number),
        key=st.just(ValueKey(f"v{number}", WHOLE)),
        color=st.just(0),
        allocation=st.integers(0, 2),
        size_bytes=st.integers(0, 6),
        offset_bytes=st.integers(0, 6),
        shape=st.sampled_from(["u8[1]{0}", "u8[4]{0:T(4)}", "u8[6]{0}", "()"]),
    )


@st.composite
def _holding(draw: st.DrawFn, number: int, tenants: Sequence[Value]) -> Allocation:
    end = max((value.end_bytes for value in tenants if value.allocation == number), default=0)
    kind = draw(st.sampled_from(_KINDS))
    return Allocation(
        index=number,
        size_bytes=end + draw(st.integers(0, 2)),
        color=draw(st.integers(0, 1)),
        parameter=kind.parameter,
        is_constant=kind.is_constant,
        is_thread_local=kind.is_thread_local,
        is_maybe_live_out=kind.is_maybe_live_out,
        is_preallocated_temp=kind.is_preallocated_temp,
    )


def _small_ranges(key: ValueKey, length: int) -> st.SearchStrategy[LiveRange]:
    bounds = st.tuples(st.integers(0, length), st.integers(0, length)).map(sorted)
    return bounds.map(lambda both: LiveRange(key=key, start=both[0], end=both[1]))


def _used(value: Value) -> UsedValue:
    return UsedValue(
        id=value.id, key=value.key, color=value.color, positions_text=position_rows([Position(*value.key)])
    )
