"""A page for each out-of-memory error in a text: its cause, what is needed against the capacity, and what to do next.

A text has neither offsets nor live ranges, so there is no peak and no chart over time.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import PurePosixPath

from reportgen.analyse.devices import Device
from reportgen.analyse.logged_errors import LoggedError
from reportgen.oom.error_event import LoggedBuffer, OutOfMemory, Total
from reportgen.oom.forms import FIGURES
from reportgen.oom.printed_size import SizeRange
from reportgen.record import record
from reportgen.render import routes
from reportgen.render.html.templates import render
from reportgen.render.site.error_bar import ErrorBar, buffer_name, colored_groups, error_bar, lone_bar
from reportgen.reports.error_causes import (
    explained,
    padding_of_temporaries,
    shortage_of,
    whole_of,
)
from reportgen.reports.error_padding import (
    ReshapedBuffer,
    is_dense,
    operands,
    padding_bytes,
    padding_words,
    reshaped,
    unpadded,
    with_size,
)
from reportgen.reports.error_words import (
    devices_of,
    excess_words,
    least_need,
    lines_words,
    next_heading,
    next_step,
    only_buffer,
    program_need,
    shortage_sentence,
    sizes_of,
    told,
    unknown,
    verdict,
    would_fit,
)
from reportgen.reports.formats import capital, percent, range_words
from reportgen.work import Page

_MOST_FIGURES = 3
_THINNEST = 500
"""What takes less than this part of the longest bar is not drawn."""
_SMALL = 50
"""What takes less than this part of the need does not stand for it."""
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=[KMGTPE]?i?B\b)")
_SENTENCE_END = re.compile(r"(?<=\.) ")
_LIMITS = {"largest free piece": "of that in one piece", "free": "free", "capacity": "usable"}
"""What a bar is drawn against, and the words of that size."""
_LABELS = {
    "for the whole program": "Needs",
    "free": "Free",
    "left outside of its pool": "Free",
    "of that in one piece": "Free in one piece",
    "in use": "In use",
    "usable": "Capacity",
}
"""What sizes are called as figures, the most important first."""
_COMMAND = "reportgen run -- COMMAND"


@record
class ErrorFigure:
    """A size of an error in words, what it is, and a judgement beside it, which may be empty."""

    label: str
    words: str
    pill: str = ""


@record
class ListedBuffer:
    """A buffer with what it is called, its parts as a bar, and what else is said of it."""

    buffer: LoggedBuffer
    name: str
    parts: Sequence[tuple[str, int]]
    notes: Sequence[str]


@record
class ErrorView:
    """An error as the overview and its own page show it.

    `needed_bytes` are those of a program whose device the reader can name, else None, and `is_part` is whether it needs
    more than that. `remedy` is the shape that would
    have less padding, `saving_bytes` what that or full tiles would save, at most, and `after_bytes` the need then.
    `scale_bytes` is as long as the longest bar of a buffer. `command` is what to run, and `of_command` says why,
    both empty if that is nothing. `facts` are those of a buffer that is the only one, which has no table of `rows`.
    """

    error: LoggedError
    href: str
    place: str
    verdict: str
    told: Sequence[str]
    figures: Sequence[ErrorFigure]
    need_words: str
    bar: ErrorBar | None
    need_note: str
    needed_bytes: int | None
    is_part: bool
    heading: str
    next_step: str
    of_command: str
    command: str
    remedy: ReshapedBuffer | None
    saving_bytes: int
    after_bytes: int
    devices: Sequence[Device]
    fits: str
    scale_bytes: int
    unlisted: SizeRange | None
    notes: Sequence[str]
    tables: Sequence[tuple[str, Sequence[Total]]]
    rows: Sequence[ListedBuffer]
    facts: Sequence[tuple[str, str]]


def error_views(errors: Iterable[LoggedError]) -> list[ErrorView]:
    """Return the errors in the order of the texts."""
    return [_view(error, number) for number, error in enumerate(errors, start=1)]


def error_pages(site_title: str, errors: Iterable[LoggedError]) -> Iterator[Page]:
    """Yield a page for each error."""
    for view in error_views(errors):
        yield Page(view.href, render("pages/out_of_memory.html", view.href, site_title=site_title, view=view))


def _view(error: LoggedError, number: int) -> ErrorView:
    """Return what the page of an error shows; `number` is its place among the errors, from 1."""
    event = error.event._replace(buffers=tuple(map(with_size, error.event.buffers)))
    made_from = operands(event)
    shown = event._replace(buffers=(*made_from, *event.buffers))
    # All operands of one buffer are live with it; those of several may be at other times.
    known = _sum(shown.buffers if len(event.buffers) == 1 else event.buffers)
    need = program_need(event)
    asked = need or least_need(event, known)
    asks_device = asked is not None and not event.capacity
    is_padding = explained(event).cause == "padding"
    remedy = reshaped(shown.buffers) if is_padding else None
    saving = (remedy.saving_bytes if remedy else padding_of_temporaries(event)) if is_padding else 0
    listed, unlisted = [buffer.size for buffer in shown.buffers], _unlisted(event)
    scale = max([1, *(size.middle for size in (*listed, unlisted) if size)])
    is_main = _is_main_buffer(event)
    bar = error_bar(shown)
    sizes = _figures(event, bar, known)
    need_note = _need_note(shown, bar)
    step, of_command = _around_command(next_step(event))
    only = () if known else only_buffer(error.event)
    return ErrorView(
        error=error,
        href=routes.out_of_memory(number),
        place=lines_words(event),
        verdict=verdict(event),
        # The pill beside the size says it, too.
        told=[_unbroken(sentence) for sentence in (*told(event), *only) if sentence != shortage_sentence(event)],
        figures=sizes[:_MOST_FIGURES],
        need_words=sizes[0].words if sizes and sizes[0].label.startswith(("Needs", "Asked for", "This buffer")) else "",
        bar=bar or (lone_bar(asked) if asked and asks_device else None),
        need_note=need_note,
        needed_bytes=asked.middle if asked and asks_device else None,
        is_part=not need,
        heading=next_heading(event),
        next_step=step,
        of_command=of_command,
        command=_COMMAND if of_command else "",
        remedy=remedy,
        saving_bytes=saving,
        after_bytes=asked.middle - saving if asked and saving else 0,
        devices=devices_of(event),
        fits=_unbroken(would_fit(event)),
        scale_bytes=scale,
        unlisted=unlisted,
        notes=_open(event, has_parts=not need_note),
        tables=[*_tables(event)],
        rows=_rows(shown, error.event.buffers, scale) if len(shown.buffers) > 1 else (),
        facts=[*_facts(event)] if is_main and not made_from else (),
    )


def _figures(event: OutOfMemory, bar: ErrorBar | None, listed: SizeRange | None) -> Sequence[ErrorFigure]:
    """Return the sizes of an error that differ, the first with what is too much, without the limit that its bar names.

    `listed` is what its buffers add up to.
    """
    stated = {"needed": _label_of_need(event), **_LABELS}
    found: dict[str, ErrorFigure] = {}
    for words, size in sorted(sizes_of(event), key=lambda named: list(stated).index(named[0])):
        shown = ErrorFigure(label=stated[words], words=range_words(size))
        if not bar or _LIMITS.get(bar.limit) != words:
            found.setdefault(shown.words, shown)
    if not event.needed and not event.capacity and listed and not found:
        return [ErrorFigure(label="Named in this text", words=range_words(listed))]
    figures = list(found.values())
    shortage = shortage_of(event)
    if not shortage or event.kind in FIGURES:
        return figures
    short, is_of_piece = shortage
    verb = "short by" if _is_request(event) else "does not fit, by"
    amount = excess_words(event) if event.excess else range_words(short)
    pill = f"{verb} {amount}{' in one piece' if is_of_piece else ''}"
    if not figures:
        return [ErrorFigure(label="Over the capacity by", words=range_words(short), pill="does not fit")]
    return [replace(figures[0], pill=pill), *figures[1:]]


def _label_of_need(event: OutOfMemory) -> str:
    if event.kind == "allocation":
        return "This buffer alone"
    return "Asked for" if _is_request(event) and event.kind != "load" else "Needs"


def _is_request(event: OutOfMemory) -> bool:
    """Return whether an error is about what others left free."""
    return event.kind in ("execution", "data", "attempt", "load") and event.needed is not None


def _around_command(step: str) -> tuple[str, str]:
    """Return the next step, and what it says of the command, which stands below that and in whose place it points."""
    sentences = _SENTENCE_END.split(step)
    of_command = " ".join(one for one in sentences if _COMMAND in one).replace(f"`{_COMMAND}`", "this command")
    return _unbroken(" ".join(one for one in sentences if _COMMAND not in one)), capital(of_command)


def _unbroken(sentence: str) -> str:
    """Return a sentence in which no size breaks before its unit."""
    return _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", sentence)


def _tables(event: OutOfMemory) -> Iterator[tuple[str, Sequence[Total]]]:
    """Yield the tables of a text, each with its largest row first and without rows that have no bytes."""
    for head, rows in groupby(event.totals, key=lambda total: total.head):
        sized = [(total.size.middle, total) for total in rows if total.size and total.size.middle]
        if sized:
            yield head, [total for _, total in sorted(sized, key=lambda row: -row[0])]


def _need_note(event: OutOfMemory, bar: ErrorBar | None) -> str:
    """Return that the parts of what is needed are unknown, or what was free; empty where the text says it."""
    if bar and bar.limit == "capacity" and not bar.named and not event.buffers:
        return "The message does not say what it is made of."
    if event.kind == "fragment" and not event.needed and any(buffer.size for buffer in event.buffers):
        total = "The total is not in this text."
        return f"The sum of the buffers below. {total}" if len(event.buffers) > 1 else total
    if not bar and event.needed and _is_request(event):
        return "The message says neither what was in use nor what was free."
    return ""


def _open(event: OutOfMemory, *, has_parts: bool) -> Sequence[str]:
    """Return what the text does not say, as sentences that the next step does not repeat."""
    lacks = ["The message lists no buffers."] if event.form.has_plan and not event.buffers and has_parts else []
    if len(event.buffers) == 1 and not _is_main_buffer(event) and (size := event.buffers[0].size):
        lacks = [f"The message lists one buffer: {buffer_name(event.buffers[0])}, {range_words(size)}."]
    is_said = "`reportgen run" in next_step(event)
    return lacks + [sentence for sentence in unknown(event) if not (is_said and "`reportgen run" in sentence)]


def _rows(event: OutOfMemory, printed: Sequence[LoggedBuffer], scale: int) -> list[ListedBuffer]:
    """Return the buffers, whose sizes are not all `printed`; shares are of the whole program's memory."""
    whole = whole_of(event)
    groups = enumerate(colored_groups(event), start=1)
    looks = {buffer: f"source-{number}" for number, group in groups for buffer in group.buffers}
    rows = []
    for buffer in event.buffers:
        derived = ["size from its shape"] if buffer.size and buffer not in printed else []
        size, padding = buffer.size.middle if buffer.size else 0, padding_bytes(buffer)
        look = "parameter" if buffer.is_parameter else looks.get(buffer, "other")
        parts = (("padding", padding), (look, size - padding))
        rows.append(
            ListedBuffer(
                buffer=buffer,
                name=buffer_name(buffer),
                parts=[(kind, part) for kind, part in parts if part * _THINNEST > scale],
                notes=[*_notes(buffer, whole), *derived],
            )
        )
    return rows


