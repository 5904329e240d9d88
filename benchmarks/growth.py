"""How cost grows with size: by stage, for real dumps from the smallest to the largest, and for synthetic ones."""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.commands import NotMeasured, Times, answer, in_turn, peak_bytes, python, reportgen, seconds
from benchmarks.setting import HALF, LARGE, LARGE_CPU, MIDDLE, SEEDS, Setting, dump_bytes, site_size
from benchmarks.table import BARS, Table, held, noted, spread

_SIZES = (10_000, 100_000, 1_000_000)
_QUICK_SIZES = (200,)
_MOST_VALUES_BUILT = 100_000
"""A page for each of a million values is more than anybody publishes; of such a dump only `check` is measured."""

_STAGES = ("read", "parse", "analyse", "render", "write")
_SITE = "growth-site"
_HEADER = ("dump", "size", "values", *_STAGES, "`check`", "`build`", "memory of `check`", "of `build`", "pages", "site")


def real(setting: Setting) -> Table:
    """Measure some real dumps, one row for each that is there."""
    rows = []
    for name in (SEEDS, MIDDLE, LARGE_CPU, HALF, LARGE):
        try:
            folder = setting.folder(name)
        except NotMeasured:
            continue
        rows.append(_row(setting, name, folder, is_built=True))
    return Table("By size: real dumps", _HEADER, rows)


def synthetic(setting: Setting) -> Table:
    """Measure synthetic dumps, one row for each size."""
    sizes = _QUICK_SIZES if setting.is_quick else _SIZES
    rows = [
        _row(setting, f"synthetic, {count:,}", _synthetic(setting, count), is_built=count <= _MOST_VALUES_BUILT)
        for count in sizes
    ]
    return Table("By size: synthetic dumps", _HEADER, rows)


def per_value(setting: Setting) -> Table:
    """Measure `check` of a million values against `check` of the large dump, for each value."""
    dump = setting.folder(LARGE)
    count = max(_QUICK_SIZES if setting.is_quick else _SIZES)
    million = _synthetic(setting, count)
    (module,) = answer(reportgen("check", "--json", dump))["modules"]
    times = in_turn(
        setting.rounds,
        large=lambda: seconds(reportgen("check", dump)),
        million=lambda: seconds(reportgen("check", million)),
    )
    each = {"large": times["large"].median / module["values"], "million": times["million"].median / count}
    rows = [
        noted(f"`check` of {LARGE}, {module['values']:,} values", spread(times["large"])),
        noted(f"`check` of {count:,} synthetic values", spread(times["million"])),
        held("time for each value, synthetic / real", each["million"] / each["large"], 1.5, "×"),
    ]
    return Table("A million values", BARS, rows)


def _synthetic(setting: Setting, count: int) -> Path:
    folder = setting.work / f"synthetic-{count}"
    if not folder.exists():
        seconds(python("-m", "tests.support.synthetic", folder, "--values", count))
    return folder


def _row(setting: Setting, name: str, folder: Path, *, is_built: bool) -> list[str]:
    stages = _stages(setting, folder, is_built=is_built)
    size = f"{dump_bytes(folder) / 1e6:,.1f} MB"
    times = [f"{stages[stage].median:.2f} s" if stage in stages else "" for stage in _STAGES]
    return [name, size, f"{stages['values'][0]:,.0f}", *times, *_commands(setting, folder, is_built=is_built)]


def _stages(setting: Setting, folder: Path, *, is_built: bool) -> Mapping[str, Times]:
    """Return the seconds of each stage that was run, and the number of values."""
    answers = []
    for _ in range(setting.rounds):
        site = ["--site", setting.fresh("stages-site")] if is_built else []
        answers.append(answer(python("-m", "benchmarks.stages", folder, *site)))
    names = _STAGES if is_built else [name for name in _STAGES if name not in ("render", "write")]
    return {name: Times(each[name] for each in answers) for name in ("values", *names)}


def _commands(setting: Setting, folder: Path, *, is_built: bool) -> list[str]:
    """Return times and memory of the whole commands, and the size of the site."""
    check = reportgen("check", folder)
    checked = Times(seconds(check) for _ in range(setting.rounds))
    memory = f"{peak_bytes(check) / 1e6:,.0f} MB"
    if not is_built:
        return [f"{checked.median:.2f} s", "", memory, "", "", ""]
    built = Times(seconds(_build(setting, folder)) for _ in range(setting.rounds))
    build_memory = f"{peak_bytes(_build(setting, folder)) / 1e6:,.0f} MB"
    pages, _, size = site_size(setting.work / _SITE)
    return [
        *(f"{times.median:.2f} s" for times in (checked, built)),
        *(memory, build_memory, f"{pages:,}", f"{size / 1e6:,.1f} MB"),
    ]


def _build(setting: Setting, folder: Path) -> list[str]:
    return reportgen("build", "-q", folder, "-o", setting.fresh(_SITE))
