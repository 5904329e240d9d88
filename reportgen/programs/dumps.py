"""The folder of dumps that a run leaves: claimed before the program, tidied after it.

While the program runs, each process has a folder in it. Afterwards files that no report reads are deleted, and the
folders get names that do not change from run to run. A hidden file says what was run and which files are the run's own:
the next run deletes those and nothing else.

    .reportgen-run.json
    {"command": ["python", "train.py"], "exit_code": 1, "seconds": 11.4, "flags": "--xla_dump_hlo_as_text",
     "processes": 1, "modules": 18, "dumped_bytes": 3540000, "kept_bytes": 480000, "files": ["module_0000…", …]}
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

from reportgen.errors import OutputRefused
from reportgen.input.names import ERROR_TEXT
from reportgen.output.lock import locked
from reportgen.programs.environment import FALLBACK
from reportgen.programs.signs import Signs, signs_in

MARKER = ".reportgen-run.json"

_WORKING_FOLDER = re.compile(rf"{FALLBACK}|(?:rank-(?P<rank>\d+)-)?pid-\d+(?:\.\d+)?")
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
def claimed(directory: Path) -> Iterator[None]:
    """Keep `directory` for one run: new, empty, or cleared of what the last run left. Raises OutputRefused."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        names = {path.name for path in directory.iterdir()}
        if MARKER not in names and names - _ALLOWED:
            raise OutputRefused(
                f"{directory}: holds files that `reportgen run` did not write; name another folder with --dumps"
            )
        with locked(directory):
            _clear(directory, _marked_files(directory))
            write_marker(directory, {"files": []})
            yield
    except OSError as error:
        raise OutputRefused(f"{directory}: cannot be used for dumps: {error.strerror or error}") from error


def tidy(directory: Path, *, keep_all: bool) -> Left:
    """Delete what no report reads, unless `keep_all`, and give the folders of processes lasting names."""
    first_written = {
        folder: min((path.stat().st_mtime_ns for path in _files(folder)), default=0)
        for folder in _working_folders(directory)
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
    kept = _renamed(directory, folders)
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
    return {**run, "modules": left.signs.assignments, **figures}


def _marked_files(directory: Path) -> list[str]:
    """Return the files that the last run left, without paths that lead out of `directory`, which anyone can add."""
    try:
        stated = json.loads((directory / MARKER).read_text(encoding="utf-8"))["files"]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError, KeyError):
        raise OutputRefused(f"{directory / MARKER}: damaged; delete the folder or name another with --dumps") from None
    return [name for name in stated if isinstance(name, str) and ".." not in name.split("/") and name[:1] != "/"]


def _clear(directory: Path, files: Iterable[str]) -> None:
    _delete(directory / name for name in files)
    for folder in _working_folders(directory):
        _delete(_files(folder))
    for folder in directory.iterdir():
        if folder.is_dir() and not folder.is_symlink():
            _remove_empty(folder)


def _working_folders(directory: Path) -> list[Path]:
    return [path for path in directory.iterdir() if _WORKING_FOLDER.fullmatch(path.name) and path.is_dir()]


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() or path.is_symlink()]


def _delete(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _remove_empty(top: Path) -> None:
    for folder, _, _ in os.walk(top, topdown=False):  # from below, because that empties the folders above
        if not any(Path(folder).iterdir()):
            Path(folder).rmdir()


def _renamed(directory: Path, folders: Sequence[Path]) -> list[Path]:
    """Move the files to where they stay, `directory` itself if there was only one process, and return their paths."""
    targets = [directory] if len(folders) == 1 else [directory / name for name in _lasting_names(folders)]
    kept = []
    for folder, target in zip(folders, targets, strict=True):
        for path in _files(folder):
            place = target / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            kept.append(path.replace(place))
        _remove_empty(folder)
    return kept


def _lasting_names(folders: Sequence[Path]) -> list[str]:
    """Return `rank-3` for the only process of a rank; number all others in the order of their first dumps."""
    ranks = [match["rank"] for folder in folders if (match := _WORKING_FOLDER.fullmatch(folder.name))]
    sizes, numbers = Counter(ranks), {rank: count() for rank in ranks}
    names = []
    for rank in ranks:
        number = next(numbers[rank])
        if rank is None:
            names.append(f"process-{number}")
        else:
            names.append(f"rank-{rank}" if sizes[rank] == 1 else f"rank-{rank}-process-{number}")
    return names