def _is_main_buffer(event: OutOfMemory) -> bool:
    """Return whether a text names one buffer, and that is not a small part of what is needed."""
    if len(event.buffers) != 1:
        return False
    size = event.buffers[0].size
    return not size or not event.needed or size.middle * _SMALL >= event.needed.middle


def _facts(event: OutOfMemory) -> Iterator[tuple[str, str]]:
    """Yield what is known of the only buffer and not said by a sentence or the figures, each with its label."""
    [buffer] = event.buffers
    if buffer.size and not padding_bytes(buffer):
        yield "Buffer", buffer_name(buffer)
    if buffer.instruction and buffer.instruction != buffer_name(buffer):
        yield "Instruction", buffer.instruction
    if buffer.size and event.needed and buffer.size != event.needed and not padding_bytes(buffer):
        yield "Size", range_words(buffer.size)
    if buffer.shape:
        yield "Shape", buffer.shape
    if is_dense(buffer):
        yield "Padding", "none"
    if buffer.source_file:
        yield "Source", f"{PurePosixPath(buffer.source_file).name}:{buffer.source_line}"
    if buffer.is_cut:
        yield "Rest", "the message is cut off here"


def _notes(buffer: LoggedBuffer, whole: SizeRange | None) -> Iterator[str]:
    if buffer.instruction != buffer_name(buffer) and buffer.instruction:
        yield buffer.instruction
    if buffer.size and whole:
        yield percent(buffer.size.middle, whole.middle)
    if padding_bytes(buffer) and (dense := unpadded(buffer)):
        yield ", ".join(filter(None, (f"{range_words(dense)} of data", padding_words(buffer))))
    if buffer.is_cut:
        yield "the message is cut off here"


def _unlisted(event: OutOfMemory) -> SizeRange | None:
    """Return what the listed buffers leave of the memory that is needed; None where nothing is listed or left."""
    listed = _sum(event.buffers)
    whole = whole_of(event)
    return whole - listed if whole and listed and whole.low_bytes > listed.high_bytes else None


def _sum(buffers: Iterable[LoggedBuffer]) -> SizeRange | None:
    sizes = [buffer.size for buffer in buffers if buffer.size]
    return sum(sizes[1:], sizes[0]) if sizes else None
