"""Every link of a site leads somewhere in that site, and every page can be found by links alone."""

import re
from pathlib import Path

import pytest

from tests.support.site import SitePage, link_problems, reachable, read_page, tree

FILES = frozenset({"index.html", "deep/page.html", "assets/style.css"})


@pytest.fixture(scope="session")
def files(site: Path) -> frozenset[str]:
    return frozenset(tree(site))


def test_every_link_leads_to_a_file_and_an_id_of_the_site(pages: dict[str, SitePage], files: frozenset[str]) -> None:
    assert link_problems(pages, files) == []


def test_every_page_is_reachable_from_the_overview(pages: dict[str, SitePage]) -> None:
    sent_by_the_server = {"404.html"}
    assert sorted(pages.keys() - reachable(pages)) == sorted(sent_by_the_server)


def test_an_id_names_one_element(pages: dict[str, SitePage]) -> None:
    assert [path for path, page in pages.items() if len(page.ids) != len(set(page.ids))] == []


def test_file_names_are_plain_on_every_disk(files: frozenset[str]) -> None:
    assert len({name.lower() for name in files}) == len(files)
    assert [name for name in files if not re.fullmatch(r"[a-z0-9./-]+", name)] == []
    assert max(map(len, files)) < 120


def test_stylesheets_load_nothing(site: Path) -> None:
    sheets = site.glob("assets/*.css")
    assert [sheet.name for sheet in sheets if re.search(r"url\(|@import", sheet.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("page", "html", "problem"),
    [
        ("index.html", '<a href="deep/page.html#there">', None),
        ("deep/page.html", '<a href="../index.html">', None),
        ("deep/page.html", '<a href="?moment=1#there">', None),
        ("index.html", '<link rel="icon" href="data:,">', None),
        ("index.html", '<a href="deep/page.html#v12">', None),
        ("index.html", '<a href="#v12">', "#v12: leads to no id"),
        ("index.html", '<a href="deep/page.html#v13">', "deep/page.html#v13: leads to no id"),
        ("index.html", '<a href="#nowhere">', "#nowhere: leads to no id"),
        ("index.html", '<a href="deep/page.html#nowhere">', "deep/page.html#nowhere: leads to no id"),
        ("index.html", '<a href="deep/">', "deep/: leads to no file"),
        ("deep/page.html", '<a href="index.html">', "index.html: leads to no file"),
        ("index.html", '<a href="../index.html">', "../index.html: leads to no file"),
        ("index.html", '<a href="/index.html">', "/index.html: leaves the site"),
        ("index.html", '<img src="//example.org/a.png">', "//example.org/a.png: leaves the site"),
        ("index.html", '<a href="https://example.org">', "https://example.org: leaves the site"),
    ],
)
def test_the_checker_sees_what_is_wrong_with_a_link(page: str, html: str, problem: str | None) -> None:
    pages = {"index.html": read_page(""), "deep/page.html": read_page('<p id="there">')}
    pages[page] = read_page('<p id="there">' + html)
    pages["deep/page.html"].made = frozenset({"v12"})
    assert list(link_problems(pages, FILES)) == ([f"{page}: {problem}"] if problem else [])


def test_the_checker_sees_a_page_that_nothing_leads_to() -> None:
    pages = {
        "index.html": read_page('<a href="deep/page.html#there">'),
        "deep/page.html": read_page('<a href="../index.html">'),
        "deep/alone.html": read_page('<a href="../index.html">'),
    }
    assert reachable(pages) == {"index.html", "deep/page.html"}
