"""Sizes have three digits, more where two would read the same, and those of others as these print them."""

import pytest

from reportgen.reports.formats import capacity_bytes, distinct_bytes, logged_bytes, need_and_capacity, transition_words

GIB = 1 << 30


@pytest.mark.parametrize(
    ("size", "logged", "capacity"),
    [
        (1023, "1,023 B", "1,023 B"),
        (768 << 20, "768.00 MiB", "768 MiB"),
        (1019 << 20, "1,019.00 MiB", "1,019 MiB"),
        (63 * GIB >> 2, "15.75 GiB", "15.75 GiB"),
        (8 * GIB, "8.00 GiB", "8.00 GiB"),
        (16 * GIB, "16.00 GiB", "16.0 GiB"),
        (191_551_152_128, "178.40 GiB", "178.4 GiB"),
    ],
)
def test_sizes_of_errors_and_capacities_are_as_xla_prints_them(size: int, logged: str, capacity: str) -> None:
    assert (logged_bytes(size), capacity_bytes(size)) == (logged, capacity)


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((16 * GIB, 16 * GIB), ["16.0 GiB", "16.0 GiB"]),
        ((16 * GIB, 16 * GIB + (20 << 20)), ["16.00 GiB", "16.02 GiB"]),
        ((16 * GIB, 16 * GIB + (2 << 20)), ["16.000 GiB", "16.002 GiB"]),
        ((16 * GIB, 16 * GIB + 1), ["17,179,869,184 bytes", "17,179,869,185 bytes"]),
    ],
)
def test_sizes_that_differ_read_differently(sizes: tuple[int, int], words: list[str]) -> None:
    assert distinct_bytes(*sizes) == words
    assert transition_words(*sizes).endswith(f" → {words[1]}")


@pytest.mark.parametrize(
    ("needed", "words"),
    [
        (27 * GIB, ("at least 27.0 GiB", "15.75 GiB")),
        (63 * GIB >> 2, ("at least 15.75 GiB", "15.75 GiB")),
        ((63 * GIB >> 2) + (20 << 20), ("at least 15.77 GiB", "15.75 GiB")),
    ],
)
def test_a_need_reads_like_its_capacity_if_they_are_equal(needed: int, words: tuple[str, str]) -> None:
    assert need_and_capacity(needed, "least", 63 * GIB >> 2) == words
