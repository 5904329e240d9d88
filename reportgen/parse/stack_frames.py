"""Read where each instruction was written, from the tables of source lines in a module.

Since jax 0.8.3 an instruction carries only `stack_frame_id=N`. The tables that resolve it are in the HLO text,
right after its first line, and in the `.hlo.pb`:

    FileNames       1 "/home/u/train.py"
    FunctionNames   1 "loss_fn"
    FileLocations   1 {file_name_id=1 function_name_id=1 line=84 end_line=84 column=12 end_column=12}
    StackFrames     7 {file_location_id=1 parent_frame_id=3}

The text prints `parent_frame_id` one higher than the proto, so 1 means "no parent" (0 in the proto). This was checked
frame by frame against the `.hlo.pb` of the same modules. The messages are those of `StackFrameIndexProto` in XLA's
hlo.proto.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from reportgen.parse.instruction_parser import unquoted
from reportgen.patterns import STRING, repeated
from reportgen.protos.wire import messages, numbers
from reportgen.record import record

_ROWS = repeated(rb"\d+ [^\n]*\n")
_TABLES = re.compile(
    rb"\n(?:FileNames\n(?P<files>%b)|FunctionNames\n(?P<functions>%b)|FileLocations\n(?P<locations>%b)"
    rb"|StackFrames\n(?P<frames>%b))" % (_ROWS, _ROWS, _ROWS, _ROWS)
)
_NAME = re.compile(rf"^(\d+) ({STRING})", re.MULTILINE)
_LOCATION = re.compile(
    rb"^(\d+) \{file_name_id=(\d+) function_name_id=(\d+) line=(\d+)"
    rb"(?: end_line=\4 column=(\d{1,5}) end_column=(\d{1,5})\})?",
    re.MULTILINE,
)
_FRAME = re.compile(rb"^(\d+) \{file_location_id=(\d+)(?: parent_frame_id=(\d+))?", re.MULTILINE)
_LONGEST_TABLES = 64 << 20  # bytes at the start of a text that are searched for the tables
_LAST_COLUMN = 99_999
_DEEPEST = 1_000  # frames, because a damaged table may contain a cycle
_LIBRARIES = ("/site-packages/", "/dist-packages/", "<frozen ", "<string>")

_MODULE, _STACK_FRAMES = 1, 17
_FILE_NAMES, _FUNCTION_NAMES, _FILE_LOCATIONS, _FRAMES = 1, 2, 3, 4


class Frame(NamedTuple):
    """A place in the source: `file` as the compiler was given it, the function around it, and the line (from 1)."""

    file: str
    function: str
    line: int

    @property
    def is_of_library(self) -> bool:
        """Return whether the file belongs to an installed package or to Python itself instead of to the user."""
        return any(part in self.file for part in _LIBRARIES)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


StatedLine = tuple[Frame, tuple[int, ...]]
"""A frame, and the first byte of its expression and the one after the last; empty where these are unknown."""


Site = tuple[Frame, int]
"""A frame, and a number that tells its expression from others on the same line."""


class _Link(NamedTuple):
    """A row of the frames' table: the numbers of its location and of the frame that called it (0 for none)."""

    location: int
    parent: int


