"""What is known of each dump between two looks at it: what its files were, what is shown of it, and what is wrong."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from reportgen.reading import DumpFiles, Problem
from reportgen.render.on_request import PagesOnRequest
from reportgen.render.summary import Summary
from reportgen.watch.completeness import Judgement, Known
from reportgen.watch.history import History
from reportgen.watch.scan import Stamps


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds. `quiet` must pass since the last write before a dump is read.

    100 ms, because writers that flush line by line pause for less, and a reader does not feel it. `at_most` is how
    long events that never cease can put off a look. `grace` is how long the other files of a dump may take when some
    are new and all fit together; `patience` is how long a dump must rest before it is shown although something in it
    is missing or contradicts itself. `polling` is the time between looks without events, and `safety` with them.
    """

    quiet: float = 0.1
    at_most: float = 1.0
    grace: float = 1.0
    patience: float = 5.0
    polling: float = 0.3
    safety: float = 2.0


@dataclass(frozen=True, slots=True)
class Mark:
    """Why the figures shown are not those of the dump on disk; `time` is when that began, for people."""

    state: Literal["being written", "old"]
    reason: str
    time: str


class Identity(NamedTuple):
    """What makes a dump with a new name the successor of one that is gone: names have time stamps in them."""

    folder: str
    module_name: str
    stage: str | None
    number: int | None


@dataclass(frozen=True, slots=True)
class Shown:
    """The last good build of a dump."""

    digest: str
    known: Known
    summary: Summary
    problems: tuple[Problem, ...]
    build: int
    time: str


@dataclass(slots=True)
class Tracked:
    """One dump. `pages` are there until all of them are on disk, then only their `paths`.

    `since` is when its files were first seen as they are, on the clock of the loop; `read` is what they were when
    they were read last, and `judgement` what came of it.
    """

    files: DumpFiles
    stamps: Stamps
    since: float
    read: Stamps | None = None
    judgement: Judgement | None = None
    problem: Problem | None = None
    shown: Shown | None = None
    mark: Mark | None = None
    history: History | None = None
    pages: PagesOnRequest | None = None
    paths: frozenset[str] = frozenset()
    is_gone: bool = False

    @property
    def identity(self) -> Identity:
        name = self.files.name
        folder = self.files.label.rpartition("/")[0]
        return Identity(folder, name.module_name, name.stage, name.module_number)

    @property
    def known(self) -> Known | None:
        return self.shown.known if self.shown else None

    def settled_at(self, timing: Timing) -> float:
        return self.since + timing.quiet

    def due_at(self, timing: Timing) -> float | None:
        """When it is to be read (again) if nothing changes; None for never."""
        if self.is_gone or (self.read == self.stamps and self.judgement is None):
            return None
        if self.read != self.stamps or self.judgement is None:
            return self.settled_at(timing)
        return self.accepted_at(self.judgement, timing)

    def accepted_at(self, judgement: Judgement, timing: Timing) -> float | None:
        """When it is shown, whatever it looks like; None for never."""
        match judgement.verdict:
            case "complete":
                return self.settled_at(timing)
            case "cut off":
                return None if self.shown else self.since + timing.patience
            case "doubtful" if judgement.contradictions_are_new(self.known):
                return self.since + timing.patience
            case _:
                return self.since + timing.grace
