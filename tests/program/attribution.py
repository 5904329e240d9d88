"""How many bytes of each peak have a name and a source line of the program, and what keeps the others from a line.

    python -m tests.program.attribution DIR

A byte is *framed* if the instruction that defines its value states its place in the program: a file and a line, or a
stack frame, which takes the tables of frames beside the dump to resolve. Where those tables are, framed bytes are held
to a bar.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePosixPath

from reportgen.analyse.records import Space
from reportgen.input.discover import discover
from reportgen.parse.instruction_parser import Instruction, parse_instruction
from reportgen.pipeline import read_report
from reportgen.reports.formats import percent
from reportgen.reports.report import Report
from tests.support.markdown import Table

_NAMES = ("dumps", "peaks", "named by their own instruction", "named")
_LINES = (
    "dumps", "peaks with frames", "framed bytes with a line", "the worst of them", "all bytes with a line",
    "no line: what keeps the rest",
)  # fmt: skip
_BAR = 0.95
_RESERVED = "no live value"
_ARGUMENT = "an argument"
_NO_TABLES = "no table of frames"
_ELSEWHERE = "written by an operation without a frame"
_UNFRAMED = "no frame in the instruction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """The peak of one memory space of a dump, in bytes.

    `own_name_bytes` belong to values whose own instruction has a name, `named_bytes` to those that are attributed to
    one. `framed_with_line` are the framed bytes that show a line. `rest` are the bytes without a line, by what keeps
    them from it.
    """

    label: str
    peak_bytes: int
    own_name_bytes: int
    named_bytes: int
    framed_bytes: int
    framed_with_line: int
    rest: Mapping[str, int]

    @property
    def has_frames(self) -> bool:
        """Whether some bytes are framed, with all that it takes to resolve their frames."""
        return bool(self.framed_bytes) and _NO_TABLES not in self.rest

    @property
    def share(self) -> float:
        """The part of the framed bytes that shows a line."""
        return self.framed_with_line / self.framed_bytes


def peaks(root: Path) -> Iterator[Peak]:
    """Yield the peaks of all dumps below a directory, one for each memory space, in the order of their labels."""
    for files in sorted(discover([root]).dumps, key=lambda files: files.label):
        report, problems = read_report(files)
        if report is None:
            print(*(problem.message for problem in problems), sep="\n", file=sys.stderr)
            continue
        yield from (_peak(report, space) for space in report.analysis.spaces.values() if space.composition)


def _peak(report: Report, space: Space) -> Peak:
    sizes: Counter[str] = Counter()
    rest: Counter[str] = Counter()
    for share in space.composition:
        sizes["peak"] += share.size_bytes
        if share.value is None:
            rest[_RESERVED] += share.size_bytes
            continue
        own, found = _instruction(report, share.value), report.attribution(share.value)
        sizes["own name"] += share.size_bytes * _has_name(own)
        sizes["named"] += share.size_bytes * found.is_named
        sizes["framed"] += share.size_bytes * _is_framed(own)
        if not found.source:
            rest[_reason(report, share.value, own)] += share.size_bytes
        elif _is_framed(own):
            sizes["framed with line"] += share.size_bytes
    return Peak(
        label=f"{report.label}, space {space.color}",
        peak_bytes=sizes["peak"],
        own_name_bytes=sizes["own name"],
        named_bytes=sizes["named"],
        framed_bytes=sizes["framed"],
        framed_with_line=sizes["framed with line"],
        rest=rest,
    )


def _instruction(report: Report, number: int) -> Instruction:
    dump = report.analysis.dump
    text = dump.instruction_text(dump.values.key(number).name) or b""
    return parse_instruction(text.decode("utf-8", "replace"))


def _has_name(instruction: Instruction) -> bool:
    """Return whether an instruction has a name of the program that says more than that it is a loop."""
    return bool(instruction.op_name) and instruction.opcode != "while"


def _is_framed(instruction: Instruction) -> bool:
    return "source_file" in instruction.metadata or instruction.metadata.get("stack_frame_id", "0") != "0"


def _reason(report: Report, number: int, own: Instruction) -> str:
    if _is_framed(own):
        return _ELSEWHERE if report.join.frames else _NO_TABLES
    return _ARGUMENT if report.attribution(number).argument else _UNFRAMED


def tables(found: Sequence[Peak]) -> Iterator[Table]:
    """Yield a table of names and one of source lines, with a row for each family: dumps below the same two folders."""
    families = [
        (name, [*members])
        for name, members in groupby(found, lambda peak: "/".join(PurePosixPath(peak.label).parent.parts[:2]) or ".")
    ]
    yield Table("Names at the peak", _NAMES, [(name, *_names(members)) for name, members in families])
    yield Table("Source lines at the peak", _LINES, [(name, *_lines(members)) for name, members in families])


def _names(found: Sequence[Peak]) -> Iterator[str]:
    whole = _sum(found, lambda peak: peak.peak_bytes)
    yield str(len(found))
    yield percent(_sum(found, lambda peak: peak.own_name_bytes), whole)
    yield percent(_sum(found, lambda peak: peak.named_bytes), whole)


def _lines(found: Sequence[Peak]) -> Iterator[str]:
    held = [peak for peak in found if peak.has_frames]
    worst = min(held, key=lambda peak: peak.share, default=None)
    whole = _sum(found, lambda peak: peak.peak_bytes)
    rest: Counter[str] = Counter()
    for peak in found:
        rest.update(peak.rest)
    yield f"{len(held)} of {len(found)}"
    yield percent(_sum(held, lambda peak: peak.framed_with_line), _sum(held, lambda peak: peak.framed_bytes))
    yield percent(worst.framed_with_line, worst.framed_bytes) if worst else "–"
    yield percent(whole - rest.total(), whole)
    yield ", ".join(f"{reason} {percent(size, whole)}" for reason, size in rest.most_common() if 1000 * size >= whole)


def _sum(found: Sequence[Peak], size: Callable[[Peak], int]) -> int:
    return sum(map(size, found))


def verdict(found: Sequence[Peak]) -> Iterator[str]:
    """Yield the result of the bar, and a line for each peak that misses it."""
    held = [peak for peak in found if peak.has_frames]
    below = [peak for peak in held if peak.share < _BAR]
    yield (
        f"{len(held) - len(below)} of {len(held)} peaks with frames show a line for at least {_BAR:.0%} of their framed"
        f" bytes: {'**missed**' if below else 'met'}"
    )
    for peak in sorted(below, key=lambda peak: peak.share):
        yield f"{peak.label}: {peak.share:.1%} of {peak.framed_bytes:,} bytes"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both tables, the bar, and the peaks that miss it."""
    parser = argparse.ArgumentParser(prog="python -m tests.program.attribution", description=main.__doc__)
    parser.add_argument("path", type=Path, metavar="DIR", help="where the dumps are, plain or .xz")
    found = [*peaks(parser.parse_args(arguments).path)]
    for table in tables(found):
        print(table)
    for line in verdict(found):
        print(f"- {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
