"""What the lines of a program fill of a peak: their bytes, and in a few words what these are and how long they stay."""

from collections.abc import Sequence

from reportgen.analyse.decompose import Group
from reportgen.analyse.phases import Phase, label, pass_at
from reportgen.analyse.records import Space
from reportgen.parse.shape_parser import plain_shape
from reportgen.program.buffer_uses import reads
from reportgen.reports.formats import counted, shortened
from reportgen.reports.report import Report
from reportgen.reports.report_document import LineBytes

_MOST_OPERATIONS = 2


def peak_lines(report: Report, space: Space) -> Sequence[LineBytes]:
    """Return the source lines that fill the peak of a memory space, the one with the most bytes first."""
    moment = space.peak_resident.moment if space.peak_resident else 0
    return [
        LineBytes(
            source=group.label,
            size_bytes=group.size_bytes,
            what=_what(report, group, moment),
            columns=_columns(report, group),
        )
        for group in report.source_lines[space.color]
        if group.kind == "named"
    ]


def _columns(report: Report, group: Group) -> tuple[int, ...]:
    """Return where the expression that writes the largest value of a line begins and ends; empty if it is unknown."""
    author = report.attribution(group.members[0])
    found = report.analysis.program.columns(author.operation, author.frame) if author.frame else None
    return found or ()


def _what(report: Report, group: Group, moment: int) -> str:
    """Return `2 × bf16[16,1024] (exp, div), written at instruction 57, next read at 465 in the backward pass`."""
    assert group.largest is not None  # because what has a line is a value
    analysis = report.analysis
    buffers = analysis.program.buffers.one_of_each(group.members)
    shapes = [plain_shape(analysis.facts[number].value.shape) for number in buffers]
    same = [number for number, shape in zip(buffers, shapes, strict=True) if shape == shapes[0]]
    times = f"{len(same):,} × " if len(same) > 1 else ""
    others = f", and {counted(len(shapes) - len(same), 'other')}" if len(same) < len(shapes) else ""
    operations = dict.fromkeys(analysis.authors.of(number).scope.rpartition("/")[2] for number in same)
    by = f" ({', '.join(list(operations)[:_MOST_OPERATIONS])})" if all(operations) else ""
    return f"{times}{shortened(shapes[0])}{by}{others}, {_life(report, group.largest, moment)}"


def _life(report: Report, number: int, moment: int) -> str:
    """Return since when the buffer of a value is kept at a moment, and what it is kept for."""
    program, dump = report.analysis.program, report.analysis.dump
    members = program.buffers.members(number)
    start, end = min(dump.starts[member] for member in members), max(dump.ends[member] for member in members)
    if not start <= moment <= end:
        return f"reserved: written at instruction {start:,}{_within(report.phases, start)}"
    following = next((read for read in reads(program, members) if read >= moment), None)
    if moment in (start, following):
        kept = "in use at the peak"
    elif following is not None:
        kept = f"next read at {following:,}{_within(report.phases, following)}"
    else:
        kept = f"kept to {end:,}"
    return f"written at instruction {start:,}, {kept}"


def _within(phases: Sequence[Phase], moment: int) -> str:
    """Return ` in the backward pass`; empty outside of a gradient."""
    phase = pass_at(phases, moment)
    if phase is None:
        return ""
    noun = "" if phase.kind == "update" and len(phase.passes) == 1 else " pass"
    return f" in the {label(phase.kind, phase.passes)}{noun}"
