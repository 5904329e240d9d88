"""Hundreds of rebuilds in one process, as in a day of work, leak neither memory nor files nor threads."""

import gc
import os
import sys
from pathlib import Path
from threading import active_count

import pytest

from reportgen.live.loop import Watcher
from reportgen.live.tracked import Timing
from reportgen.options import WatchOptions
from tests.support.compiler import compiled, part_paths, peak, write
from tests.support.site import read_page
from tests.support.watching import shown_peak as peak_of

pytestmark = pytest.mark.slow

REBUILDS, FIRST, SIZES = 300, 50, 20
NO_TIME = Timing(quiet=0.0, patience=3600.0)


def settled(watcher: Watcher) -> tuple[int, int, int]:
    """Return the blocks of memory, open files and threads when nothing is left to do."""
    watcher.finish()
    gc.collect()
    return sys.getallocatedblocks(), len(os.listdir("/dev/fd")), active_count()  # noqa: PTH208


def shown_peak(watcher: Watcher) -> int | None:
    (dump,) = watcher.tracker.dumps.values()
    assert dump.shown
    return peak_of(dump.shown)


def rebuild_often(watcher: Watcher, folder: Path) -> None:
    watcher.scan()
    at_first = (0, 0, 0)
    for number in range(1, REBUILDS + 1):
        before, elements = shown_peak(watcher), 1000 + number % SIZES
        for path, text in zip(part_paths(folder), compiled(elements), strict=True):
            assert shown_peak(watcher) == before
            path.write_text(text, encoding="utf-8")
            watcher.scan()
        assert shown_peak(watcher) == peak(elements)
        if number % FIRST == 0:
            found = settled(watcher)
            at_first = found if number == FIRST else at_first
            # Python keeps some free blocks of its own; a thousandth is less than one dump.
            assert found[0] <= at_first[0] * 1.001
            assert found[1:] == at_first[1:]


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="no list of open files on this system")
def test_hundreds_of_rebuilds_leak_nothing(tmp_path: Path) -> None:
    """Scan after every single file is written: no mixture of two builds is ever shown."""
    folder = tmp_path / "dumps"
    write(folder, compiled(1000))
    watcher = Watcher(
        WatchOptions(paths=(folder,), output=tmp_path / "site", polls=True, serves=False), lambda line: None, NO_TIME
    )
    with watcher.running():
        rebuild_often(watcher, folder)
    assert watcher.site.build == REBUILDS + 1
    page = read_page((tmp_path / "site" / "index.html").read_text(encoding="utf-8"))
    assert f"{peak(1000 + REBUILDS % SIZES) / 1024:.2f} KiB" in page.text
