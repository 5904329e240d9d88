"""Pages are valid, safe under their own content policy, and complete: a place for each value and allocation."""

import re
from itertools import takewhile
from pathlib import Path

import html5lib
import pytest

from reportgen.input.discover import discover
from reportgen.input.reading import DumpFiles, read_available
from reportgen.render.routes import module_slug
from tests.support.site import SitePage, own_views, read_page

pytestmark = pytest.mark.slow

_ALLOCATION = re.compile(r"^allocation (\d+): ", re.MULTILINE)
_VALUE = re.compile(r"^ value: <(\d+) (\S+)", re.MULTILINE)


def test_pages_are_valid_html(site: Path) -> None:
    assert [problem for path in sorted(site.rglob("*.html")) for problem in _html_problems(path)] == []


def _html_problems(path: Path) -> list[str]:
    parser = html5lib.HTMLParser()
    parser.parse(path.read_bytes())
    return [f"{path.name}:{line}:{column}: {code}" for (line, column), code, _ in parser.errors]


def test_every_page_has_a_language_a_title_one_heading_and_fits_small_screens(pages: dict[str, SitePage]) -> None:
    assert [path for path, page in pages.items() if not _is_well_made(page)] == []


def _is_well_made(page: SitePage) -> bool:
    has_viewport = any(meta.get("name") == "viewport" for meta in page.all("meta"))
    has_language = page.all("html")[0].get("lang") == "en"
    head = takewhile(lambda element: element[0] != "body", page.elements)  # drawings have titles, too
    titles = [tag for tag, _ in head if tag == "title"]
    return has_viewport and has_language and len(titles) == 1 and len(page.all("h1")) == 1


def test_no_page_needs_more_than_its_content_policy_allows(pages: dict[str, SitePage]) -> None:
    assert [path for path, page in pages.items() if not _is_safe(page)] == []


def _is_safe(page: SitePage) -> bool:
    policies = [meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    handlers = [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    is_strict = len(policies) == 1 and "default-src 'none'; script-src 'self';" in policies[0]
    return is_strict and not handlers and not page.inline_scripts


def test_every_value_and_allocation_has_its_place(site: Path, dumps: Path, pages: dict[str, SitePage]) -> None:
    for files in discover([dumps]).dumps:
        text, folder = _text(files), f"m/{module_slug(files.label, files.name.module_name)}"
        allocations, values = _ALLOCATION.findall(text), (number for number, _ in _VALUE.findall(text))
        named = {*(f"a{number}" for number in allocations), *(f"v{number}" for number in values)}
        assert {name for name in pages[f"{folder}/explore.html"].places if re.fullmatch(r"[av]\d+", name)} == named


def _text(files: DumpFiles) -> str:
    return read_available(files.parts[0].path)[0].decode()


def test_the_view_of_a_value_begins_with_its_name(site: Path, dumps: Path) -> None:
    for files in discover([dumps]).dumps:
        folder = site / "m" / module_slug(files.label, files.name.module_name)
        names = {f"v{number}": name.removesuffix("{}") for number, name in _VALUE.findall(_text(files))}
        views = own_views((folder / "explore.html").read_text(encoding="utf-8"))
        values = views.keys() & names.keys()
        assert values
        assert [name for name in values if names[name] not in read_page(views[name]).text.partition("\n\n")[0]] == []


@pytest.mark.parametrize("fact", ["2,709,520,384 bytes", "830,472,464", "instruction 78"])
def test_the_page_of_seed_002_says_what_its_peak_really_is(seeds_site: Path, fact: str) -> None:
    (path,) = seeds_site.glob("m/002-*/index.html")
    assert fact in " ".join(read_page(path.read_text(encoding="utf-8")).text.split())
