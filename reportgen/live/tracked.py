"""Keep the state of each dump between two scans: its files, the last good build, and why that is outdated."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from reportgen.compare.module_pairing import Side
from reportgen.input.reading import DumpFiles, Problem
from reportgen.live.changes import BuildChange
from reportgen.live.completeness import Completeness
from reportgen.live.listing import Stamps, parts_of
from reportgen.record import record
from reportgen.render.routes import ModuleRoutes, module_folder, module_slug, module_view
from reportgen.reports.formats import shortened, visible
from reportgen.reports.report import key_text
from reportgen.reports.report_document import GateModule
from reportgen.work import Outcome

_PAUSE_PER_TRY = 10


@record(kw_only=False)
class Timing:
    """The waiting times of the loop, in seconds.

    - `quiet` must pass after the last write before a dump is read: writers that flush line by line pause for less than
      100 ms, and a reader does not notice the delay.
    - `at_most` is how long an unbroken stream of events can delay a scan.
    - `patience` is how long a dump that seems incomplete must stay unchanged before it is shown anyway.
    - `polling` is the time between scans without events, and `safety` the time with them.
    - `retry` is the time until what could not be read is tried again; it doubles each time, up to `retry_at_most`.
    """

    quiet: float = 0.1
    at_most: float = 1.0
    patience: float = 5.0
    polling: float = 0.3
    safety: float = 2.0
    retry: float = 2.0
    retry_at_most: float = 60.0


@dataclass(slots=True)
class Retry:
    """When to try again what failed for a reason that may pass, such as too many open files; None for never."""

    at: float | None = None
    _pause: float = 0.0

    def failed(self, began: float, now: float, timing: Timing) -> None:
        """Note that a try failed; the next one waits twice as long, and ten times as long as this one took."""
        self._pause = min(max(2 * self._pause, timing.retry), timing.retry_at_most)
        self.at = now + max(self._pause, _PAUSE_PER_TRY * (now - began))

    def is_due(self, now: float) -> bool:
        """Return whether it is time to try again."""
        return self.at is not None and self.at <= now

    def forget(self) -> None:
        """Note that there is nothing to try again."""
        self.at, self._pause = None, 0.0


@record(kw_only=False)
class Outdated:
    """The reason why the figures shown are not those of the dump on disk; `since` is a time of day."""

    state: Literal["being written", "stale"]
    reason: str
    since: str


class Identity(NamedTuple):
    """The properties that a dump shares with its successor, whose file name may have another timestamp."""

    folder: str
    module_name: str
    stage: str | None
    number: int | None


@dataclass(eq=False)
class ShownBuild:
    """The last good build of a dump. The server's threads read it, and only the loop changes it.

    `key` covers everything that its pages are made from, and `outcome` names them. `number` counts the builds of the
    site, `time` is a time of day. `verdict` and `side` are None for a build that an earlier process has made, until its
    dump is read again.
    """

    key: str
    label: str
    title: str
    outcome: Outcome
    number: int
    time: str
    figures: GateModule
    change: BuildChange
    verdict: Completeness | None = None
    side: Side | None = None

    @property
    def paths(self) -> Collection[str]:
        """Return the paths of all its pages."""
        return self.outcome.part.paths if self.outcome.part else ()

    @property
    def when(self) -> str:
        """Return the number and the time of the build in words."""
        return f"build {self.number}, {self.time}"

    @property
    def index(self) -> str:
        """Return the path of the module's first page."""
        return module_view(self.label, self.title)

    @property
    def folder(self) -> str:
        """Return the folder of the module's pages."""
        return module_folder(self.index)

    def place_of(self, name: str) -> str | None:
        """Return the page and the id of the value that the pages call `name`, whole or shortened; None for none."""
        if self.side is None:
            return None
        analysis = self.side.analysis
        routes = ModuleRoutes(module_slug(self.label, self.title), analysis.dump)
        for number, fact in enumerate(analysis.facts):
            text = key_text(fact.value.key)
            if name in (visible(text), visible(shortened(text))):
                return routes.value(number)
        return None


@dataclass(slots=True)
class TrackedDump:
    """The state of one dump.

    `real_files` are its files under the label on disk, and `files` the same ones as the site names them.
    `since` is when they last changed, on the clock of the loop. `read` are the stamps that they had when they were last
    read, and `waiting` is the verdict of that reading if it kept the dump from being shown. `retry` says when to read
    them again although they have not changed.
    """

    real_files: DumpFiles
    files: DumpFiles
    stamps: Stamps
    since: float
    read: Stamps | None = None
    waiting: Completeness | None = None
    problem: Problem | None = None
    shown: ShownBuild | None = None
    outdated: Outdated | None = None
    is_gone: bool = False
    retry: Retry = field(default_factory=Retry)

    @property
    def key(self) -> str:
        """Return the label that identifies the dump as long as it exists."""
        return self.real_files.label

    @property
    def identity(self) -> Identity:
        """Return what this dump shares with a successor."""
        name = self.real_files.name
        folder = self.real_files.label.rpartition("/")[0]
        return Identity(folder, name.module_name, name.stage, name.module_number)

    @property
    def last(self) -> Completeness | None:
        """Return the verdict on the build that is shown; None before the first."""
        return self.shown.verdict if self.shown else None

    @property
    def part_stamps(self) -> Stamps:
        """Return the stamps of the dump's parts, without those of its sibling files and notes."""
        return self.stamps[: len(parts_of(self.files))]

    def due_at(self, timing: Timing) -> float | None:
        """Return when the dump must be read if its files do not change; None for never."""
        if self.is_gone or (self.read == self.stamps and self.waiting is None):
            return None
        if self.read != self.stamps or self.waiting is None:
            return self.since + timing.quiet
        return self.accepted_at(self.waiting, timing)

    def is_due(self, now: float, timing: Timing) -> bool:
        """Return whether it is time to read the dump: its files have settled, or one that was unreadable may not be."""
        at = self.due_at(timing)
        return (at is not None and at <= now) or (not self.is_gone and self.retry.is_due(now))

    def accepted_at(self, verdict: Completeness, timing: Timing) -> float | None:
        """Return when a dump with this verdict is shown if its files do not change; None for never."""
        if not verdict.reason:
            return self.since + timing.quiet
        return None if verdict.is_truncated and self.shown else self.since + timing.patience
