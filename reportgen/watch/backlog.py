"""Pages that are shown already and still have to be written: a little at a time, whenever nothing else is to be done.

Every file is exchanged whole. The overview is written, and what is left over removed, when all modules are there.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import monotonic

from reportgen.manifest import COMMON, Part
from reportgen.output import SiteDirectory, write_pages
from reportgen.render.page import Page
from reportgen.watch.tracked import Tracked

_STEP_SECONDS = 0.02


class Backlog:
    """Writes into `output`; `common` gives the pages of no module as they are when their turn comes."""

    def __init__(self, output: Path, common: Callable[[], Mapping[str, bytes]]) -> None:
        self._output = output
        self._directory: SiteDirectory | None = None
        self._common = common
        self._waiting: dict[str, tuple[Tracked, Iterator[Page], set[str]]] = {}
        self._is_finished = False

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_empty(self) -> bool:
        return not self._waiting and self._is_finished

    def write_into(self, directory: SiteDirectory) -> None:
        """To be said before the first step."""
        self._directory = directory

    def add(self, dump: Tracked) -> None:
        """Write this dump's pages; what was still to be written of an earlier build of it is not any more."""
        assert dump.pages is not None
        self._waiting[dump.files.label] = (dump, dump.pages.all(), set())
        self._is_finished = False

    def renew(self) -> None:
        """The overview has changed."""
        self._is_finished = False

    def step(self, dumps: Mapping[str, Tracked], wait: Callable[[], None] = lambda: None) -> bool:
        """Work for some hundredths of a second; whether a dump is on disk now. `wait` is called before each page."""
        for label in self._waiting.keys() - dumps.keys():
            del self._waiting[label]
        for label in self._waiting:
            return self._write_some(label, monotonic() + _STEP_SECONDS, wait)
        if not self._is_finished:
            self._finish(dumps)
        return False

    def _write_some(self, label: str, until: float, wait: Callable[[], None]) -> bool:
        dump, pages, paths = self._waiting[label]
        for page in pages:
            wait()
            paths.update(write_pages(self._output, [page], whole=True).paths)
            if monotonic() >= until:
                return False
        del self._waiting[label]
        dump.pages, dump.paths = None, frozenset(paths)
        return True

    def _finish(self, dumps: Mapping[str, Tracked]) -> None:
        common = [Page(path, content) for path, content in self._common().items()]
        written = write_pages(self._output, common, whole=True)
        parts = {label: Part("", tuple(dump.paths)) for label, dump in dumps.items()}
        assert self._directory is not None
        self._directory.finish(parts | {COMMON: Part("", written.paths)})
        self._is_finished = True
