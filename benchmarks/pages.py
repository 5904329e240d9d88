"""The two pages that have most on them, opened from the disk: the large dump's and an overview of many modules."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.commands import Times, answer, python, reportgen, seconds
from benchmarks.large import SITE, build_large
from benchmarks.setting import LARGE, Setting
from benchmarks.table import BARS, Table, held

_MODULES = 5_000
_QUICK_MODULES = 20


def module_page(setting: Setting) -> Table:
    """Measure the page of the large dump; build its site first if there is none."""
    if not (setting.work / SITE / "index.html").exists():
        build_large(setting)
    page = next((setting.work / SITE).glob("m/*/index.html"))
    return Table(f"Module page of {LARGE}, in a browser", BARS, list(_rows(setting, page)))


def overview(setting: Setting) -> Table:
    """Measure the overview of many small modules."""
    count = _QUICK_MODULES if setting.is_quick else _MODULES
    dumps, site = setting.fresh("modules"), setting.fresh("modules-site")
    seconds(python("-m", "tests.support.synthetic", dumps, "--modules", count))
    seconds(reportgen("build", "-q", dumps, "-o", site))
    rows = list(_rows(setting, site / "index.html"))
    return Table(f"Overview of {count:,} synthetic modules, in a browser", BARS, rows)


def _rows(setting: Setting, page: Path) -> Iterator[tuple[str, ...]]:
    opened = answer(python("-m", "benchmarks.browser", page, "--rounds", setting.rounds))
    for what, key, bar in (("first contentful paint", "paint", 1.0), ("interactive", "interactive", 2.0)):
        yield held(what, Times(each[key] for each in opened).median, bar, "s")
