"""Builds that are killed at a change they were about to make to the disk, files begun and not finished among them.

`python -m tests.support.kill_points FROM DUMPS FOLDER KILLS` makes the site of FROM, then kills builds of DUMPS
in copies of it, at KILLS of their changes, evenly spread (0: at each). After a kill it builds again and compares
with a clean build. It prints how many kills there were. Each build is a fork, so that nothing is imported again.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

from reportgen.build import build
from reportgen.options import BuildOptions
from tests.support.site import tree

_CHANGES = frozenset({"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate"})


def kills_of(earlier: Path, dumps: Path, folder: Path, wanted: int) -> int:
    """Return the number of kills. Raises AssertionError where a build does not repair what a kill left."""
    for name, paths in (("earlier", earlier), ("clean", dumps)):
        _build(paths, folder / name)
    changes = _changes(dumps, shutil.copytree(folder / "earlier", folder / "counted"))
    points = range(0, changes, max(1, changes // wanted if wanted else 1))
    for point in points:
        site = shutil.copytree(folder / "earlier", folder / str(point))
        assert _ended_by_kill(dumps, site, point), f"no change {point}"
        _build(dumps, site)
        assert tree(site) == tree(folder / "clean"), f"after a kill at change {point}"
        shutil.rmtree(site)
    return len(points)


def _build(dumps: Path, site: Path) -> None:
    if dumps.exists():
        build(BuildOptions(paths=(dumps,), output=site), lambda *_: None)
    else:
        site.mkdir()


def _changes(dumps: Path, site: Path) -> int:
    """Return how many changes to the disk a build makes."""
    reading, writing = os.pipe()
    if not os.fork():
        counter = _Killer(sys.maxsize)
        sys.addaudithook(counter)
        _build(dumps, site)
        os.write(writing, b"%d" % counter.seen)
        os._exit(0)
    os.wait()
    return int(os.read(reading, 20))


def _ended_by_kill(dumps: Path, site: Path, point: int) -> bool:
    child = os.fork()
    if not child:
        sys.addaudithook(_Killer(point))
        _build(dumps, site)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


class _Killer:
    """An audit hook that ends the process at its change number `point`; a file about to be written is begun first."""

    def __init__(self, point: int) -> None:
        self.seen = 0
        self._point = point

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if not (event in _CHANGES or _opens_to_write(event, arguments)):
            return
        self.seen += 1
        if self.seen == self._point + 1:
            if event == "open" and (mode := _mode(arguments)):
                with open(arguments[0], mode) as file:  # type: ignore[call-overload]  # noqa: PTH123
                    file.write(b'"half' if "b" in mode else '"half')
            os.kill(os.getpid(), signal.SIGKILL)


def _mode(arguments: tuple[object, ...]) -> str | None:
    """Return the mode of `open`, or that of a file which `os.open` empties; None for one that holds no text."""
    mode, flags = arguments[1:3]
    if isinstance(mode, str):
        return mode
    return "wb" if isinstance(flags, int) and flags & os.O_TRUNC else None


def _opens_to_write(event: str, arguments: tuple[object, ...]) -> bool:
    flags = arguments[2] if event == "open" else 0
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))


if __name__ == "__main__":
    earlier, dumps, folder = map(Path, sys.argv[1:4])
    print(kills_of(earlier, dumps, folder, int(sys.argv[4])))
