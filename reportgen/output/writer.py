"""Write pages to disk. Only this module writes pages, and `own_files` says what may be deleted.

A file that already has the right bytes is left alone; a file that the manifest of the last build lists but the new
site lacks is removed. The paths of pages are noted before the pages are written, so the next build knows every file
that a killed build left behind. Only one build at a time writes into a directory.
"""

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Self

from reportgen.errors import OutputRefused
from reportgen.output.lock import LOCK, locked
from reportgen.output.manifest import (
    MANIFEST,
    TREND,
    UNFINISHED,
    manifest_row,
    page_digest,
    parse_manifest,
    sealed_line,
    serialize,
    sum_of_digests,
    unsealed_line,
)
from reportgen.output.named_files import refusing, replacing
from reportgen.output.own_files import NO_LINKS, Deletion, confirm_plain, delete, place_in, plain_bytes
from reportgen.record import record
from reportgen.reports.json_lines import line_digest, module_lines
from reportgen.work import Page, Part

_PLACEHOLDERS = frozenset({".gitignore", ".gitkeep", ".keep"})  # allowed, because Git keeps no empty directories
_NEW_MANIFEST = f".{MANIFEST}.unfinished"
_WORKING_FILES = frozenset({LOCK, UNFINISHED, _NEW_MANIFEST})
_FRONT_PAGE = "index.html"
_REPORT_FILE = "report.json"
_OWN_PAGE = b"Made by reportgen"
_PAGES_AT_ONCE = 200  # not one by one, because the paths of a batch are noted in one write
_FLAGS = os.O_WRONLY | os.O_CREAT | NO_LINKS


@record(kw_only=False)
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

    def part(self, key: str = "", outcome: Any = None) -> Part:
        """Return the pages as a part of a site; `key` is the digest of everything that they were made from."""
        return Part(key, self.paths, self.size_bytes, self.digest, outcome)


NOTHING_WRITTEN = Written()


def write_pages(directory: Path, pages: Iterable[Page], *, atomic: bool = False) -> Written:
    """Write each page unless its file has the right bytes. Raises OutputRefused if a page cannot be written.

    With `atomic`, replace files in one step, because a browser may be reading the site. This is not the default,
    because new files take twice as long that way.
    """
    written, folders, remaining = NOTHING_WRITTEN, set[str](), iter(pages)
    while batch := list(islice(remaining, _PAGES_AT_ONCE)):
        # Strings, because making a `Path` takes as long as looking for the file.
        differing = [page for page in batch if not _has_bytes(f"{directory}/{page.path}", page.content)]
        if differing:
            paths = [page.path for page in differing]
            _note_unfinished(directory, [*paths, *map(_temporary, paths)] if atomic else paths)
        for page in differing:
            target = f"{directory}/{page.path}"
            with refusing(target):
                folder = target.rpartition("/")[0]
                if folder not in folders:
                    if place_in(directory, page.path) is None:
                        raise OSError(errno.ELOOP, f"{folder} leads elsewhere")
                    Path(folder).mkdir(parents=True, exist_ok=True)
                    folders.add(folder)
                (_replace if atomic else _write)(target, page.content)
        size = sum(len(page.content) for page in batch)
        digest = sum_of_digests(page_digest(page.path, page.content) for page in batch)
        written += Written(tuple(page.path for page in batch), size, digest, len(differing))
    return written


def write_own_file(path: Path, content: bytes) -> None:
    """Replace a file of a directory of ours, which is no link. Raises OutputRefused if it cannot be written."""
    with refusing(path):
        if path.is_symlink():
            raise OSError(errno.ELOOP, "it leads elsewhere")
        _replace(str(path), content)


def _append(path: Path, content: bytes) -> None:
    """Append by system calls, because lines of several processes must not mix. One may take only some bytes."""
    file = os.open(path, _FLAGS | os.O_APPEND, 0o666)
    try:
        confirm_plain(file)
        while content:
            content = content[os.write(file, content) :]
    finally:
        os.close(file)


def _write(target: str, content: bytes) -> None:
    """Write a file. A link or a pipe in its place is refused, because it leads elsewhere or waits for ever."""
    with os.fdopen(os.open(target, _FLAGS, 0o666), "wb") as file:
        confirm_plain(file.fileno())
        file.truncate(0)
        file.write(content)


def _temporary(path: str) -> str:
    """Return the path of a file while it is being written."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}.unfinished"


def _replace(target: str, content: bytes) -> None:
    """Replace a file atomically."""
    unfinished = Path(_temporary(target))
    with replacing(target, unfinished):
        _write(str(unfinished), content)


def _note_unfinished(directory: Path, paths: Iterable[str]) -> None:
    """Add paths to the list of pages about to be written. Several processes may do this at the same time.

    Each path is a line of its own that starts with a newline, so a line that a full disk or a kill has cut off names no
    path and spoils no later line.
    """
    listing = directory / UNFINISHED
    with refusing(listing):
        directory.mkdir(parents=True, exist_ok=True)
        _append(listing, b"\n".join([b"", *map(sealed_line, paths), b""]))


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
    """Raise OutputRefused if the site is missing, because this is a worker that does not share the site's disk."""
    if not (directory / MANIFEST).is_file():
        raise OutputRefused(
            f"{directory}: a worker does not find the site there. All machines of a cluster must share the directory"
            " given to -o, under the same path."
        )


class _ManifestRow(NamedTuple):
    """A part of the site, and its row in the manifest."""

    part: Part
    line: bytes


