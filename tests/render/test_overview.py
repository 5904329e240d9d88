"""The overview folds copies and reaches every module, and says first what needs most and what does not fit."""

import json
import re
from dataclasses import replace

import pytest

from reportgen.analyse.devices import CHIPS
from reportgen.analyse.identity import Leaf, digests, signature
from reportgen.render.site.overview import (
    MODULES_PER_PAGE,
    MOST_FITTING,
    SMALL_BYTES,
    SMALL_PART,
    NeedAxis,
    folded,
    overview_pages,
)
from reportgen.render.site.site_pages import site_pages
from reportgen.reports.formats import function_name
from reportgen.reports.summary import FirstSuggestion, LargestLine, Summary
from reportgen.work import Front
from tests.support.dumps import dump_text, parsed
from tests.support.markup_tree import Element, tree_of
from tests.support.site import read_page
from tests.support.summaries import index_of, made_up

ALLOCATION = "BufferAssignment:\nallocation 0: {address}size 4, parameter 0, shape |f32[]| at ShapeIndex {{}}:\n"


def _pages(*summaries: Summary) -> dict[str, str]:
    return {page.path: page.content.decode() for page in overview_pages("Memory", summaries, Front())}


def test_colors_that_only_rows_below_have_are_named_with_them() -> None:
    large = [replace(made_up(one), needed_bytes=SMALL_BYTES * 100, argument_bytes=SMALL_BYTES) for one in range(9)]
    other = replace(made_up(9), needed_bytes=SMALL_BYTES * 50, output_bytes=SMALL_BYTES)
    key = _pages(*large, other)["index.html"].partition("need-key")[2]
    assert '<span><i class="fill-parameter"></i>arguments</span>' in key
    assert '<span class="later"><i class="fill-output"></i>outputs</span>' in key
    assert "second line" not in key


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
    assert "1 module in 3 dumps, 2 of them copies" in " ".join(read_page(overview).text.split())
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


# The rows


def _rows(page: str) -> list[str]:
    """Return the modules of a table by their pages, in its order."""
    return re.findall(r'<tr><th scope="row"><a href="(m/[^"]+/index.html)"', page)


def _begins_with(page: str) -> list[str]:
    """Return the modules that the overview shows before its reader asks for all."""
    hides = re.search(r"tr:nth-child\(n\+(\d+)\) { display: none }", page)
    return _rows(page)[: int(hides[1]) - 1 if hides else None]


def test_every_module_has_a_row_on_one_of_the_pages_of_the_table() -> None:
    count = 2 * MODULES_PER_PAGE + 1
    pages = _pages(*(made_up(number) for number in range(count)))
    rows = [_rows(pages[path]) for path in ("index.html", "modules.page-2.html", "modules.page-3.html")]
    assert [len(found) for found in rows] == [MODULES_PER_PAGE, MODULES_PER_PAGE, 1]
    assert [href for found in rows for href in found] == [index_of(made_up(number)) for number in range(count)]


def test_the_overview_has_those_that_do_not_fit_the_largest_others_and_a_count_of_the_rest() -> None:
    over = [replace(made_up(number, needed=SMALL_BYTES + number), fits=False) for number in range(MOST_FITTING + 5)]
    large = [made_up(100 + number, needed=SMALL_BYTES << 10) for number in range(MOST_FITTING + 5)]
    small = [made_up(200 + number, needed=SMALL_BYTES >> 1) for number in range(7)]
    pages = _pages(*over, *large, *small)
    assert _begins_with(pages["index.html"]) == [index_of(module) for module in (*over[::-1], *large[:MOST_FITTING])]
    assert len(_rows(pages["index.html"])) == len(over) + len(large) + len(small)
    text = " ".join(read_page(pages["index.html"]).text.split())
    assert f"{len(over)} that do not fit and the {MOST_FITTING} largest others" in text
    assert "12 more modules need at most 1.00 GiB each. Show all 33" in text


def test_small_modules_are_a_sentence_unless_it_is_one_or_all_are() -> None:
    large, small = made_up(0, needed=SMALL_BYTES), [made_up(number) for number in (1, 2)]
    text = " ".join(read_page(_pages(large, *small)["index.html"]).text.split())
    assert "2 small modules need at most 999 B each. Show all 3" in text
    fitting = [replace(module, fits=True, capacity_bytes=1000) for module in small]
    assert "at most 999 B each, and fit." in " ".join(read_page(_pages(large, *fitting)["index.html"]).text.split())
    for modules in ((large, small[0]), small):
        pages = _pages(*modules)
        assert len(_begins_with(pages["index.html"])) == 2
        assert "all-rows" not in pages["index.html"]


