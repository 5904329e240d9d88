"""Paths to dumps: by name where XLA's names were kept, by the first line or by frames where they were not.

A name that says "part of a dump" is believed; such a file is opened only to see that it can be read. Of
the others one small piece is read, unless the name says that it is something else (`is_something_else`,
or hidden). Only what is called like a log (`may_be_log`) is searched further, for frames, up to a limit.
"""

import os
import stat
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path
from typing import Literal

from reportgen import log_frames
from reportgen.defaults import DEFAULT_MAX_DUMP_BYTES
from reportgen.dump_names import (
    COMPRESSION_SUFFIXES,
    PART_SUFFIXES,
    SIBLING_SUFFIXES,
    DumpName,
    is_proto,
    is_something_else,
    is_unread_part,
    may_be_log,
    read_name,
    split_part,
    without_compression,
)
from reportgen.errors import NoDumpFound, UnreadableInput
from reportgen.folders import Folder, walk
from reportgen.reading import (
    UNREADABLE,
    DumpFiles,
    PartFile,
    Problem,
    SiblingFile,
    pieces,
    printable,
    read_available,
    reason,
    why_unreadable,
)
from reportgen.remote import AnyPath, RemotePath

__all__ = ["Discovered", "DumpFiles", "PartFile", "Problem", "discover"]

_FIRST_LINE = b"BufferAssignment:"

