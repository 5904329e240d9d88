"""A page that is asked for alone is the page that the whole module has."""

from pathlib import Path

import pytest

from reportgen.discover import discover
from reportgen.one_dump import module_of
from reportgen.reading import load_text
from reportgen.render.on_request import PagesOnRequest
from tests.support.site import SAMPLES


@pytest.fixture(params=[path.name for path in sorted(SAMPLES.iterdir()) if path.is_dir()])
def dump(request: pytest.FixtureRequest) -> Path:
    return SAMPLES / str(request.param)


def test_every_page_can_be_had_alone(dump: Path) -> None:
    (files,) = discover([dump]).dumps
    pages = PagesOnRequest(module_of(files, load_text(files)[0]), "Memory")
    for page in pages.all():
        assert pages.page(page.path) == page.content, page.path


def test_there_is_no_other_page() -> None:
    (files,) = discover([SAMPLES / "cpu-tiny"]).dumps
    module = module_of(files, load_text(files)[0])
    pages = PagesOnRequest(module, "Memory")
    for name in ("v/999.html", "values.page-2.html", "a/0.page-2.html", "../index.html", "", "index.html/"):
        assert pages.page(module.routes.folder + name) is None
    assert pages.page("index.html") is None
