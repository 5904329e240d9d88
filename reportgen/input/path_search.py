"""Collect what each of the given paths contains, and make labels unique across all of them."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path
from typing import Literal

from reportgen.input.archives import Archive
from reportgen.input.error_texts import TextFile
from reportgen.input.reading import DumpFiles, Problem, printable
from reportgen.input.remote import AnyPath, RemotePath


@dataclass(slots=True)
class PathSearch:
    """The dumps and problems of one path, collected while it is searched.

    `top` is the path, or the folder in which an archive is unpacked; `archives` are the labels of those in folders.
    """

    path: AnyPath
    top: AnyPath
    max_bytes: int
    dumps: list[DumpFiles] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    texts: list[TextFile] = field(default_factory=list)
    archives: list[str] = field(default_factory=list)
    proto_count: int = 0
    is_text: bool = False
    description: str = ""
    """What a file is that has no plan, or why a folder is not searched; empty if neither is known."""

    def add(self, files: DumpFiles) -> None:
        """Add a dump."""
        self.dumps.append(replace(files, max_bytes=self.max_bytes))

    def enter(self, archive: Archive) -> None:
        """Search an archive instead of the path, and report what of it is missing."""
        self.top, missing = archive
        self.problems += missing

    def report(self, severity: Literal["error", "warning", "note"], label: str, message: str) -> None:
        """Add a problem with the file that has this label."""
        self.problems.append(Problem(severity, label, message))

    def why_empty(self) -> str:
        """Return the reason why no dump was found, if it is known."""
        protos = f", but protos without a buffer assignment ({self.proto_count}); XLA adds it after its optimizations"
        return self.description or "no dump found" + (protos if self.proto_count else "")


def unique_dumps(searches: Sequence[PathSearch]) -> tuple[DumpFiles, ...]:
    """Return the dumps of all paths, each once and sorted by label; change labels so that no two are equal.

    The labels of problems in `searches` are changed in the same way.
    """
    _drop_repeats(searches)
    _prefix_equal_labels(searches)
    by_label: dict[str, list[DumpFiles]] = defaultdict(list)
    for dump in chain.from_iterable(search.dumps for search in searches):
        by_label[dump.label].append(dump)
    dumps: list[DumpFiles] = []
    for label, (first, *others) in by_label.items():  # still equal, because the paths have equal names too
        free = (other for number in count(2) if (other := f"{label}#{number}") not in by_label)
        dumps += [first, *(replace(dump, label=other) for dump, other in zip(others, free, strict=False))]
    return tuple(sorted(dumps, key=lambda dump: dump.label))


def _drop_repeats(searches: Sequence[PathSearch]) -> None:
    """Keep a file that was reached twice only once: under a name with a stage if it has one, and not under a link's."""

    def rank(dump: DumpFiles) -> tuple[bool, bool]:
        path = dump.parts[0].path
        return dump.name.stage is None, isinstance(path, Path) and path.is_symlink()

    best: dict[object, DumpFiles] = {}
    for dump in sorted((dump for search in searches for dump in search.dumps), key=rank):
        part = dump.parts[0]
        identity = part.path.identity if isinstance(part.path, RemotePath) else part.path.resolve()
        best.setdefault((identity, part.frame, part.proto), dump)
    kept = {id(dump) for dump in best.values()}
    for search in searches:
        search.dumps = [dump for dump in search.dumps if id(dump) in kept]


def _prefix_equal_labels(searches: Sequence[PathSearch]) -> None:
    """Prefix all labels of a path with its name if another path has equal ones."""
    holders = Counter(label for search in searches for label in {dump.label for dump in search.dumps})
    for search in searches:
        if any(holders[dump.label] > 1 for dump in search.dumps):
            prefix = printable(_own_name(search.top)) + "/"
            for place, dump in enumerate(search.dumps):
                parts = tuple(replace(part, label=prefix + part.label) for part in dump.parts)
                siblings = tuple(replace(sibling, label=prefix + sibling.label) for sibling in dump.siblings)
                search.dumps[place] = replace(dump, label=prefix + dump.label, parts=parts, siblings=siblings)
            search.problems = [replace(problem, file=prefix + problem.file) for problem in search.problems]
            search.texts = [replace(text, label=prefix + text.label) for text in search.texts]


def _own_name(path: AnyPath) -> str:
    """Return the name of a folder, or of a file's folder, because the file's own name is in its label already."""
    folder = path if path.is_dir() else path.parent
    if isinstance(folder, RemotePath):
        return folder.name or str(folder)
    folder = folder.absolute()  # because "." has no name; links keep the names that the user gave them
    return folder.name if folder.name != ".." else folder.resolve().name
