"""The figures of each memory space, against sets of bytes; and the laws that they keep."""

from collections.abc import Iterable, Sequence

from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.analyse.records import Space
from reportgen.analyse.spaces import is_small
from reportgen.intervals.step_function import Peak
from reportgen.model import Dump, Value
from tests.support.builder import Lives, temporaries
from tests.support.dumps import analysed, slugs
from tests.support.mutations import assert_sound
from tests.support.sound import BLOCK, SOUND, damaged
from tests.support.strategies import consistent_dumps


def live_bytes(dump: Dump, moment: int, allocations: Sequence[int]) -> int:
    """Return how many bytes of some allocations are under a value that is live at `moment`."""
    live = [value for value in dump.values if value.allocation in allocations and is_live(dump, value, moment)]
    return len({(value.allocation, byte) for value in live for byte in range(value.offset_bytes, value.end_bytes)})


def is_live(dump: Dump, value: Value, moment: int) -> bool:
    live = next((live for live in dump.live_ranges or () if live.key == value.key), None)
    return live is not None and live.start <= moment <= live.end


def reserved(dump: Dump, allocations: Iterable[int]) -> int:
    return sum(dump.allocations[number].size_bytes for number in allocations)


def only(space: Space, dump: Dump, kind: str) -> list[int]:
    """Return the allocations of a space of one kind: temporary, thread-local, or held by the caller."""

    def kind_of(number: int) -> str:
        allocation = dump.allocations[number]
        if allocation.is_thread_local:
            return "thread-local"
        return "temporary" if allocation.is_preallocated_temp else "held"

    return [number for number in space.allocations if kind_of(number) == kind]


@given(consistent_dumps())
def test_the_figures_of_spaces_are_those_of_sets_of_bytes(dump: Dump) -> None:
    spaces = analyse(dump).spaces
    assert list(spaces) == sorted({allocation.color for allocation in dump.allocations})
    for color, space in spaces.items():
        colored = {number for number, allocation in enumerate(dump.allocations) if allocation.color == color}
        assert set(space.allocations) == colored
        held, temporary = (only(space, dump, kind) for kind in ("held", "temporary"))
        assert space.allocated_bytes == reserved(dump, space.allocations)
        assert space.static_bytes == reserved(dump, held)
        assert space.thread_local_bytes == reserved(dump, only(space, dump, "thread-local"))
        assert space.needed_bytes == reserved(dump, held + temporary)
        assert space.peak_resident
        assert space.slack_bytes == space.needed_bytes - space.peak_resident.amount >= 0
        assert space.live
        assert space.temp
        for moment in range(dump.schedule_length or 0):
            assert space.live.at(moment) == live_bytes(dump, moment, space.allocations)
            assert space.temp.at(moment) == live_bytes(dump, moment, temporary)
        assert space.peak_temp
        assert space.peak_resident == Peak(
            space.static_bytes + space.peak_temp.amount, space.peak_temp.moment, space.peak_temp.ties
        )


@given(consistent_dumps().filter(lambda dump: not any(one.is_thread_local for one in dump.allocations)))
def test_the_laws_hold_for_every_dump_whose_numbers_fit_together(dump: Dump) -> None:
    analysis = analyse(dump)
    assert_sound(analysis)
    assert "law-broken" not in slugs(analysis)


def test_spaces_are_never_added_together() -> None:
    spaces = analyse(temporaries(Lives("a", 0, 3, size=64), Lives("b", 1, 2, size=8, color=1)), "tpu").spaces
    assert {color: (space.name, space.peak_live) for color, space in spaces.items()} == {
        0: ("HBM", Peak(64, 0, 4)),
        1: ("VMEM", Peak(8, 1, 2)),
    }


def test_the_figures_of_a_dump_that_can_be_followed_by_hand() -> None:
    [space] = analysed(SOUND).spaces.values()
    assert (space.needed_bytes, space.allocated_bytes) == (5120, 5124)
    assert (space.static_bytes, space.thread_local_bytes) == (512, 4)
    assert space.peak_live == Peak(4864, 3, 2)
    assert space.peak_temp == Peak(4608, 3, 2)
    assert space.peak_resident == Peak(5120, 3, 2)
    assert space.slack_bytes == 0


def test_without_live_ranges_there_is_no_peak() -> None:
    [space] = analysed(BLOCK).spaces.values()
    assert (space.peak_live, space.peak_temp, space.peak_resident, space.slack_bytes) == (None, None, None, None)
    assert space.composition == ()


def test_moments_after_the_schedule_do_not_count() -> None:
    [space] = analysed(damaged(("(max 8)", "(max 3)"))).spaces.values()
    assert space.live
    assert (space.live.length, space.live.moments[-1]) == (3, 2)
    assert space.peak_live == Peak(768, 2, 1)


def test_an_empty_schedule_has_one_moment() -> None:
    analysis = analysed(damaged(("(max 8)", "(max 0)")))
    assert analysis.spaces[0].peak_live == Peak(256, 0, 1)
    assert "law-broken" not in slugs(analysis)


def test_without_its_header_the_schedule_is_as_long_as_its_rows_say() -> None:
    assert analysed(damaged(("HloLiveRange (max 8):\n", ""))).moments == 8


def test_a_small_space_is_of_semaphores_or_under_a_thousandth_and_never_too_small() -> None:
    assert is_small("VMEM", 9, 10_000, is_short=False)
    assert not is_small("VMEM", 10, 10_000, is_short=False)
    assert is_small("semaphores", 10_000, 10_000, is_short=False)
    assert not is_small("VMEM", 9, 10_000, is_short=True)
    assert not is_small("semaphores", 9, 10_000, is_short=True)
