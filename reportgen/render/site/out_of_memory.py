"""A page for each out-of-memory error in a text: its cause, what is needed against the capacity, and what to do next.

A text has neither offsets nor live ranges, so there is no peak and no chart over time.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from reportgen.analyse.logged_errors import LoggedError
from reportgen.oom.error_event import LoggedBuffer, OutOfMemory, Total
from reportgen.oom.printed_size import SizeRange
from reportgen.record import record
from reportgen.render import routes
from reportgen.render.html.templates import render
from reportgen.render.site.error_bar import BufferGroup, ErrorBar, buffer_groups, error_bar
from reportgen.reports.error_causes import padding_of_temporaries, whole_of
from reportgen.reports.error_padding import ReshapedBuffer, padding_words, reshaped, unpadded
from reportgen.reports.error_story import ErrorStory, listed_bytes, story_of
from reportgen.reports.formats import capital, percent, range_words
from reportgen.work import Page

_MOST_FIGURES = 4
_THINNEST = 500
"""What takes less than this part of the longest bar is not drawn."""
_SENTENCE_END = re.compile(r"(?<=\.) ")
_LIMITS = {"largest free piece": "of that in one piece", "free": "free", "capacity": "usable"}
"""What a bar is drawn against, and the words of that size."""
_COMMAND = "reportgen run -- COMMAND"


@record
class ListedBuffer:
    """Equal buffers with what they are called, their parts as a bar, and what else is said of them."""

    group: BufferGroup
    parts: Sequence[tuple[str, int]]
    notes: Sequence[str]

    @property
    def buffer(self) -> LoggedBuffer:
        return self.group.buffers[0]


@record
class ErrorView:
    """An error as the overview and its own page show it.

    `figures` are its sizes, each with what it is. `needed_bytes` are those of a program whose device the reader can
    name, else None, and `is_part` is whether it needs more than that. `remedy` is the shape that would have less
    padding, `saving_bytes` what that or full tiles would save, at most, and `after_bytes` the need then. `scale_bytes`
    is as long as the longest bar of a buffer. `command` is what to run, and `of_command` says why, both empty if that
    is nothing.
    """

    error: LoggedError
    story: ErrorStory
    href: str
    figures: Sequence[tuple[str, str]]
    bar: ErrorBar | None
    needed_bytes: int | None
    is_part: bool
    next_step: str
    of_command: str
    command: str
    remedy: ReshapedBuffer | None
    saving_bytes: int
    after_bytes: int
    scale_bytes: int
    unlisted: SizeRange | None
    notes: Sequence[str]
    tables: Sequence[tuple[str, Sequence[Total]]]
    rows: Sequence[ListedBuffer]

    @property
    def needed_words(self) -> str:
        needed = self.story.event.needed
        return range_words(needed) if needed else ""


def error_views(errors: Iterable[LoggedError]) -> list[ErrorView]:
    """Return the errors in the order of the texts."""
    return [_view(error, number) for number, error in enumerate(errors, start=1)]


def error_pages(site_title: str, errors: Iterable[LoggedError]) -> Iterator[Page]:
    """Yield a page for each error."""
    for view in error_views(errors):
        yield Page(view.href, render("pages/out_of_memory.html", view.href, site_title=site_title, view=view))


def _view(error: LoggedError, number: int) -> ErrorView:
    """Return what the page of an error shows; `number` is its place among the errors, from 1."""
    story = story_of(error.event)
    event = story.event
    asked = None if event.capacity else story.least_need
    is_padding = story.cause == "padding"
    remedy = reshaped(event.buffers) if is_padding else None
    saving = (remedy.saving_bytes if remedy else padding_of_temporaries(event)) if is_padding else 0
    groups, unlisted = buffer_groups(event), _unlisted(event)
    scale = max(1, *(group.size_bytes for group in groups), unlisted.middle if unlisted else 0)
    bar = error_bar(event, asked)
    sentences = _SENTENCE_END.split(story.next_step)
    of_command = " ".join(one for one in sentences if _COMMAND in one).replace(f"`{_COMMAND}`", "this command")
    return ErrorView(
        error=error,
        story=story,
        href=routes.out_of_memory(number),
        figures=_figures(story, bar),
        bar=bar,
        needed_bytes=asked.middle if asked else None,
        is_part=not story.program_need,
        next_step=" ".join(one for one in sentences if _COMMAND not in one),
        of_command=capital(of_command),
        command=_COMMAND if of_command else "",
        remedy=remedy,
        saving_bytes=saving,
        after_bytes=story.least_need.middle - saving if story.least_need and saving else 0,
        scale_bytes=scale,
        unlisted=unlisted,
        # What a command is said to be for is not unknown besides.
        notes=[one for one in story.unknown if not (of_command and "`reportgen run" in one)],
        tables=[*_tables(event)],
        rows=[_row(group, whole_of(event), scale) for group in groups],
    )


def _figures(story: ErrorStory, bar: ErrorBar | None) -> Sequence[tuple[str, str]]:
    """Return the sizes that differ, each once and without the limit that the bar names."""
    limit = _LIMITS[bar.limit] if bar and bar.need.capacity_bytes else ""
    found = {range_words(size): words for words, size in reversed(story.sizes) if words != limit}
    return [(capital(words), size) for size, words in reversed(found.items())][:_MOST_FIGURES]


def _tables(event: OutOfMemory) -> Iterator[tuple[str, Sequence[Total]]]:
    """Yield the tables of a text, each with its largest row first and without rows that have no bytes."""
    for head, rows in groupby(event.totals, key=lambda total: total.head):
        sized = [(total.size.middle, total) for total in rows if total.size and total.size.middle]
        if sized:
            yield head, [total for _, total in sorted(sized, key=lambda row: -row[0])]


def _row(group: BufferGroup, whole: SizeRange | None, scale: int) -> ListedBuffer:
    """Return the row of equal buffers; shares are of the whole program's memory."""
    look = "parameter" if group.buffers[0].is_parameter else group.look
    parts = (("padding", group.padding_bytes), (look, group.size_bytes - group.padding_bytes))
    return ListedBuffer(
        group=group,
        parts=[(kind, part) for kind, part in parts if part * _THINNEST > scale],
        notes=[*_notes(group, whole)],
    )


def _notes(group: BufferGroup, whole: SizeRange | None) -> Iterator[str]:
    buffer = group.buffers[0]
    if buffer.instruction and buffer.instruction != group.name:
        yield buffer.instruction
    if buffer.size and whole:
        yield f"{percent(buffer.size.middle, whole.middle)}{' each' if len(group.buffers) > 1 else ''}"
    if group.padding_bytes and (dense := unpadded(buffer)):
        yield ", ".join(filter(None, (f"{range_words(dense)} of data", padding_words(buffer))))
    if any(one.is_cut for one in group.buffers):
        yield "the message is cut off here"


def _unlisted(event: OutOfMemory) -> SizeRange | None:
    """Return what the listed buffers leave of the memory that is needed; None where nothing is listed or left."""
    listed, whole = listed_bytes(event), whole_of(event)
    return whole - listed if whole and listed and whole.low_bytes > listed.high_bytes else None
