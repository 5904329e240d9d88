"""The views of a value and of an allocation say who holds the same bytes, when, and what it is to the program."""

import re
from collections.abc import Mapping
from typing import get_args

import pytest

from reportgen.analyse.liveness import Rule
from reportgen.pipeline import read_report
from reportgen.render.drawings.packing import MOST_BLOCKS
from reportgen.render.explore.allocation_views import MOST_ROWS
from reportgen.render.explore.explore_page import explore_page
from reportgen.render.html.links import Links
from reportgen.render.routes import ROWS_ON_PAGE, value_id
from reportgen.render.value.about import WHY_ALIVE, ValuePlace
from reportgen.render.view import Module
from reportgen.reports.advice_words import title_words
from reportgen.reports.source_words import short_words
from tests.advice.recompiled_programs import program
from tests.program.test_authors import ALLOCATIONS, RANGES, USED
from tests.support.dumps import analysed
from tests.support.modules import module_of
from tests.support.samples import samples
from tests.support.site import SitePage, own_views, read_page
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
    head = ["BufferAssignment:", f"allocation 5: size {4 * count}, preallocated-temp:"]
    schedule = ["HloLiveRange (max 2):", "  InstructionSequence:", "    0:v0", "    1:v1", "  BufferLiveRange:"]
    return "\n".join([*head, *values, "", f"Total bytes used: {4 * count} (4.7KiB)", "", *schedule, *ranges, ""])


def explore(made: Module) -> str:
    return explore_page(made, "Memory").content.decode()


def explored(text: str) -> str:
    return explore(module_of(analysed(text)))


def about(page: SitePage) -> str:
    return " ".join(page.text.split())


def told(made: Module) -> Mapping[str, str]:
    """Return what the view of each value and allocation says, by its id."""
    return {name: about(read_page(view)) for name, view in own_views(explore(made)).items()}


def told_of(text: str) -> Mapping[str, str]:
    return told(module_of(analysed(text)))


def told_of_value(made: Module, number: int | None) -> str:
    assert number is not None
    return told(made)[value_id(made.routes.value_names[number])]


def module_in_sample(sample: str) -> Module:
    """Return a module whose names come from the HLO text, too."""
    report, _ = read_report(next(files for label, files in samples().items() if label.startswith(sample)))
    assert report is not None
    return module_of(report.analysis)


def test_a_hand_over_is_distinguished_from_reuse_of_an_address() -> None:
    said = told_of(SOUND)
    assert "Afterc (handed over)" in said["v1"]
    assert "Beforea (handed over)" in said["v4"]
    assert "handed over" not in said["v3"]


def test_a_value_that_shares_its_bytes_with_none_by_the_rules_of_xla_is_alone_in_its_buffer() -> None:
    assert "Same buffer" not in told_of(SOUND)["v4"]


def test_a_value_names_its_neighbours_in_its_buffer_and_the_author() -> None:
    said = told_of(LOOP)
    assert "Same bufferthis → carried{1} → … → loop{1}, 4 values that XLA keeps in the same bytes." in said["v1"]
    assert "zeros → … → written → this" in said["v4"]
    assert "Live from 1 to 6." in said["v4"]
    assert "attn/sub" in said["v4"]
    assert "Operationjit(f)/while/body/attn/sub" in said["v4"]


def test_a_value_of_the_same_buffer_is_not_named_as_its_neighbour_again() -> None:
    assert not re.search("Before|After", told_of(LOOP)["v2"])


def test_the_picture_of_a_value_has_the_life_of_its_contents_and_the_curve_once_on_a_page() -> None:
    page = explored(LOOP)
    assert page.count('<symbol id="curve-0">') == 1
    assert page.count('<use href="#curve-0"/>') == page.count('class="life-curve ')
    # Of the four values of one buffer, two have what `zeros` writes and two what `written` does, as their uses say.
    assert page.count('<path class="held" d="M20 6h60"/><path class="used" d="M20 6h20M60 6h20"/>') == 2
    assert page.count('<path class="held" d="M60 6h80"/><path class="idle" d="M80 6h40"/>') == 2


def test_a_value_says_what_it_takes_of_the_peak_when_it_is_written_and_who_reads_it() -> None:
    said = told_of(SOUND)["v1"]
    assert "256 B 5.0 % of the peak" in said
    assert "1written" in said
    assert re.search(r"\d+(read|read last)", said)


def test_a_value_that_a_loop_hands_on_is_read_last_by_what_reads_the_loop() -> None:
    said = told_of(LOOP)
    assert all("6readresult" in said[value] for value in ("v3", "v4"))
    assert "3writtenwritten" in said["v3"]


