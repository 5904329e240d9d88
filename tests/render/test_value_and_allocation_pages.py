"""The pages of a value and of an allocation say who holds the same bytes, and say long things once."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import get_args

import pytest

from reportgen.analyse.liveness import Rule
from reportgen.analyse.notable import notable_values
from reportgen.analyse.records import Analysis
from reportgen.parse.stack_frames import Frame
from reportgen.pipeline import read_report
from reportgen.render.allocation.allocation_row import allocation_row
from reportgen.render.allocation.usage import MOST_DRAWN
from reportgen.render.html.links import Links
from reportgen.render.module.module_pages import module_pages
from reportgen.render.routes import ALLOCATIONS_FOLDER
from reportgen.render.value.about import WHY_ALIVE
from reportgen.render.value.value_page import ValueRenderer
from reportgen.render.view import Module
from tests.advice.recompiled_programs import program
from tests.program.test_authors import ALLOCATIONS, RANGES, USED
from tests.support.dumps import analysed
from tests.support.samples import samples
from tests.support.site import SitePage, read_page, section
from tests.support.sound import SOUND

LEAVES, CROWD = 3, 1200
LOOP = "\n".join((ALLOCATIONS, USED, RANGES))


def long_tuple() -> str:
    values = [f" value: <{leaf} t{{{leaf}}} @0> (size=4,offset={4 * leaf}): f32[]" for leaf in range(LEAVES)]
    instruction = f" from instruction: %t = tuple({'%a, ' * 100}%a)"
    used = [f"<{leaf} t{{{leaf}}} @0>\n positions:\n  t {{{leaf}}}\n uses:\n{instruction}" for leaf in range(LEAVES)]
    head = ["BufferAssignment:", "allocation 0: size 12, preallocated-temp:"]
    return "\n".join([*head, *values, "", "Total bytes used: 12 (12B)", "", "Used values:", *used, ""])


def crowded(count: int = CROWD) -> str:
    values = [f" value: <{number} v{number} @0> (size=4,offset={4 * number}): f32[]" for number in range(count)]
    ranges = [f"    v{number}{{}}:0-1" for number in range(count)]
    head = ["BufferAssignment:", f"allocation 0: size {4 * count}, preallocated-temp:"]
    schedule = ["HloLiveRange (max 2):", "  InstructionSequence:", "    0:v0", "    1:v1", "  BufferLiveRange:"]
    return "\n".join([*head, *values, "", f"Total bytes used: {4 * count} (4.7KiB)", "", *schedule, *ranges, ""])


def module_of(analysis: Analysis) -> Module:
    return Module(label="step.txt", title="step", stage=None, number=None, analysis=analysis)


def pages_of(text: str) -> Mapping[str, SitePage]:
    module = module_of(analysed(text))
    folder = module.routes.folder
    pages = {page.path.removeprefix(folder): page.content.decode() for page in module_pages(module, "Memory")}
    return {path: read_page(page) for path, page in pages.items() if path.endswith(".html")}


def about(page: SitePage) -> str:
    return " ".join(page.text.split())


def sections_of(text: str) -> Mapping[str, str]:
    """Return what the section of each value says, by its id."""
    module = module_of(analysed(text))
    pages = [page.content.decode() for page in module_pages(module, "Memory") if "/v/" in page.path]
    return {
        name: about(read_page(section(page, name)))
        for page in pages
        for name in re.findall(r'<section id="(\w+)">', page)
    }


def about_in_sample(sample: str, name: str) -> str:
    """Return the page of a value whose names come from the HLO text, too."""
    report, _ = read_report(next(files for label, files in samples().items() if label.startswith(sample)))
    assert report is not None
    number = report.analysis.dump.number_at(f"{name}{{}}")
    assert number is not None
    page = ValueRenderer(module_of(report.analysis), "Memory").page([number])
    return about(read_page(page.content.decode()))


def test_a_hand_over_is_distinguished_from_reuse_of_an_address() -> None:
    said = sections_of(SOUND)
    assert "Successorsc (handed over)" in said["v1"]
    assert "Predecessorsa (handed over)" in said["v4"]
    assert "handed over" not in said["v3"]


def test_a_value_that_shares_its_bytes_with_none_by_the_rules_of_xla_is_alone_in_its_buffer() -> None:
    assert "Buffer" not in sections_of(SOUND)["v4"]


def test_a_value_names_its_neighbours_in_its_buffer_and_the_author() -> None:
    said = sections_of(LOOP)
    assert "one of 4 values that share these bytes by the rules of XLA: this → carried{1} → … → loop{1}" in said["v1"]
    assert "zeros → … → written → this" in said["v4"]
    assert "Live from 1 to 6.Written by: jit(f)/while/body/attn/sub" in said["v4"]
    assert "Successorswritten (same buffer)" in said["v2"]


def test_a_buffer_with_a_gap_is_held_more_than_once() -> None:
    """Between a loop's initial value and its body, other data may lie in the slice."""
    assert "Live from 41 to 50, 54 to 57." in about_in_sample("gpu-control-flow", "while.94.0")


