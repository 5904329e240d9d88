"""Write pages to disk. Only this module writes, and it deletes nothing that it has not written.

A file that has the right bytes already is left alone; a file that the manifest of the last build lists and the new
site lacks is removed. The paths of pages are noted before the pages are written, so the next build knows every file
that a killed build has left. Only one build at a time writes into a directory.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Self

from reportgen.errors import OutputRefused
from reportgen.output.lock import LOCK, locked
from reportgen.output.manifest import (
    MANIFEST,
    UNFINISHED,
    is_safe,
    page_digest,
    parse_manifest,
    serialize,
    sum_of_digests,
)
from reportgen.render.page import Page
from reportgen.work import Part

_PLACEHOLDERS = frozenset({".gitignore", ".gitkeep", ".keep"})
_NEW_MANIFEST = f".{MANIFEST}.unfinished"
_WORKING_FILES = frozenset({LOCK, UNFINISHED, _NEW_MANIFEST})
_PAGES_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Written:
    """The paths of some pages, their bytes and digest, and how many of them had to be written."""

    paths: tuple[str, ...] = ()
    size_bytes: int = 0
    digest: int = 0
    changed: int = 0

    def __add__(self, other: "Written") -> "Written":
        return Written(
            self.paths + other.paths,
            self.size_bytes + other.size_bytes,
            sum_of_digests((self.digest, other.digest)),
            self.changed + other.changed,
        )


NOTHING_WRITTEN = Written()


def write_pages(directory: Path, pages: Iterable[Page], *, whole: bool = False) -> Written:
    """Write each page unless its file has the right bytes. Raises OutputRefused if a page cannot be written.

    With `whole`, files are replaced atomically because somebody may be reading the site. This is not the default
    because new files take twice as long that way.
    """
    writer = _Writer(directory, whole=whole)
    remaining = iter(pages)
    while some := list(islice(remaining, _PAGES_AT_ONCE)):
        writer.write(some)
    return writer.written()


class _Writer:
    """Write pages in batches, after noting the paths of each batch."""

    def __init__(self, directory: Path, *, whole: bool) -> None:
        self._directory = directory
        self._whole = whole
        self._folders: set[str] = set()
        self._paths: list[str] = []
        self._size_bytes = self._digest = self._changed = 0

    def written(self) -> Written:
        return Written(tuple(self._paths), self._size_bytes, sum_of_digests((self._digest,)), self._changed)

    def write(self, pages: list[Page]) -> None:
        differing = [page for page in pages if not _has_bytes(self._target(page), page.content)]
        if differing:
            touched = [page.path for page in differing]
            _note_unfinished(self._directory, [*touched, *map(_temporary, touched)] if self._whole else touched)
        for page in differing:
            self._write(self._target(page), page.content)
        self._paths += [page.path for page in pages]
        self._size_bytes += sum(len(page.content) for page in pages)
        self._digest += sum(page_digest(page.path, page.content) for page in pages)
        self._changed += len(differing)

    def _target(self, page: Page) -> str:
        # A string because there are 70,000 of them, and making a `Path` takes as long as looking for the file.
        return f"{self._directory}/{page.path}"

    def _write(self, target: str, content: bytes) -> None:
        folder = target.rpartition("/")[0]
        try:
            if folder not in self._folders:
                Path(folder).mkdir(parents=True, exist_ok=True)
                self._folders.add(folder)
            (_replace if self._whole else _write)(target, content)
        except OSError as error:
            raise _refused(target, error) from error


def write_file(path: Path, content: bytes) -> None:
    """Write one file that belongs to no site. Raises OutputRefused if it cannot be written."""
    with _refusing(path):
        _write(str(path), content)


def append_file(path: Path, content: bytes) -> None:
    """Append to a file that belongs to no site. Raises OutputRefused if it cannot be written."""
    with _refusing(path), path.open("ab") as file:
        file.write(content)


def _write(target: str, content: bytes) -> None:
    with open(target, "wb") as file:  # noqa: PTH123 - making a `Path` for each file takes a quarter of a rebuild
        file.write(content)


def _temporary(path: str) -> str:
    """Return the path of a file while it is being written."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}.unfinished"


def _replace(target: str, content: bytes) -> None:
    """Replace a file atomically."""
    unfinished = Path(_temporary(target))
    try:
        unfinished.write_bytes(content)
        unfinished.replace(target)
    except BaseException:  # also when interrupted
        unfinished.unlink(missing_ok=True)
        raise


def _note_unfinished(directory: Path, paths: Iterable[str]) -> None:
    """Add paths to the list of pages about to be written. Several processes may do so at once.

    Each path is a line of JSON that starts with a newline, so a line that a full disk or a kill has cut off names no
    path and spoils no later line.
    """
    listing = directory / UNFINISHED
    with _refusing(listing):
        directory.mkdir(parents=True, exist_ok=True)
        remaining = "\n".join(["", *map(json.dumps, paths), ""]).encode()
        with listing.open("ab", buffering=0) as file:
            while remaining:
                remaining = remaining[file.write(remaining) :]


