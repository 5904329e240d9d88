"""A placement is only believed after a check that shares nothing with the search."""

from hypothesis import given
from hypothesis import strategies as st

from reportgen.advice.packing import _ORDERS, Buffer, Placement, lower_bound, place, verify

_ALIGNMENT = 4

sets_of_buffers = st.lists(
    st.builds(
        lambda size, first, length: Buffer(size, first, first + length),
        st.integers(1, 20),
        st.integers(0, 10),
        st.integers(0, 6),
    ),
    max_size=12,
)


def share_bytes(buffers: list[Buffer], placement: Placement) -> bool:
    """Compare each pair of buffers."""
    return any(
        one.first <= other.last
        and other.first <= one.last
        and placement[i] < placement[j] + other.size_bytes
        and placement[j] < placement[i] + one.size_bytes
        for i, one in enumerate(buffers)
        for j, other in enumerate(buffers)
        if i < j
    )


@given(sets_of_buffers, st.sampled_from(_ORDERS))
def test_every_placement_that_is_found_passes_the_check(buffers: list[Buffer], order: object) -> None:
    placement = place(buffers, order, _ALIGNMENT)  # type: ignore[arg-type]
    size = verify(buffers, placement, _ALIGNMENT)
    assert size is not None
    assert size >= lower_bound(buffers)


@given(sets_of_buffers, st.data())
def test_the_check_refuses_exactly_the_placements_that_share_bytes(buffers: list[Buffer], data: st.DataObject) -> None:
    offsets = st.integers(0, 6).map(lambda number: number * _ALIGNMENT)
    placement = {number: data.draw(offsets) for number in range(len(buffers))}
    assert (verify(buffers, placement, _ALIGNMENT) is None) == share_bytes(buffers, placement)


def test_the_check_refuses_a_placement_that_is_misaligned_or_incomplete() -> None:
    buffers = [Buffer(4, 0, 1), Buffer(4, 0, 1)]
    assert verify(buffers, {0: 0, 1: 6}, _ALIGNMENT) is None
    assert verify(buffers, {0: 0}, _ALIGNMENT) is None
    assert verify(buffers, {0: 0, 1: 4}, _ALIGNMENT) == 8
