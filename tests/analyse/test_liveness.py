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


NEXT = temporaries(Lives("step1", 1, 4), Lives("next", 4, 9))
RULES = {
    "its last use": (listed(lives(1, 4), uses=("step4", "step2")), Liveness("last use", 4, "step4")),
    "the root of the program": (
        listed(lives(1, 10), positions=("step9",), uses=("step3",)),
        Liveness("result", 3, "step3"),
    ),
    "before a caller that reads it": (
        renamed(listed(lives(1, 4), uses=("while.7",)), 8, "while.7"),
        Liveness("caller", 8, "while.7", "while.7"),
    ),
    "the next of its buffer": (listed(NEXT, uses=("step8",)), Liveness("alias", 8, "step8", "next")),
    "where it is passed on": (listed(lives(1, 4), positions=("step4",)), Liveness("position", None, None, "step4")),
    "the end of an asynchronous operation": (
        renamed(listed(lives(1, 6), uses=("step2",)), 6, "copy-done.3"),
        Liveness("async", 2, "step2", "copy-done.3"),
    ),
    "the computation of its loop": (
        with_value(listed(lives(1, 6), uses=("step2",)), is_phi=True),
        Liveness("carried", 2, "step2"),
    ),
    "one moment after the computation that is called": (
        listed(lives(1, 6), positions=("step5",), uses=("step2",)),
        Liveness("part of a result", 2, "step2", "step5"),
    ),
    "no reader": (listed(lives(1, 1)), Liveness("never used")),
    "no rule": (listed(lives(1, 8), uses=("step2",)), Liveness("unknown", 2, "step2")),
    "no list of uses": (lives(1, 4), Liveness("no list of uses")),
    "an unscheduled use": (listed(lives(1, 4), uses=("elsewhere",)), Liveness("unknown")),
}


@pytest.mark.parametrize("what", RULES)
def test_why_a_value_lives_so_long(what: str) -> None:
    dump, expected = RULES[what]
    assert why(dump) == expected


def test_an_argument_that_is_not_donated_is_held_to_the_end() -> None:
    dump = listed(lives(0, 10), uses=("step3",))
    assert why(in_allocation(dump, parameter=0)) == Liveness("parameter", 3, "step3")
    assert why(in_allocation(dump, parameter=0, is_maybe_live_out=True)).rule != "parameter"


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


@pytest.mark.parametrize(("is_thread_local", "rule"), [(True, "thread-local"), (False, "no range")])
def test_without_a_live_range_there_is_nothing_to_explain(is_thread_local: bool, rule: str) -> None:
    dump = replace(listed(lives(1, 4)), live_ranges=LiveRanges())
    assert why(in_allocation(dump, is_thread_local=is_thread_local)).rule == rule


@pytest.mark.parametrize("label", sample_labels())
def test_every_value_of_the_samples_is_explained(label: str) -> None:
    analysis = sample_analysis(label)
    rules = {analysis.facts[n].value.key: liveness(analysis, n).rule for n in range(len(analysis.facts))}
    assert [str(key) for key, rule in rules.items() if rule == "unknown"] == []
