"""Define the records that pass between the stages of a build and its workers: tasks, pages, parts and outcomes."""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, field
from pathlib import Path
from typing import Any, NamedTuple

from reportgen.analyse.logged_errors import LoggedError
from reportgen.input.reading import DumpFiles, Problem
from reportgen.options import Redaction
from reportgen.record import record
from reportgen.reports.summary import Summary, biggest_first

Progress = Callable[[int, int, str], None]
"""Called with the number of finished dumps, the number of all dumps, and the label of the last finished one."""


Stage = Callable[[str], None]
"""Called with the name of each step, such as "parsing and analysing"."""


def silent(words: str) -> None:
    """Ignore the steps."""


class Page(NamedTuple):
    """A file of the site; `path` is relative to the site's root, with forward slashes."""

    path: str
    content: bytes


@record(kw_only=False)
class Part:
    """The pages that one dump has in the site, or those that belong to no dump.

    `key` is a digest of everything that the pages were made from, empty if unknown. `digest` covers the paths and bytes
    of the pages, and `size_bytes` counts their bytes. `outcome` is the outcome of the dump as JSON, so that the next
    build need not analyse the dump.
    """

    key: str
    paths: tuple[str, ...]
    size_bytes: int = 0
    digest: int = 0
    outcome: Any = None


@record(kw_only=False)
class Task:
    """A dump to work on, and what the last build made of it: its pages, and its line of report.json by digest."""

    files: DumpFiles
    previous: Part | None = None
    lines: Mapping[str, bytes] = field(default_factory=dict)


@record
class Settings:
    """The settings that all dumps of a site share. `fingerprint` identifies the program itself."""

    site_title: str = ""
    output: Path = Path()
    fingerprint: str = ""
    redaction: Redaction | None = None
    source_root: Path | None = None
    source_url: str | None = None
    own_functions: bool = False
    capacities: tuple[str, ...] = ()


@record
class Outcome:
    """The result for one dump; `summary` is None if the dump could not be read at all.

    `part` lists the pages of the dump, and `changed` is the number of pages that had to be written.
    """

    label: str
    summary: Summary | None
    problems: tuple[Problem, ...] = ()
    part: Part | None = None
    changed: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the summary and the problems as JSON values."""
        summary = self.summary.as_json() if self.summary else None
        return {"summary": summary, "problems": [asdict(problem) for problem in self.problems]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], part: Part, lines: Mapping[str, bytes]) -> "Outcome":
        """Return the outcome that an earlier build stored with `part`; `lines` are those of report.json, by digest.

        Raises KeyError, TypeError or ValueError for data that `as_json` cannot have returned.
        """
        summary = Summary.from_json(data["summary"], lines)
        problems = tuple(Problem(**problem) for problem in data["problems"])
        return cls(label=summary.label, summary=summary, problems=problems, part=part)


@record(kw_only=False)
class Totals:
    """The files of a site: their number and bytes, how many were written, and how many old ones were removed.

    `kept` are paths of old pages that hold something else now, which is kept.
    """

    files: int = 0
    size_bytes: int = 0
    changed: int = 0
    removed: int = 0
    kept: tuple[str, ...] = ()


@record(kw_only=False)
class Disclosure:
    """What a site discloses of the program: how many source files, and how many op_names, added up over modules."""

    source_files: int = 0
    op_names: int = 0


@record(kw_only=False)
class BuildResult:
    """The result of a build or check: summaries, largest first, and all problems with the input.

    `errors` are the out-of-memory errors in texts on the command line. `left_out` counts the dumps that a single file
    could have shown as well.
    """

    summaries: tuple[Summary, ...]
    problems: tuple[Problem, ...]
    totals: Totals = Totals()
    disclosure: Disclosure = Disclosure()
    errors: tuple[LoggedError, ...] = ()
    left_out: int = 0

    @property
    def unread(self) -> int:
        """Return how many files could not be read."""
        return sum(problem.severity == "error" for problem in self.problems)

    def has_problems(self, *, strict: bool) -> bool:
        """Return whether a file could not be read or, if `strict`, whether there is any warning or error."""
        warned = any(problem.severity == "warning" for problem in self.problems)
        failed = any(error.event.is_failure for error in self.errors)
        severities = {severity for entry in self.summaries for severity, _ in entry.finding_counts}
        return bool(self.unread) or (strict and (warned or failed or bool(severities & {"error", "warning"})))


@record
class Front:
    """What the overview shows besides its table of modules; `readme` is a user's note, in Markdown."""

    problems: Sequence[Problem] = ()
    readme: str = ""
    redaction: Redaction | None = None
    errors: Sequence[LoggedError] = ()
    has_trend: bool = False


def largest_first(task: Task) -> tuple[int, str]:
    """Return the sort key that puts the largest dumps first, because they take longest."""
    return -bytes_on_disk(task.files), task.files.label


def bytes_on_disk(files: DumpFiles) -> int:
    """Return the size of the files of a dump; a remote file counts as empty, because asking for its size is slow."""
    paths = {part.path for part in files.parts if isinstance(part.path, Path)}
    try:
        return sum(path.stat().st_size for path in paths)
    except OSError:  # which is reported when the file is read
        return 0


def with_progress(outcomes: Iterable[Outcome], total: int, progress: Progress) -> Iterator[Outcome]:
    """Yield the outcomes, and call `progress` for each."""
    for done, outcome in enumerate(outcomes, start=1):
        progress(done, total, outcome.label)
        yield outcome


def result_of(problems: Sequence[Problem], outcomes: Sequence[Outcome]) -> BuildResult:
    """Return the result of a build or check whose dumps had these outcomes; `problems` belong to none of them."""
    summaries = sorted((outcome.summary for outcome in outcomes if outcome.summary), key=biggest_first)
    everything = [*problems, *(problem for outcome in outcomes for problem in outcome.problems)]
    ordered = sorted(everything, key=lambda problem: (problem.file, problem.message))
    return BuildResult(tuple(summaries), tuple(ordered))


_MANY_OBJECTS = 100_000
"""New objects since the last search that are worth the next one, which looks at all."""
_NEW_PER_OBJECT = 0.5
"""The least number of them for each object in use, so that a command that keeps many searches seldom."""

_in_use = 0
_is_paused = False


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Pause the search for cycles, because few of the millions of new objects have any.

    The search takes a fifth of a check and of a build. What the last pause has left is searched first; so a
    command that has disabled the search never searches what its last dump leaves, because that goes with the process.
    """
    global _in_use, _is_paused  # noqa: PLW0603 - because it is about all objects of the process
    if _is_paused:
        yield
        return
    was_enabled = gc.isenabled()
    gc.disable()
    if gc.get_count()[0] > max(_MANY_OBJECTS, _NEW_PER_OBJECT * _in_use):
        gc.collect()
        _in_use = len(gc.get_objects())
    _is_paused = True
    try:
        yield
    finally:
        _is_paused = False
        if was_enabled:
            gc.enable()
