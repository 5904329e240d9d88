"""The icicle of a peak: every row adds up, boxes lead to what they are, and it stays small."""

from collections.abc import Sequence

from hypothesis import given

from reportgen.analyse.peak_stacks import peak_stacks
from reportgen.analyse.records import Analysis
from reportgen.parse.stack_frames import Frame
from reportgen.program.author import Author
from reportgen.render.drawings.icicle import Icicle, PeakBox, icicle
from reportgen.render.html.links import Links
from reportgen.render.html.templates import environment
from tests.support.modules import module_of
from tests.support.site import read_page
from tests.support.stacks import analysis_of, authored_analyses

MOST_BYTES = 40_000


def links_of(analysis: Analysis) -> Links:
    return Links(module_of(analysis))


def drawn(analysis: Analysis) -> Icicle | None:
    return icicle(peak_stacks(analysis, analysis.spaces[0]), links_of(analysis), LOOKS)


def markup(made: Icicle) -> str:
    part = environment().get_template("parts/icicle.html").make_module({"root": ""})
    return str(part.peak_icicle(made, links_of(analysis_of((8, Author())))))  # type: ignore[attr-defined]


def assert_adds_up(boxes: Sequence[PeakBox], size_bytes: int) -> None:
    assert sum(box.size_bytes for box in boxes) == size_bytes
    for box in boxes:
        if box.children:
            assert_adds_up(box.children, box.size_bytes)


def frame(name: str, line: int) -> Frame:
    return Frame("/home/u/train.py", name, line)


STEP, LOSS, LAYER = frame("step", 3), frame("make.<locals>.loss", 7), frame("layer", 12)
LOOKS = {str(LAYER): "source-1", str(LOSS): "source-2"}


@given(authored_analyses(most=200))
def test_every_row_adds_up_to_the_peak_in_at_most_40_kb(analysis: Analysis) -> None:
    made = drawn(analysis)
    if made:
        assert_adds_up(made[0], sum(size for size in analysis.facts.values.sizes))
        assert len(markup(made).encode()) <= MOST_BYTES


def test_many_parts_are_at_most_40_kb() -> None:
    names = [f"function_{'x' * 80}_{number}" for number in range(100)]
    made = drawn(
        analysis_of(
            *((10_000 + n, Author(scope="é" * 200, stack=(frame(name, n), STEP))) for n, name in enumerate(names))
        )
    )
    assert made
    assert len(markup(made).encode()) <= MOST_BYTES


def test_a_box_has_its_name_line_and_bytes_and_leads_to_its_largest_value() -> None:
    made = drawn(
        analysis_of(
            (600 << 20, Author(scope="jit(f)/exp", stack=(LAYER, LOSS, STEP))),
            (300 << 20, Author(scope="jit(f)/mul", stack=(LOSS, STEP))),
            (100 << 20, Author(argument="params['w']", rule="argument")),
        )
    )
    assert made
    assert made[1] == "step train.py:3, loss train.py:7"
    page = read_page(markup(made))
    links = [link for link in page.all("a") if "title" in link]
    assert [link["title"].partition(":")[0] for link in links] == [
        "layer train.py",
        "mul u8[314572800]",
        "arguments",
        "params['w'] u8[104857600]",
    ]
    assert links[0]["title"] == "layer train.py:12 exp u8[629145600]: 629,145,600 bytes, 60.0 %"
    assert all(link["href"].startswith("explore.html#v") for link in links)
    assert made[0][0].look == "source-1"


def test_a_box_too_narrow_for_its_name_has_none_but_a_title() -> None:
    made = drawn(
        analysis_of((985, Author(scope="exp", stack=(LAYER, STEP))), (15, Author(scope="mul", stack=(LOSS, STEP))))
    )
    assert made
    assert [(box.name, box.size_bytes, bool(box.title)) for box in made[0]] == [("layer", 985, True), ("", 15, True)]


def test_smaller_parts_are_one_box_without_a_link() -> None:
    small = [(1, Author(scope=f"op{letter}", stack=(STEP,))) for letter in "abcd"]
    made = drawn(analysis_of((996, Author(scope="exp", stack=(LAYER, STEP))), *small))
    assert made
    rest = made[0][-1]
    assert (rest.title, rest.href) == ("4 smaller parts: 4 bytes, 0.4 %", "")


def test_nothing_is_drawn_of_a_peak_without_names() -> None:
    assert drawn(analysis_of((8, Author()), (8, Author()))) is None


def test_what_is_below_a_box_without_a_name_is_not_drawn() -> None:
    parts = [(7, Author(argument=f"o['{name}']", rule="argument")) for name in "ab"]
    made = drawn(analysis_of((986, Author(scope="exp", stack=(LAYER, STEP))), *parts))
    assert made
    assert [(box.look, box.name, box.children) for box in made[0][1:]] == [("argument", "", ())]


def test_arguments_without_room_for_the_word_are_short() -> None:
    for others, name in ((950, "args"), (50, "arguments")):
        arguments = [(25, Author(argument=f"o['{name}']", rule="argument")) for name in "ab"]
        made = drawn(analysis_of((others, Author(scope="exp", stack=(LAYER, STEP))), *arguments))
        assert made
        assert [box.name for box in made[0] if box.look == "argument"] == [name]
