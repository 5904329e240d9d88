"""Do two values hold the same bytes at the same time?

XLA lets a result take over the buffer of a dying operand, so ranges may touch in one moment, and then
both have the very same slice. Anything more is an assignment bug.
"""

from collections.abc import Iterator

from reportgen.analyse.checks.check import Check, without_live_ranges
from reportgen.analyse.findings import finding
from reportgen.analyse.judgements import Finding
from reportgen.analyse.records import Conflict, Placement, ValueFacts
from reportgen.analyse.tenancy import is_old_alias


def _conflicts(placement: Placement) -> Iterator[Finding]:
    for conflict in placement.tenancy.conflicts:
        yield _conflict(placement, conflict)


def _handovers(placement: Placement) -> Iterator[Finding]:
    for number, fact in enumerate(placement.facts):
        for earlier in placement.tenancy.before[number]:
            other = placement.facts[earlier]
            if _touch(other, fact) and _slice(other) != _slice(fact):
                slug, how = _different_slices(placement, other, fact)
                message = f"{other.value.key} hands over to {fact.value.key} in moment {_start(fact)}, {how}"
                yield finding(slug, message, fact.value.place, values=(earlier, number))


def _different_slices(placement: Placement, earlier: ValueFacts, later: ValueFacts) -> tuple[str, str]:
    """TPU compilers prefetch an operand in pieces and then see the whole in place (ConcatBitcast)."""
    used = placement.dump.used_by_key.get(earlier.value.key)
    is_operand = used is not None and later.value.key.name.encode() in used.users
    inside = later.value.offset_bytes <= earlier.value.offset_bytes <= earlier.value.end_bytes <= later.value.end_bytes
    if is_operand and inside:
        return "sliced-handover", "as a piece of it"
    return "touching-slices", "but their slices are not the same"


def _conflict(placement: Placement, conflict: Conflict) -> Finding:
    earlier, later = placement.facts[conflict.earlier], placement.facts[conflict.later]
    message = (
        f"{earlier.value.key} and {later.value.key} both hold bytes {conflict.low:,} to {conflict.high:,} of"
        f" allocation {placement.dump.allocations[later.value.allocation].index} from moment {conflict.first} to"
        f" {conflict.last}"
    )
    return finding(
        "old-alias" if is_old_alias(placement.facts, conflict) else "bytes-shared",
        message,
        later.value.place,
        values=(conflict.earlier, conflict.later),
    )


def _touch(earlier: ValueFacts, later: ValueFacts) -> bool:
    return bool(earlier.live and later.live and earlier.live.end == later.live.start)


def _slice(fact: ValueFacts) -> tuple[int, int]:
    return fact.value.offset_bytes, fact.value.size_bytes


def _start(fact: ValueFacts) -> int:
    return fact.live.start if fact.live else -1


CHECKS = (
    Check(
        name="Shared bytes",
        question="Do two values hold the same bytes for more than the moment of a hand-over?",
        subject="values",
        run=_conflicts,
        legal="Builds before 2022-06-24 let values of one buffer start in the same moment and overlap.",
        exempts=without_live_ranges,
    ),
    Check(
        name="Hand-overs",
        question="Where one value ends as another starts in its bytes, is it the very same slice?",
        subject="successions",
        run=_handovers,
        legal="Compilers for TPUs fetch an operand in pieces and then see the whole in place.",
        exempts=without_live_ranges,
    ),
)
