"""A dump that lacks allocations needs at least what is there: nowhere is that said to be all."""

import json
from pathlib import Path

import pytest

from reportgen.analyse.records import Analysis
from reportgen.check import check
from reportgen.input.discover import discover
from reportgen.render.routes import OVERVIEW
from reportgen.reports.report_document import SCHEMA
from tests.support.commands import Run
from tests.support.dumps import analysed, slugs
from tests.support.samples import sample_analysis, sample_files, sample_labels
from tests.support.sound import BLOCK, SOUND, TOTAL

CUT = "".join(SOUND.splitlines(keepends=True)[:5])


def needed(analysis: Analysis) -> dict[int, int]:
    return {color: space.needed_bytes for color, space in analysis.spaces.items()}


@pytest.mark.parametrize("label", sample_labels())
def test_no_sound_dump_lacks_allocations(label: str) -> None:
    assert sample_analysis(label).missing is None
    first = sample_files(label)[0]
    assert analysed(first).missing is None  # as a file that has the name of a whole one


@pytest.mark.parametrize("label", sample_labels())
def test_a_cut_dump_never_needs_more_than_the_whole_one(label: str, tmp_path: Path) -> None:
    whole, text = needed(sample_analysis(label)), b"\n".join(sample_files(label))
    file, step = tmp_path / "pasted.txt", max(len(text) // 16, 1)
    total = text.index(b"\n", text.index(b"Total bytes used"))
    for place in {*range(1, len(text), step), total - 1, total, total + 1}:
        for piece in (text[:place], text[place:]):
            file.write_bytes(piece)
            found = discover([file])
            if found.why_none:
                assert str(file) in found.why_none
                continue
            (entry,) = check(found, 1, lambda *_: None).summaries
            sizes = {
                int(color): space["needed_bytes"] for color, space in json.loads(entry.report_line)["spaces"].items()
            }
            assert all(size <= whole.get(color, 0) for color, size in sizes.items())
            assert entry.certainty == "least" or sizes == {
                color: size for color, size in whole.items() if color in sizes
            }
            assert entry.fits is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CUT, "the text is cut off after line 5, before XLA's total: more may follow"),
        (
            BLOCK[: BLOCK.index("allocation 1:")].replace("allocation 0:", "allocation 7:"),
            "the text begins at allocation 7",
        ),
        (SOUND[SOUND.index("allocation 1:") :], "the text begins at allocation 1; XLA's total has 256 bytes more"),
        (
            BLOCK.replace("allocation 2:", "allocation 9:").replace("allocation 3:", "allocation 10:"),
            "allocations 2 to 8 are",
        ),
    ],
)
def test_what_is_missing_is_named(text: str, words: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "pasted.txt").write_text(text)
    (module,) = json.loads(run("check", "--json", tmp_path / "pasted.txt").out)["modules"]
    assert words in module["missing_allocations"]
    explained = " ".join(run("explain", tmp_path / "pasted.txt").out.split())
    assert words[1:] in explained


def test_every_command_says_at_least(run: Run, tmp_path: Path) -> None:
    file, site = tmp_path / "cut.txt", tmp_path / "site"
    file.write_text(CUT)
    size = next(iter(needed(analysed(CUT)).values()))
    words = f"at least {size:,} B"
    assert words in run("explain", file).out
    assert words in run("explain", file, "--markdown").out
    assert json.loads(run("explain", file, "--json").out)["modules"][0]["figures"]["missing_allocations"]
    document = json.loads(run("check", "--json", file).out)
    assert (document["schema"], bool(document["modules"][0]["missing_allocations"])) == (SCHEMA, True)
    assert words in run("check", file).out
    assert words in run("build", file, "-o", site).out
    pages = [page.read_text() for page in (site / OVERVIEW, *site.glob("m/*/index.html"))]
    assert all("at least <data" in page for page in pages)


def test_a_cut_dump_fits_no_device_and_passes_no_gate(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "cut.txt"
    file.write_text(CUT)
    fitting = run("check", file, "--capacity", "16GiB")
    assert (fitting.code, "cannot be judged" in fitting.out) == (4, True)
    assert "Fits" not in run("explain", file, "--capacity", "16GiB").out
    assert run("check", file, "--capacity", "1B").code == 3
    assert "Does not fit: needs at least" in run("explain", file, "--capacity", "1B").out
    budget = tmp_path / "budgets.toml"
    budget.write_text('[[budget]]\nmodule = "*"\nfigure = "needed"\nmax = "16GiB"\n')
    assert run("check", file, "--budgets", budget).code == 4


def test_a_peak_of_cut_live_ranges_is_at_least(run: Run, tmp_path: Path) -> None:
    file, site = tmp_path / "cut.txt", tmp_path / "site"
    file.write_text(SOUND[: SOUND.index("    b{}:")])
    explained = run("explain", file).out
    assert ("Needs 5.00 KiB." in explained, "Peak: at least" in explained) == (True, True)
    assert "peak resident at least" in run("check", file).out
    run("build", file, "-o", site)
    assert "Its peak is at least" in next(site.glob("m/*/index.html")).read_text()
    assert not analysed(SOUND).is_peak_least


def test_a_total_proves_that_nothing_is_missing() -> None:
    assert analysed(f"{BLOCK}\n{TOTAL}").missing is None
    assert "allocations-missing" in slugs(analysed(BLOCK[:-20]))
