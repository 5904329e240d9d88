"""The messages about a rebuild in the terminal and on the pages."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from reportgen.cli import main
from reportgen.compare import compare_words as words
from reportgen.input.reading import DEFAULT_MAX_DUMP_BYTES
from reportgen.live.messages import headline, terminal_lines
from reportgen.live.page_changes import PageChanges
from reportgen.live.rebuild import Rebuilder, ScanResult
from reportgen.live.tracked import Timing, TrackedDump
from reportgen.options import WatchOptions
from reportgen.render.compare.views import module_views
from reportgen.sides import compare_sources, load_source
from tests.compare.texts import IN_PLACE, NAME, NOT_IN_PLACE, written
from tests.support.compiler import BIG_PAGE, compiled, part_paths, write
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
def rebuilder(tmp_path: Path, clock: Clock) -> Rebuilder:
    """Return a rebuilder that has shown the dump once, at noon."""
    write(tmp_path / "dumps" / "a", BEFORE)
    made = Rebuilder(
        WatchOptions(paths=(tmp_path / "dumps",), title="Memory", polls=True),
        tmp_path / "site",
        timing=Timing(quiet=1.0, grace=10.0, patience=100.0),
        clock=clock,
        time_of_day=lambda: "12:00:00",
    )
    scan(made, clock)
    return made


def scan(rebuilder: Rebuilder, clock: Clock, seconds: float = 1.0) -> ScanResult:
    """Scan twice: when the files have changed, and `seconds` later."""
    rebuilder.scan()
    clock.now += seconds
    return rebuilder.scan()


def only(rebuilder: Rebuilder) -> TrackedDump:
    (dump,) = rebuilder.dumps.values()
    return dump


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


def test_a_new_module_is_announced_with_its_peak(rebuilder: Rebuilder) -> None:
    assert headline(only(rebuilder)) == "new, peak resident 5.00 KiB"


def test_a_changed_peak_is_the_headline(rebuilder: Rebuilder, clock: Clock, tmp_path: Path) -> None:
    write(tmp_path / "dumps" / "a", compiled(2048))
    scan(rebuilder, clock)
    assert headline(only(rebuilder)) == "+4.00 KiB (+80.0 %) in memory"


def test_other_offsets_change_no_figure(rebuilder: Rebuilder, clock: Clock, tmp_path: Path) -> None:
    write(tmp_path / "dumps" / "a", moved(BEFORE))
    lines = list(terminal_lines(scan(rebuilder, clock), rebuilder, "12:00:01", 0.5))
    assert lines == ["12:00:01 build 2, 0.50 s", "  jit_step: no change"]


def test_every_detail_is_labelled_by_memory_space(rebuilder: Rebuilder, clock: Clock, tmp_path: Path) -> None:
    write(tmp_path / "dumps" / "a", compiled(2048))
    assert list(terminal_lines(scan(rebuilder, clock), rebuilder, "12:00:01", 0.5)) == [
        "12:00:01 build 2, 0.50 s",
        "  jit_step: +4.00 KiB (+80.0 %) in memory",
        "    0 · memory: peak resident 9.00 KiB, +4.00 KiB (+80.0 %); since the start +4.00 KiB (+80.0 %)",
        "    0 · memory: needed 9.00 KiB, +4.00 KiB (+80.0 %); since the start +4.00 KiB (+80.0 %)",
        "    0 · memory: temporaries of another shape +4.00 KiB: 1 × big +4.00 KiB",
    ]


def test_a_listed_step_names_its_values_and_leads_to_a_page(rebuilder: Rebuilder, clock: Clock, tmp_path: Path) -> None:
    write(tmp_path / "dumps" / "a", compiled(2048))
    scan(rebuilder, clock)
    shown = only(rebuilder).shown
    assert shown
    index = shown.index
    (space,) = PageChanges(rebuilder, [], "", "").for_page(index)["module"]["spaces"]
    page = index.replace("index.html", f"{BIG_PAGE}#v3")
    assert space["steps"] == [
        {
            "step": "temporaries of another shape",
            "words": "+4.00 KiB",
            "direction": 1,
            "subjects": [{"name": "big", "href": page, "count": "1", "words": "+4.00 KiB"}],
            "more": 0,
        }
    ]


@pytest.mark.parametrize(("before", "after"), [(IN_PLACE, NOT_IN_PLACE), (NOT_IN_PLACE, IN_PLACE)])
def test_it_says_what_a_comparison_says(
    before: str, after: str, rebuilder: Rebuilder, clock: Clock, tmp_path: Path
) -> None:
    """The page of a comparison, the panel and the terminal have the same words and figures."""
    for text in (before, after):
        written(tmp_path / "dumps" / "f", text)
        scan(rebuilder, clock, 100.0)
    dump = rebuilder.dumps[f"f/{NAME}"]
    sides = [written(tmp_path / name, text) for name, text in (("before", before), ("after", after))]
    sources = [load_source(folder, None, folder.name, DEFAULT_MAX_DUMP_BYTES) for folder in sides]
    (module,) = compare_sources(sources[0], sources[1], lambda *_: None)[0].modules
    (view,) = module_views([module])
    assert headline(dump) == words.headline(module)
    assert dump.history
    assert [
        (subject.name, subject.count, subject.change_bytes)
        for space in dump.history.spaces
        for step in space.steps
        for subject in step.subjects
    ] == [(group.subject, group.count, group.change_bytes) for space in view.views for group in space.groups]
    assert [
        (step.words, step.change_bytes) for space in dump.history.spaces for step in space.steps if step.change_bytes
    ] == [
        (row.words, row.change_bytes)
        for space in view.views
        for row in space.waterfall.rows
        if row.look in ("grown", "shrunk")
    ]


def test_a_build_that_contradicts_itself_is_told_as_a_comparison_tells_it(
    rebuilder: Rebuilder, clock: Clock, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unsound = NOT_IN_PLACE.replace("    counter{}:2-3\n", "")
    for name, text in (("sound", IN_PLACE), ("unsound", unsound)):
        written(tmp_path / name, text)
    texts = [("new", unsound), ("unsound", IN_PLACE), ("sound", unsound), ("unsound", IN_PLACE)]
    for (before, text), after in zip(texts, ("unsound", "sound", "unsound", "sound"), strict=True):
        written(tmp_path / "dumps" / "f", text)
        lines = list(terminal_lines(scan(rebuilder, clock, 1000.0), rebuilder, "12:00:01", 0.5))
        told = [line.strip() for line in lines if line.strip().startswith(("fail: ", "warn: "))]
        assert any("cannot be judged: f/module" in line for line in told)
        dump = rebuilder.dumps[f"f/{NAME}"]
        assert headline(dump).endswith(" — cannot be judged, a dump is unsound")
        assert dump.shown
        pages = PageChanges(rebuilder, [dump.key], "", "")
        assert pages.for_page(dump.shown.index)["module"]["doubts"] == told
        assert pages.for_page("index.html")["changed"][0]["headline"] == headline(dump)
        if before != "new":
            main(["compare", str(tmp_path / before), str(tmp_path / after)])
            said = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("fail: ", "warn: "))]
            assert told == [line.replace(": module", ": f/module") for line in said]
    written(tmp_path / "dumps" / "f", NOT_IN_PLACE)
    scan(rebuilder, clock, 1000.0)
    written(tmp_path / "dumps" / "f", IN_PLACE)
    assert not any("judged" in line for line in terminal_lines(scan(rebuilder, clock, 1000.0), rebuilder, "", 0.5))


def test_a_removed_dump_is_stale_and_keeps_its_figures(rebuilder: Rebuilder, clock: Clock, tmp_path: Path) -> None:
    for path in part_paths(tmp_path / "dumps" / "a"):
        path.unlink()
    result = rebuilder.scan()
    expected = "12:00:01 jit_step: stale: the dump was removed; still showing the figures of 12:00:00"
    assert list(terminal_lines(result, rebuilder, "12:00:01", 0.5)) == [expected]
    (outdated,) = PageChanges(rebuilder, [], "", "").for_page("index.html")["outdated"]
    assert outdated["outdated"]["state"] == "stale"


def test_a_truncated_dump_is_being_written(rebuilder: Rebuilder, clock: Clock, tmp_path: Path) -> None:
    part_paths(tmp_path / "dumps" / "a")[2].write_text("HloLiveRange (ma", encoding="utf-8")
    (line,) = terminal_lines(scan(rebuilder, clock, 1000.0), rebuilder, "12:00:01", 0.5)
    assert "being written: the live ranges file ends in the middle of a line; still showing the figures of" in line


def test_a_dump_with_some_new_files_is_shown_after_the_grace_time(
    rebuilder: Rebuilder, clock: Clock, tmp_path: Path
) -> None:
    paths = part_paths(tmp_path / "dumps" / "a")
    paths[0].write_text(moved(BEFORE)[0], encoding="utf-8")
    (line,) = terminal_lines(scan(rebuilder, clock), rebuilder, "12:00:01", 0.5)
    assert "being written: some of its files are new, others are old (values, live ranges)" in line
    assert not rebuilder.scan().built
    clock.now += 100.0
    assert rebuilder.scan().built


def test_a_dump_with_the_same_content_is_unchanged(rebuilder: Rebuilder, clock: Clock, tmp_path: Path) -> None:
    write(tmp_path / "dumps" / "a", BEFORE)
    result = scan(rebuilder, clock)
    assert list(terminal_lines(result, rebuilder, "12:00:01", 0.5)) == ["12:00:01 jit_step: rewritten without a change"]
