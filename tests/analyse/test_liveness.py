"""Each rule by which XLA ends a live range is recognised by the mark that it leaves in a dump."""

from dataclasses import replace

import pytest

from reportgen.analyse.analysis import analyse
from reportgen.analyse.liveness import Liveness, liveness
from reportgen.model import (
    Allocation,
    Dump,
    LiveRanges,
    Scheduled,
    UsedValue,
    Value,
)
from tests.support.builder import Lives, temporaries
from tests.support.columns import schedule_of, used_values_of, values_of
from tests.support.samples import sample_analysis, sample_labels


def listed(dump: Dump, *, positions: tuple[str, ...] = (), uses: tuple[str, ...] = ()) -> Dump:
    """Return `dump` with these positions and uses of its first value; the value itself is its first position."""
    key = dump.values[0].key
    used = UsedValue(
        id=dump.values[0].id,
        key=key,
        color=0,
        positions_text="".join(f"  {name}\n" for name in (key.name, *positions)).encode(),
        uses_text="".join(f"  {name}, operand 0\n" for name in uses).encode(),
    )
    return replace(dump, used_values=used_values_of([used]))


def lives(first: int, last: int) -> Dump:
    """Return a value named for the moment that makes it, in a program of ten moments."""
    dump = temporaries(Lives(f"step{first}", first, last), Lives("step9", 9, 9, offset=4))
    return replace(dump, schedule=schedule_of(dump.schedule[:10]), schedule_length=10)


def why(dump: Dump) -> Liveness:
    return liveness(analyse(dump), 0)


def with_value(dump: Dump, **changes: object) -> Dump:
    value: Value = replace(dump.values[0], **changes)  # type: ignore[arg-type]
    return replace(dump, values=values_of([value, *dump.values[1:]]))


def in_allocation(dump: Dump, **attributes: object) -> Dump:
    size_bytes = dump.allocations[0].size_bytes
    allocation = Allocation(index=0, size_bytes=size_bytes, **attributes)  # type: ignore[arg-type]
    return replace(dump, allocations=(allocation,))


def renamed(dump: Dump, moment: int, name: str) -> Dump:
    schedule = [Scheduled(at, name if at == moment else other) for at, other in dump.schedule]
    return replace(dump, schedule=schedule_of(schedule))


def test_a_value_ends_with_its_last_use() -> None:
    assert why(listed(lives(1, 4), uses=("step4", "step2"))) == Liveness("last use", 4, "step4")


def test_a_value_at_the_root_of_the_program_belongs_to_the_result() -> None:
    dump = listed(lives(1, 10), positions=("step9",), uses=("step3",))
    assert why(dump) == Liveness("result", 3, "step3")


def test_an_argument_that_is_not_donated_is_held_to_the_end() -> None:
    dump = listed(lives(0, 10), uses=("step3",))
    assert why(in_allocation(dump, parameter=0)) == Liveness("parameter", 3, "step3")
    assert why(in_allocation(dump, parameter=0, is_maybe_live_out=True)).rule != "parameter"


def test_a_value_read_by_a_caller_ends_before_it() -> None:
    dump = renamed(listed(lives(1, 4), uses=("while.7",)), 8, "while.7")
    assert why(dump) == Liveness("caller", 8, "while.7", "while.7")


def test_a_value_read_after_its_end_is_held_by_the_next_of_its_buffer() -> None:
    dump = temporaries(Lives("step1", 1, 4), Lives("next", 4, 9))
    assert why(listed(dump, uses=("step8",))) == Liveness("alias", 8, "step8", "next")


@pytest.mark.parametrize(("starts", "ends"), [(4, 7), (5, 9), (6, 9)])
def test_the_bytes_are_held_without_a_gap_up_to_the_last_use(starts: int, ends: int) -> None:
    dump = temporaries(Lives("step1", 1, 4), Lives("next", starts, ends), Lives("step9", 9, 9, offset=4))
    assert why(listed(dump, uses=("step8",))).rule == "unknown"


@pytest.mark.parametrize(("last_use", "rule"), [("step8", "inherited"), ("step6", "unknown")])
def test_a_value_inherits_the_later_end_of_one_before_it_in_its_buffer(last_use: str, rule: str) -> None:
    dump = temporaries(Lives("heir", 4, 8), Lives("step1", 1, 4), Lives("step9", 9, 9, offset=4))
    heir, first = (
        UsedValue(id=value.id, key=value.key, color=0, positions_text=f"  {value.key.name}\n".encode(), uses_text=uses)
        for value, uses in zip(dump.values[:2], (b"", f"  {last_use}, operand 0\n".encode()), strict=True)
    )
    assert why(replace(dump, used_values=used_values_of([heir, first]))).rule == rule


def test_a_value_may_end_where_it_is_passed_on() -> None:
    assert why(listed(lives(1, 4), positions=("step4",))) == Liveness("position", None, None, "step4")


def test_an_operand_of_an_async_operation_lives_until_its_end() -> None:
    dump = renamed(listed(lives(1, 6), uses=("step2",)), 6, "copy-done.3")
    assert why(dump) == Liveness("async", 2, "step2", "copy-done.3")


def test_a_value_carried_by_a_loop_lives_as_long_as_its_computation() -> None:
    dump = with_value(listed(lives(1, 6), uses=("step2",)), is_phi=True)
    assert why(dump) == Liveness("carried", 2, "step2")


def test_the_result_of_a_called_computation_lives_one_moment_longer() -> None:
    dump = listed(lives(1, 6), positions=("step5",), uses=("step2",))
    assert why(dump) == Liveness("part of a result", 2, "step2", "step5")


def test_a_value_without_readers_lives_for_one_moment() -> None:
    assert why(listed(lives(1, 1))) == Liveness("never used")


def test_a_range_that_fits_no_rule_is_not_explained() -> None:
    assert why(listed(lives(1, 8), uses=("step2",))) == Liveness("unknown", 2, "step2")


@pytest.mark.parametrize(("is_thread_local", "rule"), [(True, "thread-local"), (False, "no range")])
def test_without_a_live_range_there_is_nothing_to_explain(is_thread_local: bool, rule: str) -> None:
    dump = replace(listed(lives(1, 4)), live_ranges=LiveRanges())
    assert why(in_allocation(dump, is_thread_local=is_thread_local)).rule == rule


def test_without_a_list_of_uses_no_rule_is_named() -> None:
    assert why(lives(1, 4)).rule == "no list of uses"


def test_an_unscheduled_use_is_not_the_last_use() -> None:
    assert why(listed(lives(1, 4), uses=("elsewhere",))).last_use is None


@pytest.mark.parametrize("label", sample_labels())
def test_every_value_of_the_samples_is_explained(label: str) -> None:
    analysis = sample_analysis(label)
    rules = {analysis.facts[n].value.key: liveness(analysis, n).rule for n in range(len(analysis.facts))}
    assert [str(key) for key, rule in rules.items() if rule == "unknown"] == []
