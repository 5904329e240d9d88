"""The overview folds copies and reaches every module."""

import json
import re
from dataclasses import replace

import pytest

from reportgen.analyse.devices import CHIPS
from reportgen.analyse.identity import Leaf, digests, signature
from reportgen.render.site.overview import MODULES_PER_PAGE, MOST_BARS, folded, largest_modules, overview_pages
from reportgen.render.site.site_pages import site_pages
from reportgen.reports.formats import function_name
from reportgen.reports.summary import Summary
from reportgen.work import Front
from tests.support.dumps import dump_text, parsed
from tests.support.site import read_page
from tests.support.summaries import index_of, made_up

ALLOCATION = "BufferAssignment:\nallocation 0: {address}size 4, parameter 0, shape |f32[]| at ShapeIndex {{}}:\n"


def _pages(*summaries: Summary) -> dict[str, str]:
    return {page.path: page.content.decode() for page in overview_pages("Memory", summaries, Front())}


# Copies


def test_a_digest_ignores_the_addresses_of_allocations_and_nothing_else() -> None:
    found = {digests(dump_text(ALLOCATION.format(address=f"{address}, "))).content for address in ("0x1f", "0x2e")}
    assert len(found) == 1
    assert digests(dump_text(ALLOCATION.format(address="").replace("size 4", "size 8"))).content not in found


def test_a_digest_knows_the_parts_apart() -> None:
    assert digests(dump_text("one", "two")).content != digests(dump_text("onetwo")).content


def test_modules_of_one_content_share_the_row_of_the_first() -> None:
    modules = [made_up(0), made_up(1, content="same"), made_up(2), made_up(3, content="same")]
    rows = [(row.module.label, [copy.label for copy in row.copies]) for row in folded(modules)]
    assert rows == [(modules[0].label, []), (modules[1].label, [modules[3].label]), (modules[2].label, [])]


def test_a_folded_module_is_linked_and_counted() -> None:
    overview = _pages(*(made_up(number, content="same") for number in range(3)))["index.html"]
    assert "× 3 identical dumps" in overview
    assert {index_of(made_up(number)) for number in range(3)} <= set(read_page(overview).references)


# The names and shapes of modules


def test_a_signature_lists_parameters_in_their_order_and_the_leaves_of_the_output() -> None:
    dump = parsed(
        "BufferAssignment:\n"
        "allocation 0: size 8, output shape is |(f32[2], (s32[], f32[3]))|, maybe-live-out:\n"
        "allocation 1: size 8, parameter 10, shape |f32[2]| at ShapeIndex {}:\n"
        "allocation 2: size 4, parameter 2, shape |s32[]| at ShapeIndex {1}:\n"
        "allocation 3: size 12, parameter 2, shape |f32[3]| at ShapeIndex {0}:\n"
    )
    assert signature(dump) == (
        Leaf("parameter 2{0}", "f32[3]"),
        Leaf("parameter 2{1}", "s32[]"),
        Leaf("parameter 10", "f32[2]"),
        Leaf("output{0}", "f32[2]"),
        Leaf("output{1,0}", "s32[]"),
        Leaf("output{1,1}", "f32[3]"),
    )


def test_functions_that_tensorflow_traced_again_are_one_function() -> None:
    titles = [f"a_inference_train_step_{number}__XlaMustCompile_true_config_proto_3_.198" for number in (141, 236)]
    assert {function_name(title) for title in titles} == {"train_step"}


# The table and the chart


def test_every_module_has_a_row_on_one_of_the_pages() -> None:
    count = 2 * MODULES_PER_PAGE + 1
    pages = _pages(*(made_up(number) for number in range(count)))
    tables = [pages["index.html"], pages["modules.page-2.html"], pages["modules.page-3.html"]]
    rows = [re.findall(r'<tr><th scope="row"><a href="(m/[^"]+/index.html)"', page) for page in tables]
    assert [len(found) for found in rows[1:]] == [MODULES_PER_PAGE, 1]
    assert {href for found in rows for href in found} == {index_of(made_up(number)) for number in range(count)}


