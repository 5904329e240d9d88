"""Find dumps: by name if XLA's names were kept, otherwise by the first line or by the frames in a log.

A file named as part of a dump counts as one and is opened only to check that it can be read. One small piece of every
other file is read, unless the file is hidden or its name rules out a dump (`is_something_else`). Only files named like
a log (`may_be_log`) are searched further for frames, up to a limit.
"""

import re
import stat
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Literal

from reportgen.errors import UnreadableInput
from reportgen.input import logs
from reportgen.input.archives import unpacked
from reportgen.input.directories import Folder, is_inside, is_own_file, walk
from reportgen.input.error_texts import MOST_TEXTS, TextFile, WordSearch
from reportgen.input.line_ends import with_newlines
from reportgen.input.logs import LogFrame
from reportgen.input.names import (
    COMPRESSION_SUFFIXES,
    ERROR_TEXT,
    PART_SUFFIXES,
    PROTO_SUFFIXES,
    REFUSAL_SUFFIXES,
    SIBLING_SUFFIXES,
    TARGET_OF_ALL,
    TARGET_OF_TPU,
    DumpName,
    SiblingKind,
    is_archive,
    is_profile,
    is_something_else,
    is_unread_part,
    may_be_log,
    proto_stem,
    read_module_name,
    read_name,
    read_stem,
    split_part,
    stems_before,
    without_compression,
)
from reportgen.input.not_a_dump import may_hold_dump, what_it_is
from reportgen.input.path_search import PathSearch, unique_dumps
from reportgen.input.quoted import group_pieces, quoted_pieces
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
    read_text,
    reason,
    why_unreadable,
)
from reportgen.input.remote import AnyPath, RemotePath
from reportgen.oom.passages import has_sign
from reportgen.protos.hlo_proto import has_plan
from reportgen.protos.profile import ProfiledModule, profiled_backend, profiled_modules
from reportgen.record import record

__all__ = ["Discovered", "DumpFiles", "PartFile", "Problem", "discover"]

_FIRST_LINE = b"BufferAssignment:"
_ANOTHER = re.compile(rb"[\r\n]" + _FIRST_LINE)

_LOOKED_FOR = """\
Looked for files named *-buffer-assignment.txt, for files whose first line is "BufferAssignment:", for logs with
"*** Begin ...-buffer-assignment.txt ***" lines, for profiles named *.xplane.pb, and for protos named *.hlo.pb or
*.hlo_proto.pb, plain or compressed as .gz or .xz.
"""
_HOW_TO_DUMP = """\
XLA writes dumps with XLA_FLAGS="--xla_dump_to=DIR --xla_dump_hlo_as_text", set before the program starts to compile;
`reportgen run -- COMMAND` sets them and builds the report.
A compilation served from a compilation cache writes none."""

_HOW_TO_RUN = """\
This file has no dump, and no error about memory that is known here; docs/error-texts.md lists those that are.
`reportgen run -- COMMAND` runs a program and builds the report of what XLA compiles in it."""


@record(kw_only=False)
class Discovered:
    """The dumps in the given paths, sorted by label, and the problems that users should know.

    `texts` may contain out-of-memory errors. `why_none` says why there is no dump; it is empty if there is one.
    """

    dumps: tuple[DumpFiles, ...]
    problems: tuple[Problem, ...]
    readme: AnyPath | None
    texts: tuple[TextFile, ...] = ()
    why_none: str = ""


def discover(
    paths: Sequence[AnyPath],
    excluded: Path | None = None,
    max_bytes: int = DEFAULT_MAX_DUMP_BYTES,
) -> Discovered:
    """Find every dump in `paths`: directories (searched recursively), dump files, and logs with dumps in them.

    Find texts that may contain errors as well, because they are enough for a report. Skip the directory `excluded`,
    which is the site's, and files with more than `max_bytes` after decompression.

    Raises UnreadableInput if a path cannot be read.
    """
    searches = [_search(path, excluded, max_bytes) for path in paths]
    why_none = _why_none(searches)
    for search in searches:
        if not search.dumps and not search.texts:
            search.report("warning", printable(search.path.name), search.why_empty())
    dumps = unique_dumps(searches)
    # The text that `reportgen run` leaves next to dumps is part of what their own pages say.
    error_texts = {sibling.path for dump in dumps for sibling in dump.siblings if sibling.path.name == ERROR_TEXT}
    problems = {problem for search in searches for problem in search.problems}
    readmes = ((search.top / "README.md", search.top) for search in searches)
    return Discovered(
        dumps,
        tuple(sorted(problems, key=lambda problem: (problem.file, problem.message))),
        next((readme for readme, path in readmes if is_own_file(readme, path)), None),
        tuple(text for search in searches for text in search.texts if text.path not in error_texts),
        why_none,
    )


