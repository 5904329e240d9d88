"""A report in the cell of a notebook: the whole report works in a frame that may run scripts and nothing else."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from reportgen.build import build
from reportgen.options import BuildOptions
from reportgen.programs.memory_report import MemoryReport
from tests.support.site import SAMPLES

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a page with a cell whose output is a report."""
    folder, dumps = tmp_path_factory.mktemp("notebook"), SAMPLES / "tpu-train-step"
    built = build(BuildOptions(paths=(dumps,), output=folder / "site"), lambda *_: None)
    made = MemoryReport(page=folder / "site" / "index.html", modules=built.summaries, dumps=dumps)
    page = f"<!DOCTYPE html><title>Notebook</title><p id=around>Cell</p>{made._repr_html_()}"
    (folder / "notebook.html").write_text(page, encoding="utf-8")
    return folder


@pytest.fixture
def frame(visit: Visit, notebook: Path) -> FrameLocator:
    return visit(notebook, "notebook.html").frame_locator("iframe")


def test_it_draws_the_charts_and_lists_the_values(frame: FrameLocator) -> None:
    expect(frame.locator(".need .answer")).to_contain_text("peaks at")
    expect(frame.locator("figure[data-chart] svg").first).to_be_visible()
    expect(frame.locator(".filters output")).to_contain_text("values")


def test_links_stay_in_the_frame_and_choices_are_made(frame: FrameLocator) -> None:
    expect(frame.locator(".filters output")).to_contain_text("values")
    frame.locator(".filters [name=words]").fill("fusion")
    expect(frame.locator(".filters output")).to_contain_text(" of ")
    frame.locator("a[href='#findings']").first.click()
    expect(frame.locator("#findings")).to_be_in_viewport()
    expect(frame.locator("#around")).to_have_count(0)
