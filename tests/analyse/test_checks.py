"""Every kind of finding: what makes it appear, where it points, and that a sound dump has none."""

import re

import pytest

from reportgen.analyse.checks import CHECKS
from reportgen.analyse.findings import LISTED_PER_SLUG, SEVERITIES
from reportgen.analyse.results import Finding
from tests.support.dumps import analysed, slugs
from tests.support.samples import ROOT, sample_analysis, sample_labels
from tests.support.sound import BLOCK, RANGES, SOUND, TOTAL, USED, damaged

ADDRESS = ("allocation 0: size", "allocation 0: 0x15c664b0, size")
B_LINE = " value: <2 b @0> (size=256,offset=256): f32[64]{0}\n"
B_ENTRY = USED[USED.index("<2 b") : USED.index("<3 big")]
P_ROW = "    p{}: 256 bytes (cumulative: 4864 bytes)\n"

# For each kind of finding texts in which it appears; those of one kind differ in what is wrong.
DAMAGED: dict[str, list[str]] = {
    "allocation-kind": [
        damaged((", preallocated-temp", "")),
        damaged((", preallocated-temp", ", constant, preallocated-temp")),
    ],
    "allocation-order": [damaged(("allocation 2:", "allocation 3:")), damaged(("allocation 0:", "allocation 1:"))],
    "allocations-missing": [
        damaged(("used: 5124", "used: 5125")),
        SOUND[: SOUND.index(B_LINE)],
        SOUND[: SOUND.index(B_LINE) + 5],
        damaged(("allocation 0:", "allocation 7:"), (TOTAL, "")),
    ],
    "below-layout": [damaged((B_LINE, B_LINE.replace("f32[64]", "f32[65]")))],
    "bytes-shared": [damaged(("offset=256", "offset=128"))],
    "carried-apart": [
        damaged(
            ("<4 c @0>", "<4 c (phi) @0>"), ("add(%a, %b)", "while(%a, %b)"), ("operand 0\n  b,", "operand 0\n  c,")
        ),
    ],
    "color-mismatch": [
        damaged((B_LINE, B_LINE.replace("@0", "@1"))),
        damaged(("f32[1024]{0}\n", "f32[1024]{0:S(1)}\n")),
    ],
    "contents-differ": [
        damaged(("preallocated-temp", "maybe-live-out")),
        damaged((", maybe-live-out", ", preallocated-temp")),
        damaged(("output shape is |f32[64]|", "output shape is |f32[65]|")),
        damaged(("preallocated-temp", "constant")),
        damaged(("f32[1024]{0} iota()", "f32[1024]{0} constant({...})")),
        damaged(("parameter 0, shape |f32[64]|", "parameter 0, shape |f32[63]|")),
        damaged(("parameter 0, shape", "parameter 1, shape")),
        damaged(("parameter 0, shape |f32[64]| at ShapeIndex {}", "preallocated-temp")),
    ],
    "duplicate-value": [
        damaged((B_LINE, B_LINE + B_LINE)),
        damaged((B_LINE, B_LINE.replace("<2", "<1"))),
        damaged((B_LINE, B_LINE.replace("b @0", "a @0"))),
    ],
    "ends-late": [damaged(("big{}:3-4", "big{}:3-6")), damaged(("b{}:2-6", "b{}:2-8"))],
    "ends-early": [damaged(("p{}:0-8", "p{}:0-7")), damaged(("root{}:7-8", "root{}:7-7"))],
    "law-broken": [damaged(("<0 p @0> (size=256", "<0 p @0> (size=512"))],
    "live-ranges-lost": [damaged((RANGES, "")), SOUND[: SOUND.index("    b{}:")], SOUND[: SOUND.index("  BufferLive")]],
    "misaligned-offset": [
        damaged(("(size=4096,offset=512)", "(size=4096,offset=520)")),
        damaged(("<0 p @0> (size=256,offset=0)", "<0 p @0> (size=256,offset=16)")),
    ],
    "no-allocations": [f"BufferAssignment:\n\n{TOTAL}\n{USED}\n\n{RANGES}"],
    "no-instructions": [
        "".join(line for line in SOUND.splitlines(keepends=True) if not line.startswith(" from instruction"))
    ],
    "no-live-ranges": [
        f"{BLOCK}\n{TOTAL}\n",
        f"{BLOCK}\n{TOTAL}\n{USED}\nHloLiveRange not available (finalized or constructed from proto)\n",
    ],
    "no-total": [damaged((TOTAL, ""))],
    "no-used-values": [f"{BLOCK}\n{TOTAL}\n\n{RANGES}"],
    "old-alias": [damaged(ADDRESS, ("offset=256", "offset=0"), ("b{}:2-6", "b{}:1-6"))],
    "output-allocation": [
        damaged(("output shape is |f32[64]|, ", "")),
        damaged(("at ShapeIndex {}", "at ShapeIndex {}, output shape is |f32[64]|")),
    ],
    "outside-allocation": [damaged(("offset=512", "offset=513"))],
    "oversized-value": [damaged(("<2 b @0> (size=256", "<2 b @0> (size=512"))],
    "peak-replay": [damaged(("Live ranges at 3", "Live ranges at 4"))],
    "peak-rows": [
        damaged((P_ROW, "")),
        damaged((P_ROW, P_ROW.replace("p{}", "root{}"))),
        damaged(("cumulative: 4608", "cumulative: 4609")),
    ],
    "peak-unexplained": [damaged((P_ROW, P_ROW.replace("256", "255")))],
    "position-mismatch": [
        damaged((" positions:\n  b\n", " positions:\n  a\n")),
        damaged((" positions:\n  b\n", " positions:\n  b {0}\n")),
    ],
    "position-missing": [
        damaged(("  b\n  idle\n", "  b\n")),
        damaged(("  b\n  idle\n", "  b\n  a\n")),
        damaged(("%b = f32[64]{0} exp", "%b = (f32[64]{0}) exp")),
    ],
    "range-missing": [damaged(("    b{}:2-6\n", ""))],
    "range-outside-schedule": [damaged(("root{}:7-8", "root{}:7-9")), damaged(("b{}:2-6", "b{}:6-2"))],
    "range-start": [damaged(("b{}:2-6", "b{}:3-6"))],
    "range-without-value": [
        damaged(("    c{}:6-7\n", "    c{}:6-7\n    ghost{}:1-2\n")),
        damaged(("    c{}:6-7\n", "    c{}:6-7\n    c{}:6-7\n")),
    ],
    "reserved-allocation": [damaged(("size 4608", "size 4700, color 1"), (": f32[64]{0}", ": f32[64]{0:T(64)}"))],
    "schedule-damaged": [
        damaged(("    5:idle\n", "")),
        damaged(("    5:idle\n", "    9:idle\n")),
        damaged(("    5:idle\n", "    5:drop\n")),
    ],
    "shape-differs": [
        damaged((B_LINE, B_LINE.replace("f32[64]", "f32[60]"))),
        damaged((B_LINE, B_LINE.replace("f32[64]", "bf16[64]"))),
    ],
    "stack-trace-sum": [
        damaged(("breakdown for peak usage: 4 864", "breakdown for peak usage: 4 865")),
        damaged(("current: 4 096", "current: 4 000")),
        damaged(("remaining: 0 bytes", "remaining: 1 bytes")),
        damaged(("remaining: 512 bytes", "remaining: 511 bytes")),
        damaged(("10.5%", "10.6%")),
    ],
    "thread-local": [damaged(("    c{}:6-7\n", "    c{}:6-7\n    x{}:0-1\n"))],
    "total-mismatch": [damaged(("(5.0KiB)", "(5.1KiB)")), damaged(("used: 5124", "used: 5125"))],
    "touching-slices": [damaged(("<4 c @0> (size=256,offset=0)", "<4 c @0> (size=256,offset=128)"))],
    "unfilled-allocation": [damaged(("size 4608", "size 4700"))],
    "unfinished-file": [SOUND[:-1], f"{BLOCK}allocation 4: size 4"],
    "unknown-attribute": [damaged((", thread-local", ", thread-local, frozen"))],
    "unknown-form": [damaged((" add(", " sum-of(")), damaged(("add(%", "add(@"))],
    "unknown-shape": [damaged((B_LINE, B_LINE.replace("f32", "f99"))), damaged((B_LINE, B_LINE.replace("{0}", "{0")))],
    "unparsed-line": [damaged((B_LINE, B_LINE.replace("size=", "size:"))), damaged((TOTAL, TOTAL + "?\n" * 200))],
    "use-after-end": [damaged(("b{}:2-6", "b{}:2-5"))],
    "used-values-differ": [damaged((B_ENTRY, "")), damaged((B_LINE, ""))],
}


