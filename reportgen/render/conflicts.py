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
    _, _, low, high, first, last = conflict
    earlier, later = (analysis.facts[number].value.key for number in conflict[:2])
    title = f"{earlier} and {later}: bytes {low:,} to {high:,}, {first} to {last}"
    return Box(first, last + 1, low, high, title)
