"""Describe to open pages what changed, as data for `templates/live/panel.js`.

All amounts are formatted and all sentences written here; the script only arranges them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reportgen.compare.compare_words import signed_bytes
from reportgen.compare.figures import Figure, SpaceFigures
from reportgen.live.messages import ROWS, difference, doubts, headline, names
from reportgen.live.module_history import SpaceChange, Step, Subject
from reportgen.live.rebuild import Rebuilder
from reportgen.live.tracked import TrackedDump
from reportgen.render.routes import module_folder
from reportgen.reports.formats import exact_bytes, human_bytes, visible

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
        "doubts": list(map(visible, doubts(dump))),
        "build": dump.shown.number,
        "time": dump.shown.time,
        "outdated": _outdated(dump),
        "spaces": list(_spaces(dump)),
    }


def _spaces(dump: TrackedDump) -> Iterator[Mapping[str, Any]]:
    """Yield each memory space, the most changed one first."""
    spaces = dump.history.spaces if dump.history else ()
    for space in sorted(spaces, key=lambda space: space.weight, reverse=True):
        yield {
            "color": space.color,
            "name": space.name,
            "rows": [_row(name, figure, space) for name, figure in ROWS],
            "steps": [_step(step) for step in space.steps],
        }


def _row(name: str, figure: Figure, space: SpaceChange) -> Mapping[str, Any]:
    def amount(figures: SpaceFigures | None) -> int | None:
        return figures.bytes[figure] if figures else None

    now = amount(space.now)
    return {
        "name": name,
        "now": "–" if now is None else human_bytes(now),
        "exact": None if now is None else exact_bytes(now),
        "previous": _difference(amount(space.before), now),
        "start": _difference(amount(space.first), now),
    }


def _difference(before: int | None, now: int | None) -> Mapping[str, Any] | None:
    """Return a change with its direction (-1, 0 or 1); None if one of the amounts is unknown."""
    if before is None or now is None:
        return None
    return {"words": difference(before, now), "direction": _direction(now - before)}


def _direction(change: int) -> int:
    return (change > 0) - (change < 0)


def _step(step: Step) -> Mapping[str, Any]:
    return {
        "step": step.words,
        "words": signed_bytes(step.change_bytes),
        "direction": _direction(step.change_bytes),
        "subjects": [_subject(subject) for subject in step.subjects],
        "more": step.left_out,
    }


def _subject(subject: Subject) -> Mapping[str, Any]:
    return {
        "name": visible(subject.name),
        "href": subject.path or None,
        "count": f"{subject.count:,}",
        "words": signed_bytes(subject.change_bytes),
    }