_LOOKED_FOR = """\
Looked for files named *-buffer-assignment.txt, for files whose first line is "BufferAssignment:", and for logs with
"*** Begin ...-buffer-assignment.txt ***" lines; each of them also as .gz or .xz.
"""
_HOW_TO_DUMP = """\
XLA writes dumps with XLA_FLAGS="--xla_dump_to=DIR --xla_dump_hlo_as_text", set before the program starts to compile.
A compilation served from a compilation cache writes none, and --xla_dump_hlo_as_proto without
--xla_dump_hlo_as_text writes no text."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """The dumps in the paths given, sorted by label, and everything a user should hear about the search."""

    dumps: tuple[DumpFiles, ...]
    problems: tuple[Problem, ...]
    readme: AnyPath | None


@dataclass(slots=True)
class _Found:
    """What one of the paths holds, gathered while it is searched."""

    path: AnyPath
    max_bytes: int
    dumps: list[DumpFiles] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    proto_count: int = 0

    def add(self, *, label: str, name: DumpName, parts: tuple[PartFile, ...], notes: AnyPath | None) -> None:
        self.dumps.append(DumpFiles(label=label, name=name, parts=parts, notes=notes, max_bytes=self.max_bytes))

    def report(self, severity: Literal["error", "warning", "note"], label: str, message: str) -> None:
        self.problems.append(Problem(severity, label, message))

    def report_unused(self, folder: Folder, names: Sequence[str], taken: str) -> None:
        for name in names:
            self.report("note", folder.label(name), f"not read: {printable(taken)} is there too and was taken")

    def emptiness(self) -> str:
        if self.proto_count:
            return f"no dump found, but .hlo.pb files ({self.proto_count}): add --xla_dump_hlo_as_text to XLA_FLAGS"
        return "no dump found"


def discover(
    paths: Sequence[AnyPath], without: Path | None = None, max_bytes: int = DEFAULT_MAX_DUMP_BYTES
) -> Discovered:
    """Every dump in `paths`: directories (searched recursively), dump files, and logs with dumps in them.

    The directory `without` is not searched, and of no file are more than `max_bytes` read, decompressed.

    Raises NoDumpFound if none of them holds a dump, UnreadableInput if one of them cannot be read.
    """
    found = [_search(path, without, max_bytes) for path in paths]
    if not any(one.dumps for one in found):
        raise NoDumpFound(_nothing_found(found))
    for one in found:
        if not one.dumps:
            one.report("warning", printable(one.path.name), one.emptiness())
    _drop_repeats(found)
    _prefix_clashing(found)
    problems = {problem for one in found for problem in one.problems}
    readmes = (path / "README.md" for path in paths)
    return Discovered(
        _numbered(found),
        tuple(sorted(problems, key=lambda problem: (problem.file, problem.message))),
        next((path for path in readmes if path.is_file()), None),
    )


def _nothing_found(found: list[_Found]) -> str:
    paths = [f"{printable(one.path)}: {one.emptiness()}" for one in found]
    problems = [f"{problem.file}: {problem.message}" for one in found for problem in one.problems]
    return "\n".join([*paths, *problems, _LOOKED_FOR + _HOW_TO_DUMP])


def _search(path: AnyPath, without: Path | None, max_bytes: int) -> _Found:
    found = _Found(path, max_bytes)
    try:
        is_folder = path.is_dir() if isinstance(path, RemotePath) else stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        raise UnreadableInput(f"{printable(path)}: {reason(error)}") from error
    if is_folder:
        _search_tree(path, without, found)
    else:
        _search_file(path, found)
    return found


def _search_tree(top: AnyPath, without: Path | None, found: _Found) -> None:
    for folder in walk(top, without):
        if folder.damage and folder.path == top:
            raise UnreadableInput(f"{printable(top)}: {folder.damage}")
        if folder.damage:
            found.report("warning", folder.prefix, f"{folder.damage}; dumps in it are missing here")
        _search_folder(folder, found)


def _search_folder(folder: Folder, found: _Found) -> None:
    forms: dict[str, list[str]] = defaultdict(list)  # X, X.gz and X.xz, in this order
    for name in folder.names:
        forms[without_compression(name)].append(name)
    stems: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for plain, names in forms.items():
        if split := split_part(plain):
            stems[split[0]][split[1]] += names
        else:
            _look_into(folder, names, found)
    for stem, parts in stems.items():
        _add_named(folder, stem, parts, found)


def _search_file(path: AnyPath, found: _Found) -> None:
    """Searched whatever its name is: it was asked for."""
    if damage := why_unreadable(path):
        raise UnreadableInput(f"{printable(path)}: {damage}")
    folder = Folder(path.parent)
    if split := split_part(path.name):
        _add_named(folder, split[0], _siblings(path, split[0]), found)
    elif _content(path) == "dump":
        _add_unnamed(folder, path.name, found)
    else:
        found.proto_count += is_proto(path.name)
        _add_log(folder, path.name, found)


def _siblings(path: AnyPath, stem: str) -> dict[int, list[str]]:
    """The files of a dump of which `path` is one, by part; `path` itself before its other forms."""
    parts: dict[int, list[str]] = defaultdict(list)
    names = [stem + suffix + compression for suffix in PART_SUFFIXES for compression in ("", *COMPRESSION_SUFFIXES)]
    for name in dict.fromkeys([path.name, *names]):
        split = split_part(name)
        if split and _exists(path.parent / name):
            parts[split[1]].append(name)
    return parts


def _exists(path: AnyPath) -> bool:
    """Also if it is a link that leads nowhere: its failing must be said."""
    return path.is_file() if isinstance(path, RemotePath) else os.path.lexists(path)


def _add_named(folder: Folder, stem: str, parts: dict[int, list[str]], found: _Found) -> None:
    """The dump whose `parts` have names that say so, each in one or more forms."""
    if 0 not in parts:
        for name in chain.from_iterable(parts.values()):
            found.report("warning", folder.label(name), f"not shown: {printable(stem)}{PART_SUFFIXES[0]} is missing")
        return
    chosen = {part: _first_readable(folder, parts[part], found) for part in sorted(parts)}
    readable = {part: name for part, name in chosen.items() if name}
    if 0 in readable:
        files = tuple(PartFile(folder.path / name, folder.label(name), None) for name in readable.values())
        dump = read_name(printable(readable[0]))
        siblings = tuple(_files_beside(folder, stem))
        notes = folder.notes(stem)
        found.dumps.append(
            DumpFiles(
                label=files[0].label,
                name=dump,
                parts=files,
                notes=notes,
                siblings=siblings,
                max_bytes=found.max_bytes,
            )
        )


def _files_beside(folder: Folder, stem: str) -> Iterator[SiblingFile]:
    """What else XLA wrote of the module."""
    for suffix, kind in SIBLING_SUFFIXES.items():
        names = (f"{stem}{suffix}{compression}" for compression in ("", *COMPRESSION_SUFFIXES))
        if name := next(filter(folder.has, names), None):
            yield SiblingFile(kind, folder.path / name, folder.label(name))


def _first_readable(folder: Folder, names: Sequence[str], found: _Found) -> str | None:
    for number, name in enumerate(names, start=1):
        damage = why_unreadable(folder.look(name))
        if damage is None:
            found.report_unused(folder, names[number:], name)
            return name
        found.report("error", folder.label(name), damage)
    return None


def _look_into(folder: Folder, names: Sequence[str], found: _Found) -> None:
    """A file that is no part of a dump by its name, in one or more forms."""
    found.proto_count += is_proto(names[0])
    if is_unread_part(names[0]):
        found.report("warning", folder.label(names[0]), "not read: decompress it, or use .gz or .xz")
    if is_something_else(names[0]):
        return
    for number, name in enumerate(names, start=1):
        if _take(folder, name, found):
            found.report_unused(folder, names[number:], name)
            return


def _take(folder: Folder, name: str, found: _Found) -> bool:
    """Adds what the file holds; whether it is a dump or a log."""
    content = _content(folder.look(name))
    if content == "dump":
        _add_unnamed(folder, name, found)
    elif content == "log":
        _add_log(folder, name, found)
    elif content == "too long":
        size = log_frames.SEARCHED_SIZE >> 20
        found.report("note", folder.label(name), f"no dump in its first {size} MiB; name the file to search all of it")
    return content in ("dump", "log")


def _content(path: AnyPath) -> Literal["dump", "log", "too long", "other"]:
    """What cannot be read is "other": nothing says that it is a dump."""
    try:
        with closing(pieces(path)) as stream:
            head = next(stream, b"")
            if head.partition(b"\n")[0].rstrip() == _FIRST_LINE:
                return "dump"
            if b"\0" in head or not may_be_log(path.name):
                return "other"
            return log_frames.search(chain([head], stream))
    except UNREADABLE:
        return "other"


def _add_unnamed(folder: Folder, name: str, found: _Found) -> None:
    part = PartFile(folder.path / name, folder.label(name), None)
    dump = read_name(printable(name))
    found.dumps.append(
        DumpFiles(
            label=part.label, name=dump, parts=(part,), notes=folder.notes(_stem(name)), max_bytes=found.max_bytes
        )
    )


def _stem(name: str) -> str:
    return Path(without_compression(name)).stem


def _add_log(folder: Folder, name: str, found: _Found) -> None:
    path, label = folder.path / name, folder.label(name)
    data, damage = read_available(path, found.max_bytes)
    if damage and data:
        found.report("warning", label, f"{damage}; what comes before that is used")
    elif damage:
        found.report("error", label, damage)
    dumps, orphans = log_frames.group_dumps(log_frames.find_frames(data))
    for frames in dumps:
        dump = read_name(frames[0].name)
        files = tuple(PartFile(path, label, (frame.start, frame.end)) for frame in frames)
        identity, notes = f"{label}#{frames[0].name}", folder.notes(dump.stem)
        if len(dumps) == 1:
            identity, notes = label, notes or folder.notes(_stem(name))
        found.add(label=identity, name=dump, parts=files, notes=notes)
    for frame in orphans:
        found.report("warning", f"{label}#{frame.name}", "not shown: its allocations are missing")
    for frame in chain(*dumps, orphans):
        if not frame.is_complete:
            found.report("warning", f"{label}#{frame.name}", "cut off: the log has no end of this file")


def _drop_repeats(found: list[_Found]) -> None:
    """A file reached twice is one dump, under the name that says most, and rather its own than a link's."""

    def rank(dump: DumpFiles) -> tuple[bool, bool]:
        path = dump.parts[0].path
        return dump.name.stage is None, isinstance(path, Path) and path.is_symlink()

    best: dict[object, DumpFiles] = {}
    for dump in sorted((dump for one in found for dump in one.dumps), key=rank):
        best.setdefault(_identity(dump), dump)
    kept = {id(dump) for dump in best.values()}
    for one in found:
        one.dumps = [dump for dump in one.dumps if id(dump) in kept]