def _why_none(searches: Sequence[PathSearch]) -> str:
    """Return why no path has a dump, and how to get one; empty if one has."""
    if any(search.dumps for search in searches):
        return ""
    reasons = [f"{printable(search.path)}: {search.why_empty()}" for search in searches]
    reasons += [f"{problem.file}: {problem.message}" for search in searches for problem in search.problems]
    if not all(search.description for search in searches):
        reasons.append(_HOW_TO_RUN if all(search.is_text for search in searches) else _LOOKED_FOR + _HOW_TO_DUMP)
    return "\n".join(reasons)


def _search(path: AnyPath, excluded: Path | None, max_bytes: int) -> PathSearch:
    """Return what a path contains. Raises UnreadableInput if it cannot be read; a folder below it is only skipped."""
    search = PathSearch(path, path, max_bytes)
    if is_inside(path, excluded):
        search.description = "it is in the output directory, which is not searched; choose another one with -o"
        return search
    if archive := unpacked(path, max_bytes):
        search.enter(archive)
        path = search.top
    try:
        # Not `Path.is_dir`, because it hides that a path is missing.
        is_folder = path.is_dir() if isinstance(path, RemotePath) else stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        raise UnreadableInput(f"{printable(path)}: {reason(error)}") from error
    if not is_folder:
        _search_file(path, search)
        return search
    for folder in walk(path, excluded):
        if folder.damage and folder.path == path:
            raise UnreadableInput(f"{printable(path)}: {folder.damage}")
        if folder.damage:
            search.report("warning", folder.prefix, f"{folder.damage}; dumps in it are missing here")
        for name in folder.links:
            search.report("warning", folder.label(name), "not followed: the link leads out of the dump folder")
        _search_folder(folder, search)
    if search.archives:
        words = (
            f"archives in a folder are not read, here {len(search.archives):,}; give the path of one to read its dumps"
        )
        search.report("note", search.archives[0], words)
    return search


def _search_folder(folder: Folder, search: PathSearch) -> None:
    """Add the dumps and texts of one folder. Protos come last: one is skipped if another file has its module."""
    forms: dict[str, list[str]] = defaultdict(list)  # X, X.gz and X.xz, in this order
    for name in folder.names:
        forms[without_compression(name)].append(name)
    stems: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    protos: list[tuple[str, list[str]]] = []
    profiled: list[ProfiledModule] = []
    earlier_texts = len(search.texts)
    for plain, names in forms.items():
        if split := split_part(plain):
            stems[split.stem][split.part] += names
        elif is_profile(plain):
            profiled += _add_profile(folder, names, search)
        elif stem := proto_stem(plain):
            protos.append((stem, names))
        else:
            _look_into(folder, names, search)
    errors = _errors_of_all(search.texts[earlier_texts:], search) if stems else ()
    # The text of a module is used instead of its proto, and compared with it; a profile has the same proto.
    texts = [read_stem(stem) for stem, parts in stems.items() if _add_named(folder, stem, parts, search, errors)]
    modules = {(name.module, name.device) for name in texts} | {(name.module, None) for name in texts}
    for stem, names in protos:
        proto = read_stem(stem)
        if (proto.module, proto.device) not in modules:
            _add_proto(folder, names, search, [known.proto for known in profiled if known.name.startswith(stem)])


def _errors_of_all(texts: Sequence[TextFile], search: PathSearch) -> Sequence[SiblingFile]:
    """Return the texts of a folder that are read with each of its dumps: few and short, because dumps may be many."""
    short = [text for text in texts if text.is_short and text.path.name != ERROR_TEXT]
    message = f"not read with each module: the folder has more than {MOST_TEXTS} such files"
    for text in short[MOST_TEXTS:]:
        search.report("note", text.label, message)
    return tuple(SiblingFile("error text", text.path, text.label) for text in short[:MOST_TEXTS])


