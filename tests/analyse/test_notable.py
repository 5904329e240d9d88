"""In a large module a section has what is at a peak, in a finding or large, and an allocation of many values."""

from reportgen.analyse.notable import MOST_IN_ROW, MOST_SECTIONS, notable_allocations, notable_values
from reportgen.analyse.records import Analysis
from tests.support.dumps import analysed


def large(values: int = 2 * MOST_SECTIONS, *, shared: bool) -> Analysis:
    """Return an analysis whose last allocation has two values, at the same bytes and moments if `shared`."""
    rows = [f" value: <{number} v{number} @0> (size=4,offset={4 * number}): f32[]" for number in range(values)]
    rows += ["allocation 1: size 8, preallocated-temp:"]
    rows += [f" value: <{values + n} v{values + n} @0> (size=4,offset={0 if shared else 4 * n}): f32[]" for n in (0, 1)]
    ranges = [f"    v{number}{{}}:0-1" for number in range(values)]
    ranges += [f"    v{values}{{}}:2-3", f"    v{values + 1}{{}}:2-3"]
    head = ["BufferAssignment:", f"allocation 0: size {4 * values}, preallocated-temp:"]
    schedule = ["HloLiveRange (max 4):", "  InstructionSequence:", *(f"    {n}:v{n}" for n in range(4))]
    total = f"Total bytes used: {4 * values + 8} (7.8KiB)"
    return analysed("\n".join([*head, *rows, "", total, "", *schedule, "  BufferLiveRange:", *ranges, ""]))


def test_all_are_notable_in_a_module_of_few_values() -> None:
    analysis = large(MOST_SECTIONS - 2, shared=False)
    assert all(notable_values(analysis))
    assert all(notable_allocations(analysis))


def test_an_allocation_of_few_values_is_not_notable_in_a_large_module() -> None:
    analysis = large(shared=False)
    assert (
        [len(values) > MOST_IN_ROW for values in analysis.occupants] == notable_allocations(analysis) == [True, False]
    )
    assert not notable_values(analysis)[-1]


def test_what_is_in_a_finding_is_notable() -> None:
    analysis = large(shared=True)
    assert "bytes-shared" in {finding.slug for finding in analysis.findings}
    assert notable_values(analysis)[-2:] == [True, True]
    assert all(notable_allocations(analysis))
