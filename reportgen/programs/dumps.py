"""The folder of dumps that a run leaves: claimed before the program, tidied after it.

While the program runs, a folder with a random name of its own holds a folder for each process. Afterwards files that no
report reads are deleted, and the others move to folders whose names do not change from run to run. A hidden file says
what was run and which files are the run's own. The next run deletes those, and random folders with what an interrupted
run or a process that outlived one has left; `output/own_files.py` has the rule. A file that is not as the run has left
it stays, and is named.

    .reportgen-run.json
    {"command": ["python", "train.py"], "exit_code": 1, "seconds": 11.4, "flags": "--xla_dump_hlo_as_text",
     "processes": 1, "modules": 18, "dumped_bytes": 3540000, "kept_bytes": 480000,
     "files": {"module_0000…": "SIZE-DIGEST", …}}
"""

import hashlib
import json
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from itertools import chain, count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

from reportgen.errors import OutputRefused
from reportgen.input.names import ERROR_TEXT
from reportgen.output.lock import locked
from reportgen.output.own_files import delete, files_below, place_in, plain_bytes
from reportgen.output.writer import write_own_file
from reportgen.programs.compiled import CompiledPlan
from reportgen.programs.environment import FALLBACK
from reportgen.programs.signs import Signs, signs_in
from reportgen.record import record

MARKER = ".reportgen-run.json"

_WORKING = ".reportgen-run-"
_NAME_OF_WORKING = re.compile(re.escape(_WORKING) + r"[0-9a-f]{16}")
_PROCESS = re.compile(rf"{FALLBACK}|(?:rank-(?P<rank>\d+)-)?pid-\d+(?:\.\d+)?")
_KEPT = re.compile(
    r".*-buffer-assignment.*|.*-live-range.*|.*-memory-usage-report\.txt|.*after_optimizations\.(?:txt|hlo\.pb)"
    r"|.*\.oom_[a-z_]+(?:\.txt)?|.*target_arguments\.txt|gpu_target_config\.pbtxt|" + re.escape(ERROR_TEXT),
    re.DOTALL,
)
_BEGINNING = 1 << 20
_ALLOWED = frozenset({".gitignore", ".gitkeep", ".keep", "README.md"})


@record
class Left:
    """What a run left in its folder: of all that was dumped, the files that were kept, as paths in the folder."""

    processes: int
    signs: Signs
    dumped_bytes: int
    kept_bytes: int
    files: Mapping[str, str]


class Claim(NamedTuple):
    """The folder for the processes of a run, and the files of the last run that were changed since, which stay."""

    working: Path
    kept: tuple[str, ...]


