"""What `check` and `build` take: `python -m tests.timing DIR… [--against CHECKOUT] [--rounds N]`.

Each figure is the least of all rounds, of the command with its children: processor time with one process, because
others use the machine too, and the largest resident set. All folders take turns, and both checkouts where there are
two, so that a slow minute affects them alike.
"""

import argparse
import compileall
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.support.markdown import Table

_ROOT = Path(__file__).parents[1]
_HEADER = ("dumps", "checkout", "`check`", "memory", "`build`", "memory", "unchanged", "files", "site")
_UNIT = 1 if sys.platform == "darwin" else 1024  # of the largest resident set, in bytes


class Cost(NamedTuple):
    """The processor time of a command in seconds, and its memory in bytes."""

    seconds: float
    peak_bytes: int


def cost(checkout: Path, *arguments: object) -> Cost:
    """Run a command of `reportgen` from a checkout. Raises CalledProcessError with what it printed."""
    command = [sys.executable, "-m", "reportgen", *map(str, arguments)]
    process = subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": str(checkout)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _UNIT)


def round_of(checkout: Path, dumps: Path, site: Path) -> tuple[Cost, Cost, Cost]:
    """Return what a check costs, a build of `site`, and another of it in which nothing has changed."""
    build = ("build", "-q", "--jobs", "1", dumps, "-o", site)
    return cost(checkout, "check", "--jobs", "1", dumps), cost(checkout, *build), cost(checkout, *build)


def rows(folders: Sequence[Path], checkouts: Sequence[Path], rounds: int) -> Iterator[Sequence[str]]:
    """Yield a row for each folder and checkout."""
    found: dict[tuple[Path, Path], list[tuple[Cost, Cost, Cost]]] = {}
    sizes = {}
    for _ in range(rounds):
        for dumps in folders:
            for checkout in checkouts:
                with TemporaryDirectory() as site:
                    found.setdefault((dumps, checkout), []).append(round_of(checkout, dumps, Path(site, "site")))
                    files = [path.stat().st_size for path in Path(site).rglob("*") if path.is_file()]
                    sizes[dumps, checkout] = len(files), sum(files)
    for (dumps, checkout), taken in found.items():
        check, build, again = (Cost(*map(min, zip(*costs, strict=True))) for costs in zip(*taken, strict=True))
        count, size = sizes[dumps, checkout]
        yield (
            *(dumps.name, checkout.name),
            *(f"{check.seconds:.2f} s", f"{check.peak_bytes / 1e6:.0f} MB"),
            *(f"{build.seconds:.2f} s", f"{build.peak_bytes / 1e6:.0f} MB"),
            *(f"{again.seconds:.2f} s", f"{count:,}", f"{size / 1e6:.1f} MB"),
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of what `check` and `build` take."""
    parser = argparse.ArgumentParser(prog="python -m tests.timing", description=main.__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="measure another checkout, too")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="(default: %(default)s)")
    options = parser.parse_args(arguments)
    checkouts = [_ROOT, *([options.against.resolve()] if options.against else [])]
    for checkout in checkouts:  # because Python may be configured to write no compiled modules
        compileall.compile_dir(checkout / "reportgen", quiet=1)
    print(Table("Processor time and memory", _HEADER, list(rows(options.folders, checkouts, options.rounds))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
