"""Find dumps: by name if XLA's names were kept, otherwise by the first line or by the frames in a log.

A file named as part of a dump counts as one and is opened only to check that it can be read. One small piece of every
other file is read, unless the file is hidden or its name rules out a dump (`is_something_else`). Only files named like
a log (`may_be_log`) are searched further for frames, up to a limit.
"""

import os
import stat
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Literal

from reportgen.errors import NoDumpFound, UnreadableInput
from reportgen.input import logs
from reportgen.input.directories import Folder, is_inside, is_own_file, leads_out, walk
from reportgen.input.found import Found, unique_dumps
from reportgen.input.names import (
    COMPRESSION_SUFFIXES,
    ERROR_TEXT,
    PART_SUFFIXES,
    REFUSAL_SUFFIXES,
    SIBLING_SUFFIXES,
    TARGET_OF_ALL,
    DumpName,
    SiblingKind,
    is_proto,
    is_something_else,
    is_unread_part,
    may_be_log,
    read_name,
    split_part,
    without_compression,
)
from reportgen.input.reading import (
    DEFAULT_MAX_DUMP_BYTES,
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
from reportgen.input.remote import AnyPath, RemotePath

__all__ = ["Discovered", "DumpFiles", "PartFile", "Problem", "discover"]

_FIRST_LINE = b"BufferAssignment:"

_LOOKED_FOR = """\
Looked for files named *-buffer-assignment.txt, for files whose first line is "BufferAssignment:", and for logs with
"*** Begin ...-buffer-assignment.txt ***" lines, plain or compressed as .gz or .xz.
"""
_HOW_TO_DUMP = """\
XLA writes dumps with XLA_FLAGS="--xla_dump_to=DIR --xla_dump_hlo_as_text", set before the program starts to compile;
`reportgen run -- COMMAND` sets them and builds the report.
A compilation served from a compilation cache writes none, and --xla_dump_hlo_as_proto without
--xla_dump_hlo_as_text writes no text."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """The dumps in the given paths, sorted by label, and the problems that users should know."""

    dumps: tuple[DumpFiles, ...]
    problems: tuple[Problem, ...]
    readme: AnyPath | None


def discover(
    paths: Sequence[AnyPath],
    excluded: Path | None = None,
    max_bytes: int = DEFAULT_MAX_DUMP_BYTES,
    *,
    siblings: bool = True,
) -> Discovered:
    """Find every dump in `paths`: directories (searched recursively), dump files, and logs with dumps in them.

    Skip the directory `excluded`, which is the site's, and files with more than `max_bytes` after decompression.
    Without `siblings`, leave out the files beside each dump.

    Raises NoDumpFound if no path contains a dump, UnreadableInput if a path cannot be read.
    """
    found = [_search(path, excluded, max_bytes) for path in paths]
    if not any(one.dumps for one in found):
        reasons = [f"{printable(one.path)}: {one.why_empty()}" for one in found]
        reasons += [f"{problem.file}: {problem.message}" for one in found for problem in one.problems]
        raise NoDumpFound("\n".join([*reasons, _LOOKED_FOR + _HOW_TO_DUMP]))
    for one in found:
        if not one.dumps:
            one.report("warning", printable(one.path.name), one.why_empty())
    dumps = unique_dumps(found)
    if not siblings:
        dumps = tuple(replace(dump, siblings=()) for dump in dumps)
    problems = {problem for one in found for problem in one.problems}
    readmes = ((path / "README.md", path) for path in paths)
    return Discovered(
        dumps,
        tuple(sorted(problems, key=lambda problem: (problem.file, problem.message))),
        next((readme for readme, path in readmes if is_own_file(readme, path)), None),
    )


def _search(path: AnyPath, excluded: Path | None, max_bytes: int) -> Found:
    found = Found(path, max_bytes, is_excluded=is_inside(path, excluded))
    if found.is_excluded:
        return found
    try:
        # Not `Path.is_dir`, because it hides that a path is missing.
        is_folder = path.is_dir() if isinstance(path, RemotePath) else stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        raise UnreadableInput(f"{printable(path)}: {reason(error)}") from error
    if not is_folder:
        _search_file(path, found)
        return found
    for folder in walk(path, excluded):
        if folder.damage and folder.path == path:
            raise UnreadableInput(f"{printable(path)}: {folder.damage}")
        if folder.damage:
            found.report("warning", folder.prefix, f"{folder.damage}; dumps in it are missing here")
        for name in folder.links:
            found.report("warning", folder.label(name), "not followed: the link leads out of the dump folder")
        _search_folder(folder, found)
    return found


def _search_folder(folder: Folder, found: Found) -> None:
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


def _search_file(path: AnyPath, found: Found) -> None:
    """Search a file that the user has given, even if its name rules out a dump."""
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
    """Return the names of the files of the dump that `path` belongs to, by part; `path` itself comes first."""
    parts: dict[int, list[str]] = defaultdict(list)
    names = [stem + suffix + compression for suffix in PART_SUFFIXES for compression in ("", *COMPRESSION_SUFFIXES)]
    for name in dict.fromkeys([path.name, *names]):
        split = split_part(name)
        if split and (name == path.name or _is_beside(path.parent / name, path.parent)):
            parts[split[1]].append(name)
    return parts


def _is_beside(file: AnyPath, folder: AnyPath) -> bool:
    """Return whether a folder has a file of its own. A link that leads nowhere counts, because it must be reported."""
    if isinstance(file, RemotePath):
        return file.is_file()
    return os.path.lexists(file) and not leads_out(file, folder)


def _add_named(folder: Folder, stem: str, parts: dict[int, list[str]], found: Found) -> None:
    """Add the dump whose files are named as its parts; `parts` has the names of each part, compressed and plain."""
    if 0 not in parts:
        for name in chain.from_iterable(parts.values()):
            found.report("warning", folder.label(name), f"not shown: {printable(stem)}{PART_SUFFIXES[0]} is missing")
        return
    chosen = {part: _first_readable(folder, parts[part], found) for part in sorted(parts)}
    readable = {part: name for part, name in chosen.items() if name}
    if 0 in readable:
        files = tuple(PartFile(folder.path / name, folder.label(name), None) for name in readable.values())
        dump = read_name(printable(readable[0]))
        siblings = tuple(_sibling_files(folder, stem, dump))
        found.add(label=files[0].label, name=dump, parts=files, notes=folder.notes(stem), siblings=siblings)


def _sibling_files(folder: Folder, stem: str, dump: DumpName) -> Iterator[SiblingFile]:
    """Yield the other files about the module: HLO, usage report, refusal by the compiler, target device."""
    for suffix, kind in SIBLING_SUFFIXES.items():
        names = (f"{stem}{suffix}{compression}" for compression in ("", *COMPRESSION_SUFFIXES))
        if name := next(filter(folder.has, names), None):
            yield SiblingFile(kind, folder.path / name, folder.label(name))
    module = dump.stem.removesuffix(f".{dump.stage}")
    fixed: dict[str, SiblingKind] = {module + suffix: kind for suffix, kind in REFUSAL_SUFFIXES.items()}
    for name, kind in (fixed | {TARGET_OF_ALL: "target", ERROR_TEXT: "error text"}).items():
        if folder.has(name):
            yield SiblingFile(kind, folder.path / name, folder.label(name))


def _first_readable(folder: Folder, names: Sequence[str], found: Found) -> str | None:
    for number, name in enumerate(names, start=1):
        damage = why_unreadable(folder.first_look(name))
        if damage is None:
            _report_unused(folder, names[number:], name, found)
            return name
        found.report("error", folder.label(name), damage)
    return None


def _report_unused(folder: Folder, names: Sequence[str], taken: str, found: Found) -> None:
    for name in names:
        found.report("note", folder.label(name), f"not read: {printable(taken)} was read instead")


def _look_into(folder: Folder, names: Sequence[str], found: Found) -> None:
    """Add the dumps in a file not named as part of one; `names` are its plain and compressed forms."""
    found.proto_count += is_proto(names[0])
    if is_unread_part(names[0]):
        found.report("warning", folder.label(names[0]), "not read: decompress it, or use .gz or .xz")
    if is_something_else(names[0]):
        return
    for number, name in enumerate(names, start=1):
        content = _content(folder.first_look(name))
        if content == "dump":
            _add_unnamed(folder, name, found)
        elif content == "log":
            _add_log(folder, name, found)
        elif content == "too long":
            message = f"no dump in its first {logs.SEARCHED_SIZE >> 20} MiB; name this file to search all of it"
            found.report("note", folder.label(name), message)
        elif content == "unreadable":
            damage = why_unreadable(folder.first_look(name)) or "it cannot be read to its first dump"
            found.report("warning", folder.label(name), f"{damage}; if it is a dump, it is missing here")
        if content in ("dump", "log"):  # its other forms, plain or compressed, are not searched
            _report_unused(folder, names[number:], name, found)
            return


def _content(path: AnyPath) -> Literal["dump", "log", "too long", "unreadable", "other"]:
    """Return what a file contains; one that cannot be read is "other" unless it is named as dumps and logs may be."""
    try:
        with closing(pieces(path)) as stream:
            head = next(stream, b"")
            if head.partition(b"\n")[0].rstrip() == _FIRST_LINE:
                return "dump"
            if b"\0" in head or not may_be_log(path.name):
                return "other"
            return logs.search(chain([head], stream))
    except UNREADABLE:
        return "unreadable" if may_be_log(path.name) else "other"


def _add_unnamed(folder: Folder, name: str, found: Found) -> None:
    part = PartFile(folder.path / name, folder.label(name), None)
    notes = folder.notes(_stem(name))
    found.add(label=part.label, name=read_name(printable(name)), parts=(part,), notes=notes)


def _stem(name: str) -> str:
    return Path(without_compression(name)).stem


def _add_log(folder: Folder, name: str, found: Found) -> None:
    path, label = folder.path / name, folder.label(name)
    data, damage = read_available(path, found.max_bytes)
    if damage and data:
        found.report("warning", label, f"{damage}; the part before that is used")
    elif damage:
        found.report("error", label, damage)
    dumps, orphans = logs.group_dumps(logs.find_frames(data))
    for frames in dumps:
        dump = read_name(frames[0].name)
        files = tuple(PartFile(path, label, (frame.start, frame.end)) for frame in frames)
        identity, notes = f"{label}#{frames[0].name}", folder.notes(dump.stem)
        if len(dumps) == 1:  # the label is that of the file, because there is no other dump to distinguish
            identity, notes = label, notes or folder.notes(_stem(name))
        found.add(label=identity, name=dump, parts=files, notes=notes)
    for frame in orphans:
        found.report("warning", f"{label}#{frame.name}", "not shown: its allocations are missing")
    for frame in chain(*dumps, orphans):
        if not frame.is_complete:
            found.report("warning", f"{label}#{frame.name}", "cut off: the log has no end of this file")