class SiteDirectory:
    """Hold the directory of a site while a build writes into it, from the first page to the removal of old ones.

    `parts` are those of the last build, by name. Raises OutputRefused for a directory with files that no earlier
    build has made, unless `force`.
    """

    def __init__(self, directory: Path, *, force: bool = False) -> None:
        self._directory = directory
        previous = None
        with suppress(OSError):
            previous = parse_manifest(plain_bytes(directory / MANIFEST))
        if previous is None:
            _confirm_free(directory) if force else _confirm_empty(directory)
        self.parts: Mapping[str, Part] = previous or {}
        self._rows: dict[str, _ManifestRow] = {}
        if previous is None:
            self._write_manifest(serialize({}))  # now, because it marks the directory as ours if the build is killed

    @classmethod
    @contextmanager
    def opened(cls, directory: Path, *, force: bool = False, patience: float | None = None) -> Iterator[Self]:
        """Open the directory for this process alone, until the end of the `with`; wait so many seconds for others."""
        if not force and not (directory / MANIFEST).exists():
            _confirm_empty(directory)  # first, because not even the lock may go into a directory that is not ours
        with ExitStack() as until_the_end:
            with refusing(directory / LOCK):
                directory.mkdir(parents=True, exist_ok=True)
                until_the_end.enter_context(locked(directory, patience))
            yield cls(directory, force=force)

    @property
    def is_lost(self) -> bool:
        """Return whether somebody else has removed what was written."""
        try:
            return not (self._directory / MANIFEST).exists()
        except OSError:  # it may be there, and cannot be looked for at the moment
            return False

    @cached_property
    def _lines(self) -> Mapping[str, bytes]:
        """The lines of modules in the last report.json by their digests: most of what a build keeps for the next."""
        report = b""
        with suppress(OSError):
            report = plain_bytes(self._directory / _REPORT_FILE)
        return {line_digest(line): line for line in module_lines(report)}

    def lines_of(self, part: Part) -> Mapping[str, bytes]:
        """Return the line of report.json that a part names, by its digest; empty if the last build wrote another."""
        with suppress(KeyError, TypeError):  # the pages that belong to no dump, and what another program has written
            digest = part.outcome["summary"]["report_line"]
            return {digest: self._lines[digest]}
        return {}

    def _write_manifest(self, content: bytes) -> None:
        target = self._directory / MANIFEST
        with refusing(target):
            self._directory.mkdir(parents=True, exist_ok=True)
            if not _has_bytes(str(target), content):
                _replace(str(target), content)

    def finish(self, parts: Mapping[str, Part]) -> Deletion:
        """Remove pages of earlier builds that are not in `parts`, and write the manifest; return what was removed.

        Further calls compare with these `parts`, and cost what has changed since. The pages of a history stay.
        """
        if TREND in self.parts:
            parts = {TREND: self.parts[TREND], **parts}
        # What this process has written is the same object; what it has read proves nothing, because it may be forged.
        same = {name for name, part in parts.items() if name in self._rows and self._rows[name].part is part}
        unfinished = _unfinished(self._directory)
        kept = () if unfinished else same
        current = {path for name, part in parts.items() if name not in kept for path in part.paths}
        earlier = {path for name, part in self.parts.items() if name not in kept for path in part.paths}
        removed = delete(self._directory, sorted((earlier | unfinished) - current))
        if parts != self.parts or self.is_lost:
            rows = {
                name: _ManifestRow(part, manifest_row(name, part)) for name, part in parts.items() if name not in same
            }
            self._rows = {name: self._rows[name] for name in same} | rows
            self._write_manifest(serialize({name: row.line for name, row in self._rows.items()}))
        for name in (UNFINISHED, _NEW_MANIFEST):
            with refusing(self._directory / name):
                (self._directory / name).unlink(missing_ok=True)
        self.parts = parts
        return removed


def _has_bytes(path: str, content: bytes) -> bool:
    try:
        if os.stat(path).st_size != len(content):  # noqa: PTH116
            return False
        return _bytes_of(path) == content
    except OSError:
        return False


def _bytes_of(path: str) -> bytes:
    # Not `plain_bytes`, because a site has 70,000 pages; a pipe is read as an empty file, which no page is.
    with open(path, "rb", buffering=0, opener=_open_plainly) as file:
        return file.read()


def _open_plainly(path: str, flags: int) -> int:
    return os.open(path, flags | NO_LINKS)


def _confirm_empty(directory: Path) -> None:
    """Raise OutputRefused for a directory with files of other origin.

    The working files of a build that was killed before it wrote a manifest do not count.
    """
    try:
        names = {entry.name for entry in directory.iterdir()}
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise OutputRefused(f"{directory} is a file; -o needs a directory.") from None
    except OSError as error:
        raise OutputRefused(f"{directory}: cannot be read: {error.strerror or error}") from error
    if MANIFEST in names:
        raise OutputRefused(
            f"{directory / MANIFEST} stands in the way: it is not as a build has written it, so nobody knows which"
            " files are pages. Delete the directory, choose another with -o, or write into this one with --force."
        )
    if names - _PLACEHOLDERS - _WORKING_FILES:
        raise OutputRefused(
            f"{directory} is not empty and was not made by reportgen. Choose another directory with -o,"
            " or write into this one with --force; files of other origin are kept."
        )


def _confirm_free(directory: Path) -> None:
    """Raise OutputRefused if somebody else's site is in a directory, which ours would replace page by page."""
    with suppress(OSError):
        content = plain_bytes(directory / _FRONT_PAGE)
        if content and _OWN_PAGE not in content:
            raise OutputRefused(
                f"{directory / _FRONT_PAGE} stands in the way: it was not made by reportgen. Move it, or choose another"
                " directory with -o."
            )


def _unfinished(directory: Path) -> set[str]:
    """Return the paths of pages that unfinished builds were about to write."""
    try:
        lines = plain_bytes(directory / UNFINISHED).split(b"\n")
    except OSError:
        return set()
    return {path for line in lines if (path := unsealed_line(line)) is not None}
