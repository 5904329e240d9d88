"""Two small pages in full, so that a change of a template is looked at before it reaches thousands of pages."""

from pathlib import Path

import pytest

import reportgen
from tests.support.goldens import Goldens


@pytest.mark.parametrize(("name", "page"), [("value", "v/*.html"), ("allocation", "a/*.html")])
def test_a_page_is_as_it_was_when_last_looked_at(samples_site: Path, goldens: Goldens, name: str, page: str) -> None:
    (path,) = samples_site.glob(f"m/jit-tiny-*/{page}")
    text = path.read_text(encoding="utf-8")
    goldens.check(f"cpu-tiny.{name}.html", text.replace(reportgen.__version__, "VERSION"))
