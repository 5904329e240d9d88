"""The fragment keeps what the reader chose: it survives links, reloads, anchors and the Back button."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from reportgen.render.site.scripts import bundle
from tests.support.site import ROOT

Visit = Callable[..., Page]
Serve = Callable[[Path], str]

ENTRY = """\
import { startState, get, set, onChange } from "./state.js";
startState();
window.State = { get, set, onChange };
"""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>-</title>
<script src="state.js"></script><a href="#place">to the place</a><p id="place">Here.</p></html>"""


@pytest.fixture(params=["disk", "server"])
def page_at(request: pytest.FixtureRequest, tmp_path: Path, visit: Visit, serve: Serve) -> Callable[[str], Page]:
    """`page_at("#a=1")` opens a page that only has the script, and keeps in `seen` what listeners heard."""
    (tmp_path / "index.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "state.js").write_text(bundle("entry.js", _module), encoding="utf-8")
    site = serve(tmp_path) if request.param == "server" else tmp_path

    def open_page(fragment: str) -> Page:
        page = visit(site, "index.html" + fragment)
        page.evaluate("window.seen = []; State.onChange(function (keys) { seen.push(keys.sort().join()); })")
        return page

    return open_page


PageAt = Callable[[str], Page]


def _module(path: str) -> str:
    return ENTRY if path == "entry.js" else (ROOT / "templates" / "scripts" / path).read_text(encoding="utf-8")


def _values(page: Page) -> list[str | None]:
    values: list[str | None] = page.evaluate("['a', 'b'].map(State.get)")
    return values


def _fragment(page: Page) -> str:
    fragment: str = page.evaluate("location.hash")
    return fragment


def test_a_link_brings_its_values(page_at: PageAt) -> None:
    page = page_at("#a=1&b=two%20words%26more")
    assert _values(page) == ["1", "two words&more"]


def test_a_choice_is_in_the_address_and_announced_once(page_at: PageAt) -> None:
    page = page_at("")
    page.evaluate("State.set({a: 1, b: null}); State.set({a: '1'})")
    assert _fragment(page) == "#a=1"
    assert page.evaluate("seen") == ["a"]


def test_back_undoes_a_choice_and_forward_repeats_it(page_at: PageAt) -> None:
    page = page_at("#a=1")
    page.evaluate("State.set({a: 2, b: 3})")
    page.go_back()
    assert _values(page) == ["1", None]
    page.go_forward()
    assert _values(page) == ["2", "3"]
    assert page.evaluate("seen") == ["a,b", "a,b", "a,b"]


def test_a_replaced_choice_adds_no_history_entry(page_at: PageAt) -> None:
    page = page_at("")
    page.evaluate("State.set({a: 1})")
    page.evaluate("State.set({a: 2}, {replace: true}); State.set({a: 3}, {replace: true})")
    page.go_back()
    assert _values(page) == [None, None]


def test_the_last_value_removed_leaves_no_fragment(page_at: PageAt) -> None:
    page = page_at("#a=1")
    page.evaluate("State.set({a: null})")
    assert "#" not in page.url


def test_following_an_anchor_keeps_the_choices(page_at: PageAt) -> None:
    page = page_at("#a=1")
    page.click("text=to the place")
    assert _fragment(page) == "#place"
    assert _values(page) == ["1", None]
    page.reload()
    assert _values(page) == ["1", None]


def test_back_to_an_anchor_restores_what_was_chosen_there(page_at: PageAt) -> None:
    page = page_at("#place")
    page.evaluate("State.set({b: 1})")
    page.go_back()
    assert _fragment(page) == "#place"
    assert _values(page) == [None, None]


def test_names_of_object_members_are_ordinary_keys(page_at: PageAt) -> None:
    page = page_at("#a=1")
    assert page.evaluate("State.get('constructor')") is None
