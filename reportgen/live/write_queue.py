"""Write pages that are served already but not yet on disk, a few at a time, while the loop is idle.

Each file is replaced atomically. After all modules are on disk, the overview is written and files left over from
earlier builds are removed.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import monotonic

from reportgen.errors import OutputRefused
from reportgen.live.tracked import TrackedDump
from reportgen.output.manifest import COMMON, MANIFEST
from reportgen.output.writer import SiteDirectory, write_pages
from reportgen.work import Page, Part

_STEP_SECONDS = 0.02  # short, because a changed dump waits until the step is over
_RETRY_SECONDS = 2.0


class WriteQueue:
    """Hold the pages that must still be written into `output`.

    `common` returns the pages that belong to no module; it is called when these are written.
    """

    def __init__(self, output: Path, common: Callable[[], Mapping[str, bytes]]) -> None:
        self._output = output
        self._directory: SiteDirectory | None = None
        self._common = common
        self._waiting: dict[str, tuple[TrackedDump, Iterator[Page]]] = {}
        self._is_finished = False
        self._retry_at = 0.0
        self.trouble = ""
        """Why the last page could not be written; empty while all is well."""

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_empty(self) -> bool:
        """Return whether everything is on disk."""
        return not self._waiting and self._is_finished

    @property
    def text_bytes(self) -> int:
        """Return the bytes of the dumps whose analysis stays in memory until their pages are written."""
        pages = (dump.pages for dump, _ in self._waiting.values() if dump.pages)
        return sum(len(part.data) for one in pages for part in one.module.analysis.dump.text.parts)

    @property
    def can_write(self) -> bool:
        """Return whether pages are left to write and need not wait until a failed write is tried again."""
        return not self.is_empty and monotonic() >= self._retry_at

    @property
    def is_lost(self) -> bool:
        """Return whether somebody else has removed what was written."""
        return self._is_finished and not (self._output / MANIFEST).exists()

    def open(self, directory: SiteDirectory) -> None:
        """Set the open directory of the site; call this before the first step."""
        self._directory = directory

    def add(self, dump: TrackedDump) -> None:
        """Queue the pages of a dump; they replace those of its earlier build."""
        assert dump.pages is not None
        self._waiting[dump.files.label] = (dump, dump.pages.all())
        self._is_finished = False

    def mark_stale(self) -> None:
        """Queue the overview, because it has changed."""
        self._is_finished = False

    def step(self, dumps: Mapping[str, TrackedDump]) -> bool:
        """Write for some hundredths of a second; return whether that put the last page of a dump on disk.

        What cannot be written is tried again after some seconds, because every page is served from memory until then.
        """
        try:
            is_whole = self._step(dumps)
        except OutputRefused as error:
            self._retry_at, self.trouble = monotonic() + _RETRY_SECONDS, str(error)
            for label, (dump, _) in self._waiting.items():
                assert dump.pages is not None
                self._waiting[label] = (dump, dump.pages.all())
            return False
        self.trouble = ""
        return is_whole

    def _step(self, dumps: Mapping[str, TrackedDump]) -> bool:
        for label in self._waiting.keys() - dumps.keys():
            del self._waiting[label]
        if not self._waiting:
            if not self._is_finished:
                self._finish(dumps)
            return False
        label, (dump, pages) = next(iter(self._waiting.items()))
        until = monotonic() + _STEP_SECONDS
        for page in pages:
            write_pages(self._output, [page], whole=True)
            if monotonic() >= until:
                return False
        del self._waiting[label]
        dump.pages = None  # frees the analysis, because the server reads the pages from disk from now on
        return True

    def _finish(self, dumps: Mapping[str, TrackedDump]) -> None:
        common = [Page(path, content) for path, content in self._common().items()]
        written = write_pages(self._output, common, whole=True)
        parts = {label: Part("", tuple(sorted(dump.shown.paths))) for label, dump in dumps.items() if dump.shown}
        assert self._directory is not None
        self._directory.finish(parts | {COMMON: Part("", written.paths)})
        self._is_finished = True
