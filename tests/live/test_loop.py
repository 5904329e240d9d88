"""Whatever writers do to files, watch ends up showing the last complete state, and never an incomplete one."""

import os
import shutil
import warnings
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path

import pytest
from watchdog.observers import Observer

from reportgen.errors import NoDumpFound
from reportgen.live.events import FileEvents, Wakeup
from reportgen.live.loop import Watcher
from reportgen.options import WatchOptions
from tests.support.compiler import STEM, compiled, part_paths, peak, write
from tests.support.watching import QUICK, Watched, shown_are, watching

BEFORE, AFTER = 1024, 2048


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    """Return a directory with the dump `a`, before it is compiled again."""
    write(tmp_path / "dumps" / "a", compiled(BEFORE))
    return tmp_path / "dumps"


@pytest.fixture(params=["events", "polling"])
def watched(request: pytest.FixtureRequest, dumps: Path, tmp_path: Path) -> Iterator[Watched]:
    with watching(dumps, output=tmp_path / "site", polls=request.param == "polling", serves=False) as watcher:
        watcher.until_shown("a", peak(BEFORE))
        yield watcher


def test_a_new_dump_is_shown(watched: Watched, dumps: Path) -> None:
    write(dumps / "a", compiled(AFTER))
    watched.until_shown("a", peak(AFTER))
    assert shown_are(watched, "a", [peak(BEFORE), peak(AFTER)])
    watched.until_printed(f"jit_step: +{(AFTER - BEFORE) * 4 / 1024:.2f} KiB")


def test_a_slow_writer_is_waited_for(watched: Watched, dumps: Path) -> None:
    """It pauses in the middle of a line, between two lines, and between two files, for as long as a scan takes."""
    for path, text in zip(part_paths(dumps / "a"), compiled(AFTER), strict=True):
        lines = text.splitlines(keepends=True)
        pieces = [lines[0][:5], lines[0][5:], "".join(lines[1:-2]), "".join(lines[-2:])]
        with path.open("w", encoding="utf-8") as file:
            for piece in pieces:
                file.write(piece)
                file.flush()
                watched.until_scanned()
    watched.until_shown("a", peak(AFTER))
    assert shown_are(watched, "a", [peak(BEFORE), peak(AFTER)])
    watched.until_printed("being written")


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_parts_may_come_in_any_order(watched: Watched, dumps: Path, order: tuple[int, ...]) -> None:
    paths, texts = part_paths(dumps / "a"), compiled(AFTER)
    for part in order:
        paths[part].write_text(texts[part], encoding="utf-8")
        watched.until_scanned()
    watched.until_shown("a", peak(AFTER))
    assert shown_are(watched, "a", [peak(BEFORE), peak(AFTER)])


def test_replaced_files_are_noticed(watched: Watched, dumps: Path, tmp_path: Path) -> None:
    write(tmp_path / "made", compiled(AFTER))
    for new, old in zip(part_paths(tmp_path / "made"), part_paths(dumps / "a"), strict=True):
        new.replace(old)
    watched.until_shown("a", peak(AFTER))
    assert shown_are(watched, "a", [peak(BEFORE), peak(AFTER)])


def test_a_copy_that_keeps_its_size_and_times_is_noticed(watched: Watched, dumps: Path) -> None:
    paths = part_paths(dumps / "a")
    times = [path.stat() for path in paths]
    write(dumps / "a", compiled(9999))
    watched.until_shown("a", peak(9999))
    write(dumps / "a", compiled(8888))
    for path, time in zip(paths, times, strict=True):
        os.utime(path, ns=(time.st_atime_ns, time.st_mtime_ns))
    watched.until_shown("a", peak(8888))


def test_a_truncated_dump_keeps_its_figures_until_it_is_complete(watched: Watched, dumps: Path) -> None:
    for path in part_paths(dumps / "a"):
        path.write_text("", encoding="utf-8")
    watched.until_printed("being written")
    watched.until_scanned()
    assert watched.peaks["a"] == [peak(BEFORE)]
    write(dumps / "a", compiled(AFTER))
    watched.until_shown("a", peak(AFTER))
    assert watched.peaks["a"] == [peak(BEFORE), peak(AFTER)]