def test_a_few_modules_whose_bar_could_not_be_seen_are_named() -> None:
    sizes = (SMALL_PART * 10 << 20, 10 << 20, (10 << 20) - 1, 2 << 20, 1 << 19)
    modules = [made_up(number, needed=size) for number, size in enumerate(sizes)]
    page = _pages(*modules)["index.html"]
    assert _begins_with(page) == [index_of(module) for module in modules[:2]]
    text = " ".join(read_page(page).text.split())
    assert "3 small modules need at most 10.0 MiB each. Show all 5" in text
    named = page[page.index('class="small-modules needs-script"') :]
    assert [index_of(module) in named for module in modules] == [False, False, True, True, True]
    many = [made_up(10 + number, needed=1 << 19) for number in range(6)]
    assert 'class="small-modules' not in _pages(*modules, *many)["index.html"]


def test_a_module_alone_in_its_folder_is_known_by_it_where_others_share_a_name() -> None:
    labels = {"a/module_0000.jit_step.txt": "jit_step", "b/module_0000.jit_step.txt": "jit_step", "c/m.txt": "m"}
    modules = [replace(made_up(0), label=label, title=title) for label, title in labels.items()]
    names = [row.name for row in folded([replace(one, content_digest=one.label) for one in modules])]
    assert names == ["a", "b", "c"]


def test_the_table_has_no_bars_that_could_not_be_seen() -> None:
    modules = [made_up(number, needed=size << 20) for number, size in enumerate((1000, 500, 2, 1))]
    page = _pages(*modules)["index.html"]
    assert len(_rows(page)) == 4
    assert page.count('class="need-bar"') == 2


def test_the_shard_lists_copies_on_the_page_of_their_row() -> None:
    last = made_up(900, content="same")
    first = made_up(0, content="same")
    others = [made_up(number) for number in range(1, MODULES_PER_PAGE + 1)]
    script = _pages(first, *others, last)["data/modules.js"]
    modules = json.loads(script.removeprefix('Report.put("modules",').removesuffix(");\n"))
    assert modules["href"][:2] == [index_of(first), index_of(last)]
    assert modules["page"] == [1] * (MODULES_PER_PAGE + 1) + [2]


def test_the_bar_of_a_module_adds_up_to_what_it_needs() -> None:
    lines = LargestLine(place="train.py:17", size_bytes=300), LargestLine(place="train.py:9", size_bytes=100)
    module = replace(made_up(0), needed_bytes=1100, output_bytes=200, largest_lines=lines)
    (row,) = folded([module])
    assert [(look, size) for look, _, size in row.parts] == [
        ("parameter", 250),
        ("output", 200),
        ("source-1", 300),
        ("source-2", 100),
        ("other", 250),
    ]


@pytest.mark.parametrize(
    ("arguments", "outputs", "words"),
    [(600, 100, "mostly arguments"), (450, 450, "mostly arguments and outputs"), (300, 100, "no large line")],
)
def test_without_a_large_line_a_row_says_what_most_of_it_is(arguments: int, outputs: int, words: str) -> None:
    module = replace(made_up(0), needed_bytes=1000, argument_bytes=arguments, output_bytes=outputs, filled="x")
    (row,) = folded([module])
    assert row.no_line == words


def test_the_largest_line_leads_to_its_file_or_to_the_peak() -> None:
    index = index_of(made_up(0))
    source, peak = index.replace("index.html", "source-1.html#L1"), f"{index}#peak"
    web = "https://example.org/a.py#L1"
    for href, leads_to in ((source, source), (web, web), ("", peak)):
        line = LargestLine(place="a.py:1", size_bytes=1, href=href)
        (row,) = folded([replace(made_up(0), largest_lines=(line,))])
        assert row.line_href(line) == leads_to


# Whether modules fit


def _counts(page: str) -> list[str]:
    """Return how many modules fit, as the overview says it."""
    return re.findall(r'<span class="count">\s*<span class="pill[^"]*">([^<]+)</span>', page)


def _offers(page: str) -> dict[str, str]:
    """Return what the overview would say of each device that its reader can name."""
    options = re.findall(r'data-words="([^"]*)">([^,]*),', page)
    return {title: words for words, title in options}


