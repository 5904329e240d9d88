"""Pages → disk: the only module that writes, and it deletes nothing that it has not written.

A file that has the right bytes already is left alone; one that the manifest of the last build lists and
the new site lacks is removed. Before pages are written their paths are noted, so that even a build that
was killed leaves nothing behind that the next one does not know. One build at a time writes into a directory.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Self

from reportgen.errors import OutputRefused
from reportgen.locking import LOCK, locked
from reportgen.manifest import MANIFEST, UNFINISHED, Part, is_safe, page_digest, parsed, serialised, sum_of_digests
from reportgen.render.page import Page

_PLACEHOLDERS = frozenset({".gitignore", ".gitkeep", ".keep"})
_NEW_MANIFEST = f".{MANIFEST}.unfinished"
_WORKING_FILES = frozenset({LOCK, UNFINISHED, _NEW_MANIFEST})
_PAGES_AT_ONCE = 200
_READ_AT_ONCE = 1 << 16
_BINARY = getattr(os, "O_BINARY", 0)
_TO_READ = os.O_RDONLY | _BINARY


@dataclass(frozen=True, slots=True)
class Written:
    """What became of some pages: their paths, how many bytes they have, and how many of them had to be written."""

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
    """Write each page unless its file has the right bytes. Raises OutputRefused when that is impossible.

    With `whole`, somebody may be reading the site meanwhile: a file has its old bytes or its new ones, never a
    part of them. New files take twice as long that way, so it is not the rule.
    """
    writer = _Writer(directory, whole=whole)
    remaining = iter(pages)
    while some := list(islice(remaining, _PAGES_AT_ONCE)):
        writer.write(some)
    return writer.written()


class _Writer:
    """Writes pages in lots, whose paths are noted first."""

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
        """Plain text: there are 70,000 of them, and making a `Path` takes as long as looking for the file."""
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


def _write(target: str, content: bytes) -> None:
    """In plain calls of the system: Python's file objects take twice as long, and a site has thousands of files."""
    file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY, 0o666)
    try:
        remaining = memoryview(content)
        while remaining:
            remaining = remaining[os.write(file, remaining) :]
    finally:
        os.close(file)


def _temporary(path: str) -> str:
    """Where a file is while it is being written."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}.unfinished"


def _replace(target: str, content: bytes) -> None:
    """At once or not at all."""
    unfinished = Path(_temporary(target))
    try:
        unfinished.write_bytes(content)
        unfinished.replace(target)
    except BaseException:  # also when interrupted
        unfinished.unlink(missing_ok=True)
        raise


def _note_unfinished(directory: Path, paths: Iterable[str]) -> None:
    """Add paths to those that a build was about to write; several processes may do so at once.

    Each is a line of JSON behind a newline, so that a line that a full disk or a kill has cut off names no
    path at all and spoils none that comes behind it.
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
    """Whether every page of a part is on disk as it was written."""
    total = 0
    for path in part.paths:
        try:
            total += page_digest(path, _bytes_of(f"{directory}/{path}"))
        except (OSError, ValueError):
            return False
    return sum_of_digests((total,)) == part.digest


def confirm_started(directory: Path) -> None:
    """Raises OutputRefused where the site is not seen to have begun: on another machine, with disks of its own."""
    if not (directory / MANIFEST).is_file():
        raise OutputRefused(
            f"{directory}: a worker does not find the site there. All machines of a cluster must share the directory"
            " of -o, under the same path."
        )


class SiteDirectory:
    """A directory that is ours to write into, from the first page to the removal of what is left over.

    `parts` is what the last build made, by name. Raises OutputRefused for a directory with files in it that
    no earlier build made, unless `force`.
    """

    def __init__(self, directory: Path, *, force: bool = False) -> None:
        self._directory = directory
        previous = _manifest(directory)
        if previous is None and not force:
            _confirm_empty(directory)
        self.parts: Mapping[str, Part] = previous or {}
        if previous is None:
            self._write_manifest(serialised({}))  # so that a build that is interrupted is known as ours

    @classmethod
    @contextmanager
    def opened(cls, directory: Path, *, force: bool = False) -> Iterator[Self]:
        """The directory, which no other process can open so until the end of the `with`."""
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
        """Remove what earlier builds left and this one did not make, and list what there is; how many were removed.

        The next call takes this site for the earlier one.
        """
        made = {path for part in parts.values() for path in part.paths}
        earlier = {path for part in self.parts.values() for path in part.paths} | _unfinished(self._directory)
        removed = sum(self._remove(path) for path in sorted(earlier - made))
        if parts != self.parts:
            self._write_manifest(serialised(parts))
        for name in (UNFINISHED, _NEW_MANIFEST):
            with _refusing(self._directory / name):
                (self._directory / name).unlink(missing_ok=True)
        self.parts = parts
        return removed

    def _remove(self, path: str) -> bool:
        target = self._directory / path
        try:
            if not target.parent.resolve().is_relative_to(self._directory.resolve()):
                return False  # behind a link
            target.unlink()
        except (OSError, ValueError):  # a manifest may say what can be no name
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
    """In plain calls of the system, like `_write`."""
    file = os.open(path, _TO_READ)
    try:
        first = os.read(file, _READ_AT_ONCE)
        if len(first) < _READ_AT_ONCE:  # most pages end there
            return first
        return first + b"".join(iter(partial(os.read, file, _READ_AT_ONCE), b""))
    finally:
        os.close(file)


def _confirm_empty(directory: Path) -> None:
    """But for what a build leaves that was killed before it could say that the directory is ours."""
    if _has_files(directory):
        raise OutputRefused(
            f"{directory} is not empty and was not made by reportgen. Choose another directory with -o,"
            " or write into this one with --force; files of other origin are kept."
        )


def _has_files(directory: Path) -> bool:
    try:
        return any(entry.name not in _PLACEHOLDERS | _WORKING_FILES for entry in directory.iterdir())
    except FileNotFoundError:
        return False
    except NotADirectoryError:
        raise OutputRefused(f"{directory} is a file; -o needs a directory.") from None
    except OSError as error:
        raise OutputRefused(f"{directory}: cannot be read: {error.strerror or error}") from error


def _manifest(directory: Path) -> dict[str, Part] | None:
    try:
        return parsed((directory / MANIFEST).read_bytes())
    except OSError:
        return None


def _unfinished(directory: Path) -> set[str]:
    """Pages that builds which did not come to their end were about to write."""
    try:
        lines = (directory / UNFINISHED).read_bytes().split(b"\n")
    except OSError:
        return set()
    return {path for line in lines if line and (path := _named(line)) is not None and is_safe(path)}


def _named(line: bytes) -> str | None:
    try:
        path = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return path if isinstance(path, str) else None