def _search_file(path: AnyPath, search: PathSearch) -> None:
    """Search a file that the user has given, even if its name rules out a dump."""
    if damage := why_unreadable(path):
        raise UnreadableInput(f"{printable(path)}: {damage}")
    folder = Folder(path.parent)
    if split := split_part(path.name):
        parts = _siblings(folder, path.name, split.stem)
        if 0 in parts:
            _add_named(folder, split.stem, parts, search)
        else:
            _add_quoted(folder, path.name, read_text(path, search.max_bytes)[0], search)
    elif is_profile(path.name):
        _add_profile(folder, [path.name], search)
    elif proto_stem(path.name):
        _add_proto(folder, [path.name], search)
    elif _content(path, WordSearch()) == "dump":
        _add_unnamed(folder, path.name, search)
    else:
        search.is_text = True
        _add_text(folder, path.name, search)


def _add_text(folder: Folder, name: str, search: PathSearch) -> None:
    """Add the errors and the dumps in a text that the user has given. A long log is read whole only for a dump."""
    path, errors = folder.path / name, WordSearch(search.max_bytes)
    must_be_read_whole = True  # also if it is unreadable or too large, which that reports
    with suppress(*UNREADABLE), closing(pieces(path)) as stream:
        watched = errors.watched(stream)
        must_be_read_whole = any(errors.size > search.max_bytes or may_hold_dump(piece) for piece in watched)
    if must_be_read_whole:
        data = _add_log(folder, name, search)
        if not search.dumps:
            _add_quoted(folder, name, data, search)
    elif errors.has_found:
        search.texts.append(TextFile(folder.label(name), path))


def _add_quoted(folder: Folder, name: str, data: bytes, search: PathSearch) -> None:
    """Add the dumps that a text quotes, whole or in part, or say what it is if it has none."""
    label = folder.label(name)
    dumps, orphans = group_pieces(quoted_pieces(data))
    dump, notes = read_name(printable(name)), folder.notes(_stem(name))
    for quoted in dumps:
        frames = (LogFrame(name, one.start, one.end, one.line, is_complete=False, prefix=one.prefix) for one in quoted)
        files = tuple(PartFile(folder.path / name, label, frame) for frame in frames)
        search.add(DumpFiles(label=label, name=dump, parts=files, notes=notes))
    if not dumps:
        search.description = what_it_is(data, printable(name), chain.from_iterable(orphan.kinds for orphan in orphans))
    for piece in orphans if dumps else ():
        search.report("warning", label, f"line {piece.line:,}: not shown: its allocations are missing")


def _siblings(folder: Folder, name: str, stem: str) -> dict[int, list[str]]:
    """Return the names of the files of the dump that the file `name` belongs to, by part; it comes first itself."""
    parts: dict[int, list[str]] = defaultdict(list)
    for form in dict.fromkeys([name, *chain.from_iterable(_forms(folder, stem + suffix) for suffix in PART_SUFFIXES)]):
        if split := split_part(form):
            parts[split.part].append(form)
    return parts


def _add_named(
    folder: Folder, stem: str, parts: dict[int, list[str]], search: PathSearch, errors: Sequence[SiblingFile] = ()
) -> bool:
    """Add the dump whose files are named as its parts, and return whether its allocations can be read.

    `parts` has the names of each part, compressed and plain.

    The texts of `errors` are in the same folder, and may say why the compiler refused the program.
    """
    if 0 not in parts:
        for name in chain.from_iterable(parts.values()):
            search.report("warning", folder.label(name), f"not shown: {printable(stem)}{PART_SUFFIXES[0]} is missing")
        return False
    chosen = {part: _first_readable(folder, parts[part], search) for part in sorted(parts)}
    readable = {part: name for part, name in chosen.items() if name}
    if 0 in readable:
        files = tuple(PartFile(folder.path / name, folder.label(name), None) for name in readable.values())
        dump = read_name(printable(readable[0]))
        siblings = (*_sibling_files(folder, stem, dump, search), *errors)
        search.add(DumpFiles(label=files[0].label, name=dump, parts=files, notes=folder.notes(stem), siblings=siblings))
    return 0 in readable


