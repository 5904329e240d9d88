"""An open page follows the compiler: it shows the new figures and keeps what the reader had before them."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from reportgen.reports.formats import human_bytes
from tests.browser.browser import Watch
from tests.support.compiler import BIG, compiled, part_paths, peak, write
from tests.support.watching import Watched, free_port, watching

BEFORE, AFTER = 100_000, 300_000
OPEN = ".own.open"


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    write(tmp_path / "dumps" / "a", compiled(BEFORE))
    return tmp_path / "dumps"


@pytest.fixture
def watched(dumps: Path, tmp_path: Path) -> Iterator[Watched]:
    with watching(dumps, output=tmp_path / "site") as watcher:
        watcher.until_shown("a", peak(BEFORE))
        yield watcher


Open = Callable[..., Page]


@pytest.fixture
def open_page(watch: Watch, watched: Watched) -> Iterator[Open]:
    """`open_page("v/3.html#a=1")` opens a page of the dump's module in a tab of its own and waits until it listens."""
    address = watch.allow(watched.url)

    def opened(inside: str = "index.html") -> Page:
        page = watch.context.new_page()
        (dump,) = [dump for dump in watched.tracker.dumps.values() if dump.files.label.startswith("a/")]
        assert dump.shown
        page.goto(address + dump.shown.index.removesuffix("index.html") + inside)
        expect(page.locator("#live .live-words")).to_contain_text("Build")
        return page

    yield opened
    for page in watch.context.pages:
        page.close()  # before the server is


def shows(page: Page, elements: int) -> None:
    expect(page.locator("#main")).to_contain_text(human_bytes(peak(elements)))


def line(page: Page) -> str:
    return page.locator("#live .live-words").inner_text()


def test_a_page_shows_the_new_figures_and_says_what_changed(open_page: Open, dumps: Path) -> None:
    page = open_page()
    shows(page, BEFORE)
    page.add_init_script("window.setTimeout = () => 0")  # so that what is marked as new stays so
    write(dumps / "a", compiled(AFTER))
    shows(page, AFTER)
    change = human_bytes(4 * (AFTER - BEFORE))
    expect(page.locator("#live.live-fresh .live-words")).to_contain_text(f"+{change} (+199.5 %) in memory")
    page.click("#live .live-words a")
    expect(page.locator("h1")).to_have_text("jit_step")
    expect(page.locator("#main .cause")).to_contain_text("1 temporary buffer is of another shape")
    write(dumps / "a", compiled(AFTER + 1024))
    expect(page.locator("#main .change")).to_contain_text("+4.00 KiB")
    page.click("#live .live-words a >> nth=0")
    shows(page, AFTER + 1024)


def test_a_page_that_is_being_replaced_leaves_the_news_to_the_new_one(open_page: Open, dumps: Path) -> None:
    page, other = open_page(), open_page("../../help/glossary.html")
    held: list[Route] = []
    page.route(page.url, lambda route: held.append(route))  # noqa: PLW0108 - Playwright sets attributes on it
    with page.expect_request(page.url):
        write(dumps / "a", compiled(AFTER))
    for _ in range(2):  # the second request is sent after the answer to the first was heard
        with page.expect_response("**/-/changes?*"):
            other.evaluate("new BroadcastChannel('reportgen-live').postMessage('changed')")
    held[0].continue_()
    expect(page.locator("#live .live-words")).to_contain_text("Build 2")
    shows(page, AFTER)


def test_unchanged_content_is_announced_and_reloads_nothing(open_page: Open, dumps: Path) -> None:
    page = open_page()
    page.evaluate("document.body.dataset.mine = 'kept'")
    write(dumps / "a", compiled(BEFORE))
    expect(page.locator("#live .live-words")).to_contain_text("rewritten without a change")
    assert page.evaluate("document.body.dataset.mine") == "kept"


def test_a_reload_keeps_the_position_the_search_and_the_choices(open_page: Open, watched: Watched, dumps: Path) -> None:
    page = open_page("index.html#moment=3&from=1&to=6&space=0")
    page.click("#theme-switch")
    theme = page.evaluate("document.documentElement.dataset.theme")
    page.locator("#search").press_sequentially("big")
    expect(page.locator("#search-results a").first).to_be_visible()
    page.evaluate("document.getElementById('facts').scrollIntoView()")
    # The map above grows by a line when it is drawn, and the end of the page holds the window back from its place.
    expect(page.locator("#map-caption")).to_contain_text("values;")
    assert page.evaluate("scrollY") > 0
    top = page.evaluate("document.getElementById('facts').getBoundingClientRect().top")
    write(dumps / "a", compiled(AFTER))
    shows(page, AFTER)
    assert page.url.endswith("#moment=3&from=1&to=6&space=0")
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    expect(page.locator("#search")).to_have_value("big")
    expect(page.locator("#search")).to_be_focused()
    expect(page.locator("#search-results a").first).to_be_visible()
    expect(page.locator("#live .live-words")).to_contain_text("Build 2")
    page.wait_for_load_state("load")
    page.wait_for_function(
        "top => Math.abs(document.getElementById('facts').getBoundingClientRect().top - top) <= 2", arg=top
    )
    assert page.locator("#moment-controls [name=moment]").input_value() == "3"


def test_a_reload_keeps_open_details_open(open_page: Open, dumps: Path) -> None:
    page = open_page("explore.html#a3")
    page.click(f"{OPEN} details summary")
    write(dumps / "a", compiled(AFTER))
    expect(page.locator(OPEN)).to_contain_text(human_bytes(4 * AFTER))
    expect(page.locator(f"{OPEN} details").first).to_have_attribute("open", "")


