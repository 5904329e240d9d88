"""Whether a program fits has one answer, about the capacity that is asked for, on every page and of every command."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.analyse.fit import Refusal, fits
from reportgen.oom.printed_size import SizeRange
from tests.compare.test_exit_codes import REFUSED
from tests.compare.test_soundness import UNSOUND
from tests.compare.texts import NOT_IN_PLACE, written
from tests.support.builds import budgets
from tests.support.commands import Run, runner
from tests.support.dumps import edited
from tests.support.site import read_page

# One digit of a size is lost, and with it what XLA says of the sum.
LESS = edited(
    NOT_IN_PLACE,
    ("allocation 1: size 4194304", "allocation 1: size 419430"),
    ("Total bytes used: 8388612 (8.00MiB)\n", ""),
)
SIZES = st.integers(1, 1 << 40)
OOM = "module_0000.jit_oom_fn.cl_933746096.after_optimizations"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("check", "less")` in a directory with a sound dump and two that are not."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("sound", NOT_IN_PLACE), ("less", LESS), ("ranges", UNSOUND)):
        written(tmp_path / name, text)
    return runner(capsys)


@pytest.fixture
def refused(tmp_path: Path) -> Path:
    return Path(shutil.copytree(REFUSED / "out-oom", tmp_path / "refused"))


def page_of(run: Run, dumps: Path | str, *options: str) -> str:
    run("build", dumps, "-o", "site", *options)
    (page,) = Path("site").glob("*/*/index.html")
    return " ".join(read_page(page.read_text(encoding="utf-8")).text.split())


@pytest.mark.parametrize(
    "options",
    [[], ["--capacity", "5MiB"], ["--max-growth", "900%"], ["--baseline", "sound"], ["--strict"], ["--json"]],
    ids=str,
)
def test_an_error_about_sizes_makes_the_need_unknown_to_every_gate(run: Run, options: list[str]) -> None:
    assert run("check", "less", *options).code == 4
    assert run("check", "less", *options, "--allow-unsound", "--max-growth", "900%").code in (0, 1)
    assert run("check", "less", *budgets("[[budget]]\nmax = '5 MiB'\nfigure = 'needed'")).code == 4
    assert run("compare", "sound", "less", "--capacity", "5MiB").code == 4


def test_an_error_about_sizes_leaves_the_fit_open_everywhere(run: Run) -> None:
    words = "needs perhaps 4.40 MiB; whether that fits 5.00 MiB is unknown, because an error is about sizes"
    assert f"capacity: {words}" in run("check", "less", "--capacity", "5MiB").out
    assert words[1:] in " ".join(run("explain", "less", "--capacity", "5MiB").out.split())
    (module,) = json.loads(run("explain", "less", "--capacity", "5MiB", "--json").out)["modules"]
    space = module["figures"]["spaces"]["0"]
    assert (module["sentences"]["fits"], space["capacity"]["fits"], space["certainty"]) == (None, None, "unknown")
    shown = page_of(run, "less", "--capacity", "5MiB")
    assert "Whether it fits is unknown" in shown
    assert "Fits:" not in shown
    assert "would fit on" not in page_of(run, "less")


def test_errors_that_touch_no_figure_that_was_asked_for_change_no_exit_code(run: Run) -> None:
    assert run("check", "ranges").code == 0
    assert run("check", "ranges", "--strict").code == 1
    assert [run("check", "ranges", "--capacity", size).code for size in ("9MiB", "5MiB")] == [0, 3]
    for figure, code in (("needed", 0), ("peak_resident", 4)):
        assert run("check", "ranges", *budgets(f"[[budget]]\nmax = '9 MiB'\nfigure = '{figure}'")).code == code
    assert run("compare", "sound", "ranges").code == 4


@pytest.mark.parametrize(("capacity", "does_fit"), [("v5e", False), ("60GiB", False), ("v5p", True)])
def test_a_refusal_holds_for_no_larger_capacity(run: Run, refused: Path, capacity: str, does_fit: bool) -> None:
    given = ("--capacity", capacity)
    words = "refused for TPU v5e; TPU v5p has 29.7 GiB to spare"
    checked, (module,) = (
        run("check", refused, *given),
        json.loads(run("explain", refused, *given, "--json").out)["modules"],
    )
    assert (checked.code, words in checked.out) == (0 if does_fit else 3, does_fit)
    assert module["sentences"]["fits"] is does_fit
    assert (words[1:] in module["sentences"]["verdict"]) is does_fit
    assert (words[1:] in run("explain", refused, *given, "--markdown").out.replace("\\", "")) is does_fit
    shown = page_of(run, refused, *given)
    assert (words[1:] in shown, "Fits: 29.7 GiB left" in shown) == (does_fit, does_fit)
    compared = run("compare", refused, refused, *given)
    assert compared.code == checked.code
    Path("report.json").write_text(run("check", refused, "--json").out, encoding="utf-8")
    assert run("compare", "report.json", "report.json", *given).code == checked.code


@pytest.mark.parametrize(
    ("text", "is_believed"),
    [
        ("{}", True),
        ("{} HLO module: jit_oom_fn", True),
        ("{} HLO module: jit_other", False),
        ("{}\nHLO module: jit_other", False),
        ("while compiling module 'SyncTensorsGraph.33': {}", False),
        ("Compilation of jit_other failed: {} [hlo_module=jit_other,program_id=3]", False),
        ('{} File "/srv/jit_other.py", line 3', True),
    ],
)
def test_a_text_that_names_another_module_is_no_refusal(run: Run, refused: Path, text: str, is_believed: bool) -> None:
    said = "RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 66.00G of {} hbm."
    for usable, is_possible in (("15.75G", True), ("70.00G", False)):
        (refused / f"{OOM}.target_arguments.txt").unlink(missing_ok=True)
        (refused / "error.txt").write_text(text.replace("{}", said.format(usable)), encoding="utf-8")
        (module,) = json.loads(run("check", refused, "--json").out)["modules"]
        assert (module["refused"] is not None) == (is_believed and is_possible)


@given(SIZES, SIZES, SIZES, SIZES)
def test_what_fits_a_capacity_fits_a_larger_one(needed: int, usable: int, less: int, more: int) -> None:
    refusal = Refusal(space="hbm", needed=None, usable=SizeRange(usable, usable))
    for stated in (None, refusal):
        answers = [fits(needed, "exact", size, stated) for size in sorted((less, more))]
        assert answers != [True, False]
        assert answers[1] is (max(less, more) >= needed and (stated is None or max(less, more) > usable))
        assert fits(needed, "unknown", more, stated) is (False if stated and more <= usable else None)
