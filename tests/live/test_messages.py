"""The messages about a rebuild in the terminal and on the pages."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from reportgen.cli import main
from reportgen.live.loop import Watcher
from reportgen.live.messages import LastBuild, page_changes, terminal_lines
from reportgen.live.tracked import Timing, TrackedDump
from reportgen.live.tracker import ScanResult
from reportgen.options import WatchOptions
from tests.compare.texts import IN_PLACE, NAME, NOT_IN_PLACE, written
from tests.support.compiler import compiled, part_paths, write
from tests.support.dumps import edited

BEFORE = compiled(1024)


class Clock:
    """A clock that moves only when a test moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watcher(tmp_path: Path, clock: Clock) -> Iterator[Watcher]:
    """Return what has shown the dump once, at noon."""
    write(tmp_path / "dumps" / "a", BEFORE)
    made = Watcher(
        WatchOptions(paths=(tmp_path / "dumps",), output=tmp_path / "site", title="Memory", polls=True, serves=False),
        lambda line: None,
        Timing(quiet=1.0, patience=100.0),
        clock=clock,
        time_of_day=lambda: "12:00:00",
    )
    with made.running():
        scan(made, clock)
        yield made


def scan(watcher: Watcher, clock: Clock, seconds: float = 1.0) -> ScanResult:
    """Scan twice: when the files have changed, and `seconds` later."""
    watcher.scan()
    clock.now += seconds
    return watcher.scan()


def lines(watcher: Watcher, result: ScanResult) -> list[str]:
    """Return what the terminal says of a scan that ended a second later."""
    return list(terminal_lines(result, watcher.tracker.dumps, watcher.site.build, "12:00:01", 0.5))


def only(watcher: Watcher) -> TrackedDump:
    (dump,) = watcher.tracker.dumps.values()
    return dump


def headline(dump: TrackedDump) -> str:
    assert dump.shown
    return dump.shown.change.headline


def moved(parts: Sequence[str]) -> list[str]:
    """Return the dump with `big` before `a` and `b` in their allocation instead of after them."""
    block = edited(
        parts[0], ("size=256,offset=0): f32[64]{0}\n value: <2", "size=256,offset=4096): f32[64]{0}\n value: <2")
    )
    block = edited(
        block,
        ("offset=256", "offset=4352"),
        ("offset=512", "offset=0"),
        ("<4 c @0> (size=256,offset=0)", "<4 c @0> (size=256,offset=4096)"),
    )
    return [block, *parts[1:]]


def test_a_new_module_is_announced_with_its_peak(watcher: Watcher) -> None:
    assert headline(only(watcher)) == "new, peak resident 5.00 KiB"


def test_a_changed_peak_is_the_headline(watcher: Watcher, clock: Clock, tmp_path: Path) -> None:
    write(tmp_path / "dumps" / "a", compiled(2048))
    scan(watcher, clock)
    assert headline(only(watcher)) == "+4.00 KiB (+80.0 %) in memory"


def test_other_offsets_change_no_figure(watcher: Watcher, clock: Clock, tmp_path: Path) -> None:
    write(tmp_path / "dumps" / "a", moved(BEFORE))
    assert lines(watcher, scan(watcher, clock)) == ["12:00:01 build 2, 0.50 s", "  jit_step: no change"]


