"""Where an instruction was written: the stacks of source lines that a module keeps in tables of its own.

Since jax 0.8.3 an instruction carries only `stack_frame_id=N`. The tables that resolve it are in the HLO text,
right after its first line, and in the `.hlo.pb`:

    FileNames       1 "/home/u/train.py"
    FunctionNames   1 "loss_fn"
    FileLocations   1 {file_name_id=1 function_name_id=1 line=84 end_line=84 column=12 end_column=12}
    StackFrames     7 {file_location_id=1 parent_frame_id=3}

The text prints `parent_frame_id` one higher than the proto has it, so that 1 means "no parent" (0 in the proto);
checked frame by frame against the `.hlo.pb` of the same modules. Messages: `StackFrameIndexProto` of XLA's hlo.proto.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reportgen.parse.instructions import unquoted
from reportgen.parse.wire import Field, fields

_TABLES = re.compile(
    rb"\n(?:FileNames\n(?P<files>(?:\d+ [^\n]*\n)*)|FunctionNames\n(?P<functions>(?:\d+ [^\n]*\n)*)"
    rb"|FileLocations\n(?P<locations>(?:\d+ [^\n]*\n)*)|StackFrames\n(?P<frames>(?:\d+ [^\n]*\n)*))"
)
_NAME = re.compile(r"(\d+) (\"(?:[^\"\\]|\\.)*\")")
_LOCATION = re.compile(rb"(\d+) \{file_name_id=(\d+) function_name_id=(\d+) line=(\d+)")
_FRAME = re.compile(rb"(\d+) \{file_location_id=(\d+)(?: parent_frame_id=(\d+))?")
_LONGEST_TABLES = 64 << 20
"""Bytes at the start of a text that are searched for the tables."""

_DEEPEST = 1_000
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
        """Whether the file is one of an installed package or of Python itself, and not the user's."""
        return any(part in self.file for part in _LIBRARIES)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class _Link(NamedTuple):
    """A frame as the tables hold it: the number of its location, and of the frame that called it (0: none)."""

    location: int
    parent: int


@dataclass(frozen=True)
class StackFrames:
    """The tables of one module, each by the numbers it prints."""

    files: Mapping[int, str]
    functions: Mapping[int, str]
    locations: Mapping[int, tuple[int, int, int]]
    links: Mapping[int, _Link]

    def stack(self, frame_id: int) -> tuple[Frame, ...]:
        """Return the stack of a frame, innermost first; empty for an unknown id.

        Each place is listed once, because XLA appends the caller's stack when it inlines a call although the
        callee's stack from JAX is complete: a quarter of all stacks repeat themselves.
        """
        found: dict[Frame, None] = {}
        for _ in range(_DEEPEST):
            link = self.links.get(frame_id)
            if link is None:
                break
            if frame := self._frame(link.location):
                found.setdefault(frame)
            frame_id = link.parent
        return tuple(found)

    def _frame(self, location: int) -> Frame | None:
        if location not in self.locations:
            return None
        file, function, line = self.locations[location]
        return Frame(self.files.get(file, ""), self.functions.get(function, ""), line)


def stack_frames_of_text(text: bytes) -> StackFrames | None:
    """Read the tables from an HLO text; return None where it has none."""
    start = text.find(b"\nFileNames\n", 0, _LONGEST_TABLES)
    if start < 0:
        return None
    tables: dict[str, bytes] = {}
    for found in _TABLES.finditer(text, start, text.find(b"\n}", start) + 1 or len(text)):
        tables |= {name: rows for name, rows in found.groupdict().items() if rows is not None}
        if "frames" in tables:
            break
    frames = _FRAME.findall(tables.get("frames", b""))
    return StackFrames(
        files=_names(tables.get("files", b"")),
        functions=_names(tables.get("functions", b"")),
        locations={
            int(n): (int(f), int(g), int(line)) for n, f, g, line in _LOCATION.findall(tables.get("locations", b""))
        },
        links={int(n): _Link(int(location), int(parent or 1) - 1) for n, location, parent in frames},
    )


def _names(rows: bytes) -> dict[int, str]:
    return {int(number): unquoted(name) for number, name in _NAME.findall(rows.decode("utf-8", "replace"))}


def stack_frames_of_proto(proto: bytes) -> StackFrames | None:
    """Read the tables from a `.hlo.pb`; return None where it has none. Raises WireError for what is no proto."""
    for field in fields(proto):
        if field.number == _MODULE and isinstance(field.value, memoryview):
            for inner in fields(field.value):
                if inner.number == _STACK_FRAMES and isinstance(inner.value, memoryview):
                    return _of_message(list(fields(inner.value)))
    return None


def _of_message(message: Sequence[Field]) -> StackFrames:
    """Rows are numbered from 1 in the order of the message."""
    by_number: dict[int, list[memoryview]] = {number: [] for number in (1, 2, 3, 4)}
    for field in message:
        if isinstance(field.value, memoryview):
            by_number.setdefault(field.number, []).append(field.value)
    return StackFrames(
        files={number: _text(raw) for number, raw in enumerate(by_number[_FILE_NAMES], 1)},
        functions={number: _text(raw) for number, raw in enumerate(by_number[_FUNCTION_NAMES], 1)},
        locations={number: _location(raw) for number, raw in enumerate(by_number[_FILE_LOCATIONS], 1)},
        links={number: _link(raw) for number, raw in enumerate(by_number[_FRAMES], 1)},
    )


def _text(raw: memoryview) -> str:
    return bytes(raw).decode("utf-8", "replace")


def _location(raw: memoryview) -> tuple[int, int, int]:
    found = _numbers(raw)
    return found.get(1, 0), found.get(2, 0), found.get(3, 0)


def _link(raw: memoryview) -> _Link:
    found = _numbers(raw)
    return _Link(found.get(1, 0), found.get(2, 0))


def _numbers(raw: memoryview) -> dict[int, int]:
    """Return the numbers in a message by their field; a field that is 0 is left out of a message."""
    return {field.number: field.value for field in fields(raw) if isinstance(field.value, int)}
