"""A watched site is the one that a build with the same options makes, file by file."""

import shutil
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from reportgen.build import build
from reportgen.live.loop import Watcher
from reportgen.options import BuildOptions, Redaction, ReportOptions, WatchOptions
from reportgen.output.lock import LOCK
from reportgen.output.writer import TREND, SiteDirectory
from reportgen.work import Part
from tests.support.compiler import STEM, compiled, write
from tests.support.samples import SAMPLES
from tests.support.site import ROOT
from tests.support.watching import NO_TIME, settle

TINY = "module_0000.jit_tiny_matmul_gelu.cpu_after_optimizations"
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "redact": {"redaction": "paths"},
    "redact names": {"redaction": "names"},
    "capacity": {"capacities": ("16KiB",)},
    "redact and capacity": {"redaction": "paths", "capacities": ("16KiB",)},
    "sources": {"source_root": ROOT, "source_url": "https://example.com/{path}#L{line}"},
    "small dumps only": {"max_dump_bytes": 20_000},
    "title": {"title": "Nightly"},
}


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, ...]:
    """Return a folder of dumps with every kind of file beside them, and the text of an error."""
    dumps = tmp_path / "dumps"
    shutil.copytree(SAMPLES / "cpu-tiny", dumps / "tiny")
    shutil.copy(ROOT / "tests/siblings/cpu-tiny.hlo.pb", dumps / "tiny" / f"{TINY}.hlo.pb")
    shutil.copytree(ROOT / "tests/oom/refused/out-oom_args", dumps / "refused")
    shutil.copytree(SAMPLES / "gpu-control-flow", dumps / "gpu")
    write(dumps / "made", compiled(1024))
    (dumps / "made" / "module_0002.jit_bad.cpu_after_optimizations-buffer-assignment.txt").write_bytes(b"")
    (dumps / "README.md").write_text("Of *last night*.", encoding="utf-8")
    (error, *_) = sorted((ROOT / "tests/oom/texts").glob("*.txt"))
    return dumps, Path(shutil.copy(error, tmp_path / "train.log"))


def watched(options: ReportOptions, output: Path) -> Watcher:
    """Return what watches the dumps of `options` into another directory."""
    same = {field.name: getattr(options, field.name) for field in fields(ReportOptions)}
    return Watcher(
        WatchOptions(**same | {"output": output, "polls": True, "serves": False}), lambda line: None, NO_TIME
    )


def files(site: Path) -> Mapping[str, bytes]:
    """Return every file of a site, the manifest included; only a process that still writes there has a lock."""
    paths = (path for path in site.rglob("*") if path.is_file() and path.name != LOCK)
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in paths}


def assert_same(options: BuildOptions, site: Path) -> None:
    build(options, lambda done, total, label: None)
    built, shown = files(options.output), files(site)
    assert shown.keys() == built.keys()
    assert [path for path in built if shown[path] != built[path]] == []


@pytest.mark.parametrize("name", OPTIONS)
def test_it_is_the_site_of_a_build(name: str, paths: tuple[Path, ...], tmp_path: Path) -> None:
    options = BuildOptions(paths=paths, output=tmp_path / "built", **OPTIONS[name])
    watcher = watched(options, tmp_path / "watched")
    with watcher.running():
        settle(watcher)
    assert_same(options, tmp_path / "watched")
    assert not any(b"live.js" in content for content in files(tmp_path / "watched").values())


@pytest.mark.parametrize("redaction", [None, "paths"])
def test_it_stays_the_site_of_a_build_while_files_come_change_and_go(
    redaction: Redaction | None, paths: tuple[Path, ...], tmp_path: Path
) -> None:
    """With redaction, a folder that sorts before the others gives all of them new names."""
    options = BuildOptions(paths=paths, output=tmp_path / "built", redaction=redaction)
    dumps, error = paths
    watcher = watched(options, tmp_path / "watched")
    with watcher.running():
        settle(watcher)
        shutil.copytree(SAMPLES / "cpu-odd-names", dumps / "before")
        settle(watcher)
        assert_same(options, tmp_path / "watched")
        write(dumps / "made", compiled(2048))
        (dumps / "tiny" / f"{TINY}.txt").unlink()
        (dumps / "README.md").unlink()
        error.write_text("nothing of interest\n", encoding="utf-8")
        settle(watcher)
        assert_same(options, tmp_path / "watched")