def test_new_data_in_the_memory_of_a_donated_argument_is_told_from_the_argument_and_its_copy() -> None:
    new, copy = (about_in_sample("cpu-train-step", name) for name in ("fusion.14.clone", "copy.3"))
    assert "Argumentnew data in the memory of p['layer_0']['w'], which is donated" in new
    assert "Operationjit(mlp_train_step)/jit(main)/sub" in new
    assert "Argumenta copy of p['layer_1']['w']copied from: Arg_3.4" in copy
    assert "Argumentp['layer_1']['w']" in about_in_sample("cpu-train-step", "Arg_3.4")


def test_only_the_first_value_of_an_instruction_shows_a_long_text() -> None:
    said = sections_of(long_tuple())
    assert [number for number in range(LEAVES) if "%t = tuple" in said[f"v{number}"]] == [0]
    assert "Full instruction text: see" in said["v1"]


def test_a_table_says_without_scripts_how_many_rows_its_page_has() -> None:
    pages = pages_of(crowded())
    for path in ("a/0.html", "values.html"):
        text = " ".join(pages[path].text.split())
        assert "Without scripts the table has the first 1,000 of 1,200 rows." in text


def test_ranges_that_are_left_out_are_counted() -> None:
    text = " ".join(pages_of(crowded())["a/0.html"].text.split())
    assert "The first 100 ranges; 1,100 more are not listed." in text


@pytest.mark.parametrize("values", [MOST_DRAWN, MOST_DRAWN + 1])
def test_an_allocation_of_many_values_has_a_map_only_with_scripts(values: int) -> None:
    page = pages_of(crowded(values))["a/0.html"]
    is_drawn = values <= MOST_DRAWN
    (script_map,) = (figure for figure in page.all("figure") if figure.get("id") == "packing-map")
    static = [figure for figure in page.all("figure") if "packing" in figure.get("class", "").split()]
    assert script_map["data-allocation"] == "0"
    assert len(static) == is_drawn
    assert ("Charts need JavaScript" in page.text) != is_drawn


@pytest.mark.parametrize("rule", get_args(Rule))
def test_every_rule_that_ends_a_live_range_has_a_sentence(rule: Rule) -> None:
    assert WHY_ALIVE[rule].endswith(".")


def test_a_page_that_values_share_explains_a_shape_once() -> None:
    pages = [page.text for path, page in pages_of(crowded()).items() if path.startswith("v/")]
    assert {text.count("A scalar of type f32") for text in pages} == {1}
    assert sum(text.count("Explained with v") for text in pages) == CROWD - len(pages)


def test_a_page_lists_the_frames_of_a_stack_once() -> None:
    made = module_of(program("flax_gpt+donate"))
    stacks: defaultdict[Sequence[Frame], list[int]] = defaultdict(list)
    for number in compress(range(len(made.analysis.facts)), notable_values(made.analysis)):
        stacks[made.attribution(number).stack].append(number)
    same = next(numbers for stack, numbers in stacks.items() if len(numbers) > 2 and len(stack) > 1)
    text = about(read_page(ValueRenderer(made, "Memory").page(same[:3]).content.decode()))
    assert text.count("Stack of") == 1
    assert text.count("same stack as") == 2


def test_the_row_of_an_allocation_says_what_it_is_for_and_when_each_value_is_live() -> None:
    head = "BufferAssignment:\nallocation 7: size 4, parameter 2, shape |f32[]| at ShapeIndex {3}, maybe-live-out:"
    values = [f" value: <{number} v{number} @0> (size=4,offset=0): f32[]" for number in (1, 2)]
    schedule = "HloLiveRange (max 2):\n  InstructionSequence:\n    0:v1\n    1:v3\n  BufferLiveRange:\n    v1{}:0-1"
    text = "\n".join([head, *values, "", "Total bytes used: 4 (4B)", "", schedule, ""])
    module = module_of(analysed(text))
    row = allocation_row(module, Links(module, 1, ALLOCATIONS_FOLDER), 0)
    assert '<tr id="a7">' in row
    cells = [read_page(cell).text for cell in re.split("<t[dh][^>]*>", row)[1:]]
    assert cells == ["7", "4", "parameter 2 {3}, maybe live out", "0 · default memory", "v1 0 to 1, v2 –", "2"]