@contextmanager
def claimed(directory: Path) -> Iterator[Claim]:
    """Keep `directory` for one run, cleared of what the last run left.

    Raises OutputRefused.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        names = {path.name for path in directory.iterdir()}
        if MARKER not in names and names - _ALLOWED:
            raise OutputRefused(
                f"{directory}: holds files that `reportgen run` did not write; name another folder with --dumps"
            )
        with locked(directory):
            kept = _clear(directory, _last_files(directory))
            working = directory / f"{_WORKING}{secrets.token_hex(8)}"
            write_marker(directory, {"files": {}})
            working.mkdir()
            yield Claim(working, kept)
    except OSError as error:
        raise OutputRefused(f"{directory}: cannot be used for dumps: {error.strerror or error}") from error


def tidy(directory: Path, working: Path) -> Left:
    """Delete the files that no report reads, and move the others from `working` to their final folders."""
    first_written = {
        folder: min((path.stat().st_mtime_ns for path in files_below(folder)), default=0)
        for folder in working.iterdir()
        if folder.is_dir() and not folder.is_symlink()
    }
    # The process that dumped first comes first, because process ids differ from run to run.
    folders = sorted(first_written, key=lambda folder: (first_written[folder], folder.name))
    dumped = [path for folder in folders for path in files_below(folder)]
    names, dumped_bytes = [path.name for path in dumped], sum(path.stat().st_size for path in dumped)
    delete(working, [path.relative_to(working).as_posix() for path in dumped if not _KEPT.fullmatch(path.name)])
    for folder in folders:
        _remove_empty(folder)
    folders = [folder for folder in folders if folder.is_dir()]
    kept = _moved(directory, folders)
    _remove_empty(working)
    return Left(
        processes=len(folders),
        signs=signs_in(names),
        dumped_bytes=dumped_bytes,
        kept_bytes=sum(path.stat().st_size for path in kept),
        files={path.relative_to(directory).as_posix(): _fingerprint(path) for path in sorted(kept)},
    )


def write_marker(directory: Path, content: Mapping[str, Any]) -> None:
    write_own_file(directory / MARKER, (json.dumps(content, indent=1) + "\n").encode())


def kept_folder(dumps: Path) -> Path:
    """Move the files of a folder that is about to be deleted to a new one, which the caller deletes."""
    kept = Path(mkdtemp(prefix="reportgen-"))
    for path in dumps.iterdir():
        path.rename(kept / path.name)
    return kept


def keep_error(directory: Path, text: str) -> None:
    """Write the text of an out-of-memory error next to the dump, as the hook does in a program."""
    write_own_file(directory / ERROR_TEXT, (text + "\n").encode("utf-8", "replace"))


def _fingerprint(path: Path) -> str:
    """Return the size of a file and a digest of its beginning, because some dumps have gigabytes."""
    return f"{path.stat().st_size}-{hashlib.sha256(plain_bytes(path, _BEGINNING)).hexdigest()[:16]}"


def keep_plan(directory: Path, plan: CompiledPlan) -> None:
    """Write the plan of a compiled function as XLA would name its dump."""
    write_own_file(directory / plan.file_name, plan.proto)


def marker_of(command: Sequence[str], exit_code: int, seconds: float, flags: str, left: Left) -> dict[str, Any]:
    """Return the content of the marker after a run."""
    figures = {name: value for name, value in asdict(left).items() if name != "signs"}
    run = {"command": list(command), "exit_code": exit_code, "seconds": round(seconds, 1), "flags": flags}
    return {**run, "modules": left.signs.assignments, **figures}


def _last_files(directory: Path) -> Mapping[str, str]:
    """Return the files that the last run left. Raises OutputRefused for a marker that no run can have written."""
    marker = directory / MARKER
    if not os.path.lexists(marker):
        return {}
    try:
        files = json.loads(plain_bytes(marker))["files"]
        if not isinstance(files, dict):
            raise TypeError(f"{marker} states no files")
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise OutputRefused(f"{marker}: damaged; delete the folder or name another with --dumps") from None
    return {name: str(fingerprint) for name, fingerprint in files.items()}


def _clear(directory: Path, files: Mapping[str, str]) -> tuple[str, ...]:
    """Delete what earlier runs left, and return which of the last one's `files` were changed since."""
    changed = [name for name, fingerprint in files.items() if not _is_as_left(directory, name, fingerprint)]
    deleted = delete(directory, [name for name in files if name not in changed])
    for working in [path for path in directory.iterdir() if _NAME_OF_WORKING.fullmatch(path.name)]:
        if working.is_dir() and not working.is_symlink():
            delete(directory, [path.relative_to(directory).as_posix() for path in files_below(working)])
            _remove_empty(working)
    # `delete` is not asked about these; those that are gone already are in nobody's way.
    there = [name for name in changed if (place := place_in(directory, name)) is None or os.path.lexists(place)]
    return tuple(sorted([*deleted.kept, *there]))


def _is_as_left(directory: Path, name: str, fingerprint: str) -> bool:
    """Return whether a file is still what a run has written. Anyone can write a marker, and change a dump."""
    place = place_in(directory, name)
    try:
        return place is not None and _fingerprint(place) == fingerprint
    except (OSError, ValueError):
        return False


def _remove_empty(top: Path) -> None:
    for folder, _, _ in os.walk(top, topdown=False):  # from below, because that empties the folders above
        with suppress(OSError):  # it holds something
            Path(folder).rmdir()


def _moved(directory: Path, folders: Sequence[Path]) -> list[Path]:
    """Move the files to their final folders, `directory` itself for a single process, and return their paths."""
    names = [""] if len(folders) == 1 else _lasting_names(folders)
    kept = []
    for folder, name in zip(folders, names, strict=True):
        files = [path.relative_to(folder) for path in files_below(folder)]
        target = _free(directory, name, files)
        for file in files:
            place = target / file
            place.parent.mkdir(parents=True, exist_ok=True)
            kept.append((folder / file).replace(place))
        _remove_empty(folder)
    return kept


def _free(directory: Path, name: str, files: Sequence[Path]) -> Path:
    """Return the folder `name`, or the first of `name-2`, `name-3`, … in which no file of the user's is in the way."""
    names = chain([name], (f"{name or 'process'}-{number}" for number in count(2)))
    for candidate in names:
        places = [place_in(directory, (Path(candidate) / file).as_posix()) for file in files]
        if all(place is not None and not os.path.lexists(place) for place in places):
            return directory / candidate
    raise AssertionError("one of all numbers is free")


def _lasting_names(folders: Sequence[Path]) -> list[str]:
    """Return `rank-3` for the only process of a rank; number all others in the order of their first dumps."""
    ranks = [match["rank"] for folder in folders if (match := _PROCESS.fullmatch(folder.name))]
    sizes, numbers = Counter(ranks), {rank: count() for rank in ranks}
    names = []
    for rank in ranks:
        number = next(numbers[rank])
        if rank is None:
            names.append(f"process-{number}")
        else:
            names.append(f"rank-{rank}" if sizes[rank] == 1 else f"rank-{rank}-process-{number}")
    return names
