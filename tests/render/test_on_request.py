"""A page that is rendered alone is the page of the whole module, and all paths are known before any is rendered."""

from pathlib import Path

import pytest

from reportgen.dump_pages import module_of
from reportgen.input.discover import discover
from reportgen.pipeline import DumpReading
from reportgen.render.module.on_request import PagesOnRequest
from tests.support.samples import SAMPLE_FOLDERS
from tests.support.site import SAMPLES, read_page


def pages_of(dump: Path) -> PagesOnRequest:
    (files,) = discover([dump]).dumps
    return PagesOnRequest(module_of(DumpReading(files)), "Memory")


@pytest.fixture(params=SAMPLE_FOLDERS)
def pages(request: pytest.FixtureRequest) -> PagesOnRequest:
    return pages_of(SAMPLES / str(request.param))


def test_every_page_can_be_rendered_alone(pages: PagesOnRequest) -> None:
    for page in pages.all():
        assert pages.page(page.path) == page.content, page.path


def test_the_paths_are_those_of_all_pages(pages: PagesOnRequest) -> None:
    assert pages.paths == {page.path for page in pages.all()}


def test_each_value_is_found_by_the_name_on_its_page(pages: PagesOnRequest) -> None:
    assert pages.value_paths
    for name, path in list(pages.value_paths.items())[:20]:
        page, _, place = path.partition("#")
        shown = read_page((pages.page(page) or b"").decode())
        assert name in shown.text
        assert place in shown.ids


def test_there_is_no_other_page() -> None:
    pages = pages_of(SAMPLES / "cpu-tiny")
    for name in ("v/999.html", "values.page-2.html", "a/0.page-2.html", "../index.html", "", "index.html/"):
        assert pages.page(pages.module.routes.folder + name) is None
    assert pages.page("index.html") is None
