"""The view of a value, an allocation or an instruction, which the page has or scripts make, as if it were a page."""

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from reportgen.reports.formats import human_bytes
from tests.browser.axe import complaints
from tests.support.site import build_site, shard
from tests.support.synthetic import write_dump

Visit = Callable[..., Page]

VALUES = 8_000
SHOWN = "all => all.filter(one => one.getClientRects().length).map(one => one.id || one.className)"


@pytest.fixture(scope="module")
def explore(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a module with more values and allocations than have a view without scripts."""
    folder = tmp_path_factory.mktemp("large")
    write_dump(folder / "dumps", VALUES, seed=3)
    return next(build_site(folder / "dumps", folder / "site").glob("m/*/explore.html"))


@pytest.fixture(scope="module")
def values(explore: Path) -> dict[str, Any]:
    data: dict[str, Any] = shard(explore.parent / "data" / "values.js")
    return data


@pytest.fixture
def names(explore: Path, values: dict[str, Any]) -> dict[str, str]:
    """Return what each place is called."""
    instructions = enumerate(shard(explore.parent / "data" / "timeline.js")["names"])
    return {
        **{f"v{one}": name + index for one, name, index in zip(*map(values.get, ("id", "name", "index")), strict=True)},
        **{f"a{one}": f"allocation {one}" for one in values["allocations"]["id"]},
        **{f"i{moment}": name for moment, name in instructions},
    }


@pytest.fixture
def opened(visit: Visit, explore: Path) -> Callable[[str], Locator]:
    """`opened("v12")` opens a view by its address and returns it."""

    def open_view(place: str) -> Locator:
        return open_page(visit, explore, place).locator(".own.open")

    return open_view


def open_page(visit: Visit, explore: Path, place: str = "") -> Page:
    site = explore.parents[2]
    return visit(site, f"{explore.relative_to(site).as_posix()}#{place}")


def smallest(sizes: list[int]) -> int:
    return min(range(len(sizes)), key=sizes.__getitem__)


def show(page: Page, place: str) -> None:
    page.evaluate("place => { location.hash = place; }", place)


def test_any_value_allocation_and_instruction_is_shown_at_its_address(
    visit: Visit, explore: Path, names: dict[str, str]
) -> None:
    page, random = open_page(visit, explore), Random(59)
    crumb = page.locator('header.site [aria-current="page"]')
    for kind, count in (("v", 80), ("a", 40), ("i", 80)):
        for place in random.sample([place for place in names if place.startswith(kind)], count):
            show(page, place)
            page.wait_for_function("title => document.title.startsWith(title)", arg=f"{names[place]} · Explore")
            [view] = page.locator(".own.open").all()
            assert names[place] in view.inner_text().lower()
            assert crumb.inner_text() == view.locator("h2").inner_text()


@pytest.mark.parametrize("row", [20, -1])
def test_the_way_back_leads_to_the_place_in_the_table(visit: Visit, explore: Path, row: int) -> None:
    page = open_page(visit, explore)
    cell = page.locator("details[open] tbody tr:has(summary)").nth(row).locator("td").last
    cell.locator("summary").click()
    link = cell.locator("a").last
    link.scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    assert before > 0
    link.click()
    expect(page.locator(".own.open")).to_be_visible()
    assert page.evaluate("scrollY") == 0
    expect(link).to_be_hidden()
    page.go_back()
    expect(link).to_be_visible()
    expect(page).to_have_title(re.compile("^Explore"))
    page.wait_for_function("before => Math.abs(scrollY - before) <= 2", arg=before)


def test_a_value_made_by_scripts_says_when_it_lives_who_reads_it_and_who_has_its_bytes(
    opened: Callable[[str], Locator], values: dict[str, Any]
) -> None:
    allocation, reads = values["allocation"], values["reads"]
    temporary = [n for n in range(VALUES) if reads[n] and allocation[n] == allocation[VALUES // 2]]
    number = min(temporary, key=lambda n: (values["size"][n], abs(n - VALUES // 2)))
    view = opened(f"v{values['id'][number]}")
    size, first, last, low = (values[key][number] for key in ("size", "first", "last", "offset"))
    expect(view).to_contain_text(f"{size:,} bytes, no padding")
    expect(view).to_contain_text(f"from instruction {first:,} to {last:,}")
    expect(view).to_contain_text(f"{human_bytes(low)} to {human_bytes(low + size)} of allocation {allocation[number]}")
    expect(fact(view, "Written by").locator("a")).to_have_attribute("href", f"#i{first}")
    assert places(fact(view, "Read by")) == [f"i{moment}" for moment in reads[number]]
    sharing = [
        other
        for other in temporary
        if values["offset"][other] < low + size and values["offset"][other] + values["size"][other] > low
    ]
    earlier = [other for other in sharing if values["last"][other] < first]
    latest = max(values["last"][other] for other in earlier)
    assert set(places(fact(view, "There before it"))) == {
        f"v{values['id'][other]}" for other in earlier if values["last"][other] == latest
    }
    assert complaints(view.page) == []


def fact(view: Locator, name: str) -> Locator:
    return view.locator(f"dt:text-is('{name}') + dd")


def places(links: Locator) -> list[str]:
    """Return the views that links lead to."""
    found: list[str] = links.locator("a").evaluate_all("links => links.map(link => link.hash.slice(1))")
    return list(dict.fromkeys(found))


def test_an_allocation_made_by_scripts_says_what_it_holds(
    opened: Callable[[str], Locator], values: dict[str, Any]
) -> None:
    number = smallest(values["allocations"]["size"])
    view = opened(f"a{values['allocations']['id'][number]}")
    expect(view.locator(".figure data")).to_have_attribute("value", str(values["allocations"]["size"][number]))
    assert places(view.locator("tbody")) == [f"v{values['id'][values['allocation'].index(number)]}"]
    assert complaints(view.page) == []


def test_an_instruction_says_what_it_writes_and_reads(opened: Callable[[str], Locator], values: dict[str, Any]) -> None:
    expect(opened("i7").locator(".headline")).to_contain_text("at instruction 7")  # which has a row on the page
    moment = VALUES // 2
    view = opened(f"i{moment}")
    number = values["first"].index(moment)
    expect(view.locator("> .xla")).to_have_text(values["name"][number])
    assert places(view.locator("tbody:has(th:text('Writes'))")) == [f"v{values['id'][number]}"]
    read = [f"v{values['id'][n]}" for n in range(VALUES) if moment in values["reads"][n]]
    assert sorted(places(view.locator("tbody:has(th:text('Reads'))"))) == sorted(read)
    assert complaints(view.page) == []
    view.locator("a[rel=next]").click()
    expect(view.locator(".headline")).to_contain_text(f"at instruction {moment + 1:,}")


def test_the_largest_value_has_the_same_place_on_the_page_and_on_paper(
    opened: Callable[[str], Locator], values: dict[str, Any]
) -> None:
    place = f"v{values['id'][values['size'].index(max(values['size']))]}"
    view = opened(place)
    expect(view).to_have_id(place)
    assert view.page.locator("main > :not(h1)").evaluate_all(SHOWN) == ["back", place]
    view.page.emulate_media(media="print")
    assert view.page.locator("main > :not(h1)").evaluate_all(SHOWN) == [place]
    view.page.emulate_media(media="screen")
    assert complaints(view.page) == []


def test_without_scripts_a_view_is_shown_alone(without_scripts: Visit, module: Path) -> None:
    page = without_scripts(f"m/{module.name}/explore.html")
    place = page.locator(".own").first.get_attribute("id")
    assert place not in page.locator("main > :not(h1)").evaluate_all(SHOWN)
    page.locator(f"main a[href='#{place}']:visible").first.click()
    assert page.locator("main > :not(h1)").evaluate_all(SHOWN) == ["back", place]
