"""A page for each out-of-memory error in a text: its cause, what is needed against the capacity, and what to do next.

A text has neither offsets nor live ranges, so there is no peak and no chart over time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from reportgen.analyse.logged_errors import LoggedError
from reportgen.oom.error_event import OutOfMemory, Total
from reportgen.oom.printed_size import SizeRange
from reportgen.render import routes
from reportgen.render.html.templates import render
from reportgen.render.site.error_bar import BufferGroup, ErrorBar, buffer_groups, error_bar
from reportgen.reports.error_causes import padding_of_temporaries, whole_of
from reportgen.reports.error_padding import padding_words, reshaped, unpadded
from reportgen.reports.error_story import RUN_AGAIN, ErrorStory, listed_bytes, story_of
from reportgen.reports.formats import capital, percent, range_words
from reportgen.work import Page

_MOST_FIGURES, _COMMAND = 4, "`reportgen run -- COMMAND`"
_LIMITS = {"largest free piece": "of that in one piece", "free": "free", "capacity": "usable"}
"""What a bar is drawn against, and the words of that size."""


def error_pages(site_title: str, errors: Iterable[LoggedError]) -> Iterator[Page]:
    """Yield a page for each error, in the order of the texts."""
    for number, error in enumerate(errors, start=1):
        href, context = routes.out_of_memory(number), {"site_title": site_title, "label": error.label}
        yield Page(href, render("pages/out_of_memory.html", href, **context, **_shown(story_of(error.event))))


def _shown(story: ErrorStory) -> Mapping[str, Any]:
    """Return what the page shows.

    `asked` is the need of a program whose device the reader can name, `remedy` the shape that would have less padding,
    and `saving_bytes` what that or full tiles would save, at most. `next_step` is without the command that runs the
    program again. `scale_bytes` is as long as the longest bar of a buffer, and `unlisted` what the listed buffers leave
    of the memory that is needed. `runs_again` says why to run that command; it is empty where the step is another.
    """
    event = story.event
    asked = None if event.capacity else story.least_need
    remedy = reshaped(event.buffers) if story.cause == "padding" else None
    of_temporaries = padding_of_temporaries(event) if story.cause == "padding" else 0
    groups, listed, whole = buffer_groups(event), listed_bytes(event), whole_of(event)
    unlisted = whole - listed if whole and listed and whole.low_bytes > listed.high_bytes else None
    bar = error_bar(event, groups, asked)
    return {
        "story": story,
        "figures": _figures(story, bar),
        "bar_of_error": bar,
        "asked": asked,
        "next_step": story.next_step.replace(RUN_AGAIN, "").rstrip(),
        "runs_again": RUN_AGAIN.replace(_COMMAND, "This command") if RUN_AGAIN in story.next_step else "",
        "remedy": remedy,
        "saving_bytes": remedy.saving_bytes if remedy else of_temporaries,
        "scale_bytes": max(1, *(group.size_bytes for group in groups), unlisted.middle if unlisted else 0),
        "unlisted": unlisted,
        "tables": [*_tables(event)],
        "rows": [(group, " · ".join(_notes(group, whole))) for group in groups],
    }


def _figures(story: ErrorStory, bar: ErrorBar | None) -> Sequence[tuple[str, str]]:
    """Return the sizes that differ, each once and without the limit that the bar names."""
    limit = _LIMITS[bar[1]] if bar and bar[2] else ""
    found = {range_words(size): words for words, size in reversed(story.sizes) if words != limit}
    return [(capital(words), size) for size, words in reversed(found.items())][:_MOST_FIGURES]


def _tables(event: OutOfMemory) -> Iterator[tuple[str, Sequence[Total]]]:
    """Yield the tables of a text, each with its largest row first and without rows that have no bytes."""
    for head, rows in groupby(event.totals, key=lambda total: total.head):
        sized = [(total.size.middle, total) for total in rows if total.size and total.size.middle]
        if sized:
            yield head, [total for _, total in sorted(sized, key=lambda row: -row[0])]


def _notes(group: BufferGroup, whole: SizeRange | None) -> Iterator[str]:
    """Yield what else a text says of equal buffers; shares are of the whole program's memory."""
    buffer = group.buffers[0]
    if buffer.instruction and buffer.instruction != group.name:
        yield buffer.instruction
    if buffer.size and whole:
        yield f"{percent(buffer.size.middle, whole.middle)}{' each' if len(group.buffers) > 1 else ''}"
    if group.padding_bytes and (dense := unpadded(buffer)):
        yield ", ".join(filter(None, (f"{range_words(dense)} of data", padding_words(buffer))))
    if any(one.is_cut for one in group.buffers):
        yield "the message is cut off here"
