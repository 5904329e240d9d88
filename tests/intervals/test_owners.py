"""Whose bytes are covered: one owner for each covered byte, the one whose slice began last."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from reportgen.intervals.owners import changes_by_owner
from reportgen.intervals.step_function import StepFunction
from reportgen.intervals.union import Occupancy, union_over_time

LENGTH, BYTES = 12, 16


@st.composite
def slices(draw: st.DrawFn) -> tuple[Occupancy, str]:
    first, last = sorted(draw(st.tuples(*[st.integers(0, LENGTH - 1)] * 2)))
    low, high = sorted(draw(st.tuples(*[st.integers(0, BYTES)] * 2)))
    return Occupancy(first, last, low, high), draw(st.sampled_from("abc"))


def owned_at(given_slices: list[tuple[Occupancy, str]], moment: int) -> Counter[str]:
    """Return the bytes of each owner at a moment, found byte by byte."""
    owned = Counter[str]()
    in_order = sorted(given_slices, key=lambda one: one[0].first)
    for byte in range(BYTES):
        holders = [
            owner for (first, last, low, high), owner in in_order if first <= moment <= last and low <= byte < high
        ]
        owned.update(holders[-1:])
    return owned


@given(st.lists(slices(), max_size=10))
def test_each_byte_belongs_to_the_slice_that_began_last(found: list[tuple[Occupancy, str]]) -> None:
    changes = changes_by_owner(found)
    assert changes is not None
    functions = {owner: StepFunction.from_changes(of_owner, LENGTH) for owner, of_owner in changes.items()}
    for moment in range(LENGTH):
        amounts = Counter({owner: function.at(moment) for owner, function in functions.items()})
        assert +amounts == owned_at(found, moment)
        assert min(amounts.values(), default=0) >= 0


@given(st.lists(slices(), max_size=10))
def test_all_owners_together_have_what_is_covered(found: list[tuple[Occupancy, str]]) -> None:
    changes = changes_by_owner(found)
    assert changes is not None
    together = StepFunction.from_changes([one for of_owner in changes.values() for one in of_owner], LENGTH)
    assert together == StepFunction.from_changes(union_over_time(slice_ for slice_, _ in found), LENGTH)


def test_thousands_of_nested_slices_are_given_up() -> None:
    count = 3000
    nested = [
        (Occupancy(number, 2 * count - number, number, 2 * count - number), str(number)) for number in range(count)
    ]
    assert changes_by_owner(nested) is None