def test_a_deleted_dump_is_stale_until_it_comes_back(watched: Watched, dumps: Path) -> None:
    shutil.rmtree(dumps / "a")
    watched.until_printed("the dump was removed")
    write(dumps / "a", compiled(AFTER))
    watched.until_shown("a", peak(AFTER))
    assert watched.peaks["a"] == [peak(BEFORE), peak(AFTER)]


def test_a_dump_with_a_new_name_takes_the_place_of_the_deleted_one(dumps: Path, tmp_path: Path) -> None:
    """TensorFlow puts a time stamp in front of the name."""
    old, new = f"1700000000000000.{STEM}", f"1700000000000001.{STEM}"
    write(dumps / "b", compiled(BEFORE), old)
    with watching(dumps, output=tmp_path / "site", serves=False) as watcher:
        watcher.until_shown("b", peak(BEFORE))
        for path in part_paths(dumps / "b", old):
            path.unlink()
        write(dumps / "b", compiled(AFTER), new)
        watcher.until_shown("b", peak(AFTER))
        watcher.until_printed(f"+{(AFTER - BEFORE) * 4 / 1024:.2f} KiB")
        assert len(watcher.tracker.dumps) == 2
        assert list(watcher.tracker.successors.values()) == [
            shown.folder for label, dump in watcher.tracker.dumps.items() if "b/" in label and (shown := dump.shown)
        ]


def test_a_renamed_directory_is_followed(watched: Watched, dumps: Path) -> None:
    (dumps / "a").rename(dumps / "z")
    watched.until_shown("z", peak(BEFORE))
    write(dumps / "z", compiled(AFTER))
    watched.until_shown("z", peak(AFTER))


def test_new_directories_are_followed(watched: Watched, dumps: Path) -> None:
    write(dumps / "new" / "below" / "it", compiled(AFTER))
    watched.until_shown("new", peak(AFTER))
    write(dumps / "new" / "below" / "it", compiled(BEFORE))
    watched.until_shown("new", peak(BEFORE))


def test_watchdogs_warning_about_a_directory_met_twice_is_silenced(tmp_path: Path) -> None:
    """A new directory is met by its event and by a walk, which is normal here."""
    file_events = FileEvents(Wakeup(), tmp_path / "site", lambda reason: None)
    file_events.start()
    warnings.warn(
        "Callback with id '1' already exists for watch 2. It will be Overwritten.", RuntimeWarning, stacklevel=1
    )
    file_events.stop()


def test_the_watched_directory_itself_may_be_deleted_and_come_back(watched: Watched, dumps: Path) -> None:
    shutil.rmtree(dumps)
    watched.until_printed("the dump was removed")
    write(dumps / "a", compiled(AFTER))
    watched.until_shown("a", peak(AFTER))


def test_a_burst_of_files_is_shown_completely(watched: Watched, dumps: Path) -> None:
    """170 dumps are 510 files."""
    for number in range(170):
        write(dumps / f"m{number}", compiled(BEFORE + number))
    watched.until(lambda: len(watched.peaks) == 171)
    for number in range(170):
        watched.until_shown(f"m{number}", peak(BEFORE + number))
        assert shown_are(watched, f"m{number}", [peak(BEFORE + number)])


def test_the_same_content_again_is_not_a_change(watched: Watched, dumps: Path) -> None:
    write(dumps / "a", compiled(BEFORE))
    watched.until_printed("rewritten without a change")
    assert watched.peaks["a"] == [peak(BEFORE)]


def test_a_path_that_does_not_exist_is_waited_for(tmp_path: Path) -> None:
    with watching(tmp_path / "not" / "there", output=tmp_path / "site", serves=False) as watcher:
        watcher.until_printed("waiting")
        write(tmp_path / "not" / "there" / "a", compiled(BEFORE))
        watcher.until_shown("a", peak(BEFORE))


def test_one_file_of_a_dump_can_be_watched(dumps: Path, tmp_path: Path) -> None:
    file = part_paths(dumps / "a")[0]
    with watching(file, output=tmp_path / "site", serves=False) as watcher:
        watcher.until_shown(file.name, peak(BEFORE))
        write(dumps / "a", compiled(AFTER))
        watcher.until_shown(file.name, peak(AFTER))


