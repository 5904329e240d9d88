"""What a newer XLA writes is counted and said once, and never turned into findings about the dump."""

import re
from collections.abc import Callable

import pytest

from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Analysis
from reportgen.input.dump_text import DumpText, Sibling
from reportgen.input.reading import load_siblings
from reportgen.parse.parser import parse_dump
from reportgen.program.join import joined
from tests.support.dumps import dump_text
from tests.support.samples import label_in, sample_files, sample_labels, samples

WITH_TEXT = label_in("cpu-tiny")
WITH_ELEMENTS = label_in("v5e-train-step-checkpoint")
_OPERAND = re.compile(r"(?<=[(, ])%([\w.\-]+)(?=[,)])")


def opcodes(old: str, new: str) -> Callable[[str], str]:
    return lambda text: re.sub(rf" {old}\(", f" {new}(", text)


FORMS: dict[str, Callable[[str], str]] = {
    "operand": lambda text: _OPERAND.sub(r"%\1@0", text),
    "operand in brackets": lambda text: _OPERAND.sub(r"<\1>", text),
    "layout attribute": lambda text: re.sub(r"(\[[\d,<=]+\]\{[\d,]+)(:?)([^{}\s]*)\}", r"\1:\3Q(7)}", text),
    "layout": lambda text: re.sub(r"(\[[\d,<=]+\]\{[\d,]+)(:?)([^{}\s]*)\}", r"\1:\3q[7]}", text),
    "opcode of fusions": opcodes("fusion", "merged"),
    "opcode of parameters": opcodes("parameter", "argument"),
    "opcode of loops": opcodes("while", "repeat"),
    "asynchronous operation": lambda text: re.sub(r"-start\(", "-begin(", re.sub(r"-done\(", "-end(", text)),
    "metadata field": lambda text: text.replace("metadata={", 'metadata={region={a=1 b="c"} trace=0x1f '),
    "attribute": lambda text: text.replace(", metadata=", ", weight={x={1,2}}, metadata="),
}


def reprinted(label: str, form: Callable[[str], str], *, is_dump_too: bool = True) -> Analysis:
    """Return the analysis of a sample and the files beside it, in another dialect; the dump itself may keep its own."""
    files = samples()[label]
    of_dump = form if is_dump_too else str
    text: DumpText = dump_text(*(of_dump(data.decode()).encode() for data in sample_files(label)))
    beside = [
        Sibling(one.kind, one.label, form(one.data.decode()).encode() if one.kind == "HLO text" else one.data)
        for one in load_siblings(files)
        if one.kind in ("HLO text", "usage report")
    ]
    dump = parse_dump(text)
    return analyse(dump, files.name.backend, joined(dump, files.name.module_name, beside))


def severe(analysis: Analysis) -> list[str]:
    return [one.slug for one in analysis.findings if one.severity != "note"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("label", sample_labels())
def test_a_new_form_is_one_finding_at_most_and_no_other_appears(label: str, form: str) -> None:
    before, after = reprinted(label, lambda text: text), reprinted(label, FORMS[form])
    new = severe(after)
    for slug in severe(before):
        if slug in new:
            new.remove(slug)
    assert new in ([], ["unknown-form"])
    unknown = [one.slug for one in after.findings if one.slug.startswith("unknown-")]
    assert len(set(unknown)) == len(unknown)


@pytest.mark.parametrize("mark", ["$", "@", "->", "::"])
def test_a_new_form_of_the_hlo_text_alone_is_not_blamed_on_the_file(mark: str) -> None:
    after = reprinted(WITH_ELEMENTS, lambda text: re.sub(r"(%[\w.\-]+)#", rf"\1{mark}", text), is_dump_too=False)
    assert [one.slug for one in after.findings] == ["unknown-form"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("label", sample_labels())
def test_a_new_form_changes_no_peak(label: str, form: str) -> None:
    before, after = reprinted(label, lambda text: text), reprinted(label, FORMS[form])
    assert {color: space.peak_resident for color, space in after.spaces.items()} == {
        color: space.peak_resident for color, space in before.spaces.items()
    }


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("operand", "operands of the form %x@i"),
        ("operand in brackets", "operands of the form <x>"),
        ("opcode of fusions", "instructions merged"),
    ],
)
def test_the_form_is_named_and_counted(form: str, words: str) -> None:
    [found] = [one for one in reprinted(WITH_TEXT, FORMS[form]).findings if one.slug == "unknown-form"]
    assert re.search(rf"written by a newer XLA: [\d,]+ {re.escape(words)} are not understood", found.message)


@pytest.mark.parametrize(
    ("form", "words"),
    [("layout attribute", "Q of 4 layouts"), ("metadata field", "region of 4 instructions, trace of 4 instructions")],
)
def test_an_attribute_is_named_and_counted(form: str, words: str) -> None:
    [found] = [one for one in reprinted(WITH_TEXT, FORMS[form]).findings if one.slug == "unknown-attribute"]
    assert words in found.message


def test_known_forms_are_all_known() -> None:
    for label in sample_labels():
        slugs = {one.slug for one in reprinted(label, lambda text: text).findings}
        assert "unknown-form" not in slugs, label
