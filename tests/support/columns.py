"""Make columns from records, for dumps that a test puts together."""

from collections.abc import Iterable

from reportgen.model import LiveRange, LiveRanges, Schedule, Scheduled, UsedValue, UsedValues, Value, Values


def values_of(rows: Iterable[Value]) -> Values:
    columns = Values()
    for row in rows:
        columns.ids.append(row.id)
        columns.keys.append(str(row.key))
        columns.names.append(row.key.name)
        columns.phis.append(row.is_phi)
        columns.colors.append(row.color)
        columns.allocations.append(row.allocation)
        columns.sizes.append(row.size_bytes)
        columns.offsets.append(row.offset_bytes)
        columns.shapes.append(row.shape)
        columns.text_offsets.append(row.text_offset)
    return columns


def used_values_of(rows: Iterable[UsedValue]) -> UsedValues:
    columns = UsedValues()
    for row in rows:
        columns.append(row)
    return columns


def live_ranges_of(rows: Iterable[LiveRange]) -> LiveRanges:
    columns = LiveRanges()
    for row in rows:
        columns.keys.append(str(row.key))
        columns.starts.append(row.start)
        columns.ends.append(row.end)
        columns.text_offsets.append(row.text_offset)
    return columns


def schedule_of(rows: Iterable[Scheduled]) -> Schedule:
    moments, names = zip(*rows, strict=True) if (rows := list(rows)) else ((), ())
    return Schedule(list(moments), list(names))