def _sibling_files(folder: Folder, stem: str, dump: DumpName, search: PathSearch) -> Iterator[SiblingFile]:
    """Yield the other files about the module: HLO, usage report, refusal by the compiler, target device."""
    for suffix, kind in SIBLING_SUFFIXES.items():
        if names := _forms(folder, stem + suffix):
            _report_unused(folder, names[1:], names[0], search)
            yield SiblingFile(kind, folder.path / names[0], folder.label(names[0]))
    fixed: dict[str, SiblingKind] = {dump.module + suffix: kind for suffix, kind in REFUSAL_SUFFIXES.items()}
    for name, kind in (fixed | {TARGET_OF_ALL: "GPU target", ERROR_TEXT: "error text"}).items():
        if dump.may_have(kind) and folder.has(name):
            yield SiblingFile(kind, folder.path / name, folder.label(name))
    if dump.may_have("TPU target") and not folder.has(dump.module + TARGET_OF_TPU):
        yield from _earlier_target(folder, dump)


def _earlier_target(folder: Folder, dump: DumpName) -> Iterator[SiblingFile]:
    """Yield the file that names the TPU of a dump if it has a smaller number, unless a dump between has that number.

    A compiler counts the module up between its passes, and names the target before them.
    """
    for stem in stems_before(dump.module):
        if folder.has(name := stem + TARGET_OF_TPU):
            yield SiblingFile("TPU target", folder.path / name, folder.label(name))
            return
        # The file of a target that comes before another dump of the same function is that dump's.
        if any(_forms(folder, f"{stem}.{dump.stage}{suffix}") for suffix in (PART_SUFFIXES[0], *PROTO_SUFFIXES)):
            return


def _forms(folder: Folder, name: str) -> Sequence[str]:
    """Return the names of a file as a folder has it: plain, compressed, or both."""
    return [*filter(folder.has, (name + compression for compression in ("", *COMPRESSION_SUFFIXES)))]


def _first_readable(folder: Folder, names: Sequence[str], search: PathSearch) -> str | None:
    """Return the first name whose file can be read; report damaged files before it and unused ones after it."""
    for number, name in enumerate(names, start=1):
        damage = why_unreadable(folder.first_look(name))
        if damage is None:
            _report_unused(folder, names[number:], name, search)
            return name
        search.report("error", folder.label(name), damage)
    return None


def _report_unused(folder: Folder, names: Sequence[str], chosen: str, search: PathSearch) -> None:
    for name in names:
        search.report("note", folder.label(name), f"not read: {printable(chosen)} was read instead")


def _look_into(folder: Folder, names: Sequence[str], search: PathSearch) -> None:
    """Add the dumps in a file not named as part of one; `names` are its plain and compressed forms."""
    if is_unread_part(names[0]):
        search.report("warning", folder.label(names[0]), "not read: decompress it, or use .gz or .xz")
    search.archives += [folder.label(name) for name in names if is_archive(name)]
    if is_something_else(names[0]):
        return
    for number, name in enumerate(names, start=1):
        words = WordSearch()
        content = _content(folder.first_look(name), words)
        if content != "log" and words.finds_error(folder.path / name):
            search.texts.append(TextFile(folder.label(name), folder.path / name, is_short=words.size < words.limit))
        if content == "dump":
            _add_unnamed(folder, name, search)
        elif content == "log":
            _add_log(folder, name, search)
        elif content == "too long":
            message = f"no dump in its first {logs.SEARCHED_SIZE >> 20} MiB; name this file to search all of it"
            search.report("note", folder.label(name), message)
        elif content == "unreadable":
            damage = why_unreadable(folder.first_look(name)) or "it cannot be read to its first dump"
            search.report("warning", folder.label(name), f"{damage}; if it is a dump, it is missing here")
        if content in ("dump", "log"):  # its other forms, plain or compressed, are not searched
            _report_unused(folder, names[number:], name, search)
            return


def _content(path: AnyPath, words: WordSearch) -> Literal["dump", "log", "too long", "unreadable", "other"]:
    """Return what a file contains; one that cannot be read is "other" unless it is named as dumps and logs may be.

    What is read of a text is searched for `words` as well.
    """
    try:
        with closing(pieces(path)) as stream:
            head = next(stream, b"")
            if with_newlines(head).partition(b"\n")[0].rstrip() == _FIRST_LINE:
                return "dump"
            if b"\0" in head or not may_be_log(path.name):
                return "other"
            return logs.search(words.watched(chain([head], stream)))
    except UNREADABLE:
        return "unreadable" if may_be_log(path.name) else "other"