def test_a_value_that_is_live_after_its_last_read_says_which_loop_holds_it() -> None:
    ends = re.compile(r"The loop [^.]+\.\w+:\d+ holds it until ([\d,]+)\..*?([\d,]+)read last")
    said = [pair for view in told(module_in_sample("v5e-train-step")).values() for pair in ends.findall(view)]
    assert said
    assert all(int(last.replace(",", "")) < int(end.replace(",", "")) for end, last in said)


def test_a_buffer_with_a_gap_is_held_more_than_once() -> None:
    """Between a loop's initial value and its body, other data may lie in the slice."""
    made = module_in_sample("gpu-control-flow")
    number = made.analysis.dump.number_at("while.94.0{}")
    assert number is not None
    assert "Live from 41 to 50, 54 to 57." in ValuePlace(made, Links(made)).section(number)


def test_new_data_in_the_memory_of_a_donated_argument_is_told_from_the_argument_and_its_copy() -> None:
    made = module_in_sample("cpu-train-step")
    number_at, said = made.analysis.dump.number_at, told(made)
    numbers = map(number_at, ("fusion.14.clone{}", "copy.3{}", "Arg_3.4{}"))
    new, copy, argument = (said[f"v{made.routes.value_names[number]}"] for number in numbers if number is not None)
    assert "Argumentnew data in the memory of p['layer_0']['w'], which is donated" in new
    assert "Operationjit(mlp_train_step)/jit(main)/sub" in new
    assert "Argumenta copy of p['layer_1']['w']copied from: Arg_3.4" in copy
    assert "The argument p['layer_1']['w'], kept for the whole run" in argument


def test_only_the_first_value_of_an_instruction_shows_a_long_text() -> None:
    said = told_of(long_tuple())
    assert [number for number in range(LEAVES) if "%t = tuple" in said[f"v{number}"]] == [0]
    assert "Full instruction text: see" in said["v1"]


def test_a_table_says_without_scripts_how_many_rows_its_page_has() -> None:
    text = about(read_page(explored(crowded())))
    assert f"Without scripts the table has the first {ROWS_ON_PAGE} of 1,200 rows." in text


def test_an_allocation_has_a_picture_of_its_largest_values_and_the_first_of_its_groups() -> None:
    view = own_views(explored(crowded()))["a5"]
    page = read_page(view)
    assert len(page.all("path")) >= MOST_BLOCKS
    assert f"{MOST_BLOCKS} values are drawn, the largest and those of the peak." in about(page)
    assert view.partition("</tbody>")[0].count("<tr") == 1 + MOST_ROWS
    assert "All 1,200 values" in about(page)
    assert "#view=values&allocation=0" in page.references  # its place among all, as in the data


@pytest.mark.parametrize("rule", get_args(Rule))
def test_every_rule_that_ends_a_live_range_has_a_sentence(rule: Rule) -> None:
    assert WHY_ALIVE[rule].endswith(".")


def test_a_value_says_which_lines_call_the_one_that_it_comes_from() -> None:
    made = module_of(program("flax_gpt+donate"))
    text = told_of_value(made, made.analysis.spaces[0].composition[0].value)
    assert re.search(r"flax_gpt\.py:17 in Attention\.__call__Called from flax_gpt\.py:\d+, flax_gpt\.py:\d+", text)


def test_a_value_names_the_suggestions_that_are_about_it() -> None:
    made = module_of(program("flax_gpt+donate"))
    suggestion = made.advice[0].best[0]
    text = told_of_value(made, suggestion.buffers[0])
    assert re.search(f"Suggestions: .*{re.escape(short_words(title_words(suggestion)))}, saves", text)


def test_an_allocation_says_what_it_is_for_and_how_full_it_is() -> None:
    head = "BufferAssignment:\nallocation 7: size 8, parameter 2, shape |f32[]| at ShapeIndex {3}, maybe-live-out:"
    values = [f" value: <{number} v{number} @0> (size=4,offset=0): f32[]" for number in (1, 2)]
    schedule = "HloLiveRange (max 2):\n  InstructionSequence:\n    0:v1\n    1:v3\n  BufferLiveRange:\n    v1{}:0-1"
    text = told_of("\n".join([head, *values, "", "Total bytes used: 8 (8B)", "", schedule, ""]))["a7"]
    for words in (
        "Allocation 7 8 B Reused by 2 values parameter 2, donated in 0 · default memory",
        "At the peak4 bytes used, 4 free, at instruction 0 v1",
        "Parameter 2 at ShapeIndex {3} f32[]",
        "In the dumpstep-buffer-assignment.txt:2",
    ):
        assert words in text
