"""Test what the other browser tests take for granted.

A watch that sees nothing would let all of them pass, and so would a chart library that hides its errors.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from reportgen.render.site.assets import read_asset
from tests.browser.browser import SUB_PATH, Watch

Visit = Callable[..., Page]
Serve = Callable[[Path], str]

POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"

CHART = '<div id="chart"></div><script src="before.js"></script><script src="vega.js"></script>'
SPECIFICATION = {
    "data": {"values": [{"name": "a", "bytes": 1}, {"name": "b", "bytes": 2}]},
    "mark": "bar",
    "encoding": {
        "x": {"field": "bytes", "type": "quantitative"},
        "y": {"field": "name", "type": "nominal"},
        "tooltip": {"field": "name"},
    },
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a site of two pages and a script, below a directory that is not part of it."""
    site = tmp_path / "site"
    (site / "deep").mkdir(parents=True)
    (site / "index.html").write_text(_html('<a href="deep/page.html">deeper</a>'), encoding="utf-8")
    (site / "deep" / "page.html").write_text(_html('<script src="../script.js"></script>'), encoding="utf-8")
    (site / "script.js").write_text("document.title = 'ran'", encoding="utf-8")
    (tmp_path / "outside.js").write_text("document.title = 'outside'", encoding="utf-8")
    return site


def _html(body: str) -> str:
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    return f'<!doctype html><html lang="en"><meta charset="utf-8">{policy}<title>-</title>{body}</html>'


def _page_with(site: Path, body: str) -> str:
    (site / "bad.html").write_text(f"<!doctype html><meta charset=utf-8><title>-</title>{body}", encoding="utf-8")
    return "bad.html"


def test_a_sound_page_opens_from_disk(visit: Visit, site: Path) -> None:
    page = visit(site)
    page.click("text=deeper")
    page.wait_for_url("**/site/deep/page.html")
    assert page.title() == "ran"


def test_a_sound_page_opens_under_a_sub_path(visit: Visit, serve: Serve, site: Path) -> None:
    page = visit(serve(site))
    page.click("text=deeper")
    page.wait_for_url("**" + SUB_PATH + "deep/page.html")
    assert page.title() == "ran"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<script>console.error('broken chart')</script>", "console error: broken chart"),
        ("<script>undefined.x</script>", "page error: Cannot read properties of undefined"),
        ("<script>Promise.reject(new Error('late'))</script>", "page error: late"),
        ("<script src='gone.js'></script>", "request failed: "),
        ("<script src='https://example.org/a.js'></script>", "request that leaves the site: https://example.org/a.js"),
        ("<img src='//example.org/a.png' alt=''>", "request that leaves the site: "),
        ("<script src='../outside.js'></script>", "request that leaves the site: file://"),
        ("<iframe src='https://example.org/'></iframe>", "request that leaves the site: https://example.org/"),
        ("<script>new WebSocket('ws://127.0.0.1:9/')</script>", "request that leaves the site: ws://127.0.0.1:9/"),
    ],
)
def test_a_problem_is_seen(visit: Visit, watch: Watch, site: Path, body: str, problem: str) -> None:
    page = visit(site, _page_with(site, body))
    assert any(found.startswith(problem) for found in watch.take())
    assert page.title() == "-"


def test_a_problem_fails_the_test(visit: Visit, watch: Watch, site: Path) -> None:
    visit(site, _page_with(site, "<script>console.error('broken chart')</script>"))
    with pytest.raises(AssertionError, match="the page has problems:\nconsole error: broken chart"):
        watch.check()


def test_a_link_to_the_root_of_the_server_is_a_problem(visit: Visit, serve: Serve, watch: Watch, site: Path) -> None:
    visit(serve(site), _page_with(site, "<script src='/script.js'></script>"))
    assert any(problem.startswith("request that leaves the site: ") for problem in watch.take())


def test_a_file_that_the_server_lacks_is_a_problem(visit: Visit, serve: Serve, watch: Watch, site: Path) -> None:
    visit(serve(site), _page_with(site, "<script src='gone.js'></script>"))
    assert any(problem.endswith("gone.js (404)") for problem in watch.take())


def test_a_second_page_is_watched_too(visit: Visit, watch: Watch, site: Path) -> None:
    page = visit(site, _page_with(site, "<a target=_blank href='https://example.org/'>out</a>"))
    with watch.context.expect_page():
        page.click("text=out")
    assert "request that leaves the site: https://example.org/" in watch.take()


def test_the_chart_library_adds_one_name_and_draws_under_the_policy(visit: Visit, site: Path) -> None:
    (site / "before.js").write_text("var before = Object.keys(window);", encoding="utf-8")
    (site / "vega.js").write_bytes(read_asset("vega.js"))
    (site / "chart.html").write_text(_html(CHART), encoding="utf-8")
    page = visit(site, "chart.html")
    assert page.evaluate("Object.keys(window).filter(name => !before.includes(name))") == ["vegaEmbed"]
    page.evaluate(f"vegaEmbed('#chart', {json.dumps(SPECIFICATION)}, {{ast: true, renderer: 'svg'}}).then(() => null)")
    assert page.locator("#chart svg .mark-rect path").count() == 2
