"""The search, as a combobox: what it finds, in which order, and how it is used without a mouse."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from reportgen.output.writer import write_pages
from reportgen.render.module.data_shards import shard
from reportgen.render.routes import OVERVIEW_HREFS
from tests.support.summaries import made_up, write_overview

Visit = Callable[..., Page]
Serve = Callable[[Path], str]


@pytest.fixture
def module_page(samples_site: Path) -> str:
    """Return a page with instructions that define no value."""
    (index,) = samples_site.glob("m/jit-control-flow-*/index.html")
    return index.relative_to(samples_site).as_posix()


@pytest.fixture(scope="session")
def many_values(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an overview that claims to have as many modules as the largest dump that we know has values."""
    site = write_overview(tmp_path_factory.mktemp("many") / "site", [made_up(0), made_up(1)])
    numbers = range(66_703)
    columns = {
        "hrefs": OVERVIEW_HREFS,
        "name": [f"fusion.{number}" for number in numbers],
        "path": [f"jit(step)/layer_{number % 96}/attention" for number in numbers],
        "backend": ["tpu" for _ in numbers],
        "size": [number * 7919 % 100_003 for number in numbers],
        "href": ["index.html" for _ in numbers],
        "page": [1 for _ in numbers],
    }
    write_pages(site, [shard("modules", columns)])
    return site


def search(page: Page, words: str) -> Locator:
    """Return the results of a search that began with its key."""
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type(words)
    expect(page.locator("#search-count")).to_have_text(re.compile(r"\d results?$"))
    return page.get_by_role("listbox").get_by_role("option")


def names(results: Locator) -> list[str]:
    return results.locator(".result-name").all_inner_texts()


@pytest.mark.parametrize(
    ("query", "kind", "place"),
    [
        ("packing map", "help", r"/help/glossary\.html#packing-map"),
        ("lifetimes", "page", r"/lifetimes\.html"),
        ("allocation 0", "allocation", r"/explore\.html#a0"),
    ],
)
def test_the_search_leads_to_terms_pages_and_allocations(
    visit: Visit, root: Path | str, module_page: str, query: str, kind: str, place: str
) -> None:
    page = visit(root, module_page)
    results = search(page, query)
    results.filter(has=page.locator(".result-kind", has_text=kind)).first.click()
    expect(page).to_have_url(re.compile(place))


def test_an_opcode_leads_to_its_values(visit: Visit, root: Path | str, module_page: str) -> None:
    page = visit(root, module_page)
    results = search(page, "copy")
    expect(results.first.locator(".result-size")).to_have_text(re.compile(r"^\d+ values?$"))
    amount = results.first.locator(".result-size").inner_text().split()[0]
    results.first.click()
    expect(page.locator("details[open] > .filters output")).to_contain_text(f"{amount} of ")


def test_the_overview_finds_modules_the_largest_first(visit: Visit, root: Path | str) -> None:
    results = search(visit(root), "train cpu")
    assert names(results) == ["cpu-train-step"]
    expect(results.locator(".result-reason")).to_contain_text("cpu-train-step/")
    expect(results.locator(".result-size")).to_have_text(re.compile(r"^[\d.]+ MiB$"))


def test_a_module_finds_its_values_before_other_modules(visit: Visit, root: Path | str, module_page: str) -> None:
    results = search(visit(root, module_page), "copy")
    kinds = results.locator(".result-kind").all_inner_texts()
    assert kinds[:2] == ["opcode", "value"]
    results.nth(1).click()
    page = results.page
    page.wait_for_url("**/explore.html#v*")
    expect(page.locator(".own.open")).to_contain_text("copy")


def test_an_exact_name_comes_before_longer_ones(visit: Visit, root: Path | str, module_page: str) -> None:
    assert names(search(visit(root, module_page), "copy.4"))[0].startswith("copy.4")
    assert names(search(visit(root, module_page), "copy.40"))[0] == "copy.40"


def test_a_source_line_is_found_first_with_its_bytes(visit: Visit, root: Path | str, samples_site: Path) -> None:
    (index,) = samples_site.glob("m/jit-tiny-matmul-gelu-*/index.html")
    results = search(visit(root, index.relative_to(samples_site).as_posix()), "progs.py:11")
    assert names(results)[0] == "progs.py:11"
    expect(results.first.locator(".result-kind")).to_have_text("line")
    expect(results.first.locator(".result-size")).to_have_text(re.compile(r"^[\d.]+ KiB$"))
    results.first.click()
    results.page.wait_for_url("**/explore.html#view=values&source=*")


