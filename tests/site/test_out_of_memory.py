"""A text with out-of-memory errors has a page for each, which says what is there and never what is not."""

from pathlib import Path

import html5lib
import pytest

from reportgen.build import build
from reportgen.errors import NoDumpFound
from reportgen.options import BuildOptions, Redaction
from reportgen.work import BuildResult
from tests.support.samples import ROOT
from tests.support.site import SAMPLES, link_problems, read_page, read_pages, tree

TEXTS = sorted((ROOT / "tests" / "oom" / "texts").glob("*.txt"))


def made(output: Path, *paths: Path, redaction: Redaction | None = None) -> BuildResult:
    options = BuildOptions(paths=paths, output=output, redaction=redaction)
    return build(options, lambda *_: None)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("oom") / "site"
    assert len(made(output, *TEXTS).errors) == 21
    return output


def test_every_error_has_a_page_and_every_link_leads_somewhere(site: Path) -> None:
    files = tree(site)
    assert sum(name.startswith("oom/") for name in files) == 21
    assert link_problems(read_pages(site), frozenset(files)) == []


def test_the_pages_are_valid_html(site: Path) -> None:
    for page in (site / "index.html", *(site / "oom").iterdir()):
        parser = html5lib.HTMLParser()
        parser.parse(page.read_text(encoding="utf-8"))
        assert parser.errors == [], page


def test_a_page_has_totals_and_buffers(site: Path) -> None:
    text = " ".join(read_page((site / "oom" / "1.html").read_text(encoding="utf-8")).text.split())
    assert "41.74 GiB needed, 16.00 GiB usable, 25.74 GiB too much." in text
    assert "s32[8388608,8,4]{2,1,0:T(8,128)}" in text
    assert "copy.40488" in text


def test_a_page_says_what_the_text_lacks_and_has_no_charts(site: Path) -> None:
    for page in (site / "oom").iterdir():
        html = page.read_text(encoding="utf-8")
        assert "reportgen run -- COMMAND" in html
        assert "data-chart" not in html


def test_errors_and_dumps_can_be_in_one_site(tmp_path: Path) -> None:
    report = made(tmp_path / "site", SAMPLES / "cpu-tiny", TEXTS[0])
    assert (len(report.summaries), len(report.errors)) == (1, 1)
    overview = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert 'href="oom/1.html"' in overview
    assert 'href="m/' in overview


def test_an_error_fails_a_strict_build_alone(tmp_path: Path) -> None:
    report = made(tmp_path / "site", TEXTS[0])
    assert report.has_problems(strict=True)
    assert not report.has_problems(strict=False)


def test_a_text_without_errors_and_dumps_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("step 1: loss 0.3\n", encoding="utf-8")
    with pytest.raises(NoDumpFound):
        made(tmp_path / "site", tmp_path / "log.txt")


def test_texts_are_not_shown_where_paths_are_hidden(tmp_path: Path) -> None:
    with pytest.raises(NoDumpFound):
        made(tmp_path / "site", TEXTS[0], redaction="paths")


def test_names_in_a_text_are_text_and_nothing_else(tmp_path: Path) -> None:
    text = TEXTS[0].read_text(encoding="utf-8").replace("slicewise_79", "<script>alert(1)</script>")
    (tmp_path / "log.txt").write_text(text, encoding="utf-8")
    made(tmp_path / "site", tmp_path / "log.txt")
    assert b"<script>alert" not in b"".join(tree(tmp_path / "site" / "oom").values())


def test_a_second_build_writes_nothing_and_a_changed_text_new_pages(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text(TEXTS[0].read_text(encoding="utf-8"), encoding="utf-8")
    made(tmp_path / "site", log)
    assert made(tmp_path / "site", log).totals.changed == 0
    log.write_text(log.read_text(encoding="utf-8").replace("41.74G", "41.75G"), encoding="utf-8")
    assert made(tmp_path / "site", log).totals.changed > 0
