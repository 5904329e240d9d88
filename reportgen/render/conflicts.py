"""Where two values hold the same bytes at the same time beyond what is legal: to be marked wherever they are shown."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from reportgen.analyse.records import Analysis, Conflict
from reportgen.analyse.tenancy import is_old_alias
from reportgen.render.drawings.svg import Box


def real_conflicts(analysis: Analysis) -> list[Conflict]:
    """Those that are findings of the kind bytes-shared."""
    return [conflict for conflict in analysis.tenancy.conflicts if not is_old_alias(analysis.facts, conflict)]


def conflicts_by_value(analysis: Analysis) -> Mapping[int, Sequence[Conflict]]:
    """Each conflict under both of its values."""
    by_value: defaultdict[int, list[Conflict]] = defaultdict(list)
    for conflict in real_conflicts(analysis):
        by_value[conflict.earlier].append(conflict)
        by_value[conflict.later].append(conflict)
    return by_value


def overlap_box(analysis: Analysis, conflict: Conflict) -> Box:
    """The bytes and moments that both have."""
    values = (analysis.facts[conflict.earlier].value, analysis.facts[conflict.later].value)
    low = max(value.offset_bytes for value in values)
    high = low + conflict.shared_bytes
    title = f"{values[0].key} and {values[1].key}: bytes {low:,} to {high:,}, {conflict.first} to {conflict.last}"
    return Box(conflict.first, conflict.last + 1, low, high, title)
