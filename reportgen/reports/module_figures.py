"""Write `report.json`: the figures for programs, the same document as `check --json` prints."""

from collections.abc import Iterable, Sequence
from typing import Any

from reportgen.advice.advice_records import CombinedFigures, Suggestion, SuggestionFigures
from reportgen.advice.advise import Advice
from reportgen.advice.similar_buffers import SimilarBuffers
from reportgen.analyse.classes import CLASSES
from reportgen.analyse.contested import certainty
from reportgen.analyse.decompose import Group
from reportgen.analyse.devices import Origin
from reportgen.analyse.divided import replicated_bytes
from reportgen.analyse.fit import Fit
from reportgen.analyse.identity import signature_digest
from reportgen.analyse.logged_errors import LoggedError
from reportgen.analyse.phases import Phase, label, pass_at
from reportgen.analyse.records import Analysis, Space
from reportgen.analyse.results import CheckResult
from reportgen.analyse.sibling_arguments import sibling_arguments
from reportgen.model import Dump
from reportgen.oom.error_event import LoggedBuffer
from reportgen.parse.shape_parser import plain_shape
from reportgen.program.author import lines_of_authors
from reportgen.program.buffer_uses import reads
from reportgen.record import copied
from reportgen.reports.error_causes import excess_of
from reportgen.reports.error_story import story_of
from reportgen.reports.formats import counted, shortened
from reportgen.reports.json_lines import json_line
from reportgen.reports.peak_table import peak_buffers, peak_part
from reportgen.reports.report import Report, peak_by_class, unknown_division
from reportgen.reports.report_document import (
    ADVICE_SCHEMA,
    SCHEMA,
    AdviceFigures,
    BatchFigures,
    CapacityFigures,
    CheckFigures,
    DevicesFigures,
    ErrorBuffer,
    ErrorFigures,
    ErrorTotal,
    GroupFigures,
    LineBytes,
    ModuleFigures,
    SpaceFigures,
    listed_finding,
)
from reportgen.reports.summary import Summary

LARGEST_SHARES = 20
"""Parts of a space's resident peak that are listed one by one."""
LARGEST_BUFFERS = 20
"""Buffers of an error that are listed one by one."""
_LARGEST_GROUPS, _MOST_VALUES, _MOST_OPERATIONS = 10, 500, 2


def report_json(summaries: Iterable[Summary], errors: Iterable[LoggedError] = ()) -> bytes:
    """Return the whole document: modules in order of path, and the errors in texts in the order of these.

    Each module is one line, because Python takes twenty times as long to write indented JSON.
    """
    ordered = sorted(summaries, key=lambda entry: entry.label)
    return json_document(SCHEMA, (entry.report_line for entry in ordered), errors)


def json_document(schema: int, lines: Iterable[bytes], errors: Iterable[LoggedError]) -> bytes:
    """Return a document with a line for each module, and the errors in texts."""
    stated = json_line([_error_figures(error) for error in errors])
    return b'{"schema": %d, "modules": [\n%b\n], "errors": %b}\n' % (schema, b",\n".join(lines), stated)


def module_figures(report: Report) -> ModuleFigures:
    """Return the figures of one module; those that need live ranges are None without them."""
    analysis, dump = report.analysis, report.analysis.dump
    return ModuleFigures(
        path=report.label,
        name=report.title,
        backend=analysis.backend,
        shapes=signature_digest(dump),
        allocations=len(dump.allocations),
        values=len(dump.values),
        live_ranges=len(dump.live_ranges or ()),
        origin=dump.text.origin,
        schedule_length=dump.schedule_length,
        total_bytes=dump.total_bytes,
        missing_allocations=analysis.missing.words if analysis.missing else None,
        is_peak_least=analysis.is_peak_least,
        unparsed_lines=dump.unparsed_count,
        xla_peak=analysis.xla_peak,
        spaces={color: _space(space, report, report.fits.get(color)) for color, space in analysis.spaces.items()},
        arguments=tuple(sibling_arguments(analysis.program)),
        devices=_devices(report),
        refused=report.device_fit.refusal,
        work=analysis.work,
        phases=tuple(report.phases),
        checks=tuple(map(_check, analysis.evidence)),
        findings=tuple(map(listed_finding, analysis.findings)),
    )


def _check(result: CheckResult) -> CheckFigures:
    found = {kind.slug: kind.times for kind in result.found}
    return copied(CheckFigures, result, exempt=result.skipped_because or None, found=found)


def _devices(report: Report) -> DevicesFigures | None:
    """Return how many devices run the program, and what each holds of the largest arguments; None if unknown."""
    count, arguments = report.analysis.program.partitions.devices, report.divided
    if count is None:
        return None
    return DevicesFigures(
        count=count,
        replicated_bytes=replicated_bytes(arguments),
        unknown=unknown_division(report) or None,
        arguments=tuple(arguments[:LARGEST_SHARES]),
    )


