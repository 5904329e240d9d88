"""Hold the state of one pass over a dump's text: the current list, and everything collected so far."""

from dataclasses import dataclass, field

from reportgen.input.dump_text import TextOffset
from reportgen.model import (
    Allocation,
    LiveRanges,
    PeakRow,
    Schedule,
    StackTrace,
    Unparsed,
    UsedValue,
    UsedValues,
    ValueKey,
    Values,
)

UNPARSED_KEPT = 1_000
_TEXT_KEPT = 200


@dataclass(slots=True)
class UsedDraft:
    """A `Used values:` entry while its lines are being read one by one."""

    id: int
    key: ValueKey
    is_phi: bool
    color: int | None
    text_offset: TextOffset
    # Bytearrays, because damage can split these texts into a million pieces, and adding bytes would copy all each time.
    positions_text: bytearray = field(default_factory=bytearray)
    uses_text: bytearray = field(default_factory=bytearray)
    instruction_start: TextOffset | None = None
    instruction_end: TextOffset | None = None

    @classmethod
    def reopened(cls, used: UsedValue) -> "UsedDraft":
        """Return a draft of a finished entry to which further lines belong."""
        return cls(
            used.id,
            used.key,
            used.is_phi,
            used.color,
            used.text_offset,
            bytearray(used.positions_text),
            bytearray(used.uses_text),
            used.instruction_start,
            used.instruction_end,
        )

    def finished(self) -> UsedValue:
        """Return the entry as a record."""
        return UsedValue(
            id=self.id,
            key=self.key,
            is_phi=self.is_phi,
            color=self.color,
            text_offset=self.text_offset,
            positions_text=bytes(self.positions_text),
            uses_text=bytes(self.uses_text),
            instruction_start=self.instruction_start,
            instruction_end=self.instruction_end,
        )


class Texts(dict[bytes, str]):
    """Cache decoded shapes and indices, because a dump repeats a few hundred of them for all its values."""

    def __missing__(self, raw: bytes) -> str:
        text = self[raw] = raw.decode("utf-8", "replace")
        return text


@dataclass(slots=True)
class Collected:
    """Hold everything parsed so far, in the order of the text; `used_draft` is the entry that follows `used_values`.

    `number_by_head` maps heads such as `<12 name{0} @0>` to values: each is printed twice but parsed only once.
    """

    allocations: list[Allocation] = field(default_factory=list)
    values: Values = field(default_factory=Values)
    total_bytes: int | None = None
    total_text_offset: TextOffset = 0
    used_values: UsedValues | None = None
    used_draft: UsedDraft | None = None
    schedule_length: int | None = None
    schedule: Schedule = field(default_factory=Schedule)
    schedule_text_offset: TextOffset = 0
    live_ranges: LiveRanges | None = None
    live_range_note: str | None = None
    peak_moment: int | None = None
    peak_text_offset: TextOffset = 0
    peak_rows: list[PeakRow] = field(default_factory=list)
    stack_trace: StackTrace | None = None
    unparsed: list[Unparsed] = field(default_factory=list)
    unparsed_count: int = 0
    texts: Texts = field(default_factory=Texts)
    number_by_head: dict[bytes, int] = field(default_factory=dict)

    def all_used_values(self) -> UsedValues:
        """Finish the current entry and return all entries; create the section if it does not exist yet."""
        if self.used_values is None:
            self.used_values = UsedValues()
        if self.used_draft is not None:
            self.used_values.append(self.used_draft.finished())
            self.used_draft = None
        return self.used_values


@dataclass(slots=True)
class Scan:
    """Hold the text of one part, from the text offset `base`, and the list (`rows`) that indented rows belong to.

    `in_allocation` is False after an `allocation` line that could not be parsed, because the values below it then
    belong to no allocation.
    """

    data: bytes
    base: TextOffset
    end: int
    collected: Collected
    rows: str = ""
    in_allocation: bool = False

    def line_end(self, position: int) -> int:
        """Return the offset after the line that contains `position`, including its newline."""
        newline = self.data.find(b"\n", position, self.end)
        return newline + 1 if newline >= 0 else self.end

    def give_up(self, start: int) -> int:
        """Count all lines from `start` on as unparsed, and return the end of the part."""
        self.collected.unparsed_count += self.data.count(b"\n", start, self.end)
        return self.end

    def keep_unparsed(self, start: int, at: int, expected: str) -> int:
        """Count the line at `start` as unparsed and return its end; keep the texts of the first such lines."""
        after = self.line_end(start)
        self.collected.unparsed_count += 1
        if len(self.collected.unparsed) < UNPARSED_KEPT:
            text = self.data[start : min(after, start + _TEXT_KEPT)].decode("utf-8", "replace").rstrip("\r\n")
            self.collected.unparsed.append(Unparsed(self.base + at, expected, text))
        return after
