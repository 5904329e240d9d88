"""A Chromium for the tests in this directory; a page in it that has problems fails its test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.browser import Watch, find_browser, served
from tests.support.guards import PATIENCE, missing
from tests.support.site import relative

NO_BROWSER = "no Chromium: run `python tests/run.py`, which installs one, or set REPORTGEN_CHROMIUM to its path"
expect.set_options(timeout=PATIENCE * 1000)


@pytest.hookimpl(tryfirst=True)  # because `-m browser` and `-m slow` select after this
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker("slow")
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Yield a headless Chromium; without one the tests are skipped, or fail with REPORTGEN_REQUIRE_BROWSER set."""
    executable = find_browser()
    if not executable:
        missing("BROWSER", NO_BROWSER)
    with sync_playwright() as playwright:
        quiet = ["--disable-gpu", "--disable-quic", "--disable-sync"]
        browser = playwright.chromium.launch(executable_path=executable, args=quiet, timeout=0)
        yield browser
        browser.close()


@pytest.fixture
def watch(browser: Browser, serve: object) -> Iterator[Watch]:
    """Yield the watch over `page`, for tests that cause problems on purpose or have a server of their own.

    It ends before `serve` does: a page may still be loading when its test is over.
    """
    with watching(browser) as watch:
        yield watch


@contextmanager
def watching(browser: Browser, **options: Any) -> Iterator[Watch]:
    """Yield the watch over a new context, which waits as long as a page needs."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE * 1000)
    try:
        watch = Watch(context)
        yield watch
        watch.check()
    finally:
        context.close()


@pytest.fixture
def without_scripts(browser: Browser, samples_site: Path) -> Iterator[Callable[[str], Page]]:
    """`without_scripts(path)` shows a page of the samples in a browser that runs no script."""
    with watching(browser, java_script_enabled=False) as watch:
        page, address = watch.context.new_page(), watch.allow(samples_site)

        def visit(path: str) -> Page:
            page.goto(address + path)
            return page

        yield visit


@pytest.fixture
def page(watch: Watch) -> Page:
    """Return an empty page. Open a site in it with `visit`: nothing outside of that can be reached."""
    return watch.context.new_page()


@pytest.fixture
def visit(page: Page, watch: Watch) -> Callable[..., Page]:
    """`visit(site, "d/1/index.html")` opens a page of a site, given as a directory or as `serve` returns it."""

    def open_page(site: Path | str, relative: str = "index.html") -> Page:
        page.goto(watch.allow(site) + relative)
        return page

    return open_page


@pytest.fixture
def serve() -> Iterator[Callable[[Path], str]]:
    """`serve(directory)` is the address, ending in a sub-path, at which the directory is served."""
    with ExitStack() as servers:
        yield lambda directory: servers.enter_context(served(directory))


@pytest.fixture(params=["file", "server"])
def root(request: pytest.FixtureRequest, samples_site: Path, serve: Callable[[Path], str]) -> Path | str:
    """Return the site as a directory, and as an address with a sub-path: for tests of what a page loads or leads to."""
    return samples_site if request.param == "file" else serve(samples_site)


@pytest.fixture
def module(samples_site: Path) -> Path:
    """Return the folder of a module with several memory spaces, and so with everything that a page can have."""
    indexes = samples_site.glob("m/jit-mlp-train-step-*/index.html")
    return next(index.parent for index in indexes if "VMEM" in index.read_text(encoding="utf-8"))


@pytest.fixture
def visit_module(visit: Callable[..., Page], samples_site: Path, module: Path) -> Callable[[str], Page]:
    """`visit_module("index.html")` opens a page of that module from the disk."""
    return lambda page: visit(samples_site, f"m/{module.name}/{page}")


@pytest.fixture
def kinds(samples_site: Path, module: Path) -> list[str]:
    """Return a page of each kind: overview, help, and every view of a module."""
    pages = [*samples_site.glob("*.html"), *samples_site.glob("help/*.html"), *module.glob("*.html")]
    return relative(samples_site, pages)