def test_a_scope_is_found_and_shown(visit: Visit, root: Path | str, samples_site: Path) -> None:
    (index,) = samples_site.glob("m/jit-tiny-matmul-gelu-*/index.html")
    results = search(visit(root, index.relative_to(samples_site).as_posix()), "jit(tiny_matmul_gelu)")
    expect(results.first.locator(".result-reason")).to_contain_text("scope jit(tiny_matmul_gelu)")


def test_an_instruction_without_a_value_leads_to_its_moment(visit: Visit, root: Path | str, module_page: str) -> None:
    results = search(visit(root, module_page), "get-tuple-element.17.0")
    instruction = results.filter(has_text="instruction").first
    expect(instruction).to_have_attribute("href", re.compile(r"explore\.html#i10$"))
    instruction.click()
    page = results.page
    page.wait_for_url("**/explore.html#i10")
    expect(page.locator(".own.open > h2")).to_have_text("get-tuple-element.17.0")


def test_arrows_move_enter_opens_and_the_box_keeps_the_focus(visit: Visit, root: Path | str) -> None:
    page = visit(root)
    results = search(page, "jit")
    box = page.get_by_role("combobox", name="Search")
    expect(box).to_have_attribute("aria-expanded", "true")
    for key, place in (("ArrowDown", 0), ("ArrowDown", 1), ("ArrowUp", 0), ("ArrowUp", results.count() - 1)):
        page.keyboard.press(key)
        chosen = results.nth(place)
        expect(chosen).to_have_attribute("aria-selected", "true")
        expect(box).to_have_attribute("aria-activedescendant", chosen.get_attribute("id") or "")
        expect(box).to_be_focused()
    expect(page.locator('[aria-selected="true"]')).to_have_count(1)
    href = results.last.get_attribute("href") or ""
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{href}")


def test_enter_without_a_choice_opens_the_first_result(visit: Visit, root: Path | str) -> None:
    page = visit(root)
    href = search(page, "tiny").first.get_attribute("href") or ""
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{href}")


def test_escape_closes_the_list_then_clears_then_leaves(visit: Visit, root: Path | str) -> None:
    page = visit(root)
    search(page, "tiny")
    box = page.get_by_role("combobox", name="Search")
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(box).to_have_attribute("aria-expanded", "false")
    expect(box).to_have_value("tiny")
    page.keyboard.press("Escape")
    expect(box).to_have_value("")
    page.keyboard.press("Escape")
    expect(box).not_to_be_focused()


def test_nothing_is_loaded_before_it_is_needed(visit: Visit, root: Path | str, module_page: str) -> None:
    page = visit(root, "help/glossary.html")
    shards = page.locator('head script[src*="data/"]')
    expect(shards).to_have_count(0)
    search(page, "jit")
    expect(shards).to_have_count(2)  # the modules and the terms of the help pages


def test_markup_in_a_query_or_a_name_stays_text(visit: Visit, tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)></script>"
    site = write_overview(tmp_path / "site", [made_up(0, title=name), made_up(1)])
    results = search(visit(site), "<img")
    assert names(results) == [name]


def test_many_results_are_counted_but_only_fifty_shown(visit: Visit, many_values: Path) -> None:
    page = visit(many_values)
    results = search(page, "fusion")
    expect(results).to_have_count(50)
    expect(page.locator("#search-count")).to_have_text("The first 50 of 66,703 results")
    sizes: list[str] = results.locator(".result-size").all_inner_texts()
    assert sizes[0] == "97.7 KiB"


def test_a_key_is_answered_within_a_frame_or_three(visit: Visit, many_values: Path) -> None:
    page = visit(many_values)
    search(page, "f")
    fastest: float = page.evaluate("""() => {
        const box = document.getElementById("search");
        return Math.min(...["fusion", "layer_7 attention", "usion.66", "nothing", "tpu"].flatMap(words => {
            return [1, 2, 3].map(() => {
                box.value = words;
                const start = performance.now();
                box.dispatchEvent(new Event("input"));
                return performance.now() - start;
            });
        }));
    }""")
    assert fastest < 50
