"""Each kind of finding in a real dump with the least damage that makes it appear, and nothing else beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from reportgen.analyse.checks import CHECKS
from reportgen.analyse.findings import SEVERITIES
from reportgen.analyse.records import Analysis
from tests.support.dumps import analysed, slugs
from tests.support.samples import sample_analysis, sample_files, sample_labels

ODD = next(label for label in sample_labels() if label.startswith("tpu-odd-shapes"))
TINY = next(label for label in sample_labels() if label.startswith("cpu-tiny"))
LOOP = next(label for label in sample_labels() if label.startswith("gpu-control-flow"))
STEP = next(label for label in sample_labels() if label.startswith("cpu-train-step"))

BESIDE = ("exclusive-branches", "shared-scratch", "sibling-differs", "sibling-age", "sibling-unread")
"""What takes another file than the dump's own: see test_control_flow, test_offloads and test_cross_checks."""

Edit = tuple[str, str]
DROPPED = ""
ADDRESS = ("allocation 0: size", "allocation 0: 0x15c664b0, size")

COPY = " value: <84 copy.2 @1> (size=12288,offset=20480): bf16[3,5,131]{2,1,0:T(8,128)(2,1)S(1)}\n"
SLICE = " value: <85 slice.2 @1> (size=6144,offset=8192): bf16[131,3,3]{0,2,1:T(4,128)(2,1)S(1)}\n"
LEAF = " value: <87 convert_reduce_fusion{0} @0> (size=512,offset=0): f32[8]{0:T(128)}\n"
IDLE = " value: <89 slice.0 @0> (size=512,offset=0): bf16[1,1]{1,0:T(2,128)(2,1)}\n"
CALLER = "%multiply_reduce_fusion.1 = bf16[129]{0:T(256)(128)(2,1)S(1)} fusion("
W2 = " value: <60 w2.1 @0> (size=174080"


@dataclass(frozen=True)
class Damage:
    """Edits of texts that stand once in a sample; of `cut` and what follows it in its file nothing is left.

    Lines that begin with `lines` are left out. `also` are errors and warnings that the same damage cannot but
    cause as well.
    """

    edits: tuple[Edit, ...] = ()
    sample: str = ODD
    files: int = 3
    cut: str = ""
    lines: str = ""
    also: Sequence[str] = ()


def damage(*edits: Edit, sample: str = ODD, cut: str = "", also: Sequence[str] = ()) -> Damage:
    return Damage(edits, sample=sample, cut=cut, also=also)


