"""Model what a dump says: records (`rows`), columns of them (`columns`) and the whole (`dump`)."""

from reportgen.model.columns import Columns, LiveRanges, Schedule, UsedValues, Values
from reportgen.model.dump import Dump
from reportgen.model.rows import (
    WHOLE,
    Allocation,
    LiveRange,
    PeakRow,
    Position,
    PrintedPeak,
    Scheduled,
    StackFrame,
    StackTrace,
    Unparsed,
    Use,
    UsedValue,
    Value,
    ValueKey,
    users_in,
)

__all__ = [
    "WHOLE",
    "Allocation",
    "Columns",
    "Dump",
    "LiveRange",
    "LiveRanges",
    "PeakRow",
    "Position",
    "PrintedPeak",
    "Schedule",
    "Scheduled",
    "StackFrame",
    "StackTrace",
    "Unparsed",
    "Use",
    "UsedValue",
    "UsedValues",
    "Value",
    "ValueKey",
    "Values",
    "users_in",
]
