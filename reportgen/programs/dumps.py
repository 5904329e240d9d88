"""The folder of dumps that a run leaves: claimed before the program, tidied after it.

While the program runs, a folder with a random name of its own holds a folder for each process. Afterwards files that no
report reads are deleted, and the others move to folders whose names do not change from run to run. A hidden file says
what was run and which files are the run's own. The next run deletes those, and what an interrupted run has left in its
random folder, if they are regular files that are reached without a link. Nothing else is touched.

    .reportgen-run.json
    {"command": ["python", "train.py"], "exit_code": 1, "seconds": 11.4, "flags": "--xla_dump_hlo_as_text",
     "processes": 1, "modules": 18, "dumped_bytes": 3540000, "kept_bytes": 480000, "files": ["module_0000…", …],
     "working": ""}
"""

import json
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

from reportgen.errors import OutputRefused
from reportgen.input.names import ERROR_TEXT
from reportgen.output.lock import locked
from reportgen.programs.environment import FALLBACK
from reportgen.programs.signs import Signs, signs_in

MARKER = ".reportgen-run.json"

_WORKING = ".reportgen-run-"
_NAME_OF_WORKING = re.compile(re.escape(_WORKING) + r"[0-9a-f]{16}")
_PROCESS = re.compile(rf"{FALLBACK}|(?:rank-(?P<rank>\d+)-)?pid-\d+(?:\.\d+)?")
_KEPT = re.compile(
    r".*-buffer-assignment.*|.*-live-range.*|.*-memory-usage-report\.txt|.*after_optimizations\.(?:txt|hlo\.pb)"
    r"|.*\.oom_[a-z_]+(?:\.txt)?|.*target_arguments\.txt|gpu_target_config\.pbtxt|" + re.escape(ERROR_TEXT)
)
_ALLOWED = frozenset({".gitignore", ".gitkeep", ".keep", "README.md"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a run left in its folder: of all that was dumped, the files that were kept, as paths in the folder."""

    processes: int
    signs: Signs
    dumped_bytes: int
    kept_bytes: int
    files: tuple[str, ...]


@contextmanager
def claimed(directory: Path) -> Iterator[Path]:
    """Keep `directory` for one run, cleared of what the last run left, and return the folder for its processes.

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
            last = _last_run(directory)
            _clear(directory, last)
            working = directory / f"{_WORKING}{secrets.token_hex(8)}"
            write_marker(directory, {"files": [], "working": working.name})
            working.mkdir()
            yield working
    except OSError as error:
        raise OutputRefused(f"{directory}: cannot be used for dumps: {error.strerror or error}") from error


def tidy(directory: Path, working: Path, *, keep_all: bool) -> Left:
    """Delete what no report reads, unless `keep_all`, and move the rest from `working` to where it stays."""
    first_written = {
        folder: min((path.stat().st_mtime_ns for path in _files(folder)), default=0)
        for folder in working.iterdir()
        if folder.is_dir() and not folder.is_symlink()
    }
    # The process that dumped first comes first, because process ids differ from run to run.
    folders = sorted(first_written, key=lambda folder: (first_written[folder], folder.name))
    names = [path.name for folder in folders for path in _files(folder)]
    dumped = sum(path.stat().st_size for folder in folders for path in _files(folder))
    if not keep_all:
        for folder in folders:
            _delete(path for path in _files(folder) if not _KEPT.fullmatch(path.name))
    for folder in folders:
        _remove_empty(folder)
    folders = [folder for folder in folders if folder.is_dir()]
    kept = _moved(directory, folders)
    _remove_empty(working)
    return Left(
        processes=len(folders),
        signs=signs_in(names),
        dumped_bytes=dumped,
        kept_bytes=sum(path.stat().st_size for path in kept),
        files=tuple(sorted(path.relative_to(directory).as_posix() for path in kept)),
    )


def write_marker(directory: Path, content: dict[str, Any]) -> None:
    (directory / MARKER).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def keep_error(directory: Path, text: str) -> None:
    """Write the text of an out-of-memory error beside the dump, as the hook does in a program."""
    (directory / ERROR_TEXT).write_text(text + "\n", encoding="utf-8")


def marker_of(command: Sequence[str], exit_code: int, seconds: float, flags: str, left: Left) -> dict[str, Any]:
    """Return what the marker says after a run."""
    figures = {name: value for name, value in asdict(left).items() if name != "signs"}
    run = {"command": list(command), "exit_code": exit_code, "seconds": round(seconds, 1), "flags": flags}
    return {**run, "modules": left.signs.assignments, **figures, "working": ""}


class _LastRun(NamedTuple):
    """What the marker says of the last run: its files, and its random folder if it did not come to its end."""

    files: tuple[str, ...]
    working: str


def _last_run(directory: Path) -> _LastRun:
    """Return what the last run left. Raises OutputRefused for a marker that no run can have written."""
    marker = directory / MARKER
    if not os.path.lexists(marker):
        return _LastRun((), "")
    try:
        if not _is_plain(marker):
            raise ValueError(f"{marker} is no regular file")
        stated = json.loads(marker.read_text(encoding="utf-8"))
        files, working = stated["files"], stated.get("working", "")
        if not isinstance(files, list) or not isinstance(working, str):
            raise TypeError(f"{marker} states no files")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise OutputRefused(f"{marker}: damaged; delete the folder or name another with --dumps") from None
    return _LastRun(tuple(name for name in files if isinstance(name, str)), working)


def _clear(directory: Path, last: _LastRun) -> None:
    files = [path for name in last.files if (path := _inside(directory, name))]
    _delete(files)
    working = _inside(directory, last.working) if _NAME_OF_WORKING.fullmatch(last.working) else None
    if working and working.is_dir() and not working.is_symlink():
        _delete(_files(working))
        _remove_empty(working)
    folders = {folder for path in files for folder in path.parents if directory in folder.parents}
    for folder in sorted(folders, key=lambda folder: len(folder.parts), reverse=True):
        with suppress(OSError):  # it holds something else, or is gone
            folder.rmdir()


def _inside(directory: Path, name: str) -> Path | None:
    """Return the path that a marker names; None for one that leads out of `directory` or through a link.

    Anyone can write a marker.
    """
    parts = name.split("/")
    if not name or "\0" in name or name.startswith("/") or {"", ".", ".."} & set(parts):
        return None
    above = [directory.joinpath(*parts[:depth]) for depth in range(1, len(parts))]
    return None if any(folder.is_symlink() for folder in above) else directory / name


def _is_plain(path: Path) -> bool:
    """Return whether a path is a regular file, and no link to another one."""
    return path.is_file() and not path.is_symlink()


def _files(folder: Path) -> list[Path]:
    """Return the regular files below a folder, without those that links lead to."""
    return [
        Path(above) / name
        for above, _, names in os.walk(folder, followlinks=False)
        for name in names
        if _is_plain(Path(above) / name)
    ]


def _delete(paths: Iterable[Path]) -> None:
    for path in paths:
        if _is_plain(path):
            path.unlink(missing_ok=True)


def _remove_empty(top: Path) -> None:
    for folder, _, _ in os.walk(top, topdown=False):  # from below, because that empties the folders above
        if not any(Path(folder).iterdir()):
            Path(folder).rmdir()


def _moved(directory: Path, folders: Sequence[Path]) -> list[Path]:
    """Move the files to where they stay, `directory` itself if there was only one process, and return their paths."""
    names = [""] if len(folders) == 1 else _lasting_names(folders)
    kept = []
    for folder, name in zip(folders, names, strict=True):
        files = [path.relative_to(folder) for path in _files(folder)]
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
        places = [_inside(directory, (Path(candidate) / file).as_posix()) for file in files]
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
