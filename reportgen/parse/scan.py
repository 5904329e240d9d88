"""The state of one pass over a dump's text: where we are, and what has been collected so far."""

from dataclasses import dataclass, field

from reportgen.model import (
    Allocation,
    LiveRange,
    PeakRow,
    Scheduled,
    StackTrace,
    Unparsed,
    UsedValue,
    Value,
    ValueKey,
)
from reportgen.source import Place

UNPARSED_KEPT = 1_000
_TEXT_KEPT = 200


@dataclass(slots=True)
class UsedDraft:
    """A `Used values:` entry while its lines are being read one by one."""

    id: int
    key: ValueKey
    is_phi: bool
    color: int | None
    place: Place
    positions_text: bytearray = field(default_factory=bytearray)  # damage may make it come in a million pieces
    uses_text: bytearray = field(default_factory=bytearray)
    instruction_place: Place | None = None
    instruction_end: Place | None = None

    @classmethod
    def reopened(cls, used: UsedValue) -> "UsedDraft":
        """A finished entry that further lines turned out to belong to."""
        return cls(
            used.id,
            used.key,
            used.is_phi,
            used.color,
            used.place,
            bytearray(used.positions_text),
            bytearray(used.uses_text),
            used.instruction_place,
            used.instruction_end,
        )

    def finished(self) -> UsedValue:
        return UsedValue(
            id=self.id,
            key=self.key,
            is_phi=self.is_phi,
            color=self.color,
            place=self.place,
            positions_text=bytes(self.positions_text),
            uses_text=bytes(self.uses_text),
            instruction_place=self.instruction_place,
            instruction_end=self.instruction_end,
        )


class Texts(dict[bytes, str]):
    """The texts of shapes and indices: a dump repeats a few hundred of them for all its values."""

    def __missing__(self, raw: bytes) -> str:
        text = self[raw] = raw.decode("utf-8", "replace")
        return text


@dataclass(slots=True)
class Collected:
    """What has been read, in the order of the text. `used_draft` comes behind `used_values`.

    A head, as in `<12 name{0} @0>`, stands in two lines for each value and is read in the first of them.
    """

    allocations: list[Allocation] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    total_bytes: int | None = None
    total_place: Place = 0
    used_values: list[UsedValue] | None = None
    used_draft: UsedDraft | None = None
    schedule_length: int | None = None
    schedule: list[Scheduled] = field(default_factory=list)
    schedule_place: Place = 0
    live_ranges: list[LiveRange] | None = None
    live_range_note: str | None = None
    peak_moment: int | None = None
    peak_place: Place = 0
    peak_rows: list[PeakRow] = field(default_factory=list)
    stack_trace: StackTrace | None = None
    unparsed: list[Unparsed] = field(default_factory=list)
    unparsed_count: int = 0
    texts: Texts = field(default_factory=Texts)
    value_by_head: dict[bytes, Value] = field(default_factory=dict)

    def all_used_values(self) -> list[UsedValue]:
        """Those read so far, the one that is being read finished; from here on there is a list of them."""
        if self.used_values is None:
            self.used_values = []
        if self.used_draft is not None:
            self.used_values.append(self.used_draft.finished())
            self.used_draft = None
        return self.used_values


@dataclass(slots=True)
class Scan:
    """A part's text with its first place, and the list that indented rows belong to (`rows`).

    `in_allocation` is whether the last `allocation` line was understood: values belong to no other.
    """

    data: bytes
    base: Place
    end: int
    collected: Collected
    rows: str = ""
    in_allocation: bool = False

    def line_end(self, position: int) -> int:
        """The offset behind the line that `position` is in, its newline included."""
        found = self.data.find(b"\n", position, self.end)
        return found + 1 if found >= 0 else self.end

    def keep_unparsed(self, start: int, at: int, expected: str) -> int:
        """Count the line at `start` as not understood; the first ones are kept with their text."""
        after = self.line_end(start)
        self.collected.unparsed_count += 1
        if len(self.collected.unparsed) < UNPARSED_KEPT:
            text = self.data[start : min(after, start + _TEXT_KEPT)].decode("utf-8", "replace").rstrip("\r\n")
            self.collected.unparsed.append(Unparsed(self.base + at, expected, text))
        return after
