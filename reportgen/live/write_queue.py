"""Write pages that are served already but not yet on disk, a few at a time, while the loop is idle.

Each file is replaced atomically. After all modules are on disk, the overview is written and files left over from
earlier builds are removed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from reportgen.errors import OutputRefused
from reportgen.live.tracked import TrackedDump
from reportgen.output.keys import common_key
from reportgen.output.manifest import COMMON, MANIFEST, TREND
from reportgen.output.writer import NOTHING_WRITTEN, SiteDirectory, Written, write_pages
from reportgen.record import record
from reportgen.render.site.overview import Front
from reportgen.work import Outcome, Page, Part, Settings

_STEP_SECONDS = 0.02  # short, because a changed dump waits until the step is over
_RETRY_SECONDS = 2.0


@record(kw_only=False)
class CommonPages:
    """The pages that belong to no module, and what those say that is not about modules."""

    pages: Mapping[str, bytes]
    front: Front


@dataclass(slots=True)
class _Writing:
    """A dump whose pages are being written: those that are left, and what is written already."""

    dump: TrackedDump
    left: Iterator[Page]
    text_bytes: int
    written: Written = NOTHING_WRITTEN


class WriteQueue:
    """Hold the pages that must still be written into `output`.

    `common` returns the pages that belong to no module; it is called when these are written.
    """

    def __init__(self, output: Path, settings: Settings, common: Callable[[], CommonPages]) -> None:
        self._output = output
        self._settings = settings
        self._directory: SiteDirectory | None = None
        self._common = common
        self._waiting: dict[str, _Writing] = {}
        self._is_finished = False
        self._retry_at = 0.0
        self.text_bytes = 0
        """The bytes of the dumps whose analysis stays in memory until their pages are written."""
        self.trouble = ""
        """Why the last page could not be written; empty while all is well."""

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_empty(self) -> bool:
        """Return whether everything is on disk."""
        return not self._waiting and self._is_finished

    @property
    def can_write(self) -> bool:
        """Return whether pages are left to write and need not wait until a failed write is tried again."""
        return not self.is_empty and monotonic() >= self._retry_at

    @property
    def is_lost(self) -> bool:
        """Return whether somebody else has removed what was written."""
        try:
            return self._is_finished and not (self._output / MANIFEST).exists()
        except OSError:  # it may be there, and cannot be looked for at the moment
            return False

    @property
    def has_trend(self) -> bool:
        """Return whether the site has the pages of a history, to which the overview leads."""
        return self._directory is not None and TREND in self._directory.parts

    def open(self, directory: SiteDirectory) -> None:
        """Set the open directory of the site; call this before the first step."""
        self._directory = directory

    def add(self, dump: TrackedDump) -> None:
        """Queue the pages of a dump; they replace those of its earlier build."""
        assert dump.pages is not None
        self._drop(dump.key)
        writing = _Writing(dump, dump.pages.all(), dump.pages.module.analysis.dump.text.size_bytes)
        self._waiting[dump.key] = writing
        self.text_bytes += writing.text_bytes
        self._is_finished = False

    def mark_stale(self) -> None:
        """Queue the overview, because it has changed."""
        self._is_finished = False

    def step(self, dumps: Mapping[str, TrackedDump]) -> TrackedDump | None:
        """Write for some hundredths of a second; return the dump whose last page that put on disk, if any.

        What cannot be written is tried again after some seconds, because every page is served from memory until then.
        """
        try:
            written = self._step(dumps)
        except (OutputRefused, OSError) as error:
            self._retry_at, self.trouble = monotonic() + _RETRY_SECONDS, str(error)
            for writing in list(self._waiting.values()):
                self.add(writing.dump)
            return None
        self.trouble = ""
        return written

    def _step(self, dumps: Mapping[str, TrackedDump]) -> TrackedDump | None:
        while self._waiting and (key := next(iter(self._waiting))) not in dumps:
            self._drop(key)
        if not self._waiting:
            if not self._is_finished:
                self._finish(dumps)
            return None
        key, writing = next(iter(self._waiting.items()))
        until = monotonic() + _STEP_SECONDS
        for page in writing.left:
            writing.written += write_pages(self._output, [page], whole=True)
            if monotonic() >= until:
                return None
        self._drop(key)
        writing.dump.part = _part(writing)
        writing.dump.pages = None  # frees the analysis, because the server reads the pages from disk from now on
        return writing.dump

    def _drop(self, key: str) -> None:
        if writing := self._waiting.pop(key, None):
            self.text_bytes -= writing.text_bytes

    def _finish(self, dumps: Mapping[str, TrackedDump]) -> None:
        common = self._common()
        written = write_pages(self._output, [Page(path, content) for path, content in common.pages.items()], whole=True)
        parts = {dump.files.label: dump.part for dump in dumps.values() if dump.part}
        front = common.front
        errors = [repr(error) for error in front.errors]
        key = common_key(self._settings, parts, front.problems, front.readme, errors, has_trend=front.has_trend)
        assert self._directory is not None
        self._directory.finish(parts | {COMMON: Part(key, written.paths, written.size_bytes, written.digest)})
        self._is_finished = True


def _part(writing: _Writing) -> Part:
    """Return what the manifest says of a dump whose pages are written, the same as after a build."""
    shown, written = writing.dump.shown, writing.written
    assert shown is not None
    outcome = Outcome(label=shown.summary.label, summary=shown.summary, problems=shown.problems)
    return Part(shown.digest, written.paths, written.size_bytes, written.digest, outcome.as_json())
