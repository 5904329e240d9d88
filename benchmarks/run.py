"""All measurements with one command, `python -m benchmarks.run --dumps DIR`; see docs/performance.md."""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.capture import capture, logs
from benchmarks.commands import ROOT, NotMeasured, compile_modules
from benchmarks.everyday import jobs, rebuild, start
from benchmarks.growth import per_value, real, synthetic
from benchmarks.large import large
from benchmarks.pages import module_page, overview
from benchmarks.setting import Setting, machine
from benchmarks.table import Table, write_results
from benchmarks.xprof import installed

PAGE = ROOT / "docs" / "performance.md"

MEASUREMENTS: Mapping[str, Callable[[Setting], Table]] = {
    # By the names that --only takes.
    "large": large,
    "million": per_value,
    "start": start,
    "rebuild": rebuild,
    "jobs": jobs,
    "capture": capture,
    "logs": logs,
    "page": module_page,
    "overview": overview,
    "sizes": real,
    "synthetic": synthetic,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure reportgen, hold it to its bars, and print the tables. What has no dumps is left out."""
    options = _options(arguments)
    compile_modules()
    with TemporaryDirectory(prefix="reportgen-benchmarks-") as work:
        setting = Setting(
            dumps=options.dumps.resolve(),
            work=Path(work),
            rounds=1 if options.quick else options.rounds,
            is_quick=options.quick,
            xprof=_xprof(options),
        )
        tables = list(_measured(setting, options.only))
    if options.write:
        write_results(PAGE, tables)
    return 0


def _xprof(options: argparse.Namespace) -> Path | None:
    """Return the absolute path to XProf's Python with its links, because by a link a Python knows its environment."""
    try:
        given: Path | None = options.xprof or (installed(options.xprof_venv) if options.xprof_venv else None)
    except NotMeasured as reason:
        sys.exit(f"XProf could not be installed: {reason}")
    return given and given.absolute()


def _measured(setting: Setting, names: Sequence[str]) -> Iterator[str]:
    """Print and yield each table as soon as it is measured, because a whole run takes long."""
    for name in names:
        try:
            rounds = "One round" if setting.rounds == 1 else f"Medians of {setting.rounds} rounds"
            table = f"{MEASUREMENTS[name](setting)}\n{rounds} on {machine()}.\n"
        except NotMeasured as reason:
            print(f"{name} was not measured: {reason}\n", flush=True)
        else:
            print(table, flush=True)
            yield table


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=main.__doc__)
    parser.add_argument("--dumps", type=Path, required=True, metavar="DIR", help="where the dumps are, plain or .xz")
    parser.add_argument("--only", nargs="+", choices=MEASUREMENTS, default=list(MEASUREMENTS), metavar="NAME")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="one round of less work, to see that everything runs")
    parser.add_argument(
        "--write", action="store_true", help="put the tables into docs/performance.md, in the place of their last"
    )
    xprof = parser.add_mutually_exclusive_group()
    xprof.add_argument("--xprof", type=Path, metavar="PYTHON", help="the Python of an environment that has XProf")
    xprof.add_argument("--xprof-venv", type=Path, metavar="DIR", help="such an environment; made where there is none")
    options = parser.parse_args(arguments)
    if options.write and options.quick:
        parser.error("what --quick measures is not worth writing down")
    return options


if __name__ == "__main__":
    sys.exit(main())
