"""XLA's printed peak: replay its procedure, distinguish its faults, and reconcile its sum with the true figure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Adjustment, XlaPeak
from reportgen.analyse.xla_peak import ALIASES, BIRTHS, LEAVES, PADDING, SPACES, UNEXPLAINED
from reportgen.model import Dump, PeakRow, PrintedPeak
from tests.support.builder import Lives, printed_peak, temporaries
from tests.support.dumps import analysed
from tests.support.samples import sample_analysis, sample_labels
from tests.support.sound import RANGES, SOUND, damaged
from tests.support.strategies import consistent_dumps


def peak_of(*lives: Lives, peak: PrintedPeak) -> XlaPeak:
    found = analyse(temporaries(*lives, peak=peak), "tpu").xla_peak
    assert found
    return found


def test_where_xla_is_right_there_is_nothing_to_explain() -> None:
    assert analysed(SOUND).xla_peak == XlaPeak(
        moment=3, sum_bytes=4864, replayed_moment=3, reasons=(), live_bytes=4864, reconciliation=()
    )


def test_a_dump_without_a_printed_peak_has_none() -> None:
    assert analysed(SOUND[: SOUND.index("  Live ranges at")] + "\n").xla_peak is None


def test_leaves_of_a_tuple_count_as_its_table_of_pointers() -> None:
    table = Lives("t", 0, 1, size=32, shape="(f32[256]{0}, f32[1]{0})")
    leaf = Lives("t", 0, 1, size=1024, offset=32, shape="f32[256]{0}", shape_index="{0}")
    rows = PrintedPeak(moment=0, rows=(PeakRow("t", None, 16, None), PeakRow("t", None, 16, None)))
    found = peak_of(table, leaf, peak=rows)
    assert LEAVES in found.reasons
    assert found.reconciliation == (Adjustment(LEAVES, 1024 - 16), Adjustment(PADDING, 32 - 16))
    assert found.sum_bytes + sum(step.change_bytes for step in found.reconciliation) == found.live_bytes == 1056


def test_the_moment_is_chosen_with_the_wrong_sizes_even_where_the_right_ones_are_printed() -> None:
    leaf = Lives("t", 0, 0, size=1024, shape="f32[256]{0}", shape_index="{0}")
    other = Lives("x", 2, 2, size=64, shape="f32[16]{0}")
    found = peak_of(leaf, other, peak=printed_peak(2, ("x", 64)))
    assert (found.replayed_moment, found.sum_bytes, found.live_bytes) == (2, 64, 64)
    assert found.reasons == (LEAVES,)


def test_the_padding_of_tiles_is_left_out() -> None:
    found = peak_of(Lives("x", 0, 1, size=512, shape="u32[2]{0:T(128)}"), peak=printed_peak(0, ("x", 8)))
    assert found.reasons == (PADDING,)
    assert found.reconciliation == (Adjustment(PADDING, 504),)


def test_births_of_a_moment_are_counted_before_the_deaths_of_the_moment_before() -> None:
    first, second = Lives("a", 0, 1, size=8, shape="u8[8]{0}"), Lives("b", 2, 3, size=4, shape="u8[4]{0}")
    found = peak_of(first, second, peak=printed_peak(2, ("b", 4)))
    assert (found.replayed_moment, found.reasons, found.reconciliation) == (2, (BIRTHS,), ())


def test_operand_and_result_of_an_operation_in_place_are_counted_twice() -> None:
    found = peak_of(Lives("a", 0, 1), Lives("b", 1, 2), peak=printed_peak(1, ("a", 4), ("b", 4)))
    assert (found.sum_bytes, found.live_bytes, found.reasons) == (8, 4, (ALIASES,))
    assert found.reconciliation == (Adjustment(ALIASES, -4),)


def test_memory_spaces_are_added_together() -> None:
    near = Lives("near", 0, 1, color=1)
    found = peak_of(Lives("far", 0, 1), near, peak=printed_peak(0, ("far", 4), ("near", 4)))
    assert (found.reasons, found.reconciliation) == ((SPACES,), ())


def test_another_moment_than_the_procedure_gives_is_seen() -> None:
    found = peak_of(Lives("a", 0, 5), peak=printed_peak(3, ("a", 4)))
    assert (found.moment, found.replayed_moment) == (3, 0)


def test_the_table_of_a_leaf_may_be_known_from_the_instruction_alone() -> None:
    """XLA takes `big` for a table of three pointers, 24 bytes, so it finds the most to hold where `root` begins."""
    text = damaged(
        ("<3 big @0>", "<3 big{0} @0>"),
        ("    big{}", "    big{0}"),
        ("%big = f32[1024]{0} iota()", "%big = (f32[1024]{0}, f32[], f32[]) custom-call()"),
        ("Live ranges at 3", "Live ranges at 7"),
    )
    found = analysed(text).xla_peak
    assert found
    assert found.replayed_moment == found.moment
    assert LEAVES in found.reasons


ROW = "    b{}: 256 bytes (cumulative: 4608 bytes)\n"


@pytest.mark.parametrize(
    "row",
    [
        pytest.param("", id="a row is missing"),
        pytest.param(ROW.replace("b{}", "q{}"), id="an unknown value"),
        pytest.param(ROW.replace("b{}", "a{}"), id="a value twice"),
    ],
)
def test_rows_that_cannot_be_matched_give_no_bridge(row: str) -> None:
    assert bridge_of(damaged((ROW, row), (": 4096 bytes (", ": 4000 bytes ("))) == ()


def test_old_rows_are_matched_in_the_order_of_ids() -> None:
    rows = RANGES[RANGES.index("    big{}: 4096") : RANGES.index("  Stack")]
    in_order = ["    p: 256 bytes\n", "    a: 256 bytes\n", "    b: 256 bytes\n", "    big: 8 bytes\n"]
    assert bridge_of(damaged((rows, "".join(in_order)))) == (Adjustment(UNEXPLAINED, 4088),)
    assert bridge_of(damaged((rows, "".join(reversed(in_order))))) == ()


def bridge_of(text: str) -> tuple[Adjustment, ...]:
    found = analysed(text).xla_peak
    assert found
    return found.reconciliation


@st.composite
def dumps_with_peaks(draw: st.DrawFn) -> Dump:
    """Return a dump that prints every value live at some moment, with any number of bytes, in either spelling."""
    dump = draw(consistent_dumps().filter(lambda dump: dump.schedule_length))
    moment = draw(st.integers(0, (dump.schedule_length or 1) - 1))
    live = [one.key for one in dump.live_ranges or () if one.start <= moment <= one.end]
    number = {value.key: value.id for value in dump.values}
    is_bare = draw(st.booleans())
    rows = [
        PeakRow(key.name, None if is_bare else key.shape_index, draw(st.integers(0, 9)), None)
        for key in (sorted(live, key=lambda key: number[key]) if is_bare else draw(st.permutations(live)))
    ]
    return Dump(
        allocations=dump.allocations,
        values=dump.values,
        schedule_length=dump.schedule_length,
        live_ranges=dump.live_ranges,
        printed_peak=PrintedPeak(moment=moment, rows=tuple(rows)),
        text=dump.text,
    )


@given(dumps_with_peaks())
def test_the_bridge_leads_exactly_from_the_printed_sum_to_the_live_bytes(dump: Dump) -> None:
    analysis = analyse(dump)
    found = analysis.xla_peak
    assert found
    assert found.sum_bytes + sum(step.change_bytes for step in found.reconciliation) == found.live_bytes
    assert found.live_bytes == sum(space.live.at(found.moment) for space in analysis.spaces.values() if space.live)
    assert all(step.change_bytes for step in found.reconciliation)


@pytest.mark.parametrize("label", sample_labels())
def test_the_procedure_gives_the_moment_that_each_sample_prints(label: str) -> None:
    found = sample_analysis(label).xla_peak
    if found:
        assert found.replayed_moment == found.moment
        assert found.sum_bytes + sum(step.change_bytes for step in found.reconciliation) == found.live_bytes
