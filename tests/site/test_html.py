"""Pages are valid, safe under their own content policy, and complete: one for each value and allocation."""

import re
from itertools import takewhile
from pathlib import Path

import html5lib
import pytest

from reportgen.input.discover import discover
from reportgen.input.reading import DumpFiles, read_available
from reportgen.render.routes import module_slug
from tests.support.site import SitePage, page_with, read_page, section

pytestmark = pytest.mark.slow

_ALLOCATION = re.compile(r"^allocation (\d+): ", re.MULTILINE)
_VALUE = re.compile(r"^ value: <(\d+) (\S+)", re.MULTILINE)


def test_pages_are_valid_html(site: Path) -> None:
    """Of the pages of values and allocations, which are all alike, every tenth is read: that takes a while."""
    paths = sorted(site.rglob("*.html"))
    alike = [path for path in paths if path.parent.name in ("a", "v")]
    read = [*set(paths).difference(alike), *alike[::10]]
    assert [problem for path in read for problem in _html_problems(path)] == []


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


def test_every_value_and_allocation_has_its_place(site: Path, dumps: Path) -> None:
    for files in discover([dumps]).dumps:
        folder = site / "m" / module_slug(files.label, files.name.module_name)
        text = _text(files)
        assert _ids(folder / "a", "a") == set(_ALLOCATION.findall(text))
        assert _ids(folder / "v", "v") == {number for number, _ in _VALUE.findall(text)}


def _text(files: DumpFiles) -> str:
    return read_available(files.parts[0].path)[0].decode()


def _ids(folder: Path, letter: str) -> set[str]:
    pages = (path.read_text(encoding="utf-8") for path in folder.iterdir())
    return {number for page in pages for number in re.findall(rf' id="{letter}(\d+)"', page)}


def test_the_section_or_the_row_of_a_value_begins_with_its_name(site: Path, dumps: Path) -> None:
    for files in discover([dumps]).dumps:
        folder = site / "m" / module_slug(files.label, files.name.module_name) / "v"
        for number, name in _VALUE.findall(_text(files)):
            page = page_with(folder, f"v{number}")
            if f'<section id="v{number}">' in page:
                head = read_page(section(page, f"v{number}")).text.partition("\n\n")[0]
            else:
                head = read_page(page.partition(f'<tr id="v{number}">')[2].partition("<td style")[0]).text
            assert name.removesuffix("{}") in head


@pytest.mark.parametrize("fact", ["2,709,520,384 bytes", "830,472,464", "instruction 78"])
def test_the_page_of_seed_002_says_what_its_peak_really_is(seeds_site: Path, fact: str) -> None:
    (path,) = seeds_site.glob("m/002-*/index.html")
    assert fact in " ".join(read_page(path.read_text(encoding="utf-8")).text.split())
