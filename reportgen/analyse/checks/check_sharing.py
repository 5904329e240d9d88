"""Do two values hold the same bytes at the same time?

XLA lets a result take over the buffer of a dying operand, so ranges may touch in one moment, and then
both have the very same slice. Anything more is an assignment bug.
"""

from collections.abc import Iterator
from operator import itemgetter

from reportgen.analyse.checks.declaration import check, without_exact_ranges
from reportgen.analyse.findings import finding
from reportgen.analyse.records import Conflict, Figures
from reportgen.analyse.results import Finding
from reportgen.analyse.reuse import is_old_alias
from reportgen.model import Values


@check(
    name="Shared bytes",
    question="Do two values hold the same bytes for more than the instruction of in-place reuse?",
    subject="values",
    exceptions="Builds before 2022-06-24 let values of one buffer start at the same instruction and overlap."
    " A conditional runs one branch alone, and the schedule lists all of them. Asynchronous operations of one other"
    " thread share their scratch memory, because it runs them one after the other.",
    skips=without_exact_ranges,
)
def conflicts(figures: Figures) -> Iterator[Finding]:
    """Report values that share bytes: as errors, or as notes where the program or an old build explains it."""
    for conflict in figures.reuse.conflicts:
        is_old = is_old_alias(figures.dump, figures.facts, conflict)
        yield _conflict(figures, conflict, "old-alias" if is_old else "bytes-shared")
    for conflict, slug in figures.reuse.expected.items():
        yield _conflict(figures, conflict, slug)


@check(
    name="In-place reuse",
    question="Where one value ends as another starts in its bytes, is it the very same slice?",
    subject="successions",
    exceptions="Compilers for TPUs fetch an operand in pieces and then see the whole in place.",
    skips=without_exact_ranges,
)
def handovers(figures: Figures) -> Iterator[Finding]:
    """Report values that meet at one instruction in bytes that overlap but are not the same slice."""
    starts, ends, values = figures.facts.starts, figures.facts.ends, figures.dump.values
    pairs = zip(figures.reuse.later, figures.reuse.earlier, strict=True)
    touching = ((later, earlier) for later, earlier in pairs if ends[earlier] == starts[later])
    different = [pair for pair in touching if _slice(values, pair[0]) != _slice(values, pair[1])]
    for number, earlier in sorted(different, key=itemgetter(0)):
        if not _is_piece_of(figures, earlier, number):
            message = (
                f"at instruction {starts[number]:,}, {values.keys[number]} reuses {values.keys[earlier]} in place, but"
                " their slices are not the same"
            )
            yield finding("touching-slices", message, values.text_offsets[number], values=(earlier, number))


def _is_piece_of(figures: Figures, earlier: int, later: int) -> bool:
    """Return whether a value lies within its reader: TPU compilers fetch an operand in pieces, then see the whole."""
    values = figures.dump.values
    (start, size), (low, whole) = _slice(values, earlier), _slice(values, later)
    is_reader = values.names[later].encode() in figures.dump.users(earlier)
    return is_reader and low <= start and start + size <= low + whole


def _conflict(figures: Figures, conflict: Conflict, slug: str) -> Finding:
    """Return the finding, of the kind `slug`, that two values share bytes."""
    earlier, later = figures.facts[conflict.earlier], figures.facts[conflict.later]
    message = (
        f"{earlier.value.key} and {later.value.key} both hold bytes {conflict.low:,} to {conflict.high:,} of"
        f" allocation {figures.dump.allocations[later.value.allocation].index} from instruction {conflict.first:,} to"
        f" {conflict.last:,}"
    )
    return finding(
        slug,
        message,
        later.value.text_offset,
        values=(conflict.earlier, conflict.later),
    )


def _slice(values: Values, number: int) -> tuple[int, int]:
    return values.offsets[number], values.sizes[number]


CHECKS = (
    conflicts,
    handovers,
)
