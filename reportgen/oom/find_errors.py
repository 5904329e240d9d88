"""Find out-of-memory errors in any text: a log, an issue, an exception, `.oom_top_memory_consuming_instructions`.

Texts come with prefixes of loggers, with lost indentation, cut anywhere, and once for each replica, retry and layer of
exceptions. Whatever is there is read; the rest stays unknown. `error_lines` has the grammar of a line.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from reportgen.oom.error_event import LoggedBuffer, OutOfMemory, Total
from reportgen.oom.error_lines import (
    SIGNS,
    Line,
    anchor_sizes,
    has_anchor,
    read_field,
    read_line,
    unwrapped,
    without_prefix,
)
from reportgen.oom.printed_size import read_size
from reportgen.patterns import repeated

_LINES_BEFORE = 8
"""How far before a sign an entry may begin."""

_PATIENCE = 40
"""Other lines in a row after which an event has ended: loggers print lines of their own in between."""

_WINDOW = 8192
"""The bytes in which all signs are searched before any is searched further on."""

_MOST_CONTINUED = 6
"""Lines that a sentence may go on for, where a form or an editor has wrapped it."""

_OF_ENTRIES = frozenset({"Number", "Operator", "XLA label", "XLA Label", "Entry Parameter Subshape"})
# A word without a value matches too, because otherwise each of its letters would be tried as the beginning of a name.
_ATTRIBUTE = re.compile(r'(\w+)(?:=(?:"(' + repeated(r'[^"\\]++|\\.') + r')"?|(\S+)))?')
_LABEL = re.compile(r"%?(\S+) = (.*)")
_OPCODE = re.compile(r"(?:^| )([a-z][a-z0-9-]*)\(")
_OUTPUT_OF = re.compile(r"output of ([^@]+)(?:@.*)?")

_OF_ALLOCATOR = frozenset({"allocator", "execution"})
_FRAGMENT = OutOfMemory(kind="fragment")


def find_out_of_memory(data: bytes) -> tuple[OutOfMemory, ...]:
    """Return every event in `data`, in the order of the text; equal ones are one, with a count."""
    lines: defaultdict[OutOfMemory, list[int]] = defaultdict(list)
    number, end = 1, 0
    data = unwrapped(data) if b"RESOURCE_EXHAUSTED" in data or b"ut of memory" in data else data
    for place, event in _events(data):
        number, end = number + data.count(b"\n", end, place), place
        lines[event].append(number)
    return tuple(event._replace(line=numbers[0], times=len(numbers)) for event, numbers in lines.items())


def _events(data: bytes) -> Iterator[tuple[int, OutOfMemory]]:
    """Yield each event with the place at which it begins; lines are read from just before a sign on."""
    stream, end = BytesIO(data), 0
    while (sign := _next_sign(data, end)) is not None:
        assembly, others, end = _Assembly(), 0, stream.seek(max(_back(data, sign, _LINES_BEFORE), end))
        while others < _PATIENCE and (line := stream.readline()):
            place, end = end, end + len(line)
            text = line.decode("utf-8", "replace").strip()
            if not text:
                continue
            if named := read_field(text):
                assembly.add_field(*named, place)
            elif (read := _sentence(text, stream) if has_anchor(text) else read_line(text)).role == "other":
                others += 1
                continue
            else:
                end = stream.tell()
                if assembly.is_ended_by(read):
                    yield from assembly.finished()
                assembly.add(read, place)
            others = 0
        yield from assembly.finished()


def _sentence(text: str, stream: BytesIO) -> Line:
    """Read the sentence that begins on a line, and leave `stream` behind the lines on which it goes on."""
    best, after, joined = read_line(text), stream.tell(), text
    for _ in range(_MOST_CONTINUED):
        piece = without_prefix(stream.readline().decode("utf-8", "replace").strip())
        if not piece:
            continue
        if read_field(piece) or read_line(piece).role != "other":
            break
        joined = f"{joined} {piece}"
        read = read_line(joined)
        if len(read.parts) > len(best.parts):
            best, after = read, stream.tell()
    stream.seek(after)
    return best


def _next_sign(data: bytes, start: int) -> int | None:
    """Return the place of the first sign from `start` on, or None."""
    for begin in range(start, len(data), _WINDOW):
        found = [data.find(sign, begin, begin + _WINDOW + len(sign) - 1) for sign in SIGNS]
        if places := [place for place in found if place >= 0]:
            return min(places)
    return None


def _back(data: bytes, place: int, lines: int) -> int:
    """Return where the line begins that is `lines` lines before the one at `place`."""
    for _ in range(lines + 1):
        place = data.rfind(b"\n", 0, place)
        if place < 0:
            return 0
    return place + 1


@dataclass(slots=True)
class _Assembly:
    """Assemble lines into events: `event`, which starts at `begin`, is the one being read, and `entry` its buffer."""

    event: OutOfMemory | None = None
    begin: int = 0
    head: str = ""
    heads: set[str] = field(default_factory=set)
    last_number: int = 0
    totals: list[Total] = field(default_factory=list)
    buffers: list[LoggedBuffer] = field(default_factory=list)
    entry: dict[str, Any] | None = None

    def is_ended_by(self, line: Line) -> bool:
        """Return whether the line cannot belong to the event: a table or a list begins a second time."""
        if line.role == "head":
            is_other = line.parts["name"] == "Stats" and self.event is not None and self.event.kind not in _OF_ALLOCATOR
            return is_other or line.parts["name"] in self.heads
        if line.role == "entry":
            return bool(self.last_number >= line.parts["number"])
        return line.role == "anchor"

    def add_field(self, name: str, value: str, place: int) -> None:
        """Add a field to the entry."""
        if self.event is None:
            self.event, self.begin = _FRAGMENT, place
        # A second field of one name belongs to the next entry, whose heading was lost.
        if self.entry is None or self.entry.get(name):
            self._end_entry(is_cut=True)
            self.entry = {}
        self.entry[name] = value

    def add(self, line: Line, place: int) -> None:
        """Add any other line to the event."""
        if self.event is None:
            self.event, self.begin = _event_of(line), place
        match line.role:
            case "field":
                self.add_field(line.parts["name"], line.parts["value"], place)
            case "separator":
                self._end_entry(is_cut=False)
            case "entry":
                self._end_entry(is_cut=True)
                self.last_number = line.parts["number"]
                self.entry = {"Number": line.parts["number"], "Size": line.parts["size"]}
            case "row" if self.head:
                self._end_entry(is_cut=True)
                self.totals.append(Total(self.head, line.parts["name"], line.parts["size"], line.parts["detail"]))
            case "head":
                self._end_entry(is_cut=True)
                self.head = line.parts["name"]
                self.heads.add(self.head)
                if line.parts["size"]:
                    self.totals.append(Total(self.head, "", read_size(line.parts["size"]), line.parts["detail"]))
            case "anchor":
                self.buffers += _named_buffer(line)

    def finished(self) -> Iterator[tuple[int, OutOfMemory]]:
        """Yield the event and where it begins, if enough of it was found, and start afresh."""
        self._end_entry(is_cut=True)
        if self.event and (self.event.kind != "fragment" or self.totals or self.buffers):
            event = self.event._replace(totals=tuple(self.totals), buffers=tuple(self.buffers))
            yield self.begin, _with_totals(event)
        self.event, self.head, self.heads, self.last_number, self.totals, self.buffers = None, "", set(), 0, [], []

    def _end_entry(self, *, is_cut: bool) -> None:
        """Keep the entry if it is one: a lone `Shape:` or `Size:` may be anything."""
        if self.entry is not None and not _OF_ENTRIES.isdisjoint(self.entry):
            self.buffers.append(_buffer_of(self.entry, is_cut=is_cut))
        self.entry = None


def _with_totals(event: OutOfMemory) -> OutOfMemory:
    """Return the event with what its sentence leaves out and its tables say."""
    sizes = {total.name or total.head: total.size for total in event.totals}
    usage = next((size for name, size in sizes.items() if name.endswith(" usage >=")), None)
    needed = event.needed or usage or sizes.get("Program hbm requirement")
    return event._replace(needed=needed, capacity=event.capacity or sizes.get("HBM capacity") or sizes.get("Limit"))


def _event_of(line: Line) -> OutOfMemory:
    if line.role == "head" and line.parts["name"] == "Stats":
        return OutOfMemory(kind="allocator")
    if line.role != "anchor":
        return _FRAGMENT
    parts, sizes = line.parts, anchor_sizes(line.parts)
    return OutOfMemory(
        kind=parts["kind"],
        message=parts["message"],
        code=parts.get("code", ""),
        space=parts.get("space", "").lower(),
        module=parts.get("module", ""),
        device=parts.get("device", ""),
        needed=sizes.get("needed"),
        capacity=sizes.get("capacity"),
        excess=sizes.get("excess"),
        free=sizes.get("free"),
        reservable=sizes.get("reservable"),
    )


def _named_buffer(line: Line) -> list[LoggedBuffer]:
    """Return the buffer that alone is larger than the memory, if the text names it."""
    if "shape" not in line.parts:
        return []
    tag, hlo = line.parts.get("tag", ""), line.parts.get("hlo", "")
    output = _OUTPUT_OF.fullmatch(tag)
    instruction = output[1] if output else "" if hlo.startswith("<") else hlo
    size = anchor_sizes(line.parts)["needed"]
    is_cut = "tag" not in line.parts
    return [LoggedBuffer(size=size, shape=line.parts["shape"], instruction=instruction, kind=tag, is_cut=is_cut)]


def _buffer_of(entry: dict[str, Any], *, is_cut: bool) -> LoggedBuffer:
    label = _LABEL.match(entry.get("XLA label", ""))
    opcode = _OPCODE.search(label[2]) if label else None
    found = _ATTRIBUTE.findall(entry.get("Operator", ""))
    attributes = {name: _unescaped(text) if text else word for name, text, word in found if text or word}
    parameter = entry.get("Entry Parameter Subshape", "")
    return LoggedBuffer(
        number=entry.get("Number"),
        size=read_size(entry.get("Size") or ""),
        unpadded=read_size(entry.get("Unpadded size", "")),
        shape=parameter or entry.get("Shape", ""),
        instruction=label[1] if label else "",
        opcode=opcode[1] if opcode else entry.get("XLA Label", ""),
        op_name=attributes.get("op_name", ""),
        source_file=attributes.get("source_file", ""),
        source_line=_number(attributes.get("source_line")),
        stack_frame_id=_number(attributes.get("stack_frame_id")),
        kind=entry.get("Allocation type", ""),
        is_parameter=bool(parameter),
        is_cut=is_cut,
    )


def _number(text: str | None) -> int | None:
    # isdigit() alone would accept the digits of every script.
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


def _unescaped(text: str) -> str:
    """Return the text without the escapes that XLA prints in quotes."""
    if "\\" not in text:
        return text
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], text)
