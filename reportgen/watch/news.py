"""What changed, in words for the terminal and as data for the pages: of every module that was built anew.

`previous` is the build of the module before this one, `start` the first one of this run.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from reportgen.analyse.changes import Amounts, SpaceChange, ValueChange
from reportgen.render.formats import exact_bytes, human_bytes
from reportgen.render.module import key_text
from reportgen.serve.site import folder_of
from reportgen.watch.rebuild import Look, Rebuilder
from reportgen.watch.tracked import Tracked

_ROWS = (("Peak resident", "peak_resident"), ("Allocated", "allocated"), ("Padding", "padding"))
_MOST_VALUES = 40
_MOST_SPOKEN = 3
_MOST_LISTED = 12
_MOST_MODULES = 30


def difference(before: int, after: int) -> str:
    """`+1.20 MiB (+5.2 %)`, `no change`."""
    change = after - before
    if not change:
        return "no change"
    sign = "+" if change > 0 else "−"
    share = f" ({sign}{100 * abs(change) / before:.1f} %)" if before else ""
    return f"{sign}{human_bytes(abs(change))}{share}"


def headline(dump: Tracked) -> str:
    """The one sentence about a module's last build: what became of its peak in the space where most changed."""
    if dump.history is None or dump.shown is None:
        return ""
    found = dump.history.since_previous
    if not found:
        return f"new, {_size(dump)}"
    largest = max(found, key=_weight)
    if largest.is_none:
        return "no change"
    name = f"{largest.color} · {largest.name}: " if len(found) > 1 else ""
    if largest.before is None or largest.after is None:
        return f"{name}{'new space' if largest.before is None else 'space is gone'}"
    words = (f"{row.lower()} {difference(*pair)}" for row, *pair in _known_rows(largest.before, largest.after))
    changed = next((word for word in words if not word.endswith("no change")), None)
    return name + (changed or "the same sizes, other values at the peak")


def names(dumps: Mapping[str, Tracked]) -> Mapping[str, str]:
    """What to call each dump, by label: its module, with the folder where another has the same name."""
    count = Counter(dump.files.name.module_name for dump in dumps.values())
    return {label: _name(dump, count[dump.files.name.module_name]) for label, dump in dumps.items()}


def _name(dump: Tracked, count: int) -> str:
    name, path = dump.files.name.module_name, PurePosixPath(dump.files.label)
    return name if count == 1 else f"{name} · {path.parent.name or path.name}"


def _size(dump: Tracked) -> str:
    assert dump.shown is not None
    peak = dump.shown.summary.peak_resident_bytes
    return "no live ranges" if peak is None else f"peak resident {human_bytes(peak)}"


def _known_rows(before: Amounts, after: Amounts) -> Iterator[tuple[str, int, int]]:
    for row, attribute in _ROWS:
        old, new = getattr(before, attribute), getattr(after, attribute)
        if old is not None and new is not None:
            yield row, old, new


def _weight(change: SpaceChange) -> tuple[int, int, bool]:
    """By the peak, then what is allocated, then anything at all."""
    before, after = change.before or Amounts(0, 0, 0), change.after or Amounts(0, 0, 0)
    peak = abs((after.peak_resident or 0) - (before.peak_resident or 0))
    return peak, abs(after.allocated - before.allocated), not change.is_none


def lines(look: Look, rebuilder: Rebuilder, time: str, seconds: float) -> Iterator[str]:
    """What the terminal says of a look that brought something."""
    called = names(rebuilder.dumps)
    if look.shown:
        yield f"{time} build {rebuilder.build}, {seconds:.2f} s"
    for label in look.shown[:_MOST_LISTED]:
        yield from _of_module(rebuilder.dumps[label], called[label])
    if len(look.shown) > _MOST_LISTED:
        yield f"  and {len(look.shown) - _MOST_LISTED:,} more"
    for label in look.same:
        yield f"{time} {called[label]}: written again, no change"
    for label in look.marked:
        dump = rebuilder.dumps.get(label)
        if dump and dump.mark:
            kept = f"; the figures of {dump.shown.time} stay" if dump.shown else ""
            yield f"{time} {called[label]}: {dump.mark.state}: {dump.mark.reason}{kept}"


def _of_module(dump: Tracked, name: str) -> Iterator[str]:
    assert dump.history is not None
    yield f"  {name}: {headline(dump)}"
    of_start = {change.color: change for change in dump.history.since_start}
    for change in dump.history.since_previous:
        if change.is_none or change.before is None or change.after is None:
            continue
        for row, old, new in _known_rows(change.before, change.after):
            since = _since_start(row, of_start.get(change.color))
            if old != new or since:
                words = f"{row.lower()} {human_bytes(new)}, {difference(old, new)}{since}"
                yield f"    {change.color} · {change.name}: {words}"
        yield from _values(change.values)


def _since_start(row: str, change: SpaceChange | None) -> str:
    if change is None or change.before is None or change.after is None:
        return ""
    pairs = {name: pair for name, *pair in _known_rows(change.before, change.after)}
    if row not in pairs or pairs[row][0] == pairs[row][1]:
        return ""
    return f"; since the start {difference(*pairs[row])}"