@pytest.mark.parametrize(("before", "after"), [(IN_PLACE, NOT_IN_PLACE), (NOT_IN_PLACE, IN_PLACE)])
def test_it_says_what_a_comparison_says(
    before: str, after: str, watcher: Watcher, clock: Clock, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The terminal has the words of `reportgen compare`, and the page has those of its page."""
    said = list[str]()
    for text in (before, after):
        written(tmp_path / "dumps" / "f", text)
        said = lines(watcher, scan(watcher, clock, 1000.0))
    dump = watcher.tracker.dumps[f"f/{NAME}"]
    sides = [str(written(tmp_path / name / "f", text).parent) for name, text in (("before", before), ("after", after))]
    main(["compare", *sides, "-o", str(tmp_path / "compared")])
    change, *others = capsys.readouterr().out.splitlines()
    assert said[1].split(": ", 1)[1] == change.split(": ", 2)[2]
    assert [line.strip() for line in said[2:]] == [line.strip() for line in others if " changed, " not in line]
    assert dump.shown
    (entry,) = page_changes(watcher.tracker.dumps, LastBuild(labels=[dump.key]))("index.html")["changed"]
    assert entry["headline"] == headline(dump)
    page = dump.shown.change.page
    assert page
    assert page.path == entry["comparison"]
    compared = (tmp_path / "compared" / page.path).read_text(encoding="utf-8")
    assert _words(page.content.decode()) == _words(
        re.sub(r"Each build on its own:.*?after</a>\.", "", compared, flags=re.DOTALL)
    )


def _words(page: str) -> list[str]:
    """Return the words and figures of each card and table."""
    parts = re.findall(r'<section class="card.*?</section>|<tr>.*?</tr>', page, re.DOTALL)
    return [" ".join(re.sub("<[^>]*>", " ", part).split()) for part in parts]


def test_a_build_that_contradicts_itself_is_told_as_a_comparison_tells_it(
    watcher: Watcher, clock: Clock, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unsound = NOT_IN_PLACE.replace("    counter{}:2-3\n", "")
    for name, text in (("sound", IN_PLACE), ("unsound", unsound)):
        written(tmp_path / name, text)
    texts = [("new", unsound), ("unsound", IN_PLACE), ("sound", unsound), ("unsound", IN_PLACE)]
    for (before, text), after in zip(texts, ("unsound", "sound", "unsound", "sound"), strict=True):
        written(tmp_path / "dumps" / "f", text)
        said = lines(watcher, scan(watcher, clock, 1000.0))
        told = [line.strip() for line in said if line.strip().startswith(("fail: ", "warn: "))]
        assert any("cannot be judged: f/module" in line for line in told)
        dump = watcher.tracker.dumps[f"f/{NAME}"]
        assert headline(dump).endswith(" — cannot be judged, a dump is unsound")
        assert dump.shown
        pages = page_changes(watcher.tracker.dumps, LastBuild(labels=[dump.key]))
        assert pages("index.html")["changed"][0]["headline"] == headline(dump)
        if before != "new":
            main(["compare", str(tmp_path / before), str(tmp_path / after)])
            compared = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("fail: ", "warn: "))]
            assert told == [line.replace(": module", ": f/module") for line in compared]
    written(tmp_path / "dumps" / "f", NOT_IN_PLACE)
    scan(watcher, clock, 1000.0)
    written(tmp_path / "dumps" / "f", IN_PLACE)
    assert not any("judged" in line for line in lines(watcher, scan(watcher, clock, 1000.0)))


def test_a_removed_dump_is_stale_and_keeps_its_figures(watcher: Watcher, clock: Clock, tmp_path: Path) -> None:
    for path in part_paths(tmp_path / "dumps" / "a"):
        path.unlink()
    result = watcher.scan()
    expected = "12:00:01 jit_step: stale: the dump was removed; still showing the figures of 12:00:00"
    assert lines(watcher, result) == [expected]
    (outdated,) = page_changes(watcher.tracker.dumps, LastBuild())("index.html")["outdated"]
    assert outdated["outdated"]["state"] == "stale"


def test_a_truncated_dump_is_being_written(watcher: Watcher, clock: Clock, tmp_path: Path) -> None:
    part_paths(tmp_path / "dumps" / "a")[2].write_text("HloLiveRange (ma", encoding="utf-8")
    (line,) = lines(watcher, scan(watcher, clock, 1000.0))
    assert "being written: the live ranges file ends in the middle of a line; still showing the figures of" in line


def test_a_dump_with_some_new_files_is_shown_after_a_while(watcher: Watcher, clock: Clock, tmp_path: Path) -> None:
    paths = part_paths(tmp_path / "dumps" / "a")
    paths[0].write_text(moved(BEFORE)[0], encoding="utf-8")
    (line,) = lines(watcher, scan(watcher, clock))
    assert "being written: some of its files are new, others are old" in line
    assert not watcher.scan().built
    clock.now += 100.0
    assert watcher.scan().built


def test_a_dump_with_the_same_content_is_unchanged(watcher: Watcher, clock: Clock, tmp_path: Path) -> None:
    write(tmp_path / "dumps" / "a", BEFORE)
    result = scan(watcher, clock)
    assert lines(watcher, result) == ["12:00:01 jit_step: rewritten without a change"]
