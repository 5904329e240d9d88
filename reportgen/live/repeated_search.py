"""Search the watched paths again whenever a file in them has changed, and name the dumps as the site does.

Redaction numbers its tokens over all dumps, so a new folder can rename the others. The rest of `watch` therefore knows
a dump by the label under which it was found, which stays.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from reportgen.analyse.logged_errors import LoggedError
from reportgen.errors import ReportgenError
from reportgen.input.discover import Discovered, discover_all
from reportgen.input.dump_contents import read_note
from reportgen.input.reading import DumpFiles, Problem
from reportgen.live.listing import Listing, Stamps, listing, stamp
from reportgen.live.tracked import Retry, Timing
from reportgen.options import WatchOptions
from reportgen.redact.contents import published_errors
from reportgen.redact.labels import redact_labels

_NOTHING = Discovered((), (), None)


class Search:
    """Hold the result of the last search.

    `found` has the dumps by label, and `named` the same dumps as the site names them. `problems`, `readme` and `errors`
    belong to no dump. `retry` says when to search again although no file has changed.
    """

    def __init__(self, options: WatchOptions, output: Path) -> None:
        self._options = options
        self._output = output
        self._discovered = _NOTHING
        self._listing: Listing | None = None
        self._error_stamps: Stamps = ()
        self.found: Mapping[str, DumpFiles] = {}
        self.named: Mapping[str, DumpFiles] = {}
        self.problems: tuple[Problem, ...] = ()
        self.readme = ""
        self.errors: tuple[LoggedError, ...] = ()
        self.retry = Retry()

    def repeat(self, kept: Mapping[str, DumpFiles], clock: Callable[[], float], timing: Timing) -> None:
        """Search again if a file has changed, or if it is time to try again what could not be read.

        `kept` are dumps that keep their names even after they were removed.
        """
        began = clock()
        try:
            files = listing(self._options.paths, self._output)
            if files == self._listing and not self.retry.is_due(began):
                return
            if files != self._listing:
                self.retry.forget()
            self._listing = files
            self._discovered = self._discover()
        except (OSError, ReportgenError):  # a path was deleted during the search, or cannot be read for now
            self.retry.failed(began, clock(), timing)
            return
        self._name(kept)
        stamps = tuple(files.get(text.path) for text in self._discovered.texts if isinstance(text.path, Path))
        if stamps != self._error_stamps or self.retry.at is not None:
            options = self._options
            self._error_stamps = stamps
            self.errors = published_errors(self._discovered, options.redaction, options.max_dump_bytes)
        lacks_readme = self._discovered.readme is not None and not self.readme
        if lacks_readme or any(problem.severity != "note" for problem in self.problems):
            self.retry.failed(began, clock(), timing)
        else:
            self.retry.forget()

    @property
    def is_incomplete(self) -> bool:
        """Return whether something could not be read."""
        return self.retry.at is not None

    def stamps(self, paths: tuple[Path, ...]) -> Stamps:
        """Return the stamps of files as they were when the search began."""
        known = self._listing or {}
        return tuple(known.get(path) or stamp(path) for path in paths)

    def _discover(self) -> Discovered:
        options = self._options
        existing = tuple(path for path in options.paths if path.exists())
        return discover_all(existing, self._output, options.max_dump_bytes)

    def _name(self, kept: Mapping[str, DumpFiles]) -> None:
        self.found = {files.label: files for files in self._discovered.dumps}
        places = {files.place for files in self._discovered.dumps}
        removed = [files for files in kept.values() if files.place not in places]
        everything = replace(self._discovered, dumps=(*self._discovered.dumps, *removed))
        redacted = redact_labels(everything, self._options.redaction)
        by_place = {files.place: files for files in redacted.dumps}
        self.named = {label: by_place[files.place] for label, files in self.found.items()}
        self.problems = redacted.problems
        self.readme = read_note(redacted.readme)
