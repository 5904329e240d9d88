"""An explanation in words: the sections that a terminal and Markdown lay out, each in its own way."""

from collections.abc import Iterable, Iterator, Sequence

from reportgen.analyse.logged_errors import LoggedError
from reportgen.analyse.phases import label
from reportgen.analyse.spaces import is_small
from reportgen.oom.error_event import LoggedBuffer, OutOfMemory
from reportgen.record import record
from reportgen.reports.advice_words import CONFIDENCES, needed_words, result_words, saving_words
from reportgen.reports.error_causes import parts_of, whole_of
from reportgen.reports.error_words import figures, is_failure, next_step, told, unknown, verdict, would_fit
from reportgen.reports.explain_document import Explanation
from reportgen.reports.formats import capital, counted, human_bytes, least_words, more_lines, range_words
from reportgen.reports.report_document import PeakBuffers, SpaceFigures, SuggestionFigures
from reportgen.reports.source_words import line_words, short_words
from reportgen.reports.styled_text import Tone

_LARGEST, _MOST_STEPS, _MOST_PHASES, _MOST_OTHERS = 5, 5, 8, 8


@record
class SizeRow:
    """A row of a table: a part of a whole with its bytes in words, what it is, and its source line."""

    part: int
    whole: int
    size: str
    name: str
    what: str = ""
    line: str = ""


@record
class Section:
    """Sentences, a table or a list under a title. An item has a detail in words and, perhaps, code."""

    title: str
    tone: Tone | None = None
    sentences: tuple[str, ...] = ()
    rows: tuple[SizeRow, ...] = ()
    items: tuple[tuple[str, str, str], ...] = ()


def sections(explanations: Iterable[Explanation], errors: Sequence[LoggedError]) -> Iterator[Section]:
    """Yield what is said of the module that needs most, then of the others, then of the errors in texts."""
    modules = list(explanations)
    if modules:
        yield from _module(modules[0])
    if len(modules) > 1:
        yield _others(modules[1:])
    for error in errors:
        yield from _error(error)


def _module(one: Explanation) -> Iterator[Section]:
    tone: Tone = "open" if one.fits is None else "good" if one.fits else "bad"
    device = f" of {human_bytes(one.capacity_bytes)} ({one.capacity_source})" if one.capacity_bytes else ""
    first = f"{short_words(one.first_step)}." if one.first_step else ""
    if first:
        # A donation that saves nothing is named to say so, and is no step.
        known = [step.what for step in one.best] + [step.what for step in one.combined]
        is_step = one.first_step.startswith(tuple(known))
        first = f"First suggestion: {first}" if is_step else capital(first)
    missing = f"{capital(one.missing_allocations)}." if one.missing_allocations else ""
    yield Section(
        title=f"{one.name}: {one.backend}, {one.space}{device}",
        tone=tone,
        sentences=tuple(filter(None, (one.verdict, missing, first, one.devices and f"Devices: {one.devices}."))),
    )
    if one.largest:
        yield _peak(one)
    if one.best:
        yield _steps(one)
    if len(one.phases) > 1:
        yield _phases(one)
    yield Section(title="Unknown", items=tuple((sentence, "", "") for sentence in one.unknown))


def _peak(one: Explanation) -> Section:
    peak = one.peak_bytes or 0
    others = [
        f"{human_bytes(space.needed_bytes)} of {space.name}"
        for space in one.spaces
        if space.name != one.space and not _is_small(space, one.needed_bytes)
    ]
    rows = [
        SizeRow(
            part=group.size_bytes,
            whole=peak,
            size=human_bytes(group.size_bytes),
            name=_name(group),
            what=_what(group),
            line=_line(group),
        )
        for group in one.largest
    ]
    if one.other_bytes:
        rows.append(SizeRow(part=one.other_bytes, whole=peak, size=human_bytes(one.other_bytes), name="all others"))
    size = least_words(peak, is_least=one.is_peak_least)
    return Section(
        title=f"Peak: {size} at instruction {one.peak_moment:,} of {one.schedule_length or 0:,}",
        sentences=tuple(
            filter(
                None,
                (
                    one.filled if one.lines else "",
                    f"Other memory spaces: {', '.join(others)}." if others else "",
                ),
            )
        ),
        rows=tuple(rows),
    )


def _is_small(space: SpaceFigures, main_bytes: int) -> bool:
    is_short = space.capacity_bytes is not None and space.needed_bytes > space.capacity_bytes
    return is_small(space.name, space.needed_bytes, main_bytes, is_short=is_short)


def _name(group: PeakBuffers) -> str:
    return group.name or "reserved, never used"


def _what(group: PeakBuffers) -> str:
    times = f"{group.buffers:,} × " if group.buffers > 1 else ""
    held = "reserved, " if group.reserved and group.buffers else ""
    return f"{held}{times}{group.shape or ''}"


def _line(group: PeakBuffers) -> str:
    more = more_lines(group.lines)
    if group.source:
        return f"{line_words(group.source)}{more}"
    return f"read at {line_words(group.read_first)}{more}" if group.read_first else ""