def test_the_shard_lists_copies_on_the_page_of_their_row() -> None:
    last = made_up(900, content="same")
    first = made_up(0, content="same")
    others = [made_up(number) for number in range(1, MODULES_PER_PAGE + 1)]
    script = _pages(first, *others, last)["data/modules.js"]
    modules = json.loads(script.removeprefix('Report.put("modules",').removesuffix(");\n"))
    assert modules["href"][:2] == [index_of(first), index_of(last)]
    assert modules["page"] == [1] * (MODULES_PER_PAGE + 1) + [2]


def test_the_chart_shows_the_largest_in_parts_that_add_up() -> None:
    rows = folded([made_up(number) for number in range(MOST_BARS + 5)])
    chart = largest_modules(rows)
    assert chart is not None
    totals = chart.data["datasets"]["totals"]
    assert [total["end"] for total in totals] == [1000 - number for number in range(MOST_BARS)]
    ends = {part["rank"]: part["high"] for part in chart.data["datasets"]["parts"]}
    assert list(ends.values()) == [1000 - number for number in range(MOST_BARS)]


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (("a/dump/f.txt", "b/dump/f.txt"), ["a · jit_step", "b · jit_step"]),
        (("x/a/dump/f.txt", "x/b/c/dump/f.txt"), ["a · jit_step", "b/c · jit_step"]),
        (("dump/0.f.txt", "dump/1.f.txt"), ["0.f.txt · jit_step", "1.f.txt · jit_step"]),
        (("a/b/f.txt", "a/f.txt"), ["b · jit_step", "jit_step"]),
        (("a/0.f.txt", "b/1.f.txt"), ["a · jit_step", "b · jit_step"]),
        (("a/f.txt",), ["jit_step"]),
    ],
)
def test_repeated_names_in_the_chart_get_the_part_of_the_path_that_differs(labels: list[str], names: list[str]) -> None:
    modules = [replace(made_up(number), label=label) for number, label in enumerate(labels)]
    chart = largest_modules(folded(modules))
    assert chart is not None
    assert chart.data["params"]["names"] == names


# Whether modules fit


def _offers(page: str) -> dict[str, tuple[str, str]]:
    """Return what the overview would say of each device that its reader can name."""
    options = re.findall(r'data-count="([^"]*)" data-words="([^"]*)"[^>]*>([^,]*),', page)
    return {title: (count, words) for count, words, title in options}


def test_the_reader_can_name_the_device_of_modules_whose_own_is_not_known() -> None:
    large, small = CHIPS["v5e"] + 2**30, CHIPS["v5e"] - 2**30
    known = replace(made_up(2, backend="tpu"), fits=True, capacity_bytes=CHIPS["v5e"])
    asking = [made_up(number, backend="tpu", needed=size) for number, size in enumerate((large, small))]
    pages = _pages(*asking, known, made_up(3))
    assert _offers(pages["index.html"])["TPU v5e"] == ("2 of 3", "1.00 GiB over capacity at worst; 1 unknown")
    assert _offers(pages["index.html"])["TPU v5p"] == ("3 of 3", "All fit; 1 unknown")
    assert re.findall(r'data-needs="(\d+)"', pages["index.html"]) == [str(large), str(small)]
    assert not _offers(_pages(known, made_up(3))["index.html"])


def test_the_chart_has_the_line_of_a_device_that_all_modules_share() -> None:
    def line(*capacities: int | None) -> list[dict[str, int]]:
        modules = [replace(made_up(number), capacity_bytes=one) for number, one in enumerate(capacities)]
        chart = largest_modules(folded(modules))
        assert chart is not None
        lines: list[dict[str, int]] = chart.data["datasets"]["capacity"]
        assert chart.data["params"]["limit"] == max([1000, *(one["limit"] for one in lines)])
        return lines

    assert line(2000, 2000) == [{"limit": 2000}]
    assert line(2000, None) == line(2000, 900) == line(9000, 9000) == []


def test_a_module_without_memory_has_no_chart() -> None:
    assert largest_modules([]) is None
    assert largest_modules(folded([made_up(0, needed=0)])) is None


# A page for any missing one


def test_the_page_for_missing_pages_needs_no_other_file_and_leads_nowhere_wrong() -> None:
    (content,) = (page.content for page in site_pages("Memory", (), Front()) if page.path == "404.html")
    page = read_page(content.decode())
    assert page.references == ["data:,"]
    assert "remove everything from" in page.text