def _add_proto(folder: Folder, names: Sequence[str], search: PathSearch, profiled: Sequence[memoryview] = ()) -> None:
    """Add the dump in a proto, if it has a buffer assignment and is none of those `profiled` under its name.

    `names` are its plain and compressed forms.
    """
    chosen = _first_readable(folder, names, search)
    if chosen is None:
        return
    data, damage = read_available(folder.path / chosen, search.max_bytes)
    if damage and not data:
        search.report("error", folder.label(chosen), damage)
    elif not has_plan(data):
        search.proto_count += 1
    elif not any(_is_same(data, known) for known in profiled):
        part = PartFile(folder.path / chosen, folder.label(chosen), None, proto="")
        stem = proto_stem(printable(chosen)) or ""
        dump = read_module_name(stem)
        others = _sibling_files(folder, stem, dump, search)
        # Without those that say what the proto says, because there is nothing to compare.
        siblings = tuple(file for file in others if file.kind not in ("HLO text", "proto"))
        search.add(DumpFiles(label=part.label, name=dump, parts=(part,), notes=folder.notes(stem), siblings=siblings))


def _is_same(proto: bytes, other: memoryview) -> bool:
    """Return whether two protos are one program. XProf writes a map of attributes in an order of its own."""
    return proto == other or (len(proto) == len(other) and Counter(proto) == Counter(other))


def _add_profile(folder: Folder, names: Sequence[str], search: PathSearch) -> Sequence[ProfiledModule]:
    """Add the modules in a profile and return them; `names` are its plain and compressed forms."""
    chosen = _first_readable(folder, names, search)
    if chosen is None:
        return ()
    label = folder.label(chosen)
    data, damage = read_available(folder.path / chosen, search.max_bytes)
    modules, broken = profiled_modules(data)
    if words := damage or broken:
        used = "; the modules before that are used" if modules else ""
        search.report("error", label, words + used)
    elif not modules:
        search.report("note", label, "the profile has no modules; it was written without the HLO of the program")
    backend = profiled_backend(data)
    for module in modules:
        name = printable(module.name)
        part = PartFile(folder.path / chosen, f"{label}#{name}", None, proto=module.name)
        dump = replace(read_module_name(name), backend=backend)
        search.add(DumpFiles(label=part.label, name=dump, parts=(part,), notes=folder.notes(name)))
    return modules


def _add_unnamed(folder: Folder, name: str, search: PathSearch) -> None:
    """Add the dump in a file that begins as one, or the dumps if there are several, which remote folders do not ask."""
    if folder.heads is None and _has_several(folder.path / name):
        _add_quoted(folder, name, read_text(folder.path / name, search.max_bytes)[0], search)
        return
    part = PartFile(folder.path / name, folder.label(name), None)
    notes = folder.notes(_stem(name))
    search.add(DumpFiles(label=part.label, name=read_name(printable(name)), parts=(part,), notes=notes))


def _has_several(path: AnyPath) -> bool:
    tail = b""
    with suppress(*UNREADABLE), closing(pieces(path)) as stream:
        for piece in stream:
            if _ANOTHER.search(tail + piece):
                return True
            tail = piece[-len(_FIRST_LINE) :]
    return False


def _stem(name: str) -> str:
    return Path(without_compression(name)).stem


def _add_log(folder: Folder, name: str, search: PathSearch) -> bytes:
    """Add the dumps and the errors in a log, and return its text."""
    path, label = folder.path / name, folder.label(name)
    data, damage = read_text(path, search.max_bytes)
    if damage:
        search.report("error", label, f"{damage}; the part before that is used" if data else damage)
    if has_sign(data):
        search.texts.append(TextFile(label, path))
    dumps, orphans = logs.group_dumps(logs.find_frames(data))
    for frames in dumps:
        dump = read_name(frames[0].name)
        files = tuple(PartFile(path, label, frame) for frame in frames)
        identity, notes = f"{label}#{frames[0].name}", folder.notes(dump.stem)
        if len(dumps) == 1:  # the label is that of the file, because there is no other dump to distinguish
            identity, notes = label, notes or folder.notes(_stem(name))
        search.add(DumpFiles(label=identity, name=dump, parts=files, notes=notes))
    for frame in orphans:
        search.report("warning", f"{label}#{frame.name}", "not shown: its allocations are missing")
    for frame in chain(*dumps, orphans):
        if not frame.is_complete:
            search.report("warning", f"{label}#{frame.name}", "cut off: the log has no end of this file")
    return data
