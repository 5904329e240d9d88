"""The folder of dumps that a run leaves: claimed before the program, tidied after it.

While the program runs, a folder with a random name of its own holds a folder for each process. Afterwards files that no
report reads are deleted, and the others move to folders whose names do not change from run to run. A hidden file says
what was run and which files are the run's own. The next run deletes those, and random folders with what an interrupted
run or a process that outlived one has left; `output/own_files.py` has the rule.

    .reportgen-run.json
    {"command": ["python", "train.py"], "exit_code": 1, "seconds": 11.4, "flags": "--xla_dump_hlo_as_text",
     "processes": 1, "modules": 18, "dumped_bytes": 3540000, "kept_bytes": 480000,
     "files": ["module_0000…", …]}
"""

import json
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from reportgen.errors import OutputRefused
from reportgen.input.names import ERROR_TEXT
from reportgen.output.lock import locked
from reportgen.output.own_files import delete, files_below, free_place, plain_bytes
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
_ALLOWED = frozenset({".gitignore", ".gitkeep", ".keep", "README.md"})


@record
class Left:
    """What a run left in its folder: of all that was dumped, the files that were kept, as paths in the folder."""

    processes: int
    signs: Signs
    dumped_bytes: int
    kept_bytes: int
    files: Sequence[str]


@contextmanager
def claimed(directory: Path) -> Iterator[Path]:
    """Keep `directory` for one run, cleared of what the last run left; yield the folder for the run's processes.

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
            _clear(directory)
            working = directory / f"{_WORKING}{secrets.token_hex(8)}"
            write_marker(directory, {"files": []})
            working.mkdir()
            yield working
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
        files=[path.relative_to(directory).as_posix() for path in sorted(kept)],
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


def keep_plan(directory: Path, plan: CompiledPlan) -> None:
    """Write the plan of a compiled function as XLA would name its dump."""
    write_own_file(directory / plan.file_name, plan.proto)


def marker_of(command: Sequence[str], exit_code: int, seconds: float, flags: str, left: Left) -> dict[str, Any]:
    """Return the content of the marker after a run."""
    figures = {name: value for name, value in asdict(left).items() if name != "signs"}
    run = {"command": list(command), "exit_code": exit_code, "seconds": round(seconds, 1), "flags": flags}
    return {**run, "modules": left.signs.assignments, **figures}


def _clear(directory: Path) -> None:
    """Delete what earlier runs left. Raises OutputRefused for a marker that no run can have written."""
    files, marker = [], directory / MARKER
    if os.path.lexists(marker):
        try:
            files = [str(name) for name in json.loads(plain_bytes(marker))["files"]]
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            raise OutputRefused(f"{marker}: damaged; delete the folder or name another with --dumps") from None
    delete(directory, files)
    for working in [path for path in directory.iterdir() if _NAME_OF_WORKING.fullmatch(path.name)]:
        if working.is_dir() and not working.is_symlink():
            delete(directory, [path.relative_to(directory).as_posix() for path in files_below(working)])
            _remove_empty(working)


def _remove_empty(top: Path) -> None:
    for folder, _, _ in os.walk(top, topdown=False):  # from below, because that empties the folders above
        with suppress(OSError):  # it holds something
            Path(folder).rmdir()


def _moved(directory: Path, folders: Sequence[Path]) -> list[Path]:
    """Move the files to their final folders, `directory` itself for a single process, and return their paths."""
    names = [""] if len(folders) == 1 else _lasting_names(folders)
    kept = []
    for folder, name in zip(folders, names, strict=True):
        for file in list(files_below(folder)):
            place = free_place(directory, (Path(name) / file.relative_to(folder)).as_posix())
            kept.append(file.replace(place))
        _remove_empty(folder)
    return kept


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
