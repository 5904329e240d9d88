"""Pages → disk: the only module that writes, and it deletes nothing that it has not written.

The manifest `.reportgen.json` lists every file of the site. A file that has the right bytes already is
left alone; one that the manifest lists and the new site lacks is removed.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from reportgen.errors import OutputRefused
from reportgen.render.page import Page

MANIFEST = ".reportgen.json"
_PLACEHOLDERS = frozenset({".gitignore", ".gitkeep", ".keep"})


@dataclass(frozen=True, slots=True)
class Written:
    """What became of the files of a site, or of a part of it."""

    paths: frozenset[str] = frozenset()
    changed: int = 0
    removed: int = 0

    def __add__(self, other: "Written") -> "Written":
        return Written(self.paths | other.paths, self.changed + other.changed, self.removed + other.removed)


NOTHING_WRITTEN = Written()


def write_pages(directory: Path, pages: Iterable[Page], *, whole: bool = False) -> Written:
    """Write each page unless its file has the right bytes. Raises OutputRefused when that is impossible.

    With `whole`, somebody may be reading the site meanwhile: a file has its old bytes or its new ones, never a
    part of them. New files take twice as long that way, so it is not the rule.
    """
    write = _replace if whole else Path.write_bytes
    paths: set[str] = set()
    folders: set[Path] = set()
    changed = 0
    for page in pages:
        target = directory / page.path
        paths.add(page.path)
        try:
            if not _has_bytes(target, page.content):
                if target.parent not in folders:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    folders.add(target.parent)
                write(target, page.content)
                changed += 1
        except OSError as error:
            raise OutputRefused(f"{target}: cannot be written: {error.strerror or error}") from error
    return Written(frozenset(paths), changed)


def _replace(target: Path, content: bytes) -> None:
    unfinished = target.with_name(f".{target.name}.unfinished")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(target)
    except BaseException:  # also when interrupted
        unfinished.unlink(missing_ok=True)
        raise


class SiteDirectory:
    """A directory that is ours to write into, from the first page to the removal of what is left over.

    Raises OutputRefused for a directory with files in it that no earlier build made, unless `force`.
    """

    def __init__(self, directory: Path, *, force: bool = False) -> None:
        self._directory = directory
        previous = _manifest(directory)
        if previous is None and not force and _has_files(directory):
            raise OutputRefused(
                f"{directory} is not empty and was not made by reportgen. Choose another directory with -o,"
                " or write into this one with --force; files of other origin are kept."
            )
        self._previous = previous or set()
        self._write_manifest(self._previous)

    def _write_manifest(self, paths: Iterable[str]) -> None:
        """Written before the first page, so that a build that was interrupted is known as ours."""
        listing = json.dumps({"files": sorted(paths)}, indent=0).encode() + b"\n"
        write_pages(self._directory, [Page(MANIFEST, listing)])

    def finish(self, written: Written) -> Written:
        """Remove what an earlier build left and this one did not make, and list what there is now.

        The next call takes this site for the earlier one.
        """
        removed = sum(self._remove(path) for path in sorted(self._previous - written.paths))
        self._write_manifest(written.paths)
        self._previous = set(written.paths)
        return written + Written(removed=removed)

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


def _has_bytes(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False


def _has_files(directory: Path) -> bool:
    try:
        return any(entry.name not in _PLACEHOLDERS for entry in directory.iterdir())
    except FileNotFoundError:
        return False
    except NotADirectoryError:
        raise OutputRefused(f"{directory} is a file; -o needs a directory.") from None
    except OSError as error:
        raise OutputRefused(f"{directory}: cannot be read: {error.strerror or error}") from error


def _manifest(directory: Path) -> set[str] | None:
    """The files of the last build, as safe relative paths; None where no build has been."""
    try:
        listed = json.loads((directory / MANIFEST).read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return {path for path in listed if isinstance(path, str) and _is_inside(path)} if isinstance(listed, list) else None


def _is_inside(path: str) -> bool:
    parts = Path(path).parts
    return bool(parts) and not Path(path).anchor and ".." not in parts
