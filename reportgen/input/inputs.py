"""Identify what a compilation started from, by the files next to its dump: program, flags and compiler.

If all of these are the same and the assignments differ, the compiler is not deterministic.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import field
from functools import lru_cache
from pathlib import Path

from reportgen.input.names import COMPRESSION_SUFFIXES, read_stem, split_part
from reportgen.input.reading import DumpFiles, read_text
from reportgen.patterns import STRING_OR_REST, repeated
from reportgen.record import record

_MOST_BYTES = 1_000_000_000
# Left out, because they name places on the machine, which differ although the program is the same.
_PLACES = re.compile(r"^(?:xla_dump_to|xla_gpu_cuda_data_dir)\b")
# Left out, because a new comment in a script moves source lines but does not change the program.
_TABLES = re.compile(rb"(?m)^(?:FileNames|FunctionNames|FileLocations|StackFrames)\n" + repeated(rb"\d.*\n"))
# One that is not closed takes all that follows: otherwise each later beginning would be tried.
_METADATA = re.compile(rb", metadata=\{" + repeated(rb'[^"{}]++|' + STRING_OR_REST.encode()) + rb"\}?")


@record(kw_only=False)
class Inputs:
    """The digest of the program before optimizations, the flags that were set, and the compiler's changelist.

    Each is None if no file states it.
    """

    program: str | None = None
    flags: Mapping[str, str] | None = field(default=None, hash=False)
    changelist: int | None = None


def inputs_of(files: DumpFiles) -> Inputs:
    """Return the inputs that the files next to a dump state. Skip those at a URL, because each request takes time."""
    path = files.parts[0].path
    if not isinstance(path, Path) or files.name.module_number is None:
        return Inputs(changelist=files.name.changelist)
    head = files.name.module
    if head in _shared_names(path.parent, path.parent.stat().st_mtime_ns):
        return Inputs(changelist=files.name.changelist)
    program = _read(path.parent, f"{head}.before_optimizations.txt")
    options = _read(path.parent, f"{head}.debug_options")
    return Inputs(
        program=hashlib.sha256(_TABLES.sub(b"", _METADATA.sub(b"", program))).hexdigest() if program else None,
        flags=_flags(options) if options else None,
        changelist=files.name.changelist,
    )


# The time is a part of the key, because a directory that has changed must be listed again.
@lru_cache(maxsize=1)
def _shared_names(folder: Path, modified: int) -> Set[str]:
    """Return the names in a directory that modules of several devices share, so that inputs may be of any of them."""
    stems = (split.stem for path in folder.iterdir() if (split := split_part(path.name)))
    modules = {(name.module, name.device) for name in map(read_stem, stems)}
    return {name for name, count in Counter(name for name, _ in modules).items() if count > 1}


def _read(folder: Path, name: str) -> bytes:
    for suffix in ("", *COMPRESSION_SUFFIXES):
        if (path := folder / f"{name}{suffix}").is_file():
            return read_text(path, _MOST_BYTES)[0]
    return b""


def _flags(text: bytes) -> dict[str, str]:
    """Return flags by name, without `_PLACES`; join the settings of a repeated flag."""
    flags: dict[str, list[str]] = {}
    for line in text.decode("utf-8", "replace").split("\n"):
        name, colon, setting = line.strip().partition(":")
        if colon and not _PLACES.match(name):
            flags.setdefault(name, []).append(setting.strip())
    return {name: ", ".join(settings) for name, settings in flags.items()}


def differing_flags(before: Inputs, after: Inputs) -> list[str]:
    """Return the names of flags that are not the same, sorted."""
    flags_before, flags_after = before.flags or {}, after.flags or {}
    return sorted(name for name in {*flags_before, *flags_after} if flags_before.get(name) != flags_after.get(name))