@pytest.mark.slow
def test_it_is_the_site_of_a_build_after_a_hundred_saves_renames_and_removals(tmp_path: Path) -> None:
    random, dumps = Random(42), tmp_path / "dumps"
    for number in range(12):
        write(dumps / f"m{number}", compiled(1024 + number))
    options = BuildOptions(paths=(dumps,), output=tmp_path / "built")
    watcher = watched(options, tmp_path / "watched")
    with watcher.running():
        settle(watcher)
        for step in range(100):
            change(dumps, random, step)
            watcher.scan()
            if random.random() < 0.5:
                watcher.finish()
            elif random.random() < 0.5:
                settle(watcher)
        settle(watcher)
        bring_back(watcher, dumps)
        settle(watcher)
    assert_same(options, tmp_path / "watched")


def change(dumps: Path, random: Random, step: int) -> None:
    """Save, rename, remove or add a dump, or a file beside one."""
    folders = sorted(path for path in dumps.iterdir() if path.is_dir())
    folder = random.choice(folders)
    match random.randrange(10):
        case 0 if len(folders) > 6:
            shutil.rmtree(folder)
        case 1:
            folder.rename(dumps / f"r{step}")
        case 2:
            write(dumps / f"n{step}", compiled(2000 + step))
        case 3:
            (dumps / "README.md").write_text(f"Step *{step}*.", encoding="utf-8")
        case 4:
            (folder / f"{STEM}.md").write_text(f"About {step}.", encoding="utf-8")
        case _:
            write(folder, compiled(random.randrange(1000, 9000)))


def bring_back(watcher: Watcher, dumps: Path) -> None:
    """Write every dump again that was removed, because its last figures are shown until then, which no build does."""
    for dump in watcher.tracker.dumps.values():
        if dump.is_gone:
            write(dumps / dump.key.partition("/")[0], compiled(3000))


def test_a_build_finds_nothing_left_to_do(paths: tuple[Path, ...], tmp_path: Path) -> None:
    options = BuildOptions(paths=paths, output=tmp_path / "site")
    watcher = watched(options, tmp_path / "site")
    with watcher.running():
        settle(watcher)
    before = files(tmp_path / "site")
    assert build(options, lambda done, total, label: None).totals.changed == 0
    assert files(tmp_path / "site") == before


def test_a_file_beside_a_dump_is_shown_when_it_comes_later(tmp_path: Path) -> None:
    dumps = tmp_path / "dumps"
    shutil.copytree(SAMPLES / "cpu-tiny", dumps)
    late = (dumps / f"{TINY}.txt").rename(tmp_path / "late.txt")
    options = BuildOptions(paths=(dumps,), output=tmp_path / "built")
    watcher = watched(options, tmp_path / "watched")
    with watcher.running():
        settle(watcher)
        assert watcher.site.build == 1
        late.rename(dumps / late.name)
        (dumps / "late.txt").rename(dumps / f"{TINY}.txt")
        settle(watcher)
        assert watcher.site.build == 2
    assert_same(options, tmp_path / "watched")


def test_a_dump_waits_for_the_files_beside_it_that_do_not_fit_it_yet(tmp_path: Path) -> None:
    dumps = tmp_path / "dumps"
    shutil.copytree(SAMPLES / "cpu-tiny", dumps)
    text = dumps / f"{TINY}.txt"
    whole = text.read_bytes()
    watcher = watched(ReportOptions(paths=(dumps,)), tmp_path / "watched")
    watcher.tracker.timing = replace(NO_TIME, patience=3600.0)
    with watcher.running():
        settle(watcher)
        text.write_bytes(whole[: len(whole) // 2])
        (dump,) = watcher.tracker.dumps.values()
        watcher.scan()
        assert dump.outdated
        assert dump.outdated.reason == "the files next to it do not fit it"
        text.write_bytes(whole)
        watcher.scan()
        assert dump.outdated is None
        assert watcher.site.build == 1


def test_the_overview_still_leads_to_the_trend_of_a_history(paths: tuple[Path, ...], tmp_path: Path) -> None:
    options = BuildOptions(paths=paths, output=tmp_path / "site")
    build(options, lambda done, total, label: None)
    with SiteDirectory.opened(options.output) as directory:
        directory.finish({**directory.parts, TREND: Part("", ())})
    build(options, lambda done, total, label: None)
    before = files(tmp_path / "site")
    watcher = watched(options, tmp_path / "site")
    with watcher.running():
        settle(watcher)
    assert files(tmp_path / "site") == before
