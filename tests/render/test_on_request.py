"""A page that is rendered alone is the page of the whole module, and all paths are known before any is rendered."""

from pathlib import Path

import pytest

from benchmarks.chain import chain
from reportgen.dump_pages import module_of
from reportgen.input.discover import discover
from reportgen.input.reading import load_text
from reportgen.render.module.on_request import PagesOnRequest
from tests.support.compiler import write
from tests.support.site import SAMPLES, read_page


def pages_of(dump: Path) -> PagesOnRequest:
    (files,) = discover([dump]).dumps
    return PagesOnRequest(module_of(files, load_text(files)[0]), "Memory")


@pytest.fixture(params=[path.name for path in sorted(SAMPLES.iterdir()) if path.is_dir()])
def pages(request: pytest.FixtureRequest) -> PagesOnRequest:
    return pages_of(SAMPLES / str(request.param))


def test_every_page_can_be_rendered_alone(pages: PagesOnRequest) -> None:
    for page in pages.all():
        assert pages.page(page.path) == page.content, page.path


def test_the_paths_are_those_of_all_pages(pages: PagesOnRequest) -> None:
    assert pages.paths == {page.path for page in pages.all()}


def test_the_paths_include_the_later_pages_of_long_tables(tmp_path: Path) -> None:
    write(tmp_path, chain(2_200, 1_000))
    pages = pages_of(tmp_path)
    assert pages.paths == {page.path for page in pages.all()}
    folder = pages.module.routes.folder
    assert {folder + name for name in ("values.page-3.html", "schedule.page-2.html", "a/2.page-3.html")} <= pages.paths


def test_each_value_is_found_by_the_name_on_its_page(pages: PagesOnRequest) -> None:
    assert pages.value_paths
    for name, path in list(pages.value_paths.items())[:20]:
        page = read_page((pages.page(path) or b"").decode())
        assert name in page.text


def test_there_is_no_other_page() -> None:
    pages = pages_of(SAMPLES / "cpu-tiny")
    for name in ("v/999.html", "values.page-2.html", "a/0.page-2.html", "../index.html", "", "index.html/"):
        assert pages.page(pages.module.routes.folder + name) is None
    assert pages.page("index.html") is None
