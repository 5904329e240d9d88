"""Do two values hold the same bytes at the same time?

XLA lets a result take over the buffer of a dying operand, so ranges may touch in one moment, and then
both have the very same slice. Anything more is an assignment bug.
"""

from collections.abc import Iterator

from reportgen.analyse.findings import finding
from reportgen.analyse.records import Analysis, Conflict, Finding, ValueFacts


def check_sharing(analysis: Analysis) -> Iterator[Finding]:
    for conflict in analysis.tenancy.conflicts:
        yield _conflict(analysis, conflict)
    for number, fact in enumerate(analysis.facts):
        for earlier in analysis.tenancy.before[number]:
            other = analysis.facts[earlier]
            if _slice(other) != _slice(fact) and _touch(other, fact):
                slug, how = _different_slices(analysis, other, fact)
                message = f"{other.value.key} hands over to {fact.value.key} in moment {_start(fact)}, {how}"
                yield finding(slug, message, fact.value.place, values=(earlier, number))


def _different_slices(analysis: Analysis, earlier: ValueFacts, later: ValueFacts) -> tuple[str, str]:
    """TPU compilers prefetch an operand in pieces and then see the whole in place (ConcatBitcast)."""
    used = analysis.dump.used_by_key.get(earlier.value.key)
    is_operand = used is not None and later.value.key.name.encode() in used.users
    inside = later.value.offset_bytes <= earlier.value.offset_bytes <= earlier.value.end_bytes <= later.value.end_bytes
    if is_operand and inside:
        return "sliced-handover", "as a piece of it"
    return "touching-slices", "but their slices are not the same"


def _conflict(analysis: Analysis, conflict: Conflict) -> Finding:
    earlier, later = analysis.facts[conflict.earlier], analysis.facts[conflict.later]
    is_old_alias = _slice(earlier) == _slice(later) and _start(earlier) == _start(later)
    message = (
        f"{earlier.value.key} and {later.value.key} both hold {conflict.shared_bytes:,} bytes of allocation"
        f" {analysis.dump.allocations[later.value.allocation].index} from moment {conflict.first} to {conflict.last}"
    )
    return finding(
        "old-alias" if is_old_alias else "bytes-shared",
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
