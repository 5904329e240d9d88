"""A source file with what each of its lines costs: the bytes of a peak that it fills, and the suggestions about it.

Coverage tools and profilers show their figures in the margin of the source, and so does this report.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field

from reportgen.analyse.records import Analysis, Space
from reportgen.program.author import lines_of_authors
from reportgen.record import record
from reportgen.reports.report import Report
from reportgen.reports.report_document import SpaceFigures


@record
class LineCosts:
    """What lines cost, each as `file:line` of the dump: bytes of the peak, and suggestions as positions among the best.

    The bytes add up to those of the peak whose line is known.
    """

    peak_bytes: int
    size_bytes: Mapping[str, int] = field(default_factory=dict)
    suggestions: Mapping[str, Sequence[int]] = field(default_factory=dict)


@record(kw_only=False)
class AnnotatedLine:
    """A line of a file, from 1, with its bytes of the peak and the positions of the suggestions about it."""

    number: int
    text: str
    size_bytes: int
    suggestions: tuple[int, ...]


def line_costs(report: Report, space: Space) -> LineCosts:
    """Return what the lines of a program cost in a memory space."""
    best = report.advice[space.color].best if space.color in report.advice else ()
    return LineCosts(
        peak_bytes=space.peak_resident.amount if space.peak_resident else 0,
        size_bytes={
            group.label: group.size_bytes for group in report.source_lines[space.color] if group.kind == "named"
        },
        suggestions=_positions(lines_of(report.analysis, suggestion.buffers) for suggestion in best),
    )


def lines_of(analysis: Analysis, values: Sequence[int]) -> Sequence[str]:
    """Return the lines that fill these values or, of arguments, read them first; each once, in order."""
    return lines_of_authors(map(analysis.authors.of, values))


def annotated(lines: Sequence[str], names: Collection[str], costs: LineCosts) -> Sequence[AnnotatedLine]:
    """Return the lines of a file with what they cost; `names` are those that the dump has for the file."""
    return [
        AnnotatedLine(
            number,
            text,
            sum(costs.size_bytes.get(f"{name}:{number}", 0) for name in names),
            tuple(sorted({place for name in names for place in costs.suggestions.get(f"{name}:{number}", ())})),
        )
        for number, text in enumerate(lines, 1)
    ]


def costs_of_report(space: SpaceFigures) -> LineCosts:
    """Return what lines cost in a memory space, from its part of `report.json`."""
    best = space.advice.best_suggestions if space.advice else ()
    return LineCosts(
        peak_bytes=space.peak_bytes or 0,
        size_bytes={line.source: line.size_bytes for line in space.peak_resident_lines},
        suggestions=_positions(suggestion.lines for suggestion in best),
    )


def _positions(lines: Iterable[Sequence[str]]) -> Mapping[str, Sequence[int]]:
    """Return which suggestions are about each line; `lines` are those of each suggestion, in their order."""
    positions: dict[str, list[int]] = {}
    for position, about in enumerate(lines):
        for line in about:
            positions.setdefault(line, []).append(position)
    return positions


def files_of(costs: LineCosts) -> Collection[str]:
    """Return the files whose lines cost something, as a dump names them."""
    return {line.rpartition(":")[0] for line in (*costs.size_bytes, *costs.suggestions)}
