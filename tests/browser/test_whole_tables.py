"""Long tables as a reader uses them: the rest of the rows, a sort, a filter and a download cover all of them."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import complaints
from tests.support.site import shard

Visit = Callable[..., Page]
ROWS = "table[data-whole] tbody tr"


@pytest.fixture(scope="session")
def values(large_site: Path, large_folder: str) -> dict[str, Any]:
    data: dict[str, Any] = shard(large_site / large_folder / "data" / "values.js")
    return data


def readout(page: Page) -> Locator:
    return page.locator(".filters output")


def sort_by(page: Page, name: str) -> None:
    page.locator("table[data-whole] thead").get_by_role("button", name=re.compile(rf"^{name}\b")).click()


def amounts(page: Page, column: int) -> list[int]:
    cells = page.locator(f"{ROWS} > :nth-child({column}) data")
    found: list[int] = cells.evaluate_all("cells => cells.map(cell => Number(cell.value))")
    return found


def test_a_sort_covers_all_values(visit: Visit, large_site: Path, large_folder: str, values: dict[str, Any]) -> None:
    page = visit(large_site, large_folder + "values.html")
    sort_by(page, "Size")
    expect(readout(page)).to_contain_text("2,500 of 2,500 values")
    assert amounts(page, 2) == sorted(values["size"], reverse=True)[:1_000]
    sort_by(page, "Size")
    expect(page.locator("th[aria-sort=ascending]")).to_have_count(1)
    assert amounts(page, 2) == sorted(values["size"])[:1_000]


def test_the_rows_made_by_scripts_are_those_of_the_page(visit: Visit, large_site: Path, large_folder: str) -> None:
    page = visit(large_site, large_folder + "values.html")
    texts = "rows => rows.slice(0, 200).map(row => [...row.cells].map(cell => cell.textContent.trim()).join('|'))"
    written = page.locator(ROWS).evaluate_all(texts)
    page.select_option(".filters [name=space]", "0")
    expect(readout(page)).to_contain_text("2,500 of 2,500 values")
    assert page.locator(ROWS).evaluate_all(texts) == written


@pytest.mark.parametrize("kind", ["allocations", "schedule"])
def test_other_tables_are_made_as_they_are_written(
    visit: Visit, large_site: Path, large_folder: str, kind: str
) -> None:
    page = visit(large_site, f"{large_folder}{kind}.html")
    texts = """rows => rows.slice(0, 50).map(
        row => [...row.cells].map(cell => (cell.querySelector('.mark')?.remove(), cell.textContent.trim())))"""
    written = page.locator(ROWS).evaluate_all(texts)
    sort_by(page, "Number" if kind == "schedule" else "Size")
    if kind == "schedule":
        expect(page.locator("th[aria-sort=descending]")).to_have_count(1)
        sort_by(page, "Number")
    expect(page.locator("table[data-whole] caption")).to_contain_text("All rows that match")
    expect(page.locator(ROWS).first).to_contain_text(written[0][0])
    assert page.locator(ROWS).evaluate_all(texts) == written


def test_filters_combine_and_their_count_is_that_of_the_data(
    visit: Visit, large_site: Path, large_folder: str, values: dict[str, Any]
) -> None:
    page = visit(large_site, large_folder + "values.html")
    page.select_option(".filters [name=opcode]", "copy")
    page.locator(".filters summary").click()
    page.fill(".filters [name=shape]", "[128,")
    wanted = [
        number
        for number, opcode in enumerate(values["opcode"])
        if values["opcodes"][opcode] == "copy" and "[128," in values["shapes"][values["shape"][number]]
    ]
    assert wanted
    expect(readout(page)).to_contain_text(f"{len(wanted)} of 2,500 values; ")
    expect(page.locator(ROWS)).to_have_count(min(1_000, len(wanted)))
    assert sum(amounts(page, 2)) == sum(values["size"][number] for number in wanted)
    page.go_back()
    page.go_forward()
    expect(page.locator(".filters [name=opcode]")).to_have_value("copy")
    page.locator(".filters [name=clear]").click()
    expect(page.locator(ROWS)).to_have_count(1_000)
    expect(page.get_by_role("button", name="Show 1,000 more of 2,500")).to_be_visible()


def test_a_link_shows_the_same_rows(visit: Visit, large_site: Path, large_folder: str) -> None:
    page = visit(large_site, large_folder + "values.html#opcode=copy&sort=1a")
    expect(readout(page)).to_contain_text("of 2,500 values")
    sizes = amounts(page, 2)
    assert sizes == sorted(sizes)


def test_more_rows_come_when_asked_for(visit: Visit, large_site: Path, large_folder: str) -> None:
    page = visit(large_site, large_folder + "values.html")
    page.get_by_role("button", name="Show 1,000 more of 2,500").click()
    expect(page.locator(ROWS)).to_have_count(2_000)
    page.get_by_role("button", name="Show 500 more of 2,500").click()
    expect(page.locator(ROWS)).to_have_count(2_500)
    expect(page.get_by_role("button", name="more of")).to_be_hidden()
    assert amounts(page, 2) == sorted(amounts(page, 2), reverse=True)
    sort_by(page, "Size")
    expect(page.locator(ROWS)).to_have_count(1_000)


def test_a_link_to_a_moment_shows_its_row_wherever_that_is(visit: Visit, large_site: Path, large_folder: str) -> None:
    page = visit(large_site, large_folder + "schedule.html#moment=7")
    expect(page.locator("tr:target > td").first).to_have_text("7")
    expect(page.locator(ROWS)).to_have_count(1_000)
    page = visit(large_site, large_folder + "schedule.html#moment=1234")
    expect(page.locator(f"{ROWS} > td").first).to_have_text("1,234")
    page.locator(".filters [name=clear]").click()
    expect(page.locator(f"{ROWS} > td").first).to_have_text("0")


def test_a_table_can_be_taken_along_with_exact_bytes(
    visit: Visit, large_site: Path, large_folder: str, values: dict[str, Any]
) -> None:
    page = visit(large_site, large_folder + "values.html")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    assert download.value.suggested_filename == "values.csv"
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
    assert [int(row["size"]) for row in rows] == sorted(values["size"], reverse=True)


def test_the_filters_have_no_accessibility_violations(visit: Visit, large_site: Path, large_folder: str) -> None:
    page = visit(large_site, large_folder + "values.html#opcode=copy")
    expect(readout(page)).to_contain_text("of 2,500 values")
    assert complaints(page) == []


def test_a_row_of_a_group_opens_to_all_of_its_values(visit: Visit, large_site: Path, large_folder: str) -> None:
    page = visit(large_site, large_folder + "index.html#group=class")
    rows = page.locator("[data-part=class] tbody tr")
    row = rows.nth(rows.evaluate_all("rows => rows.findIndex(row => row.querySelector('button.members'))"))
    row.locator("summary").click()
    row.get_by_role("button", name=re.compile("and [0-9,]+ more")).click()
    count = int(row.locator("summary").inner_text().partition(" ")[0].replace(",", ""))
    assert count > 40
    expect(row.locator("details a")).to_have_count(count)


def test_one_box_finds_words_in_names_operations_sources_and_shapes(
    visit: Visit, large_site: Path, large_folder: str, values: dict[str, Any]
) -> None:
    page = visit(large_site, large_folder + "values.html")
    scope = max(values["scopes"], key=len)
    page.fill(".filters [name=words]", f"{scope} f32[")
    expect(readout(page)).to_contain_text(re.compile(r"^[1-9][\d,]* of 2,500 values"))
    rows = page.locator(ROWS)
    expect(rows.first).to_contain_text("f32[")
    page.locator(".filters summary").click()
    page.fill(".filters [name=value]", scope)
    expect(readout(page)).to_contain_text("0 of 2,500 values")
    expect(readout(page)).to_contain_text("Find looks for words in the name, the operation")


def test_rows_are_filtered_by_name(visit: Visit, large_site: Path, large_folder: str, values: dict[str, Any]) -> None:
    page = visit(large_site, large_folder + "values.html#value=fusion 7")
    wanted = sum(
        "fusion" in name and "7" in name for name in map("".join, zip(values["name"], values["index"], strict=True))
    )
    expect(readout(page)).to_contain_text(f"{wanted:,} of 2,500 values")


def test_a_short_table_has_no_filters_unless_a_link_brings_one(visit: Visit, samples_site: Path) -> None:
    (tiny,) = samples_site.glob("m/jit-tiny-*")
    page = visit(samples_site, f"m/{tiny.name}/values.html")
    assert page.locator(ROWS).count() < 8
    expect(page.get_by_label("Opcode")).to_be_hidden()
    expect(page.locator(".filters").get_by_role("button", name="Download CSV")).to_be_visible()
    page.goto(page.url + "#opcode=parameter")
    page.reload()
    expect(page.get_by_label("Opcode")).to_have_value("parameter")
    expect(page.get_by_label("Opcode")).to_be_visible()
