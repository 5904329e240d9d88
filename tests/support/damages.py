"""Plausible corruptions of a dump, by kind of damage: each changes one fact, and its form stays right."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

from reportgen.input.dump_text import TextOffset
from reportgen.model import Dump
from tests.support.edits import Corruption, Edit, Edits, NotPossible, chosen

_NARROWER = {"f64": "f32", "f32": "bf16", "s64": "s32", "s32": "s16", "u32": "u16", "bf16": "s8", "f16": "s8"}
_NUMBER = re.compile(rb"(?<![\w.])\d+(?![\w.])")
_ALIGNMENT = 512


def _values(dump: Dump, *, temporary: bool = False) -> list[int]:
    """Return the values with bytes and a live range."""
    allocations, values = dump.allocations, dump.values
    return [
        number
        for number, row in enumerate(dump.range_rows)
        if row >= 0
        and values.sizes[number]
        and (not temporary or allocations[values.allocations[number]].is_preallocated_temp)
    ]


def _range(start: int, end: int) -> Corruption:
    """Move the ends of a live range by up to so many moments."""

    def corrupt(dump: Dump, random: Random) -> Edits:
        ranges = dump.live_ranges
        if not ranges:
            raise NotPossible
        row = random.randrange(len(ranges))
        first = ranges.starts[row] + (random.randint(*sorted((start, start // 8))) if start else 0)
        last = ranges.ends[row] + (random.randint(*sorted((end, end // 8))) if end else 0)
        moments = dump.schedule_length or len(dump.schedule)
        if not 0 <= first <= last <= moments or (first, last) == (ranges.starts[row], ranges.ends[row]):
            raise NotPossible
        return [Edit(ranges.text_offsets[row], f"    {ranges.keys[row]}:{first}-{last}")]

    return corrupt


def _lost_range(dump: Dump, random: Random) -> Edits:
    number = chosen(_values(dump), random)
    ranges = dump.live_ranges
    assert ranges is not None, "values have ranges"
    return [Edit(ranges.text_offsets[dump.range_rows[number]], None)]


def _exchanged_ranges(dump: Dump, random: Random) -> Edits:
    one, other = (dump.range_rows[chosen(_values(dump), random)] for _ in range(2))
    ranges = dump.live_ranges
    assert ranges is not None, "values have ranges"
    if (ranges.starts[one], ranges.ends[one]) == (ranges.starts[other], ranges.ends[other]):
        raise NotPossible
    return [
        Edit(ranges.text_offsets[row], f"    {ranges.keys[row]}:{ranges.starts[of]}-{ranges.ends[of]}")
        for row, of in ((one, other), (other, one))
    ]


def _value_line(dump: Dump, number: int, *, size: int | None = None, offset: int | None = None) -> Edit:
    values = dump.values
    line = dump.text.line(values.text_offsets[number])
    size = values.sizes[number] if size is None else size
    offset = values.offsets[number] if offset is None else offset
    return Edit(
        values.text_offsets[number], re.sub(r"\(size=\d+,offset=\d+\)", f"(size={size},offset={offset})", line, count=1)
    )


def _room(dump: Dump, number: int) -> int:
    values = dump.values
    return dump.allocations[values.allocations[number]].size_bytes - values.sizes[number]


def _others_offset(dump: Dump, random: Random) -> Edits:
    number = chosen(_values(dump, temporary=True), random)
    values = dump.values
    offsets = {
        values.offsets[other]
        for other in _values(dump, temporary=True)
        if values.allocations[other] == values.allocations[number] and values.offsets[other] <= _room(dump, number)
    } - {values.offsets[number]}
    return [_value_line(dump, number, offset=chosen(sorted(offsets), random))]


def _aligned_offset(dump: Dump, random: Random) -> Edits:
    number = chosen(_values(dump, temporary=True), random)
    offset = random.randint(0, _room(dump, number) // _ALIGNMENT) * _ALIGNMENT
    if offset == dump.values.offsets[number]:
        raise NotPossible
    return [_value_line(dump, number, offset=offset)]


def _shifted(dump: Dump, random: Random) -> Edits:
    number = chosen(_values(dump, temporary=True), random)
    offset = dump.values.offsets[number] + random.choice([-128, -64, -16, -8, -4, 4, 8, 16, 64, 128])
    if not 0 <= offset <= _room(dump, number):
        raise NotPossible
    return [_value_line(dump, number, offset=offset)]


def _size(*factors: float) -> Corruption:
    def corrupt(dump: Dump, random: Random) -> Edits:
        number = chosen(_values(dump), random)
        size = int(dump.values.sizes[number] * random.choice(factors))
        if size == dump.values.sizes[number]:
            raise NotPossible
        return [_value_line(dump, number, size=size)]

    return corrupt


def _other_allocation(dump: Dump, random: Random) -> Edits:
    number, values = chosen(_values(dump), random), dump.values
    size = values.sizes[number]
    homes = [n for n, one in enumerate(dump.allocations) if one.size_bytes >= size and n != values.allocations[number]]
    home = dump.allocations[chosen(homes, random)]
    moved = _value_line(dump, number, offset=0)
    after = dump.text.line(home.text_offset)
    return [Edit(values.text_offsets[number], None), Edit(home.text_offset, f"{after}\n{moved.line}")]


def _lost_value(dump: Dump, random: Random) -> Edits:
    return [Edit(dump.values.text_offsets[chosen(_values(dump), random)], None)]


def _lost_with_rows(dump: Dump, random: Random) -> Edits:
    number = chosen(_values(dump), random)
    entries, ranges, row = dump.used_values, dump.live_ranges, dump.used_rows[number]
    if entries is None or ranges is None or row < 0 or entries.instruction_ends[row] is None:
        raise NotPossible
    lines = 4 + entries.positions[row].count(b"\n") + max(1, entries.uses[row].count(b"\n"))
    live = dump.range_rows[number]
    return [
        Edit(dump.values.text_offsets[number], None),
        Edit(entries.text_offsets[row], None, lines),
        Edit(ranges.text_offsets[live], None),
        *_without_peak_row(dump, number),
    ]


def _without_peak_row(dump: Dump, number: int) -> Iterator[Edit]:
    """Remove the value's row of XLA's peak, and its bytes from the sums after it."""
    if dump.printed_peak is None:
        return
    lost, place = 0, dump.printed_peak.text_offset
    place += len(dump.text.line(place)) + 1
    for row in dump.printed_peak.rows:
        line = dump.text.line(place)
        key = row.name + (row.shape_index or "{}")
        if key == dump.values.keys[number] and not lost:
            lost = row.size_bytes
            yield Edit(place, None)
        elif lost and row.cumulative_bytes is not None:
            yield Edit(
                place,
                line.replace(f"cumulative: {row.cumulative_bytes} ", f"cumulative: {row.cumulative_bytes - lost} "),
            )
        place += len(line.encode()) + 1


def _exchanged_slices(dump: Dump, random: Random) -> Edits:
    values = dump.values
    one = chosen(_values(dump, temporary=True), random)
    alike = [
        other
        for other in _values(dump, temporary=True)
        if values.allocations[other] == values.allocations[one]
        and values.sizes[other] == values.sizes[one]
        and values.offsets[other] != values.offsets[one]
    ]
    other = chosen(alike, random)
    return [
        _value_line(dump, one, offset=values.offsets[other]),
        _value_line(dump, other, offset=values.offsets[one]),
    ]


def _kind(old: str, *new: str) -> Corruption:
    """Give an allocation with one attribute another instead."""

    def corrupt(dump: Dump, random: Random) -> Edits:
        lines = [(one.text_offset, dump.text.line(one.text_offset)) for one in dump.allocations if one.size_bytes]
        found = [number for number, (_, line) in enumerate(lines) if re.search(old, line)]
        place, line = lines[chosen(found, random)]
        return [Edit(place, re.sub(old, random.choice(new), line, count=1))]

    return corrupt


def _exchanged_sizes(dump: Dump, random: Random) -> Edits:
    numbers = range(len(dump.allocations))
    one, other = (dump.allocations[chosen(numbers, random)] for _ in range(2))
    if one.size_bytes == other.size_bytes:
        raise NotPossible
    return [
        Edit(
            this.text_offset,
            dump.text.line(this.text_offset).replace(f"size {this.size_bytes}", f"size {that.size_bytes}", 1),
        )
        for this, that in ((one, other), (other, one))
    ]


def _shape(change: Callable[[str, Random], str]) -> Corruption:
    def corrupt(dump: Dump, random: Random) -> Edits:
        number = chosen(_values(dump), random)
        before, shape = dump.text.line(dump.values.text_offsets[number]), dump.values.shapes[number]
        after = before.removesuffix(shape) + change(shape, random)
        if after == before:
            raise NotPossible
        return [Edit(dump.values.text_offsets[number], after)]

    return corrupt


def _narrower(shape: str, random: Random) -> str:
    kind, bracket, rest = shape.partition("[")
    return _NARROWER.get(kind, kind) + bracket + rest


def _smaller(shape: str, random: Random) -> str:
    return re.sub(r"\[(\d+)", lambda found: f"[{max(1, int(found[1]) - 1)}", shape, count=1)


def _untiled(shape: str, random: Random) -> str:
    return re.sub(r":T\([\d,]*\)(?:\([\d,]*\))*", "", shape, count=1)


def _transposed(shape: str, random: Random) -> str:
    return re.sub(r"\[(\d+),(\d+)", r"[\2,\1", shape, count=1)


def _number(dump: Dump, random: Random) -> Edits:
    """Change one number of one line of a kind that is chosen first, so that rare lines count as much."""
    ranges, peak, entries = dump.live_ranges, dump.printed_peak, dump.used_values
    kinds: list[Sequence[TextOffset]] = [
        [one.text_offset for one in dump.allocations],
        dump.values.text_offsets,
        [dump.total_text_offset],
    ]
    kinds += [ranges.text_offsets] if ranges else []
    kinds += [[peak.text_offset]] if peak else []
    kinds += [entries.text_offsets] if entries else []
    place = random.choice(random.choice([places for places in kinds if places]))
    line = dump.text.line(place).encode()
    numbers = list(_NUMBER.finditer(line))
    if not numbers:
        raise NotPossible
    found = random.choice(numbers)
    old = int(found[0])
    new = random.choice([old + 1, max(0, old - 1), old * 2, old * 10, old // 2, random.randint(0, 2 * old + 9)])
    if new == old:
        raise NotPossible
    return [Edit(place, (line[: found.start()] + str(new).encode() + line[found.end() :]).decode("utf-8", "replace"))]


_OUTPUT = r"(?:, output shape is \|[^|]*\|)?, maybe-live-out"
_TEMP = ", preallocated-temp"

SINGLE_NUMBER = "a single number"

KINDS: Mapping[str, Corruption] = {
    "a live range ends later": _range(0, 8),
    "ends earlier": _range(0, -8),
    "starts later": _range(8, 0),
    "starts earlier": _range(-8, 0),
    "a live range is missing": _lost_range,
    "two live ranges are exchanged": _exchanged_ranges,
    "a value has another value's offset": _others_offset,
    "another aligned offset": _aligned_offset,
    "offset moved by a little": _shifted,
    "a value is larger": _size(1.125, 1.5, 2, 4),
    "a value is smaller": _size(0.25, 0.5, 0.75),
    "a value lies in another allocation": _other_allocation,
    "a value's line is missing": _lost_value,
    "a value is missing with all its rows": _lost_with_rows,
    "two values of one size exchange slices": _exchanged_slices,
    "temporary called output": _kind(_TEMP, ", maybe-live-out"),
    "output called temporary": _kind(_OUTPUT, _TEMP),
    "constant called temporary or thread-local": _kind(", constant", _TEMP, ", thread-local"),
    "parameter called temporary or constant": _kind(", parameter [^{]*{[^}]*}(?!, maybe)", _TEMP, ", constant"),
    "temporary called constant or thread-local": _kind(_TEMP, ", constant", ", thread-local"),
    "a donated parameter no longer live-out": _kind(r"(?<=}), maybe-live-out", ""),
    "an allocation in another memory space": _kind(r"(size \d+),(?! color)", r"\1, color 1,"),
    "two allocations exchange sizes": _exchanged_sizes,
    "two dimensions exchanged": _shape(_transposed),
    "a narrower type": _shape(_narrower),
    "a smaller dimension": _shape(_smaller),
    "tiles missing": _shape(_untiled),
    SINGLE_NUMBER: _number,
}
