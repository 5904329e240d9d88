"""Sibling files: agreement with the dump counts as evidence, and every silent change of one of them is noticed."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Analysis
from reportgen.input.dump_text import DumpText, Sibling
from reportgen.input.reading import load_siblings
from reportgen.parse.assignment_proto import parse_assignment_proto
from reportgen.parse.hlo_text import parse_hlo_text
from reportgen.parse.module_text import ModuleText
from reportgen.parse.parser import parse_dump
from reportgen.program.join import joined
from reportgen.protos.proto_messages import ProtoError
from tests.support.dialects import ELEMENTS_OF_A_TUPLE
from tests.support.dumps import analysed, dump_text, parsed, slugs
from tests.support.samples import ROOT, label_in, sample_analysis, sample_files, sample_labels, samples

TINY = label_in("cpu-tiny")
PROTO = ROOT / "tests" / "siblings" / "cpu-tiny.hlo.pb"
OLD_REPORT = b"""\
Total bytes used: 917504 (896.0KiB)

Allocations sorted by size:

cumulative_size; total_size - cumulative_size; allocation
------------------------------------------------------------------------------
  512.0KiB( 57%);  384.0KiB; allocation 0: size 512.0KiB, parameter 1, shape |f32[256,512]| at ShapeIndex {}:
  768.0KiB( 86%);  128.0KiB; allocation 1: size 256.0KiB, output shape is |f32[128,512]|, maybe-live-out:
