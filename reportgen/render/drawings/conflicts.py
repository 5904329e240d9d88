"""Find values that hold the same bytes at the same time without being allowed to, to mark them where they are shown."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from reportgen.analyse.records import Analysis, Conflict
from reportgen.analyse.reuse import is_old_alias
from reportgen.render.drawings.svg import Box


def real_conflicts(analysis: Analysis) -> list[Conflict]:
    """Return the conflicts that are reported as `bytes-shared` findings."""
    return [
        conflict for conflict in analysis.reuse.conflicts if not is_old_alias(analysis.dump, analysis.facts, conflict)
    ]


def conflicts_by_value(analysis: Analysis) -> Mapping[int, Sequence[Conflict]]:
    """Return the real conflicts of each value; each conflict is listed under both of its values."""
    by_value: defaultdict[int, list[Conflict]] = defaultdict(list)
    for conflict in real_conflicts(analysis):
        by_value[conflict.earlier].append(conflict)
        by_value[conflict.later].append(conflict)
    return by_value


def overlap_box(analysis: Analysis, conflict: Conflict) -> Box:
    """Return the bytes and moments that both values of a conflict hold."""
    earlier, later = (analysis.facts[number].value.key for number in (conflict.earlier, conflict.later))
    low, high, first, last = conflict.low, conflict.high, conflict.first, conflict.last
    tooltip = f"{earlier} and {later}: bytes {low:,} to {high:,}, {first:,} to {last:,}"
    return Box(first, last + 1, low, high, tooltip)
