"""Commands in processes of their own: how long they take, and how much memory they and their children need.

The process that starts them must stay small. Linux counts what a process held before it became another
program as that program's, so whatever needs memory here, such as analysing in process, is a command too.
"""

import compileall
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile
from typing import Any

import psutil

ROOT = Path(__file__).parents[1]

_SAMPLED_EVERY_SECONDS = 0.05


class NotMeasured(Exception):
    """A measurement is not possible; the message says why, for people."""


class Times(tuple[float, ...]):
    """Seconds of several rounds."""

    __slots__ = ()

    @property
    def median(self) -> float:
        return median(self)


def compile_modules() -> None:
    """Compile the modules as pip does at installation, because Python may be configured to write no compiled ones."""
    compileall.compile_dir(ROOT / "reportgen", quiet=1)


def python(*arguments: object) -> list[str]:
    """Return a command for this Python; in `ROOT`, it imports the `reportgen` and `benchmarks` of this checkout."""
    return [sys.executable, *map(str, arguments)]


def reportgen(*arguments: object) -> list[str]:
    return python("-m", "reportgen", *arguments)


def seconds(command: Sequence[str]) -> float:
    """Return the wall time from the start of the process to its end. Raises NotMeasured with what it said."""
    with TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=errors)
        code = process.wait()
        elapsed = time.perf_counter() - started
        errors.seek(0)
        _raise_unless_fine(code, command, errors.read())
    return elapsed


def peak_bytes(command: Sequence[str]) -> int:
    """Return the most memory that the command and its children held together.

    The larger of two: the sum of the processes' proportional set sizes, in which a page that several share
    counts once, sampled every 50 ms; and the largest resident set of one of them, which no sample can miss.
    """
    with TemporaryFile() as errors:
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=errors)
        sampled, ended, status, usage = 0, 0, 0, None
        while not ended:
            sampled = max(sampled, _tree_bytes(process.pid))
            time.sleep(_SAMPLED_EVERY_SECONDS)
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        _raise_unless_fine(process.returncode, command, errors.read())
    assert usage
    return max(sampled, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))


def answer(command: Sequence[str]) -> Any:
    """Return the JSON that a command prints. Raises NotMeasured with what it said."""
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    _raise_unless_fine(finished.returncode, command, finished.stderr)
    return json.loads(finished.stdout)


def in_turn(rounds: int, **actions: Callable[[], float]) -> Mapping[str, Times]:
    """Return the seconds of each action; all take turns, round after round, so that a slow minute hits them alike."""
    taken: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            taken[name].append(action())
    return {name: Times(each) for name, each in taken.items()}


def _tree_bytes(pid: int) -> int:
    try:
        first = psutil.Process(pid)
        return sum(map(_held_bytes, [first, *first.children(recursive=True)]))
    except psutil.Error:  # it has ended
        return 0


def _held_bytes(process: psutil.Process) -> int:
    try:
        memory = process.memory_full_info()
        held: int = getattr(memory, "pss", memory.uss)
        return held
    except psutil.Error:
        return 0


def _raise_unless_fine(code: int, command: Sequence[str], errors: bytes) -> None:
    if code:
        said = errors.decode("utf-8", "replace").strip()
        raise NotMeasured(f"`{' '.join(command)}` ended with {code}: {said}")