# Dumps that differ from `SOUND` in what XLA does, or has done, in a sound one.
SOUND_TOO: dict[str, str] = {
    "old builds end a value one instruction before its alias": damaged(ADDRESS, ("a{}:1-6", "a{}:1-5")),
    "what starts an asynchronous operation hands a value on": damaged(
        ("a{}:1-6", "a{}:4-6"), (" positions:\n  a\n", " positions:\n  a\n  drop\n")
    ),
    "a computation takes over an operand of its caller": damaged(
        ("b{}:2-6", "b{}:2-5"), ("add(%a, %b)", "call(%a, %b), to_apply=%f")
    ),
    "a piece is seen as the whole": damaged(("<4 c @0> (size=256,offset=0)", "<4 c @0> (size=512,offset=0)")),
    "the root is a bitcast": damaged(("output shape is |f32[64]|", "output shape is |f32[8,8]|")),
    "a value outside of the schedule has no range": damaged(("    b{}:2-6\n", ""), ("    2:b\n", "")),
}


def found(slug: str, text: str) -> Finding:
    return next(finding for finding in analysed(text).findings if finding.slug == slug)


def test_a_sound_dump_has_no_findings() -> None:
    assert analysed(SOUND).findings == ()


def test_the_guarantee_behind_each_check_is_documented() -> None:
    rows = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8").splitlines()
    named = {name.partition(" (")[0] for row in rows for name in row[2:].partition(" | ")[0].split(", ")}
    assert {check.name for check in CHECKS} <= named


