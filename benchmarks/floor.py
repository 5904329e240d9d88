"""What reading a dump takes before anything is made of it: a floor under every design that is written in Python.

The file is read, and each line of it matched by the parser's own pattern. No record is made, no number computed.
"""

import argparse
import gc
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from reportgen.parse import line_shapes
from reportgen.parse.line_shapes import LineShape

_ROWS = (line_shapes.ALLOCATION, line_shapes.VALUE, line_shapes.SEQUENCE_ROW, line_shapes.RANGE_ROW)


def read_and_match(path: Path) -> int:
    """Return how many lines and used values were matched."""
    data = path.read_bytes()
    start = data.find(b"\nUsed values:")
    end = data.find(b"\nHloLiveRange", start)
    if start < 0 or end < 0:
        raise SystemExit(f"{path}: a dump of one file is needed, with used values and live ranges")
    around = (data[:start], data[end:])
    return sum(len(_anywhere(shape).findall(text)) for shape in _ROWS for text in around) + _used_values(data, start)


def _anywhere(shape: LineShape) -> re.Pattern[bytes]:
    """Return the pattern of a line, which is found at the start of any line."""
    return re.compile(rb"(?m)^(?:" + shape.pattern + rb")")


def _used_values(data: bytes, start: int) -> int:
    """Return how many entries were matched, each at once; the text of its instruction is skipped."""
    match, count = line_shapes.USED_ENTRY.match, 0
    position = data.find(b"\n", start + 1) + 1
    while entry := match(data, position):
        entry.groups()
        count += 1
        position = data.find(b"\n", entry.end()) + 1
    return count


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how many matches were made, and the seconds that took, reading included."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.floor", description=main.__doc__)
    parser.add_argument("path", type=Path)
    path = parser.parse_args(arguments).path
    gc.disable()  # as the parser does
    started = time.perf_counter()
    count = read_and_match(path)
    print(f"{count:,} matches, {time.perf_counter() - started:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
