"""Pages → disk: the only module that writes, and it deletes nothing that it has not written.

The manifest `.reportgen.json` lists every file of the site. A file that has the right bytes already is
left alone; one that the manifest lists and the new site lacks is removed.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from reportgen.errors import OutputRefused
from reportgen.render.page import Page

MANIFEST = ".reportgen.json"
_PLACEHOLDERS = frozenset({".gitignore", ".gitkeep", ".keep"})


@dataclass(slots=True)
class Written:
    """What became of the files of a site."""

    written: int = 0
    unchanged: int = 0
    removed: int = 0
    paths: set[str] = field(default_factory=set)


class SiteWriter:
    """Writes pages into a directory; `finish` removes what an earlier build left and this one did not make.

    Raises OutputRefused for a directory with files in it that no earlier build made, unless `force`, and
    whenever a file cannot be written.
    """

    def __init__(self, directory: Path, *, force: bool = False) -> None:
        self._directory = directory
        self._previous = _manifest(directory)
        self._folders: set[Path] = set()
        self.result = Written()
        if self._previous is None and not force and _has_files(directory):
            raise OutputRefused(
                f"{directory} is not empty and was not made by reportgen. Choose another directory with -o,"
                " or write into this one with --force; files of other origin are kept."
            )

    def write(self, pages: Iterable[Page]) -> None:
        for page in pages:
            self._write_one(page)

    def _write_one(self, page: Page) -> None:
        target = self._directory / page.path
        self.result.paths.add(page.path)
        try:
            if _has_bytes(target, page.content):
                self.result.unchanged += 1
                return
            if target.parent not in self._folders:
                target.parent.mkdir(parents=True, exist_ok=True)
                self._folders.add(target.parent)
            target.write_bytes(page.content)
            self.result.written += 1
        except OSError as error:
            raise OutputRefused(f"{target}: cannot be written: {error.strerror or error}") from error

    def finish(self) -> Written:
        for path in sorted((self._previous or set()) - self.result.paths):
            self._remove(self._directory / path)
        listing = json.dumps({"files": sorted(self.result.paths)}, indent=0).encode()
        self._write_one(Page(MANIFEST, listing + b"\n"))
        return self.result

    def _remove(self, target: Path) -> None:
        try:
            target.unlink()
        except OSError:
            return
        self.result.removed += 1
        for folder in target.relative_to(self._directory).parents[:-1]:
            try:
                (self._directory / folder).rmdir()
            except OSError:
                return


def _has_bytes(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False


def _has_files(directory: Path) -> bool:
    if directory.exists() and not directory.is_dir():
        raise OutputRefused(f"{directory} is a file; -o needs a directory.")
    return directory.is_dir() and any(entry.name not in _PLACEHOLDERS for entry in directory.iterdir())


def _manifest(directory: Path) -> set[str] | None:
    """The files of the last build, as safe relative paths; None where no build has been."""
    try:
        listed = json.loads((directory / MANIFEST).read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return {path for path in listed if isinstance(path, str) and _is_inside(path)} if isinstance(listed, list) else None


def _is_inside(path: str) -> bool:
    parts = Path(path).parts
    return bool(parts) and not Path(path).is_absolute() and ".." not in parts
