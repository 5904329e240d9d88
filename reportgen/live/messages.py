"""Describe in words what a scan found: the lines of the terminal, and the sentences that pages share with them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from reportgen.live.history import Amounts, ChangeKind, SpaceChange, ValueChange
from reportgen.live.rebuild import Rebuilder, ScanResult
from reportgen.live.tracked import TrackedDump
from reportgen.reports.formats import human_bytes
from reportgen.reports.report import key_text

ROWS = (("Peak resident", "peak_resident"), ("Allocated", "allocated"), ("Padding", "padding"))
"""The figures of a memory space: what people call them, and their names in `Amounts`."""

_KINDS: tuple[ChangeKind, ...] = ("new", "gone", "grown", "shrunk", "moved")
_MOST_NAMED = 3
_MOST_MODULES = 12


def difference(before: int, after: int) -> str:
    """Return `+1.20 MiB (+5.2 %)`, or `no change`."""
    change = after - before
    if not change:
        return "no change"
    sign = "+" if change > 0 else "−"
    share = f" ({sign}{100 * abs(change) / before:.1f} %)" if before else ""
    return f"{sign}{human_bytes(abs(change))}{share}"


def headline(dump: TrackedDump) -> str:
    """Return one sentence about a module's last build: the largest change in the memory space that changed most."""
    if dump.history is None or dump.shown is None:
        return ""
    spaces = dump.history.since_previous
    if not spaces:
        peak = dump.shown.summary.peak_resident_bytes
        return "new, no live ranges" if peak is None else f"new, peak resident {human_bytes(peak)}"
    largest = max(spaces, key=weight)
    if largest.is_empty:
        return "no change"
    return (f"{largest.color} · {largest.name}: " if len(spaces) > 1 else "") + _largest_change(largest)


def _largest_change(space: SpaceChange) -> str:
    if space.before is None or space.after is None:
        return "new space" if space.before is None else "the space is gone"
    changed = {name: difference(*pair) for name, *pair in known_rows(space.before, space.after) if pair[0] != pair[1]}
    if space.values and "Peak resident" not in changed:
        counts = Counter(value.kind for value in space.values)
        (kind, count), *others = [(kind, counts[kind]) for kind in reversed(_KINDS) if counts[kind]]
        words = [f"{count:,} value{'' if count == 1 else 's'} {kind}", *(f"{many:,} {other}" for other, many in others)]
        return f"peak unchanged; {', '.join(words)}"
    return next(f"{name.lower()} {words}" for name, words in changed.items())


def weight(space: SpaceChange) -> tuple[int, int, int, int]:
    """Rank a memory space by how much it changed: its peak, the values at the peak, its allocations, then any moves."""
    before, after = space.before or Amounts(0, 0, 0), space.after or Amounts(0, 0, 0)
    peak = abs((after.peak_resident or 0) - (before.peak_resident or 0))
    values = sum(abs(value.after_bytes - value.before_bytes) for value in space.values)
    return peak, values, abs(after.allocated - before.allocated), 0 if space.is_empty else 1 + len(space.values)


def known_rows(before: Amounts, after: Amounts) -> Iterator[tuple[str, int, int]]:
    """Yield the name of each figure that both builds have, with its two amounts."""
    for name, attribute in ROWS:
        old, new = getattr(before, attribute), getattr(after, attribute)
        if old is not None and new is not None:
            yield name, old, new


def place(value: ValueChange) -> str:
    """Return `offset 0 → 4,096` for a value that moved, with the memory classes if it moved to another class."""
    before, after = value.before, value.after
    if before is None or after is None:
        return f"offset {after.offset_bytes:,}" if after else ""
    if before.memory_class != after.memory_class:
        old, new = (f"{one.memory_class}, offset {one.offset_bytes:,}" for one in (before, after))
        return f"{old} → {new}"
    is_same = before.offset_bytes == after.offset_bytes
    return "" if is_same else f"offset {before.offset_bytes:,} → {after.offset_bytes:,}"


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
    since_start = {space.color: space for space in dump.history.since_start}
    for space in sorted(dump.history.since_previous, key=weight, reverse=True):
        for words in (*_figures(space, since_start.get(space.color)), *_values(space)):
            yield f"    {space.color} · {space.name}: {words}"


def _figures(space: SpaceChange, start: SpaceChange | None) -> Iterator[str]:
    """Yield the figures of a space that changed in its last build."""
    if space.is_empty or space.before is None or space.after is None:
        return
    firsts = {name: old for name, old, _ in known_rows(start.before, space.after)} if start and start.before else {}
    for name, old, new in known_rows(space.before, space.after):
        first = firsts.get(name, new)
        if old != new or first != new:
            since = "" if first == new else f"; since the start {difference(first, new)}"
            yield f"{name.lower()} {human_bytes(new)}, {difference(old, new)}{since}"


def _values(space: SpaceChange) -> Iterator[str]:
    """Yield the values that changed at the peak of a space, by kind; the first of each kind by name."""
    for kind in _KINDS:
        found = [value for value in space.values if value.kind == kind]
        if found:
            named = []
            for value in found[:_MOST_NAMED]:
                change = value.after_bytes - value.before_bytes
                signed = f"{'+' if change > 0 else '−'}{human_bytes(abs(change))}"
                words = f"{human_bytes(value.after_bytes)} ({place(value)})" if kind == "moved" else signed
                named.append(f"{key_text(value.key)} {words}")
            more = f" and {len(found) - _MOST_NAMED:,} more" if len(found) > _MOST_NAMED else ""
            yield f"{kind} at the peak: {', '.join(named)}{more}"