def test_the_overview_counts_what_fits_and_what_does_not() -> None:
    modules = [
        replace(made_up(number, needed=SMALL_BYTES), fits=fits, capacity_bytes=999)
        for number, fits in enumerate((False, True, True, None))
    ]
    assert _counts(_pages(*modules)["index.html"]) == ["1 does not fit", "2 fit", "1 unknown"]
    assert _counts(_pages(*modules[:1], made_up(8, content="0"), modules[1])["index.html"]) == [
        "1 does not fit",
        "1 fits",
    ]
    small = [*modules[:3], made_up(9)]
    assert _counts(_pages(*small)["index.html"]) == ["1 does not fit", "2 fit", "1 small, at most 991 B"]
    assert "To check the fit, add" in read_page(_pages(made_up(0), made_up(1))["index.html"]).text


def test_the_reader_can_name_the_device_of_modules_whose_own_is_not_known() -> None:
    large, small = CHIPS["v5e"] + 2**30, CHIPS["v5e"] - 2**30
    known = replace(made_up(2, backend="tpu"), fits=True, capacity_bytes=CHIPS["v5e"])
    asking = [made_up(number, backend="tpu", needed=size) for number, size in enumerate((large, small))]
    pages = _pages(*asking, known, made_up(3))
    assert _offers(pages["index.html"])["TPU v5e"] == "1 does not fit|2 fit|1 small, at most 997 B"
    assert _offers(pages["index.html"])["TPU v5p"] == "|3 fit|1 small, at most 997 B"
    assert re.findall(r'data-needs="(\d+)"', pages["index.html"]) == [str(large), str(small)]
    assert not _offers(_pages(known, made_up(3))["index.html"])


def test_the_axis_has_the_capacity_of_a_device_that_all_modules_share() -> None:
    def shared(*capacities: int | None) -> int | None:
        rows = folded([replace(made_up(number), capacity_bytes=one) for number, one in enumerate(capacities)])
        found = NeedAxis(rows)
        assert found.limit_bytes == max(1000, found.capacity_bytes or 0)
        return found.capacity_bytes

    assert shared(2000, 2000) == shared(2000, None) == 2000
    assert shared(2000, 900) is shared(9000, 9000) is shared(None) is None
    named = replace(made_up(0), capacity_bytes=2000, device="TPU v5e")
    assert NeedAxis(folded([named])).device == "TPU v5e"
    assert NeedAxis(folded([named, replace(made_up(1), capacity_bytes=2000)])).device == ""
    assert NeedAxis([]).limit_bytes == NeedAxis(folded([made_up(0, needed=0)])).limit_bytes == 1


def test_a_first_suggestion_that_makes_a_module_fit_is_said_to() -> None:
    first = FirstSuggestion(what="donate p", saving="saves about 500 B", fits_from_bytes=600)

    def is_solved(fits: bool | None, capacity: int | None, suggestion: FirstSuggestion | None = first) -> bool:
        module = replace(made_up(0), fits=fits, capacity_bytes=capacity, to_do_first=suggestion)
        (row,) = folded([module])
        return row.is_solved

    assert is_solved(False, 600)
    assert not any((is_solved(False, 599), is_solved(True, 2000), is_solved(None, None), is_solved(False, 600, None)))
    assert not is_solved(False, 600, replace(first, fits_from_bytes=None))


def test_a_smaller_batch_is_said_in_fewer_words_than_a_change_of_the_program() -> None:
    first = FirstSuggestion(what="half the batch", saving="saves about 500 B", fits_from_bytes=600)

    def cell(suggestion: FirstSuggestion, *, fits: bool | None = None) -> Element:
        module = replace(made_up(0), to_do_first=suggestion, fits=fits, capacity_bytes=600 if fits is False else None)
        return tree_of(_pages(module)["index.html"]).first("td", class_="do")

    at_line = cell(replace(first, place="t.py:6", href="s.html#L6"))
    assert [link.attributes["href"] for link in at_line.all("a")][1:] == ["s.html#L6"]
    assert "Half the batch" in at_line.text
    smaller = replace(first, is_smaller_batch=True)
    assert cell(smaller).text.startswith("Smaller batch")
    assert "Half the batch" in cell(smaller, fits=False).text


# A page for any missing one


def test_the_page_for_missing_pages_needs_no_other_file_and_leads_nowhere_wrong() -> None:
    (content,) = (page.content for page in site_pages("Memory", (), Front()) if page.path == "404.html")
    page = read_page(content.decode())
    assert page.references == ["data:,"]
    assert "remove everything from" in page.text
