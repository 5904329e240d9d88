"""Do the allocations add up, and does each hold its values?"""

import re
from collections.abc import Iterator
from operator import add

from reportgen.analyse.checks.declaration import check
from reportgen.analyse.findings import finding
from reportgen.analyse.records import VMEM, Figures
from reportgen.analyse.results import Finding
from reportgen.analyse.sizes import rounded_by_xla
from reportgen.model import Allocation

_IN_BRACKETS = re.compile(r"\(([^()]+)\)\s*$")


def _without_total(figures: Figures) -> str:
    return "the dump has no total" if figures.dump.total_bytes is None else ""


@check(
    name="Total",
    question="Do the allocations add up to XLA’s total?",
    subject="allocations",
    skips=_without_total,
)
def sum_of_sizes(figures: Figures) -> Iterator[Finding]:
    """Compare the sum of all allocations with the total that XLA prints, both in bytes."""
    dump = figures.dump
    total = sum(allocation.size_bytes for allocation in dump.allocations)
    if dump.total_bytes is not None and dump.total_bytes != total:
        message = f"XLA's total is {dump.total_bytes:,} bytes, the allocations add up to {total:,}"
        yield finding("total-mismatch", message, dump.total_text_offset)


@check(
    name="Rounded total",
    question="Is the total in brackets the total, rounded?",
    subject="allocations",
    skips=_without_total,
)
def rounded_total(figures: Figures) -> Iterator[Finding]:
    """Round the total as XLA does, and compare it with the amount in brackets at the end of its line."""
    dump = figures.dump
    stated = _IN_BRACKETS.search(dump.text.line(dump.total_text_offset))
    if stated and dump.total_bytes is not None and stated[1] != rounded_by_xla(dump.total_bytes):
        rounded = rounded_by_xla(dump.total_bytes)
        message = f"XLA's total of {dump.total_bytes:,} bytes is {rounded}, not {stated[1][:80]}"
        yield finding("total-mismatch", message, dump.total_text_offset)


@check(
    name="Numbering",
    question="Are the allocations numbered 0, 1, 2, … as due?",
    subject="allocations",
)
def order(figures: Figures) -> Iterator[Finding]:
    for number, allocation in enumerate(figures.dump.allocations):
        if allocation.index != number:
            message = f"allocation {allocation.index} stands where {number} is due: lines are missing or repeated"
            yield finding("allocation-order", message, allocation.text_offset, allocation=number)
            return


@check(
    name="Kinds",
    question="Has each allocation a kind, and is a preallocated temp nothing else?",
    subject="allocations",
)
def one_kind(figures: Figures) -> Iterator[Finding]:
    """Report preallocated temps that have another kind as well, and allocations that have none."""
    for number, allocation in enumerate(figures.dump.allocations):
        kinds = _other_kinds(allocation)
        if allocation.is_preallocated_temp and kinds:
            message = f"allocation {allocation.index} is a preallocated temp and also {', '.join(kinds)}"
        elif not allocation.is_preallocated_temp and not kinds:
            message = f"allocation {allocation.index} is of no kind; it is counted as held throughout"
        else:
            continue
        yield finding("allocation-kind", message, allocation.text_offset, allocation=number)


def _other_kinds(allocation: Allocation) -> list[str]:
    kinds = {
        "a parameter": allocation.parameter is not None,
        "the output": allocation.output_shape is not None,
        "constant": allocation.is_constant,
        "thread-local": allocation.is_thread_local,
        "maybe live out": allocation.is_maybe_live_out,
    }
    return [kind for kind, applies in kinds.items() if applies]


@check(
    name="Output",
    question="Does exactly one allocation hold the top level of the result?",
    subject="allocations",
)
def output(figures: Figures) -> Iterator[Finding]:
    allocations = figures.dump.allocations
    outputs = sum(allocation.output_shape is not None for allocation in allocations)
    if allocations and outputs != 1:
        yield finding("output-allocation", f"{outputs} allocations hold the output's top level; one is due")


@check(
    name="Bounds",
    question="Does each value lie inside its allocation, and does one reach to its end?",
    subject="values",
    exceptions="An allocation of a given size, such as one for all of a TPU’s VMEM, may end behind its last value.",
)
def bounds(figures: Figures) -> Iterator[Finding]:
    """Compare the size of each allocation with the byte at which the last of its values ends."""
    values = figures.dump.values
    ends = list(map(add, values.offsets, values.sizes))
    for number, allocation in enumerate(figures.dump.allocations):
        end = max(map(ends.__getitem__, figures.occupants[number]), default=0)
        if end > allocation.size_bytes:
            outside = max(figures.occupants[number], key=ends.__getitem__)
            message = (
                f"{values.keys[outside]} ends at byte {end:,} of allocation {allocation.index},"
                f" which has {allocation.size_bytes:,}"
            )
            yield finding("outside-allocation", message, values.text_offsets[outside], allocation=number)
        elif end < allocation.size_bytes:
            message = (
                f"no value reaches into the last {allocation.size_bytes - end:,} bytes of allocation {allocation.index}"
            )
            may_be_fixed = figures.backend == "tpu" and allocation.color == VMEM
            slug = "reserved-allocation" if may_be_fixed else "unfilled-allocation"
            yield finding(slug, message, allocation.text_offset, allocation=number)


CHECKS = (
    sum_of_sizes,
    rounded_total,
    order,
    one_kind,
    output,
    bounds,
)
