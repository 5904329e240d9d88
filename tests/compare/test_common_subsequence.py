"""The longest common subsequence beside the textbook's table."""

import itertools
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from reportgen.compare.common_subsequence import longest_common_subsequence

lists = st.lists(st.sampled_from("abc"), max_size=12)


def longest(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of a longest common subsequence by dynamic programming."""
    row = [0] * (len(other) + 1)
    for left in one:
        above = row
        row = [0]
        for number, right in enumerate(other):
            row.append(above[number] + 1 if left == right else max(above[number + 1], row[-1]))
    return row[-1]


@given(lists, lists)
def test_the_pairs_are_a_longest_common_subsequence(one: list[str], other: list[str]) -> None:
    pairs, _ = longest_common_subsequence(one, other)
    assert all(one[left] == other[right] for left, right in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in itertools.pairwise(pairs))
    assert len(pairs) == longest(one, other)


@given(lists, lists)
def test_pairs_and_gaps_cover_both_lists(one: list[str], other: list[str]) -> None:
    pairs, gaps = longest_common_subsequence(one, other)
    assert sorted([left for left, _ in pairs] + [n for low, high, *_ in gaps for n in range(low, high)]) == list(
        range(len(one))
    )
    assert sorted([right for _, right in pairs] + [n for *_, low, high in gaps for n in range(low, high)]) == list(
        range(len(other))
    )


def test_an_inserted_layer_does_not_shift_the_others() -> None:
    pairs, _ = longest_common_subsequence("xabcabcyabcabcz", "xabcabcabcyabcabcabcz")
    assert len(pairs) == 15
