"""What writers do to files, seen by a real observer: the last complete state is shown in the end, and no other ever."""

import os
import shutil
import warnings
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path

import pytest
from watchdog.observers import Observer

from reportgen.errors import NoDumpFound
from reportgen.options import WatchOptions
from reportgen.watch.hints import Hints, Observation
from reportgen.watch.loop import Watcher
from tests.support.compiler import STEM, compiled, part_paths, peak, write
from tests.support.watching import QUICK, Watched, shown_are, watching

BEFORE, AFTER = 1024, 2048


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    """A directory with the dump `a`, before it is compiled anew."""
    write(tmp_path / "dumps" / "a", compiled(BEFORE))
    return tmp_path / "dumps"


@pytest.fixture(params=["events", "polling"])
def watched(request: pytest.FixtureRequest, dumps: Path, tmp_path: Path) -> Iterator[Watched]:
    with watching(dumps, output=tmp_path / "site", polls=request.param == "polling", serves=False) as watcher:
        watcher.until_shown("a", peak(BEFORE))
        yield watcher


def test_what_is_written_is_shown(watched: Watched, dumps: Path) -> None:
    write(dumps / "a", compiled(AFTER))
    watched.until_shown("a", peak(AFTER))
    assert shown_are(watched, "a", [peak(BEFORE), peak(AFTER)])
    watched.until_said(f"peak resident +{(AFTER - BEFORE) * 4 / 1024:.2f} KiB")


def test_a_slow_writer_is_waited_for(watched: Watched, dumps: Path) -> None:
    """It stops in the middle of a line, between two lines, and between two files, for as long as a look takes."""
    for path, text in zip(part_paths(dumps / "a"), compiled(AFTER), strict=True):
        lines = text.splitlines(keepends=True)
        pieces = [lines[0][:5], lines[0][5:], "".join(lines[1:-2]), "".join(lines[-2:])]
        with path.open("w", encoding="utf-8") as file:
            for piece in pieces:
                file.write(piece)
                file.flush()
                watched.until_looked()
    watched.until_shown("a", peak(AFTER))
    assert shown_are(watched, "a", [peak(BEFORE), peak(AFTER)])
    watched.until_said("being written")


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_parts_may_come_in_any_order(watched: Watched, dumps: Path, order: tuple[int, ...]) -> None:
    paths, texts = part_paths(dumps / "a"), compiled(AFTER)
    for part in order:
        paths[part].write_text(texts[part], encoding="utf-8")
        watched.until_looked()
    watched.until_shown("a", peak(AFTER))
    assert shown_are(watched, "a", [peak(BEFORE), peak(AFTER)])


def test_files_are_replaced_whole(watched: Watched, dumps: Path, tmp_path: Path) -> None:
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


def test_what_was_truncated_keeps_its_figures_until_it_is_whole(watched: Watched, dumps: Path) -> None:
    for path in part_paths(dumps / "a"):
        path.write_text("", encoding="utf-8")
    watched.until_said("being written")
    watched.until_looked()
    assert watched.peaks["a"] == [peak(BEFORE)]
    write(dumps / "a", compiled(AFTER))
    watched.until_shown("a", peak(AFTER))
    assert watched.peaks["a"] == [peak(BEFORE), peak(AFTER)]


def test_what_is_deleted_is_old_and_comes_back(watched: Watched, dumps: Path) -> None:
    shutil.rmtree(dumps / "a")
    watched.until_said("its dump is gone")
    write(dumps / "a", compiled(AFTER))
    watched.until_shown("a", peak(AFTER))
    assert watched.peaks["a"] == [peak(BEFORE), peak(AFTER)]


