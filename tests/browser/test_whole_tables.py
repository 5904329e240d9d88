"""Long tables as a reader uses them: the rest of the rows, a sort, a filter and a download cover all of them."""

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from reportgen.render.routes import ROWS_ON_PAGE
from tests.browser.axe import complaints
from tests.support.site import build_site, shard
from tests.support.synthetic import write_dump

Visit = Callable[..., Page]
ROWS = "details[open] table[data-whole] tbody tr:not(:has(label))"
FOLDS = "details[open] tr.fold button"
MOST = 1_000
TEXTS = """rows => rows.slice(0, 50).map(row => [...row.cells].map(cell => {
    const shown = cell.querySelector("summary") ?? cell.cloneNode(true);
    shown.querySelectorAll("svg, .mark, .bracket").forEach(mark => mark.remove());
    return shown.textContent.trim();
}))"""
"""The words of rows, without the drawings, and without what only opens with a click."""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a module with more values than a page has rows."""
    folder = tmp_path_factory.mktemp("large")
    write_dump(folder / "dumps", 2_500, seed=3)
    return next(build_site(folder / "dumps", folder / "site").glob("m/*/"))


@pytest.fixture
def visit_large(visit: Visit, large: Path) -> Visit:
    """`visit_large("explore.html")` opens a page of that module."""
    return lambda page: visit(large.parents[1], f"m/{large.name}/{page}")


@pytest.fixture(scope="module")
def values(large: Path) -> dict[str, Any]:
    data: dict[str, Any] = shard(large / "data" / "values.js")
    return data


def readout(page: Page) -> Locator:
    return page.locator("details[open] > .filters output")


def groups(values: dict[str, Any], numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the most bytes at one time and the number of values of each row, as `value_rows.py` makes them."""
    found: defaultdict[tuple[object, ...], defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number in numbers:
        allocation = values["allocation"][number]
        scope, label = values["scope"][number], values["label"][number]
        name = ("scope", scope) if scope else ("label", label) if label else values["name"][number]
        of_allocation = (values["allocations"][key][allocation] for key in ("color", "class"))
        key = (name, *(values[key][number] for key in ("relation", "source", "shape")), *of_allocation)
        found[key][values["unusualBuffer"].get(str(number), number)].append(number)
    rows = []
    for buffers in found.values():
        at = Counter[int]()
        for members in buffers.values():
            live = {m for n in members for m in range(values["first"][n], values["last"][n] + 1)}
            at.update(dict.fromkeys(live, max(values["size"][n] for n in members)))
        rows.append(
            (
                at[-1] + max((size for moment, size in at.items() if moment >= 0), default=0),
                sum(map(len, buffers.values())),
            )
        )
    return sorted(rows, reverse=True)


def sort_by(page: Page, name: str) -> None:
    page.locator("details[open] table[data-whole] thead").get_by_role("button", name=re.compile(rf"^{name}\b")).click()


def amounts(page: Page, column: int) -> list[int]:
    cells = page.locator(f"{ROWS} > :nth-child({column}) data")
    found: list[int] = cells.evaluate_all("cells => cells.map(cell => Number(cell.value))")
    return found


def test_a_sort_covers_all_values(visit_large: Visit, values: dict[str, Any]) -> None:
    page = visit_large("explore.html")
    every = [size for size, _ in groups(values, range(2_500))]
    sort_by(page, "At once")
    expect(readout(page)).to_contain_text("2,500 of 2,500 values")
    assert amounts(page, 1) == every[:MOST]
    sort_by(page, "At once")
    expect(page.locator("details[open] th[aria-sort=ascending]")).to_have_count(1)
    assert amounts(page, 1) == sorted(every)[:MOST]


@pytest.mark.parametrize("kind", ["values", "allocations", "instructions"])
def test_the_rows_made_by_scripts_are_those_of_the_page(visit_large: Visit, kind: str) -> None:
    page = visit_large(f"explore.html#view={kind}")
    if page.locator(FOLDS).count():
        page.locator(FOLDS).first.click()
        expect(page.locator("details[open] tr:focus")).to_be_visible()
    written = page.locator(ROWS).evaluate_all(TEXTS)
    column = "Number" if kind == "instructions" else "At once" if kind == "values" else "Size"
    sort_by(page, column)
    if kind == "instructions":
        expect(page.locator("details[open] th[aria-sort=descending]")).to_have_count(1)
        sort_by(page, column)
    expect(readout(page)).to_contain_text(" of ")
    expect(page.locator(ROWS).first).to_contain_text(written[0][0])
    assert page.locator(ROWS).evaluate_all(TEXTS) == written


def test_filters_combine_and_their_count_is_that_of_the_data(visit_large: Visit, values: dict[str, Any]) -> None:
    page = visit_large("explore.html")
    page.locator("details[open] .filters summary").click()
    page.select_option("details[open] .filters [name=opcode]", "copy")
    page.fill("details[open] .filters [name=shape]", "[128,")
    wanted = [
        number
        for number, opcode in enumerate(values["opcode"])
        if values["opcodes"][opcode] == "copy" and "[128," in values["shapes"][values["shape"][number]]
    ]
    assert wanted
    expect(readout(page)).to_contain_text(f"{len(wanted)} of 2,500 values")
    shown = groups(values, wanted)
    expect(page.locator(ROWS)).to_have_count(min(MOST, len(shown)))
    assert amounts(page, 1) == [size for size, _ in shown]
    page.go_back()
    page.go_forward()
    expect(page.locator("details[open] .filters [name=opcode]")).to_have_value("copy")
    page.locator("details[open] .filters [name=clear]").click()
    expect(page.locator(ROWS)).to_have_count(ROWS_ON_PAGE)


def test_a_link_shows_the_same_rows(visit_large: Visit) -> None:
    page = visit_large("explore.html#opcode=copy&sort=0a")
    expect(readout(page)).to_contain_text("of 2,500 values")
    sizes = amounts(page, 1)
    assert sizes == sorted(sizes)


def test_more_rows_come_when_asked_for(visit_large: Visit, values: dict[str, Any]) -> None:
    page, every = visit_large("explore.html"), groups(values, range(2_500))
    more = min(MOST, len(every) - ROWS_ON_PAGE)
    page.get_by_role("button", name=f"Show {more:,} more of {len(every):,}").click()
    expect(page.locator(ROWS)).to_have_count(ROWS_ON_PAGE + more)
    assert amounts(page, 1) == [size for size, _ in every[: ROWS_ON_PAGE + more]]


@pytest.mark.parametrize("is_by_key", [True, False])
def test_a_fold_opens_to_its_rows(visit_large: Visit, *, is_by_key: bool) -> None:
    page = visit_large("explore.html#view=instructions")
    folds, before = page.locator(FOLDS), page.locator(ROWS).count()
    count, words = folds.count(), folds.first.inner_text()
    if is_by_key:
        folds.first.press("Enter")
    else:
        folds.first.click()
    expect(folds).to_have_count(count - 1)
    expect(page.locator("details[open] tr:focus")).to_have_count(1)
    assert page.locator(ROWS).count() == before - 1 + int(words.partition(" ")[0].replace(",", ""))


def test_a_filter_of_instructions_has_no_folds_and_without_it_they_are_there_again(visit_large: Visit) -> None:
    page = visit_large("explore.html#view=instructions")
    count = page.locator(FOLDS).count()
    assert count
    page.fill("details[open] .filters [name=moment]", "7")
    expect(page.locator(f"{ROWS} > td").first).to_have_text("7")
    expect(page.locator(FOLDS)).to_have_count(0)
    page.locator("details[open] .filters [name=clear]").click()
    expect(page.locator(FOLDS)).to_have_count(count)
    expect(page.locator("details[open] button.more")).to_be_hidden()


def test_the_values_at_an_instruction_are_those_that_are_there(visit_large: Visit, values: dict[str, Any]) -> None:
    page = visit_large("explore.html#space=0&moment=1234")
    first, last, allocations = values["first"], values["last"], values["allocations"]
    present = [
        number
        for number in range(2_500)
        if first[number] <= 1234 <= last[number] and first[number] >= 0
        if values["classes"][allocations["class"][values["allocation"][number]]] != "thread-local"
    ]
    expect(readout(page)).to_contain_text(f"{len(present):,} of 2,500 values")
    expect(page.locator("details[open] .filters [name=moment]")).to_have_value("1234")


def test_a_link_to_a_row_of_an_instruction_shows_it_wherever_that_is(visit_large: Visit) -> None:
    page = visit_large("explore.html#view=instructions&moment=1234")
    expect(page.locator(f"{ROWS} > td").first).to_have_text("1,234")
    page.locator("details[open] .filters [name=clear]").click()
    expect(page.locator(f"{ROWS} > td").first).to_have_text("0")


def test_a_table_can_be_taken_along_with_exact_bytes(visit_large: Visit, values: dict[str, Any]) -> None:
    page = visit_large("explore.html")
    with page.expect_download() as download:
        page.locator("details[open]").get_by_role("button", name="Download CSV").click()
    assert download.value.suggested_filename == "values.csv"
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
    assert sorted(int(row["size"]) for row in rows) == sorted(values["size"])
    assert {"offset", "dense", "padding", "from", "to", "allocation"} <= rows[0].keys()


def test_the_filters_have_no_accessibility_violations(visit_large: Visit) -> None:
    page = visit_large("explore.html#opcode=copy")
    expect(readout(page)).to_contain_text("of 2,500 values")
    assert complaints(page) == []


def test_a_row_of_a_group_opens_to_all_of_its_values(visit_large: Visit) -> None:
    page = visit_large("index.html#group=class")
    rows = page.locator("[data-part=class] tbody tr")
    row = rows.nth(rows.evaluate_all("rows => rows.findIndex(row => row.querySelector('button.members'))"))
    row.locator("summary").click()
    row.get_by_role("button", name=re.compile("and [0-9,]+ more")).click()
    count = int(row.locator("summary").inner_text().partition(" ")[0].replace(",", ""))
    assert count > 40
    expect(row.locator("details a")).to_have_count(count)


def test_one_box_finds_words_in_names_operations_sources_and_shapes(visit_large: Visit, values: dict[str, Any]) -> None:
    page = visit_large("explore.html")
    scope = max(values["scopes"], key=len)
    page.fill("details[open] .filters [name=words]", f"{scope} f32[")
    expect(readout(page)).to_contain_text(re.compile(r"^[1-9][\d,]* of 2,500 values"))
    rows = page.locator(ROWS)
    expect(rows.first).to_contain_text("f32[")
    page.locator("details[open] .filters summary").click()
    page.fill("details[open] .filters [name=value]", scope)
    expect(readout(page)).to_contain_text("0 of 2,500 values")


def test_rows_are_filtered_by_name(visit_large: Visit, values: dict[str, Any]) -> None:
    page = visit_large("explore.html#value=fusion 7")
    wanted = sum(
        "fusion" in name and "7" in name for name in map("".join, zip(values["name"], values["index"], strict=True))
    )
    expect(readout(page)).to_contain_text(f"{wanted:,} of 2,500 values")


def test_a_short_table_has_no_filters_unless_a_link_brings_one(visit: Visit, samples_site: Path) -> None:
    (tiny,) = samples_site.glob("m/jit-tiny-*")
    page = visit(samples_site, f"m/{tiny.name}/explore.html")
    opcode = page.locator("details[open]").get_by_label("Opcode")
    assert page.locator(ROWS).count() < 8
    expect(opcode).to_be_hidden()
    expect(page.locator("details[open] .filters").get_by_role("button", name="Download CSV")).to_be_visible()
    page.goto(page.url + "#opcode=parameter")
    page.reload()
    expect(opcode).to_have_value("parameter")
    expect(opcode).to_be_visible()