def _space(space: Space, report: Report, fit: Fit | None) -> SpaceFigures:
    """Return the figures of a space, and its resident peak by class, by its largest parts, and the sum of the rest."""
    live, temp, resident = space.peak_live, space.peak_temp, space.peak_resident
    by_class, advice = peak_by_class(report.analysis, space), report.advice[space.color]
    return copied(
        SpaceFigures,
        space,
        peak_live_bytes=live.amount if live else None,
        peak_live_moment=live.moment if live else None,
        peak_live_ties=live.ties if live else None,
        peak_temp_bytes=temp.amount if temp else None,
        peak_resident_bytes=resident.amount if resident else None,
        peak_resident_moment=resident.moment if resident else None,
        attributed=report.attributed[space.color] if resident else None,
        certainty=certainty(report.analysis, space),
        capacity=capacity_figures(fit) if fit else None,
        peak_resident_by_class={name: by_class[name] for name in CLASSES if by_class[name]},
        peak_resident_groups=tuple(
            peak_buffers(report, group) for group in report.peak_groups[space.color][:_LARGEST_GROUPS]
        ),
        peak_resident_lines=tuple(_peak_lines(report, space)),
        peak_resident_largest=tuple(peak_part(report, share) for share in space.composition[:LARGEST_SHARES]),
        peak_resident_other_bytes=sum(share.size_bytes for share in space.composition[LARGEST_SHARES:]),
        advice=advice_figures(report.analysis, advice, fit.capacity.origin if fit else None),
        advice_withheld=advice.withheld or None,
    )


def capacity_figures(fit: Fit) -> CapacityFigures:
    """Return a capacity next to what is needed as a report states it."""
    return CapacityFigures(
        size_bytes=fit.capacity.size_bytes,
        source=fit.capacity.source,
        excess_bytes=fit.excess_bytes,
        fits=fit.fits,
        first_moment_over=fit.first_moment,
    )


def _peak_lines(report: Report, space: Space) -> Sequence[LineBytes]:
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


def advice_figures(analysis: Analysis, advice: Advice, origin: Origin | None = None) -> AdviceFigures | None:
    """Return the advice of one space; None where it is withheld. `origin` is that of the capacity."""
    if advice.withheld or advice.peak is None or advice.breakdown is None:
        return None
    dump, capacity, half_bytes = analysis.dump, advice.capacity, advice.half_batch_bytes
    factor = capacity.fits_factor if capacity else None
    return copied(
        AdviceFigures,
        advice,
        schema=ADVICE_SCHEMA,
        capacity_bytes=capacity.size_bytes if capacity else None,
        capacity_source=origin if capacity else None,
        verdict=capacity.verdict if capacity else None,
        excess_bytes=capacity.excess_bytes if capacity else None,
        batch=None if half_bytes is None else BatchFigures(fits_factor=factor, half_bytes=half_bytes),
        suggestions=tuple(_suggestion(analysis, suggestion) for suggestion in advice.suggestions),
        best=tuple(advice.suggestions.index(suggestion) for suggestion in advice.best),
        combined=tuple(copied(CombinedFigures, one, **_outcome(one)) for one in advice.combined),
        combined_to_fit=capacity.combined_to_fit if capacity and capacity.excess_bytes else None,
        groups=tuple(_group(dump, group) for group in advice.groups),
        fewest_devices=capacity.devices if capacity else None,
    )


def _suggestion(analysis: Analysis, suggestion: Suggestion) -> SuggestionFigures:
    """Return the figures of one suggestion, with its first values by their keys."""
    return copied(
        SuggestionFigures,
        suggestion,
        **_outcome(suggestion),
        values=_values(analysis.dump, suggestion.buffers),
        value_count=len(suggestion.buffers),
        lines=tuple(lines_of_authors(map(analysis.authors.of, suggestion.buffers))),
        saving_bytes=suggestion.saving_bytes if suggestion.is_computed else None,
        reason=suggestion.reason or None,
        code=suggestion.code or None,
    )


def _outcome(suggestion: Suggestion) -> dict[str, Any]:
    """Return the fields of a suggestion, on its own or combined with others, that it has under other names."""
    return {
        "peak_low_bytes": None if suggestion.saving_high_bytes is None else suggestion.least_peak_bytes,
        "next_moment": suggestion.outcome.moment,
        "next_largest": suggestion.next_largest or None,
    }


def _values(dump: Dump, numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(dump.values.keys[number] for number in numbers[:_MOST_VALUES])


def _group(dump: Dump, group: SimilarBuffers) -> GroupFigures:
    """Return the figures of a group of similar buffers, and the peak without them."""
    element_type, _, dimensions = group.shape.partition("[")
    return GroupFigures(
        op=group.op_name,
        type=element_type,
        dims=dimensions.rstrip("]"),
        values=_values(dump, group.buffers),
        value_count=len(group.buffers),
        size_bytes=group.held_bytes,
        peak_without_bytes=group.gone.peak_bytes,
        peak_freed_bytes=group.not_idle.peak_bytes,
        next_moment=group.gone.moment,
    )


def _error_figures(error: LoggedError) -> ErrorFigures:
    """Return what a text says of an error; None for what it does not say."""
    event, story = error.event, story_of(error.event)
    largest = sorted(event.buffers, key=lambda buffer: -(buffer.size.middle if buffer.size else 0))
    return ErrorFigures(
        path=error.label,
        lines=event.lines,
        kind=event.kind,
        module=event.module or None,
        space=event.space or None,
        needed=event.needed,
        usable=event.capacity,
        excess=excess_of(event),
        free=event.free,
        form=event.name,
        causes=tuple(story.causes),
        says=tuple(story.about),
        next_step=story.next_step,
        would_fit=story.would_fit or None,
        totals=tuple(ErrorTotal(name=total.name, size=total.size) for total in event.totals),
        buffers=tuple(map(_buffer, largest[:LARGEST_BUFFERS])),
    )


def _buffer(buffer: LoggedBuffer) -> ErrorBuffer:
    return ErrorBuffer(
        size=buffer.size,
        shape=buffer.shape or None,
        instruction=buffer.instruction or None,
        opcode=buffer.opcode or None,
        op_name=buffer.op_name or None,
        source=f"{buffer.source_file}:{buffer.source_line}" if buffer.source_file else None,
    )
