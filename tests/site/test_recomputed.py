"""What is computed again is said alike on the module's page, of instructions and values, in a terminal and in JSON."""

import json
import re
from contextlib import suppress
from html import unescape
from pathlib import Path

import pytest

from reportgen.cli import main
from reportgen.render.explore.instruction_rows import InstructionRows
from reportgen.render.html.links import Links, listed
from reportgen.reports.formats import human_flops, percent
from tests.support.commands import runner
from tests.support.modules import module_in
from tests.support.samples import SAMPLES
from tests.support.site import build_site, own_views, shard
from tests.support.tables import tables_of

PLAIN, CHECKPOINT = "v5e-train-step", "v5e-train-step-checkpoint"


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the site of each of the two programs alone."""
    folder = tmp_path_factory.mktemp("sites")
    return {sample: build_site(SAMPLES / sample, folder / sample) for sample in (PLAIN, CHECKPOINT)}


def page_of(site: Path, name: str) -> Path:
    [page] = site.glob(f"m/*/{name}.html")
    return page


@pytest.mark.parametrize(("sample", "is_costly"), [(PLAIN, True), (CHECKPOINT, False)])
def test_the_verdict_says_what_explain_says(
    sites: dict[str, Path], capsys: pytest.CaptureFixture[str], sample: str, is_costly: bool
) -> None:
    [module] = json.loads(runner(capsys)("explain", "--json", SAMPLES / sample).out)["modules"]
    page = page_of(sites[sample], "index").read_text(encoding="utf-8")
    shown = re.search(r'<p class="recomputed(.*?)">(.*?)</p>', page, re.DOTALL)
    assert shown
    assert ("costly" in shown[1]) == is_costly
    assert module["sentences"]["recomputed"] in unescape(shown[2])
    assert re.search(r'FLOPs are not time.\s<a href="#recomputed">', shown[2])


def test_nothing_is_said_where_nothing_is_recomputed(samples_site: Path) -> None:
    pages = [path.read_text(encoding="utf-8") for path in samples_site.glob("m/*/index.html")]
    assert sum('class="recomputed' in page for page in pages) == len((PLAIN, CHECKPOINT)) < len(pages)


@pytest.mark.parametrize("sample", [PLAIN, CHECKPOINT])
def test_the_page_lists_what_the_report_lists(sites: dict[str, Path], sample: str) -> None:
    [module] = json.loads((sites[sample] / "report.json").read_text(encoding="utf-8"))["modules"]
    index, work = page_of(sites[sample], "index"), module["work"]
    names = shard(index.parent / "data" / "timeline.js")["names"]
    page = index.read_text(encoding="utf-8")
    [table] = [table for table in tables_of(page) if table.label == "What is recomputed"]
    assert [[cell.text.strip() for cell in row.cells] for row in table.rows] == [
        [
            *(percent(row["flops"], work["matmul_flops"]), human_flops(row["flops"])),
            *(row["scope"], Path(row["source"]).name, row["by"], f"{row['times']:,}"),
            listed([names.index(name) for name in row["instructions"]], "{:,}".format, 6),
        ]
        for row in work["rows"]
    ]


def test_a_copy_leads_to_the_first_that_computes_the_same_and_back(sites: dict[str, Path]) -> None:
    html = page_of(sites[PLAIN], "explore").read_text(encoding="utf-8")
    views, module = own_views(html.replace("<wbr>", "")), module_in(PLAIN)
    rows = [[moment] for moment in module.scheduled_moments]
    page = InstructionRows(module, Links(module, "explore")).table(rows).rows.replace("<wbr>", "")
    links = re.findall(
        r'<a href="([^"]+)"><code[^>]*>[^<]*</code></a>[^\n]*<small class="xla">([^<]*)</small>'
        r' <small>recomputes <a href="([^"]+)">([^<]*)</a>',
        page,
    )
    assert len(links) > 10
    said = 0
    for copy, name, first, original in links:
        assert name.partition(".remat")[0] == original.partition(".remat")[0]
        # Only the largest values have a view without scripts.
        if of_copy := views.get(copy.removeprefix("#")):
            assert f">{original}</a> computes, to hold less." in of_copy
        if of_first := views.get(first.removeprefix("#")):
            assert re.search(rf"recomputes it as .*>{re.escape(name)}</a>", of_first)
        said += bool(of_copy)
    assert said > 3


def test_a_single_file_has_what_is_recomputed_too(tmp_path: Path) -> None:
    with suppress(SystemExit):
        main(["build", str(SAMPLES / PLAIN), "--single-file", str(tmp_path / "one.html"), "-q"])
    page = (tmp_path / "one.html").read_text(encoding="utf-8")
    assert "FLOPs are not time." in page
    assert 'href="#recomputed"' in page
    assert 'id="recomputed"' in page
