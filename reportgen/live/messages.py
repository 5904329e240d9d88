"""Describe in words what a scan found: the lines of the terminal, and the sentences that pages share with them.

What a build changed is said in the words of a comparison (`reportgen.compare.compare_words`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from reportgen.compare.compare_words import OVERALL_WORDS, change_words, signed_bytes
from reportgen.compare.figures import Figure
from reportgen.live.module_history import SpaceChange, Step
from reportgen.live.rebuild import Rebuilder, ScanResult
from reportgen.live.tracked import TrackedDump
from reportgen.reports.formats import human_bytes

ROWS: tuple[tuple[str, Figure], ...] = (
    ("Peak resident", "peak_resident"),
    ("Needed", "needed"),
    ("Padding", "padding"),
)
"""The figures of a memory space that are shown, and what people call them."""

_MOST_NAMED = 3
_MOST_MODULES = 12


def difference(before: int, after: int) -> str:
    """Return `+1.20 MiB (+5.2 %)`, or `no change`."""
    return "no change" if before == after else change_words(before, after)


def headline(dump: TrackedDump) -> str:
    """Return one line about the last build of a module: what it changed, or the peak of a new module.

    It ends as that of a comparison where the build or the one before is unsound.
    """
    if dump.history is None or dump.shown is None:
        return ""
    words = dump.history.headline
    if dump.history.is_new:
        peak = dump.shown.summary.peak_resident_bytes
        words = f"new, {'no live ranges' if peak is None else f'peak resident {human_bytes(peak)}'}"
    overall = dump.history.judgement.overall
    return f"{words} — {OVERALL_WORDS[overall]}" if overall and overall in OVERALL_WORDS else words


def doubts(dump: TrackedDump) -> list[str]:
    """Return what the checks say against the last build of a module and the one before, as a comparison does."""
    return [verdict.line for verdict in dump.history.judgement.reported] if dump.history else []


def names(dumps: Mapping[str, TrackedDump]) -> Mapping[str, str]:
    """Return a name for each dump, by label: its module, with the folder if several modules have that name."""
    count = Counter(dump.files.name.module_name for dump in dumps.values())
    called = {}
    for label, dump in dumps.items():
        name, path = dump.files.name.module_name, PurePosixPath(label)
        called[label] = name if count[name] == 1 else f"{name} · {path.parent.name or path.name}"
    return called


def unchanged_message(result: ScanResult, rebuilder: Rebuilder, time: str) -> str:
    """Return the message for a scan that found only dumps rewritten without a change; empty for any other scan."""
    if result.built or not result.unchanged:
        return ""
    called = names(rebuilder.dumps)
    some = ", ".join(called[label] for label in result.unchanged[:_MOST_NAMED])
    return f"{time} {some}{' and others' if len(result.unchanged) > _MOST_NAMED else ''}: rewritten without a change"


def terminal_lines(result: ScanResult, rebuilder: Rebuilder, time: str, seconds: float) -> Iterator[str]:
    """Yield the lines for a scan that found something and took `seconds`."""
    called = names(rebuilder.dumps)
    if result.built:
        yield f"{time} build {rebuilder.build}, {seconds:.2f} s"
    for label in result.built[:_MOST_MODULES]:
        yield from _module_lines(rebuilder.dumps[label], called[label])
    if len(result.built) > _MOST_MODULES:
        yield f"  and {len(result.built) - _MOST_MODULES:,} more"
    for label in result.unchanged:
        yield f"{time} {called[label]}: rewritten without a change"
    for label in result.outdated:
        dump = rebuilder.dumps.get(label)
        if dump and dump.outdated:
            kept = f"; still showing the figures of {dump.shown.time}" if dump.shown else ""
            yield f"{time} {called[label]}: {dump.outdated.state}: {dump.outdated.reason}{kept}"


def _module_lines(dump: TrackedDump, name: str) -> Iterator[str]:
    assert dump.history is not None
    yield f"  {name}: {headline(dump)}"
    yield from (f"    {line}" for line in doubts(dump))
    if dump.history.is_new:
        return
    for space in sorted(dump.history.spaces, key=lambda space: space.weight, reverse=True):
        for words in (*_figures(space), *map(_step, space.steps)):
            yield f"    {space.color} · {space.name}: {words}"


def _figures(space: SpaceChange) -> Iterator[str]:
    """Yield the figures of a space that changed in its last build."""
    if not space.has_changed:
        return
    for name, figure in ROWS:
        first, before, now = (one.bytes[figure] if one else None for one in (space.first, space.before, space.now))
        if before is None or now is None:
            continue
        start = now if first is None else first
        if not before == now == start:
            since = "" if start == now else f"; since the start {difference(start, now)}"
            yield f"{name.lower()} {human_bytes(now)}, {difference(before, now)}{since}"


def _step(step: Step) -> str:
    """Return `temporaries of another shape +4.00 KiB: 1 × big +4.00 KiB`."""
    named = [
        f"{subject.count:,} × {subject.name} {signed_bytes(subject.change_bytes)}"
        for subject in step.subjects[:_MOST_NAMED]
    ]
    left_out = step.left_out + len(step.subjects) - len(named)
    more = f" and {left_out:,} more" if left_out else ""
    return f"{step.words} {signed_bytes(step.change_bytes)}{': ' if named else ''}{', '.join(named)}{more}"
