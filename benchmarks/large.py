"""The largest module that we have, against XProf on the same module, and against one half its size."""

from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.commands import Times, in_turn, peak_bytes, reportgen, seconds
from benchmarks.setting import HALF, LARGE, Setting, site_size
from benchmarks.table import BARS, Table, held, noted, spread
from benchmarks.xprof import Yardstick

SITE = "large-site"
"""In the working directory: the site of the large dump."""


def large(setting: Setting) -> Table:
    """Measure `check` and `build` of the large dump: time against XProf, memory, size of the site."""
    dump, half = setting.folder(LARGE), setting.folder(HALF)
    yardstick = Yardstick(setting, setting.xprof, dump) if setting.xprof else None
    times = in_turn(setting.rounds, **_actions(setting, dump, half, yardstick))
    _, files, size = site_size(setting.work / SITE)
    rows = [
        *_rows_of_xprof(times, yardstick),
        noted("`check`", spread(times["check"])),
        held("`check`: peak memory", peak_bytes(reportgen("check", dump)) / 1e9, 1.0, "GB"),
        noted("`build`", spread(times["build"])),
        held("`build`: peak memory, all processes", _build_bytes(setting, dump) / 1e9, 1.5, "GB"),
        held("`build`: files of the site", files, 1_500, "files"),
        held("`build`: size of the site", size / 1e6, 190, "MB"),
        noted(f"`build` of {HALF}", spread(times["half"])),
        held(f"`build` of {HALF} / of {LARGE}", times["half"].median / times["build"].median, 0.5, "×"),
    ]
    return Table(f"Large: {LARGE}", BARS, rows)


def build_large(setting: Setting) -> float:
    """Build the site of the large dump from scratch; return the seconds."""
    return seconds(reportgen("build", "-q", setting.folder(LARGE), "-o", setting.fresh(SITE)))


def _actions(setting: Setting, dump: Path, half: Path, yardstick: Yardstick | None) -> dict[str, Callable[[], float]]:
    actions: dict[str, Callable[[], float]] = {"xprof": yardstick.seconds} if yardstick else {}
    return actions | {
        "check": lambda: seconds(reportgen("check", dump)),
        "build": lambda: build_large(setting),
        "half": lambda: seconds(reportgen("build", "-q", half, "-o", setting.fresh("half-site"))),
    }


def _rows_of_xprof(times: Mapping[str, Times], yardstick: Yardstick | None) -> list[tuple[str, ...]]:
    if yardstick is None:
        return []
    xprof = times["xprof"]
    return [
        noted(f"XProf, {yardstick.spaces} memory spaces", spread(xprof)),
        noted("XProf: peak memory", f"{peak_bytes(yardstick.command) / 1e9:.2f} GB"),
        held("`check` / XProf", times["check"].median / xprof.median, 0.85, "×"),
        held("`build` / XProf", times["build"].median / xprof.median, 3.5, "×"),
        held(f"`build` of {HALF} / XProf: half of that", times["half"].median / xprof.median, 1.75, "×"),
    ]


def _build_bytes(setting: Setting, dump: Path) -> int:
    return peak_bytes(reportgen("build", "-q", dump, "-o", setting.fresh("measured-site")))
