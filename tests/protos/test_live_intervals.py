"""Live ranges that are rebuilt: the laws that hold whatever the module, on modules with loops and asynchronous work."""

from itertools import pairwise

import pytest

from reportgen.protos.hlo_proto import read_plan
from tests.protos.test_hlo_proto import SCHEDULED, parsed
from tests.support.protos import sample_proto


@pytest.mark.parametrize("name", SCHEDULED)
def test_a_value_lives_from_its_instruction_to_its_last_use(name: str) -> None:
    dump = parsed(read_plan(sample_proto(name)))
    moments, length = dump.moment_of, dump.schedule_length
    assert length is not None
    for number, instruction in enumerate(dump.values.names):
        start, end = dump.starts[number], dump.ends[number]
        if instruction in moments:
            assert 0 <= start <= end <= length
            assert start <= moments[instruction] or "-start" in dump.schedule.names[start]
        else:
            assert (start, end) == (-1, -1)  # in a computation that runs on single elements


@pytest.mark.parametrize("name", SCHEDULED)
def test_no_two_values_of_one_buffer_live_at_once_but_where_one_hands_over(name: str) -> None:
    dump = parsed(read_plan(sample_proto(name)))
    slices: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    columns = (dump.values.allocations, dump.values.offsets, dump.values.sizes, dump.starts, dump.ends)
    for allocation, offset, size, start, end in zip(*columns, strict=True):
        if start >= 0 and size:
            slices.setdefault((allocation, offset, size), []).append((start, end))
    for ranges in slices.values():
        ranges.sort()
        assert all(first[1] <= second[0] for first, second in pairwise(ranges))
