"""A program with much thread-local memory: whether it fits depends on what it needs without that, in every place."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Run, runner
from tests.support.sound import TOTAL, damaged

NEEDED, THREAD_LOCAL = 5120, 1 << 30
ALLOCATED = NEEDED + THREAD_LOCAL
TEXT = damaged(
    ("allocation 2: size 4,", f"allocation 2: size {THREAD_LOCAL},"),
    ("<6 x @0> (size=4,offset=0): f32[]", f"<6 x @0> (size={THREAD_LOCAL},offset=0): f32[{THREAD_LOCAL // 4}]{{0}}"),
    ("%x = f32[] ", f"%x = f32[{THREAD_LOCAL // 4}]{{0}} "),
    (TOTAL, f"Total bytes used: {ALLOCATED} (1.00GiB)\n"),
)
WITHOUT_RANGES = TEXT.partition("HloLiveRange")[0]
NAME = "module_0001.jit_f.sm_9.0_gpu_after_optimizations-buffer-assignment.txt"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("dumps").mkdir()
    Path("dumps", NAME).write_text(TEXT, encoding="utf-8")
    return runner(capsys)


def space_of(run: Run, *flags: str) -> dict[str, Any]:
    (module,) = json.loads(run("check", "--json", *flags, "dumps").out)["modules"]
    space: dict[str, Any] = module["spaces"]["0"]
    return space


def explained(run: Run, *flags: str) -> dict[str, Any]:
    (module,) = json.loads(run("explain", "--json", *flags, "dumps").out)["modules"]
    found: dict[str, Any] = module
    return found


def test_the_report_has_what_is_needed_beside_what_is_allocated(run: Run) -> None:
    space = space_of(run)
    assert (space["needed_bytes"], space["allocated_bytes"]) == (NEEDED, ALLOCATED)
    assert space["thread_local_bytes"] == THREAD_LOCAL


@pytest.mark.parametrize(("size", "verdict"), [(NEEDED, "fits"), (NEEDED - 1, "does not fit")])
def test_the_verdict_is_about_what_is_needed(run: Run, size: int, verdict: str) -> None:
    fits = verdict == "fits"
    flags = ("--capacity", f"0={size}B")
    assert run("check", *flags, "dumps").code == (0 if fits else 3)
    space, one = space_of(run, *flags), explained(run, *flags)
    assert space["capacity"]["excess_bytes"] == NEEDED - size
    assert (space["advice"]["verdict"] == "fits") == fits
    assert space["advice"]["excess_bytes"] == max(0, NEEDED - size)
    assert one["sentences"]["fits"] == fits
    assert one["figures"]["spaces"]["0"] == space
    assert (space["needed_bytes"], space["allocated_bytes"]) == (NEEDED, ALLOCATED)
    assert one["sentences"]["verdict"].lower().startswith(f"{verdict}: needs 5.00")
    run("build", *flags, "-o", "site", "dumps")
    (page,) = Path("site").glob("m/*/index.html")
    assert f'data-fits="{"yes" if fits else "no"}"' in page.read_text(encoding="utf-8")
    overview = Path("site", "index.html").read_text(encoding="utf-8")
    assert ("Does not fit" in overview) != fits


def test_what_is_needed_after_a_suggestion_is_without_thread_local_memory(run: Run) -> None:
    advice = space_of(run)["advice"]
    assert advice["breakdown"]["needed_bytes"] == NEEDED
    assert advice["suggestions"]
    computed = [suggestion for suggestion in advice["suggestions"] if suggestion["saving_bytes"] is not None]
    assert computed
    assert all(suggestion["needed_bytes"] == NEEDED - suggestion["saving_bytes"] for suggestion in computed)


def test_the_reader_who_names_a_device_gets_the_same_verdict(run: Run) -> None:
    run("build", "-o", "site", "dumps")
    (page,) = Path("site").glob("m/*/index.html")
    assert f'data-fits="unknown" data-needs="{NEEDED}">' in page.read_text(encoding="utf-8")
    overview = Path("site", "index.html").read_text(encoding="utf-8")
    assert f' data-needs="{NEEDED}"' in overview
    assert '<td class="number"><data value="5120"' in overview


def test_a_capacity_that_is_of_one_of_the_devices_of_a_chip_is_said_to_be_so(run: Run) -> None:
    words = "per device, 2 per chip"
    flags = ("--capacity", "tpu7x")
    assert f"less than 94.75 GiB ({words})" in run("check", *flags, "dumps").out
    assert f"less than 94.75 GiB ({words})" in explained(run, *flags)["sentences"]["verdict"]
    run("build", *flags, "-o", "known", "dumps")
    run("build", "-o", "site", "dumps")
    (known,), (asking,) = Path("known").glob("m/*/index.html"), Path("site").glob("m/*/index.html")
    assert f"(tpu7x, {words})" in known.read_text(encoding="utf-8")
    for page in (asking, Path("site", "index.html")):
        assert f"TPU7x, 94.75 GiB {words}</option>" in page.read_text(encoding="utf-8")
    assert "per chip" not in run("check", "--capacity", "v6e", "dumps").out


@pytest.mark.parametrize(("figure", "code"), [("needed", 0), ("allocated", 3)])
def test_a_budget_can_hold_what_is_needed_or_what_is_allocated(run: Run, figure: str, code: int) -> None:
    Path("reportgen.toml").write_text(f'[[budget]]\nfigure = "{figure}"\nmax = "{NEEDED} B"\n', encoding="utf-8")
    assert run("check", "--budgets", "reportgen.toml", "dumps").code == code


def test_a_dump_without_live_ranges_needs_the_same(run: Run) -> None:
    Path("dumps", NAME).write_text(WITHOUT_RANGES, encoding="utf-8")
    space, one = space_of(run, "--capacity", f"0={NEEDED}B"), explained(run)
    assert (space["needed_bytes"], space["peak_resident_bytes"]) == (NEEDED, None)
    assert space["capacity"]["excess_bytes"] == 0
    kinds = "temporaries 4.50 KiB, arguments, outputs and constants 512 B"
    assert one["sentences"]["verdict"] == f"Needs 5.00 KiB: {kinds}. Whether that fits is unknown."
    run("build", "-o", "site", "dumps")
    (page,) = Path("site").glob("m/*/index.html")
    bar = re.search(r'<ul class="segments">.*?</ul>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert bar
    assert sum(map(int, re.findall(r'<data value="(\d+)"', bar[0]))) == NEEDED
