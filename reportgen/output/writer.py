"""Write a site: pages that changed are replaced, those of the last build that are gone are removed, others stay.

A site has a part for each dump and one for the pages that belong to no dump. The manifest `.reportgen.json` depends
only on the input, so the same input gives the same manifest:

    {"parts": {
        "run1/module_0001.jit_step.cpu_after_optimizations-buffer-assignment.txt": {
            "key": "5e8f0c…",                    digest of everything that the pages are made from
            "paths": ["m/jit-step-0a1b2c3d/index.html", "m/jit-step-0a1b2c3d/explore.html", …],
            "size_bytes": 123456,
            "digest": "2ab49…",                  of the pages' paths and bytes
            "outcome": {"summary": {…}, "problems": […]}},    with a digest of its line of report.json
        "": {…}}}

Pages are up to date if their key has not changed and the files on disk still have the bytes that were written. Paths
are noted before the pages are written, so the next build knows every file that a killed build left behind.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Self

from reportgen.errors import OutputRefused
from reportgen.output.lock import LOCK, locked
from reportgen.output.named_files import refusing, replacing
from reportgen.output.own_files import Deletion, delete, free_place, plain_bytes
from reportgen.record import record
from reportgen.reports.json_lines import line_digest, module_lines
from reportgen.work import Page, Part

MANIFEST = ".reportgen.json"
UNFINISHED = ".reportgen.unfinished"
"""Lists the pages that a build is about to write, a list of paths per line; exists only while a build runs."""

COMMON = ""
"""The name of the part that belongs to no dump."""

TREND = "\0trend"
"""The name of the part of a history, which builds keep; no dump has it as its label, because no path has this byte."""

_NEW_MANIFEST = f".{MANIFEST}.unfinished"
_IN_EMPTY = frozenset({LOCK, UNFINISHED, _NEW_MANIFEST, ".gitignore", ".gitkeep", ".keep"})
"""What an empty directory may hold: the working files of a killed build, and what makes Git keep the directory."""

_FRONT_PAGE = "index.html"
_REPORT_FILE = "report.json"
_OWN_PAGE = b"Made by reportgen"
_PAGES_AT_ONCE = 200  # not one by one, because the paths of a batch are noted in one write
_MODULUS = 1 << 128


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
            (self.digest + other.digest) % _MODULUS,
            self.changed + other.changed,
        )

    def part(self, key: str = "", outcome: Any = None) -> Part:
        """Return the pages as a part of a site; `key` is the digest of everything that they were made from."""
        return Part(key, self.paths, self.size_bytes, self.digest, outcome)


NOTHING_WRITTEN = Written()


def write_pages(directory: Path, pages: Iterable[Page]) -> Written:
    """Write each page unless its file has the right bytes. Raises OutputRefused if a page cannot be written."""
    written, remaining = NOTHING_WRITTEN, iter(pages)
    while batch := list(islice(remaining, _PAGES_AT_ONCE)):
        differing = [page for page in batch if _content(directory / page.path) != page.content]
        if differing:
            _note_unfinished(directory, [page.path for page in differing])
        for page in differing:
            with refusing(directory / page.path):
                write_own_file(free_place(directory, page.path), page.content)
        size = sum(len(page.content) for page in batch)
        digest = sum(_page_digest(page.path, page.content) for page in batch) % _MODULUS
        written += Written(tuple(page.path for page in batch), size, digest, len(differing))
    return written


def write_own_file(path: Path, content: bytes) -> None:
    """Replace a file of ours in one step, because a browser may be reading it. Raises OutputRefused."""
    unfinished = path.with_name(_temporary(path.name))
    with refusing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.unlink(missing_ok=True)
        with replacing(path, unfinished), unfinished.open("xb") as file:  # a new one, because a link leads elsewhere
            file.write(content)


def _temporary(path: str) -> str:
    """Return the path of a file while it is being written."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}.unfinished"


def _note_unfinished(directory: Path, paths: list[str]) -> None:
    """Add a line to the list of pages about to be written. Several processes may do this at the same time.

    It starts with a newline, so a line that a full disk or a kill has cut off is no JSON and spoils no later line.
    """
    line = b"\n" + json.dumps(paths).encode() + b"\n"
    with refusing(directory / UNFINISHED):
        directory.mkdir(parents=True, exist_ok=True)
        with free_place(directory, UNFINISHED).open("ab", buffering=len(line)) as listing:
            listing.write(line)  # in one call, so that lines do not mix


def is_intact(directory: Path, part: Part) -> bool:
    """Return whether every page of a part is on disk as it was written."""
    try:
        return sum(_page_digest(path, plain_bytes(directory / path)) for path in part.paths) % _MODULUS == part.digest
    except (OSError, ValueError):
        return False


def confirm_started(directory: Path) -> None:
    """Raise OutputRefused if the site is missing, because this is a worker that does not share the site's disk."""
    if not (directory / MANIFEST).is_file():
        raise OutputRefused(
            f"{directory}: a worker does not find the site there. All machines of a cluster must share the directory"
            " given to -o, under the same path."
        )