@record(slots=False, kw_only=False)
class StackFrames:
    """The tables of one module, each by the numbers it prints.

    `columns` are the first byte of the expression at a location, and that after its last, from 0; without those of
    several lines.
    """

    files: Mapping[int, str]
    functions: Mapping[int, str]
    locations: Mapping[int, tuple[int, int, int]]
    links: Mapping[int, _Link]
    columns: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    def stack(self, frame_id: int) -> tuple[Frame, ...]:
        """Return the stack of a frame, innermost first; empty for an unknown id.

        Each place is listed once, although a quarter of all stacks repeat places: XLA appends the caller's stack when
        it inlines a call, and the callee's stack from JAX is already complete.
        """
        return tuple(dict.fromkeys(self._frame(location) for location in self._locations(frame_id)))

    def sites(self, frame_id: int) -> Sequence[Site]:
        """Return the whole stack of a frame with the number of each expression or, without columns, of each line."""
        return tuple((self._frame(location), location) for location in self._locations(frame_id))

    def lines(self) -> Iterator[StatedLine]:
        """Yield each location with its columns."""
        return ((self._frame(number), self.columns.get(number, ())) for number in self.locations)

    def columns_of(self, frame_id: int, frame: Frame) -> tuple[int, int] | None:
        """Return the columns of the expression at a frame of the stack of `frame_id`; None where they are unknown."""
        found = (location for location in self._locations(frame_id) if self._frame(location) == frame)
        return self.columns.get(next(found, 0))

    def _locations(self, frame_id: int) -> Iterator[int]:
        """Yield the numbers of the locations of a stack that are known, innermost first."""
        for _ in range(_DEEPEST):
            link = self.links.get(frame_id)
            if link is None:
                break
            if link.location in self.locations:
                yield link.location
            frame_id = link.parent

    def _frame(self, location: int) -> Frame:
        file, function, line = self.locations[location]
        return Frame(self.files.get(file, ""), self.functions.get(function, ""), line)


def stack_frames_of_text(text: bytes) -> StackFrames | None:
    """Return the tables of an HLO text; None if it has none."""
    start = text.find(b"\nFileNames\n", 0, _LONGEST_TABLES)
    if start < 0:
        return None
    tables: dict[str, bytes] = {}
    for match in _TABLES.finditer(text, start, text.find(b"\n}", start) + 1 or len(text)):
        tables |= {name: rows for name, rows in match.groupdict().items() if rows is not None}
        if "frames" in tables:
            break  # because this table is the last, and all computations come after it
    frames = _FRAME.findall(tables.get("frames", b""))
    rows = [tuple(map(int, filter(None, row))) for row in _LOCATION.findall(tables.get("locations", b""))]
    return StackFrames(
        files=_names(tables.get("files", b"")),
        functions=_names(tables.get("functions", b"")),
        locations={number: (file, function, line) for number, file, function, line, *_ in rows},
        links={int(n): _Link(int(location), int(parent or 1) - 1) for n, location, parent in frames},
        columns=_with_width((row[0], *row[4:]) for row in rows if len(row) == 6),
    )


def _names(rows: bytes) -> dict[int, str]:
    return {int(number): unquoted(name) for number, name in _NAME.findall(rows.decode("utf-8", "replace"))}


def stack_frames_of_proto(proto: bytes) -> StackFrames | None:
    """Return the tables of a `.hlo.pb`; None if it has none. Raises WireError for bytes that are not a proto."""
    for module in messages(proto, _MODULE):
        for tables in messages(module, _STACK_FRAMES):
            locations = list(map(numbers, messages(tables, _FILE_LOCATIONS)))
            links = map(numbers, messages(tables, _FRAMES))
            # The numbers of rows are not in the message: they count from 1 in its order.
            return StackFrames(
                files=dict(enumerate(map(_text, messages(tables, _FILE_NAMES)), 1)),
                functions=dict(enumerate(map(_text, messages(tables, _FUNCTION_NAMES)), 1)),
                locations={
                    number: (row.get(1, 0), row.get(2, 0), row.get(3, 0)) for number, row in enumerate(locations, 1)
                },
                links={number: _Link(row.get(1, 0), row.get(2, 0)) for number, row in enumerate(links, 1)},
                columns=_with_width(
                    (number, row.get(4, 0), row.get(6, 0))
                    for number, row in enumerate(locations, 1)
                    if row.get(5) == row.get(3)
                ),
            )
    return None


def _with_width(columns: Iterable[tuple[int, int, int]]) -> dict[int, tuple[int, int]]:
    """Return the columns by location, without those of older versions of jax, which begin and end in one place."""
    return {number: (first, end) for number, first, end in columns if 0 <= first < end <= _LAST_COLUMN}


def _text(raw: memoryview) -> str:
    return bytes(raw).decode("utf-8", "replace")
