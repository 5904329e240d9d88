"""Describe to open pages what changed, as data for `templates/live/panel.js`.

All amounts are formatted and all sentences written here; the script only arranges them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reportgen.live.history import Amounts, History, SpaceChange, ValueChange
from reportgen.live.messages import ROWS, difference, headline, names, place, weight
from reportgen.live.rebuild import Rebuilder
from reportgen.live.tracked import TrackedDump
from reportgen.render.routes import module_folder
from reportgen.reports.formats import exact_bytes, human_bytes, visible
from reportgen.reports.report import key_text

_MOST_VALUES = 40
_MOST_MODULES = 30


class PageChanges:
    """What the pages show about one state of the rebuilder.

    It is computed immediately, because the server's threads ask later, when the rebuilder may have another state.
    """

    def __init__(self, rebuilder: Rebuilder, last_built: Sequence[str], message: str, time: str) -> None:
        """Describe the build of the dumps `last_built`, at `time`; `message` is about a later scan without a build."""
        called = names(rebuilder.dumps)
        self._common = {
            "build": rebuilder.build,
            "time": time,
            "message": message,
            "changed": [
                {**_name(dump, called[label]), "headline": headline(dump)}
                for label in last_built[:_MOST_MODULES]
                if (dump := rebuilder.dumps.get(label)) and dump.shown
            ],
            "outdated": [
                {**_name(dump, called[label]), "outdated": _outdated(dump)}
                for label, dump in rebuilder.dumps.items()
                if dump.outdated
            ],
        }
        self._modules = {
            module_folder(dump.shown.index): _module(dump, called[label])
            for label, dump in rebuilder.dumps.items()
            if dump.shown
        }

    def for_page(self, path: str) -> Mapping[str, Any]:
        """Return the changes for the page at `path`: those of all modules, and the details of its own."""
        return self._common | {"module": self._modules.get(module_folder(path))}


def _outdated(dump: TrackedDump) -> Mapping[str, Any] | None:
    """Return why the figures of a dump are outdated, and the time of those shown; None if they are up to date."""
    outdated, figures = dump.outdated, dump.shown.time if dump.shown else None
    if outdated is None:
        return None
    return {"state": outdated.state, "reason": outdated.reason, "since": outdated.since, "figures": figures}


def _name(dump: TrackedDump, name: str) -> dict[str, Any]:
    href = dump.shown.index if dump.shown else None
    return {"title": name, "label": dump.files.label, "href": href}


def _module(dump: TrackedDump, name: str) -> Mapping[str, Any]:
    assert dump.shown is not None
    return {
        **_name(dump, name),
        "headline": headline(dump),
        "build": dump.shown.number,
        "time": dump.shown.time,
        "outdated": _outdated(dump),
        "spaces": list(_spaces(dump.history, dump.shown.value_paths)) if dump.history else [],
    }


def _spaces(history: History, value_paths: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    """Yield each memory space, the most changed one first."""
    last = {space.color: space for space in history.since_previous}
    for start in sorted(history.since_start, key=lambda space: weight(last.get(space.color) or space), reverse=True):
        previous = last.get(start.color)
        values = previous.values if previous else ()
        yield {
            "color": start.color,
            "name": start.name,
            "rows": [_row(name, attribute, previous, start) for name, attribute in ROWS],
            "values": [_value(value, value_paths) for value in values[:_MOST_VALUES]],
            "more": max(0, len(values) - _MOST_VALUES),
            "trend": [[point.build, point.time, point.peak_resident.get(start.color)] for point in history.trend],
        }


def _row(name: str, attribute: str, previous: SpaceChange | None, start: SpaceChange) -> Mapping[str, Any]:
    def amount(amounts: Amounts | None) -> int | None:
        size: int | None = getattr(amounts, attribute) if amounts else None
        return size

    now = amount(start.after)
    return {
        "name": name,
        "now": "–" if now is None else human_bytes(now),
        "exact": None if now is None else exact_bytes(now),
        "previous": _difference(amount(previous.before) if previous else None, now),
        "start": _difference(amount(start.before), now),
    }


def _difference(before: int | None, now: int | None) -> Mapping[str, Any] | None:
    """Return a change with its direction (-1, 0 or 1); None if one of the amounts is unknown."""
    if before is None or now is None:
        return None
    return {"words": difference(before, now), "direction": (now > before) - (now < before)}


def _value(value: ValueChange, value_paths: Mapping[str, str]) -> Mapping[str, Any]:
    name, change = visible(key_text(value.key)), difference(value.before_bytes, value.after_bytes)
    return {
        "kind": value.kind,
        "name": name,
        "href": value_paths.get(name) if value.after else None,
        "place": place(value),
        "words": human_bytes(value.after_bytes) if value.kind == "moved" else change,
        "direction": (value.after_bytes > value.before_bytes) - (value.after_bytes < value.before_bytes),
    }