def test_a_dump_being_written_keeps_its_figures_and_is_marked(open_page: Open, dumps: Path) -> None:
    page = open_page()
    part_paths(dumps / "a")[2].write_text("HloLiveRange (ma", encoding="utf-8")
    expect(page.locator(".live-mark")).to_contain_text("Being written since")
    expect(page.locator(".live-mark")).to_contain_text("the live ranges file ends in the middle of a line")
    shows(page, BEFORE)
    write(dumps / "a", compiled(AFTER))
    shows(page, AFTER)
    expect(page.locator(".live-mark")).to_have_count(0)


def test_a_removed_module_is_marked_as_stale(open_page: Open, watched: Watched, dumps: Path) -> None:
    page = open_page()
    write(dumps / "b", compiled(BEFORE))
    watched.until_shown("b", peak(BEFORE))  # with two modules, the site opens on the overview
    for path in part_paths(dumps / "a"):
        path.unlink()
    expect(page.locator(".live-mark")).to_contain_text("Stale since")
    shows(page, BEFORE)
    page.goto(watched.url)
    expect(page.locator("#main .live-badge")).to_have_text(["stale"])
    shows(page, BEFORE)


@pytest.mark.parametrize("is_made", [False, True])
def test_a_value_with_a_new_number_is_followed_by_its_name(open_page: Open, dumps: Path, is_made: bool) -> None:
    page = open_page("explore.html" if is_made else BIG)
    if is_made:  # as for the small values of a large module
        page.evaluate("document.getElementById('v3').remove(); location.hash = 'v3'")
    expect(page.locator(f"{OPEN} > h2")).to_have_text("big")
    parts = compiled(AFTER)
    renumbered = [text.replace("<3 big", "<33 big").replace("<4 c", "<3 c") for text in parts]
    write(dumps / "a", renumbered)
    expect(page).to_have_url(re.compile(r"/explore\.html#v33$"))
    expect(page.locator(f"{OPEN} > h2")).to_have_text("big")


def test_a_value_that_is_gone_leads_to_its_module(open_page: Open, dumps: Path) -> None:
    page = open_page(BIG)
    write(dumps / "a", [text.replace("big", "huge") for text in compiled(AFTER)])
    expect(page).to_have_url(re.compile(r"/index\.html(#v3)?$"))
    expect(page.locator("h1")).to_have_text("jit_step")


def test_the_pages_of_other_modules_are_told_and_not_reloaded(open_page: Open, dumps: Path) -> None:
    page = open_page()
    page.evaluate("document.body.dataset.mine = 'kept'")
    write(dumps / "b", compiled(BEFORE))
    expect(page.locator("#live .live-words")).to_contain_text("Build 2: jit_step · b: new, peak resident")
    write(dumps / "b", compiled(AFTER))
    expect(page.locator("#live .live-words")).to_contain_text("Build 3: jit_step · b")
    part_paths(dumps / "b")[2].write_text("HloLiveRange (ma", encoding="utf-8")
    expect(page.locator("#live .live-words")).to_contain_text("file ends in the middle of a line")
    assert page.evaluate("document.body.dataset.mine") == "kept"


def test_many_tabs_are_updated(open_page: Open, dumps: Path) -> None:
    """A browser opens six connections to a server, so the pages that listen must share one."""
    pages = [open_page() for _ in range(7)]
    write(dumps / "a", compiled(AFTER))
    for page in pages:
        shows(page, AFTER)
    pages[0].close()
    write(dumps / "a", compiled(BEFORE))
    for page in pages[1:]:
        shows(page, BEFORE)


def test_a_lost_connection_is_shown_and_restored(watch: Watch, dumps: Path, tmp_path: Path) -> None:
    """Also if the dump has changed meanwhile."""
    port = free_port()
    with watching(dumps, output=tmp_path / "site", port=port) as first:
        first.until_shown("a", peak(BEFORE))
        page = watch.context.new_page()
        page.goto(watch.allow(first.url))  # a site of one module opens on it
        expect(page.locator("#live .live-words")).to_contain_text("Build")
    expect(page.locator("#live[data-state=lost]")).to_be_visible()
    shows(page, BEFORE)
    write(dumps / "a", compiled(AFTER))
    with watching(dumps, output=tmp_path / "site", port=port) as second:
        second.until_shown("a", peak(AFTER))
        shows(page, AFTER)
        expect(page.locator("#live[data-state=live]")).to_be_visible()
        page.close()
    watch.take()  # that the connection was lost


def test_the_site_on_disk_has_no_trace_of_watching(
    watched: Watched, open_page: Open, dumps: Path, tmp_path: Path
) -> None:
    page = open_page()
    write(dumps / "a", compiled(AFTER))
    shows(page, AFTER)
    watched.until_written()
    texts = {path.read_bytes() for path in (tmp_path / "site").rglob("*.html")}
    assert texts
    assert not [text for text in texts if b"live.js" in text or b"connect-src" in text]
    assert not {"live.js", "live.css", "keep.js", "corner.js"} & {path.name for path in (tmp_path / "site").rglob("*")}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_corner_fits_the_window(open_page: Open, dumps: Path, theme: str, width: int) -> None:
    page = open_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    write(dumps / "a", compiled(AFTER))
    shows(page, AFTER)
    box = page.locator("#live").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