def _values(values: Sequence[ValueChange]) -> Iterator[str]:
    for kind in ("new", "gone", "grown", "shrunk", "moved"):
        found = [value for value in values if value.kind == kind]
        if found:
            named = ", ".join(_value(value) for value in found[:_MOST_SPOKEN])
            more = f" and {len(found) - _MOST_SPOKEN:,} more" if len(found) > _MOST_SPOKEN else ""
            yield f"      {kind} at the peak: {named}{more}"


def _value(value: ValueChange) -> str:
    if value.kind == "moved":
        return key_text(value.key)
    change = value.after_bytes - value.before_bytes
    return f"{key_text(value.key)} {'+' if change > 0 else '−'}{human_bytes(abs(change))}"


class News:
    """What the pages are told of one state of the rebuilder; what is unchanged is taken from that `before`."""

    def __init__(
        self, rebuilder: Rebuilder, changed: Sequence[str], said: str, time: str, before: "News | None" = None
    ) -> None:
        """`changed` are the labels of the last build, `said` is what happened last and built nothing."""
        called = names(rebuilder.dumps)
        self._base = {"build": rebuilder.build, "time": time, "said": said}
        self._base |= {"changed": list(_changed(rebuilder, changed, called)), "marks": list(_marks(rebuilder, called))}
        self._modules: dict[str, tuple[object, Mapping[str, Any]]] = {}
        for label, dump in rebuilder.dumps.items():
            if dump.shown:
                folder, key = folder_of(dump.shown.summary.href), (dump.shown.build, dump.mark, called[label])
                known = before._modules.get(folder) if before else None
                self._modules[folder] = known if known and known[0] == key else (key, _module(dump, called[label]))

    def to(self, path: str) -> Mapping[str, Any]:
        """For the page at `path`: with its own module's changes, on the other pages those of all."""
        module = self._modules.get(folder_of(path))
        return self._base | {"module": module[1] if module else None}


def _changed(rebuilder: Rebuilder, labels: Iterable[str], called: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    dumps = [dump for label in labels if (dump := rebuilder.dumps.get(label)) and dump.shown]
    for dump in dumps[:_MOST_MODULES]:
        yield {**_head(dump, called[dump.files.label]), "headline": headline(dump)}


def _marks(rebuilder: Rebuilder, called: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    for label, dump in rebuilder.dumps.items():
        if dump.mark:
            yield {**_head(dump, called[label]), "mark": _mark(dump)}


def _mark(dump: Tracked) -> Mapping[str, Any] | None:
    if dump.mark is None:
        return None
    figures = dump.shown.time if dump.shown else None
    return {"state": dump.mark.state, "reason": dump.mark.reason, "since": dump.mark.time, "figures": figures}


def _head(dump: Tracked, name: str) -> dict[str, Any]:
    href = dump.shown.summary.href if dump.shown else None
    return {"title": name, "label": dump.files.label, "href": href}


def _module(dump: Tracked, name: str) -> Mapping[str, Any]:
    assert dump.shown is not None
    return {
        **_head(dump, name),
        "headline": headline(dump),
        "build": dump.shown.build,
        "time": dump.shown.time,
        "mark": _mark(dump),
        "spaces": _spaces(dump),
    }


def _spaces(dump: Tracked) -> list[dict[str, Any]]:
    if dump.history is None:
        return []
    previous = {change.color: change for change in dump.history.since_previous}
    return [_space(dump, previous.get(change.color), change) for change in dump.history.since_start]


def _space(dump: Tracked, previous: SpaceChange | None, start: SpaceChange) -> dict[str, Any]:
    assert dump.history is not None
    return {
        "color": start.color,
        "name": start.name,
        "rows": [_row(name, attribute, previous, start) for name, attribute in _ROWS],
        "values": [_value_news(value) for value in previous.values[:_MOST_VALUES]] if previous else [],
        "more": max(0, len(previous.values) - _MOST_VALUES) if previous else 0,
        "trend": [[point.build, point.time, point.peak_resident.get(start.color)] for point in dump.history.trend],
    }


def _row(name: str, attribute: str, previous: SpaceChange | None, start: SpaceChange) -> Mapping[str, Any]:
    def amount(amounts: Amounts | None) -> tuple[int | None, str]:
        size: int | None = getattr(amounts, attribute) if amounts else None
        return size, "–" if size is None else human_bytes(size)

    now, before, first = amount(start.after), amount(previous.before if previous else None), amount(start.before)
    return {
        "name": name,
        "now": now[1],
        "exact": None if now[0] is None else exact_bytes(now[0]),
        "previous": _words(before[0], now[0]),
        "start": _words(first[0], now[0]),
    }


def _words(before: int | None, now: int | None) -> Mapping[str, Any] | None:
    """The change with its direction; None where it is not known."""
    if before is None or now is None:
        return None
    return {"words": difference(before, now), "direction": (now > before) - (now < before)}


def _value_news(value: ValueChange) -> Mapping[str, Any]:
    change = value.after_bytes - value.before_bytes
    words = (
        human_bytes(value.after_bytes) if value.kind == "moved" else difference(value.before_bytes, value.after_bytes)
    )
    return {"kind": value.kind, "name": key_text(value.key), "words": words, "direction": (change > 0) - (change < 0)}