"""


def siblings() -> dict[str, Sibling]:
    """Return the siblings of the sample, and its proto."""
    beside = (*load_siblings(samples()[TINY]), Sibling("proto", "cpu-tiny.hlo.pb", PROTO.read_bytes()))
    return {sibling.kind: sibling for sibling in beside}


def compared(*siblings: Sibling, analysis: Analysis | None = None) -> Analysis:
    known = analysis or sample_analysis(TINY)
    return analyse(known.dump, known.backend, joined(known.dump, "jit_tiny_matmul_gelu", siblings))


def edited_sibling(kind: str, old: bytes, new: bytes) -> Sibling:
    sibling = siblings()[kind]
    assert sibling.data.count(old) == 1
    return Sibling(sibling.kind, sibling.label, sibling.data.replace(old, new))


def tiny_with(*edits: tuple[str, str]) -> Analysis:
    """Return the dump with every occurrence of each text replaced."""
    files = [data.decode() for data in sample_files(TINY)]
    for old, new in edits:
        assert any(old in text for text in files), old
        files = [text.replace(old, new) for text in files]
    return analysed(*files)


def rows(analysis: Analysis) -> dict[str, tuple[int, Sequence[str]]]:
    """Return how much of each sibling file was compared, and the kinds of finding."""
    added = analysis.evidence[len(sample_analysis(TINY).evidence) :]
    return {result.name: (result.looked_at, [kind.slug for kind in result.found]) for result in added}


def test_agreement_is_evidence() -> None:
    assert rows(compared(*siblings().values())) == {
        "Usage report": (1, []),
        "Lines of the HLO text": (25, []),
        "Instructions of the HLO text": (4, []),
        "Statements of the HLO text": (4, []),
        "Entry of the HLO text": (3, []),
        "Aliases of the HLO text": (0, []),
        "Allocations of the proto": (3, []),
        "Values of the proto": (4, []),
    }


def test_without_files_beside_it_nothing_is_added() -> None:
    assert compared() == sample_analysis(TINY)


@pytest.mark.parametrize(
    "sibling",
    [
        pytest.param(edited_sibling("usage report", b"bytes: 917504", b"bytes: 917505"), id="total of a space"),
        pytest.param(edited_sibling("usage report", b"color=0", b"color=3"), id="memory space"),
        pytest.param(edited_sibling("HLO text", b"%multiply_multiply_fusion = ", b"%other = "), id="instruction"),
        pytest.param(edited_sibling("HLO text", b"={(f32[128,256]", b"={(f32[128,255]"), id="parameter"),
        pytest.param(edited_sibling("HLO text", b"->f32[128,512]{1,0}}", b"->f32[512]{0}}"), id="result"),
        pytest.param(edited_sibling("HLO text", b"={(f32[128,256]{1,0}, ", b"={("), id="count of parameters"),
        pytest.param(
            edited_sibling(
                "HLO text",
                b", entry_computation_layout",
                b", input_output_alias={ {}: (0, {}, may-alias) }, entry_computation_layout",
            ),
            id="alias",
        ),
    ],
)
def test_a_difference_in_a_sibling_file_is_a_finding(sibling: Sibling) -> None:
    found = [finding for finding in compared(sibling).findings if finding.slug == "sibling-differs"]
    assert {finding.severity for finding in found} == {"warning"}
    assert {finding.location and finding.location.file for finding in found} == {sibling.label}


@pytest.mark.parametrize(
    ("kind", "edits"),
    [
        ("proto", [("<21 x.1", "<20 x.1")]),
        ("proto", [("131072,offset=0", "131072,offset=64"), ("size 131072", "size 131136"), ("917504", "917568")]),
        ("proto", [("maybe-live-out", "constant")]),
        ("usage report", [("size 131072", "size 131200"), ("917504", "917632")]),
        ("HLO text", [("ynn_fusion", "xnn_fusion")]),
        ("HLO text", [("shape |f32[256,512]|", "shape |f32[512,256]|")]),
    ],
)
def test_a_quiet_change_of_the_dump_is_noticed(kind: str, edits: Sequence[tuple[str, str]]) -> None:
    changed = tiny_with(*edits)
    assert "sibling-differs" in slugs(compared(siblings()[kind], analysis=changed))


def test_a_text_that_differs_in_everything_is_one_finding() -> None:
    text = siblings()["HLO text"]
    other = replace(text, data=text.data.replace(b"f32[", b"f16[").replace(b'op_name="', b'op_name="g/'))
    [found] = [finding for finding in compared(other).findings if finding.slug == "sibling-differs"]
    assert found.message.endswith(" more differences")


def test_a_file_of_another_time_that_names_are_taken_from_is_a_note() -> None:
    text = replace(siblings()["HLO text"], older_seconds=3_600 * 3)
    [found] = [finding for finding in compared(text).findings if finding.slug == "sibling-age"]
    assert found.severity == "note"
    assert "it was written 3 hours before the dump" in found.message


def test_sizes_of_older_reports_are_compared_as_they_are_rounded() -> None:
    report = Sibling("usage report", "report", OLD_REPORT)
    assert rows(compared(report)) == {"Usage report": (3, [])}
    wrong = Sibling("usage report", "report", OLD_REPORT.replace(b"size 256.0KiB", b"size 256.1KiB"))
    assert rows(compared(wrong)) == {"Usage report": (3, ["sibling-differs"])}


@pytest.mark.parametrize("data", [b"", b"\xff" * 40, b"\x1a\x05ab"], ids=["empty", "garbage", "cut off"])
@pytest.mark.parametrize("kind", ["usage report", "HLO text", "proto"])
def test_what_cannot_be_read_is_said_and_changes_nothing_else(kind: str, data: bytes) -> None:
    analysis = compared(Sibling(siblings()[kind].kind, "beside", data))
    assert rows(analysis) == {"Files next to the dump": (1, ["sibling-unread"])}
    assert analysis.spaces == sample_analysis(TINY).spaces


@given(data=st.data())
def test_a_damaged_proto_is_read_or_said_to_be_damaged(data: st.DataObject) -> None:
    proto = bytearray(PROTO.read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(proto) - 1), max_size=4)):
        proto[place] = data.draw(st.integers(0, 255))
    with suppress(ProtoError):
        parse_assignment_proto(bytes(proto[: data.draw(st.integers(0, len(proto)))]))


def test_aliases_are_read_with_their_indexes() -> None:
    head = "HloModule m, input_output_alias={ {0}: (1, {}, may-alias), {1, 2}: (0, {3}, must-alias) }, "
    text = f"{head}entry_computation_layout={{((f32[2]{{0}}), f32[])->f32[]}}\n\n  x = f32[] y()\n".encode()
    module = parse_hlo_text(text)
    assert module
    assert [(alias.output_index, alias.parameter, alias.parameter_index) for alias in module.aliases] == [
        ("{0}", 1, "{}"),
        ("{1,2}", 0, "{3}"),
    ]
    assert set(ModuleText(text).names) == {"x"}


def test_an_element_of_a_tuple_needs_no_line_in_the_text() -> None:
    """XLA names elements by their index since 2026-06-15, and the dump still gives them names."""
    dump = parsed(ELEMENTS_OF_A_TUPLE)
    text = (
        b"HloModule jit_f\n\nENTRY %f (x: f32[8]) -> f32[8] {\n  ROOT %two = (f32[8]{0}, f32[8]{0}) custom-call()\n}\n"
    )
    other = text.replace(b"two", b"three")
    assert "sibling-differs" not in slugs(
        analyse(dump, join=joined(dump, "jit_f", [Sibling("HLO text", "x.txt", text)]))
    )
    assert "sibling-differs" in slugs(analyse(dump, join=joined(dump, "jit_f", [Sibling("HLO text", "x.txt", other)])))


# What a newer XLA writes is counted and said once, and never turned into findings about the dump.


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


def peaks(analysis: Analysis) -> dict[int, object]:
    return {color: space.peak_resident for color, space in analysis.spaces.items()}


def severe(analysis: Analysis) -> list[str]:
    return [one.slug for one in analysis.findings if one.severity != "note"]


@pytest.mark.parametrize("label", sample_labels())
def test_a_new_form_is_one_finding_at_most_and_no_other_appears_and_changes_no_peak(label: str) -> None:
    before = reprinted(label, str)
    assert "unknown-form" not in slugs(before)
    for name, form in FORMS.items():
        after = reprinted(label, form)
        new = Counter(severe(after)) - Counter(severe(before))
        assert new in (Counter(), Counter(["unknown-form"])), name
        unknown = [one.slug for one in after.findings if one.slug.startswith("unknown-")]
        assert len(set(unknown)) == len(unknown), name
        assert peaks(after) == peaks(before), name


@pytest.mark.parametrize("mark", ["$", "@", "->", "::"])
def test_a_new_form_of_the_hlo_text_alone_is_not_blamed_on_the_file(mark: str) -> None:
    after = reprinted(WITH_ELEMENTS, lambda text: re.sub(r"(%[\w.\-]+)#", rf"\1{mark}", text), is_dump_too=False)
    assert [one.slug for one in after.findings] == ["unknown-form"]


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