@contextmanager
def _refusing(target: Path | str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _refused(target, error) from error


def _refused(target: Path | str, error: OSError) -> OutputRefused:
    return OutputRefused(f"{target}: cannot be written: {error.strerror or error}")


def is_intact(directory: Path, part: Part) -> bool:
    """Return whether every page of a part is on disk as it was written."""
    total = 0
    for path in part.paths:
        try:
            total += page_digest(path, _bytes_of(f"{directory}/{path}"))
        except (OSError, ValueError):
            return False
    return sum_of_digests((total,)) == part.digest


def confirm_started(directory: Path) -> None:
    """Raise OutputRefused if the site is not there: on a worker that does not share the disk of the first process."""
    if not (directory / MANIFEST).is_file():
        raise OutputRefused(
            f"{directory}: a worker does not find the site there. All machines of a cluster must share the directory"
            " of -o, under the same path."
        )


class SiteDirectory:
    """A directory that we may write into, from the first page to the removal of outdated ones.

    `parts` are those of the last build, by name. Raises OutputRefused for a directory with files that no earlier
    build has made, unless `force`.
    """

    def __init__(self, directory: Path, *, force: bool = False) -> None:
        self._directory = directory
        previous = None
        with suppress(OSError):
            previous = parse_manifest((directory / MANIFEST).read_bytes())
        if previous is None and not force:
            _confirm_empty(directory)
        self.parts: Mapping[str, Part] = previous or {}
        if previous is None:
            self._write_manifest(serialize({}))  # so that a build that is interrupted is known as ours

    @classmethod
    @contextmanager
    def opened(cls, directory: Path, *, force: bool = False) -> Iterator[Self]:
        """Open the directory for one process alone, until the end of the `with`."""
        if not force and not (directory / MANIFEST).exists():
            _confirm_empty(directory)  # before anything is put into it
        with ExitStack() as until_the_end:
            with _refusing(directory / LOCK):
                directory.mkdir(parents=True, exist_ok=True)
                until_the_end.enter_context(locked(directory))
            yield cls(directory, force=force)

    def _write_manifest(self, content: bytes) -> None:
        target = self._directory / MANIFEST
        with _refusing(target):
            self._directory.mkdir(parents=True, exist_ok=True)
            if not _has_bytes(str(target), content):
                _replace(str(target), content)

    def finish(self, parts: Mapping[str, Part]) -> int:
        """Remove pages of earlier builds that are not in `parts`, write the manifest, and return how many were removed.

        Further calls compare with these `parts`.
        """
        current = {path for part in parts.values() for path in part.paths}
        earlier = {path for part in self.parts.values() for path in part.paths} | _unfinished(self._directory)
        removed = sum(self._remove(path) for path in sorted(earlier - current))
        if parts != self.parts:
            self._write_manifest(serialize(parts))
        for name in (UNFINISHED, _NEW_MANIFEST):
            with _refusing(self._directory / name):
                (self._directory / name).unlink(missing_ok=True)
        self.parts = parts
        return removed

    def _remove(self, path: str) -> bool:
        target = self._directory / path
        try:
            if not target.parent.resolve().is_relative_to(self._directory.resolve()):
                return False  # a link leads out of the site
            target.unlink()
        except (OSError, ValueError):  # a manifest may hold a path that no file can have
            return False
        for folder in Path(path).parents[:-1]:
            try:
                (self._directory / folder).rmdir()
            except OSError:
                break
        return True


def _has_bytes(path: str, content: bytes) -> bool:
    try:
        if os.stat(path).st_size != len(content):  # noqa: PTH116
            return False
        return _bytes_of(path) == content
    except OSError:
        return False


def _bytes_of(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - see `_write`
        return file.read()


def _confirm_empty(directory: Path) -> None:
    """Raise OutputRefused for a directory with files of other origin.

    A build that is killed early leaves its working files without a manifest; these do not count.
    """
    try:
        names = {entry.name for entry in directory.iterdir()}
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise OutputRefused(f"{directory} is a file; -o needs a directory.") from None
    except OSError as error:
        raise OutputRefused(f"{directory}: cannot be read: {error.strerror or error}") from error
    if names - _PLACEHOLDERS - _WORKING_FILES:
        raise OutputRefused(
            f"{directory} is not empty and was not made by reportgen. Choose another directory with -o,"
            " or write into this one with --force; files of other origin are kept."
        )


def _unfinished(directory: Path) -> set[str]:
    """Return the paths of pages that unfinished builds were about to write."""
    try:
        lines = (directory / UNFINISHED).read_bytes().split(b"\n")
    except OSError:
        return set()
    paths: set[str] = set()
    for line in lines:
        with suppress(ValueError, RecursionError):  # a line that a full disk or a kill has cut off
            path = json.loads(line)
            paths.update({path} if isinstance(path, str) and path and is_safe(path) else ())
    return paths