def _identity(dump: DumpFiles) -> tuple[object, tuple[int, int] | None]:
    part = dump.parts[0]
    return part.path.identity if isinstance(part.path, RemotePath) else part.path.resolve(), part.frame


def _prefix_clashing(found: list[_Found]) -> None:
    """Paths that hold equal labels get their own name into all of theirs, so that one path reads one way."""
    holders = Counter(label for one in found for label in {dump.label for dump in one.dumps})
    for one in found:
        if any(holders[dump.label] > 1 for dump in one.dumps):
            prefix = printable(_own_name(one.path)) + "/"
            one.dumps = [_prefixed(dump, prefix) for dump in one.dumps]
            one.problems = [replace(problem, file=prefix + problem.file) for problem in one.problems]


def _own_name(path: AnyPath) -> str:
    """A file's name is in its label already, so what tells it apart is where it lies."""
    folder = path if path.is_dir() else path.parent
    if isinstance(folder, RemotePath):
        return folder.name or folder.url
    folder = folder.absolute()
    return folder.name if folder.name != ".." else folder.resolve().name


def _prefixed(dump: DumpFiles, prefix: str) -> DumpFiles:
    parts = tuple(replace(part, label=prefix + part.label) for part in dump.parts)
    siblings = tuple(replace(one, label=prefix + one.label) for one in dump.siblings)
    return replace(dump, label=prefix + dump.label, parts=parts, siblings=siblings)


def _numbered(found: list[_Found]) -> tuple[DumpFiles, ...]:
    """All dumps by label; where labels are still equal, the later ones get a number."""
    dumps = sorted((dump for one in found for dump in one.dumps), key=lambda dump: dump.label)
    taken = {dump.label for dump in dumps}
    seen: set[str] = set()
    for place, dump in enumerate(dumps):
        if dump.label in seen:
            label = next(label for number in count(2) if (label := f"{dump.label}#{number}") not in taken)
            dumps[place] = replace(dump, label=label)
            taken.add(label)
        seen.add(dump.label)
    return tuple(sorted(dumps, key=lambda dump: dump.label))
