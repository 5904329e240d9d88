"""How many bytes of each peak show a source line, and what keeps the others from it.

    python -m benchmarks.source_lines DIR

A byte is *framed* if the instruction that defines its value names a place in the program: a file, or a stack frame,
which takes the tables of frames beside the dump to resolve. Framed bytes are held to a bar where those tables are.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePosixPath

from benchmarks.table import Table
from reportgen.analyse.records import Space
from reportgen.input.discover import discover
from reportgen.parse.instructions import parse_instruction
from reportgen.pipeline import read_module
from reportgen.render.html.formats import percent
from reportgen.render.view import Module

_HEADER = (
    "dumps", "peaks", "have frames", "tables missing", "framed of all bytes", "with a line of framed", "lowest",
    "with a line of all", "what keeps the rest",
)  # fmt: skip
_BAR = 0.95
_RESERVED = "no live value"
_ARGUMENT = "an argument"
_NO_TABLES = "no table of frames beside the dump"
_ELSEWHERE = "written by an operation without a frame"
_UNFRAMED = "no frame in the instruction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """The peak of one memory space of a dump, in bytes: all of it, the framed part, and what of both shows a line.

    `rest` are the bytes without a line by what keeps them from it.
    """

    label: str
    peak_bytes: int
    framed_bytes: int
    framed_with_line: int
    with_line: int
    rest: Mapping[str, int]

    @property
    def can_resolve(self) -> bool:
        """Whether there are framed bytes, and whatever their frames need to be resolved."""
        return bool(self.framed_bytes) and _NO_TABLES not in self.rest

    @property
    def share(self) -> float:
        """The part of the framed bytes that shows a line."""
        return self.framed_with_line / self.framed_bytes


def peaks(root: Path) -> Iterator[Peak]:
    """Yield the peaks of all dumps below a directory, one for each memory space, in the order of their labels."""
    for files in sorted(discover([root]).dumps, key=lambda files: files.label):
        module, problems = read_module(files)
        if module is None:
            print(*(problem.message for problem in problems), file=sys.stderr)
            continue
        for space in module.analysis.spaces.values():
            if space.composition:
                yield _peak(module, space)


def _peak(module: Module, space: Space) -> Peak:
    framed, framed_with_line, with_line = 0, 0, 0
    rest: Counter[str] = Counter()
    for share in space.composition:
        if share.value is None:
            rest[_RESERVED] += share.size_bytes
            continue
        is_framed = _is_framed(module, share.value)
        has_line = bool(module.attribution(share.value).source)
        framed += share.size_bytes * is_framed
        framed_with_line += share.size_bytes * (is_framed and has_line)
        with_line += share.size_bytes * has_line
        if not has_line:
            rest[_reason(module, share.value, is_framed=is_framed)] += share.size_bytes
    return Peak(
        label=f"{module.label}, space {space.color}",
        peak_bytes=sum(share.size_bytes for share in space.composition),
        framed_bytes=framed,
        framed_with_line=framed_with_line,
        with_line=with_line,
        rest=rest,
    )


def _is_framed(module: Module, number: int) -> bool:
    dump = module.analysis.dump
    text = dump.instruction_text(dump.values.key(number).name) or b""
    metadata = parse_instruction(text.decode("utf-8", "replace")).metadata
    return "source_file" in metadata or metadata.get("stack_frame_id", "0") != "0"


def _reason(module: Module, number: int, *, is_framed: bool) -> str:
    if is_framed:
        return _ELSEWHERE if module.join.frames else _NO_TABLES
    return _ARGUMENT if module.attribution(number).argument else _UNFRAMED


def table(found: Sequence[Peak]) -> Table:
    """Return a row for each family: the dumps below the same two folders."""
    groups = groupby(found, key=lambda peak: "/".join(PurePosixPath(peak.label).parent.parts[:2]))
    return Table("Source lines at the peak", _HEADER, [_row(family, [*members]) for family, members in groups])


def _row(family: str, found: Sequence[Peak]) -> tuple[str, ...]:
    held = [peak for peak in found if peak.can_resolve]
    whole, with_line = sum(peak.peak_bytes for peak in found), sum(peak.with_line for peak in found)
    rest: Counter[str] = Counter()
    for peak in found:
        rest.update(peak.rest)
    return (
        family,
        str(len(found)),
        str(len(held)),
        str(sum(_NO_TABLES in peak.rest for peak in found)),
        percent(sum(peak.framed_bytes for peak in found), whole),
        percent(sum(peak.framed_with_line for peak in held), sum(peak.framed_bytes for peak in held)),
        percent(*min(((peak.framed_with_line, peak.framed_bytes) for peak in held), key=_ratio, default=(0, 0))),
        percent(with_line, whole),
        "; ".join(f"{reason} {percent(size, whole)}" for reason, size in rest.most_common()),
    )


def _ratio(part_of_whole: tuple[int, int]) -> float:
    return part_of_whole[0] / part_of_whole[1]


def verdict(found: Sequence[Peak]) -> Iterator[str]:
    """Yield the result of the bar, and a line for each peak that misses it."""
    held = [peak for peak in found if peak.can_resolve]
    below = [peak for peak in held if peak.share < _BAR]
    yield (
        f"{len(held) - len(below)} of {len(held)} peaks with frames show a line for at least {_BAR:.0%} of the framed "
        f"bytes: {'**missed**' if below else 'met'}"
    )
    for peak in sorted(below, key=lambda peak: peak.share):
        yield f"{peak.label}: {peak.share:.1%} of {peak.framed_bytes:,} bytes; {dict(peak.rest)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, the bar, and the peaks that miss it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.source_lines", description=main.__doc__)
    parser.add_argument("path", type=Path, metavar="DIR", help="where the dumps are, plain or .xz")
    found = [*peaks(parser.parse_args(arguments).path)]
    print(table(found))
    for line in verdict(found):
        print(f"- {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