def test_a_dump_with_a_new_name_takes_the_place_of_the_one_that_is_gone(dumps: Path, tmp_path: Path) -> None:
    """TensorFlow puts a time stamp before the name."""
    old, new = f"1700000000000000.{STEM}", f"1700000000000001.{STEM}"
    write(dumps / "b", compiled(BEFORE), old)
    with watching(dumps, output=tmp_path / "site", serves=False) as watcher:
        watcher.until_shown("b", peak(BEFORE))
        for path in part_paths(dumps / "b", old):
            path.unlink()
        write(dumps / "b", compiled(AFTER), new)
        watcher.until_shown("b", peak(AFTER))
        watcher.until_said(f"+{(AFTER - BEFORE) * 4 / 1024:.2f} KiB")
        assert len(watcher.rebuilder.dumps) == 2
        assert list(watcher.rebuilder.successors.values()) == [
            shown.summary.href
            for label, dump in watcher.rebuilder.dumps.items()
            if "b/" in label and (shown := dump.shown)
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


def test_a_directory_that_is_met_twice_is_not_worth_a_warning(tmp_path: Path) -> None:
    """Once by its event and once by a walk: watchdog warns of that in a thread of its own."""
    observation = Observation(Hints(), tmp_path / "site", lambda reason: None)
    observation.start()
    warnings.warn(
        "Callback with id '1' already exists for watch 2. It will be Overwritten.", RuntimeWarning, stacklevel=1
    )
    observation.stop()


def test_the_watched_directory_itself_may_go_and_come(watched: Watched, dumps: Path) -> None:
    shutil.rmtree(dumps)
    watched.until_said("its dump is gone")
    write(dumps / "a", compiled(AFTER))
    watched.until_shown("a", peak(AFTER))


def test_a_burst_of_files_is_shown_whole(watched: Watched, dumps: Path) -> None:
    """170 dumps are 510 files."""
    for number in range(170):
        write(dumps / f"m{number}", compiled(BEFORE + number))
    watched.until(lambda: len(watched.peaks) == 171)
    for number in range(170):
        watched.until_shown(f"m{number}", peak(BEFORE + number))
        assert shown_are(watched, f"m{number}", [peak(BEFORE + number)])


def test_what_says_the_same_again_is_no_change(watched: Watched, dumps: Path) -> None:
    write(dumps / "a", compiled(BEFORE))
    watched.until_said("written again, no change")
    assert watched.peaks["a"] == [peak(BEFORE)]


def test_no_dump_yet_is_waited_for(tmp_path: Path) -> None:
    with watching(tmp_path / "not" / "there", output=tmp_path / "site", serves=False) as watcher:
        watcher.until_said("waiting")
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
        watcher.until_looked(3)
        assert watcher.peaks == {"a": [peak(BEFORE), peak(AFTER)]}
        assert (dumps / "site" / "index.html").is_file()
        assert [label for label in watcher.rebuilder.dumps if "site" in label] == []


def test_writing_the_site_gives_no_hints(dumps: Path) -> None:
    """Nor does our own reading: without an outside reason there is no look before the next regular one."""
    timing = QUICK.__class__(quiet=0.05, at_most=0.5, grace=0.2, patience=3600.0, polling=0.05, safety=3600.0)
    with watching(dumps, output=dumps / "site", timing=timing, serves=False) as watcher:
        watcher.until_shown("a", peak(BEFORE))
        watcher.until(lambda: (dumps / "site" / "index.html").is_file() or not watcher.hints.wait(0))
        before = watcher.looks
        write(dumps / "a", compiled(AFTER))
        watcher.until_shown("a", peak(AFTER))
        # The files are written one after another, at most one look for each, and one for when they have settled.
        assert watcher.looks - before <= 8


def test_dumps_inside_the_output_directory_are_refused(dumps: Path) -> None:
    with pytest.raises(NoDumpFound, match="output directory"):
        Watcher(WatchOptions(paths=(dumps / "a",), output=dumps), lambda line: None)


def test_without_watches_left_it_looks_regularly(dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*args: object, **kwargs: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr(Observer, "schedule", refused)
    with watching(dumps, output=tmp_path / "site", serves=False) as watcher:
        watcher.until_shown("a", peak(BEFORE))
        watcher.until_said("inotify watch limit reached: looking every 0.05 s")
        assert len([line for line in watcher.lines if "limit" in line]) == 1
        write(dumps / "a", compiled(AFTER))
        watcher.until_shown("a", peak(AFTER))


def test_lost_events_are_made_up_for(dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a queue overflows: nothing arrives, and the regular look finds it."""
    monkeypatch.setattr("reportgen.watch.hints._Handler.on_any_event", lambda self, event: None)
    timing = QUICK.__class__(quiet=0.05, grace=0.2, patience=3600.0, polling=3600.0, safety=0.2)
    with watching(dumps, output=tmp_path / "site", timing=timing, serves=False) as watcher:
        watcher.until_shown("a", peak(BEFORE))
        write(dumps / "a", compiled(AFTER))
        watcher.until_shown("a", peak(AFTER))


@pytest.mark.parametrize("damage", [lambda text: "", lambda text: text[: len(text) // 2]], ids=["empty", "half"])
def test_a_dump_that_never_gets_whole_is_shown_after_a_while(damage: Callable[[str], str], tmp_path: Path) -> None:
    """There is no good report that it could replace."""
    timing = QUICK.__class__(quiet=0.05, grace=0.1, patience=0.3, polling=0.05)
    block, values, ranges = compiled(BEFORE)
    with watching(tmp_path / "dumps", output=tmp_path / "site", timing=timing, serves=False) as watcher:
        write(tmp_path / "dumps" / "a", (block, values, damage(ranges)))
        watcher.until(lambda: "a" in watcher.peaks)
        write(tmp_path / "dumps" / "a", compiled(AFTER))
        watcher.until_shown("a", peak(AFTER))


def test_what_a_compiler_contradicts_itself_in_is_shown_after_a_while(dumps: Path, tmp_path: Path) -> None:
    """It may be the very mistake that is looked for."""
    timing = QUICK.__class__(quiet=0.05, grace=0.1, patience=0.3, polling=0.05)
    with watching(dumps, output=tmp_path / "site", timing=timing, serves=False) as watcher:
        watcher.until_shown("a", peak(BEFORE))
        block, values, ranges = compiled(AFTER)
        write(dumps / "a", (block, values.replace("Total bytes used: ", "Total bytes used: 1"), ranges))
        watcher.until_shown("a", peak(AFTER))
        (dump,) = watcher.rebuilder.dumps.values()
        assert dump.shown
        assert ("error", 1) in dump.shown.summary.finding_counts