def test_the_site_may_lie_inside_the_watched_directory(dumps: Path) -> None:
    """Writing it causes no rebuild, and its files are no dumps."""
    with watching(dumps, output=dumps / "site", serves=False) as watcher:
        watcher.until_shown("a", peak(BEFORE))
        watcher.until_written()
        write(dumps / "a", compiled(AFTER))
        watcher.until_shown("a", peak(AFTER))
        watcher.until_written()
        watcher.until_scanned(3)
        assert watcher.peaks == {"a": [peak(BEFORE), peak(AFTER)]}
        assert (dumps / "site" / "index.html").is_file()
        assert [label for label in watcher.tracker.dumps if "site" in label] == []


def test_writing_the_site_causes_no_scan(dumps: Path) -> None:
    """Neither does reading dumps: without an outside reason there is no scan before the next regular one."""
    timing = QUICK.__class__(quiet=0.05, at_most=0.5, patience=3600.0, polling=0.05, safety=3600.0)
    with watching(dumps, output=dumps / "site", timing=timing, serves=False) as watcher:
        watcher.until_shown("a", peak(BEFORE))
        watcher.until(lambda: (dumps / "site" / "index.html").is_file() or not watcher.wakeup.wait(0))
        before = watcher.scans
        write(dumps / "a", compiled(AFTER))
        watcher.until_shown("a", peak(AFTER))
        # The files are written one after another: at most one scan for each, and one when they have settled.
        assert watcher.scans - before <= 12


def test_dumps_inside_the_output_directory_are_refused(dumps: Path) -> None:
    with pytest.raises(NoDumpFound, match="output directory"):
        Watcher(WatchOptions(paths=(dumps / "a",), output=dumps), lambda line: None)


def test_without_events_it_scans_regularly(dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*args: object, **kwargs: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr(Observer, "schedule", refused)
    with watching(dumps, output=tmp_path / "site", serves=False) as watcher:
        watcher.until_shown("a", peak(BEFORE))
        watcher.until_printed("inotify watch limit reached: scanning every 0.05 s")
        assert len([line for line in watcher.lines if "limit" in line]) == 1
        write(dumps / "a", compiled(AFTER))
        watcher.until_shown("a", peak(AFTER))


def test_a_regular_scan_makes_up_for_lost_events(dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the queue of events overflows."""
    monkeypatch.setattr("reportgen.live.events._EventHandler.on_any_event", lambda self, event: None)
    timing = QUICK.__class__(quiet=0.05, patience=3600.0, polling=3600.0, safety=0.2)
    with watching(dumps, output=tmp_path / "site", timing=timing, serves=False) as watcher:
        watcher.until_shown("a", peak(BEFORE))
        write(dumps / "a", compiled(AFTER))
        watcher.until_shown("a", peak(AFTER))


@pytest.mark.parametrize("damage", [lambda text: "", lambda text: text[: len(text) // 2]], ids=["empty", "half"])
def test_a_dump_that_stays_truncated_is_shown_after_a_while(damage: Callable[[str], str], tmp_path: Path) -> None:
    """There is no good report that it would replace."""
    timing = QUICK.__class__(quiet=0.05, patience=0.3, polling=0.05)
    block, values, ranges = compiled(BEFORE)
    with watching(tmp_path / "dumps", output=tmp_path / "site", timing=timing, serves=False) as watcher:
        write(tmp_path / "dumps" / "a", (block, values, damage(ranges)))
        watcher.until(lambda: "a" in watcher.peaks)
        write(tmp_path / "dumps" / "a", compiled(AFTER))
        watcher.until_shown("a", peak(AFTER))


def test_a_dump_that_contradicts_itself_is_shown_after_a_while(dumps: Path, tmp_path: Path) -> None:
    """It may be the very compiler bug that the user is looking for."""
    timing = QUICK.__class__(quiet=0.05, patience=0.3, polling=0.05)
    with watching(dumps, output=tmp_path / "site", timing=timing, serves=False) as watcher:
        watcher.until_shown("a", peak(BEFORE))
        block, values, ranges = compiled(AFTER)
        write(dumps / "a", (block, values.replace("Total bytes used: ", "Total bytes used: 1"), ranges))
        watcher.until_shown("a", peak(AFTER))
        watcher.until_written()
        (dump,) = watcher.tracker.dumps.values()
        assert dump.shown
        assert dump.shown.outcome.summary
        # The sum, the same in words, and what is missing.
        assert ("error", 3) in dump.shown.outcome.summary.finding_counts
