"""Say what a scan found and what is shown: the lines of the terminal, and what open pages show in their corner."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import Any

from reportgen.live.tracked import ShownBuild, TrackedDump
from reportgen.live.tracker import ScanResult
from reportgen.record import record
from reportgen.render.routes import module_folder

_MOST_NAMED = 3
_MOST_MODULES, _MOST_MODULES_ON_PAGES = 12, 30


@record
class LastBuild:
    """The last build of the site that changed anything: its number, its time of day, and the labels of its dumps."""

    number: int = 0
    time: str = ""
    labels: Sequence[str] = ()


def names(dumps: Mapping[str, TrackedDump]) -> Mapping[str, str]:
    """Return a name for each dump, by label: its module, with the folder if several modules have that name."""
    count = Counter(dump.files.name.module_name for dump in dumps.values())
    name_of = {}
    for label, dump in dumps.items():
        name, path = dump.files.name.module_name, PurePosixPath(label)
        name_of[label] = name if count[name] == 1 else f"{name} · {path.parent.name or path.name}"
    return name_of


def unchanged_message(result: ScanResult, dumps: Mapping[str, TrackedDump], time: str) -> str:
    """Return the message for a scan that found only dumps rewritten without a change; empty for any other scan."""
    if result.built or not result.unchanged:
        return ""
    name_of = names(dumps)
    some = ", ".join(name_of[label] for label in result.unchanged[:_MOST_NAMED])
    others = " and others" if len(result.unchanged) > _MOST_NAMED else ""
    return f"{time} {some}{others}: rewritten without a change"


def terminal_lines(
    result: ScanResult, dumps: Mapping[str, TrackedDump], number: int, time: str, seconds: float
) -> Iterator[str]:
    """Yield the lines for a scan that found something, took `seconds` and made build `number`."""
    name_of = names(dumps)
    if result.built:
        yield f"{time} build {number}, {seconds:.2f} s"
    for label in result.built[:_MOST_MODULES]:
        if (dump := dumps.get(label)) and dump.shown:
            yield f"  {name_of[label]}: {dump.shown.change.headline}"
            yield from (f"    {line}" for line in dump.shown.change.lines)
    if len(result.built) > _MOST_MODULES:
        yield f"  and {len(result.built) - _MOST_MODULES:,} more"
    for label in result.unchanged:
        yield f"{time} {name_of[label]}: rewritten without a change"
    for label in result.outdated:
        if (dump := dumps.get(label)) and dump.outdated:
            kept = f"; still showing the figures of {dump.shown.time}" if dump.shown else ""
            yield f"{time} {name_of[label]}: {dump.outdated.state}: {dump.outdated.reason}{kept}"


def page_changes(
    dumps: Mapping[str, TrackedDump], last: LastBuild, message: str = ""
) -> Callable[[str], Mapping[str, Any]]:
    """Return a function from the path of a page to the changes it shows: of all modules, and of its own.

    The state of the dumps is copied now, because the server's threads ask later; `message` is about a later scan
    without a build.
    """
    name_of = names(dumps)
    common = {
        "build": last.number,
        "time": last.time,
        "message": message,
        "changed": [
            _changed(dump.shown, _named(dump, name_of[label]))
            for label in last.labels[:_MOST_MODULES_ON_PAGES]
            if (dump := dumps.get(label)) and dump.shown
        ],
        "outdated": [
            {**_named(dump, name_of[label]), "outdated": _outdated(dump)}
            for label, dump in dumps.items()
            if dump.outdated
        ],
    }
    modules = {
        dump.shown.folder: _changed(dump.shown, _named(dump, name_of[label]))
        | {"build": dump.shown.number, "time": dump.shown.time, "outdated": _outdated(dump)}
        for label, dump in dumps.items()
        if dump.shown
    }
    return lambda path: common | {"module": modules.get(module_folder(path))}


def _changed(shown: ShownBuild, named: Mapping[str, Any]) -> dict[str, Any]:
    page = shown.change.page
    return {**named, "headline": shown.change.headline, "comparison": page.path if page else None}


def _outdated(dump: TrackedDump) -> Mapping[str, Any] | None:
    """Return why the figures of a dump are outdated, and the time of those shown; None if they are up to date."""
    figures = dump.shown.time if dump.shown else None
    return asdict(dump.outdated) | {"figures": figures} if dump.outdated else None


def _named(dump: TrackedDump, name: str) -> dict[str, Any]:
    return {"title": name, "label": dump.files.label, "href": dump.shown.index if dump.shown else None}
