"""What is done all day: start, build a few small dumps, build them again after a change, use both cores."""

import shutil
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

from benchmarks.commands import in_turn, python, reportgen, seconds
from benchmarks.setting import MANY_MODULES, SEEDS, SMALL, Setting, allocation_files, parts
from benchmarks.table import BARS, Table, held, noted, reached, spread


def start(setting: Setting) -> Table:
    """Measure a build of the seeds from nothing, and a command that has nothing to do against Python itself."""
    folder = setting.folder(SEEDS)
    times = in_turn(
        setting.rounds,
        build=lambda: seconds(reportgen("build", "-q", folder, "-o", setting.fresh("seeds-site"))),
        version=lambda: seconds(reportgen("--version")),
        python=lambda: seconds(python("-c", "pass")),
    )
    over_python = (times["version"].median - times["python"].median) * 1000
    rows = [
        held(f"`build` of {len(list(folder.glob('*.txt')))} seeds, cold", times["build"].median, 1.0, "s"),
        noted("`python -c pass`", spread(times["python"])),
        held("`--version`, more than that", over_python, 60, "ms"),
    ]
    return Table("Start", BARS, rows)


def rebuild(setting: Setting) -> Table:
    """Measure a build of the small dumps, the same again, and again after one of them has changed."""
    dumps, site = setting.fresh("small-dumps"), "small-site"
    shutil.copytree(setting.folder(SMALL), dumps, ignore=shutil.ignore_patterns("*.pb"))
    contents = _two_contents(allocation_files(dumps))
    again = reportgen("build", "-q", dumps, "-o", setting.work / site)

    def change_and_build() -> float:
        for path, content in next(contents).items():
            path.write_bytes(content)
        return seconds(again)

    times = in_turn(
        setting.rounds,
        cold=lambda: seconds(reportgen("build", "-q", dumps, "-o", setting.fresh(site))),
        unchanged=lambda: seconds(again),
        changed=change_and_build,
    )
    cold = times["cold"].median
    rows = [
        noted(f"`build` of {len(allocation_files(dumps))} small dumps, cold", spread(times["cold"])),
        noted("again, nothing changed", spread(times["unchanged"])),
        held("nothing changed / cold", 100 * times["unchanged"].median / cold, 10, "%"),
        noted("again, one dump changed", spread(times["changed"])),
        held("one dump changed / cold", 100 * times["changed"].median / cold, 20, "%"),
    ]
    return Table("Rebuild", BARS, rows)


def _two_contents(dumps: Sequence[Path]) -> "cycle[dict[Path, bytes]]":
    """Return, in turn, what the dump of middle size becomes: the next larger one of as many files, and itself again."""
    middle = parts(dumps[len(dumps) // 2])
    larger = (parts(dump) for dump in dumps[len(dumps) // 2 + 1 :])
    other = next((files for files in larger if len(files) == len(middle)), middle)
    own = {path: path.read_bytes() for path in middle}
    return cycle([{path: source.read_bytes() for path, source in zip(middle, other, strict=True)}, own])


def jobs(setting: Setting) -> Table:
    """Measure the build of many modules in one directory, with one process and with two."""
    folder = setting.folder(MANY_MODULES)

    def build(count: int) -> float:
        return seconds(reportgen("build", "-q", "--jobs", count, folder, "-o", setting.fresh("jobs-site")))

    times = in_turn(setting.rounds, one=lambda: build(1), two=lambda: build(2))
    rows = [
        noted(f"`build --jobs 1` of {len(allocation_files(folder))} modules", spread(times["one"])),
        noted("`build --jobs 2`", spread(times["two"])),
        reached("faster with two", times["one"].median / times["two"].median, 1.6, "×"),
    ]
    return Table("Two processes", BARS, rows)
