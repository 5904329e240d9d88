"""An explanation in words: the sections that a terminal and Markdown lay out, each in its own way."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from reportgen.advice.advice_records import SuggestionFigures
from reportgen.analyse.logged_errors import LoggedError
from reportgen.analyse.matmul_work import Work
from reportgen.analyse.phases import Phase, label
from reportgen.analyse.spaces import is_small
from reportgen.oom.error_event import LoggedBuffer, OutOfMemory
from reportgen.oom.printed_size import SizeRange
from reportgen.record import record
from reportgen.reports.advice_words import CONFIDENCES, cost_words, needed_words, result_words, saving_words
from reportgen.reports.column import Column, TextTable, text_table
from reportgen.reports.error_causes import parts_of, whole_of
from reportgen.reports.error_story import story_of
from reportgen.reports.explain_document import ExplainedModule
from reportgen.reports.formats import capacity_bytes, capital, counted, human_bytes, least_words, range_words
from reportgen.reports.peak_table import buffer_columns
from reportgen.reports.report_document import AdviceFigures, SpaceFigures
from reportgen.reports.source_words import line_words, short_words
from reportgen.reports.styled_text import Tone

_LARGEST, _MOST_SUGGESTIONS, _MOST_PHASES, _MOST_OTHERS = 5, 5, 8, 8
_TONES: Mapping[bool | None, Tone] = {True: "good", False: "bad", None: "open"}


class ListItem(NamedTuple):
    """An item: its text, a detail in words, and the code that a reader can copy."""

    text: str
    detail: str = ""
    code: str = ""


@record
class Section:
    """Sentences, a table or a list under a title."""

    title: str
    tone: Tone | None = None
    sentences: tuple[str, ...] = ()
    table: TextTable | None = None
    items: tuple[ListItem, ...] = ()


def sections(explanations: Iterable[ExplainedModule], errors: Sequence[LoggedError]) -> Iterator[Section]:
    """Yield what is said of the module that needs most, then of the others, then of the errors in texts."""
    modules = list(explanations)
    if modules:
        yield from _module(modules[0])
    if len(modules) > 1:
        yield _others(modules[1:])
    for error in errors:
        yield from _error(error)


def _module(module: ExplainedModule) -> Iterator[Section]:
    """Yield whether a module fits, its peak, its suggestions, its phases, and what is unknown of it."""
    said, figures, space = module.sentences, module.figures, module.figures.main_space
    yield Section(
        title=f"{figures.name}: {figures.backend}, {said.space}{_device(space)}",
        tone=_TONES[said.fits],
        sentences=tuple(
            filter(
                None,
                (
                    said.verdict,
                    said.recomputed,
                    f"{capital(figures.missing_allocations)}." if figures.missing_allocations else "",
                    _first(said.first_suggestion, figures.advice),
                    said.devices and f"Devices: {said.devices}.",
                ),
            )
        ),
    )
    if space and module.largest:
        yield _peak(module, space)
    if space and figures.advice and figures.advice.best:
        yield _suggestions(figures.advice, space, figures.work)
    if space and len(figures.phases) > 1:
        yield _phases(figures.phases, space)
    yield Section(title="Unknown", items=tuple(map(ListItem, said.unknown)))


def _device(space: SpaceFigures | None) -> str:
    capacity = space.capacity if space else None
    return f" of {capacity_bytes(capacity.size_bytes)} ({capacity.source})" if capacity else ""


def _first(sentence: str, advice: AdviceFigures | None) -> str:
    if not sentence:
        return ""
    words = f"{short_words(sentence)}."
    # A donation that saves nothing is named to say so, and is no suggestion.
    known = [suggestion.what for suggestion in (*advice.best_suggestions, *advice.combined)] if advice else []
    return f"First suggestion: {words}" if sentence.startswith(tuple(known)) else capital(words)


def _peak(module: ExplainedModule, space: SpaceFigures) -> Section:
    """Return the largest groups of buffers at the peak of a space, with the rest as the last row."""
    peak, figures = space.peak_bytes or 0, module.figures
    others = [
        f"{human_bytes(other.needed_bytes)} of {other.name}"
        for other in figures.spaces.values()
        if other is not space and not _is_small(other, space.needed_bytes)
    ]
    rest = peak - sum(group.size_bytes for group in module.largest)
    size = least_words(peak, figures.is_peak_least)
    return Section(
        title=f"Peak: {size} at instruction {space.peak_resident_moment:,} of {figures.schedule_length or 0:,}",
        sentences=tuple(
            filter(
                None,
                (
                    module.sentences.filled if space.peak_resident_lines else "",
                    f"Other memory spaces: {', '.join(others)}." if others else "",
                ),
            )
        ),
        table=text_table(buffer_columns(), module.largest, peak, {"all others": rest} if rest else {}),
    )


def _is_small(space: SpaceFigures, main_bytes: int) -> bool:
    is_short = space.capacity is not None and space.capacity.fits is False
    return is_small(space.name, space.needed_bytes, main_bytes, is_short=is_short)


def _suggestions(advice: AdviceFigures, space: SpaceFigures, work: Work) -> Section:
    """Return the best suggestions, each on its own, and what those that are combined lead to."""
    capacity, best = space.capacity_bytes, advice.best_suggestions
    exceeded = capacity if capacity is not None and space.needed_bytes > capacity else None
    items = [
        ListItem(
            capital(short_words(suggestion.what)), _suggestion_words(suggestion, exceeded, work), suggestion.code or ""
        )
        for suggestion in best[:_MOST_SUGGESTIONS]
    ]
    if rest := best[_MOST_SUGGESTIONS:]:
        others = "; ".join(short_words(suggestion.what) for suggestion in rest)
        items.append(ListItem(f"And {counted(len(rest), 'more suggestion')}", others))
    sentences = []
    if len(advice.combined) > 1:
        what = ", then ".join(short_words(suggestion.what) for suggestion in advice.combined)
        sentences.append(f"Together: {what}: new total {needed_words(advice.combined[-1])}.")
    return Section(title="Suggestions", items=tuple(items), sentences=tuple(sentences))


def _suggestion_words(suggestion: SuggestionFigures, exceeded_bytes: int | None, work: Work) -> str:
    added = cost_words(suggestion, work)
    cost = f"; {added}" if added else ""
    if not suggestion.is_computed:
        return f"{saving_words(suggestion)}; saving unknown{cost}"
    confidence = "" if suggestion.confidence == "at least" else f" ({CONFIDENCES[suggestion.confidence]})"
    return f"{saving_words(suggestion)}{confidence}: {result_words(suggestion, exceeded_bytes)}{cost}"


def _phases(phases: Sequence[Phase], space: SpaceFigures) -> Section:
    """Return the first phases with the peak and the instructions of each."""
    columns: Sequence[Column[Phase]] = (
        Column("share", "Share", "share", lambda phase: phase.peak_bytes),
        Column("peak", "Peak", "bytes", lambda phase: phase.peak_bytes),
        Column("phase", "Phase", "name", _phase_words),
        Column("range", "Instructions", "range", lambda phase: (phase.first, phase.last)),
    )
    rest = len(phases) - _MOST_PHASES
    return Section(
        title="Phases: peak and instructions",
        table=text_table(columns, phases[:_MOST_PHASES], space.peak_bytes or 0),
        sentences=(f"{counted(rest, 'short phase')} not shown.",) if rest > 0 else (),
    )


def _phase_words(phase: Phase) -> str:
    words = label(phase.kind, phase.passes)
    return f"{words} at {line_words(phase.name)}" if phase.name else words


def _others(others: Sequence[ExplainedModule]) -> Section:
    """Return the modules that need less than the first, the largest first."""
    columns: Sequence[Column[ExplainedModule]] = (
        Column("share", "Share", "share", _needed_bytes),
        Column("needs", "Needs", "amount", _needs_words),
        Column("module", "Module", "name", lambda module: module.figures.name),
        Column("space", "Memory space", "code", _space_words),
    )
    rest = len(others) - _MOST_OTHERS
    more = f"{counted(rest, 'more module')}. " if rest > 0 else ""
    return Section(
        title=f"{counted(len(others), 'other module')}",
        table=text_table(columns, others[:_MOST_OTHERS], _needed_bytes(others[0])),
        sentences=(f"{more}--module NAME explains one of them.",),
    )


def _needed_bytes(module: ExplainedModule) -> int:
    space = module.figures.main_space
    return space.needed_bytes if space else 0


def _needs_words(module: ExplainedModule) -> str:
    space = module.figures.main_space
    certainty = space.certainty if space else module.figures.missing_allocations is not None
    return least_words(_needed_bytes(module), certainty)


def _space_words(module: ExplainedModule) -> str:
    words = {True: "fits", False: "does not fit", None: ""}[module.sentences.fits]
    return ", ".join(filter(None, (module.sentences.space, words)))


def _error(error: LoggedError) -> Iterator[Section]:
    """Yield what an error says, its largest buffers and its totals, what to do next, and what it leaves open."""
    story = story_of(error.event)
    event = story.event
    times = f" ({story.place})" if len(event.lines) > 1 else ""
    module = f" {event.module}." if event.module else ""
    sentences = [f"{story.verdict}.{module}", *story.told]
    if story.figures:
        sentences.append(f"{capital(story.figures)}.")
    yield Section(
        title=f"{error.label}:{event.line}{times}",
        tone="bad" if event.is_failure else "open",
        sentences=tuple(sentences),
    )
    largest = sorted(event.buffers, key=lambda buffer: -(buffer.size.middle if buffer.size else 0))[:_LARGEST]
    if largest:
        whole = whole_of(event)
        yield Section(
            title="Largest buffers in the message",
            table=text_table(_LISTED, largest, whole.middle if whole else 0),
        )
    if parts := _parts(event):
        yield Section(title="Totals in the message", table=parts)
    if story.next_step:
        yield Section(title="Next", sentences=tuple(filter(None, (story.next_step, story.would_fit))))
    if story.unknown:
        yield Section(title="Unknown", items=tuple(map(ListItem, story.unknown)))


def _parts(event: OutOfMemory) -> TextTable | None:
    """Return a row for each class of memory, for texts of a whole program; None where there is none."""
    whole = whole_of(event) if event.kind in ("compiled", "execution") else None
    parts = sorted(parts_of(event).items(), key=lambda part: -part[1].middle)
    rows = [(name, size) for name, size in parts if size.high_bytes > 0]
    return text_table(_PARTS, rows, whole.middle) if whole and rows else None


def _buffer_name(buffer: LoggedBuffer) -> str:
    unnamed = "parameter" if buffer.is_parameter else "no name"
    return buffer.op_name or buffer.instruction or buffer.opcode or unnamed


def _buffer_line(buffer: LoggedBuffer) -> str:
    return line_words(f"{buffer.source_file}:{buffer.source_line}" if buffer.source_file else "")


_LISTED: Sequence[Column[LoggedBuffer]] = (
    Column("share", "Share", "share", lambda buffer: buffer.size.middle if buffer.size else 0),
    Column("size", "Size", "amount", lambda buffer: range_words(buffer.size) if buffer.size else ""),
    Column("name", "Buffer", "name", _buffer_name),
    Column("shape", "Shape", "code", lambda buffer: buffer.shape),
    Column("line", "Line", "line", _buffer_line),
)
_PARTS: Sequence[Column[tuple[str, SizeRange]]] = (
    Column("share", "Share", "share", lambda part: part[1].middle),
    Column("size", "Size", "amount", lambda part: range_words(part[1])),
    Column("class", "Class", "name", lambda part: part[0]),
)