class SiteDirectory:
    """Hold the directory of a site while a build writes into it, from the first page to the removal of old ones.

    `parts` are those of the last build, by name. Raises OutputRefused for a directory with files that no earlier
    build has made, unless `force`.
    """

    def __init__(self, directory: Path, *, force: bool = False) -> None:
        self._directory = directory
        previous = _parts_in(directory)
        if previous is None:
            _confirm_own(directory, force=force)
            self._write_manifest({})  # now, because it marks the directory as ours if the build is killed
        self.parts: Mapping[str, Part] = previous or {}

    @classmethod
    @contextmanager
    def opened(cls, directory: Path, *, force: bool = False, patience: float | None = None) -> Iterator[Self]:
        """Open the directory for this process alone, until the end of the `with`; wait so many seconds for others."""
        if not (directory / MANIFEST).exists():
            _confirm_own(directory, force=force)  # first, because not even the lock may go into that of somebody else
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
        report = _content(self._directory / _REPORT_FILE) or b""
        return {line_digest(line): line for line in module_lines(report)}

    def lines_of(self, part: Part) -> Mapping[str, bytes]:
        """Return the line of report.json that a part names, by its digest; empty if the last build wrote another."""
        with suppress(KeyError, TypeError):  # the pages that belong to no dump, and what another program has written
            digest = part.outcome["summary"]["report"]
            return {digest: self._lines[digest]}
        return {}

    def finish(self, parts: Mapping[str, Part]) -> Deletion:
        """Remove pages of earlier builds that are not in `parts`, and write the manifest; return what was removed.

        The pages of a history stay.
        """
        if TREND in self.parts:
            parts = {TREND: self.parts[TREND], **parts}
        current = {path for part in parts.values() for path in part.paths}
        earlier = {path for part in self.parts.values() for path in part.paths}
        removed = delete(self._directory, sorted((earlier | _unfinished(self._directory)) - current))
        self._write_manifest(parts)
        for name in (UNFINISHED, _NEW_MANIFEST):
            with refusing(self._directory / name):
                (self._directory / name).unlink(missing_ok=True)
        self.parts = parts
        return removed

    def _write_manifest(self, parts: Mapping[str, Part]) -> None:
        rows = {
            name: asdict(part) | {"paths": sorted(part.paths), "digest": f"{part.digest:x}"}
            for name, part in sorted(parts.items())
        }
        content = json.dumps({"parts": rows}, separators=(",", ":")).encode() + b"\n"
        if _content(self._directory / MANIFEST) != content:
            write_own_file(self._directory / MANIFEST, content)


def _page_digest(path: str, content: bytes) -> int:
    """Return the digest of one page. Digests of several pages are added, so their order does not matter."""
    hashed = hashlib.sha256(content)
    # The path too, because two pages that have changed places add up to the same digest of contents.
    hashed.update(path.encode("utf-8", "surrogateescape"))
    return int.from_bytes(hashed.digest()[:16], "big")


def _content(path: Path) -> bytes | None:
    """Return the content of a file; None for one that is missing, or that is a link, a pipe or a folder."""
    with suppress(OSError):
        return plain_bytes(path)
    return None


def _parts_in(directory: Path) -> Mapping[str, Part] | None:
    """Return the parts of the last build; None if there is no manifest, or none that a build can have written."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
        rows = json.loads(plain_bytes(directory / MANIFEST))["parts"]
        return {name: _part(**row) for name, row in rows.items()}
    return None


def _part(key: str, paths: list[str], size_bytes: int, digest: str, outcome: Any) -> Part:
    return Part(key, tuple(map(str, paths)), int(size_bytes), int(digest, 16), outcome)


def _unfinished(directory: Path) -> set[str]:
    """Return the paths of the files that unfinished builds were about to write."""
    paths = set[str]()
    for line in (_content(directory / UNFINISHED) or b"").split(b"\n"):
        with suppress(ValueError, TypeError, RecursionError):  # one that was cut off, or is of somebody else
            paths.update(map(str, json.loads(line)))
    return paths | set(map(_temporary, paths))


def _confirm_own(directory: Path, *, force: bool) -> None:
    """Raise OutputRefused for a directory with files of other origin or, with `force`, with somebody else's site."""
    try:
        names = {entry.name for entry in directory.iterdir()}
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise OutputRefused(f"{directory} is a file; -o needs a directory.") from None
    except OSError as error:
        raise OutputRefused(f"{directory}: cannot be read: {error.strerror or error}") from error
    if MANIFEST in names and not force:
        raise OutputRefused(
            f"{directory / MANIFEST} stands in the way: it is not as a build has written it, so nobody knows which"
            " files are pages. Delete the directory, choose another with -o, or write into this one with --force."
        )
    if names - _IN_EMPTY and not force:
        raise OutputRefused(
            f"{directory} is not empty and was not made by reportgen. Choose another directory with -o,"
            " or write into this one with --force; files of other origin are kept."
        )
    if _FRONT_PAGE in names and _OWN_PAGE not in (_content(directory / _FRONT_PAGE) or b""):
        raise OutputRefused(
            f"{directory / _FRONT_PAGE} stands in the way: it was not made by reportgen. Move it, or choose another"
            " directory with -o."
        )