def _steps(one: Explanation) -> Section:
    """Return the steps, each alone, and what the sequence of steps leads to."""
    exceeded = one.capacity_bytes if one.needed_bytes > (one.capacity_bytes or 0) else None
    items = [
        (capital(short_words(step.what)), _step_words(step, exceeded), step.code or "")
        for step in one.best[:_MOST_STEPS]
    ]
    if rest := one.best[_MOST_STEPS:]:
        items.append(
            (
                f"And {counted(len(rest), 'more suggestion')}",
                f"{'; '.join(short_words(step.what) for step in rest)}",
                "",
            )
        )
    together = ""
    if len(one.combined) > 1:
        what = ", then ".join(short_words(step.what) for step in one.combined)
        together = f"Together: {what}: new total {needed_words(one.combined[-1])}."
    return Section(title="Suggestions", items=tuple(items), sentences=tuple(filter(None, (together,))))


def _step_words(step: SuggestionFigures, exceeded_bytes: int | None) -> str:
    if not step.is_computed:
        return f"{saving_words(step)}; saving unknown"
    confidence = "" if step.confidence == "at least" else f" ({CONFIDENCES[step.confidence]})"
    return f"{saving_words(step)}{confidence}: {result_words(step, exceeded_bytes)}"


def _phases(one: Explanation) -> Section:
    rows = [
        SizeRow(
            part=phase.peak_bytes,
            whole=one.peak_bytes or 0,
            size=human_bytes(phase.peak_bytes),
            name=f"{label(phase.kind, phase.passes)}{f' at {line_words(phase.name)}' if phase.name else ''}",
            what=f"{phase.first:,} to {phase.last:,}",
        )
        for phase in one.phases[:_MOST_PHASES]
    ]
    rest = len(one.phases) - _MOST_PHASES
    return Section(
        title="Phases: peak and instructions",
        rows=tuple(rows),
        sentences=(f"{counted(rest, 'short phase')} not shown.",) if rest > 0 else (),
    )


def _others(others: Sequence[Explanation]) -> Section:
    most = others[0].needed_bytes
    words = {True: "fits", False: "does not fit", None: ""}
    rows = [
        SizeRow(
            part=one.needed_bytes,
            whole=most,
            size=least_words(one.needed_bytes, is_least=bool(one.missing_allocations)),
            name=one.name,
            what=", ".join(filter(None, (one.space, words[one.fits]))),
        )
        for one in others[:_MOST_OTHERS]
    ]
    rest = len(others) - _MOST_OTHERS
    more = f"{counted(rest, 'more module')}. " if rest > 0 else ""
    return Section(
        title=f"{counted(len(others), 'other module')}",
        rows=tuple(rows),
        sentences=(f"{more}--module NAME explains one of them.",),
    )


def _error(error: LoggedError) -> Iterator[Section]:
    event = error.event
    times = f" ({event.times} times)" if event.times > 1 else ""
    module = f" {event.module}." if event.module else ""
    stated = figures(event)
    yield Section(
        title=f"{error.label}:{event.line}{times}",
        tone="bad" if is_failure(event) else "open",
        sentences=(f"{verdict(event)}.{module}", *told(event), *((f"{capital(stated)}.",) if stated else ())),
    )
    known = [buffer for buffer in event.buffers if buffer.size]
    largest = sorted(known, key=lambda buffer: -(buffer.size.middle if buffer.size else 0))[:_LARGEST]
    if largest:
        whole = whole_of(event)
        yield Section(
            title="Largest buffers in the message",
            rows=tuple(_listed(buffer, whole.middle if whole else 0) for buffer in largest),
        )
    if parts := _parts(event):
        yield Section(title="Totals in the message", rows=parts)
    yield Section(title="Next", sentences=tuple(filter(None, (next_step(event), would_fit(event)))))
    if lacks := unknown(event):
        yield Section(title="Unknown", items=tuple((sentence, "", "") for sentence in lacks))


def _parts(event: OutOfMemory) -> tuple[SizeRow, ...]:
    """Return a row for each class of memory, for texts of a whole program."""
    whole = whole_of(event) if event.kind in ("compiled", "execution") else None
    parts = sorted(parts_of(event).items(), key=lambda part: -part[1].middle)
    return tuple(
        SizeRow(part=size.middle, whole=whole.middle, size=range_words(size), name=name)
        for name, size in parts
        if whole and size.high_bytes > 0
    )


def _listed(buffer: LoggedBuffer, whole: int) -> SizeRow:
    source = f"{buffer.source_file}:{buffer.source_line}" if buffer.source_file else ""
    return SizeRow(
        part=buffer.size.middle if buffer.size else 0,
        whole=whole,
        size=range_words(buffer.size) if buffer.size else "",
        name=buffer.op_name
        or buffer.instruction
        or buffer.opcode
        or ("parameter" if buffer.is_parameter else "no name"),
        what=buffer.shape,
        line=line_words(source),
    )