DAMAGES: dict[str, Damage] = {
    "allocation-kind": damage((", page 0, constant", ", page 0"), also=("contents-differ",)),
    "allocation-order": damage(("allocation 3:", "allocation 4:")),
    "allocations-missing": damage(("used: 910348", "used: 910349"), also=("total-mismatch",)),
    "below-layout": damage(("copy.2 @1> (size=12288", "copy.2 @1> (size=12000")),
    "bytes-shared": damage(("reshape.3 @1> (size=1024,offset=32768", "reshape.3 @1> (size=1024,offset=8192")),
    "carried-apart": damage(
        ("copy.24 @0> (size=4,offset=16384)", "copy.24 @0> (size=4,offset=16512)"),
        ("copy.18 @0> (size=4,offset=16512)", "copy.18 @0> (size=4,offset=16384)"),
        sample=LOOP,
        also=("bytes-shared",),
    ),
    "color-mismatch": damage(("copy.2 @1> (size", "copy.2 @0> (size")),
    "contents-differ": damage(("parameter 0, shape |bf16[1,300]|", "parameter 0, shape |bf16[1,301]|")),
    "duplicate-value": damage((LEAF, LEAF + LEAF), also=("bytes-shared",)),
    "ends-late": damage(("reduce.6{}:7-9", "reduce.6{}:7-10")),
    "ends-early": damage(("fusion{}:28-30", "fusion{}:28-29")),
    "misaligned-offset": damage(("reshape.3 @1> (size=1024,offset=32768", "reshape.3 @1> (size=1024,offset=32784")),
    # A law holds for every dump whose values lie inside their allocations.
    "law-broken": damage((W2, " value: <60 w2.1 @0> (size=974080"), also=("outside-allocation", "oversized-value")),
    # All other sections speak of what is missing.
    "no-allocations": damage(
        cut="allocation 0:",
        also=(
            "allocations-missing",
            "peak-replay",
            "peak-unexplained",
            "range-without-value",
            "total-mismatch",
            "used-values-differ",
        ),
    ),
    "no-instructions": Damage(lines=" from instruction"),
    "live-ranges-lost": Damage(files=2),
    "no-live-ranges": Damage(files=2, lines=" from instruction"),
    "no-total": damage(("Total bytes used: 910348 (889.0KiB)\n", DROPPED)),
    "no-used-values": damage(cut="Used values:"),
    "old-alias": damage(
        ADDRESS,
        (LEAF, DROPPED),
        (IDLE, LEAF.replace("offset=0", "offset=16384") + IDLE),
        also=("contents-differ", "unfilled-allocation"),
    ),
    "output-allocation": damage(
        ("output shape is |(bf16[1,129], s32[33,33], bf16[131,3,8], f32[8], f16[1,1])|, ", DROPPED)
    ),
    "outside-allocation": damage(("fusion.1 @1> (size=512,offset=200704", "fusion.1 @1> (size=512,offset=201216")),
    # The moment changes only with sizes, and XLA's rows were printed with the undamaged ones.
    "peak-replay": damage(
        (COPY, COPY.replace("[3,5,131]", "[1,1,131]")),
        (SLICE, SLICE.replace("[131,3,3]", "[1,3,3]")),
        also=("oversized-value", "peak-unexplained", "shape-differs"),
    ),
    "oversized-value": damage(("copy.2 @1> (size=12288", "copy.2 @1> (size=12800")),
    "peak-rows": damage(("cumulative: 443586", "cumulative: 443587")),
    "peak-unexplained": damage(("    fusion.3: 20480 bytes\n", "    fusion.3: 20481 bytes\n"), sample=STEP),
    "position-mismatch": damage((" positions:\n  w1.1\n", " positions:\n  x.1\n"), also=("position-missing",)),
    "position-missing": damage(("  bitcast.5\n", DROPPED)),
    "range-missing": damage(("    reduce.6{}:7-9\n", DROPPED)),
    "range-outside-schedule": damage(("tuple.1{}:29-30", "tuple.1{}:29-31")),
    "range-start": damage(("reduce.6{}:7-9", "reduce.6{}:8-9")),
    "range-without-value": damage(("    reduce.6{}:7-9\n", "    reduce.6{}:7-9\n    ghost{}:1-2\n")),
    "reserved-allocation": damage(("size 201216", "size 201217"), ("used: 910348", "used: 910349")),
    "schedule-damaged": damage(("    21:bitcast.5\n", DROPPED)),
    "shape-differs": damage((COPY, COPY.replace("131]", "130]")), also=("peak-unexplained",)),
    "stack-trace-sum": damage(("peak usage: 466 110", "peak usage: 466 111")),
    "thread-local": damage(
        ("  BufferLiveRange:\n", "  BufferLiveRange:\n    reduce_sum.3{}:0-1\n"), also=("ends-late",)
    ),
    "total-mismatch": damage(("used: 910348", "used: 910347")),
    "touching-slices": damage(("<84 copy.2 @1> (size=12288,offset=20480)", "<84 copy.2 @1> (size=12288,offset=16384)")),
    "unfilled-allocation": damage(("size 82432", "size 82433"), ("used: 910348", "used: 910349")),
    "unfinished-file": damage(cut="\n  Stack trace"),
    "unknown-attribute": damage((", page 0, constant", ", page 0, frozen, constant")),
    "unknown-form": damage((CALLER, CALLER.replace(" fusion(", " merged("))),
    "unknown-shape": damage(
        ("(size=512,offset=0): f16[1,1]", "(size=512,offset=0): f99[1,1]"), also=("shape-differs",)
    ),
    "unparsed-line": damage(("Used values:\n", "?\nUsed values:\n")),
    "use-after-end": damage(("divide_multiply_fusion{}:10-13", "divide_multiply_fusion{}:10-12")),
    "used-values-differ": damage(("<77 copy-start{0} @1>\n positions", "<777 copy-start{0} @1>\n positions")),
}


def damaged(damage: Damage) -> Analysis:
    files = [data.decode() for data in sample_files(damage.sample)[: damage.files]]
    for old, new in damage.edits:
        assert sum(text.count(old) for text in files) == 1, old
        files = [text.replace(old, new) for text in files]
    if damage.cut:
        assert sum(text.count(damage.cut) for text in files) == 1, damage.cut
        files = [text.partition(damage.cut)[0] for text in files]
    if damage.lines:
        files = ["".join(line for line in _lines(text) if not line.startswith(damage.lines)) for text in files]
    return analysed(*files)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def added_by(damage: Damage) -> set[str]:
    """Return the kinds of finding that the sample does not have without the damage."""
    return slugs(damaged(damage)) - slugs(sample_analysis(damage.sample))


def test_every_kind_of_finding_has_its_damage() -> None:
    assert sorted([*DAMAGES, *BESIDE]) == sorted(SEVERITIES)


@pytest.mark.parametrize("slug", DAMAGES)
def test_a_damage_makes_its_finding_appear_and_no_other_error_or_warning(slug: str) -> None:
    added = added_by(DAMAGES[slug])
    assert slug in added
    assert {kind for kind in added if SEVERITIES[kind] != "note"} - {slug} == set(DAMAGES[slug].also)


@pytest.mark.parametrize("slug", DAMAGES)
def test_the_evidence_counts_what_was_found(slug: str) -> None:
    evidence = damaged(DAMAGES[slug]).evidence
    assert any(kind.slug == slug and kind.times > 0 for result in evidence for kind in result.found)
    due = [check.name for check in CHECKS]
    assert [result.name for result in evidence] == due