@pytest.mark.parametrize("what", SOUND_TOO)
def test_what_xla_does_is_no_finding(what: str) -> None:
    of_ranges = {"ends-early", "ends-late", "range-missing", "range-start", "touching-slices", "use-after-end"}
    assert slugs(analysed(SOUND_TOO[what])).isdisjoint({"contents-differ", *of_ranges})


@pytest.mark.parametrize(
    ("slug", "text"),
    [pytest.param(slug, text, id=f"{slug}-{number}") for slug in DAMAGED for number, text in enumerate(DAMAGED[slug])],
)
def test_a_finding_appears_where_it_is_due(slug: str, text: str) -> None:
    assert found(slug, text).severity == SEVERITIES[slug]


@pytest.mark.parametrize("slug", DAMAGED)
def test_the_evidence_counts_what_was_found(slug: str) -> None:
    evidence = analysed(DAMAGED[slug][0]).evidence
    assert any(kind.slug == slug and kind.times > 0 for result in evidence for kind in result.found)
    assert [result.name for result in evidence] == [check.name for check in CHECKS]


def test_every_kind_of_finding_has_a_test() -> None:
    # See test_control_flow, test_offloads and test_cross_checks.
    beside = ("exclusive-branches", "shared-scratch", "sibling-differs", "sibling-age", "sibling-unread")
    assert sorted([*DAMAGED, *beside]) == sorted(SEVERITIES)


@pytest.mark.parametrize(
    ("slug", "beginning"),
    [
        ("allocation-kind", "allocation 3:"),
        ("bytes-shared", " value: <2 b"),
        ("outside-allocation", " value: <3 big"),
        ("position-mismatch", "<2 b"),
        ("range-start", "    b{}:3-6"),
        ("peak-replay", "  Live ranges at 4"),
        ("schedule-damaged", "HloLiveRange"),
        ("stack-trace-sum", "  Stack trace"),
        ("thread-local", " value: <6 x"),
        ("total-mismatch", "Total bytes"),
        ("unparsed-line", " value: <2 b"),
    ],
)
def test_a_finding_points_at_its_line(slug: str, beginning: str) -> None:
    text = DAMAGED[slug][0]
    location = found(slug, text).location
    assert location
    assert text.splitlines()[location.line - 1].startswith(beginning)


def test_findings_name_the_values_and_the_allocation_they_are_about() -> None:
    assert found("bytes-shared", DAMAGED["bytes-shared"][0]).values == (3, 4)
    assert found("allocation-kind", DAMAGED["allocation-kind"][0]).allocation == 3


def test_the_worst_findings_come_first() -> None:
    text = damaged(("b{}:2-6", "b{}:2-5"), ("used: 5124", "used: 5123"), (", thread-local", ", thread-local, frozen"))
    severities = [finding.severity for finding in analysed(text).findings]
    assert severities == ["error", "warning", "note"]


def test_of_many_alike_the_first_are_listed_and_the_rest_counted() -> None:
    findings = analysed(damaged((TOTAL, TOTAL + "?\n" * 300))).findings
    assert len(findings) == LISTED_PER_SLUG["warning"]
    assert findings[-1].message == "201 more lines were not understood"


def test_an_attribute_that_stands_often_is_said_once() -> None:
    [found] = analysed(damaged((", thread-local", ", thread-local, frozen" * 8))).findings
    assert "'frozen' of 8 allocations" in found.message


@pytest.mark.parametrize("color", [1, 2])
@pytest.mark.parametrize("number", [0, 1, 3])
def test_an_allocation_of_a_gpu_in_whose_space_no_value_is_is_reported(number: int, color: int) -> None:
    line = re.search(rf"allocation {number}: size \d+", SOUND)
    assert line
    found = slugs(analysed(damaged((line[0], f"{line[0]}, color {color}")), backend="gpu"))
    is_temporary = number == 3
    assert ("color-mismatch" in found) == (not is_temporary or color == 1)


def test_gpu_programs_may_reuse_buffers_of_another_color() -> None:
    text = DAMAGED["color-mismatch"][0]
    assert "color-mismatch" not in slugs(analysed(text, backend="gpu"))


def test_a_value_may_be_smaller_than_the_table_of_pointers_that_it_is_but_on_gpus() -> None:
    table = B_LINE.replace("f32[64]{0}", f"({', '.join(['f32[]'] * 100)})")
    assert "below-layout" not in slugs(analysed(damaged((B_LINE, table))))
    assert "below-layout" in slugs(analysed(damaged((B_LINE, table)), backend="gpu"))


@pytest.mark.parametrize("label", sample_labels())
def test_the_samples_are_sound(label: str) -> None:
    assert {finding.severity for finding in sample_analysis(label).findings} <= {"note"}
